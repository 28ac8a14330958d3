// The index of large lines: whatever becomes of it, the answers are those of the folder.
#include "registry/cache/index.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "registry/cache/place.hpp"
#include "registry/io.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

namespace fs = std::filesystem;
using cache::Database;
using cache::SlugList;
using cache::Stamp;

const char* const kMeasurement = "experiments/artifacts/perf-baselines/demo/throughput";
constexpr int kMany = 1200;  // beyond cache::kWorthKeeping

std::string slug_number(int i) { return slug_of(moment() + std::chrono::seconds(i)); }

// A registry with many entries, of which only the names matter here, and a folder for its index.
class LargeLine : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < kMany; ++i) fs::create_directories(line() + "/" + slug_number(i));
  }
  [[nodiscard]] std::string line() const { return scratch_ / kMeasurement; }
  [[nodiscard]] std::string cache_folder() const { return scratch_ / "cache"; }
  [[nodiscard]] std::string index_file() const { return cache::file(cache_folder(), scratch_.path()); }
  [[nodiscard]] std::unique_ptr<Store> store() const { return posix_store(scratch_.path(), {}, cache_folder()); }
  [[nodiscard]] std::vector<std::string> listed() const {
    return *posix_store(scratch_.path())->slugs(Kind::entry, "demo", "throughput");
  }
  // What a store with the index says, in each of its ways; it must be what the folder says.
  void expect_right(const std::string& when) const {
    const auto truth = listed();
    const auto with_index = store();
    EXPECT_EQ(*with_index->slugs(Kind::entry, "demo", "throughput"), truth) << when;
    for (const std::size_t n : {std::size_t{1}, std::size_t{600}, std::size_t{5000}}) {
      std::vector<std::string> newest(truth.rbegin(), truth.rbegin() + static_cast<std::ptrdiff_t>(std::min(n, truth.size())));
      EXPECT_EQ(*with_index->newest_slugs(Kind::entry, "demo", "throughput", n), newest) << when << ", " << n;
    }
    std::vector<std::string> walked;
    NewestFirst walk(*with_index, Kind::entry, "demo", "throughput");
    for (auto slug = walk.next(); slug && *slug; slug = walk.next()) walked.push_back(**slug);
    EXPECT_EQ(walked, std::vector<std::string>(truth.rbegin(), truth.rend())) << when;
  }
  [[nodiscard]] std::optional<cache::KnownLine> known() const {
    const auto database = Database::open(index_file(), false);
    const io::Descriptor folder(::open(line().c_str(), O_RDONLY | O_DIRECTORY));
    const auto stamp = cache::stamp_of(folder.get());
    return database && stamp ? database->read(kMeasurement, *stamp, SIZE_MAX) : std::nullopt;
  }
  std::string publish() const {
    auto with_index = store();
    auto staging = with_index->stage(Kind::entry, "demo", "throughput");
    EXPECT_TRUE((*staging)->add("baseline.json", baseline_text()));
    const auto published = with_index->publish(std::move(*staging), moment() + std::chrono::hours(24));
    EXPECT_TRUE(published);
    EXPECT_TRUE(published->warnings.empty());
    return published->slug;
  }
  Scratch scratch_;
};

TEST_F(LargeLine, IsKeptOnceItWasListed) {
  EXPECT_FALSE(fs::exists(index_file()));
  expect_right("cold");
  ASSERT_TRUE(known());
  EXPECT_EQ(known()->count, std::uint64_t{kMany});
  expect_right("warm");
}

TEST_F(LargeLine, KnowsWhatWasPublishedWithoutAListing) {
  expect_right("cold");
  const std::string slug = publish();
  // As of the folder's stamp now: nobody had to list it.
  ASSERT_TRUE(known());
  EXPECT_EQ(known()->newest.newest(), slug);
  expect_right("after a publication");
  for (int i = 0; i < 5; ++i) publish();
  expect_right("after more");
  const std::string index = read(line() + "/INDEX.md");
  EXPECT_NE(index.find("The newest 200 of " + std::to_string(kMany + 6) + " entries"), std::string::npos);
  EXPECT_NE(index.find(slug), std::string::npos);
}

TEST_F(LargeLine, FollowsWhatOthersDo) {
  expect_right("cold");
  fs::remove_all(line() + "/" + slug_number(kMany - 1));
  expect_right("after the newest was removed");
  fs::create_directories(line() + "/" + slug_number(kMany + 5));
  expect_right("after another program published");
  fs::remove_all(line() + "/" + slug_number(7));
  fs::create_directories(line() + "/" + slug_number(kMany + 6));
  expect_right("after one came and one went");
  publish();
  fs::create_directories(line() + "/" + slug_number(kMany + 100'000));
  publish();
  expect_right("after others published between ours");
}

TEST_F(LargeLine, IsNotThatOfACopy) {
  expect_right("cold");
  const Scratch elsewhere;
  fs::copy(scratch_.path(), elsewhere.path(), fs::copy_options::recursive);
  fs::remove_all(elsewhere / kMeasurement + "/" + slug_number(3));
  // Under the other's name: as if the first had been moved away and the copy put in its place.
  fs::rename(scratch_ / "experiments", scratch_ / "moved");
  fs::rename(elsewhere / "experiments", scratch_ / "experiments");
  expect_right("after a copy took its place");
}

TEST_F(LargeLine, AnswersWithoutAnIndexThatItCannotUse) {
  expect_right("cold");
  const std::string good = read(index_file());
  // Damaged in the middle and at the end, cut, somebody else's, of another version, a folder.
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{5000}, good.size() / 2, good.size() - 100}) {
    std::string bad = good;
    for (std::size_t i = at; i < std::min(at + 60, bad.size()); ++i) bad[i] = static_cast<char>(bad[i] ^ 0x5A);
    Database::drop(index_file());
    scratch_.write(index_file().substr(scratch_.path().size() + 1), bad);
    expect_right("damaged at " + std::to_string(at));
  }
  Database::drop(index_file());
  scratch_.write(index_file().substr(scratch_.path().size() + 1), good.substr(0, good.size() / 3));
  expect_right("cut");
  Database::drop(index_file());
  fs::create_directory(index_file());
  expect_right("a folder in its place");
  fs::remove(index_file());
  sqlite3* other = nullptr;
  ASSERT_EQ(::sqlite3_open(index_file().c_str(), &other), SQLITE_OK);
  ::sqlite3_exec(other, "CREATE TABLE line(id); PRAGMA user_version=9", nullptr, nullptr, nullptr);
  ::sqlite3_close(other);
  expect_right("another version");
}

TEST_F(LargeLine, DoesNotBelieveChangedRows) {
  expect_right("cold");
  sqlite3* handle = nullptr;
  ASSERT_EQ(::sqlite3_open(index_file().c_str(), &handle), SQLITE_OK);
  ::sqlite3_exec(handle, "UPDATE chunk SET slugs = replace(slugs, '2026', '2025')", nullptr, nullptr, nullptr);
  ::sqlite3_close(handle);
  expect_right("with other slugs in its rows");
}

TEST_F(LargeLine, WaitsForNobody) {
  expect_right("cold");
  sqlite3* handle = nullptr;
  ASSERT_EQ(::sqlite3_open(index_file().c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  publish();
  fs::create_directories(line() + "/" + slug_number(kMany + 200'000));
  expect_right("while another process writes to it");
  ::sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  ::sqlite3_close(handle);
  expect_right("afterwards");
}

TEST_F(LargeLine, PublishesWhereNoIndexCanBe) {
  scratch_.write("file", "");
  const auto blocked = posix_store(scratch_.path(), {}, scratch_ / "file/cache");
  EXPECT_EQ(*blocked->slugs(Kind::entry, "demo", "throughput"), listed());
}

TEST_F(LargeLine, PublishesTogether) {
  expect_right("cold");
  auto with_index = store();
  std::vector<std::unique_ptr<Staging>> stagings;
  for (int i = 0; i < 50; ++i) {
    auto staging = with_index->stage(Kind::entry, "demo", "throughput");
    (*staging)->in_batch();
    ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
    stagings.push_back(std::move(*staging));
  }
  const auto published = with_index->publish_all(std::move(stagings), moment() + std::chrono::hours(24));
  ASSERT_TRUE(published);
  ASSERT_EQ(published->size(), 50U);
  EXPECT_LT(published->front().slug, published->back().slug);
  EXPECT_TRUE(verify(published->front().path, {})->ok);
  expect_right("after fifty at once");
  EXPECT_NE(read(line() + "/INDEX.md").find("of " + std::to_string(kMany + 50)), std::string::npos);
}

TEST(Index, IsNotMadeForFewEntries) {
  const Scratch scratch;
  for (int i = 0; i < 50; ++i) fs::create_directories(scratch / kMeasurement + "/" + slug_number(i));
  const auto store = posix_store(scratch.path(), {}, scratch / "cache");
  EXPECT_EQ(store->slugs(Kind::entry, "demo", "throughput")->size(), 50U);
  EXPECT_FALSE(fs::exists(scratch / "cache"));
}

TEST(Index, IsWhereTheEnvironmentSays) {
  const auto folder = [](std::map<std::string, std::string, std::less<>> variables) {
    return cache::folder([variables](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(folder({{"HOME", "/home/x"}}), "/home/x/.cache/plumbline");
  EXPECT_EQ(folder({{"HOME", "/home/x"}, {"XDG_CACHE_HOME", "/fast"}}), "/fast/plumbline");
  EXPECT_EQ(folder({{"HOME", "/home/x"}, {"XDG_CACHE_HOME", "relative"}}), "/home/x/.cache/plumbline");
  EXPECT_EQ(folder({{"HOME", "/home/x"}, {"PLUMBLINE_CACHE_DIR", "/own"}}), "/own");
  EXPECT_EQ(folder({{"HOME", "/home/x"}, {"PLUMBLINE_CACHE_DIR", "off"}}), "");
  EXPECT_EQ(folder({}), "");
}

TEST(Watch, SeesWhatOthersDo) {
  const Scratch scratch;
  const io::Descriptor folder(::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY));
  cache::Watch watch;
  watch.begin(folder.get());
  const auto made = [&](const std::string& name, int counted) {
    watch.before(folder.get());
    fs::create_directory(scratch / name);
    watch.after(folder.get(), counted);
  };
  made("ours", 1);
  EXPECT_TRUE(watch.undisturbed(folder.get()));
  // A change beside ours that stat cannot tell from it by time, since it lies between our two looks.
  watch.before(folder.get());
  fs::create_directory(scratch / "ours2");
  fs::create_directory(scratch / "theirs");
  watch.after(folder.get(), 1);
  EXPECT_FALSE(watch.undisturbed(folder.get()));
}

TEST(SlugList, TakesSortedSlugsOnly) {
  const std::string a = slug_number(1), b = slug_number(2);
  EXPECT_EQ(SlugList::checked(a + b).size(), 2U);
  EXPECT_TRUE(SlugList::checked(b + a).empty());
  EXPECT_TRUE(SlugList::checked(a + a).empty());
  EXPECT_TRUE(SlugList::checked(a.substr(1) + "x").empty());
  EXPECT_TRUE(SlugList::checked(a + "x").empty());
}

TEST(Time, IsReadAsRfc3339WritesIt) {
  const auto slug = [](std::string_view text) {
    const auto time = parse_time(text);
    return time ? slug_of(*time) : std::string("none");
  };
  EXPECT_EQ(slug("2026-11-20"), "20261120T000000000000Z");
  EXPECT_EQ(slug("2026-11-20T15:03:59Z"), "20261120T150359000000Z");
  EXPECT_EQ(slug("2026-11-20 15:03:59.25z"), "20261120T150359250000Z");
  EXPECT_EQ(slug("2026-11-20T15:03:59.123456789+01:30"), "20261120T133359123456Z");
  for (const char* bad :
       {"", "2026", "2026-11-31", "2026-11-20T15:03", "2026-11-20T15:03:59", "2026-11-20T25:03:59Z", "2026-11-20T15:03:59+1:00",
        "2026-11-20T15:03:59Zx", "20-11-2026", "2026-11-20T15:03:59.Z", "2999-01-01", "0001-01-01"}) {
    EXPECT_EQ(slug(bad), "none") << bad;
  }
}

}  // namespace
}  // namespace plumbline::registry::test
