// The store in a bucket: what the common suite asks, and what a server and other machines can do to it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "net/http_client.hpp"
#include "registry/attest/keys.hpp"
#include "registry/attest/statement.hpp"
#include "registry/io.hpp"
#include "registry/look.hpp"
#include "registry/s3/client.hpp"
#include "tests/registry/s3_server.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {

namespace {

using core::ErrorCode;

TEST(S3Store, CallsThingsByTheirAddress) {
  const Scratch scratch;
  const auto store = common_server().store("addresses", scratch / "cache");
  const auto published = publish_entry(*store);
  EXPECT_EQ(published.address, "s3://perf/addresses/experiments/artifacts/perf-baselines/demo/throughput/" + published.slug);
  EXPECT_EQ(published.path.rfind(scratch / "cache/stores/", 0), 0U);
  EXPECT_EQ(*store->path_of(published.address), published.path);
  EXPECT_EQ(store->path_of("s3://other/addresses/x").error().message,
            "\"s3://other/addresses/x\" is not in the store that is in use, s3://perf/addresses");
  EXPECT_FALSE(store->path_of("s3://perf/addresses/../x"));
  EXPECT_EQ(store->removes().error().message,
            "gc takes nothing away from s3://perf/addresses: what is in a bucket was written once");
}

TEST(S3Store, ListsAndOpensFromAnotherMachine) {
  const Scratch scratch;
  const auto here = common_server().store("machines", scratch / "here");
  auto staging = here->stage(Kind::entry, "demo", "throughput");
  std::string text = baseline_text();
  text.replace(text.find("source-snapshot.txt"), std::string_view("source-snapshot.txt").size(), "source-snapshot");
  ASSERT_TRUE((*staging)->add("baseline.json", text));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE((*staging)->add("source-snapshot/part <&> " + std::to_string(i) + ".txt", "1"));
  const auto published = here->publish(std::move(*staging), moment());
  ASSERT_TRUE(published) << published.error().message;
  const auto there = common_server().store("machines", scratch / "there");
  EXPECT_EQ(*there->newest_slugs(Kind::entry, "demo", "throughput", 1), (std::vector<std::string>{published->slug}));
  const auto entry = there->open(*there->path_of(published->address), {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->entry_sha256, published->sha256);
  EXPECT_EQ(read(entry->snapshot + "/part <&> 7.txt"), "1");
}

TEST(S3Store, ListsLinesOfManyPages) {
  const Scratch scratch;
  const S3Server server({"--page", "7"});
  const auto store = server.store("pages", scratch / "cache");
  std::vector<std::string> slugs;
  for (int i = 0; i < 12; ++i) slugs.push_back(publish_entry(*store, "demo", "throughput", moment(i)).slug);
  EXPECT_EQ(*store->slugs(Kind::entry, "demo", "throughput"), slugs);
  EXPECT_EQ(*store->newest_slugs(Kind::entry, "demo", "throughput", 2), (std::vector<std::string>{slugs[11], slugs[10]}));
  for (int i = 0; i < 9; ++i) publish_entry(*store, "family" + std::to_string(i), "m");
  EXPECT_EQ(store->measurements(Kind::entry)->size(), 10U);
}

// Asks the stand-in what it was asked since it was asked that.
std::uint64_t requests_of(const S3Server& server) {
  const auto ask = [&](const std::string& path) {
    net::HttpRequest request;
    request.method = "GET";
    request.path = path;
    return net::http_exchange(*net::parse_http_url(server.endpoint()), request, {})->body;
  };
  const std::string counts = ask("/_counts"), name = "\"requests\": ";
  ask("/_reset");
  return std::stoull(counts.substr(counts.find(name) + name.size()));
}

TEST(S3Store, FindsTheNewestOfALineInUseWithOneRequest) {
  const Scratch scratch;
  const S3Server server({"--page", "7"});
  const auto store = server.store("newest", scratch / "cache");
  const auto now = std::chrono::system_clock::now();
  std::vector<std::string> slugs;
  for (const int days : {5000, 800, 100, 30, 9}) {
    for (int i = 0; i < 2; ++i)
      slugs.push_back(publish_entry(*store, "demo", "throughput", now - std::chrono::hours(24 * days - i)).slug);
    // Of a line that nobody used since: the copy knows where it ended.
    requests_of(server);
    EXPECT_EQ(*store->newest_slugs(Kind::entry, "demo", "throughput", 1), (std::vector<std::string>{slugs.back()})) << days;
    EXPECT_EQ(requests_of(server), 1U) << days;
    EXPECT_EQ(store->newest_slugs(Kind::entry, "demo", "throughput", 3)->size(), std::min<std::size_t>(slugs.size(), 3));
    // A machine that knows nothing finds it, too.
    const auto other = server.store("newest", scratch / ("cache" + std::to_string(days)));
    EXPECT_EQ(*other->newest_slugs(Kind::entry, "demo", "throughput", 1), (std::vector<std::string>{slugs.back()})) << days;
    EXPECT_EQ(other->newest_slugs(Kind::entry, "demo", "throughput", 3)->size(), std::min<std::size_t>(slugs.size(), 3));
    EXPECT_EQ(*other->slugs(Kind::entry, "demo", "throughput"), slugs);
  }
  slugs.push_back(publish_entry(*store, "demo", "throughput", now - std::chrono::hours(20)).slug);
  requests_of(server);
  EXPECT_EQ(*store->newest_slugs(Kind::entry, "demo", "throughput", 1), (std::vector<std::string>{slugs.back()}));
  EXPECT_EQ(requests_of(server), 1U);
  for (int i = 0; i < 4; ++i)
    slugs.push_back(publish_entry(*store, "demo", "throughput", now - std::chrono::minutes(40 - i)).slug);
  EXPECT_EQ(*store->newest_slugs(Kind::entry, "demo", "throughput", 2), (std::vector<std::string>{slugs[14], slugs[13]}));
  EXPECT_EQ(store->newest_slugs(Kind::entry, "demo", "throughput", 14)->size(), 14U);
  EXPECT_EQ(*store->slugs(Kind::entry, "demo", "throughput"), slugs);
}

// Over one question a line is listed once, and what was seen whole is not asked for again; what is published or accepted
// meanwhile by this thread is seen.
TEST(S3Store, AsksOncePerLook) {
  const Scratch scratch;
  const S3Server server({"--page", "1000"});
  const auto writer = server.store("looks", scratch / "writer");
  const auto now = std::chrono::system_clock::now();
  std::vector<std::string> slugs;
  for (int i = 0; i < 3; ++i)
    slugs.push_back(publish_entry(*writer, "demo", "throughput", now - std::chrono::minutes(9 - i)).slug);
  const auto store = server.store("looks", scratch / "reader");
  for (const std::string& slug : slugs) ASSERT_TRUE(store->open(*store->place(Kind::entry, "demo", "throughput", slug), {}));
  const Look look;
  requests_of(server);
  EXPECT_EQ(store->newest_slugs(Kind::entry, "demo", "throughput", 1)->front(), slugs[2]);
  EXPECT_EQ(*store->accepted("demo", "throughput"), std::nullopt);
  EXPECT_EQ(requests_of(server), 2U);
  EXPECT_EQ(store->newest_slugs(Kind::entry, "demo", "throughput", 3)->size(), 3U);
  EXPECT_EQ(store->names(Kind::entry, "demo", "throughput", slugs[1])->size(), 2U);
  EXPECT_EQ(*store->accepted("demo", "throughput"), std::nullopt);
  EXPECT_TRUE(store->open_claims("demo", "throughput")->empty());
  for (const std::string& slug : slugs) EXPECT_TRUE(store->open(*store->place(Kind::entry, "demo", "throughput", slug), {}));
  EXPECT_EQ(requests_of(server), 0U) << "the listing told their SHA256SUMS";
  // What was damaged here is noticed all the same, and brought again.
  std::filesystem::remove(store->directory(Kind::entry, "demo", "throughput") + "/" + slugs[0] + "/source-snapshot.txt");
  std::ofstream(store->directory(Kind::entry, "demo", "throughput") + "/" + slugs[0] + "/source-snapshot.txt") << "101\n";
  EXPECT_TRUE(store->open(*store->place(Kind::entry, "demo", "throughput", slugs[0]), {}));
  EXPECT_GT(requests_of(server), 0U);
  slugs.push_back(publish_entry(*store, "demo", "throughput", now).slug);
  EXPECT_EQ(store->newest_slugs(Kind::entry, "demo", "throughput", 1)->front(), slugs[3]);
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = slugs[3];
  ASSERT_TRUE(store->accept(acceptance, acceptance_text));
  EXPECT_EQ((*store->accepted("demo", "throughput"))->slug, slugs[3]);
}

// More acceptances than a page: the last one is found without the others, whatever numbers were left out, and so is the next
// number.
TEST(S3Store, FindsTheLastOfManyAcceptances) {
  const Scratch scratch;
  const S3Server server({"--page", "40"});
  const auto store = server.store("accepted", scratch / "cache");
  const std::string slug = publish_entry(*store).slug;
  auto settings = s3::settings_of("s3://perf/accepted", server.environment(scratch / "cache"));
  s3::Client client(*settings, server.environment(scratch / "cache"), {});
  const std::string line = "accepted/experiments/artifacts/perf-baselines/demo/throughput/accepted/";
  const auto put = [&](const std::string& name, const std::string& text) {
    ASSERT_EQ(*client.put_once(line + name, {text, {}, text.size(), sha256_hex(text)}), s3::Put::made);
  };
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = slug;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t seq = 1; seq <= 30; ++seq) numbers.push_back(seq);
  for (std::uint64_t seq = 2031; seq <= 2100; ++seq)
    numbers.push_back(seq);  // those between expired, or their writers were stopped
  for (const std::uint64_t seq : numbers) {
    acceptance.seq = seq;
    const std::string digits = std::to_string(seq), six = std::string(6 - digits.size(), '0') + digits;
    put(".seq-" + six, "a claim\n");
    put(six + "-" + slug + ".json", acceptance_text(acceptance));
  }
  const std::uint64_t last = numbers.back();
  EXPECT_EQ((*store->accepted("demo", "throughput"))->seq, last);
  const auto accepted = store->accept(acceptance, acceptance_text);
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ((*store->accepted("demo", "throughput"))->seq, last + 1);
}

// A page that ends within many files of one entry: what follows it is listed from behind them.
TEST(S3Store, ListsBehindFoldersOfManyFiles) {
  const Scratch scratch;
  const S3Server server({"--page", "520"});
  const auto store = server.store("folders", scratch / "cache");
  std::vector<std::string> slugs = {publish_entry(*store, "demo", "throughput", moment(0)).slug};
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
  for (int i = 0; i < 1200; ++i) ASSERT_TRUE((*staging)->add("source-snapshot/" + std::to_string(i), "1"));
  const auto published = store->publish(std::move(*staging), moment(1));
  ASSERT_TRUE(published) << published.error().message;
  slugs.push_back(published->slug);
  for (int i = 2; i < 5; ++i) slugs.push_back(publish_entry(*store, "demo", "throughput", moment(i)).slug);
  EXPECT_EQ(*store->slugs(Kind::entry, "demo", "throughput"), slugs);
  EXPECT_EQ(*store->newest_slugs(Kind::entry, "demo", "throughput", 4),
            (std::vector<std::string>{slugs[4], slugs[3], slugs[2], slugs[1]}));
}

TEST(S3Store, PassesOverWhatWasNeverFinished) {
  const Scratch scratch;
  const S3Server server({"--page", "7"});
  const auto store = server.store("unfinished", scratch / "cache");
  const auto published = publish_entry(*store);
  auto settings = s3::settings_of("s3://perf/unfinished", server.environment(scratch / "cache"));
  s3::Client client(*settings, server.environment(scratch / "cache"), {});
  const std::string line = "unfinished/experiments/artifacts/perf-baselines/demo/throughput/";
  const std::string text = baseline_text();
  const s3::Content content{text, {}, text.size(), sha256_hex(text)};
  EXPECT_EQ(*client.put_once(line + "20261121T150359221206Z/baseline.json", content), s3::Put::made);
  EXPECT_EQ(*store->slugs(Kind::entry, "demo", "throughput"), (std::vector<std::string>{published.slug}));
  const auto absent = store->open(*store->place(Kind::entry, "demo", "throughput", "20261121T150359221206Z"), {});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
  // Nor does anybody else get its name.
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text("demo", "throughput", R"(,"reason":"other")")));
  EXPECT_EQ(store->publish_as(std::move(*staging), "20261121T150359221206Z").error().code, ErrorCode::already_exists);
}

TEST(S3Store, NoticesWhatWasChangedInTheBucket) {
  const Scratch scratch;
  const S3Server server({"--ignore-condition"});
  const auto environment = server.environment(scratch / "cache");
  auto settings = s3::settings_of("s3://perf/changed", environment);
  s3::Client client(*settings, environment, {});
  const std::string entry = "changed/experiments/artifacts/perf-baselines/demo/throughput/20261120T150359221206Z/";
  const auto put = [&](const std::string& name, const std::string& text) {
    return client.put_once(entry + name, {text, {}, text.size(), sha256_hex(text)}).has_value();
  };
  const std::string text = baseline_text();
  ASSERT_TRUE(put("baseline.json", text));
  ASSERT_TRUE(put("source-snapshot.txt", "101\n"));
  ASSERT_TRUE(
      put("SHA256SUMS", manifest_text({{sha256_hex(text), "baseline.json"}, {sha256_hex("100\n"), "source-snapshot.txt"}})));
  const auto store = server.store("changed", scratch / "cache");
  const auto opened = store->open(*store->place(Kind::entry, "demo", "throughput", "20261120T150359221206Z"), {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::provenance_mismatch);
  EXPECT_EQ(opened.error().message,
            "s3://perf/" + entry + "source-snapshot.txt is not what was recorded: its SHA-256 is not the one of SHA256SUMS");
  // Put right, it is read.
  ASSERT_TRUE(put("source-snapshot.txt", "100\n"));
  EXPECT_TRUE(store->open(*store->place(Kind::entry, "demo", "throughput", "20261120T150359221206Z"), {}));
}

TEST(S3Store, BringsAgainWhatWasDamagedInTheCopy) {
  const Scratch scratch;
  const auto store = in_bucket(common_server(), scratch.path());
  const auto published = publish_entry(*store);
  std::filesystem::remove_all(scratch / "cache");
  const auto another = in_bucket(common_server(), scratch.path());
  // Half of it was brought before the machine lost its power: names without bytes, and bytes of something else.
  std::filesystem::create_directories(published.path);
  std::ofstream(published.path + "/baseline.json").flush();
  std::ofstream(published.path + "/source-snapshot.txt") << "101\n";
  ASSERT_EQ(another->slugs(Kind::entry, "demo", "throughput")->size(), 1U);
  EXPECT_EQ(read(published.path + "/baseline.json"), baseline_text());
  ASSERT_TRUE(another->bring({Kind::entry, "demo", "throughput", published.slug, false}));
  EXPECT_EQ(read(published.path + "/source-snapshot.txt"), "100\n");
}

TEST(S3Store, SweepsWhatKilledProcessesLeftInTheCopy) {
  const Scratch scratch;
  const auto store = in_bucket(common_server(), scratch.path());
  const std::string coming = store->root() + "/.coming/", line = store->directory(Kind::entry, "f", "m");
  for (const std::string& name : {coming + "old", coming + "new", line + "/.tmp-old/file", line + "/.tmp-new/file"}) {
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    std::ofstream(name) << "1";
  }
  const auto two_days_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(48);
  for (const std::string& name : {coming + "old", line + "/.tmp-old"}) std::filesystem::last_write_time(name, two_days_ago);
  publish_entry(*store);
  EXPECT_EQ(tree(coming), (std::vector<std::string>{"new"}));
  EXPECT_EQ(tree(line), (std::vector<std::string>{".tmp-new", ".tmp-new/file"}));
}

TEST(S3Store, BringsAnewUnderTheHandsOfReaders) {
  const Scratch scratch;
  const auto store = in_bucket(common_server(), scratch.path());
  const auto published = publish_entry(*store);
  // A reader has the folder open while it is fetched again, with a file in it that the bucket does not have.
  std::ofstream(published.path + "/extra") << "1";
  const base::Descriptor folder(::open(published.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(store->bring({Kind::entry, "demo", "throughput", published.slug, true}));
  struct stat info {};
  EXPECT_EQ(::fstatat(folder.get(), "baseline.json", &info, 0), 0);
  EXPECT_EQ(tree(published.path), (std::vector<std::string>{"SHA256SUMS", "baseline.json", "source-snapshot.txt"}));
  // A reader that lists while its publisher is not at its end brings the head of what is published.
  const auto place = *store->place(Kind::entry, "demo", "throughput", slug_of(moment(5)));
  std::filesystem::create_directories(place);
  std::ofstream(place + "/baseline.json") << baseline_text();
  const base::Descriptor listed(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(publish_entry(*store, "demo", "throughput", moment(5)).path, place);
  EXPECT_EQ(::fstatat(listed.get(), "source-snapshot.txt", &info, 0), 0);
  EXPECT_EQ(tree(place), (std::vector<std::string>{"SHA256SUMS", "baseline.json", "source-snapshot.txt"}));
  EXPECT_EQ(tree(store->directory(Kind::entry, "demo", "throughput")).size(), 8U);  // and nothing staged
}

TEST(S3Store, ShowsAnEntryThatLostItsHead) {
  const Scratch scratch;
  const auto environment = common_server().environment(scratch / "here");
  const std::string prefix = "heads" + io::hex_random(8);
  const auto published = publish_entry(*common_server().store(prefix, scratch / "here"));
  s3::Client client(*s3::settings_of("s3://perf/" + prefix, environment), environment, {});
  client.remove(published.address.substr(std::string("s3://perf/").size()) + "/baseline.json");
  const auto there = common_server().store(prefix, scratch / "there");
  EXPECT_EQ(*there->slugs(Kind::entry, "demo", "throughput"), (std::vector<std::string>{published.slug}));
  EXPECT_EQ(path_kind(*there->path_of(published.address), {}), PathKind::folder);
}

TEST(S3Store, GetsThroughLostAnswersAndBusyServers) {
  for (const std::vector<std::string>& switches :
       {std::vector<std::string>{"--lose", "3"}, {"--busy", "4"}, {"--conflict", "3"}, {"--lose", "4", "--busy", "5"}}) {
    const Scratch scratch;
    const S3Server server(switches);
    const auto store = server.store("weather", scratch / "cache");
    std::set<std::string> slugs;
    for (int i = 0; i < 6; ++i) {
      const auto published = publish_entry(*store, "demo", "throughput", moment(i));
      slugs.insert(published.slug);
      core::Acceptance acceptance;
      acceptance.family = "demo";
      acceptance.measurement = "throughput";
      acceptance.slug = published.slug;
      const auto accepted = store->accept(acceptance, acceptance_text);
      ASSERT_TRUE(accepted) << accepted.error().message;
    }
    EXPECT_EQ(slugs.size(), 6U);
    EXPECT_EQ(store->slugs(Kind::entry, "demo", "throughput")->size(), 6U) << switches[0];
    EXPECT_EQ((*store->accepted("demo", "throughput"))->seq, 6U) << switches[0];
  }
}

TEST(S3Store, RefusesServersThatForgetTheCondition) {
  struct Case {
    const char* prefix;
    std::vector<std::string> switches;
    std::string message, hint;
  };
  for (const Case& one : {Case{"a",
                               {"--ignore-condition"},
                               "of 16 writers of one object 16 were told that they made it",
                               "it calls itself \"s3-standin\""},
                          Case{"b",
                               {"--versioned"},
                               "of 16 writers of one object 16 were told that they made it",
                               "the bucket is versioned, and Ceph forgets the condition there: make one without versions"},
                          Case{"c",
                               {"--no-condition"},
                               "it refuses the condition that makes an object once",
                               "it answers 501 to If-None-Match, as OpenStack Swift's S3 does"}}) {
    const Scratch scratch;
    const S3Server server(one.switches);
    const auto store = server.store(one.prefix, scratch / "cache");
    auto staging = store->stage(Kind::entry, "demo", "throughput");
    ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
    const auto published = store->publish(std::move(*staging), moment());
    ASSERT_FALSE(published);
    EXPECT_EQ(published.error().code, ErrorCode::environment);
    EXPECT_EQ(published.error().message, "s3://perf/" + std::string(one.prefix) + " cannot be a store: " + one.message);
    EXPECT_EQ(published.error().hint, one.hint + "; docs/stores.md lists servers that keep it");
    EXPECT_TRUE(store->slugs(Kind::entry, "demo", "throughput")->empty());
  }
}

TEST(S3Store, SkipsTheNumberOfAWriterThatNeverCameToItsRecord) {
  const Scratch scratch;
  const auto environment = common_server().environment(scratch / "cache");
  const std::string prefix = "claims" + std::to_string(::getpid());
  const auto store = common_server().store(prefix, scratch / "cache");
  const auto published = publish_entry(*store);
  s3::Client client(*s3::settings_of("s3://perf/" + prefix, environment), environment, {});
  const std::string accepted = prefix + "/experiments/artifacts/perf-baselines/demo/throughput/accepted/";
  ASSERT_EQ(*client.put_once(accepted + ".seq-000001", {"", {}, 0, sha256_hex("")}), s3::Put::made);
  EXPECT_EQ(*store->accepted("demo", "throughput"), std::nullopt);
  EXPECT_EQ(*store->open_claims("demo", "throughput"), std::vector<std::uint64_t>{1});
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = published.slug;
  const auto path = store->accept(acceptance, acceptance_text);
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->ends_with("/accepted/000002-" + published.slug + ".json"));
  EXPECT_EQ((*store->accepted("demo", "throughput"))->seq, 2U);
  EXPECT_EQ(*store->open_claims("demo", "throughput"), std::vector<std::uint64_t>{1}) << "and not 2, which has its record";
}

core::Acceptance acceptance_of(const std::string& slug) {
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = slug;
  return acceptance;
}

TEST(S3Store, BelievesNoCopyOfAnAcceptance) {
  const Scratch scratch;
  const auto store = in_bucket(common_server(), scratch.path());
  const auto first = publish_entry(*store), second = publish_entry(*store);
  ASSERT_TRUE(store->accept(acceptance_of(first.slug), acceptance_text));
  ASSERT_TRUE(store->accept(acceptance_of(second.slug), acceptance_text));
  // What a power failure leaves of a file that was being brought; and what another process of this cache removed.
  const std::string copy = store->directory(Kind::entry, "demo", "throughput") + "/accepted/";
  std::filesystem::create_directories(copy);
  std::ofstream(copy + "000002-" + second.slug + ".json").flush();
  EXPECT_EQ((*store->accepted("demo", "throughput"))->slug, second.slug);
  std::filesystem::remove_all(copy);
  EXPECT_EQ((*store->accepted("demo", "throughput"))->slug, second.slug);
}

core::Expected<Published> publish_signed(Store& store, const std::string& snapshot, std::int64_t microseconds) {
  auto staging = store.stage(Kind::entry, "demo", "throughput");
  EXPECT_TRUE((*staging)->add("baseline.json", baseline_text()));
  EXPECT_TRUE((*staging)->add(snapshot, "100\n"));
  static const auto kKey =
      std::make_shared<const attest::PrivateKey>(std::move(*attest::PrivateKey::make(attest::Algorithm::ed25519)));
  attest::Claim claim;
  claim.verb = "record";
  claim.asked_at_utc = "2026-11-20T15:03:58Z";
  (*staging)->attest({kKey, std::move(claim)});
  return store.publish(std::move(*staging), moment(microseconds));
}

TEST(S3Store, GivesTheTurnOfASignerThatFailedToTheNext) {
  const Scratch scratch;
  const S3Server server({"--deny", "/source-snapshot.denied"});
  const auto store = server.store("turns", scratch / "here"), other = server.store("turns", scratch / "there");
  ASSERT_TRUE(publish_signed(*store, "source-snapshot.txt", 0));
  const auto refused = publish_signed(*store, "source-snapshot.denied", 10);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("AccessDenied (403)"), std::string::npos) << refused.error().message;
  const auto published = publish_signed(*other, "source-snapshot.txt", 20);
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(store->slugs(Kind::entry, "demo", "throughput")->size(), 2U);
}

TEST(S3Store, BringsOfTheSignedOneBeforeWhatIsContinued) {
  const Scratch scratch;
  const auto here = in_bucket(common_server(), scratch.path());
  const auto first = publish_signed(*here, "source-snapshot.txt", 0);
  ASSERT_TRUE(first);
  std::filesystem::remove_all(scratch / "cache");
  const auto there = in_bucket(common_server(), scratch.path());
  ASSERT_TRUE(publish_signed(*there, "source-snapshot.txt", 10));
  EXPECT_TRUE(std::filesystem::exists(first->path + "/attest/statement.dsse.json"));
  EXPECT_FALSE(std::filesystem::exists(first->path + "/source-snapshot.txt"));
  EXPECT_TRUE(there->open(first->path, {}));
}

// Asks a call to stop at its first question, at its second, and so on until it comes to its end before that.
void stopped_everywhere(const std::string& root,
                        const std::function<void(Store& store, const std::function<bool()>& was_asked)>& call) {
  bool asked_in_time = true;
  for (int at = 1; asked_in_time; ++at) {
    std::atomic<int> asked{0};
    PathLimits limits;
    limits.stop = [&asked, at] { return ++asked >= at; };
    call(*in_bucket(common_server(), root, limits), [&asked, at] { return asked >= at; });
    asked_in_time = asked >= at;
  }
}

TEST(S3Store, SaysCancelledOnlyWhereNothingWasPublished) {
  const Scratch scratch;
  const auto other = in_bucket(common_server(), scratch.path());
  publish_entry(*other);  // and the server is known
  std::size_t there = 1, cancelled = 0;
  stopped_everywhere(scratch.path(), [&](Store& store, const auto&) {
    auto staging = store.stage(Kind::entry, "demo", "throughput");
    ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
    ASSERT_TRUE((*staging)->add("source-snapshot.txt", "100\n"));
    const auto published = store.publish(std::move(*staging), moment(static_cast<std::int64_t>(10 * (there + cancelled))));
    if (!published) {
      EXPECT_EQ(published.error().code, ErrorCode::cancelled) << published.error().message;
    }
    ++(published ? there : cancelled);
    EXPECT_EQ(other->slugs(Kind::entry, "demo", "throughput")->size(), there) << "after " << cancelled << " that were stopped";
  });
  EXPECT_GT(there, 1U);
  EXPECT_GT(cancelled, 2U);
}

TEST(S3Store, GivesTheTurnOfASignerThatWasStoppedToTheNext) {
  const Scratch scratch;
  const auto other = in_bucket(common_server(), scratch.path());
  publish_entry(*other);
  std::size_t there = 1;
  std::int64_t at = 0;
  stopped_everywhere(scratch.path(), [&](Store& store, const auto&) {
    if (publish_signed(store, "source-snapshot.txt", at += 10)) ++there;
    const auto next = publish_signed(*other, "source-snapshot.txt", at += 10);
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(other->slugs(Kind::entry, "demo", "throughput")->size(), ++there);
  });
}

TEST(S3Store, SaysCancelledOnlyWhereNothingWasAccepted) {
  const Scratch scratch;
  const auto other = in_bucket(common_server(), scratch.path());
  const auto entry = publish_entry(*other);
  std::uint64_t before = 0, cancelled = 0;
  stopped_everywhere(scratch.path(), [&](Store& store, const auto&) {
    const auto accepted = store.accept(acceptance_of(entry.slug), acceptance_text);
    if (!accepted) {
      EXPECT_EQ(accepted.error().code, ErrorCode::cancelled) << accepted.error().message;
      ++cancelled;
    }
    const auto holds = other->accepted("demo", "throughput");
    ASSERT_TRUE(holds) << holds.error().message;
    const std::uint64_t now = *holds ? (*holds)->seq : 0;
    EXPECT_EQ(now > before, accepted.has_value());
    before = now;
  });
  EXPECT_GT(before, 0U);
  EXPECT_GT(cancelled, 2U);
}

// Another writer accepts between any two steps of one.
void accept_between(const S3Server& server) {
  const Scratch scratch;
  const auto other = in_bucket(server, scratch.path());
  const auto ours = publish_entry(*other), theirs = publish_entry(*other);
  std::size_t before = 0;
  for (int at = 1, asked_at_most = at; asked_at_most >= at; ++at) {
    std::atomic<int> asked{0};
    core::Acceptance first, second;
    PathLimits limits;
    limits.stop = [&] {
      if (++asked != at) return false;
      EXPECT_TRUE(other->accept(acceptance_of(theirs.slug), [&](const auto& one) { return acceptance_text(first = one); }));
      return false;
    };
    const auto store = in_bucket(server, scratch.path(), limits);
    ASSERT_TRUE(store->accept(acceptance_of(ours.slug), [&](const auto& one) { return acceptance_text(second = one); }));
    asked_at_most = asked;
    EXPECT_NE(first.seq, second.seq);
    if (first.seq == 0 || first.seq > second.seq) continue;
    ++before;
    EXPECT_EQ(second.previous, theirs.slug) << "accepted at question " << at;
  }
  EXPECT_GT(before, 2U);
}

TEST(S3Store, NamesWhatHeldBeforeAnAcceptance) { accept_between(common_server()); }
TEST(S3Store, TellsTwoWritersApartWhereTheServerKeepsNoNames) { accept_between(S3Server({"--forget-metadata"})); }

TEST(S3Store, NamesTheServerOnlyForWhatIsItsFault) {
  const Scratch scratch;
  std::map<std::string, std::string, std::less<>> values = {{"AWS_ENDPOINT_URL", common_server().endpoint()},
                                                            {"AWS_ROLE_ARN", "arn:aws:iam::1:role/ci"},
                                                            {"AWS_WEB_IDENTITY_TOKEN_FILE", scratch / "no-token"},
                                                            {"PLUMBLINE_CACHE_DIR", scratch / "cache"}};
  const s3::Environment environment = [&values](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  const auto without_token = open_store({{}, "s3://perf/faults", {}, {}, environment})->slugs(Kind::entry, "demo", "throughput");
  ASSERT_FALSE(without_token);
  EXPECT_EQ(without_token.error().code, ErrorCode::environment);
  EXPECT_TRUE(without_token.error().message.starts_with("no credentials for s3://perf/faults: "))
      << without_token.error().message;
  // What is larger than what is read at most; and a file that is shorter than it was.
  const auto of_server = common_server().environment(scratch / "cache");
  s3::Client client(*s3::settings_of("s3://perf/faults", of_server), of_server, {});
  const std::string text(1000, 'x'), name = "faults/" + io::hex_random(8);
  ASSERT_EQ(*client.put_once(name, {text, {}, text.size(), sha256_hex(text)}), s3::Put::made);
  const auto large = client.get(name, 10);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::limit_exceeded);
  EXPECT_EQ(large.error().message, name + " has more than the 10 bytes that are read at most");
  const std::string file = scratch.write("short", "x");
  const auto before = client.requests();
  const auto shorter = client.put_once(name + "-short", {{}, file, 1000, sha256_hex(text)});
  ASSERT_FALSE(shorter);
  EXPECT_EQ(shorter.error().message, file + " ended while it was being sent");
  EXPECT_EQ(client.requests(), before + 1);
  // Nobody listens there any more.
  values = {{"AWS_ENDPOINT_URL", "http://127.0.0.1:1"}, {"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "B"}};
  s3::Client nobody(*s3::settings_of("s3://perf/faults", environment), environment, {});
  EXPECT_TRUE(nobody.try_once("x", "1").error().message.starts_with(
      "the store s3://perf/faults does not answer: cannot connect to 127.0.0.1:1: "));
}

TEST(S3Store, AsksAgainWhoWasFirstWhereTheServerWasBusyOrLost) {
  for (const std::string how : {"reset:1", "reset:16", "429:16", "500:1", "503:20"}) {
    const Scratch scratch;
    const S3Server server({"--first-puts", how});
    const auto store = server.store("probed", scratch / "cache");
    EXPECT_FALSE(publish_entry(*store).slug.empty()) << how;
  }
  const Scratch scratch;
  const S3Server server({"--first-puts", "403:1000000"});
  const auto store = server.store("probed", scratch / "cache");
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
  const auto refused = store->publish(std::move(*staging), moment());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "s3://perf/probed: Throttled (403): \"come again\"");
}

TEST(S3Store, BelievesNoAnswerThatIsNoListing) {
  const std::string no_listing = "s3://perf/lists: what answers there does not list as S3 does";
  const std::string no_order = "s3://perf/lists: the server does not list in order";
  for (const auto& [how, said] :
       {std::pair("page", no_listing), {"cut", no_listing}, {"backwards", no_order}, {"again", no_order}}) {
    const Scratch scratch;
    const S3Server server({"--lists", how, "--page", "3"});
    const auto store = server.store("lists", scratch / "cache");
    publish_entry(*store);
    publish_entry(*store);
    const auto slugs = store->slugs(Kind::entry, "demo", "throughput");
    ASSERT_FALSE(slugs) << how;
    EXPECT_EQ(slugs.error().code, ErrorCode::environment);
    EXPECT_EQ(slugs.error().message, said) << how;
    if (said == no_listing) {
      EXPECT_FALSE(store->measurements(Kind::entry)) << how;
    }
  }
}

// The stand-in has nobody but Google's condition there: with AWS's a second writer would replace the first.
TEST(S3Store, AsksGoogleInItsOwnWay) {
  const Scratch scratch;
  const auto store = in_google_bucket(scratch.path());
  EXPECT_EQ(publish_entry(*store).slug, slug_of(moment()));
  const auto other = in_google_bucket(scratch.path());
  auto staging = other->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text("demo", "throughput", R"(,"reason":"other")")));
  const auto again = other->publish_as(std::move(*staging), slug_of(moment()));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::already_exists);
  // Who asks it as AWS is asked is refused before anything is written.
  const S3Server server({"--google"});
  const auto wrong = server.store("aws", scratch / "wrong");
  staging = wrong->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
  const auto refused = wrong->publish(std::move(*staging), moment());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::environment) << refused.error().message;
}

TEST(S3Store, StopsListings) {
  const Scratch scratch;
  const auto other = in_bucket(common_server(), scratch.path());
  publish_entry(*other);
  std::size_t listed = 0;
  stopped_everywhere(scratch.path(), [&](Store& store, const auto& was_asked) {
    const auto slugs = store.slugs(Kind::entry, "demo", "throughput");
    EXPECT_EQ(slugs.has_value(), !was_asked());
    if (slugs) {
      EXPECT_EQ(slugs->size(), 1U);
      ++listed;
    } else {
      EXPECT_EQ(slugs.error().code, ErrorCode::cancelled);
    }
  });
  EXPECT_EQ(listed, 1U);
}

}  // namespace
}  // namespace plumbline::registry::test
