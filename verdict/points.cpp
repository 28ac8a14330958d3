#include "verdict/points.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.hpp"

namespace plumbline::verdict {

namespace {

bool is_separator(char c) { return c == '.' || c == '_' || c == '-' || c == '/' || c == ' '; }

// "p99", "p99.9" (as "p99" and "9"), "median", "mean": which number of a distribution it is. Only the percentiles that are in
// use: "p0" and "p7" are peers, ports and processes.
bool is_statistic(std::string_view word) {
  constexpr auto kWords = std::to_array<std::string_view>({"median", "mean", "avg", "average", "min", "max", "p01", "p05", "p25",
                                                           "p50", "p75", "p80", "p90", "p95", "p98", "p99", "p999", "p9999"});
  return std::find(kWords.begin(), kWords.end(), core::to_lower(word)) != kWords.end();
}

bool is_number(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

// The key without the words that say which statistic: "ttft_p50_ms" and "ttft_p99_ms" are one metric.
std::string without_statistics(std::string_view key) {
  std::string out;
  bool after_percentile = false;
  while (!key.empty()) {
    const auto end = static_cast<std::size_t>(std::find_if(key.begin(), key.end(), is_separator) - key.begin());
    const std::string_view word = key.substr(0, end);
    const bool decimals = after_percentile && is_number(word);
    after_percentile = is_statistic(word);
    if (!after_percentile && !decimals) {
      out += word;
      out += '\n';
    }
    key.remove_prefix(std::min(key.size(), end + 1));
  }
  return out;
}

}  // namespace

std::size_t count_points(const core::Comparison& comparison, std::span<const std::uint32_t> deltas, std::size_t enough) {
  const core::Measurement& m = *comparison.baseline;
  std::set<std::vector<std::pair<core::Id, core::Id>>> of_dims;  // by content: equal dimensions need not have one id
  std::set<std::string> of_names;
  for (const std::uint32_t i : deltas) {
    const core::Row& row = m.rows()[comparison.deltas[i].baseline_row];
    const auto dims = m.dims(row);
    if (dims.empty()) {
      of_names.insert(without_statistics(m.key(row)));
    } else {
      of_dims.emplace(dims.begin(), dims.end());
    }
    if (of_dims.size() + of_names.size() >= enough) break;
  }
  return of_dims.size() + of_names.size();
}

}  // namespace plumbline::verdict
