// What the readers of benchmark tools share: lines of a log without what launchers put around them, and rows whose unit,
// direction and role the tool's format declares instead of having them guessed from names. A point (a message size of a
// collective, a cell of a matrix) is measured once in a section; measured again in the same section it is another trial, in a
// later section (a second run in one log) it gets a key of its own. Private to formats/. Not thread-safe.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/string_pool.hpp"
#include "formats/declared.hpp"
#include "formats/readers.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {

// The lines of a log from 1. Colours and what mpirun, srun and Kubernetes put before a line are taken off, and what it was
// written over: progress that ends in a carriage return. A line is valid as long as the text and this.
class LogLines {
 public:
  explicit LogLines(std::string_view text);
  bool next(std::string_view& line);
  [[nodiscard]] std::size_t number() const { return number_; }
  // The last line has no line feed: whoever wrote it may have been stopped in the middle.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0, number_ = 0;
  bool cut_ = false;
  std::deque<std::string> plain_;  // lines that held colours
};
void split_blanks(std::string_view line, std::vector<std::string_view>& fields);

// A cell of a table: a number, "N/A" (no value), not finite; nothing when it is no number at all.
[[nodiscard]] std::optional<Leaf> cell(std::string_view text);
// A value that the tool printed and whose run or check failed: kept as text, never compared.
[[nodiscard]] inline Leaf failed_value(std::string_view text) { return {core::ValueState::failed, 0, false, text}; }

// A metric with what the tool's format declares of it: {"busbw", "GB/s", Direction::higher, Role::judged}.
struct MetricName {
  std::string_view name;
};
struct ToolMetric : MetricName, Declared {};
// A line of a reader's table: {"P50:", tool_metric("p50", "us", core::Direction::lower)}.
constexpr ToolMetric tool_metric(std::string_view name, std::string_view unit, core::Direction direction,
                                 core::Role role = core::Role::judged) {
  return {{name}, {unit, direction, role, false}};
}
using Dim = std::pair<std::string_view, std::string_view>;

class ToolRows {
 public:
  // `tool` is what direction notes say.
  ToolRows(const Input& input, const ReadOptions& options, std::string_view tool);

  RowWriter writer;
  // A new run, table or banner begins. Points of before may come again.
  void section() { ++section_; }
  // What the next rows belong to: "all_reduce[size=1024,place=in]". Empty values are left out. The number it gives is good for
  // at() until the next section: a reader of long logs need not spell the same point again. `told` are dimensions that the
  // subject holds already: rows have them, and keys do not spell them.
  std::uint32_t point(std::string_view subject, std::span<const Dim> dims, std::span<const Dim> told = {});
  std::uint32_t point(std::string_view subject, std::initializer_list<Dim> dims = {}) {
    return point(subject, std::span(dims.begin(), dims.size()));
  }
  void at(std::uint32_t point) {
    point_ = point;
    cursor_ = kNone;
  }
  // A metric is told by its address first: it has to stay where it is until finish().
  void add(const ToolMetric& metric, const Leaf& leaf);
  void add(const ToolMetric& metric, double value);
  // True when the tool printed a number.
  bool add(const ToolMetric& metric, std::string_view printed);
  void add_trials(const ToolMetric& metric, const std::vector<double>& values);
  [[nodiscard]] std::string key(std::string_view metric) const;
  void headline(std::string key) { writer.out.declared.headlines.push_back(std::move(key)); }
  // A field of the descriptor; one that several sections say differently is left out.
  void note(std::string_view context_key, std::string_view value);
  // An interrupted run: told as the warning `run_incomplete`.
  void incomplete(std::string what);
  [[nodiscard]] bool halted();
  [[nodiscard]] bool empty() const { return rows_.empty() && writer.out.rows().empty(); }
  [[nodiscard]] core::Expected<core::Measurement> finish();

  // An error of the input at a line (0: of the whole).
  [[nodiscard]] core::Error error(std::string message, std::string hint, std::size_t line = 0) const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  // Rows are kept as numbers until finish(): trials may come again at any time, and must lie side by side. Their keys are
  // spelled then, a handful at a time, so that the pool is not waited for once a row.
  struct Row {
    core::Id key = core::kNoId;  // until then; for ever, when its trials went to another row of the same key
    std::uint32_t metric = 0;    // index into metrics_
    std::uint32_t point = 0;
    std::uint32_t next = kNone;  // row of the same point
    std::uint32_t more = kNone;  // index into more_: trials after the first
    std::uint32_t odd = kNone;   // index into odd_: what stands there instead of numbers
    double value = 0;            // the first trial
    bool has_value = false;
  };
  struct Point {
    core::Id text = 0;        // in texts_
    std::uint32_t times = 1;  // in which of its sections it was measured
    std::uint32_t dims = 0, first = kNone, last = kNone;
    bool has_dims = false, looked_up = false;  // looked_up: its rows are in row_of_
  };
  struct Use {
    std::uint32_t section = 0, times = 0, point = 0, first = 0;  // first: the point of its first section
  };
  struct Metric {
    const ToolMetric* metric = nullptr;
    core::Id name = 0;
    std::uint32_t metric_class = 0;
  };
  void append_prefix(std::string& into, const Point& point) const;
  void intern_dims(std::span<const Dim> told, std::span<const Dim> dims);
  Row& row(const ToolMetric& metric);
  std::uint32_t find_row(Point& point, core::Id name);
  void add_trial(Row& at, double value);
  std::uint32_t index_of(const ToolMetric& metric);
  void spell_keys();
  std::size_t spell_prefix(std::uint32_t point);  // into prefix_; gives its length
  void settle_key(std::uint32_t index, core::Id key);
  void merge(Row& into, const Row& from);
  void write();

  const Input& input_;
  const ReadOptions& options_;
  std::string tool_, spelled_;  // spelled_: a point
  std::uint32_t section_ = 0, point_ = 0, cursor_ = kNone;
  std::uint64_t repeated_ = 0;
  std::string repeated_example_;
  std::vector<std::pair<core::Id, core::Id>> ids_;
  core::StringPool texts_;     // of points, as they are called in their first section
  std::vector<Use> uses_;      // by id in texts_
  std::vector<Point> points_;  // the first is what rows without a point belong to
  std::vector<Row> rows_;
  std::vector<std::vector<double>> more_;
  std::vector<Leaf> odd_;
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_;  // by point and name, of points with many rows
  std::vector<Metric> metrics_;
  std::string prefix_;
  std::vector<std::uint32_t> row_of_key_;  // of the rows before mapped_, once that was asked
  std::uint32_t mapped_ = 0;
  core::Id highest_key_ = 0;
  std::unordered_map<const ToolMetric*, std::uint32_t> index_of_metric_;
  core::Id last_point_ = 0;
  std::uint32_t last_metric_ = 0;  // the one that is likely to be asked for next
  bool written_ = false;
  std::map<std::string, std::string, std::less<>> notes_;                         // "" where sections disagree
  std::array<const std::pair<const std::string, std::string>*, 8> last_notes_{};  // of them, by the key's last letter
  std::vector<std::string> incomplete_;
};

// A JSON text that may stand behind lines of warnings: those are blanked, so that places stay right.
class JsonBody {
 public:
  explicit JsonBody(const Input& input);
  [[nodiscard]] core::Expected<json::Document> parse(const ReadOptions& options) const { return parse_json(input_, options); }
  // The head from the first line that starts with a brace.
  [[nodiscard]] static std::string_view head(const Input& input);

 private:
  std::string own_;
  Input input_;
};

}  // namespace plumbline::formats
