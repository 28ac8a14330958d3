#include "profiles/readers/rocm/rocprof_json.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kHint =
    "record with rocprofv3 --kernel-trace --memory-copy-trace --hip-trace --output-format json, and check that the program "
    "reaches "
    "the GPU";
constexpr std::size_t kMostProcesses = 10'000, kMostKinds = 1000, kMostOperations = 20'000;

// {"handle": 7}, {"internal": 7, "external": 0}
std::optional<std::int64_t> inside(const JsonText& text, const JsonValue& value, std::string_view wanted) {
  std::optional<std::int64_t> id;
  if (value.kind != JsonKind::object) return json_id(value);
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == wanted) id = json_id(each);
    return !id;
  });
  return id;
}

bool sizes(const JsonText& text, const JsonValue& value, std::uint32_t (&out)[3]) {
  int seen = 0;
  if (value.kind != JsonKind::object) return false;
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key.size() != 1 || key[0] < 'x' || key[0] > 'z') return true;
    const auto number = json_integer(each);
    if (number && *number >= 0 && *number <= UINT32_MAX) {
      out[key[0] - 'x'] = static_cast<std::uint32_t>(*number);
      ++seen;
    }
    return true;
  });
  return seen == 3;
}

}  // namespace

struct RocprofReader::Record {
  std::optional<std::int64_t> start, end, kind, operation, thread, correlation, kernel, agent, source, target, queue, stream,
      bytes;
  LaunchShape shape;
  bool has_grid = false, has_block = false;

  [[nodiscard]] std::optional<std::int64_t> length() const {
    if (!start || !end || *start < 0 || *end < 0) return std::nullopt;
    return *end - *start;
  }
};

// The path below the root key, without the array's element, which older versions did not have.
JsonReader::Take RocprofReader::take(std::span<const std::string> path, JsonKind kind) {
  if (path.empty()) return {How::enter, 0};
  if (path.front() != "rocprofiler-sdk-tool") return {};
  const bool element = path.size() == 2 && path[1].empty();
  if ((path.size() == 1 && kind == JsonKind::object) || element) {
    if (kind != JsonKind::object || element_ >= kMostProcesses) return {};
    if (processes_.size() <= element_) processes_.emplace_back();
    now_ = &processes_[element_++];
    return {How::enter, 0};
  }
  if (path.size() == 1) return {How::enter, 0};
  path = path.subspan(path[1].empty() ? 2 : 1);
  if (path.empty() || now_ == nullptr) return {};
  const std::string& section = path.front();
  const std::string_view key = path.size() > 1 ? std::string_view(path[1]) : std::string_view();
  if (section == "buffer_records") {
    if (key.empty()) {
      if (second_pass_ ? now_->passed_over : now_->symbols_seen) return {How::enter, 0};
      now_->passed_over = now_->passed_over || !second_pass_;
      return {};
    }
    if (key == "kernel_dispatch") return {How::each, dispatch_tag};
    if (key == "memory_copy") return {How::each, copy_tag};
    if (key == "hip_api") return {How::each, call_tag};
    if (key == "marker_api") return {How::each, marker_tag};
    return {};
  }
  if (section == "metadata") {
    if (key.empty()) return {How::enter, 0};
    if (key == "pid") return {How::whole, pid_tag};
    if (key == "environment") return {How::whole, environment_tag};
    return {};
  }
  if (second_pass_) return {};
  if (section == "agents") return {How::each, agent_tag};
  if (section == "kernel_symbols") {
    now_->symbols_seen = true;
    return {How::each, symbol_tag};
  }
  if (section == "strings") {
    if (key.empty()) return {How::enter, 0};
    if (key == "buffer_records") return {How::each, operations_tag};
    if (key == "marker_api") return {How::each, message_tag};
  }
  return {};
}

JsonReader::Answer RocprofReader::value(int tag, std::string_view, const JsonText& text, const JsonValue& value) {
  switch (tag) {
    case pid_tag:
      now_->pid = json_integer(value).value_or(0);
      return Answer::go_on;
    case environment_tag:
      if (value.kind == JsonKind::object && !second_pass_) {
        json_members(text, value.at, [this](std::string_view, const JsonValue& each) {
          if (each.text != core::kRedacted) ++capture_.environment_rows;
          return true;
        });
      }
      return Answer::go_on;
    case agent_tag:
      agent(text, value);
      return Answer::go_on;
    case symbol_tag:
      symbol(text, value);
      return Answer::go_on;
    case operations_tag:
      operations(text, value);
      return Answer::go_on;
    case message_tag:
      message(text, value);
      return Answer::go_on;
    default:
      break;
  }
  if (value.kind != JsonKind::object) return Answer::go_on;
  bool whole = false;
  const Record record = read_record(text, value, whole);
  if (!whole) return Answer::malformed;
  ++events_;
  if (tag == dispatch_tag) dispatch(record);
  if (tag == copy_tag) copy(record);
  if (tag == call_tag || tag == marker_tag) host(record, tag == marker_tag);
  return fill_.full() ? Answer::stop : Answer::go_on;
}

bool RocprofReader::again() {
  if (second_pass_ || std::none_of(processes_.begin(), processes_.end(), [](const Process& each) { return each.passed_over; }))
    return false;
  second_pass_ = true;
  element_ = 0;
  return true;
}

RocprofReader::Record RocprofReader::read_record(const JsonText& text, const JsonValue& value, bool& whole) const {
  Record record;
  const auto launch = [&](std::string_view key, const JsonValue& each) {
    if (key == "kernel_id") record.kernel = json_id(each);
    if (key == "agent_id") record.agent = inside(text, each, "handle");
    if (key == "queue_id") record.queue = inside(text, each, "handle");
    if (key == "grid_size") record.has_grid = sizes(text, each, record.shape.grid);
    if (key == "workgroup_size") record.has_block = sizes(text, each, record.shape.block);
    return true;
  };
  JsonWalk launch_walk = JsonWalk::done;
  const JsonWalk walk = json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "start_timestamp") record.start = json_integer(each);
    if (key == "end_timestamp") record.end = json_integer(each);
    if (key == "kind") record.kind = json_integer(each);
    if (key == "operation") record.operation = json_integer(each);
    if (key == "thread_id") record.thread = json_id(each);
    if (key == "bytes") record.bytes = json_integer(each);
    if (key == "correlation_id") record.correlation = inside(text, each, "internal");
    if (key == "stream_id") record.stream = inside(text, each, "handle");
    if (key == "src_agent_id") record.source = inside(text, each, "handle");
    if (key == "dst_agent_id") record.target = inside(text, each, "handle");
    if (key == "dispatch_info" && each.kind == JsonKind::object) launch_walk = json_members(text, each.at, launch);
    return true;
  });
  whole = walk == JsonWalk::done && launch_walk == JsonWalk::done;
  return record;
}

std::string_view RocprofReader::operation(const Record& record) const {
  if (!record.kind || !record.operation || *record.kind < 0 || *record.operation < 0) return {};
  const auto kind = static_cast<std::size_t>(*record.kind), number = static_cast<std::size_t>(*record.operation);
  if (kind >= now_->operations.size() || number >= now_->operations[kind].names.size()) return {};
  return now_->operations[kind].names[number];
}

// GPUs by their order, as HIP numbers them; an agent that no table names keeps its handle.
std::int64_t RocprofReader::device(std::int64_t handle) {
  const auto known = now_->devices.find(handle);
  return known == now_->devices.end() ? handle : known->second;
}

void RocprofReader::agent(const JsonText& text, const JsonValue& value) {
  if (value.kind != JsonKind::object) return;
  std::optional<std::int64_t> handle, type;
  std::string name, product;
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "id") handle = inside(text, each, "handle");
    if (key == "type") type = json_integer(each);
    if (key == "name" && each.kind == JsonKind::string) name = json_name(each.text.substr(0, 200));
    if (key == "product_name" && each.kind == JsonKind::string) product = json_name(each.text.substr(0, 200));
    return true;
  });
  constexpr std::int64_t kGpu = 2;  // of rocprofiler_agent_type_t
  if (!handle || type.value_or(kGpu) != kGpu) return;
  const auto number = static_cast<std::int64_t>(now_->devices.size());
  if (!now_->devices.try_emplace(*handle, number).second) return;
  capture_.gpus[number].name = product.empty() ? name : product;
}

void RocprofReader::symbol(const JsonText& text, const JsonValue& value) {
  if (value.kind != JsonKind::object) return;
  std::optional<std::int64_t> id;
  std::array<std::string_view, 3> names;
  constexpr std::array<std::string_view, 3> kKeys = {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"};
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "kernel_id") id = json_id(each);
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (key == kKeys[i] && each.kind == JsonKind::string) names[i] = each.text;
    }
    return true;
  });
  const auto name = std::find_if(names.begin(), names.end(), [](std::string_view each) { return !each.empty(); });
  if (id && name != names.end()) now_->kernels.try_emplace(*id, fill_.name(*name));
}

void RocprofReader::operations(const JsonText& text, const JsonValue& value) {
  if (now_->operations.size() >= kMostKinds) return;
  Operations& kind = now_->operations.emplace_back();
  if (value.kind != JsonKind::object) return;
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key != "operations" || each.kind != JsonKind::array) return true;
    json_elements(text, each.at, [&](const JsonValue& name) {
      kind.names.push_back(json_name(name.text.substr(0, 200)));
      return kind.names.size() < kMostOperations;
    });
    return true;
  });
}

void RocprofReader::message(const JsonText& text, const JsonValue& value) {
  if (value.kind != JsonKind::object) return;
  std::optional<std::int64_t> id;
  std::string_view said;
  json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "key") id = json_id(each);
    if (key == "value" && each.kind == JsonKind::string) said = each.text;
    return true;
  });
  if (id && !said.empty()) now_->messages.try_emplace(*id, json_name(said));
}

void RocprofReader::dispatch(const Record& record) {
  GpuEvent gpu;
  const auto known = record.kernel ? now_->kernels.find(*record.kernel) : now_->kernels.end();
  if (known != now_->kernels.end()) {
    gpu.name = known->second;
  } else {
    ++nameless_;
    gpu.name = fill_.name(record.kernel ? "[id " + std::to_string(*record.kernel) + "]" : "[no name]");
  }
  gpu.process = now_->pid;
  gpu.device = device(record.agent.value_or(0));
  gpu.stream = record.stream ? *record.stream : record.queue.value_or(0);
  gpu.correlation = record.correlation;
  if (record.has_grid && record.has_block) {
    gpu.shape = record.shape;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t items = record.shape.grid[i], group = std::max<std::uint64_t>(1, record.shape.block[i]);
      gpu.shape->grid[i] = static_cast<std::uint32_t>((items + group - 1) / group);
    }
  }
  fill_.gpu(gpu, record.start, record.length());
}

void RocprofReader::copy(const Record& record) {
  GpuEvent gpu;
  gpu.process = now_->pid;
  gpu.correlation = record.correlation;
  gpu.stream = record.stream.value_or(0);
  // The GPU of the two ends; of two GPUs the one that receives.
  for (const auto& end : {record.source, record.target}) {
    if (end && now_->devices.contains(*end)) gpu.device = device(*end);
  }
  gpu.copy = CopyShape{static_cast<std::uint64_t>(std::max<std::int64_t>(0, record.bytes.value_or(0))), MemoryKind::unknown,
                       MemoryKind::unknown};
  fill_.name_copy(operation(record), gpu);
  fill_.gpu(gpu, record.start, record.length());
}

void RocprofReader::host(const Record& record, bool marker) {
  const Thread thread{now_->pid, record.thread.value_or(0)};
  std::string_view name = operation(record);
  if (marker && record.correlation) {
    const auto said = now_->messages.find(*record.correlation);
    if (said != now_->messages.end()) name = said->second;
  }
  std::string numbered;
  if (name.empty()) {
    ++nameless_;
    numbered = "[operation " + std::to_string(record.operation.value_or(-1)) + "]";
    name = numbered;
  }
  if (marker) {
    fill_.range(fill_.name(name), thread, RangeKind::nvtx, record.start, record.length());
  } else {
    fill_.call(fill_.name(name), thread, record.start, record.length(), record.correlation);
  }
}

core::Status RocprofReader::finish(const JsonEnd& end) {
  if (core::Status status = fill_.finish_trace(end, events_, kHint); !status) return status;
  if (nameless_ > 0) {
    fill_.warn("missing_names", core::counted(nameless_, "record is", "records are") +
                                    " of a kernel or operation that no table names, and shown by number");
  }
  return {};
}

}  // namespace plumbline::profiles
