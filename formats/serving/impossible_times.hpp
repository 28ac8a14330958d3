// Times that cannot be: a latency of 0 or less is a run in which nothing was measured, and would read as the greatest of all
// improvements. Private to formats/.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

#include "formats/row_writer.hpp"

namespace plumbline::formats {

// Between tokens there is no time where every request had one token only; tools write 0 for it.
[[nodiscard]] inline bool is_token_gap(std::string_view key) {
  constexpr std::string_view kGaps[] = {"tpot", "itl", "inter_token", "inter_chunk", "time_per_output_token"};
  return std::any_of(std::begin(kGaps), std::end(kGaps),
                     [&](std::string_view gap) { return key.find(gap) != std::string_view::npos; });
}

// Judged times of the rows from `first` on: 0 between tokens is no value, any other of 0 or less is failed.
inline void reject_impossible_times(RowWriter& writer, std::size_t first) {
  constexpr std::string_view kTimes[] = {"ns", "us", "ms", "s", "sec", "min"};
  auto& rows = writer.out.rows();
  for (std::size_t i = first; i < rows.size(); ++i) {
    core::Row& row = rows[i];
    const core::MetricClass& metric = writer.out.metric_class(row);
    if (row.state != core::ValueState::number || row.value_count == 0 || metric.role != core::Role::judged ||
        metric.direction != core::Direction::lower ||
        std::find(std::begin(kTimes), std::end(kTimes), writer.out.unit(row)) == std::end(kTimes)) {
      continue;
    }
    const auto values = writer.out.values(row);
    const double least = *std::min_element(values.begin(), values.end());
    if (least > 0) continue;
    if (least == 0 && is_token_gap(writer.out.key(row))) {
      row.state = core::ValueState::null;
      row.value_count = 0;
      writer.find(Finding::null_values, writer.out.key(row));
    } else {
      row.state = core::ValueState::failed;
      row.text = writer.pool().intern("a time of 0 or less: nothing was measured");
    }
  }
}

}  // namespace plumbline::formats
