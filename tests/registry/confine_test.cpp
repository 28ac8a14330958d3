// Allowed roots: what a path may lead to, and what an exchange during the call may not change.
#include "registry/confine.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

using core::ErrorCode;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kSecret = "the secret outside";

template <class T>
std::optional<core::Error> error_of(const core::Expected<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

// inside/ is allowed, outside/ is not.
class Confined : public ::testing::Test {
 protected:
  Confined() {
    scratch_.write("inside/a.txt", "1");
    scratch_.write("inside/sub/b.txt", "2");
    scratch_.write("outside/secret.txt", kSecret);
    limits_.allowed_roots = {scratch_ / "inside"};
  }
  void link(const std::string& to, const std::string& name) const { fs::create_symlink(to, scratch_ / name); }
  [[nodiscard]] core::Expected<std::string> content(const std::string& path) const {
    const auto bytes = read_file(path, limits_);
    if (!bytes) return core::fail(bytes.error());
    return std::string(bytes->view());
  }
  [[nodiscard]] ErrorCode refusal(const std::string& path) const {
    const auto bytes = read_file(path, limits_);
    EXPECT_FALSE(bytes) << path;
    return bytes ? ErrorCode::internal : bytes.error().code;
  }

  Scratch scratch_;
  PathLimits limits_;
};

TEST_F(Confined, LinksThatStayInsideGoOnWorking) {
  link("sub/b.txt", "inside/relative");
  link(scratch_ / "inside/sub", "inside/absolute");
  link("absolute/../a.txt", "inside/through");
  link(scratch_ / "inside", "alias");
  EXPECT_EQ(*content(scratch_ / "inside/relative"), "2");
  EXPECT_EQ(*content(scratch_ / "inside/absolute/b.txt"), "2");
  EXPECT_EQ(*content(scratch_ / "inside/through"), "1");
  EXPECT_EQ(*content(scratch_ / "inside/sub/../a.txt"), "1");
  EXPECT_EQ(*content(scratch_ / "inside/../inside//./a.txt"), "1");
  EXPECT_EQ(*content(scratch_ / "alias/sub/b.txt"), "2");  // a link outside that leads in: roots are named so
}

TEST_F(Confined, WhatLeadsOutIsRefusedWhetherOrNotAnythingIsThere) {
  link("../outside", "inside/folder");
  link("../outside/secret.txt", "inside/file");
  link("../outside/absent.txt", "inside/dangling");
  link("/proc/self/root", "inside/proc");
  link("dangling", "inside/twice");
  for (const char* name :
       {"outside/secret.txt", "outside/absent.txt", "outside", "absent", "inside/../outside/secret.txt",
        "inside/folder/secret.txt", "inside/folder/absent.txt", "inside/file", "inside/file/", "inside/dangling", "inside/twice",
        "inside/sub/../../outside/absent", "inside/absent/../../outside/absent", "outside/../inside/a.txt",
        "absent/../inside/a.txt", "outside/secret.txt/x"}) {
    EXPECT_EQ(refusal(scratch_ / name), ErrorCode::path_not_allowed) << name;
    EXPECT_EQ(path_kind(scratch_ / name, limits_), std::nullopt) << name;
  }
  for (const std::string& path :
       {std::string("/"), std::string("/etc/passwd"), std::string("/dev/stdin"), std::string("/proc/self/environ"),
        std::string("/proc/self/cwd"), "/proc/self/root" + (scratch_ / "inside/a.txt"), scratch_ / "inside/proc/etc/passwd"}) {
    EXPECT_EQ(refusal(path), ErrorCode::path_not_allowed) << path;
  }
}

TEST_F(Confined, WhatIsMissingInsideIsMissing) {
  link("absent.txt", "inside/dangling");
  link("loop", "inside/loop");
  EXPECT_EQ(refusal(scratch_ / "inside/absent.txt"), ErrorCode::not_found);
  EXPECT_EQ(refusal(scratch_ / "inside/dangling"), ErrorCode::not_found);
  EXPECT_EQ(refusal(scratch_ / "inside/%2e%2e/outside/secret.txt"), ErrorCode::not_found);  // a name like any other
  EXPECT_EQ(refusal(scratch_ / "inside/loop"), ErrorCode::invalid_input);
  EXPECT_EQ(refusal(scratch_ / "inside" + std::string("\0/../../outside", 15)), ErrorCode::invalid_input);
  EXPECT_EQ(refusal(scratch_ / "inside/" + std::string(5000, 'x')), ErrorCode::invalid_input);
  const auto near = read_file(scratch_ / "inside/a.tx", limits_);
  EXPECT_EQ(near.error().hint, "did you mean " + (scratch_ / "inside/a.txt") + "?");
}

TEST_F(Confined, ARootThatBecameALinkAllowsNothing) {
  limits_.allowed_roots = {scratch_ / "inside/sub"};
  fs::rename(scratch_ / "inside/sub", scratch_ / "inside/moved");
  link("../outside", "inside/sub");
  EXPECT_EQ(refusal(scratch_ / "inside/sub/secret.txt"), ErrorCode::path_not_allowed);
  EXPECT_EQ(refusal(scratch_ / "inside/moved/b.txt"), ErrorCode::path_not_allowed);
}

TEST_F(Confined, AFolderWithALinkOutIsNoSource) {
  link("../../outside/secret.txt", "inside/sub/link");
  EXPECT_EQ(open_source(scratch_ / "inside/sub", limits_).error().code, ErrorCode::path_not_allowed);
  fs::remove(scratch_ / "inside/sub/link");
  link("../../outside/absent", "inside/sub/link");
  EXPECT_EQ(open_source(scratch_ / "inside/sub", limits_).error().code, ErrorCode::path_not_allowed);
  fs::remove(scratch_ / "inside/sub/link");
  link("../a.txt", "inside/sub/link");
  const auto source = open_source(scratch_ / "inside/sub", limits_);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->files.size(), 2U);
  // Exchanged after the walk: the file is opened by its own rules again.
  fs::remove(scratch_ / "inside/sub/link");
  link("../../outside/secret.txt", "inside/sub/link");
  EXPECT_EQ(source_digest(*source, limits_).error().code, ErrorCode::path_not_allowed);
}

TEST_F(Confined, ReportsReplaceNothing) {
  const std::string path = scratch_ / "inside/a.txt";
  link("a.txt", "inside/link.md");
  const auto before = tree(scratch_ / "inside");
  const auto refused = write_report(path, "text", limits_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::already_exists);
  EXPECT_EQ(refused.error().message, path + " already exists");
  EXPECT_EQ(refused.error().hint, "name a new file; nothing is ever replaced");
  EXPECT_EQ(write_report(scratch_ / "inside/link.md", "text", limits_).error().code, ErrorCode::already_exists);
  EXPECT_EQ(write_report(scratch_ / "inside/sub", "text", limits_).error().code, ErrorCode::already_exists);
  EXPECT_EQ(read(path), "1");
  EXPECT_EQ(tree(scratch_ / "inside"), before) << "no temporary file is left";
  // A person at the command line replaces last week's report.
  EXPECT_TRUE(write_report(path, "text", {}));
  EXPECT_EQ(read(path), "text");
}

TEST_F(Confined, ReportsGoNeitherIntoTheRegistryNorIntoGit) {
  scratch_.write("inside/.git/hooks/x.sample", "");
  scratch_.write("inside/experiments/artifacts/perf-baselines/f/m/s/baseline.json", "{}");
  link(".git", "inside/git");
  link("experiments/artifacts", "inside/kept");
  const auto before = tree(scratch_ / "inside");
  for (const char* name : {".git/hooks/pre-commit", ".git/new", "git/hooks/pre-commit", "sub/.git"}) {
    const std::string path = scratch_ / "inside/" + name;
    const auto refused = write_report(path, "text", limits_);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::path_not_allowed) << name;
    EXPECT_EQ(refused.error().message, path + " is in a .git folder");
    EXPECT_EQ(refused.error().hint, "name a file outside of it");
  }
  for (const char* name : {"experiments/artifacts/new.md", "kept/perf-baselines/f/m/s/baseline.json",
                           "experiments/artifacts/perf-baselines/f/m/s/SOURCE.md", "sub/../kept/new.md"}) {
    const std::string path = scratch_ / "inside/" + name;
    const auto refused = write_report(path, "text", limits_);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::path_not_allowed) << name;
    EXPECT_EQ(refused.error().message, path + " is in the registry");
    EXPECT_EQ(refused.error().hint, "name a file outside experiments/artifacts");
  }
  EXPECT_EQ(tree(scratch_ / "inside"), before);
  EXPECT_TRUE(write_report(scratch_ / "inside/experiments/report.md", "text", limits_));
  EXPECT_TRUE(write_report(scratch_ / "inside/.github.md", "text", limits_));
}

TEST_F(Confined, ReportsAreWrittenInsideOnly) {
  EXPECT_TRUE(write_report(scratch_ / "inside/sub/report.md", "text", limits_));
  EXPECT_EQ(read(scratch_ / "inside/sub/report.md"), "text");
  link("../outside", "inside/folder");
  link("../outside/new.md", "inside/new.md");
  const auto before = tree(scratch_ / "outside");
  for (const char* name : {"outside/r.md", "inside/folder/r.md", "inside/new.md", "inside/../outside/secret.txt", "r.md"}) {
    EXPECT_EQ(write_report(scratch_ / name, "text", limits_).error().code, ErrorCode::path_not_allowed) << name;
    EXPECT_EQ(check_out_folder(scratch_ / name, limits_).error().code, ErrorCode::path_not_allowed) << name;
    EXPECT_EQ(copy_to_out_folder({"a.txt"}, scratch_ / "inside", scratch_ / name, limits_).error().code,
              ErrorCode::path_not_allowed)
        << name;
  }
  EXPECT_EQ(tree(scratch_ / "outside"), before);
  EXPECT_EQ(read(scratch_ / "outside/secret.txt"), kSecret);
  EXPECT_TRUE(copy_to_out_folder({"a.txt", "sub/b.txt"}, scratch_ / "inside", scratch_ / "inside/out", limits_));
  EXPECT_EQ(tree(scratch_ / "inside/out"), (std::vector<std::string>{"a.txt", "sub", "sub/b.txt"}));
  EXPECT_EQ(check_out_folder(scratch_ / "inside/out", limits_).error().code, ErrorCode::already_exists);
  EXPECT_EQ(check_out_folder(scratch_ / "inside/a.txt", limits_).error().code, ErrorCode::already_exists);
  EXPECT_EQ(check_out_folder(scratch_ / "inside/no/out", limits_).error().code, ErrorCode::not_found);
}

TEST_F(Confined, AStoreDoesNotPublishIntoAnExchangedFolder) {
  const auto store = posix_store(scratch_ / "inside", limits_);
  publish_entry(*store);
  // The folder above the registry becomes a link out between staging and publishing.
  auto staging = store->stage(Kind::entry, "other", "m");
  ASSERT_TRUE(staging);
  fs::rename(scratch_ / "inside/experiments", scratch_ / "inside/moved");
  link("../outside", "inside/experiments");
  const auto before = tree(scratch_ / "outside");
  EXPECT_EQ((*staging)->add("baseline.json", baseline_text("other", "m")).error().code, ErrorCode::path_not_allowed);
  EXPECT_EQ(store->stage(Kind::entry, "third", "m").error().code, ErrorCode::path_not_allowed);
  EXPECT_EQ(store->slugs(Kind::entry, "demo", "throughput").error().code, ErrorCode::path_not_allowed);
  EXPECT_EQ(store->measurements(Kind::entry).error().code, ErrorCode::path_not_allowed);
  staging->reset();
  EXPECT_EQ(tree(scratch_ / "outside"), before);
}

TEST_F(Confined, AnAbandonedStagingRemovesNothingElsewhere) {
  fs::create_directories(scratch_ / "outside/artifacts/perf-baselines/f/m");
  const auto store = posix_store(scratch_ / "inside", limits_);
  {
    auto staging = store->stage(Kind::entry, "f", "m");
    ASSERT_TRUE((*staging)->add("baseline.json", baseline_text("f", "m")));
    fs::rename(scratch_ / "inside/experiments", scratch_ / "inside/moved");
    link("../outside", "inside/experiments");
  }
  EXPECT_TRUE(fs::exists(scratch_ / "outside/artifacts/perf-baselines/f/m"));
  EXPECT_EQ(tree(scratch_ / "inside/moved").size(), 0U);
}

TEST_F(Confined, ARootOfTheRegistryOutsideIsRefused) {
  const auto nothing = [](std::string_view) { return std::optional<std::string>(); };
  for (const char* name : {"outside", "absent", "outside/secret.txt"}) {
    EXPECT_EQ(resolve_root(scratch_ / name, "/", nothing, limits_).error().code, ErrorCode::path_not_allowed) << name;
  }
  EXPECT_EQ(*resolve_root(std::string("sub"), scratch_ / "inside", nothing, limits_), scratch_ / "inside/sub");
}

TEST_F(Confined, RootsAreTakenAsTheRealFoldersTheyName) {
  link("inside", "alias");
  EXPECT_EQ(*resolve_allowed_roots({"alias", "inside/sub/", scratch_ / "outside"}, scratch_.path()),
            (std::vector<std::string>{scratch_ / "inside", scratch_ / "inside/sub", scratch_ / "outside"}));
  EXPECT_EQ(resolve_allowed_roots({"absent"}, scratch_.path()).error().message,
            "--allow-root: " + (scratch_ / "absent") + " does not exist");
  EXPECT_EQ(resolve_allowed_roots({"inside/a.txt"}, scratch_.path()).error().message,
            "--allow-root: " + (scratch_ / "inside/a.txt") + " is a file, not a folder");
}

// From now on only so many descriptors are to be had; as before once it is gone.
class FewDescriptors {
 public:
  explicit FewDescriptors(int more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const io::Descriptor next(::open("/", O_PATH | O_CLOEXEC));
    const rlimit few{static_cast<rlim_t>(next.get() + more), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// However many are left: what fails for want of a descriptor says so, and nothing else of the path.
TEST_F(Confined, AWantOfDescriptorsIsNotSaidOfThePath) {
  publish_entry(*posix_store(scratch_ / "inside", limits_));
  link("../a.txt", "inside/sub/link");
  const std::vector<std::function<std::optional<core::Error>()>> calls = {
      [&] { return error_of(read_file(scratch_ / "inside/a.txt", limits_)); },
      [&] { return error_of(open_source(scratch_ / "inside/sub", limits_)); },
      [&] { return error_of(check_allowed(scratch_ / "inside/a.txt", limits_)); },
      [&] { return error_of(write_report(scratch_ / ("inside/report-" + io::hex_random(8)), "text", limits_)); },
      [&] { return error_of(resolve_allowed_roots({"inside"}, scratch_.path())); },
      [&] { return error_of(posix_store(scratch_ / "inside", limits_)->slugs(Kind::entry, "demo", "throughput")); },
      [&] { return error_of(posix_store(scratch_ / "inside", limits_)->stage(Kind::entry, "demo", "throughput")); },
      [&] {
        return error_of(resolve_root(
            scratch_ / "inside", "/", [](auto) { return std::nullopt; }, limits_));
      },
  };
  int refused = 0;
  for (int more = 0; more < 8; ++more) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto error = [&] {
        const FewDescriptors few(more);
        return calls[i]();
      }();
      if (!error) continue;
      ++refused;
      EXPECT_EQ(error->code, ErrorCode::environment) << "call " << i << " with " << more << ": " << error->message;
      EXPECT_THAT(error->message, HasSubstr("Too many open files")) << i;
      EXPECT_EQ(error->hint,
                "nothing is wrong with the path: this process has as many files open as it may (ulimit -n); try again, or raise "
                "the limit")
          << i;
    }
    int why = 0;
    const io::Descriptor opened = [&] {
      const FewDescriptors few(more);
      io::Descriptor fd(open_descriptor(scratch_ / "inside/a.txt", limits_));
      why = errno;
      return fd;
    }();
    EXPECT_TRUE(opened.valid() || why == EMFILE) << more << ": " << why;
  }
  EXPECT_GT(refused, 8);
  for (const auto& call : calls) EXPECT_EQ(call(), std::nullopt) << "with enough of them each is answered";
}

// Both ways of opening give the same descriptors and the same refusals.
class Beneath : public Confined, public ::testing::WithParamInterface<int (*)(int, const std::string&, int, mode_t)> {
 protected:
  void SetUp() override {
    folder_ = io::Descriptor(::open((scratch_ / "inside").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const io::Descriptor fd(GetParam()(folder_.get(), "", O_PATH, 0));
    if (!fd.valid() && (errno == ENOSYS || errno == EPERM)) GTEST_SKIP() << "no openat2 here";
  }
  [[nodiscard]] int error_of(const std::string& relative, int flags = O_RDONLY) const {
    const io::Descriptor fd(GetParam()(folder_.get(), relative, flags, 0600));
    return fd.valid() ? 0 : errno;
  }
  io::Descriptor folder_;
};

TEST_P(Beneath, OpensWhatIsBelow) {
  link("a.txt", "inside/link");
  link("../outside", "inside/folder");
  for (const char* name : {"", ".", "a.txt", "sub", "sub/b.txt", "sub/./b.txt", "sub//b.txt"})
    EXPECT_EQ(error_of(name), 0) << name;
  EXPECT_EQ(error_of("new.txt", O_WRONLY | O_CREAT | O_EXCL), 0);
  EXPECT_EQ(error_of("absent/x"), ENOENT);
  EXPECT_EQ(error_of("a.txt/x"), ENOTDIR);
  EXPECT_EQ(error_of("a.txt", O_RDONLY | O_DIRECTORY), ENOTDIR);
  for (const int flags : {O_RDONLY, O_PATH, O_RDONLY | O_DIRECTORY}) {
    for (const char* name : {"link", "folder", "folder/secret.txt"}) EXPECT_EQ(error_of(name, flags), ELOOP) << name;
    for (const char* name : {"..", "/etc", "sub/../../outside"}) EXPECT_EQ(error_of(name, flags), EXDEV) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, Beneath, ::testing::Values(&io::open_by_openat2));
INSTANTIATE_TEST_SUITE_P(Parts, Beneath, ::testing::Values(&io::open_by_parts));

// One thread exchanges a folder for a link out and back while another reads by both ways: what comes is from inside.
TEST_F(Confined, NothingFromOutsideIsReadWhileLinksAreExchanged) {
  scratch_.write("inside/x/file.txt", "inside");
  scratch_.write("outside/file.txt", kSecret);
  link("../outside", "inside/y");
  const io::Descriptor folder(::open(scratch_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::atomic<bool> done{false};
  std::thread exchanging([&] {
    while (!done) ::renameat2(folder.get(), "inside/x", folder.get(), "inside/y", RENAME_EXCHANGE);
  });
  const io::Descriptor inside(::open((scratch_ / "inside").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  int read = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto got = content(scratch_ / "inside/x/file.txt");
    if (got) {
      ASSERT_EQ(*got, "inside");
      ++read;
    } else {
      const auto code = got.error().code;
      ASSERT_TRUE(code == ErrorCode::path_not_allowed || code == ErrorCode::not_found) << got.error().message;
      ++refused;
    }
    const io::Descriptor fd(io::open_by_parts(inside.get(), "x/file.txt", O_RDONLY, 0));
    char bytes[8] = {};
    if (fd.valid()) {
      ASSERT_EQ(::read(fd.get(), bytes, 6), 6);
      ASSERT_STREQ(bytes, "inside");
    }
  }
  done = true;
  exchanging.join();
  EXPECT_EQ(read + refused, 20'000);
}

}  // namespace
}  // namespace plumbline::registry::test
