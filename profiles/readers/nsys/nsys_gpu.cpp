// What happened on the GPU: kernels, replays of graphs, copies and memsets.
#include <algorithm>

#include "profiles/names/names.hpp"
#include "profiles/readers/nsys/nsys_reader.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint32_t kMostQueues = 0xFFFF;  // more of them share the last

// The columns that every table of operations begins with here, in this order.
enum Common : std::size_t { kStart, kEnd, kDevice, kContext, kStream, kProcess, kCorrelation, kFirstOfOwn };
std::vector<std::string_view> columns(std::initializer_list<std::string_view> own) {
  std::vector<std::string_view> all = {"start", "end", "deviceId", "contextId", "streamId", "globalPid", "correlationId"};
  all.insert(all.end(), own);
  return all;
}

// ENUM_CUDA_MEMCPY_OPER: CUDA_MEMCPY_KIND_UVM_HTOD to _DTOD
constexpr std::int64_t kFirstUnified = 11, kLastUnified = 13;

// ENUM_CUDA_MEM_KIND
MemoryKind memory_kind(const std::optional<std::int64_t>& kind) {
  constexpr std::array<MemoryKind, 7> kKinds = {MemoryKind::pageable, MemoryKind::pinned, MemoryKind::device, MemoryKind::other,
                                                MemoryKind::managed,  MemoryKind::device, MemoryKind::managed};
  return kind && *kind >= 0 && static_cast<std::size_t>(*kind) < kKinds.size() ? kKinds[static_cast<std::size_t>(*kind)]
                                                                               : MemoryKind::unknown;
}

std::uint32_t dimension(const RowBatch::Row& row, std::size_t column) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer_or(column, 0), 0, kNone));
}

}  // namespace

bool NsysReader::wanted(std::int64_t id) {
  if (options_.devices.empty() || std::find(options_.devices.begin(), options_.devices.end(), id) != options_.devices.end())
    return true;
  other_devices_.insert(id);
  return false;
}

bool NsysReader::usable(const Row& row) {
  return wanted(row.integer_or(kDevice, 0)) && duration(row.integer(kStart), row.integer(kEnd), gpu_faults_) >= 0;
}

std::uint16_t NsysReader::queue(const Row& row) {
  const Queue queue = {row.integer_or(kProcess, 0) & kProcessBits, row.integer_or(kDevice, 0), row.integer_or(kContext, 0),
                       row.integer_or(kStream, 0)};
  const auto mixed = static_cast<std::uint64_t>(queue.process) * 31 + static_cast<std::uint64_t>(queue.device) * 1021 +
                     static_cast<std::uint64_t>(queue.context) * 17 + static_cast<std::uint64_t>(queue.stream);
  return static_cast<std::uint16_t>(std::min(queues_.id(capture_.queues, queue, mixed), kMostQueues));
}

void NsysReader::op(const Row& row, OpKind kind, std::uint32_t name, std::uint32_t detail) {
  const std::int64_t start = row.integer_or(kStart, 0);
  GpuOps& ops = capture_.ops;
  ops.times.add(start, row.integer_or(kEnd, 0) - start);
  ops.name.push_back(name);
  ops.queue.push_back(queue(row));
  ops.kind.push_back(kind);
  ops.detail.push_back(detail);
  const std::int64_t correlation = row.integer_or(kCorrelation, -1);
  ops.launch.push_back(correlation >= 0 && correlation < kNone ? static_cast<std::uint32_t>(correlation) : kNone);
}

core::Expected<std::uint32_t> NsysReader::kernel_name(const Row& row, std::size_t first) {
  // Demangled, short, mangled: the first that the row has.
  for (std::size_t column = first; column < first + 3; ++column) {
    const auto id = row.integer(column);
    if (!id) continue;
    std::uint32_t& name = kernel_names_.at(*id);
    if (name == kNone) {
      const auto text = string(*id);
      if (!text) return core::fail(text.error());
      name = capture_.names.id(*text);
    }
    return name;
  }
  return capture_.names.id("[no name]");
}

core::Status NsysReader::kernels() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_KERNEL";
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end"}); !status) return status;
  constexpr std::size_t kName = kFirstOfOwn, kGrid = kName + 3, kBlock = kGrid + 3;
  return each(kTable,
              columns({"demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"}),
              [this](const Row& row) -> core::Status {
                if (!usable(row)) return {};
                const auto name = kernel_name(row, kName);
                if (!name) return core::fail(name.error());
                std::uint32_t shape = kNone;
                if (row.has(kGrid)) {
                  LaunchShape launch;
                  std::uint64_t mixed = 0;
                  for (std::size_t i = 0; i < 3; ++i) {
                    launch.grid[i] = dimension(row, kGrid + i);
                    launch.block[i] = dimension(row, kBlock + i);
                    mixed = mixed * 1000003 + launch.grid[i] * std::uint64_t{65537} + launch.block[i];
                  }
                  shape = shapes_.id(capture_.launch_shapes, launch, mixed);
                }
                op(row, OpKind::kernel, *name, shape);
                return {};
              });
}

// A capture with --cuda-graph-trace=graph has one row per replay of a graph and none for the kernels in it.
core::Status NsysReader::graph_replays() {
  constexpr std::string_view kTable = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end"}); !status) return status;
  const std::uint32_t name = capture_.names.id(kGraphReplay);
  return each(kTable, columns({}), [this, name](const Row& row) -> core::Status {
    if (!usable(row)) return {};
    op(row, OpKind::graph, name, kNone);
    ++capture_.graph_replays;
    return {};
  });
}

core::Status NsysReader::copies() {
  if (core::Status status = copy_table("CUPTI_ACTIVITY_KIND_MEMCPY", OpKind::copy); !status) return status;
  return copy_table("CUPTI_ACTIVITY_KIND_MEMSET", OpKind::set);
}

core::Status NsysReader::copy_table(std::string_view table, OpKind op_kind) {
  if (!has(table)) return {};
  if (core::Status status = need(table, {"start", "end"}); !status) return status;
  constexpr std::size_t kBytes = kFirstOfOwn, kCopyKind = kBytes + 1, kFrom = kCopyKind + 1, kTo = kFrom + 1, kSet = kTo + 1;
  IdMap names;
  return each(table, columns({"bytes", "copyKind", "srcKind", "dstKind", "memKind"}), [&](const Row& row) -> core::Status {
    if (!usable(row)) return {};
    const bool copy = op_kind == OpKind::copy;
    const std::int64_t kind = copy ? row.integer_or(kCopyKind, 0) : 0;
    std::uint32_t& name = names.at(kind);
    if (name == kNone) name = capture_.names.id(copy ? copy_label(kind) : std::string(kMemsetLabel));
    CopyShape shape;
    shape.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.integer_or(kBytes, 0)));
    shape.from = memory_kind(row.integer(copy ? kFrom : kSet));
    shape.to = memory_kind(row.integer(copy ? kTo : kSet));
    // The driver moves pages of managed memory by itself: no call of the program is kept waiting for a copy of pageable memory.
    if (kind >= kFirstUnified && kind <= kLastUnified) shape.from = shape.to = MemoryKind::managed;
    const std::uint64_t mixed =
        shape.bytes * 64 + static_cast<std::uint64_t>(shape.from) * 8 + static_cast<std::uint64_t>(shape.to);
    op(row, op_kind, name, copy_shapes_.id(capture_.copy_shapes, shape, mixed));
    return {};
  });
}

}  // namespace plumbline::profiles
