// The sections of a profile diff beyond its rows as plain tables, made once and drawn by Markdown, the terminal and HTML alike.
// Internal to reports/.
#pragma once

#include <string>
#include <vector>

#include "core/results/profile_diff.hpp"

namespace plumbline::reports {

struct PlainTable {
  std::string title;
  std::string lead;                 // a sentence before the table, "" for none
  std::vector<std::string> header;  // the first column is a name, the others are numbers
  std::vector<std::vector<std::string>> rows;
  std::size_t left_out = 0;  // rows beyond the limit
  bool whole_names = false;  // names stand on a line of their own where a terminal is too narrow
};

// The number of a device on one side.
[[nodiscard]] std::string device_text(const core::DeviceBuckets& device, bool candidate);

// Only those that the captures have something for, in the order in which one reads them.
[[nodiscard]] std::vector<PlainTable> profile_tables(const core::ProfileDiff& diff, std::size_t limit);

}  // namespace plumbline::reports
