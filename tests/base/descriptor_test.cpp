// Owned descriptors: closed once, by the last owner.
#include "base/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace plumbline::base {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }
int opened() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(Descriptor, closes_what_it_owns_and_nothing_that_was_given_away) {
  int first = -1, second = -1;
  {
    Descriptor one(first = opened());
    Descriptor other = std::move(one);
    EXPECT_FALSE(one.valid());
    EXPECT_EQ(other.get(), first);
    one = Descriptor(second = opened());
    EXPECT_TRUE(is_open(second));
    one = std::move(other);
    EXPECT_FALSE(is_open(second)) << "an assignment closes what was there";
    EXPECT_TRUE(is_open(first));
  }
  EXPECT_FALSE(is_open(first));
  Descriptor given(opened());
  const int fd = given.release();
  given.reset();
  EXPECT_TRUE(is_open(fd));
  EXPECT_EQ(Descriptor(fd).close_checked(), 0);
  EXPECT_FALSE(is_open(fd));
  EXPECT_EQ(Descriptor().close_checked(), 0);
}

}  // namespace
}  // namespace plumbline::base
