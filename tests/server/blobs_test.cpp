// What is uploaded: kept under its digest, in parts, within quotas, for a while; and the heads that say so.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "registry/files.hpp"
#include "server/blobs/door.hpp"
#include "server/blobs/settings.hpp"
#include "server/blobs/store.hpp"
#include "tests/server/networked.hpp"

namespace plumbline::server::blobs {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Blobs : public ::testing::Test {
 protected:
  Blobs() {
    std::string pattern = (fs::temp_directory_path() / "plumbline-blobs-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    options_.folder = root_ + "/blobs";
    options_.quota = 1 << 20;
    options_.quota_each = 1 << 19;
    options_.now = [this] { return now_; };
  }
  ~Blobs() override { fs::remove_all(root_); }

  Store& store() {
    if (!store_) {
      auto opened = Store::open(options_);
      EXPECT_TRUE(opened.has_value());
      store_ = std::move(*opened);
    }
    return *store_;
  }
  void again() { store_.reset(); }

  // What became of it: "there", "part 3", or why it was refused.
  std::string send(const std::string& client, const std::string& content, const std::string& digest, std::uint64_t from = 0,
                   std::uint64_t total = 0) {
    auto upload = store().begin(client, digest, from, total == 0 ? content.size() : total);
    if (!upload) return upload.error().text;
    if (*upload == nullptr) return "was there";
    return finish(**upload, content);
  }
  std::string send(const std::string& client, const std::string& content) {
    return send(client, content, registry::sha256_hex(content));
  }
  static std::string finish(Upload& upload, const std::string& rest) {
    if (const auto refused = upload.write(rest)) return refused->text;
    const auto whole = upload.finish();
    if (!whole) return whole.error().text;
    return *whole ? "there" : "part " + std::to_string(upload.have());
  }
  // Of what is whole, by a name of its own.
  std::string content(const std::string& digest) {
    const std::string path = store().calls_folder() + "/" + digest;
    EXPECT_TRUE(store().link(digest, path).value_or(false));
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& file : fs::recursive_directory_iterator(options_.folder)) {
      if (file.is_regular_file() && file.path().filename() != ".gitignore") names.push_back(file.path().filename());
    }
    return names;
  }

  std::string root_;
  StoreOptions options_;
  std::chrono::system_clock::time_point now_ = std::chrono::system_clock::now();
  std::unique_ptr<Store> store_;
};

TEST_F(Blobs, IsKeptOnceUnderItsDigestInAPrivateFolder) {
  EXPECT_FALSE(fs::exists(store().options().folder)) << "nothing is made before the first upload";
  EXPECT_EQ(store().calls_folder(), "");
  EXPECT_EQ(send("a", "content"), "there");
  EXPECT_EQ(send("a", "content"), "was there");
  EXPECT_EQ(send("b", "content"), "was there");
  EXPECT_EQ(files(), std::vector<std::string>{registry::sha256_hex("content")});
  struct stat info {};
  ASSERT_EQ(::stat(options_.folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  const std::string digest = registry::sha256_hex("content");
  ASSERT_TRUE(store().link(digest, store().calls_folder() + "/x.json"));
  std::ifstream file(store().calls_folder() + "/x.json");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "content");
  EXPECT_FALSE(store().link(registry::sha256_hex("other"), store().calls_folder() + "/y").value_or(false));
}

TEST_F(Blobs, KeepsNothingOfWhatIsSomethingElse) {
  EXPECT_EQ(send("a", "wrong", registry::sha256_hex("right")), "what came has the SHA-256 " + registry::sha256_hex("wrong") +
                                                                   ", not " + registry::sha256_hex("right") +
                                                                   "; nothing of it is kept");
  EXPECT_EQ(files(), std::vector<std::string>{});
  EXPECT_EQ(store().look("a", registry::sha256_hex("right")), std::nullopt);
}

TEST_F(Blobs, GoesOnWhereThePartEnds) {
  const std::string digest = registry::sha256_hex("0123456789");
  EXPECT_EQ(send("a", "0123", digest, 0, 10), "part 4");
  EXPECT_EQ(send("a", "89", digest, 8, 10), "4 bytes have come: go on there");
  EXPECT_EQ(store().look("a", digest)->bytes, 4U);
  EXPECT_EQ(store().look("b", digest), std::nullopt) << "a part is its sender's";
  again();
  EXPECT_EQ(send("a", "456", digest, 4, 10), "part 7") << "in another process";
  EXPECT_EQ(send("a", "789", digest, 7, 10), "there");
  EXPECT_EQ(send("a", "anew", registry::sha256_hex("anew and more"), 0, 13), "part 4");
  EXPECT_EQ(send("a", "anew and more"), "there") << "from its beginning again";
}

TEST_F(Blobs, ANewerConnectionTakesOver) {
  const std::string digest = registry::sha256_hex("0123456789");
  auto first = store().begin("a", digest, 0, 10);
  ASSERT_TRUE(first && *first);
  EXPECT_FALSE((*first)->write("0123").has_value());
  EXPECT_EQ(store().begin("a", digest, 0, 10).error().why, Refused::Why::under_way);
  EXPECT_EQ(send("a", "456789", digest, 4, 10), "there");
  EXPECT_EQ((*first)->write("4567")->why, Refused::Why::under_way);
  EXPECT_EQ((*first)->finish().error().why, Refused::Why::under_way);
  EXPECT_EQ(files(), std::vector<std::string>{digest});
}

TEST_F(Blobs, OfTwoServersOneAtATimeWritesToAPart) {
  const std::string digest = registry::sha256_hex("0123456789");
  auto stalled = store().begin("a", digest, 0, 10);
  ASSERT_TRUE(stalled && *stalled);
  EXPECT_FALSE((*stalled)->write("0123").has_value());
  const auto second = *Store::open(options_);
  EXPECT_EQ(second->look("a", digest), (Standing{false, 4}));
  for (const std::uint64_t from : {0, 4}) {
    const auto refused = second->begin("a", digest, from, 10);
    ASSERT_FALSE(refused.has_value()) << from;
    EXPECT_EQ(refused.error().why, Refused::Why::under_way);
    EXPECT_EQ(refused.error().text, "another server is taking this upload");
    EXPECT_EQ(refused.error().have, 4U);
  }
  stalled->reset();  // its connection has timed out
  auto further = second->begin("a", digest, 4, 10);
  ASSERT_TRUE(further && *further);
  EXPECT_EQ(store().begin("a", digest, 0, 10).error().why, Refused::Why::under_way) << "the first one is no better off";
  EXPECT_EQ(finish(**further, "456789"), "there");
  EXPECT_EQ(content(digest), "0123456789");
  EXPECT_EQ(send("a", "0123456789"), "was there");
}

TEST_F(Blobs, WhatAnotherServerWritesToDoesNotExpire) {
  const std::string digest = registry::sha256_hex("0123456789");
  auto upload = store().begin("a", digest, 0, 10);
  ASSERT_TRUE(upload && *upload);
  EXPECT_FALSE((*upload)->write("0123").has_value());
  now_ += 25h;
  const auto second = *Store::open(options_);
  second->tidy();
  EXPECT_EQ(finish(**upload, "456789"), "there");
  now_ -= 25h;
  EXPECT_EQ(content(digest), "0123456789");
  EXPECT_EQ(send("a", "part", registry::sha256_hex("part of it"), 0, 10), "part 4");
  now_ += 25h;
  second->tidy();
  EXPECT_EQ(store().look("a", registry::sha256_hex("part of it")), std::nullopt);
  EXPECT_EQ(files(), std::vector<std::string>{}) << "when nobody does, it goes";
}

TEST_F(Blobs, APartThatIsGoneBeginsAnew) {
  const std::string digest = registry::sha256_hex("0123456789");
  EXPECT_EQ(send("a", "456789", digest, 4, 10), "0 bytes have come: go on there");
  EXPECT_EQ(store().look("a", digest), std::nullopt) << "and nothing is left of the question";
}

TEST_F(Blobs, AConnectionThatReadsWhatCameBeforeLetsANewerOneTakeOver) {
  constexpr std::uint64_t kMuch = 64ULL << 30;  // takes long to read; of zeros that no disk holds
  options_.quota = options_.quota_each = 1ULL << 40;
  const std::string digest = registry::sha256_hex("much");
  EXPECT_EQ(send("a", "m", digest, 0, 2), "part 1");
  fs::resize_file(options_.folder + "/" + registry::sha256_hex("a").substr(0, 16) + "/" + digest + ".part", kMuch);
  std::atomic<bool> over = false;
  std::optional<Refused> refused;
  std::thread older([&] {
    if (auto upload = store().begin("a", digest, kMuch, kMuch + 1); !upload) refused = upload.error();
    over = true;
  });
  // Whichever of these comes after it has begun takes over; none of them has the right size, so that none goes on.
  while (!over) EXPECT_FALSE(store().begin("a", digest, 5, kMuch + 1).has_value());
  older.join();
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->why, Refused::Why::under_way);
  EXPECT_EQ(refused->text, "another connection goes on with this upload");
}

TEST_F(Blobs, AClientThatIsSlowOrStallsIsToldToStopAndItsPartStays) {
  struct Case {
    std::chrono::milliseconds between_pieces, whole;
    std::size_t sent;
  };
  options_.quota_each = options_.quota;  // for both
  // The 2 KiB of the second one have the time that everybody has: more of it comes with each 64 KiB.
  for (const Case& each : {Case{100ms, 1h, 256U << 10}, Case{1h, 20ms, 2U << 10}}) {
    const std::string whole(400'000, static_cast<char>('a' + each.sent % 26)), digest = registry::sha256_hex(whole);
    const access::Principal who{"a", access::How::token};
    {
      transport::network::NetworkOptions options;
      options.limits.http.streams = transport::http::kStreamedUploads;
      options.limits.http_body = each.between_pieces;
      options.limits.http_body_whole = each.whole;
      options.limits.http_upload_unit = 1h;
      Door door(store());
      testing::Networked server(options);
      server.handler.on_body = [&](transport::http::Request head, std::shared_ptr<transport::http::Exchange> exchange) {
        return door.receive(std::move(head), std::move(exchange), who);
      };
      testing::Client client(server.http());
      client.send("PUT /blobs/sha256/" + digest + " HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n" +
                  whole.substr(0, each.sent));
      EXPECT_THAT(client.rest(), ::testing::EndsWith("the request's body took too long\n"));
    }
    const std::uint64_t have = store().look(who.id(), digest).value_or(Standing{}).bytes;
    EXPECT_LE(have, each.sent);
    EXPECT_EQ(send(who.id(), whole.substr(have), digest, have, whole.size()), "there");
  }
}

// Holds something of the server's until it goes, as an exchange of an upload does.
class SlowToGo final : public transport::http::Exchange {
 public:
  SlowToGo(std::promise<int>& answered, std::atomic<bool>& gone) : answered_(answered), gone_(gone) {}
  ~SlowToGo() override {
    std::this_thread::sleep_for(100ms);
    gone_ = true;
  }
  SlowToGo(const SlowToGo&) = delete;
  SlowToGo& operator=(const SlowToGo&) = delete;
  void reply(int status, transport::http::Headers /*headers*/, std::string /*body*/) override { answered_.set_value(status); }
  void begin_stream(int /*status*/, transport::http::Headers /*headers*/) override {}
  bool write(std::string /*bytes*/) override { return false; }
  void end() override {}
  void on_gone(std::function<void()> /*gone*/) override {}

 private:
  std::promise<int>& answered_;
  std::atomic<bool>& gone_;
};

TEST_F(Blobs, AStoppedDoorTouchesNothingOfTheServersAnyMore) {
  Door door(store());
  transport::http::Request head;
  head.method = "HEAD";
  head.target = "/blobs/sha256/" + registry::sha256_hex("x");
  for (int i = 0; i < 2; ++i) {
    std::promise<int> answered;
    std::atomic<bool> gone = false;
    door.handle(head, std::make_shared<SlowToGo>(answered, gone), {"a", access::How::token});
    if (i == 0) {
      EXPECT_EQ(answered.get_future().get(), 404);
      door.stop();
    }
    EXPECT_TRUE(gone) << (i == 0 ? "what was under way is through" : "what comes later is dropped");
  }
}

TEST_F(Blobs, HasBounds) {
  const std::string half(300'000, 'x');
  EXPECT_EQ(send("a", half), "there");
  EXPECT_EQ(store().begin("a", registry::sha256_hex("y"), 0, half.size()).error().why, Refused::Why::quota) << "of one client";
  EXPECT_EQ(send("b", std::string(300'000, 'b')), "there");
  EXPECT_EQ(send("c", std::string(300'000, 'c')), "there");
  EXPECT_EQ(store().begin("d", registry::sha256_hex("y"), 0, half.size()).error().why, Refused::Why::quota) << "of all";
  EXPECT_EQ(store().begin("d", registry::sha256_hex("y"), 0, (1 << 19) + 1).error().why, Refused::Why::too_large);
  const auto room = store().begin("d", registry::sha256_hex("y"), 0, 100'000);
  ASSERT_TRUE(room && *room);
  EXPECT_EQ(store().begin("e", registry::sha256_hex("z"), 0, 100'000).error().why, Refused::Why::quota)
      << "what is announced counts before it comes";
  EXPECT_EQ((*room)->write(std::string(100'001, 'y'))->why, Refused::Why::too_large);
}

TEST_F(Blobs, ExpiresAfterItsLastUse) {
  const std::string digest = registry::sha256_hex("content");
  EXPECT_EQ(send("a", "content"), "there");
  now_ += 20h;
  EXPECT_TRUE(store().look("a", digest)->whole) << "which counts as a use";
  now_ += 20h;
  EXPECT_TRUE(store().link(digest, store().calls_folder() + "/x").value_or(false)) << "and so does this";
  now_ += 20h;
  store().tidy();
  EXPECT_TRUE(store().look("a", digest).has_value());
  now_ += 25h;
  EXPECT_EQ(store().look("a", digest), std::nullopt) << "whether or not somebody has tidied";
  EXPECT_FALSE(store().link(digest, store().calls_folder() + "/y").value_or(false));
  store().tidy();
  EXPECT_EQ(files(), std::vector<std::string>{}) << "and what a call left is gone as well";
}

// Beside the registry in a bucket: what clients put there, and what was asked of it.
class Bucket final : public registry::SharedFiles {
 public:
  core::Expected<registry::UploadPermit> permit(const std::string& sha256, std::uint64_t bytes,
                                                std::chrono::seconds valid) override {
    if (!has_credentials) return core::fail(core::ErrorCode::environment, "no credentials");
    return registry::UploadPermit{"http://bucket/" + sha256, {{"content-length", std::to_string(bytes)}}, valid};
  }
  core::Expected<std::optional<std::uint64_t>> size_of(const std::string& sha256) override {
    if (!answers) return core::fail(core::ErrorCode::environment, "the bucket does not answer");
    const auto found = objects.find(sha256);
    return found == objects.end() ? std::nullopt : std::optional<std::uint64_t>(found->second.size());
  }
  core::Status bring(const std::string& sha256, int fd, std::uint64_t, const std::function<bool()>&) override {
    ++brought;
    const std::string& content = objects.at(sha256);
    EXPECT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    if (registry::sha256_hex(content) == sha256) return {};
    return core::fail(core::ErrorCode::invalid_input, "something else");
  }
  void remove(const std::string& sha256) override { objects.erase(sha256); }

  std::map<std::string, std::string> objects;
  bool has_credentials = true, answers = true;
  int brought = 0;
};

class BlobsInABucket : public Blobs {
 protected:
  BlobsInABucket() {
    options_.quota = 4 * kSentDirectly;
    options_.quota_each = 2 * kSentDirectly;
    options_.shared = bucket_;
  }
  // "permit", "here", or why not.
  std::string ask(const std::string& client, const std::string& digest, std::uint64_t bytes) {
    const auto permit = store().permit(client, digest, bytes);
    return !permit ? permit.error().text : *permit ? "permit" : "here";
  }
  const std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
  const std::string digest_ = registry::sha256_hex("content");
};

TEST_F(BlobsInABucket, LargeOnesGoThereAndCountAsWhatTheyWillBe) {
  EXPECT_EQ(ask("a", digest_, kSentDirectly - 1), "here");
  EXPECT_EQ(ask("a", digest_, kSentDirectly), "permit");
  EXPECT_EQ(ask("a", digest_, kSentDirectly), "permit") << "an earlier try is not counted twice";
  EXPECT_EQ(ask("a", registry::sha256_hex("2"), kSentDirectly), "permit");
  EXPECT_THAT(ask("a", registry::sha256_hex("3"), kSentDirectly), ::testing::HasSubstr("beyond this client's quota"));
  EXPECT_THAT(ask("b", registry::sha256_hex("4"), 2 * kSentDirectly + 1),
              ::testing::HasSubstr("are more than one upload may have here"));
  bucket_->has_credentials = false;
  EXPECT_EQ(ask("b", registry::sha256_hex("4"), kSentDirectly), "here") << "without credentials the server takes it";
  EXPECT_EQ(files().size(), 2U);
  options_.quota = options_.quota_each = 1ULL << 40;
  again();
  bucket_->has_credentials = true;
  EXPECT_EQ(ask("c", digest_, registry::kSharedFileAtMost), "permit");
  EXPECT_EQ(ask("c", digest_, registry::kSharedFileAtMost + 1), "here") << "more than one PUT of S3 takes";
}

TEST_F(BlobsInABucket, AreBroughtOnceAndExpireWithTheirMark) {
  EXPECT_EQ(store().look("a", digest_), std::nullopt);
  EXPECT_EQ(ask("a", digest_, kSentDirectly), "permit");
  EXPECT_EQ(store().look("a", digest_), std::nullopt) << "not before it is there";
  bucket_->objects[digest_] = "content";
  EXPECT_EQ(store().look("b", digest_), (Standing{true, 7}));
  EXPECT_EQ(content(digest_), "content");
  EXPECT_TRUE(store().link(digest_, store().calls_folder() + "/again").value_or(false));
  EXPECT_EQ(bucket_->brought, 1);
  now_ += 20h;
  EXPECT_TRUE(store().link(digest_, store().calls_folder() + "/later").value_or(false)) << "of the copy";
  now_ += 20h;
  EXPECT_TRUE(bucket_->objects.contains(digest_));
  store().tidy();
  EXPECT_FALSE(bucket_->objects.contains(digest_)) << "the mark has expired";
  EXPECT_TRUE(store().look("a", digest_)->whole) << "the copy was used";
  now_ += 25h;
  store().tidy();
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(BlobsInABucket, OneThatAnotherClientCountsOnStays) {
  for (const char* client : {"a", "b"}) EXPECT_EQ(ask(client, digest_, kSentDirectly), "permit");
  bucket_->objects[digest_] = "content";
  EXPECT_TRUE(store().look("a", digest_)->whole);
  now_ += 20h;
  EXPECT_TRUE(store().look("b", digest_)->whole);
  now_ += 10h;
  store().tidy();
  EXPECT_EQ(files().size(), 1U) << "the mark of a has expired, that of b has not";
  EXPECT_TRUE(bucket_->objects.contains(digest_));
}

TEST_F(BlobsInABucket, WhatIsSomethingElseIsNoUpload) {
  bucket_->objects[digest_] = "something else";
  const auto linked = store().link(digest_, "/nowhere");
  ASSERT_FALSE(linked.has_value());
  EXPECT_EQ(linked.error().code, core::ErrorCode::invalid_input);
  EXPECT_TRUE(bucket_->objects.empty()) << "it can be sent again";
  EXPECT_EQ(files(), std::vector<std::string>{});
  bucket_->answers = false;
  EXPECT_EQ(store().link(digest_, "/nowhere").error().message, "the bucket does not answer");
  EXPECT_EQ(store().look("a", digest_), std::nullopt);
}

TEST_F(BlobsInABucket, CopiesMakeRoomForUploads) {
  options_.quota = 1 << 20;
  options_.quota_each = 1 << 19;
  for (const char* each : {"1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
    const std::string content = each + std::string(400'000, 'x'), digest = registry::sha256_hex(content);
    bucket_->objects[digest] = content;
    EXPECT_TRUE(store().link(digest, store().calls_folder() + "/" + each).value_or(false)) << each;
  }
  EXPECT_LE(files().size(), 2U + 9U) << "with the names of the calls";
  EXPECT_EQ(send("a", std::string(500'000, 'y')), "there");
}

TEST_F(Blobs, AFolderThatIsOpenToOthersIsNotTaken) {
  fs::create_directory(options_.folder);
  fs::permissions(options_.folder, fs::perms::owner_all | fs::perms::group_read);
  EXPECT_EQ(Store::open(options_).error().message,
            options_.folder + " is open to others: uploads are kept in a folder of the server's own account");
}

TEST(BlobNames, AreDigestsAlone) {
  const std::string hex(64, 'a');
  EXPECT_EQ(digest_in("/blobs/sha256/" + hex), hex);
  for (const std::string& target : {"/blobs/sha256/" + hex + "/", "/blobs/sha256/" + hex.substr(1), "/blobs/sha256/" + hex + "a",
                                    "/blobs/sha256/" + std::string(64, 'A'), "/blobs/sha256/../" + hex.substr(3), "/blobs/" + hex,
                                    "/blobs/sha256/" + hex + "?x=1", std::string("/blobs/sha256/")}) {
    EXPECT_EQ(digest_in(target), std::nullopt) << target;
  }
}

TEST(ContentRanges, AreReadStrictly) {
  const auto range = parse_content_range("bytes 5-9/20");
  ASSERT_TRUE(range);
  EXPECT_EQ((std::array{range->from, range->to, range->total}), (std::array<std::uint64_t, 3>{5, 9, 20}));
  for (const char* text :
       {"", "bytes", "bytes 5-9", "bytes 5-9/*", "bytes 9-5/20", "bytes 5-20/20", "bytes -5-9/20", "bytes 5-9/20 ",
        "items 5-9/20", "bytes 5 - 9/20", "bytes 0x5-9/20", "bytes 5-9/18446744073709551616", "bytes 5/9-20"}) {
    EXPECT_FALSE(parse_content_range(text)) << text;
  }
}

TEST(ContentRanges, AskForAPlace) {
  EXPECT_EQ(asked_total("bytes */70000000"), 70'000'000U);
  for (const char* text : {"bytes */", "bytes */*", "bytes */-1", "bytes 0-1/2", "*/3", ""})
    EXPECT_EQ(asked_total(text), std::nullopt) << text;
}

TEST(BlobSettings, AreNumbersWithUnits) {
  EXPECT_EQ(parse_quota("16GiB,4GiB")->all, 16ULL << 30);
  EXPECT_EQ(parse_quota("16GiB,4GiB")->each, 4ULL << 30);
  EXPECT_EQ(parse_quota("5MiB")->each, 5ULL << 20);
  EXPECT_EQ(parse_quota("0")->all, 0U);
  for (const char* text : {"", "x", "1GB", "-1", "1MiB,2MiB", "1,", ",1", "9999999999999TiB"})
    EXPECT_FALSE(parse_quota(text)) << text;
  EXPECT_EQ(*parse_ttl("36h"), 36h);
  EXPECT_EQ(*parse_ttl("2d"), 48h);
  for (const char* text : {"", "5", "0s", "-1s", "1w", "x"}) EXPECT_FALSE(parse_ttl(text)) << text;
}

}  // namespace
}  // namespace plumbline::server::blobs
