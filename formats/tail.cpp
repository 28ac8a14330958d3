#include "formats/tail.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kMicro = "\xC2\xB5";    // µ
constexpr std::string_view kBetween = " \t,;|=:";  // what stands between the fields of a line

using base::is_digit;

std::string_view last_field(std::string_view line) {
  const std::size_t before = line.find_last_of(kBetween);
  return before == std::string_view::npos ? line : line.substr(before + 1);
}

std::size_t fields_of(std::string_view line) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : line) {
    const bool between = kBetween.find(c) != std::string_view::npos;
    count += !between && !inside ? 1 : 0;
    inside = !between;
  }
  return count;
}

// Digits behind the point; nothing where the text is no number with a point.
std::optional<std::size_t> decimals_of(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || !core::parse_double(text)) return std::nullopt;
  const std::string_view fraction = text.substr(point + 1);
  if (fraction.empty() || fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return fraction.size();
}

// Whether the lines above of as many fields end in numbers of as many decimals: "%.2f" wrote them all, and this one to its end.
bool is_as_above(std::string_view text) {
  constexpr std::size_t kLines = 16, kNeeded = 2, kLongest = 4096;
  std::size_t start = text.rfind('\n');
  if (start == std::string_view::npos) return false;
  const std::string_view last = text.substr(start + 1);
  if (last.size() > kLongest) return false;
  const auto decimals = decimals_of(last_field(last));
  if (!decimals) return false;
  const std::size_t fields = fields_of(last);
  std::size_t agree = 0;
  for (std::size_t looked = 0; looked < kLines && start != 0 && start != std::string_view::npos; ++looked) {
    const std::size_t end = start;
    start = text.rfind('\n', end - 1);
    const std::size_t begin = start == std::string_view::npos ? 0 : start + 1;
    if (end - begin > kLongest) return false;
    const std::string_view line = core::trim(text.substr(begin, end - begin));
    if (line.empty() || fields_of(line) != fields) continue;
    const std::string_view field = last_field(line);
    if (field.find_first_of("0123456789") == std::string_view::npos) continue;  // names, or a value that is none
    if (decimals_of(field) != decimals) return false;
    ++agree;
  }
  return agree >= kNeeded;
}

bool same(const core::Measurement& a, const core::Row& x, const core::Measurement& b, const core::Row& y) {
  const auto left = a.values(x), right = b.values(y);
  if (x.state != y.state || left.size() != right.size() || a.unit(x) != b.unit(y)) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] != right[i] && !(std::isnan(left[i]) && std::isnan(right[i]))) return false;
  }
  return a.pool().view(x.text) == b.pool().view(y.text);
}

// The rows of `read` that are otherwise, or not there, in `longer`.
std::vector<std::size_t> dependent_rows(const core::Measurement& read, const core::Measurement& longer, bool unit) {
  std::vector<std::size_t> found;
  std::unordered_map<std::string_view, std::size_t> places;  // in `longer`; made where the order does not tell
  for (std::size_t i = 0; i < read.rows().size(); ++i) {
    const core::Row& row = read.rows()[i];
    const std::string_view key = read.key(row);
    std::size_t other = i;
    if (i >= longer.rows().size() || longer.key(longer.rows()[i]) != key) {
      if (places.empty()) {
        for (std::size_t j = 0; j < longer.rows().size(); ++j) places.emplace(longer.key(longer.rows()[j]), j);
      }
      const auto place = places.find(key);
      if (place == places.end()) {
        // Behind a digit another key stands only where the key was cut; a unit may be one that the reader does not know.
        if (!unit) found.push_back(i);
        continue;
      }
      other = place->second;
    }
    const core::Row& as_longer = longer.rows()[other];
    if (same(read, row, longer, as_longer)) continue;
    if (row.state == core::ValueState::text && as_longer.state == core::ValueState::text) continue;  // "done at 12:30"
    if (unit && (row.state != core::ValueState::number || as_longer.state != core::ValueState::number)) continue;
    found.push_back(i);
  }
  return found;
}

}  // namespace

std::optional<OpenTail> open_tail(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  const std::string_view end = text.substr(text.size() - std::min(text.size(), kLongest));
  const std::size_t before = end.find_last_of(" \t\r\n|,;=:\"'([<");
  const std::string_view token = end.substr(before == std::string_view::npos ? 0 : before + 1);
  if (token.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  const char last = token.back();
  if (is_digit(last) || (last == '.' && token.size() > 1)) {
    if (is_as_above(text)) return std::nullopt;
    return OpenTail{token, "7"};
  }
  // Half a unit is one as well: "1.2m" of "1.2ms" would be minutes, "3M" of "3MB" a count.
  const auto behind_digit = [&](std::size_t unit) {
    return token.size() > unit && (is_digit(token[token.size() - unit - 1]) || token[token.size() - unit - 1] == '.');
  };
  if (token.ends_with(kMicro) && behind_digit(kMicro.size())) return OpenTail{token, "s"};
  if (std::string_view("munp").find(last) != std::string_view::npos && behind_digit(1)) return OpenTail{token, "s"};
  if (std::string_view("kKMGT").find(last) != std::string_view::npos && behind_digit(1)) return OpenTail{token, "B"};
  return std::nullopt;
}

std::string cut_value(std::string_view token) { return std::string(token) + ": the file ends inside or right behind this value"; }

core::Warning truncated_tail(std::string_view token, const std::string& what) {
  return core::Warning{"truncated_tail", "the text ends without a line feed right behind " + core::cited(token) +
                                             ", which may be cut off: " + what +
                                             "; if the file is whole, end its last line with a line feed"};
}

void doubt_tail(core::Measurement& measurement, const Format& format, const Input& input, const ReadOptions& options) {
  const bool free_text = format.name == "key-value" || format.name == "scalar-text";
  if (free_text && input.bytes.find('\n') == std::string_view::npos) return;
  const auto tail = open_tail(input.bytes);
  if (!tail) return;
  std::string text;
  text.reserve(input.bytes.size() + tail->more.size());
  text.append(input.bytes).append(tail->more);
  Input longer = input;
  longer.bytes = text;
  longer.outline = nullptr;
  ReadOptions again = options;
  again.pool = nullptr;  // what the file does not hold must not be in the caller's pool
  const auto other = read_as(format, longer, again);
  if (!other) return;
  const bool unit = !is_digit(tail->more.front());
  std::string first;
  std::size_t count = 0;
  const core::Id why = measurement.pool().intern(cut_value(tail->token));
  for (const std::size_t i : dependent_rows(measurement, *other, unit)) {
    core::Row& row = measurement.rows()[i];
    if (count++ == 0) first = std::string(measurement.key(row));
    row.state = core::ValueState::failed;
    row.text = why;
  }
  std::vector<std::string> settings;
  for (const auto& [key, value] : measurement.context) {
    const auto as_longer = other->context.find(key);
    if (as_longer == other->context.end() || as_longer->second != value) settings.push_back(key);
  }
  for (const std::string& key : settings) measurement.context.erase(key);
  std::string what;
  if (count > 0) {
    what = core::counted(count, "row that depends on it is", "rows that depend on it are") + " invalid, the first is " +
           core::cited(first);
  }
  if (!settings.empty()) {
    what += std::string(what.empty() ? "" : "; ") + "left out of the context: " + core::cited_list(settings);
  }
  if (!what.empty()) {
    core::Warning warning = truncated_tail(tail->token, what);
    measurement.warn(warning.code, std::move(warning.message));
  }
}

}  // namespace plumbline::formats
