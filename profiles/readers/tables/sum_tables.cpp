#include "profiles/readers/tables/sum_tables.hpp"

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/analysis/aggregates.hpp"
#include "profiles/names/names.hpp"

namespace plumbline::profiles {
namespace {

using Dialect = SumColumns::Dialect;

// rocprof's tables of kernels, calls and copies have one header: in a file of any name the rows say which it is.
Report by_rows(const SumColumns& columns, const TableRows& rows) {
  const auto all = [&](std::initializer_list<std::string_view> beginnings) {
    return !rows.rows().empty() && std::all_of(rows.rows().begin(), rows.rows().end(), [&](const TableRows::Row& row) {
      const std::string_view name = core::trim(rows.cell(row, columns.name));
      return std::any_of(beginnings.begin(), beginnings.end(),
                         [name](std::string_view beginning) { return name.starts_with(beginning); });
    });
  };
  if (all({"hip", "__hip"})) return Report::api;
  if (all({"hsa_"})) return Report::other;
  if (all({"MEMORY_COPY", "HOST_TO_", "DEVICE_TO_", "CopyHost", "CopyDevice"})) return Report::memory;
  return Report::kernels;
}

// At most three whole numbers of a text, however they are separated.
std::vector<std::uint32_t> three_numbers(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < text.size() && numbers.size() <= 3;) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::uint64_t value = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(text[i] - '0'), UINT32_MAX);
    numbers.push_back(static_cast<std::uint32_t>(value));
  }
  return numbers;
}

}  // namespace

std::string shape_text(std::string_view grid, std::string_view block) {
  const auto g = three_numbers(grid);
  const auto b = three_numbers(block);
  if (g.size() != 3 || b.size() != 3) return {};
  const auto part = [](const std::vector<std::uint32_t>& n) {
    return "(" + std::to_string(n[0]) + "," + std::to_string(n[1]) + "," + std::to_string(n[2]) + ")";
  };
  return part(g) + "x" + part(b);
}

std::string rocm_copy_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != ' ') plain += c;
  }
  plain = core::to_lower(plain);
  for (const std::string_view beginning : {"memorycopy", "memcpy", "copy"}) {
    if (plain.starts_with(beginning)) plain.erase(0, beginning.size());
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kDirections = {
      {{"hosttodevice", "HtoD"}, {"devicetohost", "DtoH"}, {"devicetodevice", "DtoD"}, {"hosttohost", "HtoH"}}};
  for (const auto& [direction, label] : kDirections) {
    if (plain == direction) return canonical_operation("[CUDA memcpy " + std::string(label) + "]");
  }
  return std::string(name);
}

NamedAggregate& SumTables::Sums::at(std::string_view name, bool& added) {
  const auto [found, is_new] = by_name.try_emplace(std::string(name), rows.size());
  added = is_new;
  if (is_new) {
    rows.push_back({});
    rows.back().name = name;
  }
  return rows[found->second];
}

SumTables::Sums& SumTables::sums(Report report) {
  switch (report) {
    case Report::api:
      return api_;
    case Report::nvtx:
    case Report::nvtx_startend:
      return nvtx_;
    case Report::memory:
      return memory_;
    case Report::nccl:
      return nccl_;
    case Report::kernels_by_shape:
      return shaped_;
    default:
      return kernels_;
  }
}

void SumTables::unusable(std::string_view name) {
  ++unusable_;
  if (first_unusable_.empty()) first_unusable_ = name.empty() ? "a row without a name" : std::string(name);
}

core::Status SumTables::add_time(std::int64_t time, const NumberColumn& column, const std::string& where, std::uint64_t line) {
  if (time > kTimeBound - total_) {
    return core::fail(cell_error(where, line, "the times in the report add up to more than 73 years",
                                 "check the unit in the header of column " + core::cited(column.header)));
  }
  total_ += time;
  return {};
}

core::Expected<std::optional<std::int64_t>> SumTables::need(const NumberColumn& column, const TableRows& rows,
                                                            const TableRows::Row& row, const std::string& where) {
  const ScaledNumber number = read_cell(rows, row, column);
  if (number.fault == NumberFault::missing) return std::optional<std::int64_t>();
  if (number.fault != NumberFault::none)
    return core::fail(number_error(where, row.line, column, rows.cell(row, column.index), number.fault));
  if (number.value < 0) return core::fail(cell_error(where, row.line, "a time or a count is negative"));
  return std::optional<std::int64_t>(number.value);
}

core::Status SumTables::take(SumColumns columns, const TableRows& rows, const std::string& where) {
  if (columns.report == Report::other) return {};
  if (columns.report == Report::kernels && columns.dialect == Dialect::rocprof) columns.report = by_rows(columns, rows);
  if (columns.report == Report::other) return {};
  seen_.insert(columns.report);
  if (columns.dialect != Dialect::nsys) dialect_ = columns.dialect;
  unit_assumed_ = unit_assumed_ || columns.unit_missing;
  for (const TableRows::Row& row : rows.rows()) {
    if (row.count == columns.width) continue;
    return core::fail(cell_error(
        where, row.line, "the row has " + core::counted(row.count, "field") + ", the header " + std::to_string(columns.width),
        "numbers with commas must be in quotes; " + std::string(kLocaleHint)));
  }
  core::Status settled = settle_commas({&columns.total, &columns.count, &columns.median, &columns.low, &columns.high,
                                        &columns.stddev, &columns.operations, &columns.host_total, &columns.range_count},
                                       rows, where);
  if (!settled) return settled;
  switch (columns.report) {
    case Report::memory_size:
      return take_sizes(columns, rows, where);
    case Report::projected_ranges:
    case Report::range_kernels:
      return take_ranges(columns, rows, where);
    case Report::executions:
      return take_executions(columns, rows, where);
    default:
      return take_sums(columns, rows, where);
  }
}

core::Status SumTables::take_sums(const SumColumns& columns, const TableRows& table, const std::string& where) {
  Sums& into = sums(columns.report);
  for (const TableRows::Row& row : table.rows()) {
    const std::string_view raw_name = core::trim(table.cell(row, columns.name));
    const auto total = need(columns.total, table, row, where);
    if (!total) return core::fail(total.error());
    auto count = columns.count.there() ? need(columns.count, table, row, where) : std::optional<std::int64_t>(1);
    if (!count) return core::fail(count.error());
    if (!*total || !*count || raw_name.empty()) {
      unusable(raw_name);
      continue;
    }
    if (core::Status status = add_time(**total, columns.total, where, row.line); !status) return status;
    Aggregate one;
    one.count = static_cast<std::uint64_t>(**count);
    one.total = **total;
    const ScaledNumber low = read_cell(table, row, columns.low);
    const ScaledNumber high = read_cell(table, row, columns.high);
    // Medians and deviations carry decimals: read to a thousandth of a nanosecond.
    const ScaledNumber median = read_cell(table, row, columns.median, 3);
    const ScaledNumber stddev = read_cell(table, row, columns.stddev, 3);
    for (const auto& [number, column] : {std::pair{&low, &columns.low}, std::pair{&high, &columns.high},
                                         std::pair{&median, &columns.median}, std::pair{&stddev, &columns.stddev}}) {
      if (column->there() && number->fault != NumberFault::none) ++not_available_;
    }
    one.has_spread = low.fault == NumberFault::none && high.fault == NumberFault::none && median.fault == NumberFault::none &&
                     stddev.fault == NumberFault::none;
    if (one.has_spread) {
      one.min = low.value;
      one.max = high.value;
      one.median = static_cast<double>(median.value) / 1000;
      one.stddev = static_cast<double>(stddev.value) / 1000;
    }
    bool added = false;
    NamedAggregate& named = into.at(columns.report == Report::memory ? rocm_copy_name(canonical_operation(raw_name))
                                    : columns.report == Report::api  ? std::string(api_name(raw_name))
                                                                     : std::string(raw_name),
                                    added);
    if (columns.report == Report::kernels_by_shape) {
      std::string shape = shape_text(table.cell(row, columns.grid), table.cell(row, columns.block));
      if (!shape.empty()) named.shapes.push_back({std::move(shape), one.count, one.total});
    }
    if (added) {
      named.aggregate = one;
      continue;
    }
    // The same name again (launch shapes, styles, trace rows): added up. Medians do not add.
    Aggregate& sum = named.aggregate;
    sum.count += one.count;
    sum.total += one.total;
    sum.has_spread = false;
    sum.min = sum.max = 0;
    sum.median = sum.stddev = 0;
    if (columns.report != Report::kernels_by_shape && columns.report != Report::nccl) ++duplicates_;
  }
  return {};
}

// A range's time on the GPU, over all threads and styles. In nvtx_kern_sum a row is one kernel in one range, and each of them
// repeats how often the range was entered.
core::Status SumTables::take_ranges(const SumColumns& columns, const TableRows& table, const std::string& where) {
  const bool kernels = columns.report == Report::range_kernels;
  auto& into = kernels ? range_kernels_ : projected_;
  std::set<std::string> entered;  // range and thread
  for (const TableRows::Row& row : table.rows()) {
    const std::string_view name = core::trim(table.cell(row, columns.name));
    std::array<std::int64_t, 4> values{};
    bool usable = !name.empty();
    std::size_t i = 0;
    for (const NumberColumn* column :
         {&columns.total, &columns.host_total, &columns.range_count, kernels ? &columns.count : &columns.operations}) {
      const auto value = need(*column, table, row, where);
      if (!value) return core::fail(value.error());
      usable = usable && (*value || !column->there());
      values[i++] = value->value_or(0);
    }
    if (!usable) {
      unusable(name);
      continue;
    }
    for (const std::int64_t time : {values[0], values[1]}) {
      if (core::Status status = add_time(time, columns.total, where, row.line); !status) return status;
    }
    RangeSums& range = into[std::string(name)];
    range.gpu += values[0];
    range.host += values[1];
    const auto count = static_cast<std::uint64_t>(values[2]);
    std::string in_thread(name);
    for (const std::size_t column : {columns.process, columns.thread}) (in_thread += '\n') += table.cell(row, column);
    if (!kernels || entered.insert(std::move(in_thread)).second) range.count += count;
    range.operations += static_cast<std::uint64_t>(values[3]);
  }
  return {};
}

// cuda_kern_exec_sum: launches and kernels as counts and averages, which the report rounds to a tenth of a nanosecond.
core::Status SumTables::take_executions(const SumColumns& columns, const TableRows& table, const std::string& where) {
  core::ProfileLaunches& launches = launches_ ? *launches_ : launches_.emplace();
  for (const TableRows::Row& row : table.rows()) {
    const std::string_view kernel = core::trim(table.cell(row, columns.second_name));
    const auto count = need(columns.count, table, row, where);
    if (!count) return core::fail(count.error());
    const ScaledNumber each = read_cell(table, row, columns.total, 1);  // in tenths
    const ScaledNumber call = read_cell(table, row, columns.host_total, 1);
    if (!*count || kernel.empty() || each.fault != NumberFault::none || each.value < 0) {
      unusable(kernel);
      continue;
    }
    const auto product = [&](std::int64_t tenths) -> std::optional<std::int64_t> {
      std::int64_t result = 0;
      if (__builtin_mul_overflow(**count, tenths, &result)) return std::nullopt;
      return (result + 5) / 10;
    };
    const auto total = product(each.value);
    const auto host = call.fault == NumberFault::none && call.value >= 0 ? product(call.value) : std::optional<std::int64_t>(0);
    for (const auto& time : {total, host}) {
      if (core::Status status = add_time(time.value_or(INT64_MAX), columns.total, where, row.line); !status) return status;
    }
    launches.launches += static_cast<std::uint64_t>(**count);
    launches.launch_api_ns += *host;
    if (core::starts_with_no_case(core::trim(table.cell(row, columns.name)), "cudaGraphLaunch"))
      launches.graph_launches += static_cast<std::uint64_t>(**count);
    bool added = false;
    NamedAggregate& named = executed_.at(kernel, added);
    named.aggregate.has_spread = false;
    named.aggregate.count += static_cast<std::uint64_t>(**count);
    named.aggregate.total += *total;
  }
  return {};
}

// How much was copied: a figure beside the times, compared as one.
core::Status SumTables::take_sizes(const SumColumns& columns, const TableRows& table, const std::string& where) {
  for (const TableRows::Row& row : table.rows()) {
    const std::string_view name = core::trim(table.cell(row, columns.name));
    const auto bytes = need(columns.total, table, row, where);
    if (!bytes) return core::fail(bytes.error());
    if (!*bytes || name.empty()) {
      unusable(name);
      continue;
    }
    sizes_.push_back({canonical_operation(name), "", "bytes copied", "byte", {static_cast<double>(**bytes)}});
  }
  return {};
}

Profile SumTables::profile() {
  Profile profile;
  if (seen(Report::kernels)) {
    profile.kernels = std::move(kernels_.rows);
    for (NamedAggregate& kernel : profile.kernels) {
      const auto shaped = shaped_.by_name.find(kernel.name);
      if (shaped != shaped_.by_name.end()) kernel.shapes = std::move(shaped_.rows[shaped->second].shapes);
    }
  } else if (seen(Report::kernels_by_shape)) {
    profile.kernels = std::move(shaped_.rows);
  } else {
    profile.kernels = std::move(executed_.rows);
  }
  constexpr std::size_t kMostShapes = 64;
  for (NamedAggregate& kernel : profile.kernels) {
    std::stable_sort(kernel.shapes.begin(), kernel.shapes.end(),
                     [](const Share& a, const Share& b) { return a.total > b.total; });
    if (kernel.shapes.size() > kMostShapes) kernel.shapes.resize(kMostShapes);
  }
  profile.api = std::move(api_.rows);
  profile.nvtx = std::move(nvtx_.rows);
  profile.memory = std::move(memory_.rows);
  profile.metrics = std::move(sizes_);
  profile.launches = launches_;
  for (const auto& [name, range] : range_kernels_.empty() ? projected_ : range_kernels_) {
    RangeNode node;
    node.name = name;
    node.kind = "nvtx";
    node.count = range.count;
    node.kernels = range.operations;
    node.host_ns = range.host;
    node.gpu_ns = node.self_gpu_ns = range.gpu;
    if (const auto projected = projected_.find(name); node.host_ns == 0 && projected != projected_.end())
      node.host_ns = projected->second.host;
    profile.ranges.push_back(std::move(node));
  }
  for (const NamedAggregate& kernel : profile.kernels) {
    profile.info.kernel_ns += kernel.aggregate.total;
    profile.info.kernels += kernel.aggregate.count;
    if (nccl_.rows.empty() && is_collective(kernel.name)) profile.nccl.push_back(kernel);
  }
  if (!nccl_.rows.empty()) profile.nccl = std::move(nccl_.rows);
  profile.warnings = std::move(warnings_);
  const auto warn = [&](core::WarningCode code, std::string message) { profile.warnings.push_back({code, std::move(message)}); };
  if (skipped_ > 0)
    warn("report_skipped",
         core::counted(skipped_, "report was", "reports were") + " skipped by nsys: the capture has no such data");
  if (unusable_ > 0) {
    warn("rows_without_numbers", core::counted(unusable_, "row has", "rows have") +
                                     " no name, total or count and could not be used; first: " + first_unusable_);
  }
  if (not_available_ > 0)
    warn("cells_not_available", core::counted(not_available_, "cell holds", "cells hold") + " no number (N/A)");
  if (duplicates_ > 0)
    warn("duplicate_names", core::counted(duplicates_, "row repeats", "rows repeat") + " a name and was added to it");
  if (unit_assumed_) warn("unit_assumed", "a time column names no unit; taken as nanoseconds");
  *this = SumTables();
  return profile;
}

}  // namespace plumbline::profiles
