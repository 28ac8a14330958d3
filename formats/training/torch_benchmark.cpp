// torch.utils.benchmark as it prints itself: Measurements ("<torch.utils.benchmark.utils.common.Measurement object at 0x…>" over
// a title, a median and its quartile range) and the table of Compare, whose unit stands below it. Times become microseconds: the
// tool chooses the unit by size, so two runs may print two units.
#include "core/citing.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr std::string_view kMeasurement = "<torch.utils.benchmark.utils.common.Measurement object";
constexpr std::string_view kTimesAreIn = "Times are in ";

constexpr ToolMetric kTime{"time", "us", Direction::lower};
constexpr ToolMetric kQuartiles{"iqr", "us", Direction::unknown, Role::noise};
constexpr ToolMetric kSpread{"iqr_percent", "%", Direction::unknown, Role::noise};
// Tables of PyTorch's own repositories put the deviation behind the mean, and a column of ratios behind those of times.
constexpr ToolMetric kDeviation{"stddev", "us", Direction::unknown, Role::noise};
constexpr ToolMetric kRatio{"ratio", "", Direction::unknown, Role::context};
constexpr ToolMetric kMeasurements{"measurements", "", Direction::unknown, Role::context, true};
constexpr ToolMetric kRuns{"runs_per_measurement", "", Direction::unknown, Role::context, true};

// "118.90 us" in microseconds.
std::optional<double> microseconds(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto value = core::parse_double(text.substr(0, blank));
  const auto factor = core::conversion_factor(text.substr(blank + 1), "us");
  if (!value || !factor) return std::nullopt;
  return *factor == 1 ? *value : *value * *factor;
}

class Text {
 public:
  Text(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "torch-benchmark") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      if (line.find(kMeasurement) != std::string_view::npos) {
        end_measurement();
        state_ = State::measurement;
      } else if (line.starts_with("[-") && line.ends_with("-]")) {
        end_measurement();
        end_table();
        begin_table(line);
      } else if (state_ == State::measurement) {
        of_measurement(line);
      } else if (state_ == State::table) {
        of_table(line);
      }
    }
    end_measurement();
    end_table();
    if (rows_.empty()) {
      return core::fail(core::ErrorCode::invalid_input, "no measurement in it",
                        "print(timer.blocked_autorange()) and Compare.print() write what is read here", input_.name);
    }
    rows_.headline("*.time");
    return rows_.finish();
  }

 private:
  enum class State : std::uint8_t { none, measurement, table };
  struct Cell {
    std::string row, column, threads;
    std::string_view text;
  };

  void of_measurement(std::string_view line) {
    const std::string_view text = core::trim(line);
    const bool indented = line.starts_with("  ");
    std::string_view value = text;
    if (value.starts_with("Median: ")) value = core::trim(value.substr(8));
    if (const auto time = indented ? microseconds(value) : std::nullopt; time && !time_) {
      time_ = time;
    } else if (text.starts_with("IQR:")) {
      value = core::trim(text.substr(4));
      quartiles_ = microseconds(core::trim(value.substr(0, value.find('('))));
    } else if (time_ && text.find(" measurement") != std::string_view::npos) {
      counts(text);
      end_measurement();
    } else if (!time_ && title_.empty()) {
      title_ = text;
      // A statement of several lines has its text below "stmt:".
      statement_ = text.starts_with("stmt:");
    } else if (!time_ && statement_ && indented) {
      title_ += (title_.ends_with(':') ? " " : "; ") + std::string(text);
    } else if (!time_ && text.starts_with("setup:")) {
      statement_ = false;
    } else if (!time_ && !text.empty() && !indented) {
      description_ = text;
      statement_ = false;
    }
  }

  // "6 measurements, 10000 runs per measurement, 1 thread"
  void counts(std::string_view text) {
    for (const std::string_view part : core::split(text, ',')) {
      const std::string_view word = core::trim(part), count = word.substr(0, word.find(' '));
      if (word.find("thread") != std::string_view::npos) {
        threads_ = count;
      } else if (word.find("measurement") != std::string_view::npos && word.find("runs") == std::string_view::npos) {
        measurements_ = core::parse_double(count);
      } else if (word.find("runs") != std::string_view::npos) {
        runs_ = core::parse_double(count);
      }
    }
  }

  void end_measurement() {
    if (state_ != State::measurement) return;
    if (time_) {
      rows_.point(title_.substr(0, 300), {{"description", description_}, {"threads", threads_}});
      rows_.add(kTime, *time_);
      if (quartiles_) rows_.add(kQuartiles, *quartiles_);
      if (measurements_) rows_.add(kMeasurements, *measurements_);
      if (runs_) rows_.add(kRuns, *runs_);
      if (threads_.empty()) rows_.incomplete("the measurement of " + core::cited(title_.substr(0, 100)) + " breaks off");
    } else {
      rows_.incomplete("a measurement" + (title_.empty() ? std::string() : " of " + core::cited(title_.substr(0, 100))) +
                       " breaks off before its time");
    }
    title_.clear();
    description_ = threads_ = {};
    time_ = quartiles_ = measurements_ = runs_ = std::nullopt;
    statement_ = false;
    state_ = State::none;
  }

  // "[------- Batched dot -------]"
  void begin_table(std::string_view line) {
    line.remove_prefix(1);
    line.remove_suffix(1);
    while (line.starts_with('-')) line.remove_prefix(1);
    while (line.ends_with('-')) line.remove_suffix(1);
    label_ = core::trim(line);
    columns_.clear();
    table_threads_ = {};
    state_ = State::table;
    rows_.section();
  }

  void of_table(std::string_view line) {
    if (line.starts_with(kTimesAreIn)) {
      const std::size_t open = line.find('('), close = line.find(')');
      if (open != std::string_view::npos && close != std::string_view::npos && open < close)
        unit_ = line.substr(open + 1, close - open - 1);
      end_table();
      return;
    }
    if (const std::size_t threads = line.find(" threads: -"); threads != std::string_view::npos) {
      table_threads_ = core::trim(line.substr(0, threads));
      return;
    }
    if (line.find('|') == std::string_view::npos) return;
    const std::vector<std::string_view> parts = core::split(line, '|');
    if (table_threads_.empty()) {  // the header, below one of environments where there are several
      columns_.clear();
      for (std::size_t i = 1; i < parts.size(); ++i) columns_.push_back(core::trim(parts[i]));
      return;
    }
    for (std::size_t i = 1; i < parts.size() && i <= columns_.size(); ++i) {
      const std::string_view text = core::trim(parts[i]);
      if (!text.empty()) {
        cells_.push_back({std::string(core::trim(parts[0])), std::string(columns_[i - 1]), std::string(table_threads_), text});
      }
    }
  }

  void end_table() {
    if (state_ == State::table && unit_.empty() && !cells_.empty()) {
      rows_.incomplete("the table " + core::cited(label_) + " lacks the line that says its unit");
    }
    for (const Cell& cell : cells_) {
      rows_.point(label_, {{"sub_label", cell.row}, {"description", cell.column}, {"threads", cell.threads}});
      value(cell.text, is_ratio(cell.column));
    }
    cells_.clear();
    unit_ = {};
    if (state_ == State::table) state_ = State::none;
  }

  // "118.9", "(! 11%) 118.9" where the measurement varied, "198.439 (+-0.702)".
  void value(std::string_view text, bool ratio) {
    if (text.starts_with("(! ")) {
      const std::size_t percent = text.find('%'), close = text.find(')');
      if (percent != std::string_view::npos && close != std::string_view::npos) {
        rows_.add(kSpread, core::trim(text.substr(3, percent - 3)));
        text = core::trim(text.substr(close + 1));
      }
    }
    const auto in_us = [&](std::string_view number) { return microseconds(std::string(number) + " " + std::string(unit_)); };
    std::optional<double> deviation;
    const std::string_view printed = text;
    if (const std::size_t spread = text.find("(+-"); spread != std::string_view::npos && text.ends_with(')')) {
      deviation = in_us(core::trim(text.substr(spread + 3, text.size() - spread - 4)));
      text = core::trim(text.substr(0, spread));
    }
    if (ratio) {
      if (!rows_.add(kRatio, text)) rows_.add(kRatio, Leaf{core::ValueState::failed, 0, false, printed});
    } else if (unit_.empty()) {
      rows_.add(kTime, Leaf{core::ValueState::failed, 0, false, "the line that says the unit is missing"});
    } else if (const auto time = in_us(text)) {
      rows_.add(kTime, *time);
      if (deviation) rows_.add(kDeviation, *deviation);
    } else {
      rows_.add(kTime, Leaf{core::ValueState::failed, 0, false, printed});
    }
  }
  static bool is_ratio(std::string_view column) {
    const std::string lower = core::to_lower(column);
    return lower.starts_with("speed-up") || lower.starts_with("speedup") || lower.starts_with("ratio");
  }

  const Input& input_;
  ToolRows rows_;
  State state_ = State::none;
  std::string title_;
  std::string_view description_, threads_, label_, table_threads_, unit_;
  std::optional<double> time_, quartiles_, measurements_, runs_;
  bool statement_ = false;
  std::vector<std::string_view> columns_;
  std::vector<Cell> cells_;
};

}  // namespace

extern const Format torch_benchmark_format = {
    .name = "torch-benchmark",
    .title = "torch.utils.benchmark",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::head, 0.97, {kMeasurement}},
               {Sign::In::head, 0.95, {kTimesAreIn, "threads: --"}},
               {Sign::In::head, 0.92, {"\n1 threads: --", "--]"}}}},
    .read = read_with<Text>,
    .about = {.group = Group::training,
              .file = "text",
              .produce = "python bench.py > result.txt\n"
                         "# bench.py prints torch.utils.benchmark.Timer(…).blocked_autorange() or a Compare",
              .judged = "median time (us whatever was printed, lower); the quartile range and \"(+-0.7)\" are noise",
              .key = "label, sub-label, description, threads; a later table of the same label is `section=2`",
              .trials = "the same measurement printed again; its own repetitions are summed up by the tool",
              .context = "none: the text says neither device nor version",
              .limits = "four digits as printed; columns of ratios (\"Speed-up\") are context; a table without the line of its "
                        "unit is failed",
              .recognised = "`Measurement object at`, or a table over `Times are in`"},
};

}  // namespace plumbline::formats
