// Which entries values over time are taken from, and when more is said to be left out.
#include "verbs/resolving/entry_series.hpp"

#include "tests/verbs/registry_folder.hpp"

namespace plumbline::verbs {
namespace {

using EntriesInTime = RegistryFolder;

EntrySeriesQuery query() {
  EntrySeriesQuery out;
  out.family = "f";
  out.measurement = "m";
  out.pool = std::make_shared<core::StringPool>();
  return out;
}

std::string slug(int second) {
  return registry::slug_of(std::chrono::system_clock::from_time_t(1795100639) + std::chrono::seconds(second));
}

TEST_F(EntriesInTime, EntriesThatWereNamedAloneAreRead) {
  for (int i = 0; i < 4; ++i) entry("f", "m", slug(i), std::to_string(10 + i));
  EntrySeriesQuery some = query();
  some.only = {slug(0), slug(2), slug(9)};
  const auto read = read_entry_series(*store_, some, context());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->slugs, (std::vector<std::string>{slug(0), slug(2)}));
  ASSERT_EQ(read->keys.size(), 1U);
  EXPECT_EQ(read->keys.front().values, (std::vector<double>{10, 12}));
}

// More than the search for entries of one context looks at: with captures nothing is searched, so nothing was left out.
TEST_F(EntriesInTime, RefusedEntriesAreNoBoundWhereAllAreAskedFor) {
  entry("f", "m", slug(0), "1", R"(,"context": {"hardware.gpu": "H200"})");
  for (int i = 1; i <= 1001; ++i) entry("f", "m", slug(i), "2");
  EntrySeriesQuery all = query();
  all.wanted = [](const std::string&, const core::BaselineRecord& record) { return record.context.contains("hardware.gpu"); };
  const auto bounded = read_entry_series(*store_, all, context());
  ASSERT_TRUE(bounded) << bounded.error().message;
  EXPECT_TRUE(bounded->bounded);
  all.captures = true;
  const auto read = read_entry_series(*store_, all, context());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->bounded);
  EXPECT_EQ(read->slugs, std::vector<std::string>{slug(0)});
}

}  // namespace
}  // namespace plumbline::verbs
