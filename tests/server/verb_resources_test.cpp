// What `serve` offers to read: the list and its pages, parts of files, what is refused, and what is noticed when the registry is
// not what was published.
#include <cstdlib>
#include <set>

#include "configs/configs.hpp"
#include "core/text.hpp"
#include "schemas/schemas.hpp"
#include "server/mcp/publications.hpp"
#include "server/mcp/uri.hpp"
#include "server/mcp/verbs/resources.hpp"
#include "tests/server/served_registry.hpp"

namespace plumbline::server::mcp {
namespace {

using registry::test::Scratch;

std::string slug_at(std::int64_t microseconds) { return registry::slug_of(moment(microseconds)); }

// ---- the list

TEST_F(ServedRegistry, ListsWhatIsAlwaysThereFirst) {
  const json items = list();
  ASSERT_EQ(items.size(), fixed_);
  EXPECT_EQ(items[0]["uri"], "plumbline://ceilings");
  EXPECT_EQ(items[0]["mimeType"], "application/yaml");
  EXPECT_EQ(items[1]["uri"], "plumbline://schemas/" + std::string(schemas::names().front()));
  EXPECT_EQ(items[1]["mimeType"], "application/schema+json");
  EXPECT_EQ(items[1]["size"], schemas::text(schemas::names().front()).size());
  EXPECT_EQ(items.back()["uri"], "plumbline://schemas/" + std::string(schemas::names().back()));
  EXPECT_EQ(next_, "");
}

TEST_F(ServedRegistry, ListsEntriesAndBundlesNewestFirst) {
  const auto older = entry("demo", "throughput", 0, R"(,"label":"night run")");
  entry("demo", "latency", 100);
  red_bundle(50);
  accept("demo", "throughput", older.slug, older.sha256);
  const json items = registry_list();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0]["uri"], "plumbline://baselines/demo/latency/" + slug_at(100));
  EXPECT_EQ(items[1]["uri"], "plumbline://diffs/demo/throughput/" + slug_at(50));
  EXPECT_EQ(items[2], json::parse(R"({
      "uri": "plumbline://baselines/demo/throughput/20261119T150359221206Z",
      "name": "demo/throughput/20261119T150359221206Z",
      "title": "demo/throughput baseline of 2026-11-19T15:03:59Z, accepted",
      "description": "100 tokens/s, 1 trial, DRAFT; night run; first | note",
      "mimeType": "application/json",
      "size": 289,
      "annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-11-19T15:03:59Z"}})"));
  EXPECT_EQ(items[1]["title"], "demo/throughput diff of 2026-11-19T15:03:59Z: RED");
  EXPECT_EQ(items[1]["description"], "RED, VERDICT; busbw fell by 14 %");
}

TEST_F(ServedRegistry, ListsAHundredAPageAndNothingTwiceWhateverIsRecordedMeanwhile) {
  std::vector<std::string> expected;
  for (int i = 0; i < 130; ++i) {
    // Pairs of one moment, in two measurements: the order between them must hold over a page's end.
    const std::string measurement = i % 2 == 0 ? "a" : "b";
    expected.push_back(to_text(uri_of({registry::Kind::entry, "demo", measurement, older_entry("demo", measurement, i / 2)})));
  }
  std::sort(expected.begin(), expected.end(), [](const std::string& x, const std::string& y) {
    const std::string a = x.substr(x.rfind('/')), b = y.substr(y.rfind('/'));
    return a != b ? a > b : x < y;
  });
  std::vector<std::string> seen;
  json page = list();
  EXPECT_EQ(page.size(), 100U);
  for (std::size_t i = fixed_; i < page.size(); ++i) seen.push_back(page[i]["uri"]);
  entry("demo", "a", 1'000'000);
  entry("demo", "c", 1'000'001);
  ASSERT_NE(next_, "");
  page = list(next_);
  EXPECT_EQ(next_, "");
  for (const json& item : page) seen.push_back(item["uri"]);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(registry_list().at(0)["uri"], to_text(uri_of({registry::Kind::entry, "demo", "c", slug_at(1'000'001)})));
}

TEST_F(ServedRegistry, EndsThePageWhereTheListEnds) {
  for (std::size_t i = fixed_; i < 100; ++i) older_entry("demo", "a", static_cast<int>(i));
  EXPECT_EQ(list().size(), 100U);
  EXPECT_EQ(next_, "");
}

TEST_F(ServedRegistry, RefusesACursorThatItDidNotGive) {
  for (const char* cursor : {"2", "!!!", "ZW50cnkgZiBt", "ZW50cnkgLi4gbSAyMDI2MTExOVQxNTAzNTkyMjEyMDZa"}) {
    const auto page = catalogue_.resources().list(cursor, call_);
    ASSERT_FALSE(page) << cursor;
    EXPECT_EQ(page.error().code, -32602);
    EXPECT_EQ(page.error().message, "the cursor is none of this server's: take nextCursor as it was given, or leave it out");
  }
}

TEST_F(ServedRegistry, SaysInTheListWhatIsNotWhatWasPublished) {
  const auto published = entry("demo", "throughput");
  overwrite(published.path + "/baseline.json", "{}");
  const json items = registry_list();
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0]["description"].get<std::string>().substr(0, published.path.size() + 40),
            published.path + "/baseline.json is not what was published");
  EXPECT_FALSE(items[0].contains("size"));
}

TEST_F(ServedRegistry, ListsOneSlugOfAMomentInEveryOrderOnce) {
  entry("b", "x", 7);
  entry("a", "y", 7);
  bundle("a", "x", 7, {{"diff.json", R"({"verdict":"GREEN"})"}});
  std::vector<std::string> names;
  for (const json& item : registry_list()) names.push_back(item["uri"].get<std::string>().substr(12, 13));
  EXPECT_EQ(names, (std::vector<std::string>{"baselines/a/y", "baselines/b/x", "diffs/a/x/202"}));
}

TEST_F(ServedRegistry, StopsListingWhenCancelled) {
  entry("demo", "throughput");
  const std::atomic<bool> cancelled = true;
  call_.cancelled = &cancelled;
  const auto page = catalogue_.resources().list("", call_);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().message, "stopped while listing");
}

TEST_F(ServedRegistry, HasTemplatesWithRanges) {
  const json templates = json::parse("[" + catalogue_.resources().templates() + "]");
  ASSERT_EQ(templates.size(), 3U);
  EXPECT_EQ(templates[0]["uriTemplate"], "plumbline://baselines/{family}/{measurement}/{slug}{?offset,length}");
  EXPECT_EQ(templates[1]["uriTemplate"], "plumbline://diffs/{family}/{measurement}/{slug}/{file}{?offset,length}");
  EXPECT_EQ(templates[2]["uriTemplate"], "plumbline://schemas/{name}{?offset,length}");
  for (const json& one : templates) EXPECT_TRUE(one["annotations"]["priority"].is_number()) << one;
}

// ---- reading

TEST_F(ServedRegistry, ReadsAnEntryAsItIsStored) {
  const auto published = entry("demo", "throughput");
  const std::string uri = "plumbline://baselines/demo/throughput/" + published.slug;
  const std::string stored = registry::test::read(published.path + "/baseline.json");
  EXPECT_EQ(read(uri),
            (json{{"uri", uri},
                  {"mimeType", "application/json"},
                  {"text", stored},
                  {"_meta",
                   {{"plumbline/sha256", registry::sha256_hex(stored)},
                    {"plumbline/bundle_sha256", published.sha256},
                    {"plumbline/range", {{"total_bytes", stored.size()}, {"offset", 0}, {"bytes", stored.size()}}}}}}));
  EXPECT_EQ(read(uri + "/source-snapshot.txt")["text"], "100\n");
}

TEST_F(ServedRegistry, FindsTheNewestAndTheAcceptedEntry) {
  const auto first = entry("demo", "throughput", 0);
  const auto second = entry("demo", "throughput", 1);
  accept("demo", "throughput", first.slug, first.sha256);
  EXPECT_EQ(read("plumbline://baselines/demo/throughput/newest")["_meta"]["plumbline/resolved"],
            "plumbline://baselines/demo/throughput/" + second.slug);
  EXPECT_EQ(read("plumbline://baselines/demo/throughput/accepted/SHA256SUMS")["_meta"]["plumbline/resolved"],
            "plumbline://baselines/demo/throughput/" + first.slug + "/SHA256SUMS");
}

TEST_F(ServedRegistry, ListsTheFilesOfABundle) {
  const auto published = red_bundle();
  const json contents = read("plumbline://diffs/demo/throughput/newest");
  EXPECT_EQ(contents["mimeType"], "application/json");
  const json folder = json::parse(contents["text"].get<std::string>());
  EXPECT_EQ(folder["kind"], "bundle");
  EXPECT_EQ(folder["bundle_sha256"], published.sha256);
  std::vector<std::string> uris;
  for (const json& file : folder["files"]) {
    uris.push_back(file["uri"]);
    const json one = read(uris.back());
    EXPECT_EQ(one["_meta"]["plumbline/range"]["total_bytes"], file["size"]);
    EXPECT_EQ(one["_meta"]["plumbline/sha256"], file["sha256"]);
    EXPECT_EQ(one["mimeType"], file["mimeType"]);
  }
  const std::string base = "plumbline://diffs/demo/throughput/" + published.slug;
  EXPECT_EQ(uris, (std::vector<std::string>{base + "/current-snapshot/rank%200.json", base + "/deltas.jsonl", base + "/diff.json",
                                            base + "/diff.md", base + "/SHA256SUMS"}));
}

TEST_F(ServedRegistry, CountsTheFilesThatItLeavesOut) {
  std::vector<std::pair<std::string, std::string>> files = {{"diff.json", "{}"}};
  for (int i = 0; i < 600; ++i) files.emplace_back("current-snapshot/" + std::to_string(i), "x");
  bundle("demo", "wide", 0, files);
  const json contents = read("plumbline://diffs/demo/wide/newest?length=1048576");
  const json folder = json::parse(contents["text"].get<std::string>());
  EXPECT_EQ(folder["files"].size(), 501U);
  EXPECT_EQ(folder["files_left_out"], 101);
}

TEST_F(ServedRegistry, GivesALargeFileInPartsThatMakeItWhole) {
  std::string rows;
  for (int i = 0; i < 3000; ++i) rows += R"({"key":"größe.)" + std::to_string(i) + "\",\"state\":\"unchanged\"}\n";
  bundle("demo", "large", 0, {{"diff.json", "{}"}, {"deltas.jsonl", rows}});
  std::string uri = "plumbline://diffs/demo/large/newest/deltas.jsonl", whole;
  int reads = 0;
  for (;;) {
    ++reads;
    const json contents = read(uri);
    const std::string part = contents["text"];
    const json& range = contents["_meta"]["plumbline/range"];
    EXPECT_EQ(range["offset"], whole.size());
    EXPECT_LE(part.size(), 65536U);
    EXPECT_EQ(part.back(), '\n');
    whole += part;
    if (!range.contains("next")) break;
    EXPECT_EQ(range["next_offset"], whole.size());
    uri = range["next"];
  }
  EXPECT_EQ(whole, rows);
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(read("plumbline://diffs/demo/large/newest/deltas.jsonl?offset=8&length=4")["text"], "gr\xC3\xB6");
  EXPECT_EQ(read("plumbline://diffs/demo/large/newest/deltas.jsonl?length=100")["_meta"]["plumbline/range"]["next"],
            "plumbline://diffs/demo/large/newest/deltas.jsonl?offset=80&length=100");
  EXPECT_EQ(refused("plumbline://diffs/demo/large/newest/deltas.jsonl?offset=999999").message,
            "offset 999999 lies beyond the end: there are " + std::to_string(rows.size()) + " bytes");
}

TEST_F(ServedRegistry, GivesBinaryFilesAsBase64) {
  const std::string bytes("SQLite format 3\0\xFF", 17);
  bundle("demo", "binary", 0, {{"diff.json", "{}"}, {"current-snapshot.sqlite", bytes}, {"unnamed", bytes}, {"words", "plain"}});
  const json capture = read("plumbline://diffs/demo/binary/newest/current-snapshot.sqlite");
  EXPECT_EQ(capture["mimeType"], "application/vnd.sqlite3");
  EXPECT_EQ(capture["blob"], "U1FMaXRlIGZvcm1hdCAzAP8=");
  EXPECT_FALSE(capture.contains("text"));
  EXPECT_EQ(read("plumbline://diffs/demo/binary/newest/unnamed?offset=15")["blob"], "AP8=");
  EXPECT_EQ(read("plumbline://diffs/demo/binary/newest/unnamed")["mimeType"], "application/octet-stream");
  EXPECT_EQ(read("plumbline://diffs/demo/binary/newest/words")["mimeType"], "text/plain");
}

TEST(PartOf, GivesPartsThatMakeTheWholeWhateverTheirLength) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\n\xF0\x9F\x98\x80z\n\nend";
  for (const bool lines : {false, true}) {
    for (std::uint64_t length = 1; length < text.size() + 2; ++length) {
      std::string whole;
      while (whole.size() < text.size()) {
        const Part part = part_of(text, whole.size(), length, true, lines);
        ASSERT_TRUE(part.text);
        ASSERT_EQ(part.offset, whole.size());
        ASSERT_FALSE(part.bytes.empty());
        ASSERT_LE(part.bytes.size(), std::max<std::uint64_t>(length, 4));
        whole += part.bytes;
      }
      EXPECT_EQ(whole, text);
    }
  }
}

TEST(PartOf, BeginsAtTheNextCharacterAndNeverCallsBrokenTextText) {
  EXPECT_EQ(part_of("\xE2\x82\xACx", 1, 10, true, false).offset, 3U);
  EXPECT_EQ(part_of("\xE2\x82\xACx", 1, 10, true, false).bytes, "x");
  const Part broken = part_of("ab\xFF\xFE", 1, 10, true, false);
  EXPECT_FALSE(broken.text);
  EXPECT_EQ(broken.bytes, "b\xFF\xFE");
  const Part none = part_of("", 0, 10, true, true);
  EXPECT_TRUE(none.text);
  EXPECT_EQ(none.bytes, "");
}

// ---- what is not what was published

TEST_F(ServedRegistry, RefusesWhatWasChanged) {
  const auto published = red_bundle();
  const std::string path = published.path + "/diff.md";
  overwrite(path, "# GREEN\n");
  const auto error = refused("plumbline://diffs/demo/throughput/newest/diff.md");
  EXPECT_EQ(error.code, -32603);
  EXPECT_EQ(error.message, path + " is not what was published: it has the sha256 " + registry::sha256_hex("# GREEN\n") +
                               ", SHA256SUMS says " + registry::sha256_hex("# RED\n") +
                               ": bundle_verify lists everything; restore it from a copy");
  EXPECT_EQ(error.data, R"({"code":"provenance_mismatch"})");
  EXPECT_EQ(read("plumbline://diffs/demo/throughput/newest/deltas.jsonl")["text"].get<std::string>().size(), 24U);
}

TEST_F(ServedRegistry, RefusesWhatWasAdded) {
  const auto published = red_bundle();
  std::ofstream(published.path + "/extra.md") << "believe me\n";
  EXPECT_EQ(refused("plumbline://diffs/demo/throughput/newest/extra.md").message,
            "extra file: extra.md is not listed in SHA256SUMS: it is not part of what was published");
}

TEST_F(ServedRegistry, RefusesOurEntryWithoutItsDigests) {
  const auto published = entry("demo", "throughput");
  std::filesystem::remove(published.path + "/SHA256SUMS");
  EXPECT_EQ(refused("plumbline://baselines/demo/throughput/newest").message,
            published.path +
                " is not what was published: there is no SHA256SUMS: nothing shows that this is what was published: "
                "bundle_verify lists everything");
}

TEST_F(ServedRegistry, RefusesAnEntryThatIsNotTheOneAccepted) {
  const auto published = entry("demo", "throughput");
  const std::string other(64, '0');
  accept("demo", "throughput", published.slug, other);
  EXPECT_EQ(refused("plumbline://baselines/demo/throughput/accepted").message,
            published.slug + " is not the entry that was accepted: its sha256 is \"" + published.sha256 +
                "\", the acceptance says \"" + other + "\"");
}

TEST_F(ServedRegistry, FollowsNoLink) {
  const auto published = red_bundle();
  const std::string secret = scratch_.write("secret.txt", "secret\n");
  const auto expect_link = [&](const std::string& file, const std::string& path) {
    EXPECT_EQ(
        refused("plumbline://diffs/demo/throughput/newest/" + file).message,
        path + " is reached through a symbolic link: nothing that is published holds one; bundle_verify lists what is wrong");
  };
  std::filesystem::remove(published.path + "/diff.md");
  std::filesystem::create_symlink(secret, published.path + "/diff.md");
  expect_link("diff.md", published.path + "/diff.md");
  std::filesystem::rename(published.path + "/current-snapshot", scratch_ / "moved");
  std::filesystem::create_directory_symlink(scratch_ / "moved", published.path + "/current-snapshot");
  expect_link("current-snapshot/rank%200.json", published.path + "/current-snapshot/rank 0.json");
}

TEST_F(ServedRegistry, LeavesTheRegistryThroughNoLink) {
  const Scratch elsewhere;
  const auto other = registry::posix_store(elsewhere.path());
  registry::test::publish_entry(*other, "demo", "throughput");
  std::filesystem::create_directories(scratch_ / "experiments/artifacts/perf-baselines");
  std::filesystem::create_directory_symlink(elsewhere / "experiments/artifacts/perf-baselines/demo",
                                            scratch_ / "experiments/artifacts/perf-baselines/demo");
  const auto error = refused("plumbline://baselines/demo/throughput/newest");
  EXPECT_EQ(error.code, -32602);
  EXPECT_EQ(error.message.substr(0, 41), "artifact path escapes its registry root: ");
  EXPECT_EQ(catalogue_.resources().version("plumbline://baselines/demo/throughput/newest"), std::nullopt);
  EXPECT_EQ(registry_list(), json::array());
}

TEST_F(ServedRegistry, ReadsEntriesOfTheOlderToolWithAWarning) {
  const std::string folder = "experiments/artifacts/perf-baselines/old/bw/" + slug_at(0);
  const auto baseline = [](const std::string& sha256) {
    return R"({"family":"old","measurement":"bw","value":310,"unit":"GB/s","source_path":"/a","source_sha256":")" + sha256 +
           R"(","registered_at_utc":"2026-11-20T15:03:59Z","notes":""})";
  };
  scratch_.write(folder + "/source-snapshot.txt", "310\n");
  scratch_.write(folder + "/baseline.json", baseline("none"));
  EXPECT_EQ(registry_list().at(0)["description"], "310 GB/s, 1 trial, DRAFT; provenance_unverified");
  EXPECT_EQ(read("plumbline://baselines/old/bw/newest")["_meta"]["plumbline/warnings"],
            json::parse(R"([{"code":"provenance_unverified","message":
              "there is no SHA256SUMS, and the recorded source_sha256 is no digest: \"none\""}])"));
  scratch_.write(folder + "/baseline.json", baseline(std::string(64, 'a')));
  EXPECT_NE(refused("plumbline://baselines/old/bw/newest").message.find("is not what was published"), std::string::npos);
}

// ---- what is not there

TEST_F(ServedRegistry, NamesTheNearestOfWhatIsThere) {
  const auto first = entry("nccl", "all_reduce", 0);
  const auto second = entry("nccl", "all_reduce", 10);
  red_bundle();
  struct Case {
    std::string uri, message;
  };
  for (const Case& one : std::vector<Case>{
           {"plumbline://baselines/ncl/all_reduce/newest", R"(there is no family "ncl" of baselines: did you mean nccl?)"},
           {"plumbline://baselines/mlperf/x/newest", R"(there is no family "mlperf" of baselines: there is nccl)"},
           {"plumbline://diffs/nccl/x/newest", R"(there is no family "nccl" of diffs: there is demo)"},
           {"plumbline://baselines/nccl/all_redue/newest",
            R"(the family nccl has no measurement "all_redue": did you mean all_reduce?)"},
           {"plumbline://baselines/nccl/all_reduce/accepted",
            "nccl/all_reduce has no accepted entry: the newest is " + second.slug},
           {"plumbline://baselines/nccl/all_reduce/" + slug_at(5),
            "nccl/all_reduce has no entry " + slug_at(5) + ": the nearest is " + first.slug},
           {"plumbline://baselines/nccl/all_reduce/" + slug_at(50),
            "nccl/all_reduce has no entry " + slug_at(50) + ": the newest is " + second.slug},
           {"plumbline://diffs/demo/throughput/" + slug_at(50) + "/dif.md",
            "plumbline://diffs/demo/throughput/" + slug_at(50) +
                " has no file \"dif.md\": did you mean plumbline://diffs/demo/throughput/" + slug_at(50) + "/diff.md?"},
           {"plumbline://diffs/demo/throughput/newest/current-snapshot",
            "current-snapshot is a folder: one of its files is plumbline://diffs/demo/throughput/" + slug_at(50) +
                "/current-snapshot/rank%200.json"},
           {"plumbline://diffs/demo/throughput/newest/flamegraph.svg",
            "plumbline://diffs/demo/throughput/" + slug_at(50) +
                " has no file \"flamegraph.svg\": plumbline://diffs/demo/throughput/" + slug_at(50) +
                "/SHA256SUMS lists those there are"},
           {"plumbline://schemas/plumbline.dif.v1",
            R"(there is no schema "plumbline.dif.v1": did you mean plumbline://schemas/plumbline.diff.v1?)"},
       }) {
    const auto error = refused(one.uri);
    EXPECT_EQ(error.message, one.message);
    EXPECT_EQ(error.code, -32602);
    EXPECT_EQ(json::parse(error.data), (json{{"uri", one.uri}}));
  }
}

TEST_F(ServedRegistry, TellsAUriThatIsNoneFromAResourceThatIsNotThere) {
  const auto error = refused("plumbline://ceilings?ofset=1");
  EXPECT_EQ(error.code, -32602);
  EXPECT_EQ(error.message, R"(a resource has no parameter "ofset": did you mean offset?)");
  EXPECT_EQ(error.data, R"({"code":"usage"})");
}

TEST_F(ServedRegistry, OffersCeilingsAndSchemasWithoutARoot) {
  entry("demo", "throughput");
  const Scratch nowhere;
  options_.repo_root = std::nullopt;
  options_.cwd = nowhere.path();
  ::unsetenv("PLUMBLINE_ROOT");
  ::unsetenv("PROFILE_AND_OPTIMIZE_REPO_ROOT");
  serve();
  EXPECT_EQ(list().size(), fixed_);
  EXPECT_EQ(read("plumbline://ceilings?length=1048576")["text"], configs::embedded("sol-ceilings.yaml"));
  const json schema = read("plumbline://schemas/plumbline.diff.v1");
  EXPECT_EQ(schema["text"], schemas::text("plumbline.diff.v1"));
  EXPECT_EQ(schema["mimeType"], "application/schema+json");
  EXPECT_EQ(refused("plumbline://baselines/demo/throughput/newest").message,
            "cannot tell the repository root: no git work tree encloses " + nowhere.path() +
                ": --repo-root . keeps entries in this folder; in a git work tree they go to its root, and PLUMBLINE_ROOT or "
                "PROFILE_AND_OPTIMIZE_REPO_ROOT names another");
  EXPECT_EQ(catalogue_.resources().version("plumbline://baselines/demo/throughput/newest"), std::nullopt);
}

TEST_F(ServedRegistry, OffersNothingOfARootOutsideTheAllowedOnes) {
  entry("demo", "throughput");
  const Scratch elsewhere;
  options_.allowed_roots = {elsewhere.path()};
  serve();
  EXPECT_EQ(list().size(), fixed_);
  const auto error = refused("plumbline://baselines/demo/throughput/newest");
  EXPECT_EQ(error.data, R"({"code":"path_not_allowed"})");
}

TEST_F(ServedRegistry, OffersTheRepositorysOwnCeilings) {
  scratch_.write("configs/sol-ceilings.yaml", "devices: {}\n");
  EXPECT_EQ(read("plumbline://ceilings")["text"], "devices: {}\n");
}

// ---- what is watched

TEST_F(ServedRegistry, ChangesItsVersionWithTheNewestEntryAndNothingElse) {
  const auto version = [&](const std::string& uri) { return catalogue_.resources().version("plumbline://" + uri); };
  EXPECT_EQ(version("baselines/demo/throughput/newest"), "");
  EXPECT_EQ(version("baselines/demo/throughput/accepted"), "");
  const auto first = entry("demo", "throughput", 0);
  EXPECT_EQ(version("baselines/demo/throughput/newest"), first.slug);
  const auto one = version("baselines/demo/throughput/" + first.slug);
  EXPECT_NE(one, "");
  EXPECT_EQ(version("baselines/demo/throughput/" + slug_at(1)), "");
  {
    const auto staging = store_->stage(registry::Kind::entry, "demo", "throughput");
    ASSERT_TRUE((*staging)->add("baseline.json", "{}"));
    EXPECT_EQ(version("baselines/demo/throughput/newest"), first.slug);
  }
  const auto second = entry("demo", "throughput", 1);
  EXPECT_EQ(version("baselines/demo/throughput/newest"), second.slug);
  EXPECT_EQ(version("baselines/demo/throughput/" + first.slug), one);
  accept("demo", "throughput", first.slug, first.sha256);
  EXPECT_EQ(version("baselines/demo/throughput/accepted"), "1 " + first.slug);
  accept("demo", "throughput", second.slug, second.sha256);
  EXPECT_EQ(version("baselines/demo/throughput/accepted"), "2 " + second.slug);
  overwrite(first.path + "/baseline.json", "{}");
  EXPECT_NE(version("baselines/demo/throughput/" + first.slug), one);
}

TEST_F(ServedRegistry, WatchesBundlesAndCeilingsButNoSchemas) {
  const auto version = [&](const std::string& uri) { return catalogue_.resources().version("plumbline://" + uri); };
  EXPECT_EQ(version("diffs/demo/throughput/newest"), "");
  const auto published = red_bundle();
  EXPECT_EQ(version("diffs/demo/throughput/newest"), published.slug);
  EXPECT_NE(version("diffs/demo/throughput/" + published.slug), "");
  EXPECT_NE(version("diffs/demo/throughput/" + published.slug + "/diff.md"), "");
  EXPECT_EQ(version("diffs/demo/throughput/" + published.slug + "/diff.mdx"), "");
  EXPECT_EQ(version("ceilings"), "embedded");
  scratch_.write("configs/sol-ceilings.yaml", "devices: {}\n");
  EXPECT_NE(version("ceilings"), "embedded");
  EXPECT_EQ(version("schemas/plumbline.diff.v1"), std::nullopt);
  EXPECT_EQ(version("baselines/../newest"), std::nullopt);
  EXPECT_EQ(catalogue_.resources().version("file:///etc/passwd"), std::nullopt);
}

TEST(KnownDigests, RemembersTheLastSixtyFourFilesByWhatTheFileSystemSays) {
  KnownDigests known;
  const auto file = [](std::uint64_t inode, std::int64_t changed = 5) {
    return KnownDigests::Identity{1, inode, 100, 5, changed};
  };
  for (std::uint64_t i = 0; i < 64; ++i) known.remember(file(i), std::to_string(i));
  EXPECT_EQ(known.find(file(0)), "0");  // now the last used
  known.remember(file(64), "64");
  EXPECT_EQ(known.find(file(0)), "0");
  EXPECT_EQ(known.find(file(1)), std::nullopt);
  EXPECT_EQ(known.find(file(64, 6)), std::nullopt);
}

}  // namespace
}  // namespace plumbline::server::mcp
