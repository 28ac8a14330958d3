// What is read from the registry is verified before it is believed.
#include <gtest/gtest.h>

#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

using core::ErrorCode;

struct Tampering {
  const char* name;
  std::function<void(const std::string&)> change;
  const char* problem;
  const char* path;
};

void put(const std::string& path, std::string_view text) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << text;
}

const std::vector<Tampering> kTamperings = {
    {"edited snapshot", [](const std::string& e) { put(e + "/source-snapshot.txt", "200\n"); }, "digest_mismatch",
     "source-snapshot.txt"},
    {"edited baseline.json", [](const std::string& e) { put(e + "/baseline.json", baseline_text("demo", "other")); },
     "digest_mismatch", "baseline.json"},
    {"broken baseline.json", [](const std::string& e) { put(e + "/baseline.json", "{"); }, "digest_mismatch", "baseline.json"},
    {"extra file", [](const std::string& e) { put(e + "/source-snapshot.json", "{}"); }, "extra_file", "source-snapshot.json"},
    {"extra file deeper",
     [](const std::string& e) {
       std::filesystem::create_directory(e + "/x");
       put(e + "/x/y", "");
     },
     "extra_file", "x/y"},
    {"missing file", [](const std::string& e) { std::filesystem::remove(e + "/source-snapshot.txt"); }, "missing_file",
     "source-snapshot.txt"},
    {"file made a link",
     [](const std::string& e) {
       std::filesystem::rename(e + "/source-snapshot.txt", e + "/../s");
       std::filesystem::create_symlink("../s", e + "/source-snapshot.txt");
     },
     "not_a_regular_file", "source-snapshot.txt"},
    {"edited manifest", [](const std::string& e) { put(e + "/SHA256SUMS", sha256_hex("x") + "  baseline.json\n"); },
     "digest_mismatch", "baseline.json"},
    {"garbled manifest", [](const std::string& e) { put(e + "/SHA256SUMS", "hello\n"); }, "bad_manifest", "SHA256SUMS"},
    {"empty manifest", [](const std::string& e) { put(e + "/SHA256SUMS", ""); }, "bad_manifest", "SHA256SUMS"},
    {"manifest made a folder",
     [](const std::string& e) {
       std::filesystem::remove(e + "/SHA256SUMS");
       std::filesystem::create_directory(e + "/SHA256SUMS");
     },
     "not_a_regular_file", "SHA256SUMS"},
    {"attest made a file", [](const std::string& e) { put(e + "/attest", "x"); }, "extra_file", "attest"},
    {"no manifest", [](const std::string& e) { std::filesystem::remove(e + "/SHA256SUMS"); }, "no_manifest", "SHA256SUMS"},
};

TEST(Tampering, IsAnErrorToOpenAndAProblemToVerify) {
  for (const auto& tampering : kTamperings) {
    const Scratch scratch;
    const auto store = posix_store(scratch.path());
    const auto entry = publish_entry(*store);
    tampering.change(entry.path);
    const auto opened = store->open(entry.path, {});
    ASSERT_FALSE(opened) << tampering.name;
    EXPECT_EQ(opened.error().code, ErrorCode::provenance_mismatch) << tampering.name << ": " << opened.error().message;
    const auto verified = verify(entry.path, {});
    ASSERT_TRUE(verified) << tampering.name << ": " << verified.error().message;
    EXPECT_FALSE(verified->ok) << tampering.name;
    EXPECT_EQ(verified->kind, "entry") << tampering.name;
    ASSERT_FALSE(verified->problems.empty()) << tampering.name;
    EXPECT_EQ(verified->problems[0].code.text(), std::string_view(tampering.problem)) << tampering.name;
    EXPECT_EQ(verified->problems[0].path, tampering.path) << tampering.name;
  }
}

TEST(Tampering, IsSaidWithBothDigests) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto entry = publish_entry(*store);
  put(entry.path + "/source-snapshot.txt", "200\n");
  EXPECT_EQ(store->open(entry.path, {}).error().message, entry.path +
                                                             " is not what was recorded: source-snapshot.txt has the sha256 " +
                                                             sha256_hex("200\n") + ", SHA256SUMS says " + sha256_hex("100\n"));
  put(entry.path + "/more", "");
  EXPECT_EQ(store->open(entry.path, {}).error().message,
            entry.path + " is not what was recorded: extra file: more is not listed in SHA256SUMS (and 1 more)");
}

TEST(Open, VerifiesWhereverItIsCopied) {
  const Scratch scratch;
  const auto entry = publish_entry(*posix_store(scratch.path()));
  std::filesystem::copy(entry.path, scratch / "copy", std::filesystem::copy_options::recursive);
  EXPECT_EQ(posix_store("/")->open(scratch / "copy", {})->entry_sha256, entry.sha256);
}

TEST(Open, SaysThatAFolderIsNoEntry) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto none = store->open(scratch.path(), {});
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
  EXPECT_EQ(none.error().message, "not a baseline directory (no baseline.json): " + scratch.path());
  EXPECT_EQ(store->open(scratch.write("file", ""), {}).error().message,
            "not a baseline directory (no baseline.json): " + (scratch / "file"));
  EXPECT_EQ(store->open(scratch / "fil", {}).error().hint, "did you mean " + (scratch / "file") + "?");
  EXPECT_EQ(verify(scratch.path(), {}).error().message,
            "neither an entry nor a bundle (no baseline.json, no diff.json): " + scratch.path());
}

TEST(Open, FindsEverySnapshot) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE(
      (*staging)->add("baseline.json", baseline_text("demo", "throughput", R"(,"trial_snapshots":["source-snapshot.2.txt"])")));
  ASSERT_TRUE((*staging)->add("source-snapshot.txt", "100\n"));
  ASSERT_TRUE((*staging)->add("source-snapshot.2.txt", "101\n"));
  const auto published = store->publish(std::move(*staging), moment());
  ASSERT_TRUE(published);
  const auto entry = store->open(published->path, {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->trial_snapshots, std::vector<std::string>{published->path + "/source-snapshot.2.txt"});
}

// Entries as the reference tool writes them: no SHA256SUMS, one digest.
std::string theirs(const std::string& sha256, const std::string& more = "") {
  return R"({"family":"demo","measurement":"throughput","value":100.0,"unit":null,"source_sha256":")" + sha256 + "\"" + more +
         "}";
}

TEST(ReferenceEntry, IsCheckedByItsSourceDigest) {
  const Scratch scratch;
  scratch.write("e/baseline.json", theirs(sha256_hex("100\n")));
  scratch.write("e/source-snapshot.txt", "100\n");
  const auto entry = posix_store(scratch.path())->open(scratch / "e", {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_TRUE(entry->warnings.empty());
  EXPECT_EQ(entry->entry_sha256, "");
  EXPECT_EQ(entry->record.direction, "two-sided");
  EXPECT_FALSE(entry->record.direction_present);
  EXPECT_EQ(entry->snapshot, scratch / "e/source-snapshot.txt");
  const auto verified = verify(scratch / "e", {});
  EXPECT_TRUE(verified->ok);
  EXPECT_EQ(verified->warnings[0].message, "there is no SHA256SUMS: only the snapshot's digest could be checked");
  scratch.write("e/source-snapshot.txt", "200\n");
  const auto changed = posix_store(scratch.path())->open(scratch / "e", {});
  EXPECT_EQ(changed.error().code, ErrorCode::provenance_mismatch);
  EXPECT_EQ(changed.error().message, scratch / "e/source-snapshot.txt" + " has the sha256 " + sha256_hex("200\n") +
                                         ", the recorded one is " + sha256_hex("100\n"));
  EXPECT_EQ(verify(scratch / "e", {})->problems[0].code.text(), "digest_mismatch");
}

TEST(ReferenceEntry, OfAFolderIsCheckedByTheFolderDigest) {
  const Scratch scratch;
  scratch.write("e/baseline.json", theirs("0e11826e1bf49d462533dc9d7ada03fd949f2170ac931f614dc414eba009ff1d"));
  scratch.write("e/source-snapshot/a", "1");
  scratch.write("e/source-snapshot/b", "2");
  const auto entry = posix_store(scratch.path())->open(scratch / "e", {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_TRUE(entry->warnings.empty());
}

TEST(ReferenceEntry, WithoutARealDigestIsReadWithAWarning) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  scratch.write("a/baseline.json", theirs("test"));
  scratch.write("a/source-snapshot.txt", "100\n");
  scratch.write("b/baseline.json", R"({"family":"demo","measurement":"throughput"})");
  scratch.write("b/source-snapshot.txt", "100\n");
  scratch.write("c/baseline.json", theirs(sha256_hex("100\n")));
  const std::vector<std::pair<std::string, std::string>> cases = {{"a", "the recorded source_sha256 is no digest: \"test\""},
                                                                  {"b", "no source_sha256 is recorded"},
                                                                  {"c", "there is no source-snapshot to check it against"}};
  for (const auto& [name, why] : cases) {
    const auto entry = store->open(scratch / name, {});
    ASSERT_TRUE(entry) << entry.error().message;
    ASSERT_EQ(entry->warnings.size(), 1U);
    EXPECT_EQ(entry->warnings[0].code.text(), "provenance_unverified");
    EXPECT_EQ(entry->warnings[0].message, "nothing shows that " + (scratch / name) + " is what was recorded: " + why);
    EXPECT_TRUE(verify(scratch / name, {})->ok);
  }
}

TEST(ReferenceEntry, WithTwoSnapshotsIsRefused) {
  const Scratch scratch;
  scratch.write("e/baseline.json", theirs("test"));
  scratch.write("e/source-snapshot.json", "{}");
  scratch.write("e/source-snapshot.txt", "100\n");
  EXPECT_EQ(
      posix_store(scratch.path())->open(scratch / "e", {}).error().message,
      scratch / "e" + " has two snapshots, source-snapshot.json and source-snapshot.txt, and nothing says which was recorded");
}

TEST(ReferenceEntry, OfTheRealToolOpens) {
  const char* given = std::getenv("PLUMBLINE_SAMPLES");
  const std::string samples = given != nullptr ? given : PLUMBLINE_SOURCE "/../shared/samples";
  if (!std::filesystem::exists(samples + "/reference-tool/entry")) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const auto entry = posix_store("/")->open(samples + "/reference-tool/entry", {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->record.value, 100);
  EXPECT_EQ(entry->record.unit, "tokens/s");
  EXPECT_EQ(entry->record.direction, "higher-is-better");
  const auto bundle = verify(samples + "/reference-tool/diff-bundle", {});
  ASSERT_TRUE(bundle);
  EXPECT_EQ(bundle->kind, "bundle");
}

TEST(Metadata, ErrorsSayWhatIsWrong) {
  const std::string head = R"({"family":"f","measurement":"m",)";
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "[";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not valid JSON at byte 1"},
      {"[]", "the document is an array, not an object"},
      {"null", "the document is null, not an object"},
      {"{\"family\":\"f\"}", "measurement is missing"},
      {R"({"family":1,"measurement":"m"})", "family must be a text, not a number"},
      {R"({"family":"../x","measurement":"m"})", "family must be one safe path segment: \"../x\""},
      {head + R"("direction":"up"})", "direction is invalid: \"up\""},
      {head + R"("direction":1})", "direction must be a text, not a number"},
      {head + R"("value":true})", "value must be a JSON number or null, not true"},
      {head + R"("value":"1"})", "value must be a JSON number or null, not a string"},
      {head + R"("value":[1]})", "value must be a JSON number or null, not an array"},
      {head + R"("value":NaN})", "not valid JSON at byte 41"},
      {head + R"("value":1e999})", "the number 1e999 is beyond the range of a double"},
      {head + R"("value":1,"value":2})", "the key \"value\" appears twice in one object"},
      {head + R"("notes":")" + "\xff" + "\"}", "not valid JSON at byte 42"},
      {head + R"("x":)" + deep, "nested more than 64 deep"},
      {head + R"("schema":"plumbline.baseline.v2"})",
       "schema is \"plumbline.baseline.v2\", this program reads \"plumbline.baseline.v1\""},
      {head + R"("tolerances":["5%"]})", "tolerances must be an object of texts, not an array"},
      {head + R"("tolerances":{"a":5}})", "tolerances: \"a\" must be a text, not a number"},
      {head + R"("headline":"a"})", "headline must be an array of texts, not a string"},
      {head + R"("directions":{"a":"up"}})", "the direction of \"a\" is invalid: \"up\""},
      {head + R"("tier":"GOLD"})", "tier must be \"DRAFT\" or \"VERDICT\""},
      {head + R"("shape":"round"})", "shape is invalid: \"round\""},
      {head + R"("snapshot":{"path":"../../secret"}})", "snapshot.path is not a name inside the entry: \"../../secret\""},
      {head + R"("trial_snapshots":["/etc/passwd"]})", "trial_snapshots holds no name inside the entry: \"/etc/passwd\""},
  };
  for (const auto& [text, message] : cases) {
    const auto record = parse_baseline(text, "baseline.json");
    ASSERT_FALSE(record) << text;
    EXPECT_EQ(record.error().message, "invalid baseline metadata: " + message);
    EXPECT_EQ(record.error().code, ErrorCode::invalid_input);
    EXPECT_EQ(record.error().where, "baseline.json");
  }
}

TEST(Metadata, KeepsEveryField) {
  const auto record =
      parse_baseline(R"({"schema":"plumbline.baseline.v1","family":"f","measurement":"m","value":9007199254740993,"unit":"B",
    "direction":"auto","shape":"scalar","format":{"name":"generic-json","version":"1","evidence":["a"],"confidence":0.5},"tier":"VERDICT",
    "trials":5,"rows":7,"headline":["x.*"],"tolerances":{"x.*":"2%"},"directions":{"y":"lower-is-better"},
    "context":{"hardware":{"gpu":"H100","count":8},"stack.driver":"550"},"git":{"commit":"abc","dirty":true},
    "sol_pct":17.2,"sol_ceiling_key":"k","sol_ceiling_value":1800,"sol_rigor":"L2",
    "sol":[{"key":"x.a","sol_pct":10,"sol_ceiling_key":"c","sol_ceiling_value":2,"sol_ceiling_unit":"TB/s","sol_duplex":"bi","sol_rigor":null}],
    "snapshot":{"path":null,"bytes":4,"sha256":"00"},"supersedes":null,"reason":"r","label":"l","tool":{"name":"plumbline","version":"0.1.0"},
    "unknown":{"is":"ignored"}})",
                     "w");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->value_text, "9007199254740993");
  EXPECT_EQ(record->tier, core::Tier::verdict);
  EXPECT_EQ(record->trials, 5U);
  EXPECT_EQ(record->rows, 7U);
  EXPECT_EQ(record->context, (core::Context{{"hardware.gpu", "H100"}, {"hardware.count", "8"}, {"stack.driver", "550"}}));
  EXPECT_EQ(record->tolerances[0], (std::pair<std::string, std::string>{"x.*", "2%"}));
  EXPECT_EQ(record->git_dirty, true);
  ASSERT_TRUE(record->scalar_sol);
  EXPECT_EQ(record->scalar_sol->ceiling_unit, "B");
  EXPECT_EQ(record->scalar_sol->rigor, "L2");
  ASSERT_EQ(record->sol.size(), 1U);
  EXPECT_EQ(record->sol[0].row_key, "x.a");
  EXPECT_EQ(record->sol[0].duplex, "bi");
  EXPECT_EQ(record->snapshot_path, "");
  EXPECT_EQ(parse_baseline(R"({"family":"f","measurement":"m","value":123456789012345678901234567890})", "w")->value_text,
            "123456789012345678901234567890");
}

}  // namespace
}  // namespace plumbline::registry::test
