// The names of resources: what is read from them, what is refused and with which words, and paths made into names.
#include "server/mcp/uri.hpp"

#include <gtest/gtest.h>

#include "tests/registry/scratch.hpp"

namespace plumbline::server::mcp {
namespace {

constexpr const char* kSlug = "20261120T150359221206Z";

TEST(ResourceUri, IsReadIntoItsParts) {
  const auto uri = parse_resource_uri(
      "plumbline://diffs/nccl/all_reduce/20261120T150359221206Z/current-snapshot/rank%200.json?length=7&offset=12");
  ASSERT_TRUE(uri) << uri.error().message;
  EXPECT_EQ(uri->kind, ResourceUri::Kind::bundle);
  EXPECT_EQ(uri->family, "nccl");
  EXPECT_EQ(uri->measurement, "all_reduce");
  EXPECT_EQ(uri->slug, kSlug);
  EXPECT_EQ(uri->file, "current-snapshot/rank 0.json");
  EXPECT_EQ(uri->offset, 12U);
  EXPECT_EQ(uri->length, 7U);
}

TEST(ResourceUri, HasOneTextWhateverWayItWasWritten) {
  struct Case {
    const char *given, *text;
  };
  for (const Case& one : std::vector<Case>{
           {"plumbline://ceilings", "plumbline://ceilings"},
           {"PLUMBLINE://Ceilings", "plumbline://ceilings"},
           {"plumbline://schemas/plumbline.diff.v1", "plumbline://schemas/plumbline.diff.v1"},
           {"plumbline://schemas/plumbline%2Ediff%2ev1", "plumbline://schemas/plumbline.diff.v1"},
           {"plumbline://baselines/F/m/newest", "plumbline://baselines/F/m/newest"},
           {"plumbline://baselines/F/m/accepted?offset=0", "plumbline://baselines/F/m/accepted"},
           {"plumbline://diffs/F/m/newest", "plumbline://diffs/F/m/newest"},
           {"plumbline://diffs/F/m/newest/a/%C3%a4(1).md", "plumbline://diffs/F/m/newest/a/%C3%A4%281%29.md"},
           // Decoded once: what comes out is a name, not another encoding.
           {"plumbline://diffs/F/m/newest/%252e%252e", "plumbline://diffs/F/m/newest/%252e%252e"},
       }) {
    const auto uri = parse_resource_uri(one.given);
    ASSERT_TRUE(uri) << one.given << ": " << uri.error().message;
    EXPECT_EQ(to_text(*uri), one.text);
    EXPECT_EQ(to_text(*parse_resource_uri(to_text(*uri))), one.text);
  }
}

TEST(ResourceUri, IsRefusedWithWhatWouldBeRight) {
  struct Case {
    std::string given, message, hint;
  };
  const std::string deep = "plumbline://diffs/f/m/newest/";
  for (const Case& one : std::vector<Case>{
           {"plumbline://", R"(there are no resources called "")", "baselines, diffs, ceilings and schemas are those there are"},
           {"plumbline://baseline/f/m/newest", R"(there are no resources called "baseline")", "did you mean baselines?"},
           {"plumbline://me@ceilings", R"(there are no resources called "me@ceilings")", "did you mean ceilings?"},
           {"plumbline://ceilings/", "the URI has an empty part", "no slash may be twice or at the end"},
           {"plumbline://ceilings/x", R"("plumbline://ceilings/x" has the wrong number of parts)",
            "the form is plumbline://ceilings"},
           {"plumbline://schemas", R"("plumbline://schemas" has the wrong number of parts)",
            "the form is plumbline://schemas/{name}"},
           {"plumbline://baselines/f/m", R"("plumbline://baselines/f/m" has the wrong number of parts)",
            "the form is plumbline://baselines/{family}/{measurement}/{slug}"},
           {"plumbline://ceilings#top", "the URI has a fragment", "resources have none"},
           {deep + "..", R"(the URI has the part "..", which names no file)", ""},
           {deep + "%2e%2E/x", R"(the URI has the part "%2e%2E", which names no file)", ""},
           {deep + ".", R"(the URI has the part ".", which names no file)", ""},
           {"plumbline://diffs/../../etc/passwd", R"(the URI has the part "..", which names no file)", ""},
           {deep + "a//b", "the URI has an empty part", "no slash may be twice or at the end"},
           {deep + "a%2Fb", R"("a%2Fb" hides a character that no file name here may hold)",
            "write the slash between folder and file as it is"},
           {deep + "a%5cb", R"("a%5cb" hides a character that no file name here may hold)", ""},
           {deep + "a%00", R"("a%00" hides a character that no file name here may hold)", ""},
           {deep + "a%0A", R"("a%0A" hides a character that no file name here may hold)", ""},
           {deep + "a%2", R"("a%2" has a % without two hexadecimal digits)", ""},
           {deep + "a%zz", R"("a%zz" has a % without two hexadecimal digits)", ""},
           {deep + "a b", R"("a b" has a character that a URI may only hold percent-encoded)", "%20"},
           {deep + "a\\b", R"("a\\b" has a character that a URI may only hold percent-encoded)", "%5C"},
           {deep + "\xC3\xA4", "\"\xC3\xA4\" has a character that a URI may only hold percent-encoded", "%C3"},
           {"plumbline://baselines/.f/m/newest", R"(family must be one safe path segment: ".f")",
            "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128 characters"},
           {"plumbline://baselines/f/m%25/newest", R"(measurement must be one safe path segment: "m%")",
            "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128 characters"},
           {"plumbline://baselines/f/m/newst", R"("newst" is no slug)", "did you mean newest?"},
           {"plumbline://baselines/f/m/20261120", R"("20261120" is no slug)", "20261120T150359221206Z, newest or accepted"},
           {"plumbline://diffs/f/m/accepted", R"("accepted" is no slug)", "20261120T150359221206Z or newest"},
           {"plumbline://ceilings?ofset=1", R"(a resource has no parameter "ofset")", "did you mean offset?"},
           {"plumbline://ceilings?", R"(a resource has no parameter "")", "offset and length are those there are"},
           {"plumbline://ceilings?offset", R"(offset is "", not a number of bytes)", ""},
           {"plumbline://ceilings?offset=-1", R"(offset is "-1", not a number of bytes)", ""},
           {"plumbline://ceilings?offset=18446744073709551616", R"(offset is "18446744073709551616", not a number of bytes)", ""},
           {"plumbline://ceilings?offset=1&offset=2", "offset is given twice", ""},
           {"plumbline://ceilings?length=0", R"(length is "0", not a number of bytes from 1 to 1048576)", ""},
           {"plumbline://ceilings?length=1048577", R"(length is "1048577", not a number of bytes from 1 to 1048576)", ""},
           {deep + std::string(9000, 'x'), "the URI has 9029 bytes; at most 8192 are read", ""},
       }) {
    const auto uri = parse_resource_uri(one.given);
    ASSERT_FALSE(uri) << one.given;
    EXPECT_EQ(uri.error().message, one.message);
    EXPECT_EQ(uri.error().hint, one.hint) << one.given;
    EXPECT_EQ(uri.error().code, core::ErrorCode::usage) << one.given;
  }
}

// A URI of another kind may well be one, so what is wrong is that the resource is not here.
TEST(ResourceUri, OfAnotherServerNamesNothingHere) {
  for (const std::string given : {"", "file:///etc/passwd", "plumbline:/ceilings"}) {
    const auto uri = parse_resource_uri(given);
    ASSERT_FALSE(uri) << given;
    EXPECT_EQ(uri.error().code, core::ErrorCode::not_found);
    EXPECT_EQ(uri.error().message, '"' + given + R"(" is not a URI of this server)");
    EXPECT_EQ(uri.error().hint, "they begin with plumbline://");
  }
}

TEST(ResourceUri, IsMadeOfAPathInsideTheRegistry) {
  const registry::test::Scratch scratch;
  const std::string root = scratch.path();
  const std::string entries = root + "/experiments/artifacts/perf-baselines/";
  const std::string diffs = root + "/experiments/artifacts/perf-baseline-diffs/";
  const std::string slug = kSlug;
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases = {
      {entries + "nccl/all_reduce/" + slug, "plumbline://baselines/nccl/all_reduce/" + slug},
      {entries + "nccl/all_reduce/" + slug + "/baseline.json", "plumbline://baselines/nccl/all_reduce/" + slug},
      {entries + "nccl/all_reduce/" + slug + "/SOURCE.md", "plumbline://baselines/nccl/all_reduce/" + slug + "/SOURCE.md"},
      {diffs + "adhoc/profile/" + slug + "/diff.md", "plumbline://diffs/adhoc/profile/" + slug + "/diff.md"},
      {diffs + "f/m/" + slug + "/current-snapshot/a b.json", "plumbline://diffs/f/m/" + slug + "/current-snapshot/a%20b.json"},
      {diffs + "f/m/" + slug + "/", "plumbline://diffs/f/m/" + slug},
      {diffs + "f/m/" + slug + "/../x", std::nullopt},
      {diffs + "f/m/.staging/diff.md", std::nullopt},
      {entries + "f/m/INDEX.md", std::nullopt},
      {entries + "f/m/accepted/000001-" + slug + ".json", std::nullopt},
      {entries + "f/m", std::nullopt},
      {diffs + "f/m/" + slug + "/s3://x", std::nullopt},
      {"/x/experiments/artifacts/s3://b/experiments/artifacts/y", std::nullopt},
      {"s3://b/p/experiments/artifacts/perf-baselines/f/m/" + slug, "plumbline://baselines/f/m/" + slug},
      {"s3://b/p/experiments/artifacts/s3://", std::nullopt},
      {root + "/a.json", std::nullopt},
      {"/elsewhere/experiments/artifacts/perf-baselines/f/m/" + slug, std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [path, uri] : cases) {
    EXPECT_EQ(resource_uri(path, root), uri) << path;
    if (uri) {
      EXPECT_TRUE(parse_resource_uri(*uri)) << *uri;
    }
  }
}

}  // namespace
}  // namespace plumbline::server::mcp
