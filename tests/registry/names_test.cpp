// Names: segments, slugs, roots, manifests.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "registry/journal.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

using core::ErrorCode;

TEST(Segment, TakesPlainNames) {
  for (const std::string name : {"a", "A9", "nccl_all-reduce.v1", "0", "a..b", "a."})
    EXPECT_TRUE(check_segment("family", name)) << name;
  EXPECT_TRUE(check_segment("family", std::string(128, 'a')));
}

TEST(Segment, RefusesEverythingElse) {
  const std::vector<std::string> names = {
      "",   ".",   "..",  "../outside", "/outside", "nested/x", "nested\\x",           ".hidden", "_x",
      "-x", "a b", "a\n", "a|b",        "ä",        "a:b",      std::string("a\0", 2), "a/../b"};
  for (const auto& name : names) {
    const auto checked = check_segment("measurement", name);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, ErrorCode::usage);
    EXPECT_EQ(checked.error().message.rfind("measurement must be one safe path segment: ", 0), 0U) << checked.error().message;
  }
  EXPECT_EQ(check_segment("family", "../x").error().message, "family must be one safe path segment: \"../x\"");
  EXPECT_EQ(check_segment("family", "../x").error().hint,
            "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128 characters");
  EXPECT_EQ(check_segment("family", std::string(300, 'a')).error().message,
            "family must be one safe path segment: \"" + std::string(128, 'a') + "\"… (300 characters)");
}

TEST(Slug, IsUtcToTheMicrosecond) {
  const auto time = std::chrono::system_clock::from_time_t(1795187039) + std::chrono::microseconds(7);
  EXPECT_EQ(slug_of(time), "20261120T150359000007Z");
  EXPECT_EQ(utc_text(time), "2026-11-20T15:03:59Z");
  EXPECT_TRUE(is_slug("20261120T150359221206Z"));
  for (const char* text : {"accepted", "20261120T150359221206", "20261120 150359221206Z", "2026112aT150359221206Z", ".tmp-x"}) {
    EXPECT_FALSE(is_slug(text)) << text;
  }
}

TEST(Root, IsTakenInOrder) {
  const Scratch scratch;
  for (const char* name : {"flag", "ours", "theirs", "repo/deep/er", "repo/.git", "linked/inner", "plain"}) {
    std::filesystem::create_directories(scratch / name);
  }
  scratch.write("linked/.git", "gitdir: elsewhere\n");
  std::map<std::string, std::string, std::less<>> variables;
  const auto environment = [&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  EXPECT_EQ(*resolve_root(std::nullopt, scratch / "repo/deep/er", environment), scratch / "repo");
  EXPECT_EQ(*resolve_root(std::nullopt, scratch / "linked/inner", environment), scratch / "linked");
  variables["PROFILE_AND_OPTIMIZE_REPO_ROOT"] = scratch / "theirs";
  EXPECT_EQ(*resolve_root(std::nullopt, scratch / "repo", environment), scratch / "theirs");
  variables["PLUMBLINE_ROOT"] = "";
  EXPECT_EQ(*resolve_root(std::nullopt, scratch / "repo", environment), scratch / "theirs");
  variables["PLUMBLINE_ROOT"] = "../ours";
  EXPECT_EQ(*resolve_root(std::nullopt, scratch / "repo", environment), scratch / "ours");
  EXPECT_EQ(*resolve_root("flag", scratch.path(), environment), scratch / "flag");
}

TEST(Root, MustExist) {
  const Scratch scratch;
  const auto nothing = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
  const auto none = resolve_root("none", scratch.path(), nothing);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "--repo-root: " + (scratch / "none") + " does not exist");
  scratch.write("file", "");
  EXPECT_EQ(resolve_root("file", scratch.path(), nothing).error().message,
            "--repo-root: " + (scratch / "file") + " is a file, not a folder");
  const auto lost = resolve_root(std::nullopt, scratch.path(), nothing);
  if (lost)
    GTEST_SUCCEED() << "the temporary folder lies in a git work tree";
  else {
    EXPECT_EQ(lost.error().code, ErrorCode::usage);
    EXPECT_EQ(lost.error().message, "cannot tell the repository root: no git work tree encloses " + scratch.path());
    EXPECT_EQ(lost.error().hint,
              "--repo-root . keeps entries in this folder; in a git work tree they go to its root, and PLUMBLINE_ROOT or "
              "PROFILE_AND_OPTIMIZE_REPO_ROOT names another");
  }
}

TEST(Manifest, IsWrittenSortedAndReadStrictly) {
  const std::string a(64, 'a'), b(64, 'b');
  const std::string text = manifest_text({{b, "b/c"}, {a, "B"}, {a, "b d"}});
  EXPECT_EQ(text, a + "  B\n" + a + "  b d\n" + b + "  b/c\n");
  const auto lines = parse_manifest(text, "m");
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->size(), 3U);
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "SHA256SUMS is empty"},
      {a + "  x", "line 1 of SHA256SUMS does not end in a line break"},
      {a + " x\n", "line 1 of SHA256SUMS is not \"<sha256>  <name>\""},
      {std::string(64, 'A') + "  x\n", "line 1 of SHA256SUMS is not \"<sha256>  <name>\""},
      {a + "  ../x\n", "line 1 of SHA256SUMS names \"../x\", which is not a safe relative name"},
      {a + "  /x\n", "line 1 of SHA256SUMS names \"/x\", which is not a safe relative name"},
      {a + "  x//y\n", "line 1 of SHA256SUMS names \"x//y\", which is not a safe relative name"},
      {a + "  x\n" + a + "  x\n", "line 2 of SHA256SUMS is out of order: \"x\""},
      {a + "  y\n" + a + "  x\n", "line 2 of SHA256SUMS is out of order: \"x\""},
      {a + "  SHA256SUMS\n", "line 1 of SHA256SUMS names SHA256SUMS, which is never listed"},
      {a + "  attest/s\n", "line 1 of SHA256SUMS names attest/s, which is never listed"},
  };
  for (const auto& [wrong, message] : bad) {
    const auto parsed = parse_manifest(wrong, "m");
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_EQ(parsed.error().message, message);
  }
}

TEST(Journal, SaysInANameWhatWasPublished) {
  const std::string at = "20261120T150359221206Z", slug = "20261120T150358000001Z";
  const std::vector<std::pair<Noted, std::string>> lines = {
      {{at, NotedAs::entry, "f", "m", slug}, at + "/entry/f/m/" + slug},
      {{at, NotedAs::bundle, "adhoc", "vllm", slug}, at + "/bundle/adhoc/vllm/" + slug},
      {{at, NotedAs::acceptance, "f", "m", slug, 12}, at + "/acceptance/f/m/000012-" + slug},
      {{at, NotedAs::acceptance, "f", "m", slug, 1'234'567}, at + "/acceptance/f/m/1234567-" + slug},
  };
  for (const auto& [noted, name] : lines) {
    EXPECT_EQ(journal_name(noted), name);
    const auto read = parse_journal_name(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(std::tie(read->at, read->what, read->family, read->measurement, read->slug, read->seq),
              std::tie(noted.at, noted.what, noted.family, noted.measurement, noted.slug, noted.seq));
  }
  for (const std::string& wrong :
       {std::string(), at, at + "/entry/f/m/", at + "/entry/f/m/x", at + "/other/f/m/" + slug, at + "/entry/../m/" + slug,
        at + "/entry/f/a b/" + slug, at + "/entry/f/m/" + slug + "/x", "x/entry/f/m/" + slug, at + "/entry/f/m/000012-" + slug,
        at + "/acceptance/f/m/" + slug, at + "/acceptance/f/m/x-" + slug, at + "/acceptance/f/m/000012-x"}) {
    EXPECT_FALSE(parse_journal_name(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace plumbline::registry::test
