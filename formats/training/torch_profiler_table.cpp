// The table that torch.profiler prints: key_averages().table(). A row an operator, times with their unit ("12.345us", "1.2ms").
// Self times add up, so they are judged; totals hold the same time once more for every caller and are context.
#include <deque>
#include <map>

#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

enum class Holds : std::uint8_t { name, dim, time, share, count, memory, text };
struct Column {
  std::string name;
  Holds holds = Holds::text;
  ToolMetric metric = {};
};

// Columns stand at least two blanks apart; names and shapes hold single ones.
std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> out;
  std::size_t at = line.find_first_not_of(' ');
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    out.push_back(core::trim(line.substr(at, end - at)));
    at = line.find_first_not_of(' ', end);
  }
  return out;
}

bool is_rule(std::string_view line) {
  line = core::trim(line);
  return line.size() > 20 && line.find_first_not_of("- ") == std::string_view::npos;
}

// "12.345us" -> 12.345, "1.2ms" -> 1200
std::optional<double> microseconds(std::string_view text) {
  double factor = 1;
  if (text.ends_with("us")) {
    text.remove_suffix(2);
  } else if (text.ends_with("ms")) {
    text.remove_suffix(2);
    factor = 1e3;
  } else if (text.ends_with("s")) {
    text.remove_suffix(1);
    factor = 1e6;
  } else {
    return std::nullopt;
  }
  const auto value = core::parse_double(text);
  return value ? std::optional(*value * factor) : std::nullopt;
}

// "1.50 Kb", "-512 b": powers of 1024.
std::optional<double> bytes(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const auto value = core::parse_double(text.substr(0, blank));
  if (!value || blank == std::string_view::npos) return std::nullopt;
  const std::string unit = core::to_lower(core::trim(text.substr(blank)));
  const double factor = unit == "b" ? 1 : unit == "kb" ? 1024.0 : unit == "mb" ? 1048576.0 : unit == "gb" ? 1073741824.0 : 0;
  return factor > 0 ? std::optional(*value * factor) : std::nullopt;
}

class Table {
 public:
  Table(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "torch-profiler-table") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      if (is_rule(line)) {
        rule();
      } else if (const std::string_view text = core::trim(line); (text.starts_with("Self ") || text.starts_with("CUDA ")) &&
                                                                 text.find(" time total: ") != std::string_view::npos) {
        total(text);
      } else if (after_rule_ && rules_ == 1 && columns_of(line).size() > 2 && columns_of(line).front() == "Name") {
        header(line);
      } else if (rules_ == 2 && !core::trim(line).empty()) {
        row(line, lines.cut());
      }
      after_rule_ = is_rule(line);
    }
    if (rules_ > 0 && !columns_.empty() && rules_ < 3) rows_.incomplete("the table has no closing rule");
    if (rows_.empty()) {
      return core::fail(core::ErrorCode::invalid_input, "no row of times in the table",
                        "print(prof.key_averages().table()) writes what is read here", input_.name);
    }
    if (ragged_ > 0) rows_.writer.find(Finding::ragged_lines, example_, ragged_);
    rows_.headline(has_device_total_ ? "*self_cuda_time_total" : "*self_cpu_time_total");
    return rows_.finish();
  }

 private:
  // Rules stand above the header, below it, and below the last row; what follows belongs to the table until the next one.
  void rule() {
    ++rules_;
    if (rules_ > 3) rules_ = 1;
    if (rules_ == 1) {
      columns_.clear();
      seen_.clear();
    }
  }

  void header(std::string_view line) {
    rows_.section();
    for (const std::string_view label : columns_of(line)) columns_.push_back(column_of(label));
  }

  Column column_of(std::string_view label) {
    Column column;
    column.name = core::to_lower(label);
    std::replace(column.name.begin(), column.name.end(), ' ', '_');
    const bool time = label.find("CPU") != std::string_view::npos || label.find("CUDA") != std::string_view::npos ||
                      label.find("XPU") != std::string_view::npos || label.find("HPU") != std::string_view::npos ||
                      label.find("MTIA") != std::string_view::npos || label.find("PrivateUse") != std::string_view::npos;
    if (label == "Name") {
      column.holds = Holds::name;
    } else if (label == "Input Shapes" || label == "Overload Name" || label == "Source Location" || label == "Node ID") {
      column.holds = Holds::dim;
    } else if (label == "# of Calls" || label == "Number of Calls") {
      column.name = "calls";
      column.holds = Holds::count;
      column.metric = {"calls", "", Direction::unknown, Role::context, true};
    } else if (time && label.ends_with('%')) {
      column.name = column.name.substr(0, column.name.size() - 1) + "percent";
      column.holds = Holds::share;
      column.metric = {keep(column.name), "%", Direction::unknown, Role::context};
    } else if (label.ends_with("Mem")) {
      column.holds = Holds::memory;
      column.metric = {keep(column.name), "B", Direction::unknown, Role::context};
    } else if (time) {
      column.holds = Holds::time;
      const bool self = label.starts_with("Self");
      column.metric = self ? ToolMetric{keep(column.name), "us", Direction::lower}
                           : ToolMetric{keep(column.name), "us", Direction::unknown, Role::context};
    } else if (label.ends_with("FLOPs")) {
      column.holds = Holds::count;
      column.metric = {keep(column.name), "", Direction::unknown, Role::context};
    }
    // One metric for every table of the file.
    if (!column.metric.name.empty()) metrics_.try_emplace(column.name, column.metric);
    return column;
  }
  std::string_view keep(const std::string& name) { return names_.emplace_back(name); }

  void row(std::string_view line, bool cut) {
    std::vector<std::string_view> fields = columns_of(line);
    if (columns_.empty() || fields.size() < columns_.size() || cut) {
      if (ragged_++ == 0) example_ = core::trim(line).substr(0, 100);
      return;
    }
    // A name with two blanks in it: what is left over belongs to it.
    const std::size_t extra = fields.size() - columns_.size();
    const std::string_view name(fields[0].data(),
                                static_cast<std::size_t>(fields[extra].data() + fields[extra].size() - fields[0].data()));
    fields.erase(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(extra));
    fields[0] = name;
    std::vector<Dim> dims;
    std::string identity(name);
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (columns_[i].holds != Holds::dim) continue;
      dims.emplace_back(columns_[i].name, fields[i]);
      identity.append("\n").append(fields[i]);
    }
    // Long names are cut by the profiler: two operators may look the same.
    std::string nth;
    if (const int times = ++seen_[identity]; times > 1) {
      nth = std::to_string(times);
      dims.emplace_back("nth", nth);
      rows_.writer.find(Finding::index_keyed_records, name);
    }
    rows_.point(name, dims);
    for (std::size_t i = 1; i < columns_.size(); ++i) value(columns_[i], fields[i]);
  }

  void value(const Column& column, std::string_view text) {
    const auto at = metrics_.find(column.name);
    if (at == metrics_.end() || text == "--") return;
    std::optional<double> number;
    switch (column.holds) {
      case Holds::time:
        number = microseconds(text);
        break;
      case Holds::share:
        number = text.ends_with('%') ? core::parse_double(text.substr(0, text.size() - 1)) : std::nullopt;
        break;
      case Holds::memory:
        number = bytes(text);
        break;
      default:
        number = core::parse_double(text);
        break;
    }
    if (number && std::isfinite(*number)) {
      rows_.add(at->second, *number);
    } else {
      rows_.add(at->second, Leaf{core::ValueState::failed, 0, false, text});
    }
  }

  // "Self CUDA time total: 5.600ms"
  void total(std::string_view text) {
    const std::size_t colon = text.find(": ");
    const auto time = microseconds(core::trim(text.substr(colon + 2)));
    std::string name = core::to_lower(text.substr(0, colon));
    std::replace(name.begin(), name.end(), ' ', '_');
    const auto [at, fresh] = metrics_.try_emplace(name);
    // PyTorch up to 1.6 added up the totals of all operators, callers and called.
    if (fresh && !text.starts_with("Self ")) at->second = {keep(name), "us", Direction::unknown, Role::context};
    if (fresh && text.starts_with("Self ")) at->second = {keep(name), "us", Direction::lower};
    rows_.point("");
    if (name == "self_cuda_time_total") has_device_total_ = true;
    if (time) {
      rows_.add(at->second, *time);
    } else {
      rows_.add(at->second, Leaf{core::ValueState::failed, 0, false, core::trim(text.substr(colon + 2))});
    }
  }

  const Input& input_;
  std::map<std::string, ToolMetric> metrics_;  // addresses stay: rows refer to them until they are written
  std::deque<std::string> names_;
  ToolRows rows_;
  std::vector<Column> columns_;
  std::map<std::string, int> seen_;
  int rules_ = 0;
  bool after_rule_ = false, has_device_total_ = false;
  std::uint64_t ragged_ = 0;
  std::string example_;
};

}  // namespace

extern const Format torch_profiler_table_format = {
    .name = "torch-profiler-table",
    .title = "table of torch.profiler",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::head, 0.96, {"  Self CPU %  ", "  CPU total %  ", "# of Calls"}},
               {Sign::In::head, 0.96, {"  Self CPU total %  ", "  CPU total %  ", "Number of Calls"}}}},
    .read = read_with<Table>,
    .about = {.group = Group::training,
              .file = "text",
              .produce = "python train.py > table.txt\n"
                         "# train.py prints prof.key_averages().table() of a torch.profiler.profile",
              .judged = "self times by device of every operator, and their totals (us, lower)",
              .key = "operator, and shapes, overload or source where the table has them; a later table is `section=2`",
              .trials = "one value a key",
              .context = "none: the table says neither device nor version",
              .limits = "totals, averages, shares, memory and calls are context, and so is all of CUDA in tables of PyTorch up "
                        "to 1.6; names that the profiler cut to the same text are "
                        "told apart by position",
              .recognised = "`Self CPU %`, `CPU total %`, `# of Calls`"},
};

}  // namespace plumbline::formats
