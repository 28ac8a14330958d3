// What the readers of benchmark tools share: lines of a log without what launchers put around them, and rows whose unit,
// direction and role the tool's format declares instead of having them guessed from names. A point (a message size of a
// collective, a cell of a matrix) is measured once in a section; measured again in the same section it is another trial, in a
// later section (a second run in one log) it gets a key of its own. Private to formats/. Not thread-safe.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "formats/readers.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {

// The lines of a log from 1. Colours and what mpirun, srun and Kubernetes put before a line are taken off. A line is
// valid as long as the text and this.
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

struct ToolMetric {
  std::string_view name, unit;
  core::Direction direction = core::Direction::unknown;
  core::Role role = core::Role::judged;
  bool exact = false;
};
using Dim = std::pair<std::string_view, std::string_view>;

class ToolRows {
 public:
  // `tool` is what direction notes say.
  ToolRows(const Input& input, const ReadOptions& options, std::string_view tool);

  RowWriter writer;
  // A new run, table or banner begins. Points of before may come again.
  void section() { ++section_; }
  // What the next rows belong to: "all_reduce[size=1024,place=in]". Empty values are left out.
  void point(std::string_view subject, std::span<const Dim> dims);
  void point(std::string_view subject, std::initializer_list<Dim> dims = {}) {
    point(subject, std::span(dims.begin(), dims.size()));
  }
  void add(const ToolMetric& metric, const Leaf& leaf);
  void add(const ToolMetric& metric, double value) { add(metric, Leaf{core::ValueState::number, value, true, {}}); }
  // True when the tool printed a number.
  bool add(const ToolMetric& metric, std::string_view printed);
  void add_trials(const ToolMetric& metric, std::vector<double> values);
  [[nodiscard]] std::string key(std::string_view metric) const;
  void headline(std::string key) { writer.out.declared.headlines.push_back(std::move(key)); }
  // A field of the descriptor; one that several sections say differently is left out.
  void note(std::string_view context_key, std::string_view value);
  // An interrupted run: told as the warning `run_incomplete`.
  void incomplete(std::string what);
  [[nodiscard]] bool halted();
  [[nodiscard]] bool empty() const { return pending_.empty() && writer.out.rows().empty(); }
  [[nodiscard]] core::Expected<core::Measurement> finish();

  // An error of the input at a line (0: of the whole).
  [[nodiscard]] core::Error error(std::string message, std::string hint, std::size_t line = 0) const;

 private:
  struct Pending {
    std::string key;
    const ToolMetric* metric = nullptr;
    std::uint32_t dims = 0;
    Leaf leaf;
    std::vector<double> values;
  };
  struct Use {
    std::uint32_t section = 0, times = 0;
  };
  Pending& pending(const ToolMetric& metric, bool& again);
  void write();

  const Input& input_;
  std::string tool_, prefix_;
  std::uint32_t section_ = 0, dims_ = 0;
  std::uint64_t repeated_ = 0;
  std::string repeated_example_;
  std::vector<std::pair<core::Id, core::Id>> ids_;
  std::unordered_map<std::string, Use> uses_;
  std::vector<Pending> pending_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<const ToolMetric*, std::uint32_t> classes_;
  std::map<std::string, std::string, std::less<>> notes_;  // "" where sections disagree
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
