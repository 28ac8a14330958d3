// Exports of Nsight Systems, of every schema: tables and columns as in the releases from 2021.3 to 2026.2. StringIds holds names
// of kernels beside the environment of every process of the host: a string stays where a column of names refers to it.
#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <unordered_set>

#include "core/text.hpp"
#include "profiles/readers/nsys/nsys_nccl.hpp"
#include "profiles/redaction/plain_words.hpp"
#include "profiles/redaction/sqlite_rules.hpp"
#include "profiles/redaction/sqlite_scan.hpp"

namespace plumbline::profiles {
namespace {

constexpr auto kStrings = std::to_array<TextColumn>({{"value", TextRule::string, "id"}});
constexpr auto kFacts = std::to_array<TextColumn>({{"name", TextRule::row_name, ""}, {"value", TextRule::plain, ""}});
constexpr auto kGpuTexts = std::to_array<TextColumn>({{"name", TextRule::plain, ""}, {"chipName", TextRule::plain, ""}});
constexpr auto kRangeTexts = std::to_array<TextColumn>({{"text", TextRule::range_name, "eventType"},
                                                        {"jsonText", TextRule::range_json, "eventType"},
                                                        {"binaryData", TextRule::range_payload, "eventType"}});
constexpr auto kEntryTexts = std::to_array<TextColumn>({{"name", TextRule::payload_entry, ""}});
constexpr auto kDiagnosticTexts = std::to_array<TextColumn>({{"text", TextRule::diagnostic, ""}});

constexpr auto kTables = std::to_array<TableRule>({
    {"StringIds", "id", kStrings, true},
    {"META_DATA_EXPORT", "", kFacts},
    {"EXPORT_META_DATA", "", kFacts},
    {"META_DATA_CAPTURE", "id", kFacts},
    {"TARGET_INFO_SYSTEM_ENV", "globalVid nameEnum", kFacts},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName mangledName "
     "launchType "
     "cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory "
     "localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig qmdBulkReleaseDone "
     "qmdPreexitDone qmdLastCtaDone graphId clusterX clusterY clusterZ clusterSchedulingPolicy maxPotentialClusterSize "
     "maxActiveClusters sharedMemoryRequestedPercentage"},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start end deviceId contextId greenContextId streamId correlationId globalPid bytes copyKind deprecatedSrcId srcKind "
     "dstKind "
     "srcDeviceId srcContextId dstDeviceId dstContextId migrationCause graphNodeId virtualAddress copyCount memKind"},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "start end deviceId contextId greenContextId streamId correlationId globalPid value bytes graphNodeId memKind copyKind "
     "srcKind dstKind"},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start end eventClass globalTid correlationId nameId returnValue callchainId"},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "start end deviceId contextId greenContextId streamId correlationId globalPid deprecatedSyncType syncType eventId "
     "eventSyncId"},
    {"CUPTI_ACTIVITY_KIND_CUDA_EVENT",
     "timestamp deviceId contextId greenContextId streamId correlationId globalPid eventId eventSyncId"},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     "start end deviceId contextId greenContextId streamId correlationId globalPid graphId graphExecId"},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", "start end eventClass globalTid correlationId nameId overheadType"},
    {"CUDA_GRAPH_EVENTS", "start end eventClass globalTid nameId graphNodeId originalGraphNodeId"},
    {"CUDA_GRAPH_NODE_EVENTS", "start end eventClass globalTid nameId graphNodeId originalGraphNodeId"},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     "start globalPid deviceId contextId address pc bytes memKind memoryOperationType correlationId streamId"},
    {"NVTX_EVENTS",
     "start end eventType rangeId category color globalTid endGlobalTid textId domainId uint64Value int64Value doubleValue "
     "uint32Value int32Value floatValue jsonTextId",
     kRangeTexts},
    {"NVTX_PAYLOAD_SCHEMAS", "domainId schemaId type flags numEntries payloadSize alignTo"},
    {"NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId schemaId idx flags type arrayOrUnionDetail offset", kEntryTexts},
    {"OSRT_API", "start end eventClass globalTid nameId returnValue nestingLevel callchainId"},
    {"OSRT_CALLCHAINS", "id symbol kernelMode thumbCode unresolved specialEntry originalIP unwindMethod stackDepth"},
    {"CUDA_CALLCHAINS", "id symbol kernelMode thumbCode unresolved specialEntry originalIP unwindMethod stackDepth"},
    {"SAMPLING_CALLCHAINS", "id symbol kernelMode thumbCode unresolved specialEntry originalIP unwindMethod stackDepth"},
    {"COMPOSITE_EVENTS", "id start cpu threadState globalTid cpuCycles"},
    {"SCHED_EVENTS", "start cpu isSchedIn globalTid threadState threadBlock"},
    {"PROFILER_OVERHEAD", "start end globalTid nameId returnValue overheadType"},
    {"PROCESSES", "globalPid pid"},
    {"ThreadNames", "nameId priority globalTid"},
    {"ANALYSIS_DETAILS", "globalVid duration startTime stopTime"},
    {"DIAGNOSTIC_EVENT", "timestamp timestampType source severity globalPid", kDiagnosticTexts},
    {"TARGET_INFO_SESSION_START_TIME", "utcEpochNs systemClockNs"},
    {"TARGET_INFO_GPU",
     "vmId id isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount pwGpuId cuDevice revision nodeMask "
     "constantMemory maxIPC maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm maxRegistersPerSm "
     "threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock maxBlockDimX maxBlockDimY maxBlockDimZ "
     "maxGridDimX maxGridDimY maxGridDimZ computeMajor computeMinor smMajor smMinor",
     kGpuTexts},
    {"TARGET_INFO_CUDA_DEVICE", "gpuId cudaId pid"},
    {"TARGET_INFO_CUDA_CONTEXT_INFO", "nullStreamId hwId vmId processId deviceId contextId parentContextId isGreenContext"},
    {"TARGET_INFO_CUDA_NULL_STREAM", "streamId hwId vmId processId deviceId contextId"},
    {"TARGET_INFO_CUDA_STREAM", "streamId hwId vmId processId contextId priority flag"},
});

// Columns whose ids name what ran.
struct NameReference {
  std::string_view table;
  std::vector<std::string_view> columns;
};
const std::vector<NameReference>& name_references() {
  static const std::vector<NameReference> kReferences = {
      {"CUPTI_ACTIVITY_KIND_KERNEL", {"demangledName", "shortName", "mangledName"}},
      {"CUPTI_ACTIVITY_KIND_RUNTIME", {"nameId"}},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD", {"nameId"}},
      {"CUDA_GRAPH_EVENTS", {"nameId"}},
      {"CUDA_GRAPH_NODE_EVENTS", {"nameId"}},
      {"OSRT_API", {"nameId"}},
      {"PROFILER_OVERHEAD", {"nameId"}},
      {"OSRT_CALLCHAINS", {"symbol"}},
      {"CUDA_CALLCHAINS", {"symbol"}},
      {"SAMPLING_CALLCHAINS", {"symbol"}},
  };
  return kReferences;
}

// Rows of tables of facts, by name; of META_DATA_CAPTURE "PROCESS_0:" may stand before it.
constexpr auto kFactNames = std::to_array<std::string_view>({
    "EXPORT_PRODUCT_VERSION",
    "EXPORT_SCHEMA_VERSION",
    "EXPORT_SCHEMA_VERSION_MAJOR",
    "EXPORT_SCHEMA_VERSION_MINOR",
    "EXPORT_SCHEMA_VERSION_MICRO",
    "EXPORT_PARAM_LAZY",
    "EXPORT_PARAM_TIME_NORMALIZE",
    "EXPORT_PARAM_TIME_SHIFT",
    "CUDA_GRAPH_TRACE_OPTIONS:MODE",
    "COLLECT_GPU_MEMORY_USAGE",
    "COLLECT_UVM_CPU_PAGE_FAULTS",
    "COLLECT_UVM_GPU_PAGE_FAULTS",
    "COLLECT_GPU_CTX_SW_TRACE",
    "LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE",
    "OS_RUNTIME_OPTIONS:COLLECT_BACKTRACES",
    "CUDA_OPTIONS:COLLECT_BACKTRACES",
    "COLLECT_NVTX_TRACE",
    "COLLECT_CUDA_TRACE",
    "CpuCores",
    "CpuSpeedMhz",
    "CpuArchitecture",
    "CpuDescription",
    "NvDriverVersion",
    "CudaDriverVersion",
    "OsDescription",
    "SoftwareReleaseVersion",
    "KernelVersion",
    "HardwarePlatform",
});

constexpr std::int64_t kDomain = 75;
bool names_range(const std::optional<std::int64_t>& type) {
  return type && (*type == 59 || *type == 60 || *type == 70 || *type == 71 || *type == kDomain);
}

std::string_view behind_process(std::string_view name) {
  constexpr std::string_view kProcess = "PROCESS_";
  if (!name.starts_with(kProcess)) return name;
  std::size_t at = kProcess.size();
  while (at < name.size() && name[at] >= '0' && name[at] <= '9') ++at;
  return at > kProcess.size() && at < kProcess.size() + 10 && at < name.size() && name[at] == ':' ? name.substr(at + 1) : name;
}

// What the reader asks of diagnostics (read_diagnostics()), in words of its own.
std::string diagnostic(std::string_view text) {
  const std::string lower = core::to_lower(std::string(text));
  for (const std::string_view start : {"Not all CUDA events", "Not all NVTX events"}) {
    if (lower.starts_with(core::to_lower(std::string(start)))) return std::string(start) + " might have been collected.";
  }
  for (const std::string_view part : {"events were dropped", "events dropped"}) {
    if (lower.find(part) != std::string::npos) return "Some " + std::string(part) + ".";
  }
  return std::string(core::kRedacted);
}

class NsysRules final : public SqliteRules {
 public:
  std::vector<TableCopy> tables(const std::vector<std::string>& all) override {
    std::vector<TableCopy> copies;
    for (const std::string& name : all) {
      const auto rule = std::find_if(kTables.begin(), kTables.end(), [&](const TableRule& each) { return each.name == name; });
      if (rule != kTables.end()) copies.push_back({name, name, &*rule});
    }
    return copies;
  }

  core::Status learn(Database& database, const std::vector<TableCopy>& tables) override {
    const auto has = [&tables](std::string_view name) {
      return std::any_of(tables.begin(), tables.end(), [name](const TableCopy& each) { return each.from == name; });
    };
    for (const NameReference& reference : name_references()) {
      if (!has(reference.table)) continue;
      auto done = scan_integers(database, reference.table, reference.columns, [this](std::span<const Integer> row) {
        for (const Integer& id : row) {
          if (id) names_.insert(*id);
        }
      });
      if (!done) return done;
    }
    if (has("NVTX_EVENTS")) {
      auto done = scan_texts(database, "NVTX_EVENTS", {"eventType", "textId", "jsonTextId"}, "text",
                             [this](std::span<const Integer> row, std::string_view text) {
                               if (names_range(row[0]) && row[1]) names_.insert(*row[1]);
                               if (names_range(row[0]) && row[2]) payloads_.insert(*row[2]);
                               if (names_range(row[0])) apart_.add(text);
                             });
      if (!done) return done;
    }
    if (has("StringIds")) {
      auto done = scan_texts(database, "StringIds", {"id"}, "value", [this](std::span<const Integer> row, std::string_view text) {
        if (row[0] && names_.contains(*row[0])) apart_.add(text);
      });
      if (!done) return done;
    }
    apart_.settle();
    if (!has("NVTX_PAYLOAD_SCHEMA_ENTRIES")) return {};
    return scan_texts(database, "NVTX_PAYLOAD_SCHEMA_ENTRIES", {"domainId", "schemaId", "type", "offset"}, "name",
                      [this](std::span<const Integer> row, std::string_view name) {
                        nccl_.add_entry(row[0].value_or(0), row[1].value_or(0), name, {row[2].value_or(0), row[3].value_or(0)});
                      });
  }

  bool keeps(std::string_view row_name) const override {
    return std::find(kFactNames.begin(), kFactNames.end(), behind_process(row_name)) != kFactNames.end();
  }

  CleanText clean(const TableCopy&, const SqliteText& cell) override {
    CleanText gone{CleanText::Kind::text, std::string(core::kRedacted)};
    switch (cell.rule) {
      case TextRule::name:
        return name(cell.text);
      case TextRule::string:
        if (cell.by && names_.contains(*cell.by)) return name(cell.text);
        if (cell.by && payloads_.contains(*cell.by)) return {CleanText::Kind::text, NcclCalls::bare_json(cell.text)};
        return gone;
      case TextRule::plain:
        return is_plain_fact(cell.text) ? CleanText{CleanText::Kind::same} : gone;
      case TextRule::row_name:
        return {CleanText::Kind::same};  // keeps() asked for it
      case TextRule::range_name:
        return names_range(cell.by) ? name(cell.text) : gone;
      case TextRule::range_json:
        return {CleanText::Kind::text, NcclCalls::bare_json(cell.text)};
      case TextRule::range_payload: {
        std::string bare = nccl_.bare_payload(cell.text);
        return bare.empty() ? CleanText{} : CleanText{CleanText::Kind::blob, std::move(bare)};
      }
      case TextRule::payload_entry:
        return NcclCalls::is_entry(cell.text) ? CleanText{CleanText::Kind::same} : gone;
      case TextRule::diagnostic:
        return {CleanText::Kind::text, diagnostic(cell.text)};
      default:
        return gone;
    }
  }

 private:
  CleanText name(std::string_view text) {
    const std::string* shown = apart_.find(text);
    return shown == nullptr ? CleanText{CleanText::Kind::same} : CleanText{CleanText::Kind::text, *shown};
  }

  NamesApart apart_;
  std::unordered_set<std::int64_t> names_, payloads_;  // ids of StringIds
  NcclCalls nccl_;
};

}  // namespace

std::unique_ptr<SqliteRules> nsys_rules() { return std::make_unique<NsysRules>(); }

std::string_view known_table(std::string_view name) {
  constexpr auto kLeftOut = std::to_array<std::string_view>(
      {"ProcessStreams", "ANALYSIS_FILE", "PROCESS_ENVIRONMENT", "GENERIC_EVENTS", "GENERIC_EVENT_SOURCES", "GENERIC_EVENT_TYPES",
       "GENERIC_EVENT_FIELDS", "GENERIC_EVENT_DATA", "GPU_METRICS", "NETWORK_DEVICES", "TARGET_INFO_NETWORK_METRICS",
       "TARGET_INFO_NIC_INFO", "MPI_P2P_EVENTS", "MPI_COLLECTIVES_EVENTS", "MPI_OTHER_EVENTS", "SYSCALL", "FILES", "UCX_EVENTS"});
  if (name.starts_with("ENUM_")) return "ENUM tables";
  const auto found = std::find(kLeftOut.begin(), kLeftOut.end(), name);
  return found == kLeftOut.end() ? std::string_view("tables that are not known") : *found;
}

}  // namespace plumbline::profiles
