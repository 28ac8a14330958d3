// Which DRAFTs a later VERDICT overturned: a rule over the heads of bundles, oldest first.
#include "registry/bundle_heads.hpp"

#include <gtest/gtest.h>

#include "tests/registry/scratch.hpp"

namespace plumbline::registry {
namespace {

BundleHead head(std::string slug, std::string tier, std::string verdict, std::string baseline, std::vector<std::string> current) {
  BundleHead out;
  out.slug = std::move(slug);
  out.tier = std::move(tier);
  out.verdict = std::move(verdict);
  out.baseline_ids = {std::move(baseline)};
  out.current_ids = std::move(current);
  return out;
}

std::string marks(std::vector<BundleHead> heads) {
  mark_superseded(heads);
  std::string out;
  for (const BundleHead& one : heads) out += one.slug + (one.superseded_by.empty() ? "" : "<" + one.superseded_by) + " ";
  return out;
}

TEST(Superseding, ALaterVerdictOverturnsADraftWhoseRunIsAmongItsTrials) {
  EXPECT_EQ(marks({head("1", "DRAFT", "RED", "b", {"x"}), head("2", "VERDICT", "GREEN", "b", {"x", "y", "z"})}), "1<2 2 ");
}

TEST(Superseding, NeedsTheSamePairAnotherVerdictAndALaterTime) {
  EXPECT_EQ(marks({head("1", "DRAFT", "RED", "b", {"x"}), head("2", "VERDICT", "GREEN", "other", {"x"})}), "1 2 ");
  EXPECT_EQ(marks({head("1", "DRAFT", "RED", "b", {"x"}), head("2", "VERDICT", "GREEN", "b", {"y"})}), "1 2 ");
  EXPECT_EQ(marks({head("1", "DRAFT", "RED", "b", {"x"}), head("2", "VERDICT", "RED", "b", {"x"})}), "1 2 ");
  EXPECT_EQ(marks({head("1", "DRAFT", "RED", "b", {"x"}), head("2", "DRAFT", "GREEN", "b", {"x"})}), "1 2 ");
  EXPECT_EQ(marks({head("1", "VERDICT", "GREEN", "b", {"x"}), head("2", "DRAFT", "RED", "b", {"x"})}), "1 2 ");
}

TEST(Superseding, TheNewestVerdictOnThePairHasTheWord) {
  const BundleHead draft = head("1", "DRAFT", "RED", "b", {"x"});
  const BundleHead green = head("2", "VERDICT", "GREEN", "b", {"x", "y"});
  EXPECT_EQ(marks({draft, green, head("3", "VERDICT", "YELLOW", "b", {"x", "y", "z"})}), "1<3 2 3 ");
  EXPECT_EQ(marks({draft, green, head("3", "VERDICT", "RED", "b", {"x", "y", "z"})}), "1 2 3 ");
}

// The folders are empty, which is quick to make: what is beyond the bound is counted apart from what cannot be read.
TEST(BundleHeads, CountWhatIsBeyondTheirBound) {
  const test::Scratch scratch;
  const auto store = posix_store(scratch.path());
  const std::string directory = store->directory(Kind::bundle, "f", "m");
  for (int i = 0; i < 10'003; ++i) std::filesystem::create_directories(directory + "/" + slug_of(test::moment(i)));
  const auto all = bundle_heads(*store, "f", "m", "", {});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->older, 3U);
  EXPECT_EQ(all->unreadable, 10'000U);
  const auto since = bundle_heads(*store, "f", "m", slug_of(test::moment(3)), {});
  ASSERT_TRUE(since) << since.error().message;
  EXPECT_EQ(since->older, 0U);
}

}  // namespace
}  // namespace plumbline::registry
