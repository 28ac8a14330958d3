#include "registry/pgindex/rows.hpp"

#include "core/json_writer.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "registry/pgindex/parameters.hpp"

namespace plumbline::registry::pgindex {
namespace {

// "5:bytes": what is kept so can be taken apart whatever is in it.
void put(std::string& out, std::string_view text) {
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

std::optional<std::string> take(std::string_view& bytes) {
  const auto colon = bytes.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto size = core::parse_int(bytes.substr(0, colon));
  bytes.remove_prefix(colon + 1);
  if (!size || *size < 0 || static_cast<std::size_t>(*size) > bytes.size()) return std::nullopt;
  std::string out(bytes.substr(0, static_cast<std::size_t>(*size)));
  bytes.remove_prefix(out.size());
  return out;
}

}  // namespace

std::string digest_bytes(std::string_view bytes) { return bytes_of("\\x" + sha256_hex(bytes)).value_or(std::string()); }

std::string series_sha256(const std::string& key, const std::string& unit, const std::string& direction) {
  std::string all;
  for (const std::string* part : {&key, &unit, &direction}) put(all, *part);
  return digest_bytes(all);
}

std::string pack_context(const core::Context& context) {
  std::string out;
  for (const auto& [key, value] : context) {
    put(out, key);
    put(out, value);
  }
  return out;
}

std::optional<core::Context> unpack_context(std::string_view bytes) {
  core::Context out;
  while (!bytes.empty()) {
    auto key = take(bytes);
    auto value = key ? take(bytes) : std::nullopt;
    if (!value) return std::nullopt;
    out[std::move(*key)] = std::move(*value);
  }
  return out;
}

std::string context_json(const core::Context& context) {
  std::string text;
  core::JsonWriter json(text, -1);
  json.begin_object();
  for (const auto& [key, value] : context) json.field(clean(key), clean(core::without_secrets(value)));
  json.end_object();
  return text;
}

}  // namespace plumbline::registry::pgindex
