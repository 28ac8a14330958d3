// One line of what `perf stat` prints, in any of its three outputs: the report for people, the fields of -x and the objects of
// -j. All three say the same, so that what is made of a line does not depend on which of them it stood in. Private to formats/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/row_writer.hpp"

namespace plumbline::formats {

struct PerfCounter {
  std::string scope, id;        // "core" and "S0-D0-C1"; empty: counted for all together
  std::string event, cgroup;    // no event: a further metric of the event before
  std::string unit;             // of the count, as printed
  std::optional<Leaf> count;    // "<not counted>" and "<not supported>" are no value
  std::optional<double> error;  // of the mean of -r, in percent of it
  bool interval = false;        // -I: of a span of time, not of the run
  std::optional<double> metric;
  std::string metric_name;  // as printed, with its unit before it: "insn per cycle", "%  tma_retiring"
};

// Of the report; what stands between its lines may look like one.
[[nodiscard]] std::optional<PerfCounter> perf_report_line(std::string_view line);
// Of -x, with any of the separators that are in use; nothing but such a line is taken for one.
[[nodiscard]] std::optional<PerfCounter> perf_fields_line(std::string_view line);
[[nodiscard]] std::optional<PerfCounter> perf_object_line(std::string_view line);

// "1,234,567" or "12.50". A comma that groups no thousands is another language's decimal point, and no number here.
[[nodiscard]] std::optional<double> perf_number(std::string_view text);

}  // namespace plumbline::formats
