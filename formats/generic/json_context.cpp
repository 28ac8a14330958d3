// A context object in this program's own shape: groups of fields, nested or dotted.
#include <string>

#include "core/context.hpp"
#include "core/privacy.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

// The severity table answers `informative` for keys it does not name: these are the ones it names so.
bool is_ruled(std::string_view key) {
  return core::context_severity(key) != core::Severity::informative || key == "identity.label" || key == "identity.name" ||
         key == "environment.hostname";
}

}  // namespace

bool take_context_field(std::string_view group, std::string_view field, const json::Value& value, RowWriter& writer) {
  if (value.is_container() || value.is_null() || core::sounds_secret(field)) return false;
  if (core::names_environment(group) && field != "hostname") return false;
  std::string key(group);
  key.push_back('.');
  key.append(field);
  if (!core::is_context_key(key)) return false;
  const std::string_view listed = writer.names().context_key(field);
  // "hardware.gpu_name" is what others call hardware.gpu; a name listed under another group stays where the file put it.
  if (listed.size() > group.size() && listed.starts_with(group) && listed[group.size()] == '.') {
    key = listed;
  } else if (listed.empty() && !is_ruled(key)) {
    return false;
  }
  writer.out.context.emplace(std::move(key), value.text().substr(0, 500));
  return true;
}

std::uint64_t take_context_group(const json::Value& object, std::string_view group, RowWriter& writer) {
  const bool environment = core::names_environment(group);
  std::uint64_t left_out = 0;
  for (const auto [field, valid, value] : object.members()) {
    if (!take_context_field(group, field, value, writer) && environment) ++left_out;
  }
  return left_out;
}

}  // namespace plumbline::formats
