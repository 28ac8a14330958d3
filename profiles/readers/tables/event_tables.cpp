#include "profiles/readers/tables/event_tables.hpp"

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/tables/sum_tables.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kLatest = std::int64_t{1} << 62;
constexpr std::uint32_t kMostThreads = 0xFFFF;  // what 16 bits of a column can name
constexpr std::size_t kMostEvents = std::size_t{1} << 28;

std::string_view field(const std::vector<std::string_view>& fields, std::size_t index) {
  return index < fields.size() ? core::trim(fields[index]) : std::string_view();
}

std::optional<std::int64_t> whole(std::string_view text) {
  const ScaledNumber number = parse_scaled(text, 0, false);
  return number.fault == NumberFault::none ? std::optional(number.value) : std::nullopt;
}

// The whole number at the end of a text: "Agent 4", "NVIDIA H100 (0)", "4".
std::optional<std::int64_t> last_number(std::string_view text) {
  if (text.ends_with(')')) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  return begin == text.size() ? std::nullopt : core::parse_int(text.substr(begin));
}

std::uint32_t correlation(std::string_view text) {
  const auto id = whole(text);
  // rocprof writes 0 where it has none.
  return id && *id > 0 && *id < static_cast<std::int64_t>(kNone) ? static_cast<std::uint32_t>(*id) : kNone;
}

MemoryKind memory_kind(std::string_view text) {
  const std::string lower = core::to_lower(text);
  if (lower.empty() || lower == "unknown") return MemoryKind::unknown;
  if (lower == "pageable") return MemoryKind::pageable;
  if (lower == "pinned") return MemoryKind::pinned;
  if (lower.starts_with("device")) return MemoryKind::device;
  if (lower.starts_with("managed")) return MemoryKind::managed;
  return MemoryKind::other;
}

// Blocks and threads. rocprof counts a grid in work-items: blocks are those over the group's size, rounded up.
std::optional<LaunchShape> launch_shape(const EventColumns& columns, const std::vector<std::string_view>& fields) {
  if (columns.grid[0] == kNoColumn || columns.block[0] == kNoColumn) return std::nullopt;
  LaunchShape shape;
  for (int i = 0; i < 3; ++i) {
    const bool there = columns.grid[i] != kNoColumn && columns.block[i] != kNoColumn;
    const auto grid = there ? whole(field(fields, columns.grid[i])) : std::optional<std::int64_t>(1);
    const auto block = there ? whole(field(fields, columns.block[i])) : std::optional<std::int64_t>(1);
    if (!grid || !block || *grid < 0 || *block < 0 || *grid > UINT32_MAX || *block > UINT32_MAX) return std::nullopt;
    const std::int64_t blocks = columns.rocprof && *block > 0 ? (*grid + *block - 1) / *block : *grid;
    shape.grid[i] = static_cast<std::uint32_t>(blocks);
    shape.block[i] = static_cast<std::uint32_t>(*block);
  }
  return shape;
}

core::Error too_many(const std::string& what, std::uint64_t most) {
  return {core::ErrorCode::limit_exceeded,
          "the trace names more than " + std::to_string(most) + " " + what + ", the most that is read",
          "split the capture",
          {}};
}

}  // namespace

bool EventTables::is_row(const EventColumns& columns, const std::vector<std::string_view>& fields) {
  const std::string_view start = field(fields, columns.start.index);
  return !start.empty() && ((start.front() >= '0' && start.front() <= '9') || start.front() == '-');
}

core::Expected<EventTables::Span> EventTables::span(EventColumns& columns, const std::vector<std::string_view>& fields,
                                                    const std::string& where, std::uint64_t line) {
  const NumberColumn& second = columns.length.there() ? columns.length : columns.end;
  // All times of a table are written alike: what a comma means is learnt from the first that shows it.
  for (const NumberColumn* column : {static_cast<const NumberColumn*>(&columns.start), &second}) {
    const std::string_view cell = fields[column->index];
    if (cell.find(',') == std::string_view::npos) continue;
    const Comma comma = comma_in(cell);
    columns.comma = merge(columns.comma, column->power == 0 && comma == Comma::ambiguous ? Comma::thousands : comma);
    if (columns.comma == Comma::ambiguous) {
      return core::fail(cell_error(
          where, line, "column " + core::cited(column->header) + ": a comma may be a decimal point or a thousands separator",
          std::string(kLocaleHint)));
    }
    if (columns.comma == Comma::contradictory) {
      return core::fail(cell_error(
          where, line, "column " + core::cited(column->header) + ": commas mean decimals in one row and thousands in another",
          std::string(kLocaleHint)));
    }
  }
  const bool decimal = columns.comma == Comma::decimal;
  const ScaledNumber start = parse_scaled(fields[columns.start.index], columns.start.power, decimal);
  const ScaledNumber other = parse_scaled(fields[second.index], second.power, decimal);
  const auto in_range = [](const ScaledNumber& number) {
    return number.fault == NumberFault::none && number.value < kLatest && number.value > -kLatest;
  };
  if (!in_range(start) || !in_range(other)) {
    ++unreadable_;
    return Span{};
  }
  const std::int64_t length = columns.length.there() ? other.value : other.value - start.value;
  if (length < 0) {
    ++reversed_;
    return Span{};
  }
  return Span{start.value, length};
}

std::int64_t EventTables::device(std::string_view text) {
  const auto known = devices_.find(text);
  if (known != devices_.end()) return known->second;
  // "NVIDIA H100 (0)" carries the name too; "Agent 4" and "4" do not.
  const std::int64_t id = last_number(text).value_or(0);
  if (const std::size_t open = text.rfind(" ("); open != std::string_view::npos && text.ends_with(')'))
    capture_.gpus[id].name = core::trim(text.substr(0, open));
  if (devices_.size() < kMostThreads) devices_.emplace(text, id);
  return id;
}

std::int64_t EventTables::process_of(const EventColumns& columns, const std::vector<std::string_view>& fields) {
  if (columns.guid == kNoColumn) return process_;
  const std::string_view guid = field(fields, columns.guid);
  const auto known = guids_.find(guid);
  if (known != guids_.end()) return known->second;
  // Beside the numbers of file sets, which are small.
  const std::int64_t id = (std::int64_t{1} << 32) + static_cast<std::int64_t>(guids_.size());
  if (guids_.size() < kMostThreads) guids_.emplace(guid, id);
  return id;
}

core::Expected<std::uint16_t> EventTables::thread(const EventColumns& columns, const std::vector<std::string_view>& fields) {
  std::int64_t process = process_of(columns, fields);
  if (!columns.rocprof) {
    process = whole(field(fields, columns.process)).value_or(0);
    callers_.insert(process);
  }
  const std::uint32_t id = capture_.threads.id({process, whole(field(fields, columns.thread)).value_or(0)});
  if (id > kMostThreads) return core::fail(too_many("threads", kMostThreads));
  return static_cast<std::uint16_t>(id);
}

core::Status EventTables::add_operation(const EventColumns& columns, const std::vector<std::string_view>& fields,
                                        const Span& span) {
  const bool copy_table = columns.report == Report::copy_trace;
  std::string_view raw_name = field(fields, columns.name);
  std::string_view place = field(fields, columns.device);
  OpKind kind = OpKind::kernel;
  std::uint32_t name = kNone;
  if (copy_table) {
    kind = OpKind::copy;
    name = capture_.names.id(rocm_copy_name(raw_name));
    // The agent that is a GPU: a copy from the host belongs to where it goes.
    const bool from_host = core::to_lower(raw_name).find("host_to") != std::string::npos;
    place = field(fields, from_host ? columns.to : columns.from);
  } else if (raw_name.starts_with("[CUDA memcpy") || raw_name.starts_with("[CUDA memset")) {
    kind = raw_name.starts_with("[CUDA memset") ? OpKind::set : OpKind::copy;
    name = capture_.names.id(canonical_operation(raw_name));
  } else {
    name = capture_.names.id(raw_name.empty() ? std::string_view("[no name]") : raw_name);
  }
  const std::int64_t on = device(place);
  if (!options_.devices.empty() && std::find(options_.devices.begin(), options_.devices.end(), on) == options_.devices.end()) {
    other_devices_.insert(on);
    return {};
  }
  std::uint32_t detail = kNone;
  if (kind == OpKind::kernel) {
    if (const auto shape = launch_shape(columns, fields)) detail = capture_.launch_shapes.id(*shape);
  } else {
    CopyShape shape;
    const ScaledNumber bytes =
        columns.bytes.there() ? parse_scaled(fields[columns.bytes.index], columns.bytes.power, columns.comma == Comma::decimal)
                              : ScaledNumber{};
    shape.bytes = bytes.fault == NumberFault::none && bytes.value > 0 ? static_cast<std::uint64_t>(bytes.value) : 0;
    if (!copy_table) {
      shape.from = memory_kind(field(fields, columns.from));
      shape.to = memory_kind(field(fields, columns.to));
    }
    detail = capture_.copy_shapes.id(shape);
  }
  const std::int64_t context = whole(field(fields, columns.context)).value_or(0);
  const std::uint32_t queue =
      capture_.queues.id({process_of(columns, fields), on, context, whole(field(fields, columns.stream)).value_or(0)});
  if (queue > kMostThreads) return core::fail(too_many("queues of GPU work", kMostThreads));
  GpuOps& ops = capture_.ops;
  ops.times.add(span.start, span.length);
  ops.name.push_back(name);
  ops.queue.push_back(static_cast<std::uint16_t>(queue));
  ops.kind.push_back(kind);
  ops.detail.push_back(detail);
  ops.launch.push_back(correlation(field(fields, columns.correlation)));
  return {};
}

core::Status EventTables::add_call(const EventColumns& columns, const std::vector<std::string_view>& fields, const Span& span) {
  const auto on = thread(columns, fields);
  if (!on) return core::fail(on.error());
  Calls& calls = capture_.calls;
  calls.times.add(span.start, span.length);
  calls.name.push_back(capture_.names.id(api_name(field(fields, columns.name))));
  calls.thread.push_back(*on);
  calls.correlation.push_back(correlation(field(fields, columns.correlation)));
  return {};
}

core::Status EventTables::add_range(const EventColumns& columns, const std::vector<std::string_view>& fields, const Span& span) {
  const auto on = thread(columns, fields);
  if (!on) return core::fail(on.error());
  Ranges& ranges = capture_.ranges;
  ranges.times.add(span.start, span.length);
  ranges.name.push_back(capture_.names.id(field(fields, columns.name)));
  ranges.thread.push_back(*on);
  ranges.kind.push_back(RangeKind::nvtx);
  return {};
}

core::Status EventTables::add(EventColumns& columns, const std::vector<std::string_view>& fields, const std::string& where,
                              std::uint64_t line) {
  if (fields.size() != columns.width) {
    return core::fail(cell_error(
        where, line, "the row has " + core::counted(fields.size(), "field") + ", the header " + std::to_string(columns.width),
        "numbers with commas must be in quotes; " + std::string(kLocaleHint)));
  }
  // Two traces of the same ranges would count each twice.
  if (columns.report == Report::projected_trace && seen_.contains(Report::range_trace)) return {};
  if (columns.report == Report::range_trace && seen_.contains(Report::projected_trace)) return {};
  seen_.insert(columns.report);
  rocprof_ = rocprof_ || columns.rocprof;
  const auto when = span(columns, fields, where, line);
  if (!when) return core::fail(when.error());
  if (when->length < 0) return {};
  if (capture_.ops.size() + capture_.calls.size() + capture_.ranges.size() >= kMostEvents)
    return core::fail(too_many("events", kMostEvents));
  switch (columns.report) {
    case Report::gpu_trace:
    case Report::copy_trace:
      return add_operation(columns, fields, *when);
    case Report::api_trace: {
      const std::string_view domain = field(fields, columns.domain);
      // Marks are ranges of no length; the HSA calls are made inside of HIP's.
      if (domain.starts_with("MARKER")) return when->length > 0 ? add_range(columns, fields, *when) : core::Status();
      return domain.starts_with("HSA") ? core::Status() : add_call(columns, fields, *when);
    }
    default:
      return add_range(columns, fields, *when);
  }
}

void EventTables::finish() {
  const auto warn = [&](core::WarningCode code, std::string message) { capture_.warnings.push_back({code, std::move(message)}); };
  if (reversed_ > 0)
    warn("reversed_times", core::counted(reversed_, "event ends", "events end") + " before the start; not summed");
  if (unreadable_ > 0)
    warn("unreadable_times", core::counted(unreadable_, "event has", "events have") + " no usable start or end; not summed");
  if (callers_.size() > 1 && capture_.ops.size() > 0 && capture_.calls.size() > 0) {
    warn("launches_not_joined", "the GPU trace names no process and " + core::counted(callers_.size(), "process", "processes") +
                                    " called: which call launched a kernel is known from the SQLite export only");
  }
  if (!options_.devices.empty() && (capture_.calls.size() > 0 || capture_.ranges.size() > 0)) {
    warn("device_filter", "CUDA API calls and NVTX ranges belong to no device: they are those of the whole capture");
  }
}

}  // namespace plumbline::profiles
