#include "core/short_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plumbline::core {
namespace {

std::string letters(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>('a' + (i * 7 + size) % 26));
  return text;
}

TEST(ShortText, is_copied_whole_and_nothing_beside_it_is_touched) {
  for (std::size_t size = 0; size <= 200; ++size) {
    const std::string text = letters(size);
    const std::vector<char> from(text.begin(), text.end());  // of exactly this size, for whoever watches reads
    std::string to(size + 2, '#');
    copy_short(to.data() + 1, from.data(), size);
    ASSERT_EQ(to, "#" + text + "#") << size;
  }
  copy_short(nullptr, nullptr, 0);
}

TEST(ShortText, is_the_same_where_every_byte_is) {
  for (std::size_t size = 0; size <= 100; ++size) {
    const std::string text = letters(size);
    const std::vector<char> a(text.begin(), text.end());
    std::vector<char> b = a;
    const std::string_view one(a.data(), size), other(b.data(), size);
    ASSERT_TRUE(same_short(one, other)) << size;
    for (std::size_t i = 0; i < size; ++i) {
      b[i] = '#';
      ASSERT_FALSE(same_short(one, other)) << size << " differs at " << i;
      b[i] = a[i];
    }
    if (size > 0) ASSERT_FALSE(same_short(one, other.substr(1))) << size;
  }
}

}  // namespace
}  // namespace plumbline::core
