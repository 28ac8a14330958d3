#include "profiles/readers/traces/kineto.hpp"

#include <algorithm>
#include <set>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "profiles/analysis/operator_work.hpp"
#include "profiles/names/collectives.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kHint =
    "record GPU activity too: torch.profiler with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], and check that the "
    "steps recorded reach the GPU";
constexpr std::size_t kMostCollectives = std::size_t{1} << 24U;

bool is_gpu(TraceCategory category) {
  return category == TraceCategory::kernel || category == TraceCategory::copy || category == TraceCategory::set;
}

// nanoseconds of `start` + `length`, where both are known and sane
std::int64_t end_of(const TraceEvent& event) {
  constexpr std::int64_t kSane = std::int64_t{4'000'000'000'000'000'000};
  const std::int64_t start = event.start.value_or(0), length = event.length.value_or(0);
  return start > 0 && start < kSane && length > 0 && length < kSane ? start + length : start;
}

std::uint32_t dtype_size(std::string_view dtype) {
  if (dtype == "double" || dtype == "int64" || dtype == "uint64") return 8;
  if (dtype == "float" || dtype == "int32" || dtype == "uint32") return 4;
  if (dtype == "half" || dtype == "bfloat16" || dtype == "short" || dtype == "int16") return 2;
  if (dtype == "int8" || dtype == "uint8" || dtype == "bool" || dtype.starts_with("fp8") || dtype.starts_with("float8")) return 1;
  if (dtype == "complexfloat") return 8;
  if (dtype == "complexdouble") return 16;
  return 0;
}

// "jit(step)/Dense_0/dot_general:" is the scope without what XLA puts behind the colon.
std::string_view scope_of(std::string_view tf_op) { return tf_op.substr(0, std::min(tf_op.rfind(':'), tf_op.size())); }

Collective collective_of(std::uint32_t op, const TraceArgs& args) {
  Collective result;
  result.op = op;
  result.type = collective_type(args.collective);
  if (result.type.empty()) result.type = json_name(args.collective);
  result.dtype = collective_dtype(json_name(args.dtype));
  result.group = json_name(args.group);
  const std::int64_t elements = std::max({args.elements_in.value_or(0), args.elements_out.value_or(0), std::int64_t{0}});
  constexpr std::int64_t kSane = std::int64_t{1} << 50U;
  if (elements < kSane) result.bytes = static_cast<std::uint64_t>(elements) * dtype_size(result.dtype);
  const std::int64_t size = args.group_size.value_or(0);
  if (size > 0 && size < kNone) result.group_size = static_cast<std::uint32_t>(size);
  result.sequence = args.sequence.value_or(-1);
  return result;
}

}  // namespace

JsonReader::Take KinetoReader::take(std::span<const std::string> path, JsonKind kind) {
  if (path.empty()) return kind == JsonKind::array ? Take{How::each, event_tag} : Take{How::enter, 0};
  const std::string& key = path.front();
  if (path.size() > 1) return look_through(path, kind);
  if (key == "traceEvents") return {How::each, event_tag};
  if (key == "deviceProperties" && kind == JsonKind::array) return {How::whole, devices_tag};
  if (key == "distributedInfo" && kind == JsonKind::object) return {How::whole, distributed_tag};
  if (key == "schemaVersion" || key.ends_with("_version")) return {How::whole, version_tag};
  return look_through(path, kind);
}

// What nothing is read of (metadata that a program put there, say) is looked through for environments and secrets, to be counted.
JsonReader::Take KinetoReader::look_through(std::span<const std::string> path, JsonKind kind) {
  constexpr std::size_t kDepth = 12;
  if (core::names_environment(json_name(path.back()))) return {How::whole, environment_tag};
  if (kind == JsonKind::string) return {How::whole, secret_tag};
  if ((kind == JsonKind::object || kind == JsonKind::array) && path.size() < kDepth) return {How::enter, 0};
  return {};
}

void KinetoReader::count_environment(const JsonText& text, const JsonValue& value) {
  const auto count = [this](const JsonValue& each) {
    if (!each.text.empty() && each.text != core::kRedacted) ++capture_.environment_rows;
    return true;
  };
  if (value.kind == JsonKind::object) {
    json_members(text, value.at, [&count](std::string_view, const JsonValue& each) { return count(each); });
  } else if (value.kind == JsonKind::array) {
    json_elements(text, value.at, count);
  } else if (value.kind == JsonKind::string) {
    count(value);
  }
}

void KinetoReader::count_secret(std::string_view key, const JsonValue& value) {
  if (value.text == core::kRedacted) return;
  const std::string text = json_name(value.text);
  if (core::is_secret(json_name(key), text) || finder_.next(text)) ++capture_.environment_rows;
}

JsonReader::Answer KinetoReader::value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) {
  switch (tag) {
    case devices_tag:
      device_properties(text, value);
      return Answer::go_on;
    case distributed_tag:
      distributed(text, value);
      return Answer::go_on;
    case version_tag:
      version(key, value);
      return Answer::go_on;
    case environment_tag:
      count_environment(text, value);
      return Answer::go_on;
    case secret_tag:
      count_secret(key, value);
      return Answer::go_on;
    default:
      break;
  }
  ++events_;
  if (value.kind != JsonKind::object) return Answer::go_on;
  std::optional<TraceEvent> found = read_trace_event(text, value);
  if (!found) {
    --events_;
    return Answer::malformed;
  }
  if (found->phase != 0) event(text, *found);
  return fill_.full() ? Answer::stop : Answer::go_on;
}

void KinetoReader::event(const JsonText& text, TraceEvent& event) {
  switch (event.phase) {
    case 'M':
      metadata(text, event);
      return;
    case 'B':
      begin(text, event);
      return;
    case 'E':
      end(event);
      return;
    default:
      break;
  }
  if (event.category == TraceCategory::other) return;
  if (event.category == TraceCategory::none) {
    xla(text, event);
  } else if (is_gpu(event.category)) {
    on_gpu(text, event);
  } else {
    on_host(text, event);
  }
}

// Kineto files GPU work under the device as process and the stream as thread; arguments say both too, on NVIDIA always.
GpuEvent KinetoReader::gpu_event(const TraceArgs& args, const TraceEvent& event) {
  GpuEvent gpu;
  gpu.device = args.device ? *args.device : trace_id(event.process);
  gpu.stream = args.stream ? *args.stream : trace_id(event.thread);
  gpu.context = args.context.value_or(0);
  gpu.correlation = args.correlation;
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, args.bytes.value_or(0)));
  switch (event.category) {
    case TraceCategory::copy:
      gpu.copy = CopyShape{bytes, args.from, args.to};
      fill_.name_copy(event.name, gpu);
      break;
    case TraceCategory::set:
      gpu.copy = CopyShape{bytes, MemoryKind::unknown, MemoryKind::unknown};
      fill_.name_set(gpu);
      break;
    default:
      gpu.shape = args.shape;
      gpu.name = fill_.name(event.name);
      break;
  }
  return gpu;
}

void KinetoReader::on_gpu(const JsonText& text, const TraceEvent& event) {
  const TraceArgs args = read_trace_args(text, event);
  const std::uint32_t op = fill_.gpu(gpu_event(args, event), event.start, event.length);
  last_time_ = std::max(last_time_, end_of(event));
  if (op == kNone || event.category != TraceCategory::kernel) return;
  if (!args.collective.empty()) {
    if (capture_.collectives.size() < kMostCollectives) capture_.collectives.push_back(collective_of(op, args));
  } else if (args.external && *args.external != 0 && communicates(capture_.ops.name[op]) &&
             nameless_collectives_.size() < kMostCollectives) {
    nameless_collectives_.emplace_back(op, *args.external);
  }
}

// Asked once per name: it is a search through the category's patterns.
bool KinetoReader::communicates(std::uint32_t name) {
  if (communicates_.size() <= name) communicates_.resize(capture_.names.size(), -1);
  if (communicates_[name] < 0) communicates_[name] = is_collective(capture_.names.text(name)) ? 1 : 0;
  return communicates_[name] > 0;
}

void KinetoReader::on_host(const JsonText& text, const TraceEvent& event) {
  const Thread thread{trace_id(event.process), trace_id(event.thread)};
  const std::uint32_t name = fill_.name(range_text(event.category, event.name));
  last_time_ = std::max(last_time_, end_of(event));
  switch (event.category) {
    case TraceCategory::call:
      fill_.call(name, thread, event.start, event.length, trace_correlation(text, event));
      break;
    case TraceCategory::op:
    case TraceCategory::annotation:
    case TraceCategory::frame:
      fill_.range(name, thread, *range_kind(event.category, event.name), event.start, event.length);
      if (event.category == TraceCategory::op) add_operands(text, event, name);
      if (event.name == "record_param_comms" && collective_calls_.size() < kMostCollectives) {
        const TraceArgs args = read_trace_args(text, event);
        if (args.external && !args.collective.empty()) collective_calls_.try_emplace(*args.external, collective_of(kNone, args));
      }
      break;
    case TraceCategory::gpu_annotation:
      gpu_annotations_.push_back({name, thread, event.start, event.length});
      break;
    default:
      break;
  }
}

// Of the range that was added last, where its operator's work follows from its arguments.
void KinetoReader::add_operands(const JsonText& text, const TraceEvent& event, std::uint32_t name) {
  if (works_.size() <= name) works_.resize(capture_.names.size(), -1);
  if (works_[name] < 0) works_[name] = has_known_work(capture_.names.text(name)) ? 1 : 0;
  if (works_[name] == 0 || event.args().empty()) return;
  const std::string operands = trace_operands(text, event);
  const std::size_t range = capture_.ranges.size();
  constexpr std::size_t kMostTexts = std::size_t{1} << 20U;
  const bool taken = range > 0 && capture_.ranges.name[range - 1] == name && event.start &&
                     capture_.ranges.times.start(range - 1) == *event.start;
  if (operands.empty() || !taken || capture_.operand_texts.size() >= kMostTexts) return;
  capture_.operands.range.push_back(static_cast<std::uint32_t>(range - 1));
  capture_.operands.text.push_back(capture_.operand_texts.id(operands));
}

void KinetoReader::metadata(const JsonText& text, const TraceEvent& event) {
  if (event.name == "process_name") {
    xla_rows_.process_name(trace_id(event.process), trace_text(text, event, "name"));
  } else if (event.name == "thread_name") {
    xla_rows_.thread_name(trace_id(event.process), trace_id(event.thread), trace_text(text, event, "name"));
  }
}

void KinetoReader::xla(const JsonText& text, TraceEvent& event) {
  const XlaRows::Place place = xla_rows_.place(trace_id(event.process), trace_id(event.thread));
  switch (place.row) {
    case XlaRow::stream: {
      TraceArgs args = read_trace_args(text, event);
      args.device = place.device;
      args.stream = place.stream;
      event.category = core::starts_with_no_case(event.name, "memcpy")   ? TraceCategory::copy
                       : core::starts_with_no_case(event.name, "memset") ? TraceCategory::set
                                                                         : TraceCategory::kernel;
      if (fill_.gpu(gpu_event(args, event), event.start, event.length) == kNone) break;
      if (const std::string_view scope = scope_of(trace_text(text, event, "tf_op")); !scope.empty())
        capture_.ops.set_scope(fill_.name(scope));
      break;
    }
    case XlaRow::steps: {
      // Their names are bare numbers.
      const std::string name = "step " + json_name(event.name);
      gpu_annotations_.push_back({fill_.name(name), {place.device, trace_id(event.thread)}, event.start, event.length});
      break;
    }
    case XlaRow::host: {
      if (event.name.starts_with('$')) return;  // frames of Python
      const auto correlation = trace_correlation(text, event);
      if (const std::string_view number = trace_text(text, event, "step_num"); !correlation && !number.empty()) {
        // StepTraceAnnotation("train", step_num=7): the number makes it a step.
        fill_.range(fill_.name(std::string(event.name) + " step " + std::string(number.substr(0, 20))),
                    {trace_id(event.process), trace_id(event.thread)}, RangeKind::annotation, event.start, event.length);
        last_time_ = std::max(last_time_, end_of(event));
        return;
      }
      event.category = correlation ? TraceCategory::call : TraceCategory::op;
      on_host(text, event);
      break;
    }
    case XlaRow::derived:
    case XlaRow::unknown:
      break;
  }
}

void KinetoReader::begin(const JsonText& text, const TraceEvent& event) {
  Begun begun{event.category,
              event.start,
              {},
              kNone,
              {trace_id(event.process), trace_id(event.thread)},
              range_kind(event.category, event.name)};
  if (is_gpu(event.category)) {
    begun.gpu = gpu_event(read_trace_args(text, event), event);
  } else if (event.category != TraceCategory::other && event.category != TraceCategory::none) {
    begun.name = fill_.name(range_text(event.category, event.name));
    if (event.category == TraceCategory::call) begun.gpu.correlation = trace_correlation(text, event);
  }
  open_[{begun.thread.process, begun.thread.thread}].push_back(begun);
}

void KinetoReader::end(const TraceEvent& event) {
  const auto found = open_.find({trace_id(event.process), trace_id(event.thread)});
  if (found == open_.end() || found->second.empty()) {
    ++unmatched_ends_;
    return;
  }
  const Begun begun = found->second.back();
  found->second.pop_back();
  std::optional<std::int64_t> length;
  if (begun.start && event.start) length = *event.start - *begun.start;
  last_time_ = std::max(last_time_, event.start.value_or(0));
  switch (begun.category) {
    case TraceCategory::kernel:
    case TraceCategory::copy:
    case TraceCategory::set:
      fill_.gpu(begun.gpu, begun.start, length);
      break;
    case TraceCategory::call:
      fill_.call(begun.name, begun.thread, begun.start, length, begun.gpu.correlation);
      break;
    case TraceCategory::op:
    case TraceCategory::annotation:
    case TraceCategory::frame:
      fill_.range(begun.name, begun.thread, *begun.range, begun.start, length);
      break;
    case TraceCategory::gpu_annotation:
      gpu_annotations_.push_back({begun.name, begun.thread, begun.start, length});
      break;
    case TraceCategory::none:
    case TraceCategory::other:
      break;
  }
}

void KinetoReader::device_properties(const JsonText& text, const JsonValue& value) {
  constexpr std::size_t kMostDevices = 4096;
  json_elements(text, value.at, [&](const JsonValue& device) {
    std::optional<std::int64_t> id;
    std::string name;
    if (device.kind == JsonKind::object) {
      json_members(text, device.at, [&](std::string_view key, const JsonValue& each) {
        if (key == "id") id = json_integer(each);
        if (key == "name" && each.kind == JsonKind::string) name = json_name(each.text.substr(0, 200));
        return true;
      });
    }
    if (id && !name.empty()) capture_.gpus[*id].name = name;
    return capture_.gpus.size() < kMostDevices;
  });
}

void KinetoReader::distributed(const JsonText& text, const JsonValue& value) {
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "rank") capture_.rank = json_integer(each);
    if (key == "world_size") capture_.world_size = json_integer(each);
    if (key == "nccl_version" && !each.text.empty()) capture_.info.context["stack.nccl"] = json_name(each.text.substr(0, 40));
    return true;
  });
}

// The versions that leave a trace; they are numbers, whose digits hold major, minor and patch.
void KinetoReader::version(std::string_view key, const JsonValue& value) {
  const auto number = json_integer(value);
  if (!number || *number <= 0) return;
  const auto text = [](std::int64_t part) { return std::to_string(part); };
  if (key == "schemaVersion") capture_.info.version = "schema " + text(*number);
  const auto cuda = [&] { return text(*number / 1000) + "." + text(*number % 1000 / 10); };
  const auto hip = [&] {
    return text(*number / 10'000'000) + "." + text(*number / 100'000 % 100) + "." + text(*number % 100'000);
  };
  if (key == "cuda_runtime_version") capture_.info.context["stack.cuda"] = cuda();
  if (key == "cuda_driver_version") capture_.info.context["stack.cuda_driver"] = cuda();
  if (key == "hip_runtime_version") capture_.info.context["stack.hip"] = hip();
}

// What was begun and not ended: of the host it ends with the trace, on a GPU nobody knows when.
void KinetoReader::close_open() {
  std::uint64_t closed = 0;
  for (const auto& [place, list] : open_) {
    for (const Begun& begun : list) {
      if (!begun.range || !begun.start || *begun.start > last_time_) continue;
      fill_.range(begun.name, begun.thread, *begun.range, begun.start, last_time_ - *begun.start);
      ++closed;
    }
  }
  if (closed > 0) {
    fill_.warn("open_ranges",
               core::counted(closed, "range was", "ranges were") + " still open; taken to end with the last event");
  }
  if (unmatched_ends_ > 0) {
    fill_.warn("unreadable_times",
               core::counted(unmatched_ends_, "event ends", "events end") + " what was not begun; not summed");
  }
}

// The profiler mirrors an annotation of the host onto the streams it reached. The mirror is kept where the host's is not in the
// trace: both would make two ranges of one.
void KinetoReader::add_gpu_annotations() {
  std::set<std::uint32_t> on_host;
  for (std::size_t i = 0; i < capture_.ranges.size(); ++i) {
    if (capture_.ranges.kind[i] == RangeKind::annotation) on_host.insert(capture_.ranges.name[i]);
  }
  for (const GpuAnnotation& each : gpu_annotations_) {
    if (!on_host.contains(each.name)) fill_.range(each.name, each.thread, RangeKind::gpu, each.start, each.length);
  }
}

// Before PyTorch 2.3 what a collective did stands with the operator that asked for it; the kernel bears its id.
void KinetoReader::join_collectives() {
  for (const auto& [op, external] : nameless_collectives_) {
    const auto found = collective_calls_.find(external);
    if (found == collective_calls_.end()) continue;
    capture_.collectives.push_back(found->second);
    capture_.collectives.back().op = op;
  }
}

// On AMD kernels name a device by its place among all agents, CPUs too, and properties by its place among GPUs. Where all GPUs
// are alike that does not matter.
void KinetoReader::name_devices() {
  if (capture_.gpus.empty()) return;
  const std::string name = capture_.gpus.begin()->second.name;
  for (const auto& [device, gpu] : capture_.gpus) {
    if (gpu.name != name) return;
  }
  for (std::uint32_t i = 0; i < capture_.queues.size(); ++i) capture_.gpus[capture_.queues[i].device].name = name;
}

core::Status KinetoReader::finish(const JsonEnd& end) {
  close_open();
  name_devices();
  add_gpu_annotations();
  join_collectives();
  if (core::Status status = fill_.finish_trace(end, events_, kHint); !status) return status;
  if (xla_rows_.any_device() && events_ >= XlaRows::kMostEvents) {
    fill_.warn("capture_incomplete",
               "the trace holds a million events, where XLA's profiler stops writing them: the .xplane.pb "
               "beside it holds the rest");
  }
  return {};
}

}  // namespace plumbline::profiles
