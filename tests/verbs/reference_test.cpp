// Which entry or file a reference's text gives, and what is said when it gives none.
#include "verbs/resolving/reference.hpp"

#include "tests/verbs/registry_folder.hpp"

namespace plumbline::verbs {
namespace {

constexpr const char* kOld = "20261118T150359221206Z";
constexpr const char* kNew = "20261119T150359221206Z";
const std::string kH200 = R"(,"context": {"hardware.gpu": "H200", "hardware.driver": "1"})";
const std::string kB200 = R"(,"context": {"hardware.gpu": "B200"})";

class References : public RegistryFolder {
 protected:
  Expected<Reference> resolve(std::string_view text, const core::Context* current = nullptr) const {
    return resolve_reference(text, *store_, current, root_, {});
  }
  // "SLUG", "SLUG accepted", "file NAME" or the error; codes of the warnings behind it.
  std::string meaning(std::string_view text, const core::Context* current = nullptr) const {
    const auto reference = resolve(text, current);
    if (!reference) return "error: " + reference.error().message + " / " + reference.error().hint;
    std::string found = reference->kind == Reference::Kind::entry
                            ? reference->entry.slug + (reference->accepted ? " accepted" : "")
                            : "file " + reference->path.substr(root_.size() + 1);
    for (const auto& warning : reference->warnings) found += " " + std::string(warning.code.text());
    return found;
  }
  std::string old_slug = kOld, new_slug = kNew;
};

TEST_F(References, TextsHaveTheForm) {
  EXPECT_EQ(parse_named_reference("a/b")->measurement, "b");
  EXPECT_EQ(parse_named_reference("a/b@newest")->selector, "newest");
  for (const char* path : {"a", "/a/b", "./a", "../a", "a/b/c", "a/", "/b", "a/b@", "a b/c", "-a/b"}) {
    EXPECT_EQ(parse_named_reference(path), std::nullopt) << path;
  }
}

TEST_F(References, ANameGivesTheAcceptedEntry) {
  entry("nccl", "busbw", kOld, "310");
  entry("nccl", "busbw", kNew, "320");
  EXPECT_EQ(meaning("nccl/busbw"), new_slug + " baseline_not_accepted");
  accept("nccl", "busbw", kOld);
  EXPECT_EQ(meaning("nccl/busbw"), old_slug + " accepted");
  EXPECT_EQ(meaning("nccl/busbw@accepted"), old_slug + " accepted");
  EXPECT_EQ(meaning("nccl/busbw@newest"), new_slug);
  EXPECT_EQ(meaning("nccl/busbw@" + new_slug), new_slug);
}

TEST_F(References, TheContextDecidesWhichEntryFits) {
  entry("nccl", "busbw", kOld, "310", kB200);
  entry("nccl", "busbw", kNew, "320", kH200);
  accept("nccl", "busbw", kNew);
  const core::Context h200{{"hardware.gpu", "H200"}};
  const core::Context b200{{"hardware.gpu", "B200"}};
  const core::Context h100{{"hardware.gpu", "H100"}};
  const core::Context other_driver{{"hardware.driver", "2"}};
  EXPECT_EQ(meaning("nccl/busbw", &h200), new_slug + " accepted");
  EXPECT_EQ(meaning("nccl/busbw", &other_driver), new_slug + " accepted") << "a driver weakens, it does not forbid";
  EXPECT_EQ(meaning("nccl/busbw", &b200), old_slug + " baseline_not_accepted");
  const auto none = resolve("nccl/busbw", &h100);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::no_matching_baseline);
  EXPECT_EQ(none.error().message, "no baseline of nccl/busbw fits this context");
  EXPECT_EQ(none.error().hint, "the nearest is " + new_slug +
                                   R"(, which differs in hardware.gpu ("H200" there, "H100" here); nccl/busbw@)" + new_slug +
                                   " compares with it all the same, `plumbline record --family nccl --measurement busbw "
                                   "--source PATH` makes a baseline of this context");
}

std::string on(const std::string& host_class, const std::string& fingerprint = "") {
  return R"(,"context": {"environment.host_class": ")" + host_class + R"(")" +
         (fingerprint.empty() ? "" : R"(, "environment.host_fingerprint": ")" + fingerprint + R"(")") + "}";
}

TEST_F(References, OfSeveralHostsEntriesThoseOfThisClassArePreferred) {
  const std::string first = "20261116T150359221206Z", second = "20261117T150359221206Z";
  entry("nccl", "busbw", first, "300", on("epyc", "f1"));
  entry("nccl", "busbw", second, "305", on("epyc", "f2"));
  entry("nccl", "busbw", kOld, "310", on("xeon"));
  entry("nccl", "busbw", kNew, "320");
  const core::Context epyc{{"environment.host_class", "epyc"}};
  const core::Context epyc_1{{"environment.host_class", "epyc"}, {"environment.host_fingerprint", "f1"}};
  const core::Context graviton{{"environment.host_class", "graviton"}};
  const core::Context nobody{{"hardware.cpu", "any"}};
  EXPECT_EQ(meaning("nccl/busbw", &nobody), new_slug + " baseline_not_accepted") << "who says no class prefers none";
  EXPECT_EQ(meaning("nccl/busbw", &epyc), second + " baseline_not_accepted");
  EXPECT_EQ(meaning("nccl/busbw", &epyc_1), first + " baseline_not_accepted") << "then the same machine";
  EXPECT_EQ(meaning("nccl/busbw", &graviton), new_slug + " baseline_not_accepted") << "one of an unknown host before another's";
  EXPECT_EQ(resolve("nccl/busbw", &epyc)->warnings.back().message,
            "nccl/busbw has no accepted entry: compared with the newest of this host class, " + second);
  EXPECT_EQ(meaning("nccl/busbw@newest", &epyc), new_slug) << "of which nobody says that it is another's";
  EXPECT_EQ(meaning("nccl/busbw@" + old_slug, &epyc), old_slug) << "an entry that is named is meant";
  const std::vector<std::string> varying = {"environment.host_class"};
  EXPECT_EQ(resolve_reference("nccl/busbw", *store_, &epyc, root_, {}, varying)->entry.slug, kNew) << "changed on purpose";
}

TEST_F(References, AnotherHostClassIsSaidWhereNothingElseFits) {
  entry("nccl", "busbw", kOld, "310", on("epyc"));
  entry("nccl", "busbw", kNew, "320", on("xeon"));
  const core::Context graviton{{"environment.host_class", "graviton"}};
  const core::Context epyc{{"environment.host_class", "epyc"}};
  EXPECT_EQ(meaning("nccl/busbw", &graviton), new_slug + " baseline_not_accepted other_host_class");
  EXPECT_EQ(resolve("nccl/busbw", &graviton)->warnings.back().message,
            new_slug + R"( was measured on a machine of another host class: "xeon" there, "graviton" here)");
  EXPECT_EQ(meaning("nccl/busbw@newest", &graviton), new_slug + " other_host_class");
  EXPECT_EQ(meaning("nccl/busbw@newest", &epyc), old_slug + " newer_on_other_host");
  EXPECT_EQ(resolve("nccl/busbw@newest", &epyc)->warnings.back().message,
            new_slug + " is newer than " + old_slug + R"(, and of another host class: "xeon" there, "epyc" here)");
  accept("nccl", "busbw", kNew);
  EXPECT_EQ(meaning("nccl/busbw", &graviton), new_slug + " accepted other_host_class");
  EXPECT_EQ(meaning("nccl/busbw", &epyc), old_slug + " baseline_not_accepted");
  EXPECT_EQ(
      resolve("nccl/busbw", &epyc)->warnings.back().message,
      "the accepted entry " + new_slug + " is of another host class: compared with the newest of this host class, " + old_slug);
  EXPECT_EQ(meaning("nccl/busbw@accepted", &epyc), new_slug + " accepted");
}

TEST_F(References, WhatIsAcceptedIsLeftForNoEntryOfAnUnknownHost) {
  entry("nccl", "busbw", kOld, "310", on("xeon"));
  entry("nccl", "busbw", kNew, "320");
  const core::Context epyc{{"environment.host_class", "epyc"}};
  accept("nccl", "busbw", kOld);
  EXPECT_EQ(meaning("nccl/busbw", &epyc), old_slug + " accepted other_host_class");
}

// Baselines that a test matrix keeps a file a host of name the class host_label.
TEST_F(References, ALabelOfAHostIsItsClass) {
  entry("matrix", "decode", kOld, "95", R"(,"context": {"environment.host_label": "macos-mlx"})");
  entry("matrix", "decode", kNew, "99", R"(,"context": {"environment.host_label": "linux-cuda"})");
  const core::Context mlx{{"environment.host_label", "macos-mlx"}};
  EXPECT_EQ(meaning("matrix/decode", &mlx), old_slug + " baseline_not_accepted");
}

TEST_F(References, WhatIsNotThereIsNamedWithWhatIsNear) {
  EXPECT_EQ(
      meaning("nccl/busbw"),
      R"(error: no baseline named "nccl/busbw" / the registry holds no baseline yet: `plumbline record --family F --measurement M --source PATH` makes one)");
  entry("nccl", "busbw", kOld, "310");
  EXPECT_EQ(meaning("nccl/buswb"), R"(error: no baseline named "nccl/buswb" / did you mean "nccl/busbw"?)");
  EXPECT_EQ(meaning("inference/decode"), R"(error: no baseline named "inference/decode" / the registry holds nccl/busbw)");
  EXPECT_EQ(meaning("nccl/busbw@" + new_slug),
            "error: nccl/busbw has no entry \"" + new_slug + "\" / did you mean \"" + old_slug + "\"?");
  EXPECT_EQ(
      meaning("nccl/busbw@accepted"),
      "error: nccl/busbw has no accepted baseline / `plumbline accept nccl/busbw@SLUG --reason TEXT` accepts one, or ask for "
      "nccl/busbw@newest");
  EXPECT_EQ(meaning(""), "error: a reference must not be empty / write family/measurement, an entry directory or a file");
}

TEST_F(References, PathsAreEntriesFilesOrFolders) {
  const std::string directory = entry("nccl", "busbw", kOld, "310");
  write("before.json", "{}");
  write("suite/a.json", "{}");
  EXPECT_EQ(meaning(directory), old_slug);
  EXPECT_EQ(meaning(directory + "/baseline.json"), old_slug);
  EXPECT_EQ(meaning("before.json"), "file before.json");
  EXPECT_EQ(meaning("suite"), "file suite");
  EXPECT_EQ(meaning("suite/a.json"), "file suite/a.json");
  const auto absent = resolve("befor.json");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
  EXPECT_NE((absent.error().message + absent.error().hint).find("before.json"), std::string::npos) << absent.error().hint;
}

TEST_F(References, ANameThatIsAnEntrysAndAPathsAtOnceIsAsked) {
  entry("nccl", "busbw", kOld, "310");
  write("nccl/busbw", "5");
  const auto both = resolve("nccl/busbw");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message, R"("nccl/busbw" names a registered measurement and a file here)");
  EXPECT_EQ(both.error().hint, R"(write ./nccl/busbw for the file, nccl/busbw@newest (or @accepted, @SLUG) for the registry)");
  EXPECT_EQ(meaning("nccl/busbw@newest"), old_slug);
  EXPECT_EQ(meaning("./nccl/busbw"), "file nccl/busbw");
}

TEST_F(References, AChangedSnapshotIsAnErrorAndNeverPassedOver) {
  const std::string directory = entry("nccl", "busbw", kNew, "320");
  entry("nccl", "busbw", kOld, "310");
  write("experiments/artifacts/perf-baselines/nccl/busbw/" + new_slug + "/source-snapshot.txt", "999");
  const auto changed = resolve("nccl/busbw");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::provenance_mismatch);
}

TEST_F(References, AHalfWrittenEntryIsPassedOverWithAWarning) {
  entry("nccl", "busbw", kOld, "310");
  write("experiments/artifacts/perf-baselines/nccl/busbw/" + new_slug + "/baseline.json", "{");
  const core::Context any;
  EXPECT_EQ(meaning("nccl/busbw", &any), old_slug + " entry_unreadable baseline_not_accepted");
}

TEST_F(References, PathsOutsideTheAllowedRootsAreRefused) {
  write("inside/a.json", "{}");
  write("outside/a.json", "{}");
  registry::PathLimits limits;
  limits.allowed_roots = {root_ + "/inside"};
  EXPECT_TRUE(resolve_reference("./inside/a.json", *store_, nullptr, root_, limits));
  for (const char* path : {"./outside/a.json", "/etc/passwd", "./outside/absent.json"}) {
    const auto refused = resolve_reference(path, *store_, nullptr, root_, limits);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, ErrorCode::path_not_allowed) << path;
  }
}

}  // namespace
}  // namespace plumbline::verbs
