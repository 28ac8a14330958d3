// The points of a collective, whether nccl-tests wrote them as text or as JSON: one set of names, units and roles, so that the
// two can be compared. Private to formats/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tool_rows.hpp"

namespace plumbline::formats {

struct NcclColumn;

// rccl-tests' names ("AllReduce") in the words of the programs ("all_reduce").
[[nodiscard]] std::string rccl_collective(std::string_view name);

// "22703" and "2.27.3+cuda12.9" -> "2.27.3".
[[nodiscard]] std::string nccl_version(std::string_view said);
// "1e+00*": old rccl-tests mark an error above its bound so.
[[nodiscard]] bool is_marked(std::string_view printed);

class NcclPoints {
 public:
  NcclPoints(ToolRows& rows, std::string collective, std::size_t ranks);
  // Empty texts are what the tool does not say; a redop "none" and a root -1 say nothing either. Gives what again() takes.
  std::uint32_t begin(std::string_view size, std::string_view dtype, std::string_view redop, std::string_view root,
                      bool in_place);
  // Back to a point of this table.
  void again(std::uint32_t point, double size, bool in_place);
  // The columns of one half of a line, by the names of either output.
  void add(std::span<const std::string_view> names, std::span<const std::string_view> printed);
  void add(std::string_view name, const Leaf& leaf);
  // The same for lines of plain numbers without a wrong one; the columns are looked up once a table.
  using Columns = std::vector<const NcclColumn*>;
  [[nodiscard]] static Columns columns(std::span<const std::string_view> names);
  void add(const Columns& columns, std::span<const double> numbers);
  void add_times(const std::vector<double>& microseconds);
  // Asked before the figures of a point are added: where size / time is nowhere near the algorithm bandwidth, one of the units is
  // not what it says, and none of them is compared.
  void check(double microseconds, double gigabytes_per_second);
  // The run ended before its check over all points: that gate fails, whatever was measured.
  void interrupted(std::string_view why);
  // After the last point: the gate over all of them, the unweighted mean and whether ("1", "0") it reached what was asked of it,
  // and the largest size becomes the headline.
  void end(std::string_view out_of_bounds, std::string_view average, std::string_view floor = {});

 private:
  void add(const NcclColumn& column, const Leaf& leaf);
  void take_headline(const NcclColumn& column, const ToolMetric& metric);

  ToolRows& rows_;
  std::string collective_, ranks_;
  bool large_ = false, wrong_ = false, refuted_ = false;
  std::uint64_t refuted_points_ = 0;
  std::string refutation_;
  std::string headline_;
  double headline_size_ = -1, size_ = 0;
  bool headline_in_place_ = false, in_place_ = false;
};

}  // namespace plumbline::formats
