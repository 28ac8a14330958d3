// The embedded store: what only a file system can do to it; the rest is in store_suite_test.cpp.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <utime.h>

#include <csignal>
#include <cstdio>
#include <set>

#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {

namespace {

using core::ErrorCode;

const char* const kMeasurement = "experiments/artifacts/perf-baselines/demo/throughput";

// Runs a function in `count` processes at once; gives how many ended well.
int in_processes(int count, const std::function<bool(int)>& work) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(work(i) ? 0 : 1);
    children.push_back(pid);
  }
  int good = 0;
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    good += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  return good;
}

TEST(PosixStore, PublishesReadOnlyFilesThatSha256sumChecks) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  ASSERT_TRUE((*staging)->add("baseline.json", baseline_text()));
  ASSERT_TRUE((*staging)->add("source-snapshot.txt", "100\n"));
  ASSERT_TRUE((*staging)->add("source-snapshot/with space/ä.txt", "1"));
  const auto published = store->publish(std::move(*staging), moment());
  ASSERT_TRUE(published);
  struct stat info {};
  ASSERT_EQ(::stat((published->path + "/baseline.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0444U);
  for (const char* folder : {"", "/source-snapshot", "/source-snapshot/with space"}) {
    ASSERT_EQ(::stat((published->path + folder).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0755U) << folder;
  }
  EXPECT_EQ(std::system(("cd '" + published->path + "' && sha256sum --check --strict --quiet SHA256SUMS").c_str()), 0);
  const auto verified = verify(published->path, {});
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->ok);
  EXPECT_FALSE(verified->is_signed);
  EXPECT_EQ(verified->kind, "entry");
  EXPECT_EQ(verified->bundle_sha256, published->sha256);
  EXPECT_EQ(verified->files, 3U);
}

TEST(PosixStore, PublishesManyFiles) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  auto staging = store->stage(Kind::bundle, "f", "m");
  ASSERT_TRUE((*staging)->add("diff.json", "{}"));
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE((*staging)->add("current-snapshot/" + std::to_string(i % 7) + "/" + std::to_string(i), "x"));
  const auto published = store->publish(std::move(*staging), moment());
  ASSERT_TRUE(published);
  EXPECT_TRUE(verify(published->path, {})->ok);
}

TEST(PosixStore, WritesTheReferenceToolsIndex) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto a = publish_entry(*store);
  EXPECT_EQ(read(scratch / kMeasurement + "/INDEX.md"),
            "# Perf-baseline registry index\n\nChronological history. One row per registration. Newer entries at the bottom.\n\n"
            "| UTC timestamp | Slug | Value | Unit | Notes |\n| --- | --- | --- | --- | --- |\n"
            "| `2026-11-20T15:03:59Z` | [`" +
                a.slug + "`](" + a.slug + "/) | `100` | `tokens/s` | first \\| note |\n");
  core::BaselineRecord hostile;
  hostile.notes = "line\nbreak | " + std::string(60, 'x');
  hostile.unit = "a`b|c";
  core::BaselineRecord plain;
  plain.notes = std::string(59, 'x') + "ä";
  const auto text = index_markdown({hostile, plain}, {"20261120T150359221206Z", "20261120T150359221207Z"});
  EXPECT_EQ(
      text.substr(text.find("--- |\n| `") + 6),
      "| `2026-11-20T15:03:59Z` | [`20261120T150359221206Z`](20261120T150359221206Z/) | _(structured)_ | `a'b\\|c` | line break "
      "\\| " +
          std::string(47, 'x') +
          "... |\n| `2026-11-20T15:03:59Z` | [`20261120T150359221207Z`](20261120T150359221207Z/) | _(structured)_ | _(none)_ | " +
          std::string(59, 'x') + "ä |\n");
}

TEST(PosixStore, DoesNotLeaveThroughALink) {
  const Scratch scratch;
  for (const char* name : {"experiments", "experiments/artifacts", "experiments/artifacts/perf-baselines",
                           "experiments/artifacts/perf-baselines/demo", kMeasurement}) {
    const Scratch root;
    std::filesystem::create_directories(scratch / "outside");
    std::filesystem::create_directories(std::filesystem::path(root / name).parent_path());
    std::filesystem::create_directory_symlink(scratch / "outside", root / name);
    const auto before = tree(root.path());
    const auto store = posix_store(root.path());
    const auto placed = store->place(Kind::entry, "demo", "throughput", "s");
    ASSERT_FALSE(placed) << name;
    EXPECT_EQ(placed.error().message, "artifact path escapes its registry root");
    EXPECT_FALSE(store->stage(Kind::entry, "demo", "throughput"));
    EXPECT_EQ(tree(root.path()), before);
    EXPECT_TRUE(std::filesystem::is_empty(scratch / "outside"));
  }
}

TEST(PosixStore, DoesNotFollowALinkThatAppearsMeanwhile) {
  const Scratch scratch;
  const Scratch outside;
  const auto store = posix_store(scratch.path());
  auto staging = store->stage(Kind::entry, "demo", "throughput");
  std::filesystem::create_directory_symlink(outside.path(), scratch / "experiments");
  EXPECT_EQ((*staging)->add("a", "1").error().message, "artifact path escapes its registry root");
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST(PosixStore, SaysWhatStandsInTheWay) {
  const Scratch scratch;
  scratch.write("experiments/artifacts", "a file");
  auto staging = posix_store(scratch.path())->stage(Kind::entry, "demo", "throughput");
  const auto added = (*staging)->add("a", "1");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::environment);
  EXPECT_EQ(added.error().message,
            "cannot write artifacts in " + (scratch / "experiments") + ": there is a file where a folder is needed");
}

TEST(PosixStore, SaysThatAFileGrewBeyondTheLimit) {
  const Scratch scratch;
  const auto before = tree(scratch.path());
  EXPECT_EQ(in_processes(1,
                         [&](int) {
                           ::signal(SIGXFSZ, SIG_IGN);
                           const rlimit small{1 << 20, 1 << 20};
                           ::setrlimit(RLIMIT_FSIZE, &small);
                           auto staging = posix_store(scratch.path())->stage(Kind::entry, "demo", "throughput");
                           const auto added = (*staging)->add("source-snapshot.json", std::string(2 << 20, 'x'));
                           return !added && added.error().code == ErrorCode::environment &&
                                  added.error().message == "file too large while writing source-snapshot.json";
                         }),
            1);
  EXPECT_EQ(tree(scratch.path()), before);
}

TEST(PosixStore, SaysThatTheDiskIsFullOrReadOnly) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "disk");
  if (::mount("tmpfs", (scratch / "disk").c_str(), "tmpfs", 0, "size=256k") != 0) {
    std::printf("no file system may be mounted here: the full disk is not tried\n");
    return;
  }
  {
    const auto store = posix_store(scratch / "disk");
    const auto before = tree(scratch / "disk");
    auto staging = store->stage(Kind::entry, "demo", "throughput");
    const auto added = (*staging)->add("source-snapshot.json", std::string(1 << 20, 'x'));
    EXPECT_FALSE(added);
    if (!added) {
      EXPECT_EQ(added.error().code, ErrorCode::environment);
      EXPECT_EQ(added.error().message, "no space left on device while writing source-snapshot.json");
    }
    staging->reset();
    EXPECT_EQ(tree(scratch / "disk"), before);
    EXPECT_TRUE(is_slug(publish_entry(*store).slug));
    EXPECT_EQ(::mount("tmpfs", (scratch / "disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=256k"), 0);
    auto second = store->stage(Kind::entry, "other", "throughput");
    const auto refused = (*second)->add("baseline.json", "{}");
    EXPECT_FALSE(refused);
    if (!refused) {
      EXPECT_EQ(refused.error().message,
                "read-only file system: cannot write other in " + (scratch / "disk/experiments/artifacts/perf-baselines"));
    }
  }
  EXPECT_EQ(::umount((scratch / "disk").c_str()), 0);
}

TEST(PosixStore, SweepsWhatCrashedWritersLeft) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const std::string old = scratch.write(std::string(kMeasurement) + "/.tmp-host-1-aa/source-snapshot/x", "1");
  scratch.write(std::string(kMeasurement) + "/.tmp-host-1-bb/x", "1");
  const utimbuf days_ago{1000, 1000};
  ASSERT_EQ(::utime((scratch / kMeasurement + "/.tmp-host-1-aa").c_str(), &days_ago), 0);
  publish_entry(*store);
  EXPECT_FALSE(std::filesystem::exists(scratch / kMeasurement + "/.tmp-host-1-aa"));
  EXPECT_TRUE(std::filesystem::exists(scratch / kMeasurement + "/.tmp-host-1-bb"));
  EXPECT_EQ(store->slugs(Kind::entry, "demo", "throughput")->size(), 1U);
}

TEST(PosixStore, HoldsWhenManyProcessesPublish) {
  const Scratch scratch;
  constexpr int kProcesses = 8, kEach = 20;
  EXPECT_EQ(in_processes(kProcesses,
                         [&](int) {
                           const auto store = posix_store(scratch.path());
                           for (int i = 0; i < kEach; ++i) {
                             auto staging = store->stage(Kind::entry, "demo", "throughput");
                             if (!staging || !(*staging)->add("baseline.json", baseline_text()) ||
                                 !(*staging)->add("source-snapshot.txt", "100\n"))
                               return false;
                             if (!store->publish(std::move(*staging), moment())) return false;  // all want the same slugs
                           }
                           return true;
                         }),
            kProcesses);
  const auto slugs = posix_store(scratch.path())->slugs(Kind::entry, "demo", "throughput");
  ASSERT_TRUE(slugs);
  EXPECT_EQ(slugs->size(), std::size_t{kProcesses * kEach});
  const std::string index = read(scratch / kMeasurement + "/INDEX.md");
  std::size_t position = 0;
  for (const auto& slug : *slugs) {
    position = index.find("[`" + slug + "`]", position);
    ASSERT_NE(position, std::string::npos) << slug;
  }
  EXPECT_EQ(std::count(index.begin(), index.end(), '\n'), kProcesses * kEach + 6);
  for (const auto& name : tree(scratch / kMeasurement)) EXPECT_NE(name.front(), '.') << name;
}

TEST(PosixStore, ItsIndexListsTheNewestAndReadsNoOtherEntryAgain) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto first = publish_entry(*store);
  // Folders of older days, in which nothing is: they are counted, and those among the newest are rows.
  for (int i = 0; i < 205; ++i)
    std::filesystem::create_directory(scratch / kMeasurement + "/20260101T000000" + std::to_string(100000 + i) + "Z");
  const auto second = publish_entry(*store);
  const std::string text = read(scratch / kMeasurement + "/INDEX.md");
  EXPECT_NE(text.find("\n\nThe newest 200 of 207 entries; `plumbline history` knows the others.\n\n| UTC timestamp |"),
            std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 200 + 8);
  EXPECT_EQ(text.find("20260101T000000100006Z"), std::string::npos);
  EXPECT_NE(text.find("[`20260101T000000100007Z`](20260101T000000100007Z/) | _(structured)_ | _(none)_ | (unreadable) |"),
            std::string::npos);
  // What was said of an entry is taken over: it is immutable, and this one cannot even be read any more.
  std::filesystem::remove(first.path + "/baseline.json");
  const auto third = publish_entry(*store);
  const std::string again = read(scratch / kMeasurement + "/INDEX.md");
  EXPECT_NE(again.find("[`" + first.slug + "`](" + first.slug + "/) | `100` | `tokens/s`"), std::string::npos);
  EXPECT_LT(again.find(second.slug), again.find(third.slug));
  EXPECT_NE(again.find("of 208 entries"), std::string::npos);
}

TEST(PosixStore, HoldsWhenWritersGiveUpBesideOthers) {
  const Scratch scratch;
  EXPECT_EQ(in_processes(4,
                         [&](int process) {
                           const auto store = posix_store(scratch.path());
                           for (int i = 0; i < 40; ++i) {
                             auto staging = store->stage(Kind::entry, "demo", "m" + std::to_string(i));
                             if (!(*staging)->add("baseline.json", baseline_text())) return false;
                             if (process == 0 && !store->publish(std::move(*staging), moment())) return false;
                           }
                           return true;
                         }),
            4);
  EXPECT_EQ(posix_store(scratch.path())->measurements(Kind::entry)->size(), 40U);
}

TEST(Acceptance, HasOneHolderForEachNumber) {
  const Scratch scratch;
  std::vector<std::string> slugs;
  {
    const auto store = posix_store(scratch.path());
    for (int i = 0; i < 4; ++i) slugs.push_back(publish_entry(*store).slug);
  }
  EXPECT_EQ(in_processes(4,
                         [&](int process) {
                           const auto store = posix_store(scratch.path());
                           core::Acceptance acceptance;
                           acceptance.family = "demo";
                           acceptance.measurement = "throughput";
                           acceptance.slug = slugs[static_cast<std::size_t>(process)];
                           for (int i = 0; i < 10; ++i) {
                             if (!store->accept(acceptance, acceptance_text)) return false;
                           }
                           return true;
                         }),
            4);
  std::set<std::string> numbers;
  const auto names = tree(scratch / kMeasurement + "/accepted");
  for (const auto& name : names) numbers.insert(name.substr(0, 6));
  EXPECT_EQ(names.size(), 40U);
  EXPECT_EQ(numbers.size(), 40U);
  // A writer that claimed a number which was published just before gives it back: who looked meanwhile went one further.
  EXPECT_GE(*numbers.rbegin(), "000040");
}

TEST(Acceptance, ThatIsBrokenIsPassedOver) {
  const Scratch scratch;
  const auto store = posix_store(scratch.path());
  const auto entry = publish_entry(*store);
  core::Acceptance acceptance;
  acceptance.family = "demo";
  acceptance.measurement = "throughput";
  acceptance.slug = entry.slug;
  ASSERT_TRUE(store->accept(acceptance, acceptance_text));
  const std::string folder = std::string(kMeasurement) + "/accepted/";
  scratch.write(folder + "000007-" + entry.slug + ".json", "{\"seq\":7,");
  scratch.write(folder + "000008-" + entry.slug + ".json", read(scratch / folder + "000001-" + entry.slug + ".json"));  // renamed
  std::filesystem::create_symlink("000001-" + entry.slug + ".json", scratch / folder + "000009-" + entry.slug + ".json");
  scratch.write(folder + "notes.txt", "x");
  const auto holds = store->accepted("demo", "throughput");
  ASSERT_TRUE(holds && *holds);
  EXPECT_EQ((*holds)->seq, 1U);
  const auto next = store->accept(acceptance, acceptance_text);
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, scratch / folder + "000010-" + entry.slug + ".json");
}

}  // namespace
}  // namespace plumbline::registry::test
