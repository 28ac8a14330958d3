#include "core/large_block.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace plumbline::core {
namespace {

struct Free {
  void operator()(void* data) const { std::free(data); }
};
using Block = std::unique_ptr<void, Free>;

constexpr std::size_t kPage = std::size_t{2} << 20U;

TEST(LargeBlock, HoldsWhatWasAskedFor) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, 4 * kPage - 1, 4 * kPage, 5 * kPage + 1}) {
    const Block block(large_block(bytes));
    ASSERT_NE(block, nullptr) << bytes;
    std::memset(block.get(), 7, bytes);
    EXPECT_EQ(static_cast<const unsigned char*>(block.get())[bytes - 1], 7) << bytes;
  }
}

TEST(LargeBlock, BeginsWithALargePageWhereThereAreMany) {
  const Block block(large_block(4 * kPage));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % kPage, 0U);
}

TEST(LargeBlock, IsNullForMoreThanThereCanBe) {
  EXPECT_EQ(large_block(SIZE_MAX), nullptr);  // rounded up it would be nothing
}

}  // namespace
}  // namespace plumbline::core
