// Files that no single PUT takes: kept in a bucket in parts, and one file everywhere else.
#include "registry/manifest/parts.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "registry/posix/store.hpp"
#include "registry/s3/client.hpp"
#include "tests/registry/s3_server.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {

namespace {

using core::ErrorCode;

TEST(Parts, AreNamedByTheirOffset) {
  EXPECT_EQ(part_name("a/b.sqlite", 5368709120), "a/b.sqlite.part-000005368709120");
  EXPECT_TRUE(is_part_name("a/b.sqlite.part-000005368709120"));
  for (const char* name :
       {"b.part-1", "b.part-00000000000000x", ".part-000000000000000", "a/.part-000000000000000", "b.part-0000000000000000"})
    EXPECT_FALSE(is_part_name(name)) << name;
}

TEST(Parts, StandForAFileFromItsFirstByteOn) {
  const auto files = [](std::vector<std::string> names) {
    std::vector<ManifestLine> lines;
    lines.reserve(names.size());
    for (std::string& name : names) lines.push_back({std::string(64, 'a'), std::move(name)});
    std::map<std::string, std::size_t> out;
    for (const auto& [name, parts] : files_in_parts(lines)) out[name] = parts.size();
    return out;
  };
  using Found = std::map<std::string, std::size_t>;
  EXPECT_EQ(files({"a", "b.part-000000000000000", "b.part-000000000000005", "b.part-000000000000010"}), (Found{{"b", 3}}));
  EXPECT_EQ(files({"b.part-000000000000000"}), Found());                            // a file of that name, in one piece
  EXPECT_EQ(files({"b.part-000000000000005", "b.part-000000000000010"}), Found());  // nothing has its first bytes
}

// The ends of parts, to the byte.
TEST(Parts, AreHeldAgainstTheirBytes) {
  const std::string bytes = "0123456789abc";
  const FileParts parts = {{0, sha256_hex("01234")}, {5, sha256_hex("56789")}, {10, sha256_hex("abc")}};
  const auto wrong = [&](const std::string& text, std::size_t step) {
    PartChecker checker("f", parts);
    for (std::size_t at = 0; at < text.size(); at += step) checker.update(std::string_view(text).substr(at, step));
    std::vector<std::string> names;
    for (const auto& [name, digest] : checker.wrong()) names.push_back(name);
    return names;
  };
  using Names = std::vector<std::string>;
  for (const std::size_t step : {1U, 3U, 5U, 7U, 100U}) {
    EXPECT_EQ(wrong(bytes, step), Names());
    EXPECT_EQ(wrong("0123X56789abc", step), Names{part_name("f", 0)});
    EXPECT_EQ(wrong("01234X6789abc", step), Names{part_name("f", 5)});
    EXPECT_EQ(wrong(bytes + "d", step), Names{part_name("f", 10)});
    EXPECT_EQ(wrong("0123456789", step), Names{part_name("f", 10)});
    EXPECT_EQ(wrong("", step), (Names{part_name("f", 0), part_name("f", 5), part_name("f", 10)}));
  }
}

// A bucket takes 5 GiB in one piece; the smallest parts are 5 MiB, so that this takes no minute.
class InParts : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kPart = 5U << 20;
  // 12 MiB and a byte: two whole parts and the rest.
  InParts() {
    std::mt19937_64 random(7);
    bytes_.resize((12U << 20) + 1);
    for (char& c : bytes_) c = static_cast<char>(random());
    path_ = scratch_.write("large.bin", bytes_);
    store_ = store("cache");
    auto staging = store_->stage(Kind::entry, "demo", "throughput");
    const auto file = open_source(path_, {});
    const auto copied = (*staging)->add_copy("source-snapshot.txt", file->files.front(), {});
    EXPECT_TRUE(copied) << copied.error().message;
    EXPECT_EQ(copied->sha256, sha256_hex(bytes_));
    EXPECT_TRUE((*staging)->add("baseline.json", baseline_text()));
    auto published = store_->publish(std::move(*staging), moment());
    EXPECT_TRUE(published) << published.error().message;
    published_ = std::move(*published);
  }
  [[nodiscard]] std::string key(std::string_view name) const {
    return published_.address.substr(std::string("s3://perf/").size()) + "/" + std::string(name);
  }
  [[nodiscard]] std::unique_ptr<Store> store(const std::string& cache) const {
    return open_store({{}, "s3://perf/" + prefix_, {}, {}, environment(scratch_ / cache)});
  }
  [[nodiscard]] static s3::Environment environment(const std::string& cache) {
    return [usual = common_server().environment(cache)](std::string_view name) {
      return name == "PLUMBLINE_S3_PART_SIZE" ? std::optional<std::string>("5MiB") : usual(name);
    };
  }
  [[nodiscard]] s3::Client client() const {
    const auto asked = environment(scratch_ / "cache");
    return {*s3::settings_of("s3://perf/" + prefix_, asked), asked, {}};
  }

  const Scratch scratch_;
  const std::string prefix_ =
      "parts" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string bytes_, path_;
  std::unique_ptr<Store> store_;
  Published published_;
};

TEST_F(InParts, AreObjectsThatSha256sumChecks) {
  auto client = this->client();
  const auto manifest = client.get(key("SHA256SUMS"), 1U << 20);
  ASSERT_TRUE(manifest);
  std::string expected;
  for (std::uint64_t offset = 0; offset < bytes_.size(); offset += kPart) {
    const std::string part = bytes_.substr(offset, kPart), name = part_name("source-snapshot.txt", offset);
    const auto object = client.get(key(name), kPart);
    ASSERT_TRUE(object) << name;
    EXPECT_TRUE(*object == part) << name;
    expected += sha256_hex(part) + "  " + name + "\n";
  }
  EXPECT_EQ(manifest->substr(manifest->find('\n') + 1), expected);  // behind baseline.json
  EXPECT_NE(manifest->find("  source-snapshot.txt.part-000000005242880\n"), std::string::npos);
  EXPECT_FALSE(*client.exists(key("source-snapshot.txt")));
}

TEST_F(InParts, AreOneFileForWhoOpensTheEntry) {
  for (const auto& store : {std::move(store_), store("elsewhere")}) {
    const auto place = store->place(Kind::entry, "demo", "throughput", published_.slug);
    const auto entry = store->open(*place, {});
    ASSERT_TRUE(entry) << entry.error().message;
    const auto read = read_file(entry->snapshot, {});
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->view() == bytes_);
    EXPECT_FALSE(std::filesystem::exists(part_name(entry->snapshot, 0)));
    const auto verified = verify(entry->path, {});
    ASSERT_TRUE(verified && verified->ok);
    EXPECT_EQ(verified->bundle_sha256, published_.sha256);
  }
}

TEST_F(InParts, AreCheckedOneByOne) {
  auto client = this->client();
  const std::string second = part_name("source-snapshot.txt", kPart);
  client.remove(key(second));
  ASSERT_TRUE(client.put_once(key(second), {"something else", {}, 14, sha256_hex("something else"), 0}));
  const auto other = store("elsewhere");
  const auto place = other->place(Kind::entry, "demo", "throughput", published_.slug);
  const auto entry = other->open(*place, {});
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().code, ErrorCode::provenance_mismatch);
  EXPECT_NE(entry.error().message.find(second + " is not what was recorded"), std::string::npos) << entry.error().message;
  // verify() says what is wrong with it, and with nothing else; so it does of one that is lost.
  const StorePart part{Kind::entry, "demo", "throughput", published_.slug, true};
  ASSERT_TRUE(other->bring(part));
  auto verified = verify(*place, {});
  ASSERT_TRUE(verified);
  ASSERT_EQ(verified->problems.size(), 1U);
  EXPECT_EQ(verified->problems.front().path, second);
  client.remove(key(second));
  ASSERT_TRUE(other->bring(part));
  verified = verify(*place, {});
  ASSERT_TRUE(verified);
  ASSERT_EQ(verified->problems.size(), 1U);
  EXPECT_EQ(verified->problems.front().message, second + " is listed in SHA256SUMS and is not there");
}

TEST_F(InParts, AreFetchedAgainWhereTheCopyIsDamaged) {
  const auto place = store_->place(Kind::entry, "demo", "throughput", published_.slug);
  const std::string file = *place + "/source-snapshot.txt";
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(kPart + 3).put('x');
  auto verified = verify(*place, {});
  ASSERT_TRUE(verified);
  ASSERT_EQ(verified->problems.size(), 1U);
  EXPECT_EQ(verified->problems.front().path, "source-snapshot.txt");
  EXPECT_NE(verified->problems.front().message.find(" in " + part_name("source-snapshot.txt", kPart) + ", SHA256SUMS says "),
            std::string::npos);
  ASSERT_TRUE(store_->bring({Kind::entry, "demo", "throughput", published_.slug, true}));
  verified = verify(*place, {});
  ASSERT_TRUE(verified && verified->ok) << verified->problems.front().message;
}

TEST_F(InParts, AreToBeJoinedWhereAnotherToolFetchedThem) {
  auto client = this->client();
  const std::string folder = scratch_ / "fetched";
  std::filesystem::create_directory(folder);
  for (const std::string& name : {std::string("baseline.json"), std::string("SHA256SUMS"), part_name("source-snapshot.txt", 0),
                                  part_name("source-snapshot.txt", kPart), part_name("source-snapshot.txt", 2 * kPart)})
    scratch_.write("fetched/" + name, *client.get(key(name), 1U << 24));
  const auto verified = verify(folder, {});
  ASSERT_TRUE(verified && verified->ok);
  const auto entry = open_entry(folder, {});
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().message, folder + "/source-snapshot.txt lies there in its parts");
  EXPECT_EQ(entry.error().hint,
            "in that folder, `cat source-snapshot.txt.part-* > source-snapshot.txt && rm source-snapshot.txt.part-*` joins them");
  scratch_.write("fetched/source-snapshot.txt", bytes_);
  EXPECT_TRUE(open_entry(folder, {}));
}

TEST(Parts, AreNoFilesOfTheirOwn) {
  const Scratch scratch;
  const auto store = common_server().store("named", scratch / "cache");
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  const auto added = (*staging)->add("source-snapshot/x.part-000000000000000", "x");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "\"source-snapshot/x.part-000000000000000\" is named as parts of large files are");
}

TEST(Parts, AreAsLargeAsIsAskedFor) {
  const auto size = [](std::string text) {
    return s3::settings_of("s3://perf", [&](std::string_view name) {
      return name == "PLUMBLINE_S3_PART_SIZE" ? std::optional(text) : std::nullopt;
    });
  };
  EXPECT_EQ(size("5MiB")->part_bytes, 5U << 20);
  EXPECT_EQ(size("5GiB")->part_bytes, 5ULL << 30);
  EXPECT_EQ(size("")->part_bytes, 5ULL << 30);
  for (const char* wrong : {"5242879", "6GiB", "5 MiB", "5MB", "-1", "all"}) {
    const auto refused = size(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().message, "PLUMBLINE_S3_PART_SIZE is \"" + std::string(wrong) + "\"");
    EXPECT_EQ(refused.error().hint, "from 5MiB to 5GiB, such as 512MiB");
  }
}

}  // namespace
}  // namespace plumbline::registry::test
