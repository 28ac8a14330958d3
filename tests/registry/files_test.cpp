// What the house reads, and what it refuses to read.
#include "registry/files.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/registry/scratch.hpp"

namespace plumbline::registry::test {
namespace {

using core::ErrorCode;

struct DigestCase {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;
  std::string digest;
};

TEST(Digest, OfAFileIsItsSha256) {
  const Scratch scratch;
  const auto source = open_source(scratch.write("hello", "hello\n"), {});
  ASSERT_TRUE(source);
  EXPECT_FALSE(source->is_directory);
  EXPECT_EQ(source->name, "hello");
  EXPECT_EQ(*source_digest(*source, {}), "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  EXPECT_EQ(*source_digest(*source, {}, "hello\n"), "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
}

TEST(Digest, OfAFolderIsTheReferenceTools) {
  const std::vector<DigestCase> cases = {
      {"two", {{"a", "1"}, {"b", "2"}}, "0e11826e1bf49d462533dc9d7ada03fd949f2170ac931f614dc414eba009ff1d"},
      {"order by components",
       {{"B", "3"}, {"a/x", "1"}, {"a-b", "2"}, {"a.txt", "4"}},
       "1efc16f27dcf62934f267a218d2d39e2b2194cb5f8637c1e80be450cf455574a"},
  };
  for (const auto& c : cases) {
    const Scratch scratch;
    for (const auto& [name, text] : c.files) scratch.write(name, text);
    const auto source = open_source(scratch.path(), {});
    ASSERT_TRUE(source) << c.name;
    EXPECT_EQ(*source_digest(*source, {}), c.digest) << c.name;
  }
}

TEST(Digest, OfAnEmptyFolderIsThatOfNothing) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "inner/empty");
  const auto source = open_source(scratch.path(), {});
  ASSERT_TRUE(source);
  EXPECT_EQ(*source_digest(*source, {}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(source->skipped, std::vector<std::string>{"inner/empty (an empty folder)"});
}

TEST(Digest, GrammarIsLowerCaseHex) {
  EXPECT_TRUE(is_sha256_hex(std::string(64, 'a')));
  EXPECT_FALSE(is_sha256_hex(std::string(64, 'A')));
  EXPECT_FALSE(is_sha256_hex(std::string(63, 'a')));
  EXPECT_FALSE(is_sha256_hex("test"));
}

TEST(ReadFile, GivesTheBytes) {
  const Scratch scratch;
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(read_file(scratch.write("big", text), {})->view(), text);
  EXPECT_EQ(read_file(scratch.write("empty", ""), {})->view(), "");
  EXPECT_NE(read_file("/proc/self/status", {})->view().find("Name:"), std::string_view::npos);  // no size, and content
}

TEST(ReadFile, MapsWhatIsLarge) {
  const Scratch scratch;
  const auto path = scratch.write("sparse", "head");
  std::filesystem::resize_file(path, 300ULL << 20);
  const auto bytes = read_file(path, {});
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->view().size(), 300ULL << 20);
  EXPECT_EQ(bytes->view().substr(0, 5), std::string_view("head\0", 5));
}

TEST(ReadFile, RefusesWhatIsNoFileWithoutWaiting) {
  const Scratch scratch;
  const auto fifo = scratch / "pipe";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", scratch / "link");
  std::filesystem::create_directory(scratch / "folder");
  const auto socket_path = scratch / "sock";
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(fd);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {fifo, fifo + " is a FIFO, not a file"},
      {scratch / "link", scratch / "link is a FIFO, not a file"},
      {scratch / "folder", scratch / "folder is a folder, not a file"},
      {socket_path, socket_path + " is a socket, not a file"},
      {"/dev/null", "/dev/null is a character device, not a file"},
      {"", "the path is empty"},
      {std::string("a\0b", 3), "the path contains a NUL byte"},
  };
  for (const auto& [path, message] : cases) {
    const auto bytes = read_file(path, {});
    ASSERT_FALSE(bytes) << path;
    EXPECT_EQ(bytes.error().message, message);
    EXPECT_EQ(bytes.error().code, ErrorCode::invalid_input);
  }
  EXPECT_EQ(open_source("/dev/null", {}).error().message, "/dev/null is a character device, not a file");
  EXPECT_EQ(open_source(fifo, {}).error().message, fifo + " is a FIFO, not a file");
}

TEST(ReadFile, NamesTheNearestWhenNothingIsThere) {
  const Scratch scratch;
  scratch.write("results.json", "{}");
  const auto missing = read_file(scratch / "reslts.json", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().message, scratch / "reslts.json does not exist");
  EXPECT_EQ(missing.error().hint, "did you mean " + (scratch / "results.json") + "?");
  EXPECT_EQ(read_file(scratch / "no/such.json", {}).error().hint, "the folder " + (scratch / "no") + " does not exist either");
  EXPECT_EQ(read_file(scratch / "results.json/x", {}).error().hint, "a part of the path is a file, not a folder");
}

TEST(ReadFile, SaysWhereALinkLeads) {
  const Scratch scratch;
  std::filesystem::create_symlink("gone.json", scratch / "link.json");
  std::filesystem::create_symlink("loop", scratch / "loop");
  EXPECT_EQ(read_file(scratch / "link.json", {}).error().message,
            scratch / "link.json is a symbolic link to gone.json, which does not exist");
  EXPECT_EQ(read_file(scratch / "loop", {}).error().message, scratch / "loop is a loop of symbolic links");
}

TEST(ReadFile, NamesTheBoundThatIsExceeded) {
  const Scratch scratch;
  PathLimits limits;
  limits.bytes = 3;
  const auto path = scratch.write("four", "1234");
  EXPECT_EQ(read_file(path, limits).error().message, path + " has 4 bytes; at most 3 are read");
  EXPECT_EQ(read_file(path, limits).error().code, ErrorCode::limit_exceeded);
}

TEST(ReadFile, StopsWhenAsked) {
  const Scratch scratch;
  PathLimits limits;
  limits.stop = [] { return true; };
  EXPECT_EQ(read_file(scratch.write("a", "1"), limits).error().code, ErrorCode::cancelled);
}

TEST(AllowedRoots, HoldForTheRealPath) {
  const Scratch scratch;
  scratch.write("inside/a", "1");
  scratch.write("outside/b", "2");
  scratch.write("inside-not/c", "3");
  std::filesystem::create_symlink("../outside/b", scratch / "inside/link");
  PathLimits limits;
  limits.allowed_roots = {scratch / "inside"};
  EXPECT_TRUE(read_file(scratch / "inside/a", limits));
  for (const char* name : {"outside/b", "inside/link", "inside/../outside/b", "inside-not/c", "outside/none"}) {
    const auto bytes = read_file(scratch / name, limits);
    ASSERT_FALSE(bytes) << name;
    EXPECT_EQ(bytes.error().code, ErrorCode::path_not_allowed) << name;
    EXPECT_EQ(bytes.error().message, scratch / name + " is outside the allowed roots");
    EXPECT_EQ(bytes.error().hint, "allowed: " + (scratch / "inside") + "; --allow-root adds one");
  }
  EXPECT_EQ(open_source(scratch / "inside", limits).error().code, ErrorCode::path_not_allowed);  // a link leads out
}

TEST(Source, WalksWithoutEnteringLinks) {
  const Scratch scratch;
  scratch.write("s/a", "1");
  scratch.write("elsewhere/b", "2");
  std::filesystem::create_symlink("..", scratch / "s/loop");
  std::filesystem::create_symlink("../elsewhere/b", scratch / "s/file");
  std::filesystem::create_symlink("nowhere", scratch / "s/dangling");
  std::filesystem::create_symlink("self", scratch / "s/self");
  ASSERT_EQ(::mkfifo((scratch / "s/pipe").c_str(), 0600), 0);
  const auto source = open_source(scratch / "s", {});
  ASSERT_TRUE(source);
  ASSERT_EQ(source->files.size(), 2U);
  EXPECT_EQ(source->files[0].relative, "a");
  EXPECT_EQ(source->files[1].relative, "file");
  EXPECT_EQ(source->bytes, 2U);
  EXPECT_EQ(source->skipped, (std::vector<std::string>{"dangling (a link to nothing)", "loop (a link to a folder)",
                                                       "pipe (a FIFO)", "self (a loop of links)"}));
  std::filesystem::create_symlink("s", scratch / "alias");
  EXPECT_EQ(open_source(scratch / "alias", {})->name, "s");  // links resolved, as the reference tool does
}

TEST(Source, IsBounded) {
  const Scratch scratch;
  scratch.write("a/b/c", "1");
  scratch.write("d", "2");
  PathLimits limits;
  limits.depth = 1;
  EXPECT_EQ(open_source(scratch.path(), limits).error().message, scratch / "a/b lies more than 1 folders deep");
  limits = {};
  limits.files = 1;
  EXPECT_EQ(open_source(scratch.path(), limits).error().message,
            scratch.path() + " has more than the 1 files that are read at most");
  limits = {};
  limits.bytes = 1;
  EXPECT_EQ(open_source(scratch.path(), limits).error().message,
            scratch.path() + " has more than the 1 bytes that are read at most");
}

TEST(Source, ThatChangedIsNotDigested) {
  const Scratch scratch;
  const auto path = scratch.write("a", "1");
  const auto source = open_source(path, {});
  scratch.write("a", "22");
  EXPECT_EQ(source_digest(*source, {}).error().message, path + " changed while it was being read");
}

TEST(Source, MustNotHoldTheRegistry) {
  const Scratch scratch;
  scratch.write("repo/a", "1");
  const auto source = open_source(scratch / "repo", {});
  const auto inside = check_not_inside(*source, scratch / "repo/experiments/artifacts/perf-baselines");
  ASSERT_FALSE(inside);
  EXPECT_EQ(inside.error().message, "the registry lies inside the source: " +
                                        (scratch / "repo/experiments/artifacts/perf-baselines") + " is in " + (scratch / "repo"));
  EXPECT_TRUE(check_not_inside(*source, scratch / "repo2/experiments"));
  EXPECT_TRUE(check_not_inside(*open_source(scratch / "repo/a", {}), scratch / "repo"));
}

TEST(Suffix, IsPythons) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"a.tar.gz", ".gz"}, {"x.", ""},          {".hid", ""},
                                                                  {"x", ""},           {"a.json", ".json"}, {".a.b", ".b"}};
  for (const auto& [name, suffix] : cases) EXPECT_EQ(suffix_of(name), suffix) << name;
}

TEST(AbsolutePath, ResolvesWhatExistsAndKeepsTheRest) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "real/inner");
  std::filesystem::create_symlink("real", scratch / "link");
  EXPECT_EQ(absolute_path("link/inner/../none/./x", scratch.path()), scratch / "real/none/x");
  EXPECT_EQ(absolute_path("/", ""), "/");
  EXPECT_EQ(absolute_path("/nowhere-at-all/../x", ""), "/x");
  EXPECT_TRUE(path_within("/a/b", "/a"));
  EXPECT_TRUE(path_within("/a", "/a"));
  EXPECT_FALSE(path_within("/ab", "/a"));
}

}  // namespace
}  // namespace plumbline::registry::test
