// What is JSON: by its first characters, or nearly nothing else could be said of a text.
#include <algorithm>
#include <iterator>
#include <string>

#include "core/text.hpp"
#include "formats/generic/json_flattener.hpp"

namespace plumbline::formats {
namespace {

// "[2024-05-01 …]", "[12:30:00]", "[1/4]" before a line of a log.
bool begins_date(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end != std::string_view::npos && std::string_view("-:/").find(text[end]) != std::string_view::npos;
}

// A text in quotes and nothing else.
bool is_one_string(std::string_view head) {
  if (head.front() != '"') return false;
  const std::size_t close = head.find('"', 1);
  return close != std::string_view::npos && core::trim(head.substr(close + 1)).empty();
}

// "[1, 2]" and "[{", not "[section]" or "[[records]]" of an INI or TOML file and not "[INFO] …".
bool begins_array(std::string_view head, int depth = 0) {
  const std::size_t next = head.find_first_not_of(" \t\r\n", 1);
  if (next == std::string_view::npos) return true;
  const std::string_view rest = head.substr(next);
  if (rest.front() == '[' && depth < 8) return begins_array(rest, depth + 1);
  if (std::string_view("{[]\"-/.+'").find(rest.front()) != std::string_view::npos) return true;
  if (rest.front() >= '0' && rest.front() <= '9') return !begins_date(rest);
  const std::string word = core::to_lower(rest.substr(0, std::min(rest.find_first_of(" \t\r\n,]"), rest.size())));
  constexpr std::string_view kWords[] = {"true", "false", "null", "nan", "infinity", "inf", "none"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

}  // namespace

Detection detect_generic_json(const Input& input) {
  if (input.is_directory) return {};
  const std::string_view head = json_head(input);
  if (head.empty()) return {};
  const bool named =
      has_extension(input.name, ".json") || has_extension(input.name, ".jsonl") || has_extension(input.name, ".ndjson");
  Detection detection;
  if (head.front() == '{' || (head.front() == '[' && begins_array(head))) {
    detection.score = 0.6;
    detection.evidence.push_back(std::string("starts with '") + head.front() + "'");
  } else if ((named && head.front() == '"') || is_one_string(head) || head.starts_with("true") || head.starts_with("false") ||
             head.starts_with("null")) {
    detection.score = 0.1;
    detection.evidence.emplace_back("starts like a JSON value");
  }
  if (detection.score > 0 && named) {
    detection.score += 0.1;
    detection.evidence.emplace_back("named as JSON");
  }
  return detection;
}

}  // namespace plumbline::formats
