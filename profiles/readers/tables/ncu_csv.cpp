// Tables of Nsight Compute. The details page has a row per launch and metric; the raw page a row per launch and a column per
// metric, with a row of units under the header. Both become values per kernel, launch shape and metric, in base units. A file is
// read twice: what its commas and points mean shows only in the values themselves.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/analysis/aggregates.hpp"
#include "profiles/diff/metrics.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/bytes/csv_columns.hpp"
#include "profiles/readers/bytes/csv_stream.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/tables/ncu_values.hpp"

namespace plumbline::profiles {
namespace {

using core::ErrorCode;
constexpr std::size_t kMostValues = std::size_t{1} << 26;

struct Layout {
  std::size_t id = kNoColumn, process = kNoColumn, kernel = kNoColumn, block = kNoColumn, grid = kNoColumn;
  std::size_t section = kNoColumn, metric = kNoColumn, unit = kNoColumn, value = kNoColumn;  // details page
  std::vector<std::pair<std::size_t, std::string>> metrics;                                  // raw page
  std::size_t grid_part[3] = {kNoColumn, kNoColumn, kNoColumn}, block_part[3] = {kNoColumn, kNoColumn, kNoColumn};
  [[nodiscard]] bool raw() const { return value == kNoColumn; }
};

std::optional<Layout> layout_of(const std::vector<std::string_view>& fields) {
  if (fields.size() < 5 || core::trim(fields.front()) != "ID") return std::nullopt;
  const HeaderLine header(fields);
  Layout layout;
  layout.id = 0;
  layout.process = header.index({"processid"});
  layout.kernel = header.index({"name"});
  layout.block = header.index({"blocksize"});
  layout.grid = header.index({"gridsize"});
  layout.section = header.index({"sectionname"});
  layout.metric = header.index({"metricname"});
  layout.unit = header.index({"metricunit"});
  layout.value = header.index({"metricvalue"});
  if (layout.kernel == kNoColumn) return std::nullopt;
  if (layout.metric != kNoColumn && layout.value != kNoColumn) return layout;
  layout.value = kNoColumn;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const std::string_view name = core::trim(fields[i]);
    // What the device is, and how it was profiled, are no measurements of a launch.
    if (name.find("__") == std::string_view::npos || name.starts_with("device__") || name.starts_with("profiler__")) continue;
    layout.metrics.emplace_back(i, name);
    for (int axis = 0; axis < 3; ++axis) {
      const char letter = "xyz"[axis];
      if (name == std::string("launch__grid_dim_") + letter) layout.grid_part[axis] = i;
      if (name == std::string("launch__block_dim_") + letter) layout.block_part[axis] = i;
    }
  }
  if (layout.metrics.empty()) return std::nullopt;
  return layout;
}

std::string_view cell(const std::vector<std::string_view>& fields, std::size_t index) {
  return index < fields.size() ? core::trim(fields[index]) : std::string_view();
}

// "(1024, 1, 1)" and "(256, 1, 1)" -> "(1024,1,1)x(256,1,1)"
std::string shape_of(const Layout& layout, const std::vector<std::string_view>& fields) {
  const auto text = [&](std::size_t whole, const std::size_t(&parts)[3]) {
    std::string joined;
    if (parts[0] != kNoColumn && parts[1] != kNoColumn && parts[2] != kNoColumn) {
      for (const std::size_t part : parts) (joined += joined.empty() ? "(" : ",") += cell(fields, part);
      joined += ')';
    } else {
      joined = cell(fields, whole);
    }
    joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
    return joined;
  };
  const std::string grid = text(layout.grid, layout.grid_part);
  const std::string block = text(layout.block, layout.block_part);
  return grid.empty() || block.empty() ? std::string() : grid + "x" + block;
}

// Of one list, not empty, of lengths that add up to less than kTimeBound.
Aggregate aggregate_of(std::vector<std::int64_t> lengths) {
  Aggregate result;
  std::sort(lengths.begin(), lengths.end());
  result.count = lengths.size();
  result.min = lengths.front();
  result.max = lengths.back();
  for (const std::int64_t length : lengths) result.total += length;
  const std::size_t half = lengths.size() / 2;
  result.median = static_cast<double>(lengths[half]);
  if (lengths.size() % 2 == 0) result.median = (result.median + static_cast<double>(lengths[half - 1])) / 2;
  const double mean = static_cast<double>(result.total) / static_cast<double>(result.count);
  double squares = 0;
  for (const std::int64_t length : lengths)
    squares += (static_cast<double>(length) - mean) * (static_cast<double>(length) - mean);
  if (lengths.size() > 1) result.stddev = std::sqrt(squares / static_cast<double>(lengths.size() - 1));
  return result;
}

class NcuTable {
 public:
  NcuTable(std::string where, const ReadOptions& options) : where_(std::move(where)), options_(options) {}
  core::Status look(CsvStream& records) {  // the first time: how decimals are written
    return each(records,
                [this](const std::vector<std::string_view>& fields, std::uint64_t line) { return look_at(fields, line); });
  }
  core::Status read(CsvStream& records) {
    return each(records, [this](const std::vector<std::string_view>& fields, std::uint64_t) { return take(fields); });
  }
  core::Expected<Profile> profile();

 private:
  struct Group {  // launches of one kernel and shape
    std::string kernel, shape;
    std::unordered_map<std::string, std::size_t> by_name;  // metric and unit -> place in metrics_
    std::vector<std::size_t> by_column;                    // raw page
  };
  core::Status each(CsvStream& records,
                    const std::function<core::Status(const std::vector<std::string_view>&, std::uint64_t)>& record);
  core::Status look_at(const std::vector<std::string_view>& fields, std::uint64_t line);
  core::Status take(const std::vector<std::string_view>& fields);
  Group& group(const std::vector<std::string_view>& fields);
  std::size_t metric(Group& group, std::string_view name, const std::string& unit);
  core::Status add(std::size_t metric, double value);
  core::Status take_details(const std::vector<std::string_view>& fields);
  core::Status take_raw(const std::vector<std::string_view>& fields);
  void word(std::string_view metric);
  core::Status kernels(Profile& profile) const;

  std::string where_;
  const ReadOptions& options_;
  std::optional<Layout> layout_;
  std::vector<NcuUnit> units_;  // raw page, by column of layout_->metrics
  bool units_expected_ = false;
  DecimalMark mark_ = DecimalMark::open;
  std::string mark_example_;
  std::vector<KernelMetric> metrics_;
  std::map<std::pair<std::string, std::string>, Group> groups_;
  std::map<std::string, double, std::less<>> launch_metrics_;  // of the launch being read: metric and unit -> value
  std::string launch_;
  std::uint64_t launches_ = 0, ragged_ = 0, missing_ = 0;
  std::set<std::string, std::less<>> words_;
  std::size_t values_ = 0;
};

core::Status NcuTable::each(CsvStream& records,
                            const std::function<core::Status(const std::vector<std::string_view>&, std::uint64_t)>& record) {
  layout_.reset();
  std::vector<std::string_view> fields;
  for (std::uint64_t count = 1; records.next(fields); ++count) {
    if ((count & 0xFFFU) == 0 && options_.stop && options_.stop())
      return core::fail(ErrorCode::cancelled, "stopped while reading the capture", {}, where_);
    if (auto layout = layout_of(fields)) {  // the first, or another table behind it
      layout_ = std::move(layout);
      units_expected_ = layout_->raw();
      units_.assign(layout_->metrics.size(), NcuUnit{});
      for (auto& [name, each] : groups_) each.by_column.clear();
      continue;
    }
    if (!layout_ || cell(fields, 0).starts_with("==") || fields.size() < 2) continue;
    if (units_expected_) {
      units_expected_ = false;
      if (cell(fields, layout_->id).empty()) {
        for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = ncu_unit(cell(fields, layout_->metrics[i].first));
        continue;
      }
    }
    if (core::Status status = record(fields, records.line()); !status) return status;
  }
  switch (records.fault()) {
    case CsvStream::Fault::unterminated:
      return core::fail(cell_error(where_, records.line(), "a quoted field is not closed: the file is cut short"));
    case CsvStream::Fault::oversized:
      return core::fail(cell_error(where_, records.line(), "a record is longer than 16 MiB, the most that is read as one row",
                                   "check for a quote that is not closed"));
    case CsvStream::Fault::unreadable:
      return core::fail(ErrorCode::environment, "the file cannot be read", {}, where_);
    case CsvStream::Fault::none:
      return {};
  }
  return {};
}

core::Status NcuTable::look_at(const std::vector<std::string_view>& fields, std::uint64_t line) {
  const auto look = [&](std::string_view text) -> core::Status {
    const DecimalMark mark = decimal_mark(text);
    if (mark == DecimalMark::open || mark == mark_) return {};
    if (mark_ != DecimalMark::open) {
      return core::fail(cell_error(
          where_, line,
          "the values write decimals in two ways: " + core::cited(mark_example_) + " and " + core::cited(core::trim(text)),
          std::string(kLocaleHint)));
    }
    mark_ = mark;
    mark_example_ = core::trim(text);
    return {};
  };
  if (!layout_->raw()) return look(cell(fields, layout_->value));
  for (const auto& [column, name] : layout_->metrics) {
    if (core::Status status = look(cell(fields, column)); !status) return status;
  }
  return {};
}

NcuTable::Group& NcuTable::group(const std::vector<std::string_view>& fields) {
  std::string kernel(cell(fields, layout_->kernel));
  if (kernel.empty()) kernel = "[no name]";
  std::string shape = shape_of(*layout_, fields);
  const auto [found, added] = groups_.try_emplace({std::move(kernel), std::move(shape)});
  if (added) {
    found->second.kernel = found->first.first;
    found->second.shape = found->first.second;
  }
  return found->second;
}

std::size_t NcuTable::metric(Group& group, std::string_view name, const std::string& unit) {
  const auto [found, added] = group.by_name.try_emplace(std::string(name) + '\n' + unit, metrics_.size());
  if (added) metrics_.push_back({group.kernel, group.shape, std::string(name), unit, {}});
  return found->second;
}

core::Status NcuTable::add(std::size_t metric, double value) {
  if (++values_ > kMostValues) {
    return core::fail(ErrorCode::limit_exceeded, "the file holds more than 67108864 values, the most that is read",
                      "choose fewer metrics or kernels: ncu --metrics … --kernel-name …", where_);
  }
  metrics_[metric].values.push_back(value);
  return {};
}

void NcuTable::word(std::string_view metric) {
  constexpr std::size_t kMostWords = 1000;
  if (words_.size() < kMostWords) words_.emplace(metric);
}

core::Status NcuTable::take(const std::vector<std::string_view>& fields) {
  return layout_->raw() ? take_raw(fields) : take_details(fields);
}

core::Status NcuTable::take_details(const std::vector<std::string_view>& fields) {
  if (fields.size() <= std::max(layout_->value, layout_->metric)) {
    ++ragged_;
    return {};
  }
  const std::string_view name = cell(fields, layout_->metric);
  std::string launch(cell(fields, layout_->process));
  (launch += '\n') += cell(fields, layout_->id);
  if (launch != launch_) {
    launch_ = std::move(launch);
    launch_metrics_.clear();
    ++launches_;
  }
  if (name.empty()) return {};  // a rule: advice, no figure
  const NcuNumber number = ncu_number(cell(fields, layout_->value), mark_);
  if (number.kind == NcuNumber::Kind::word) word(name);
  if (number.kind == NcuNumber::Kind::missing && !cell(fields, layout_->value).empty()) ++missing_;
  if (number.kind != NcuNumber::Kind::number) return {};
  const NcuUnit unit = ncu_unit(cell(fields, layout_->unit));
  const double value = number.value * unit.factor;
  std::string shown(name);
  const auto [seen, added] = launch_metrics_.try_emplace(shown + '\n' + unit.unit, value);
  if (!added) {  // in several sections: the same figure once more, or another of the same name
    if (seen->second == value) return {};
    shown = std::string(cell(fields, layout_->section)) + " / " + shown;
    if (!launch_metrics_.try_emplace(shown + '\n' + unit.unit, value).second) return {};
  }
  return add(metric(group(fields), shown, unit.unit), value);
}

core::Status NcuTable::take_raw(const std::vector<std::string_view>& fields) {
  if (fields.size() <= layout_->kernel) {
    ++ragged_;
    return {};
  }
  ++launches_;
  Group& into = group(fields);
  if (into.by_column.empty()) into.by_column.assign(layout_->metrics.size(), kNoColumn);
  for (std::size_t i = 0; i < layout_->metrics.size(); ++i) {
    const auto& [column, name] = layout_->metrics[i];
    const NcuNumber number = ncu_number(cell(fields, column), mark_);
    if (number.kind == NcuNumber::Kind::word) word(name);
    if (number.kind == NcuNumber::Kind::missing && !cell(fields, column).empty()) ++missing_;
    if (number.kind != NcuNumber::Kind::number) continue;
    if (into.by_column[i] == kNoColumn) into.by_column[i] = metric(into, name, units_[i].unit);
    if (core::Status status = add(into.by_column[i], number.value * units_[i].factor); !status) return status;
  }
  return {};
}

// What the duration metric says, as rows of kernels.
core::Status NcuTable::kernels(Profile& profile) const {
  std::map<std::string, std::vector<const KernelMetric*>> by_kernel;
  for (const KernelMetric& each : metrics_) {
    if (metric_key(each.metric, each.unit) == kDurationMetric && each.unit == "ns") by_kernel[each.kernel].push_back(&each);
  }
  for (const auto& [name, parts] : by_kernel) {
    NamedAggregate& kernel = profile.kernels.emplace_back();
    kernel.name = name;
    std::vector<std::int64_t> lengths;
    for (const KernelMetric* part : parts) {
      Share shape{part->shape, part->values.size(), 0};
      for (const double value : part->values) {
        if (value < 0 || value > static_cast<double>(kTimeBound) / 2) {
          return core::fail(ErrorCode::invalid_input,
                            "kernel " + core::cited(name) + ": a duration of " + core::short_number(value) + " ns makes no sense",
                            "check the unit of the duration", where_);
        }
        lengths.push_back(std::llround(value));
        if (lengths.back() > kTimeBound - profile.info.kernel_ns)
          return core::fail(ErrorCode::invalid_input, "the durations add up to more than 73 years",
                            "check the unit of the duration", where_);
        profile.info.kernel_ns += lengths.back();
        shape.total += lengths.back();
      }
      if (!shape.name.empty()) kernel.shapes.push_back(std::move(shape));
    }
    kernel.aggregate = aggregate_of(std::move(lengths));
    if (is_collective(name)) profile.nccl.push_back(kernel);
  }
  return {};
}

core::Expected<Profile> NcuTable::profile() {
  if (!layout_) {
    return core::fail(ErrorCode::invalid_input, "no line of the file is the header of a table of Nsight Compute",
                      "export it with ncu --csv --page raw (or details) --import REPORT", where_);
  }
  if (metrics_.empty()) {
    return core::fail(
        ErrorCode::invalid_input,
        "the table holds no metrics: a capture bug until proven otherwise; it holds " +
            (launches_ == 0 ? std::string("nothing that can be compared") : core::counted(launches_, "launch", "launches")),
        "profile with ncu --set full, and check the filters by kernel name", where_);
  }
  Profile profile;
  profile.info.path = where_;
  profile.info.format = kNcuFormat;
  profile.info.kernels = launches_;
  if (core::Status status = kernels(profile); !status) return core::fail(status.error());
  profile.metrics = std::move(metrics_);
  const auto warn = [&](core::WarningCode code, std::string message) { profile.warnings.push_back({code, std::move(message)}); };
  warn("replayed_durations",
       "a kernel profiler replays launches one by one with caches flushed and clocks locked: its durations compare kernels, not "
       "the "
       "time of a program");
  if (!words_.empty()) {
    const std::vector<std::string> names(words_.begin(), words_.end());
    warn("words_not_compared",
         core::counted(names.size(), "metric is", "metrics are") + " no numbers and not compared: " + core::cited_list(names, 3));
  }
  if (missing_ > 0) warn("cells_not_available", core::counted(missing_, "cell holds", "cells hold") + " no number (N/A)");
  if (ragged_ > 0)
    warn("ragged_lines", core::counted(ragged_, "row is", "rows are") + " cut short before the metric and left out");
  return profile;
}

core::Expected<Profile> read_ncu_csv(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(ErrorCode::environment, "the file cannot be read", {}, path);
  NcuTable table(path, options);
  CsvStream first(file);
  if (core::Status status = table.look(first); !status) return core::fail(status.error());
  CsvStream second(file);
  if (core::Status status = table.read(second); !status) return core::fail(status.error());
  return table.profile();
}

}  // namespace

core::Expected<Profile> read_ncu_text(std::string_view text, const std::string& name) {
  const ReadOptions options;
  NcuTable table(name, options);
  CsvStream first(text);
  if (core::Status status = table.look(first); !status) return core::fail(status.error());
  CsvStream second(text);
  if (core::Status status = table.read(second); !status) return core::fail(status.error());
  return table.profile();
}

bool is_ncu_csv(std::string_view head) {
  CsvRecords records(head);
  std::vector<std::string_view> fields;
  // Past what the profiler and the profiled program print; a raw page's header may be cut by the head's end.
  for (int lines = 0; lines < 200 && records.next(fields); ++lines) {
    if (layout_of(fields)) return true;
    if (fields.size() > 5 && core::trim(fields.front()) == "ID" && core::trim(fields[1]) == "Process ID") return true;
  }
  return false;
}

extern const Form ncu_csv_form = {
    .name = kNcuFormat,
    .captures =
        {{{kNcuFormat,
           "Nsight Compute, `ncu --csv`: details page or raw page; compares metrics per kernel and launch shape, no wall time",
           "the header of the table", "CSV",
           "ncu --csv --page details COMMAND > kernels.csv\n"
           "ncu --import report.ncu-rep --csv --page raw > kernels.csv"}}},
    .recognises = [](const OpenFile& file,
                     std::string_view) { return is_ncu_csv(file.head(kTableHead).value_or(std::string())); },
    .read = &read_ncu_csv,
};

}  // namespace plumbline::profiles
