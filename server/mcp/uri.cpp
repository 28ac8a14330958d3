#include "server/mcp/uri.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "registry/open_store.hpp"
#include "server/jsonrpc/message.hpp"

namespace plumbline::server::mcp {

using core::ErrorCode;
using core::Expected;
using core::fail;
using Kind = ResourceUri::Kind;

namespace {

constexpr std::string_view kScheme = "plumbline://";
constexpr std::size_t kUriBytes = 8192;
constexpr std::array<std::string_view, 4> kKinds = {"baselines", "diffs", "ceilings", "schemas"};  // in Kind's order
constexpr std::string_view kBaselineFile = "baseline.json";

std::string shown(std::string_view text) { return core::quoted(jsonrpc::shortened(text)); }

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates, std::string otherwise) {
  const std::string_view near = core::nearest(word, candidates);
  return near.empty() ? std::move(otherwise) : "did you mean " + std::string(near) + "?";
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}
bool is_path_character(char c) { return is_unreserved(c) || std::string_view("!$&'()*+,;=:@").find(c) != std::string_view::npos; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_encoded(std::string& out, std::string_view part) {
  for (const char c : part) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

// One part of the path, decoded once.
Expected<std::string> decoded(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    char c = part[i];
    if (c == '%') {
      const int high = i + 1 < part.size() ? hex_value(part[i + 1]) : -1;
      const int low = i + 2 < part.size() ? hex_value(part[i + 2]) : -1;
      if (high < 0 || low < 0) return fail(ErrorCode::usage, shown(part) + " has a % without two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      i += 2;
      if (c == '/' || c == '\\' || c == '\0' || c == '\n' || c == '\r') {
        return fail(ErrorCode::usage, shown(part) + " hides a character that no file name here may hold",
                    c == '/' ? "write the slash between folder and file as it is" : "");
      }
    } else if (!is_path_character(c)) {
      return fail(ErrorCode::usage, shown(part) + " has a character that a URI may only hold percent-encoded",
                  fmt::format("%{:02X}", static_cast<unsigned char>(c)));
    }
    out += c;
  }
  if (out.empty()) return fail(ErrorCode::usage, "the URI has an empty part", "no slash may be twice or at the end");
  if (out == "." || out == "..") return fail(ErrorCode::usage, "the URI has the part " + shown(part) + ", which names no file");
  return out;
}

core::Status read_slug(ResourceUri& uri) {
  static constexpr std::array<std::string_view, 2> kWords = {kNewest, kAccepted};
  const std::span<const std::string_view> words(kWords.data(), uri.kind == Kind::entry ? 2 : 1);
  for (const std::string_view word : words) {
    if (uri.slug == word) return {};
  }
  if (registry::is_slug(uri.slug)) return {};
  return fail(
      ErrorCode::usage, shown(uri.slug) + " is no slug",
      did_you_mean(uri.slug, words,
                   uri.kind == Kind::entry ? "20261120T150359221206Z, newest or accepted" : "20261120T150359221206Z or newest"));
}

core::Status read_query(std::string_view query, ResourceUri& uri) {
  static constexpr std::array<std::string_view, 2> kNames = {"offset", "length"};
  std::array<bool, 2> seen{};
  for (const std::string_view pair : core::split(query, '&')) {
    const std::string_view name = pair.substr(0, pair.find('='));
    const std::size_t which = name == kNames[0] ? 0 : name == kNames[1] ? 1 : kNames.size();
    if (which == kNames.size()) {
      return fail(ErrorCode::usage, "a resource has no parameter " + shown(name),
                  did_you_mean(name, kNames, "offset and length are those there are"));
    }
    if (seen[which]) return fail(ErrorCode::usage, std::string(name) + " is given twice");
    seen[which] = true;
    const std::string_view value = name.size() < pair.size() ? pair.substr(name.size() + 1) : std::string_view();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = !value.empty() && error == std::errc() && end == value.data() + value.size();
    if (which == 0) {
      if (!whole) return fail(ErrorCode::usage, "offset is " + shown(value) + ", not a number of bytes");
      uri.offset = number;
    } else {
      if (!whole || number == 0 || number > kLengthAtMost) {
        return fail(ErrorCode::usage,
                    fmt::format("length is {}, not a number of bytes from 1 to {}", shown(value), kLengthAtMost));
      }
      uri.length = number;
    }
  }
  return {};
}

std::string form_of(Kind kind) {
  switch (kind) {
    case Kind::entry:
      return "plumbline://baselines/{family}/{measurement}/{slug}";
    case Kind::bundle:
      return "plumbline://diffs/{family}/{measurement}/{slug}/{file}";
    case Kind::schema:
      return "plumbline://schemas/{name}";
    case Kind::ceilings:
      return "plumbline://ceilings";
  }
  return {};
}

}  // namespace

Expected<ResourceUri> parse_resource_uri(std::string_view whole) {
  std::string_view text = whole;
  if (text.size() > kUriBytes) {
    return fail(ErrorCode::usage, fmt::format("the URI has {} bytes; at most {} are read", text.size(), kUriBytes));
  }
  if (!core::starts_with_no_case(text, kScheme)) {
    return fail(ErrorCode::not_found, shown(text) + " is not a URI of this server", "they begin with plumbline://");
  }
  text.remove_prefix(kScheme.size());
  if (text.find('#') != std::string_view::npos) return fail(ErrorCode::usage, "the URI has a fragment", "resources have none");
  const std::size_t question = text.find('?');
  const std::vector<std::string_view> parts = core::split(text.substr(0, question), '/');
  const std::string kind = core::to_lower(parts.front());
  ResourceUri uri;
  std::size_t index = 0;
  while (index < kKinds.size() && kind != kKinds[index]) ++index;
  if (index == kKinds.size()) {
    return fail(ErrorCode::usage, "there are no resources called " + shown(parts.front()),
                did_you_mean(kind, kKinds, "baselines, diffs, ceilings and schemas are those there are"));
  }
  uri.kind = static_cast<Kind>(index);

  std::vector<std::string> names;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    auto name = decoded(parts[i]);
    if (!name) return fail(std::move(name.error()));
    names.push_back(std::move(*name));
  }
  const bool publication = uri.kind == Kind::entry || uri.kind == Kind::bundle;
  const std::size_t fewest = publication ? 3 : uri.kind == Kind::schema ? 1 : 0;
  if (names.size() < fewest || (!publication && names.size() > fewest)) {
    return fail(ErrorCode::usage, shown(whole) + " has the wrong number of parts", "the form is " + form_of(uri.kind));
  }
  if (publication) {
    uri.family = std::move(names[0]);
    uri.measurement = std::move(names[1]);
    uri.slug = std::move(names[2]);
    if (auto good = registry::check_segment("family", uri.family); !good) return fail(good.error());
    if (auto good = registry::check_segment("measurement", uri.measurement); !good) return fail(good.error());
    if (auto good = read_slug(uri); !good) return fail(good.error());
  }
  for (std::size_t i = publication ? 3 : 0; i < names.size(); ++i) {
    if (!uri.file.empty()) uri.file += '/';
    uri.file += names[i];
  }
  if (!uri.file.empty()) {
    if (auto good = registry::check_relative_name(uri.file); !good) return fail(good.error());
  }
  if (question != std::string_view::npos) {
    if (auto good = read_query(text.substr(question + 1), uri); !good) return fail(good.error());
  }
  return uri;
}

std::string to_text(const ResourceUri& uri) {
  std::string out(kScheme);
  out += kKinds[static_cast<std::size_t>(uri.kind)];
  for (const std::string* part : {&uri.family, &uri.measurement, &uri.slug}) {
    if (part->empty()) continue;
    out += '/';
    append_encoded(out, *part);
  }
  if (uri.file.empty()) return out;
  for (const std::string_view part : core::split(uri.file, '/')) {
    out += '/';
    append_encoded(out, part);
  }
  return out;
}

std::optional<std::string> resource_uri(std::string_view path, const std::string& root) {
  // An address of a shared store has the same tree below its prefix.
  const auto tree = path.find("/experiments/artifacts/");
  const bool shared = registry::is_shared_address(path) && tree != std::string_view::npos;
  if (shared) path.remove_prefix(tree);
  const auto store = registry::open_store({shared ? "/" : root, {}, {}, {}, {}});
  for (const registry::Kind kind : {registry::Kind::entry, registry::Kind::bundle}) {
    std::string base = store->directory(kind, "", "");  // ends in the slash before the family and the one after it
    base.pop_back();
    if (path.substr(0, base.size()) != base) continue;
    const std::vector<std::string_view> parts = core::split(path.substr(base.size()), '/');
    if (parts.size() < 3 || !registry::check_segment("family", parts[0]) || !registry::check_segment("measurement", parts[1]) ||
        !registry::is_slug(parts[2]))
      return std::nullopt;
    ResourceUri uri;
    uri.kind = kind == registry::Kind::entry ? Kind::entry : Kind::bundle;
    uri.family = parts[0];
    uri.measurement = parts[1];
    uri.slug = parts[2];
    if (parts.size() > 3) uri.file = path.substr(static_cast<std::size_t>(parts[3].data() - path.data()));
    if (!uri.file.empty() && !registry::check_relative_name(uri.file)) return std::nullopt;
    if (uri.kind == Kind::entry && uri.file == kBaselineFile) uri.file.clear();
    return to_text(uri);
  }
  return std::nullopt;
}

}  // namespace plumbline::server::mcp
