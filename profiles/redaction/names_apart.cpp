#include "profiles/redaction/names_apart.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <vector>

#include "base/characters.hpp"

namespace plumbline::profiles {
namespace {

using base::is_digit;
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && is_digit(text.front()) && text.size() <= 20 && std::count(text.begin(), text.end(), '.') <= 1 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
}

// Where "NAME=" ends; 0 where none stands at the front.
std::size_t variable_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_capital(text[end]) || text[end] == '_' || (end > 0 && is_digit(text[end])))) ++end;
  return end > 1 && end < text.size() && text[end] == '=' ? end + 1 : 0;
}

// "BATCH_SIZE=8, SEQ_LEN=128": what a program says of a step, with numbers only.
bool is_settings(std::string_view text) {
  while (!text.empty()) {
    const std::size_t value = variable_name(text);
    if (value == 0) return false;
    const std::size_t end = std::min(text.find_first_of(", ;"), text.size());
    if (end < value || !is_number(text.substr(value, end - value))) return false;
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(", ;"), text.size()));
  }
  return true;
}

// "X #3" -> X, 3; where nothing was redacted or no number stands, the text itself and 1.
std::pair<std::string_view, std::uint64_t> numbered(std::string_view text) {
  const std::size_t mark = text.rfind(" #");
  if (mark == std::string_view::npos || text.substr(0, mark).find(core::kRedacted) == std::string_view::npos) return {text, 1};
  const std::string_view digits = text.substr(mark + 2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 2 || digits.front() == '0') return {text, 1};
  return {text.substr(0, mark), number};
}

}  // namespace

bool is_environment_variable(std::string_view text) {
  const std::size_t value = variable_name(text);
  if (value == 0 || value == text.size() || text.substr(value).starts_with(core::kRedacted)) return false;
  return !is_settings(text);
}

bool is_command_line(std::string_view text) {
  constexpr std::array<std::string_view, 12> kPrograms = {"python",   "python3", "bash", "sh",   "env",  "sudo",
                                                          "torchrun", "mpirun",  "srun", "nsys", "node", "java"};
  constexpr std::size_t kLongestProgram = 10;
  const bool path = text.starts_with('/') || text.starts_with("./");
  const std::size_t blank = (path ? text : text.substr(0, kLongestProgram)).find(' ');
  if (blank == std::string_view::npos) return false;
  if (!path && std::find(kPrograms.begin(), kPrograms.end(), text.substr(0, blank)) == kPrograms.end()) return false;
  return text.find(" -", blank) != std::string_view::npos || text.find(" /", blank) != std::string_view::npos ||
         (!path && text.find('.', blank) != std::string_view::npos);
}

std::optional<std::string> NameCleaner::clean(std::string_view name) {
  // Readers put a range's domain before its name: what stands behind any colon is looked at like the whole.
  for (std::size_t at = 0; at < name.size();) {
    const std::string_view rest = name.substr(at);
    if (is_environment_variable(rest)) return std::string(name.substr(0, at + variable_name(rest))).append(core::kRedacted);
    if (is_command_line(rest)) return std::string(name.substr(0, at)).append(core::kRedacted);
    at = std::min(name.find(':', at), name.size() - 1) + 1;
  }
  if (!core::may_hold_secret(name)) return std::nullopt;
  return finder_.scrubbed(name);
}

bool NamesApart::add(std::string_view name) {
  const auto clean = cleaner_.clean(name);
  // One that says [redacted] already is of those that are numbered.
  if (clean || name.find(core::kRedacted) != std::string_view::npos) add(name, clean ? std::string_view(*clean) : name);
  return clean.has_value();
}

void NamesApart::add(std::string_view name, std::string_view clean) {
  if (!shown_.contains(name)) shown_.emplace(name, clean);
}

void NamesApart::settle() {
  // Names that were clean already come before cleaned ones of the same number.
  using Place = std::tuple<std::uint64_t, bool, std::string_view, std::string*>;
  std::map<std::string, std::vector<Place>, std::less<>> by_rest;
  for (auto& [name, shown] : shown_) {
    const auto [rest, number] = numbered(shown);
    auto group = by_rest.find(rest);
    if (group == by_rest.end()) group = by_rest.try_emplace(std::string(rest)).first;
    group->second.emplace_back(number, name != shown, name, &shown);
  }
  for (auto& [rest, names] : by_rest) {
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string& shown = *std::get<3>(names[i]);
      shown = i == 0 ? rest : rest + " #" + std::to_string(i + 1);
    }
  }
}

const std::string* NamesApart::find(std::string_view name) const {
  if (shown_.empty()) return nullptr;
  const auto found = shown_.find(name);
  return found == shown_.end() ? nullptr : &found->second;
}

const std::string& Aliases::of(const std::string& text) {
  const auto [at, added] = given_.try_emplace(text);
  if (added)
    at->second =
        given_.size() == 1 ? std::string(core::kRedacted) : std::string(core::kRedacted) + " #" + std::to_string(given_.size());
  return at->second;
}

}  // namespace plumbline::profiles
