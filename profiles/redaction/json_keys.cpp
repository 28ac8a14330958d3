#include "profiles/redaction/json_keys.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/csv_columns.hpp"

namespace plumbline::profiles {
namespace {

// The keys of one kind of object, as a function that finds one.
template <const auto& kKeys>
const JsonKey* among(std::string_view key) {
  const auto found = std::find_if(kKeys.begin(), kKeys.end(), [key](const JsonKey& each) { return each.name == key; });
  return found == kKeys.end() ? nullptr : &*found;
}

// Traces of events: Chrome's format, Kineto's and XLA's arguments.
constexpr auto kArguments = std::to_array<JsonKey>({
    {"device"},
    {"stream"},
    {"context"},
    {"correlation"},
    {"correlation_id"},
    {"External id"},
    {"external id"},
    {"bytes"},
    {"grid"},
    {"block"},
    {"queued"},
    {"cbid"},
    {"cid"},
    {"registers per thread"},
    {"shared memory"},
    {"blocks per SM"},
    {"warps per SM"},
    {"est. achieved occupancy %"},
    {"memory bandwidth (GB/s)"},
    {"sort_index"},
    {"Op count"},
    {"Ev Idx"},
    {"Record function id"},
    {"Profiler Event Index"},
    {"Sequence number"},
    {"Fwd thread id"},
    {"Trace iteration"},
    {"Input Dims"},
    {"Input Strides"},
    {"Python id"},
    {"Python parent id"},
    {"Python module id"},
    {"Total Reserved"},
    {"Total Allocated"},
    {"Bytes"},
    {"Addr"},
    {"Device Id"},
    {"Device Type"},
    {"finished"},
    {"In msg nelems"},
    {"Out msg nelems"},
    {"Group size"},
    {"Seq"},
    {"Rank"},
    {"In split size"},
    {"Out split size"},
    {"Global rank start"},
    {"Global rank stride"},
    {"step_num"},
    {"wait_on_stream"},
    {"wait_on_cuda_event_record_corr_id"},
    {"wait_on_cuda_event_id"},
    {"Collective name", JsonRule::collective},
    {"dtype", JsonRule::dtype},
    {"Process Group Name", JsonRule::group},
    {"name", JsonRule::row},
    {"kernel_details", JsonRule::details},
    {"memcpy_details", JsonRule::details},
    {"memset_details", JsonRule::details},
    {"kind", JsonRule::plain},
});
constexpr JsonKeys kArgumentKeys = {among<kArguments>};
constexpr auto kEvent = std::to_array<JsonKey>({{"ph", JsonRule::letter},
                                                {"cat", JsonRule::category},
                                                {"name", JsonRule::name},
                                                {"pid", JsonRule::id},
                                                {"tid", JsonRule::id},
                                                {"ts"},
                                                {"dur"},
                                                {"id"},
                                                {"bp", JsonRule::letter},
                                                {"s", JsonRule::letter},
                                                {"args", JsonRule::number, &kArgumentKeys}});
constexpr JsonKeys kEventKeys = {among<kEvent>};
constexpr auto kDevice = std::to_array<JsonKey>({{"id"},
                                                 {"name", JsonRule::plain},
                                                 {"totalGlobalMem"},
                                                 {"computeMajor"},
                                                 {"computeMinor"},
                                                 {"maxThreadsPerBlock"},
                                                 {"maxThreadsPerMultiprocessor"},
                                                 {"regsPerBlock"},
                                                 {"regsPerMultiprocessor"},
                                                 {"warpSize"},
                                                 {"sharedMemPerBlock"},
                                                 {"sharedMemPerMultiprocessor"},
                                                 {"sharedMemPerBlockOptin"},
                                                 {"maxSharedMemoryPerMultiProcessor"},
                                                 {"numSms"}});
constexpr JsonKeys kDeviceKeys = {among<kDevice>};
constexpr auto kDistributed = std::to_array<JsonKey>(
    {{"backend", JsonRule::plain}, {"rank"}, {"world_size"}, {"pg_count"}, {"nccl_version", JsonRule::plain}});
constexpr JsonKeys kDistributedKeys = {among<kDistributed>};
constexpr auto kTrace = std::to_array<JsonKey>({{"traceEvents", JsonRule::number, &kEventKeys},
                                                {"deviceProperties", JsonRule::number, &kDeviceKeys},
                                                {"distributedInfo", JsonRule::number, &kDistributedKeys},
                                                {"schemaVersion"},
                                                {"cuda_runtime_version"},
                                                {"cuda_driver_version"},
                                                {"cupti_version"},
                                                {"hip_runtime_version"},
                                                {"hip_driver_version"},
                                                {"roctracer_version"},
                                                {"record_shapes"},
                                                {"profile_memory"},
                                                {"with_stack"},
                                                {"with_flops"},
                                                {"with_modules"},
                                                {"baseTimeNanoseconds"},
                                                {"displayTimeUnit", JsonRule::plain}});
constexpr JsonKeys kTraceKeys = {among<kTrace>};

// Results of rocprofv3.
constexpr auto kHandle = std::to_array<JsonKey>({{"handle"}, {"internal"}, {"external"}, {"x"}, {"y"}, {"z"}});
constexpr JsonKeys kHandleKeys = {among<kHandle>};
constexpr auto kDispatch = std::to_array<JsonKey>({{"kernel_id"},
                                                   {"dispatch_id"},
                                                   {"private_segment_size"},
                                                   {"group_segment_size"},
                                                   {"agent_id", JsonRule::number, &kHandleKeys},
                                                   {"queue_id", JsonRule::number, &kHandleKeys},
                                                   {"grid_size", JsonRule::number, &kHandleKeys},
                                                   {"workgroup_size", JsonRule::number, &kHandleKeys}});
constexpr JsonKeys kDispatchKeys = {among<kDispatch>};
constexpr auto kRecord = std::to_array<JsonKey>({{"start_timestamp"},
                                                 {"end_timestamp"},
                                                 {"kind"},
                                                 {"operation"},
                                                 {"thread_id"},
                                                 {"bytes"},
                                                 {"correlation_id", JsonRule::number, &kHandleKeys},
                                                 {"stream_id", JsonRule::number, &kHandleKeys},
                                                 {"src_agent_id", JsonRule::number, &kHandleKeys},
                                                 {"dst_agent_id", JsonRule::number, &kHandleKeys},
                                                 {"dispatch_info", JsonRule::number, &kDispatchKeys}});
constexpr JsonKeys kRecordKeys = {among<kRecord>};
constexpr auto kRecords = std::to_array<JsonKey>({{"kernel_dispatch", JsonRule::number, &kRecordKeys},
                                                  {"memory_copy", JsonRule::number, &kRecordKeys},
                                                  {"hip_api", JsonRule::number, &kRecordKeys},
                                                  {"marker_api", JsonRule::number, &kRecordKeys}});
constexpr JsonKeys kRecordsKeys = {among<kRecords>};
constexpr auto kAgent = std::to_array<JsonKey>(
    {{"id", JsonRule::number, &kHandleKeys}, {"type"}, {"name", JsonRule::plain}, {"product_name", JsonRule::plain}});
constexpr JsonKeys kAgentKeys = {among<kAgent>};
constexpr auto kSymbol = std::to_array<JsonKey>({{"kernel_id"},
                                                 {"code_object_id"},
                                                 {"formatted_kernel_name", JsonRule::name},
                                                 {"demangled_kernel_name", JsonRule::name},
                                                 {"kernel_name", JsonRule::name}});
constexpr JsonKeys kSymbolKeys = {among<kSymbol>};
constexpr auto kOperations = std::to_array<JsonKey>({{"operations", JsonRule::name}});
constexpr JsonKeys kOperationsKeys = {among<kOperations>};
constexpr auto kMessage = std::to_array<JsonKey>({{"key"}, {"value", JsonRule::name}});
constexpr JsonKeys kMessageKeys = {among<kMessage>};
constexpr auto kTexts = std::to_array<JsonKey>(
    {{"buffer_records", JsonRule::number, &kOperationsKeys}, {"marker_api", JsonRule::number, &kMessageKeys}});
constexpr JsonKeys kTextsKeys = {among<kTexts>};
constexpr auto kMetadata = std::to_array<JsonKey>({{"pid"}, {"init_time"}, {"fini_time"}});
constexpr JsonKeys kMetadataKeys = {among<kMetadata>};
constexpr auto kProcess = std::to_array<JsonKey>({{"metadata", JsonRule::number, &kMetadataKeys},
                                                  {"agents", JsonRule::number, &kAgentKeys},
                                                  {"kernel_symbols", JsonRule::number, &kSymbolKeys},
                                                  {"strings", JsonRule::number, &kTextsKeys},
                                                  {"buffer_records", JsonRule::number, &kRecordsKeys}});
constexpr JsonKeys kProcessKeys = {among<kProcess>};
constexpr auto kRocprof = std::to_array<JsonKey>({{"rocprofiler-sdk-tool", JsonRule::number, &kProcessKeys}});
constexpr JsonKeys kRocprofKeys = {among<kRocprof>};

// Rows of nsys stats: keys are headers, "Total Time (ns)".
constexpr auto kColumns = std::to_array<JsonKey>({
    {"time"},
    {"totaltime"},
    {"total"},
    {"instances"},
    {"numcalls"},
    {"calls"},
    {"count"},
    {"avg"},
    {"med"},
    {"min"},
    {"max"},
    {"stddev"},
    {"kavg"},
    {"aavg"},
    {"tavg"},
    {"kerninst"},
    {"nvtxinst"},
    {"totalprojtime"},
    {"totalrangetime"},
    {"rangeinstances"},
    {"totalgpuops"},
    {"gridxyz"},
    {"blockxyz"},
    {"pid"},
    {"tid"},
    {"qcount"},
    {"start"},
    {"end"},
    {"duration"},
    {"projectedstart"},
    {"projectedduration"},
    {"origstart"},
    {"origduration"},
    {"durchild"},
    {"durnonchild"},
    {"corrid"},
    {"grdx"},
    {"grdy"},
    {"grdz"},
    {"blkx"},
    {"blky"},
    {"blkz"},
    {"reg/trd"},
    {"stcsmem"},
    {"dymsmem"},
    {"bytes"},
    {"throughput"},
    {"ctx"},
    {"greenctx"},
    {"strm"},
    {"lvl"},
    {"numchild"},
    {"rangeid"},
    {"parentid"},
    {"numgpuops"},
    {"devid"},
    {"device", JsonRule::plain},
    {"srcmemkd", JsonRule::memory},
    {"dstmemkd", JsonRule::memory},
    {"name", JsonRule::name},
    {"operation", JsonRule::name},
    {"range", JsonRule::name},
    {"nvtxrange", JsonRule::name},
    {"apiname", JsonRule::name},
    {"kernelname", JsonRule::name},
});
// Named as they stand: of our words, a unit and blanks nothing else can be made.
constexpr auto kHeaders =
    std::to_array<JsonKey>({{"", JsonRule::number}, {"", JsonRule::plain}, {"", JsonRule::memory}, {"", JsonRule::name}});
const JsonKey* header(std::string_view key) {
  constexpr auto kUnits = std::to_array<std::string_view>(
      {"", "%", "ns", "us", "usec", "ms", "msec", "s", "sec", "b", "kb", "mb", "gb", "mb/s", "gb/s"});
  if (key.size() > 60) return nullptr;
  const CsvHeader parsed = csv_header(key);
  if (std::find(kUnits.begin(), kUnits.end(), parsed.unit) == kUnits.end()) return nullptr;
  const auto column =
      std::find_if(kColumns.begin(), kColumns.end(), [&](const JsonKey& each) { return each.name == parsed.name; });
  if (column == kColumns.end()) return nullptr;
  return std::find_if(kHeaders.begin(), kHeaders.end(), [&](const JsonKey& each) { return each.text == column->text; });
}
constexpr JsonKeys kHeaderKeys = {header};
const JsonKey* none(std::string_view) { return nullptr; }
constexpr JsonKeys kNoKeys = {none};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& all, std::string_view text) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

}  // namespace

JsonRoot json_keys(JsonCapture capture) {
  switch (capture) {
    case JsonCapture::trace_events:
      return {&kTraceKeys, &kEventKeys};
    case JsonCapture::rocprof:
      return {&kRocprofKeys, &kNoKeys};
    case JsonCapture::nsys_stats:
      return {&kNoKeys, &kHeaderKeys};
  }
  return {&kNoKeys, &kNoKeys};
}

std::string_view known_key(std::string_view key) {
  constexpr auto kLeftOut = std::to_array<std::string_view>({"metadata",
                                                             "otherData",
                                                             "stackFrames",
                                                             "systemTraceEvents",
                                                             "traceName",
                                                             "trace_id",
                                                             "Call stack",
                                                             "Module Hierarchy",
                                                             "Input type",
                                                             "Concrete Inputs",
                                                             "Trace name",
                                                             "labels",
                                                             "kernel",
                                                             "command",
                                                             "Process Group Description",
                                                             "Process Group Ranks",
                                                             "pg_config",
                                                             "hlo_module",
                                                             "hlo_op",
                                                             "long_name",
                                                             "source",
                                                             "counters",
                                                             "host_functions",
                                                             "code_objects",
                                                             "callback_records",
                                                             "summary",
                                                             "Style"});
  if (core::names_environment(key)) return "environments";
  return holds(kLeftOut, key) ? key : std::string_view("members that are not known");
}

bool is_known_category(std::string_view text) {
  constexpr auto kCategories = std::to_array<std::string_view>({"kernel",
                                                                "Kernel",
                                                                "cpu_op",
                                                                "Operator",
                                                                "gpu_memcpy",
                                                                "Memcpy",
                                                                "gpu_memset",
                                                                "Memset",
                                                                "user_annotation",
                                                                "gpu_user_annotation",
                                                                "cuda_runtime",
                                                                "cuda_driver",
                                                                "hip_runtime",
                                                                "hip_driver",
                                                                "Runtime",
                                                                "xpu_runtime",
                                                                "mtia_runtime",
                                                                "privateuse1_runtime",
                                                                "privateuse1_driver",
                                                                "cuda_sync",
                                                                "cuda_event",
                                                                "python_function",
                                                                "overhead",
                                                                "ac2g",
                                                                "async_cpu_to_gpu",
                                                                "async_gpu",
                                                                "fwdbwd",
                                                                "Trace",
                                                                "cpu_instant_event",
                                                                "collective_comm",
                                                                "mtia_ccp_events",
                                                                "glow_runtime",
                                                                "xpu_driver"});
  return holds(kCategories, text);
}

bool is_known_dtype(std::string_view text) {
  constexpr auto kTypes = std::to_array<std::string_view>({"float",
                                                           "half",
                                                           "bfloat16",
                                                           "double",
                                                           "char",
                                                           "byte",
                                                           "short",
                                                           "int",
                                                           "long",
                                                           "bool",
                                                           "float16",
                                                           "float32",
                                                           "float64",
                                                           "int8",
                                                           "int16",
                                                           "int32",
                                                           "int64",
                                                           "uint8",
                                                           "uint16",
                                                           "uint32",
                                                           "uint64",
                                                           "fp16",
                                                           "fp32",
                                                           "bf16",
                                                           "fp8",
                                                           "fp8_e4m3",
                                                           "fp8_e5m2",
                                                           "f16",
                                                           "f32",
                                                           "f64",
                                                           "i8",
                                                           "i32",
                                                           "i64",
                                                           "u8",
                                                           "u32",
                                                           "u64",
                                                           "float8",
                                                           "float8_e4m3fn",
                                                           "float8_e5m2",
                                                           "float8_e4m3fnuz",
                                                           "float8_e5m2fnuz",
                                                           "complexfloat",
                                                           "complexdouble",
                                                           "none"});
  return holds(kTypes, core::to_lower(std::string(text)));
}

}  // namespace plumbline::profiles
