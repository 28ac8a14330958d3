// What every store must do, whatever it keeps things in: a store is a factory at the end of this file.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "registry/store.hpp"
#include "tests/registry/s3_server.hpp"
#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {

struct StoreFactory {
  std::string name;
  // Stores of one root hold the same; what a store keeps on this machine lies under it.
  std::function<std::unique_ptr<Store>(std::string root, PathLimits limits)> make;
  // A number that a writer claimed is used, or its claim stays. Else it is given back where a later one was published meanwhile,
  // were it the first.
  bool gap_free = true;
  friend void PrintTo(const StoreFactory& factory, std::ostream* out) { *out << factory.name; }
};

class StoreSuite : public ::testing::TestWithParam<StoreFactory> {
 protected:
  Scratch scratch_;
  [[nodiscard]] std::unique_ptr<Store> another(PathLimits limits = {}) const {
    return GetParam().make(scratch_.path(), std::move(limits));
  }
  std::unique_ptr<Store> store_ = another();
};

TEST_P(StoreSuite, PublishesACompleteEntry) {
  const auto published = publish_entry(*store_);
  EXPECT_EQ(published.slug, slug_of(moment()));
  EXPECT_EQ(published.path, store_->directory(Kind::entry, "demo", "throughput") + "/" + published.slug);
  EXPECT_EQ(published.path, *store_->place(Kind::entry, "demo", "throughput", published.slug));
  EXPECT_TRUE(is_sha256_hex(published.sha256));
  EXPECT_TRUE(published.warnings.empty());
  ASSERT_EQ(published.files.size(), 3U);
  EXPECT_EQ(published.files[0].name, "SHA256SUMS");
  EXPECT_EQ(published.files[0].sha256, published.sha256);
  EXPECT_EQ(published.files[2].name, "source-snapshot.txt");
  EXPECT_EQ(published.files[2].bytes, 4U);
  EXPECT_EQ(published.files[2].path, published.path + "/source-snapshot.txt");
  const auto entry = store_->open(published.path, {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->entry_sha256, published.sha256);
  EXPECT_EQ(entry->slug, published.slug);
  EXPECT_EQ(entry->family, "demo");
  EXPECT_EQ(entry->record.value, 100);
  EXPECT_EQ(entry->snapshot, published.path + "/source-snapshot.txt");
  EXPECT_TRUE(entry->warnings.empty());
}

TEST_P(StoreSuite, ListsOldestFirstAndNothingThatIsStaged) {
  EXPECT_TRUE(store_->slugs(Kind::entry, "demo", "throughput")->empty());
  EXPECT_TRUE(store_->measurements(Kind::entry)->empty());
  const auto second = publish_entry(*store_, "demo", "throughput", moment(5));
  const auto first = publish_entry(*store_, "demo", "throughput", moment());
  publish_entry(*store_, "a", "z", moment());
  auto staging = store_->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", "{}"));
  EXPECT_EQ(*store_->slugs(Kind::entry, "demo", "throughput"), (std::vector<std::string>{first.slug, second.slug}));
  EXPECT_EQ(*store_->measurements(Kind::entry),
            (std::vector<std::pair<std::string, std::string>>{{"a", "z"}, {"demo", "throughput"}}));
  EXPECT_TRUE(store_->measurements(Kind::bundle)->empty());
}

TEST_P(StoreSuite, NamesThoseFromAMomentOn) {
  EXPECT_TRUE(store_->names(Kind::entry, "demo", "throughput", "")->empty());
  std::vector<std::string> all;
  for (const int at : {0, 5, 9}) all.push_back(publish_entry(*store_, "demo", "throughput", moment(at)).slug);
  EXPECT_EQ(*store_->names(Kind::entry, "demo", "throughput", ""), all);
  EXPECT_EQ(*store_->names(Kind::entry, "demo", "throughput", all[1]), (std::vector<std::string>{all[1], all[2]}));
  EXPECT_EQ(*store_->names(Kind::entry, "demo", "throughput", slug_of(moment(6))), std::vector<std::string>{all[2]});
  EXPECT_TRUE(store_->names(Kind::entry, "demo", "throughput", slug_of(moment(10)))->empty());
}

TEST_P(StoreSuite, TakesTheNextMicrosecondWhenASlugIsTaken) {
  EXPECT_EQ(publish_entry(*store_).slug, slug_of(moment()));
  EXPECT_EQ(publish_entry(*store_).slug, slug_of(moment(1)));
  EXPECT_EQ(publish_entry(*store_).slug, slug_of(moment(2)));
}

TEST_P(StoreSuite, NeverReplaces) {
  const auto published = publish_entry(*store_);
  auto staging = store_->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text("demo", "throughput", R"(,"reason":"other")")));
  const auto again = store_->publish_as(std::move(*staging), published.slug);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, core::ErrorCode::already_exists);
  EXPECT_EQ(again.error().message, "registry entry already exists: " + published.address);
  EXPECT_TRUE(store_->open(published.path, {}));
  EXPECT_EQ(store_->slugs(Kind::entry, "demo", "throughput")->size(), 1U);
}

TEST_P(StoreSuite, PublishesUnderAReservedSlug) {
  auto staging = store_->stage(Kind::bundle, "adhoc", "vllm");
  ASSERT_TRUE((*staging)->add("diff.json", "{}"));
  const auto published = store_->publish_as(std::move(*staging), "20261120T150359221206Z");
  ASSERT_TRUE(published);
  EXPECT_EQ(published->path, *store_->place(Kind::bundle, "adhoc", "vllm", "20261120T150359221206Z"));
}

TEST_P(StoreSuite, RefusesUnsafeNames) {
  for (const std::string name : {"../outside", "/outside", "nested/x", "nested\\x", "", "."}) {
    EXPECT_EQ(
        store_->stage(Kind::entry, name, "m").error().message,
        "family must be one safe path segment: " + (name == "nested\\x" ? std::string("\"nested\\\\x\"") : "\"" + name + "\""));
    EXPECT_EQ(store_->place(Kind::bundle, "f", name, "s").error().code, core::ErrorCode::usage);
    EXPECT_FALSE(store_->slugs(Kind::entry, "f", name));
  }
  EXPECT_EQ(store_->directory(Kind::entry, "f", "m").rfind(scratch_.path(), 0), 0U);
}

TEST_P(StoreSuite, HashesWhileItWrites) {
  auto staging = store_->stage(Kind::bundle, "f", "m");
  const std::string large(3'500'001, 'y');
  ASSERT_TRUE((*staging)->add("large", large));
  EXPECT_EQ((*staging)->digest_of("large"), sha256_hex(large));
  ASSERT_TRUE((*staging)->add_stream("pieces/deltas.jsonl", [](const auto& write) -> core::Status {
    for (int i = 0; i < 3; ++i) {
      if (auto done = write("row\n"); !done) return done;
    }
    return {};
  }));
  EXPECT_EQ((*staging)->digest_of("pieces/deltas.jsonl"), sha256_hex("row\nrow\nrow\n"));
  const auto source = open_source(scratch_.write("current.json", "{\"a\":1}"), {});
  const auto copied = (*staging)->add_copy("current-snapshot.json", source->files[0], {});
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->sha256, sha256_hex("{\"a\":1}"));
  EXPECT_EQ(copied->bytes, 7U);
  EXPECT_EQ((*staging)->digest_of("none"), std::nullopt);
  const auto manifest = (*staging)->manifest();
  ASSERT_TRUE((*staging)->add("attest/statement.json", "{}"));
  EXPECT_EQ((*staging)->manifest(), manifest);  // what is signed does not list the signature
  const auto published = store_->publish(std::move(*staging), moment());
  ASSERT_TRUE(published);
  EXPECT_EQ(published->sha256, sha256_hex(manifest));
  EXPECT_EQ(read(published->path + "/SHA256SUMS"), manifest);
  EXPECT_EQ(read(published->path + "/large"), large);
}

TEST_P(StoreSuite, TakesFilesOfSeveralThreadsAtOnce) {
  auto staging = store_->stage(Kind::bundle, "f", "m");
  const auto source = open_source(scratch_.write("current.json", std::string(200'000, 'z')), {});
  std::vector<std::future<core::Status>> added;
  for (int t = 0; t < 4; ++t) {
    added.push_back(std::async(std::launch::async, [&, t, folder = "of-" + std::to_string(t % 2) + "/"]() -> core::Status {
      for (int i = 0; i < 20; ++i) {
        const std::string name = folder + std::to_string(t) + "-" + std::to_string(i);
        if (auto done = (*staging)->add(name, name); !done) return done;
        if ((*staging)->digest_of(name) != sha256_hex(name)) return core::fail(core::ErrorCode::internal, "no digest: " + name);
      }
      auto copied = (*staging)->add_copy(folder + "copy-" + std::to_string(t), source->files[0], {});
      return copied ? core::Status() : core::fail(copied.error());
    }));
  }
  for (auto& one : added) {
    const auto done = one.get();
    ASSERT_TRUE(done) << done.error().message;
  }
  const std::string manifest = (*staging)->manifest();
  EXPECT_EQ(std::count(manifest.begin(), manifest.end(), '\n'), 4 * 21);
  const auto published = store_->publish(std::move(*staging), moment());
  ASSERT_TRUE(published);
  EXPECT_EQ(published->sha256, sha256_hex(manifest));
  EXPECT_EQ(read(published->path + "/of-1/3-19"), "of-1/3-19");
}

TEST_P(StoreSuite, RefusesNamesThatAManifestCannotList) {
  auto staging = store_->stage(Kind::bundle, "f", "m");
  for (const std::string name : {"", "/x", "../x", "a/../x", "a//b", "line\nbreak", "back\\slash"}) {
    const auto added = (*staging)->add(name, "1");
    ASSERT_FALSE(added) << name;
    EXPECT_EQ(added.error().code, core::ErrorCode::invalid_input);
  }
  EXPECT_EQ((*staging)->add("../x", "1").error().message, "the file name \"../x\" cannot be listed in SHA256SUMS");
}

TEST_P(StoreSuite, NoticesAFileThatChangedSinceItWasLookedAt) {
  const auto source = open_source(scratch_.write("current.json", "1"), {});
  scratch_.write("current.json", "22");
  auto staging = store_->stage(Kind::bundle, "f", "m");
  const auto copied = (*staging)->add_copy("current-snapshot.json", source->files[0], {});
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message, scratch_ / "current.json" + " changed while it was being read");
}

TEST_P(StoreSuite, LeavesNothingBehindWhenGivenUp) {
  const auto before = tree(scratch_.path());
  {
    auto staging = store_->stage(Kind::entry, "demo", "throughput");
    EXPECT_EQ(tree(scratch_.path()), before);  // nothing exists before the first file
    ASSERT_TRUE((*staging)->add("source-snapshot/deep/er/a", "1"));
    EXPECT_NE(tree(scratch_.path()), before);
  }
  EXPECT_EQ(tree(scratch_.path()), before);
  {
    auto staging = store_->stage(Kind::entry, "demo", "throughput");
    const auto failed = (*staging)->add_stream("deltas.jsonl", [](const auto& write) -> core::Status {
      if (auto done = write("half"); !done) return done;
      return core::fail(core::ErrorCode::cancelled, "stopped");
    });
    EXPECT_EQ(failed.error().message, "stopped");
    EXPECT_EQ((*staging)->digest_of("deltas.jsonl"), std::nullopt);
  }
  EXPECT_EQ(tree(scratch_.path()), before);
  EXPECT_EQ(store_->publish(std::move(*store_->stage(Kind::entry, "demo", "throughput")), moment()).error().message,
            "nothing was staged for publication");
  EXPECT_EQ(tree(scratch_.path()), before);
}

TEST_P(StoreSuite, AcceptsInSequence) {
  const auto first = publish_entry(*store_);
  const auto second = publish_entry(*store_);
  EXPECT_EQ(*store_->accepted("demo", "throughput"), std::nullopt);
  EXPECT_EQ(*store_->open_claims("demo", "throughput"), std::vector<std::uint64_t>{});
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = first.slug;
  acceptance.reason = "first";
  ASSERT_TRUE(store_->accept(acceptance, acceptance_text));
  acceptance.slug = second.slug;
  const auto path = store_->accept(acceptance, acceptance_text);
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, store_->directory(Kind::entry, "demo", "throughput") + "/accepted/000002-" + second.slug + ".json");
  EXPECT_EQ(*store_->open_claims("demo", "throughput"), std::vector<std::uint64_t>{}) << "their records are there";
  const auto holds = store_->accepted("demo", "throughput");
  ASSERT_TRUE(holds && *holds);
  EXPECT_EQ((*holds)->seq, 2U);
  EXPECT_EQ((*holds)->slug, second.slug);
  EXPECT_EQ((*holds)->previous, first.slug);
  EXPECT_EQ(store_->slugs(Kind::entry, "demo", "throughput")->size(), 2U);
  acceptance.slug = "20200101T000000000000Z";
  const auto unknown = store_->accept(acceptance, acceptance_text);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "there is no entry 20200101T000000000000Z in demo/throughput");
  EXPECT_EQ(unknown.error().hint, "the newest is " + second.slug);
}

// Runs `work` on so many threads at once, each with a store of its own.
inline void at_once(int writers, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(writers));
  for (int i = 0; i < writers; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

TEST_P(StoreSuite, LetsOneOfManyRacingWritersHaveASlug) {
  std::atomic<int> won{0}, lost{0};
  at_once(16, [&](int i) {
    const auto store = another();
    auto staging = store->stage(Kind::entry, "demo", "throughput");
    if (!(*staging)->add("baseline.json", baseline_text("demo", "throughput", ",\"reason\":\"" + std::to_string(i) + "\"")))
      return;
    if (!(*staging)->add("source-snapshot.txt", "100\n")) return;
    const auto published = store->publish_as(std::move(*staging), "20261120T150359221206Z");
    if (published)
      ++won;
    else if (published.error().code == core::ErrorCode::already_exists)
      ++lost;
  });
  EXPECT_EQ(won, 1);
  EXPECT_EQ(lost, 15);
  const auto entry = store_->open(*store_->place(Kind::entry, "demo", "throughput", "20261120T150359221206Z"), {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(store_->slugs(Kind::entry, "demo", "throughput")->size(), 1U);
}

TEST_P(StoreSuite, GivesRacingWritersOfOneMomentSlugsOfTheirOwn) {
  at_once(8, [&](int) { publish_entry(*another()); });
  const auto slugs = store_->slugs(Kind::entry, "demo", "throughput");
  ASSERT_TRUE(slugs);
  EXPECT_EQ(slugs->size(), 8U);
  for (const std::string& slug : *slugs)
    EXPECT_TRUE(store_->open(store_->directory(Kind::entry, "demo", "throughput") + "/" + slug, {})) << slug;
}

TEST_P(StoreSuite, NumbersAcceptancesOfManyWritersWithoutAGap) {
  const auto entry = publish_entry(*store_);
  std::mutex mutex;
  std::set<std::string> paths;
  std::set<std::uint64_t> numbers;
  at_once(8, [&](int) {
    const auto store = another();
    for (int i = 0; i < 5; ++i) {
      core::Acceptance acceptance;
      acceptance.family = "demo";
      acceptance.measurement = "throughput";
      acceptance.slug = entry.slug;
      std::uint64_t number = 0;
      const auto path = store->accept(acceptance, [&](const core::Acceptance& one) {
        number = one.seq;
        return acceptance_text(one);
      });
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(path) << path.error().message;
      if (path) paths.insert(*path);
      numbers.insert(number);
    }
  });
  EXPECT_EQ(paths.size(), 40U);
  EXPECT_EQ(numbers.size(), 40U);
  if (GetParam().gap_free) {
    EXPECT_EQ(*numbers.begin(), 1U);
    EXPECT_EQ(*numbers.rbegin(), 40U);
  }
  const auto holds = store_->accepted("demo", "throughput");
  ASSERT_TRUE(holds && *holds);
  EXPECT_EQ((*holds)->seq, *numbers.rbegin());
}

TEST_P(StoreSuite, GivesTheNewestFirst) {
  std::vector<std::string> published;
  for (int i = 0; i < 40; ++i) published.push_back(publish_entry(*store_, "demo", "throughput", moment(i)).slug);
  std::reverse(published.begin(), published.end());
  EXPECT_EQ(*store_->newest_slugs(Kind::entry, "demo", "throughput", 3),
            (std::vector<std::string>{published[0], published[1], published[2]}));
  NewestFirst newest(*store_, Kind::entry, "demo", "throughput");
  for (const std::string& slug : published) {
    const auto next = newest.next();
    ASSERT_TRUE(next && *next);
    EXPECT_EQ(**next, slug);
  }
  EXPECT_EQ(*newest.next(), std::nullopt);
}

TEST_P(StoreSuite, SaysWhatIsNotThere) {
  EXPECT_TRUE(store_->newest_slugs(Kind::entry, "demo", "throughput", 1)->empty());
  EXPECT_EQ(*store_->accepted("demo", "throughput"), std::nullopt);
  const auto absent = store_->open(*store_->place(Kind::entry, "demo", "throughput", "20261120T150359221206Z"), {});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, core::ErrorCode::not_found);
}

TEST_P(StoreSuite, KeepsWhatAnotherStoreOfItPublished) {
  const auto published = publish_entry(*store_);
  const auto other = another();
  EXPECT_EQ(*other->slugs(Kind::entry, "demo", "throughput"), (std::vector<std::string>{published.slug}));
  const auto entry = other->open(published.path, {});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->entry_sha256, published.sha256);
  EXPECT_EQ(entry->address, published.address);
}

TEST_P(StoreSuite, StopsWhenItIsAskedTo) {
  publish_entry(*store_);
  std::atomic<bool> stop{false};
  PathLimits limits;
  limits.stop = [&stop] { return stop.load(); };
  const auto store = another(limits);
  auto staging = store->stage(Kind::bundle, "f", "m");
  const auto source = open_source(scratch_.write("current.json", std::string(3'000'000, 'x')), {});
  stop = true;
  const auto copied = (*staging)->add_copy("current-snapshot.json", source->files[0], limits);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, core::ErrorCode::cancelled);
  staging->reset();
  EXPECT_TRUE(store_->slugs(Kind::bundle, "f", "m")->empty());
}

// A writer that publishes and accepts without end, in a process of its own that may be killed at any moment; what it is sure of
// it says through a pipe, a line each: a slug, or the path of an acceptance.
class Writer {
 public:
  explicit Writer(const std::function<void(const std::function<void(const std::string&)>&)>& work) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      work([&](const std::string& said) {
        const std::string line = said + "\n";  // shorter than what a pipe takes in one piece
        if (::write(ends[1], line.data(), line.size()) < 0) ::_exit(1);
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    said_ = ends[0];
  }
  ~Writer() {
    kill();
    ::close(said_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Until something is said, but no longer than that: so that the end comes anywhere between two of them.
  void wait_for_word(std::chrono::microseconds at_most) {
    pollfd one{said_, POLLIN, 0};
    const timespec wait{at_most.count() / 1'000'000, at_most.count() % 1'000'000 * 1000};
    if (::ppoll(&one, 1, &wait, nullptr) > 0) static_cast<void>(take());
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  // All that it said, once it is dead. The end of it may be half a line, which says nothing.
  std::vector<std::string> lines() {
    while (take()) {
    }
    std::vector<std::string> out;
    for (std::size_t from = 0; from < text_.size();) {
      const auto end = text_.find('\n', from);
      if (end == std::string::npos) break;
      out.push_back(text_.substr(from, end - from));
      from = end + 1;
    }
    return out;
  }

 private:
  bool take() {
    std::array<char, 4096> block{};
    const auto got = ::read(said_, block.data(), block.size());
    if (got > 0) text_.append(block.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  pid_t pid_ = 0;
  int said_ = -1;
  std::string text_;
};

TEST_P(StoreSuite, KeepsWhatWasAcknowledgedWhenWritersAreKilled) {
  const auto first = publish_entry(*store_);
  const auto began = std::chrono::steady_clock::now();
  publish_entry(*store_);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  std::mt19937_64 chance(20261128);
  std::set<std::string> slugs = {first.slug}, accepted;
  std::size_t said = 0;
  for (int round = 0; round < 30; ++round) {
    const auto store = another();
    Writer writer([&](const auto& say) {
      for (;;) {
        say(publish_entry(*store, "demo", "throughput", std::chrono::system_clock::now()).slug);
        core::Acceptance acceptance;
        acceptance.family = "demo";
        acceptance.measurement = "throughput";
        acceptance.slug = first.slug;
        if (const auto path = store->accept(acceptance, acceptance_text)) say(*path);
      }
    });
    writer.wait_for_word(std::chrono::seconds(30));
    writer.wait_for_word(std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, 2 * whole.count())(chance)));
    writer.kill();
    for (const std::string& line : writer.lines()) {
      ++said;
      EXPECT_TRUE((is_slug(line) ? slugs : accepted).insert(line).second) << "given twice: " << line;
    }
  }
  EXPECT_GE(said, 30U);
  // Asked from a machine that knows nothing of it.
  const auto reader = another();
  const auto listed = reader->slugs(Kind::entry, "demo", "throughput");
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_TRUE(std::includes(listed->begin(), listed->end(), slugs.begin(), slugs.end())) << "acknowledged, and not there";
  for (const std::string& slug : *listed) {
    const auto entry = reader->open(reader->directory(Kind::entry, "demo", "throughput") + "/" + slug, {});
    EXPECT_TRUE(entry) << slug << ": " << entry.error().message;
  }
  const auto holds = reader->accepted("demo", "throughput");
  ASSERT_TRUE(holds && *holds);
  const std::string last = accepted.empty() ? std::string() : std::filesystem::path(*accepted.rbegin()).filename().string();
  EXPECT_GE((*holds)->seq, last.empty() ? 0 : std::stoull(last)) << "acknowledged, and an older one holds";
  // And everybody goes on.
  publish_entry(*store_);
  core::Acceptance acceptance = **holds;
  const auto path = store_->accept(acceptance, acceptance_text);
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_TRUE(accepted.insert(*path).second) << "given twice: " << *path;
  EXPECT_GT((*store_->accepted("demo", "throughput"))->seq, (*holds)->seq);
}

// Claims are given back there, and a writer that was overtaken leaves its number out.
INSTANTIATE_TEST_SUITE_P(
    Posix, StoreSuite,
    ::testing::Values(StoreFactory{
        "posix", [](const std::string& root, PathLimits limits) { return posix_store(root, std::move(limits)); }, false}));
INSTANTIATE_TEST_SUITE_P(S3, StoreSuite, ::testing::Values(StoreFactory{"s3", [](const std::string& root, PathLimits limits) {
                                                                          return in_bucket(common_server(), root,
                                                                                           std::move(limits));
                                                                        }}));
// A stand-in: conditions and signatures as Google's documentation has them, tried at no server of Google's.
INSTANTIATE_TEST_SUITE_P(GoogleStandin, StoreSuite,
                         ::testing::Values(StoreFactory{"google", [](const std::string& root, PathLimits limits) {
                                                          return in_google_bucket(root, std::move(limits));
                                                        }}));

}  // namespace plumbline::registry::test
