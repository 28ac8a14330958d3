#include "verdict/culprits/endpoints.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text.hpp"

namespace plumbline::verdict::culprits {

namespace {

constexpr std::size_t kLeastShared = 3;  // values that both ends have

constexpr auto kEnds = std::to_array<std::pair<std::string_view, std::string_view>>({{"row", "col"},
                                                                                     {"src", "dst"},
                                                                                     {"source", "destination"},
                                                                                     {"source", "dest"},
                                                                                     {"source", "target"},
                                                                                     {"from", "to"},
                                                                                     {"sender", "receiver"},
                                                                                     {"node_a", "node_b"},
                                                                                     {"host_a", "host_b"},
                                                                                     {"gpu_a", "gpu_b"},
                                                                                     {"node1", "node2"},
                                                                                     {"a", "b"}});
constexpr auto kNames =
    std::to_array<std::string_view>({"gpu",  "node", "host", "device", "dev", "rank", "peer", "id",   "index",  "section", "run",
                                     "seed", "job",  "task", "line",   "nic", "hca",  "port", "rack", "socket", "slot"});

bool known_ends(std::string_view a, std::string_view b) {
  return std::any_of(kEnds.begin(), kEnds.end(), [&](const auto& ends) {
    return (ends.first == a && ends.second == b) || (ends.first == b && ends.second == a);
  });
}

using CodeByText = std::unordered_map<std::string_view, Code>;
CodeByText codes_by_text(const std::vector<std::string>& values) {
  CodeByText out;
  for (std::size_t i = 0; i < values.size(); ++i) out.emplace(values[i], static_cast<Code>(i + 1));
  return out;
}

// Ends are of one kind when most of what the shorter list names is in the other.
bool share_values(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const CodeByText in_a = codes_by_text(a);
  const auto shared =
      static_cast<std::size_t>(std::count_if(b.begin(), b.end(), [&](const std::string& value) { return in_a.contains(value); }));
  return shared >= kLeastShared && 5 * shared >= 4 * std::min(a.size(), b.size());
}

bool is_name(const std::string& value) {
  return std::any_of(value.begin(), value.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

// Columns of names that share their values are ends whatever they are called; of numbers (ISL and OSL) only the name tells.
bool are_ends(const Column& a, const Column& b) {
  if (a.kind != b.kind || a.either() || b.either()) return false;
  if (a.kind != Column::Kind::dimension && a.kind != Column::Kind::word) return false;
  if (!known_ends(a.name, b.name) && !std::all_of(a.values.begin(), a.values.end(), is_name)) return false;
  return share_values(a.values, b.values);
}

Column joined(const Column& first, const Column& second) {
  Column out;
  out.kind = first.kind;
  out.name = first.name;
  out.second_name = second.name;
  out.values = first.values;
  const CodeByText known = codes_by_text(first.values);
  std::vector<Code> translated = {0};
  for (const std::string& value : second.values) {
    const auto at = known.find(value);
    if (at != known.end()) {
      translated.push_back(at->second);
      continue;
    }
    out.values.push_back(value);
    translated.push_back(static_cast<Code>(out.values.size()));
  }
  out.codes = first.codes;
  for (const Code code : second.codes) out.seconds.push_back(translated[code]);
  return out;
}

// A text of two ends is cut at the middle one of its separators: "c3-007-c3-012" at the second of three.
std::optional<std::pair<std::string_view, std::string_view>> halves(std::string_view text, std::string_view separator) {
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(separator); at != std::string_view::npos; at = text.find(separator, at + separator.size())) {
    places.push_back(at);
  }
  if (places.size() % 2 == 0) return std::nullopt;
  const std::size_t middle = places[places.size() / 2];
  return std::pair(core::trim(text.substr(0, middle)), core::trim(text.substr(middle + separator.size())));
}

std::optional<Column> taken_apart(const Column& column, std::string_view separator) {
  std::vector<std::string> firsts, seconds;
  CodeByText known;
  Column out;
  out.kind = column.kind;
  out.name = column.name;
  std::vector<std::pair<Code, Code>> ends = {{0, 0}};
  std::unordered_map<std::string_view, bool> as_first, as_second;
  std::vector<std::string_view> texts;
  const auto code_of = [&](std::string_view text) {
    const auto [at, fresh] = known.try_emplace(text, static_cast<Code>(known.size() + 1));
    if (fresh) texts.push_back(text);
    return at->second;
  };
  for (const std::string& value : column.values) {
    const auto both = halves(value, separator);
    if (!both || both->first.empty() || both->second.empty()) return std::nullopt;
    as_first[both->first] = as_second[both->second] = true;
    ends.emplace_back(code_of(both->first), code_of(both->second));
  }
  const auto shared = static_cast<std::size_t>(
      std::count_if(as_first.begin(), as_first.end(), [&](const auto& one) { return as_second.contains(one.first); }));
  // Every end may stand on one side alone (pairs that are told once), so a part of them is enough.
  if (texts.size() < kLeastShared || 3 * shared < texts.size() || texts.size() >= column.values.size()) return std::nullopt;
  out.values.assign(texts.begin(), texts.end());
  for (const Code code : column.codes) {
    out.codes.push_back(ends[code].first);
    out.seconds.push_back(ends[code].second);
  }
  return out;
}

}  // namespace

bool names_an_end(std::string_view column) {
  return std::find(kNames.begin(), kNames.end(), core::to_lower(column)) != kNames.end() ||
         std::any_of(kEnds.begin(), kEnds.end(), [&](const auto& ends) { return ends.first == column || ends.second == column; });
}

void add_endpoints(std::vector<Column>& columns) {
  std::vector<Column> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      if (are_ends(columns[i], columns[j])) found.push_back(joined(columns[i], columns[j]));
    }
    if (columns[i].kind != Column::Kind::dimension || columns[i].ordered()) continue;
    for (const std::string_view separator : {"<->", "->", "|", ",", "+", "/", ":", "_to_", "-to-", "--", "-", "_"}) {
      if (auto apart = taken_apart(columns[i], separator)) {
        found.push_back(std::move(*apart));
        break;
      }
    }
  }
  for (Column& column : found) columns.push_back(std::move(column));
}

}  // namespace plumbline::verdict::culprits
