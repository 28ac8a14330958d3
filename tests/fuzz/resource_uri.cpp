// links: server
// Arbitrary text as a resource's URI. Whatever is read from it: its text reads back as the same, its parts are what the registry
// takes as names, and no part leads out of a folder. Paths made of arbitrary text give URIs that are read again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "registry/store.hpp"
#include "server/mcp/uri.hpp"

namespace {

using namespace plumbline;
using server::mcp::ResourceUri;

void check(bool good) {
  if (!good) std::abort();
}

bool same(const ResourceUri& a, const ResourceUri& b) {
  return a.kind == b.kind && a.family == b.family && a.measurement == b.measurement && a.slug == b.slug && a.file == b.file;
}

void check_parts(const ResourceUri& uri) {
  if (uri.kind == ResourceUri::Kind::entry || uri.kind == ResourceUri::Kind::bundle) {
    check(registry::check_segment("family", uri.family).has_value());
    check(registry::check_segment("measurement", uri.measurement).has_value());
    check(uri.slug == "newest" || uri.slug == "accepted" || registry::is_slug(uri.slug));
  }
  if (!uri.file.empty()) check(registry::check_relative_name(uri.file).has_value());
  check(uri.length >= 1 && uri.length <= server::mcp::kLengthAtMost);
}

void read(std::string_view text) {
  const auto uri = server::mcp::parse_resource_uri(text);
  if (!uri) {
    check(!uri.error().message.empty());
    return;
  }
  check_parts(*uri);
  const auto again = server::mcp::parse_resource_uri(server::mcp::to_text(*uri));
  // Encoding may make a text longer than what is read at most; nothing else can go wrong.
  check(again ? same(*uri, *again) : server::mcp::to_text(*uri).size() > text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  read("plumbline://diffs/f/m/20261120T150359221206Z/" + text);
  read("plumbline://ceilings?" + text);
  const auto uri =
      server::mcp::resource_uri("/r/experiments/artifacts/perf-baseline-diffs/f/m/20261120T150359221206Z/" + text, "/r");
  if (uri) {
    const auto parsed = server::mcp::parse_resource_uri(*uri);
    check(parsed ? parsed->file == text : uri->size() > text.size());
  }
  return 0;
}
