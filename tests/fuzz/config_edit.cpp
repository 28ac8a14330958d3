// links: cli core
// Any text as a client's configuration: an edit is refused or says what was asked, loses no line of comment, and can be undone.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/json_edit.hpp"
#include "cli/toml_edit.hpp"
#include "core/text.hpp"

namespace {

using namespace plumbline::cli;

void check(bool holds) {
  if (!holds) std::abort();
}

void edit_json(const std::string& text) {
  const std::vector<std::string> path = {"a", "b"};
  const auto before = json_member(text, path);
  const auto edited = with_json_member(text, path, R"({"k":[1,"x"]})");
  if (!edited) return;
  check(before.has_value());
  const auto after = json_member(*edited, path);
  check(after.has_value() && after->has_value());
  const std::vector<std::string> inner = {"a", "b", "k"};
  check(json_member(*edited, inner).value_or(std::nullopt).has_value());
  check(check_strict_json(text, true).has_value() == check_strict_json(*edited, true).has_value());
  check(check_strict_json(text, false).has_value() == check_strict_json(*edited, false).has_value());
  const auto removed = without_json_member(*edited, path);
  check(removed.has_value());
  const auto gone = json_member(*removed, path);
  check(gone.has_value() && !gone->has_value());
}

void edit_toml(const std::string& text) {
  const std::vector<std::string> path = {"a", "b"};
  const Members members = {{"command", "\"/p\""}, {"args", "[\"x\"]"}};
  const auto edited = with_toml_keys(text, path, members);
  if (!edited) return;
  const auto after = toml_table(*edited, path);
  check(after.has_value() && after->has_value());
  std::size_t found = 0;
  for (const auto& member : **after) {
    for (const auto& wanted : members) found += member == wanted ? 1 : 0;
  }
  check(found == members.size());
  if (const auto removed = without_toml_table(*edited, path)) {
    const auto gone = toml_table(*removed, path);
    check(gone.has_value() && !gone->has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!plumbline::core::is_valid_utf8(text)) return 0;
  edit_json(text);
  edit_toml(text);
  return 0;
}
