#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "base/protobuf.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/names/names.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

using base::ProtobufReader;
using base::Wire;

constexpr std::size_t kHead = std::size_t{64} * 1024;
constexpr std::string_view kGpuPlane = "/device:GPU:", kHostPlane = "/host:";
constexpr std::uint64_t kMostQueues = 65'535;  // of streams, and of threads: what a column's index holds

// Field numbers of XLA's xplane.proto.
namespace space {
enum : std::uint32_t { kPlane = 1, kLast = 4 };
}
namespace plane {
enum : std::uint32_t { kId = 1, kName = 2, kLine = 3, kEventMetadata = 4, kStatMetadata = 5, kStat = 6, kLast = 6 };
}
namespace line {
enum : std::uint32_t { kId = 1, kName = 2, kTimestampNs = 3, kEvent = 4, kDisplayName = 11 };
}
namespace event {
enum : std::uint32_t { kMetadata = 1, kOffsetPs = 2, kDurationPs = 3, kStat = 4 };
}
namespace stat {
enum : std::uint32_t { kMetadata = 1, kUint64 = 3, kInt64 = 4, kString = 5, kReference = 7 };
}

// The keys of stats that are read.
enum class Key : std::uint8_t { other, correlation, kernel, copy, set, step, scope, vendor, cores, major, minor };
Key key_of(std::string_view name) {
  if (name == "correlation_id") return Key::correlation;
  if (name == "kernel_details") return Key::kernel;
  if (name == "memcpy_details") return Key::copy;
  if (name == "memset_details") return Key::set;
  if (name == "step_num") return Key::step;
  if (name == "tf_op") return Key::scope;
  if (name == "device_vendor") return Key::vendor;
  if (name == "core_count") return Key::cores;
  if (name == "compute_cap_major") return Key::major;
  if (name == "compute_cap_minor") return Key::minor;
  return Key::other;
}

struct Stat {
  Key key = Key::other;
  std::uint64_t number = 0;
  std::string_view text;
};
struct StatName {
  Key key = Key::other;
  std::string_view text;
};

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// The value of "grid:" in "regs:32 grid:12,1,1 block:256,1,1".
std::string_view detail(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ' ') continue;
    text.remove_prefix(at + key.size());
    return text.substr(0, text.find(' '));
  }
  return {};
}

void read_triple(std::string_view text, std::uint32_t (&to)[3]) {
  for (std::uint32_t& each : to) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), each);
    if (error != std::errc()) return;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

MemoryKind memory_kind(std::string_view text) {
  if (text == "pageable") return MemoryKind::pageable;
  if (text == "pinned") return MemoryKind::pinned;
  if (text == "device") return MemoryKind::device;
  if (text == "managed" || text == "managed_static") return MemoryKind::managed;
  return text.empty() || text == "Unknown" || text == "unknown" ? MemoryKind::unknown : MemoryKind::other;
}

// "MemcpyH2D" (CUPTI) and "CopyHostToDevice", "MemcpyD2D" (rocprofiler) in the spelling of the house; "" for others.
std::string copy_name(std::string_view name) {
  constexpr std::int64_t kToDevice = 1, kToHost = 2, kOnDevice = 8, kPeer = 10, kUnknown = 0;
  if (name == "MemcpyH2D" || name == "CopyHostToDevice") return copy_label(kToDevice);
  if (name == "MemcpyD2H" || name == "CopyDeviceToHost") return copy_label(kToHost);
  if (name == "MemcpyD2D" || name == "CopyDeviceToDevice") return copy_label(kOnDevice);
  if (name == "MemcpyP2P") return copy_label(kPeer);
  if (name == "MemcpyOther") return copy_label(kUnknown);
  return {};
}

bool is_api_call(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z')
      return true;
  }
  return false;
}

class XplaneReader {
 public:
  XplaneReader(std::string_view bytes, std::string name, const ReadOptions& options)
      : bytes_(bytes), name_(std::move(name)), options_(options) {}
  core::Expected<Capture> read();

 private:
  // What a plane's events refer to.
  struct Plane {
    std::string_view name;
    std::unordered_map<std::uint64_t, std::string_view> events;  // metadata id -> name
    std::unordered_map<std::uint64_t, StatName> stats;
  };
  struct Line {
    std::int64_t id = 0, timestamp_ns = 0;
    std::string_view name;
  };
  struct Event {
    std::uint64_t metadata = 0;
    std::int64_t start_ns = 0, length_ns = 0;
    std::uint32_t correlation = kNone;
    std::string_view kernel, copy, set, scope;
    std::optional<std::int64_t> step;
  };

  void read_plane(std::string_view message);
  static void add_metadata(std::string_view entry, Plane& plane, bool stats);
  static Stat stat_of(std::string_view message, const Plane& plane);
  void add_device(std::string_view message, const Plane& plane, std::int64_t device);
  void read_line(std::string_view message, const Plane& plane, std::optional<std::int64_t> device);
  bool read_event(std::string_view message, const Plane& plane, const Line& line, Event& event);
  void add_operation(const Event& event, std::string_view name, std::uint16_t queue);
  void add_host_event(const Event& event, std::string_view name, std::uint16_t thread);
  [[nodiscard]] core::Error refusal() const;
  [[nodiscard]] bool wanted(std::int64_t device) const {
    return options_.devices.empty() ||
           std::find(options_.devices.begin(), options_.devices.end(), device) != options_.devices.end();
  }

  std::string_view bytes_;
  std::string name_;
  const ReadOptions& options_;
  Capture capture_;
  std::vector<std::string> planes_, other_devices_;
  std::uint64_t kernels_ = 0, implausible_ = 0, aggregated_ = 0, lines_left_out_ = 0, python_ = 0, damaged_ = 0;
};

// A map's entry: key 1, value 2, where the value repeats the id and has the name.
void XplaneReader::add_metadata(std::string_view entry, Plane& plane, bool stats) {
  std::uint64_t id = 0;
  std::string_view value, name;
  for (ProtobufReader reader(entry); reader.next();) {
    if (reader.is(1, Wire::varint)) id = reader.number();
    if (reader.is(2, Wire::bytes)) value = reader.bytes();
  }
  for (ProtobufReader reader(value); reader.next();) {
    if (reader.is(2, Wire::bytes)) name = reader.bytes();
  }
  if (stats) {
    plane.stats[id] = {key_of(name), name};
  } else {
    plane.events[id] = name;
  }
}

Stat XplaneReader::stat_of(std::string_view message, const Plane& plane) {
  Stat stat;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(stat::kMetadata, Wire::varint)) {
      const auto found = plane.stats.find(reader.number());
      if (found == plane.stats.end() || found->second.key == Key::other) return {};
      stat.key = found->second.key;
    } else if (reader.is(stat::kUint64, Wire::varint) || reader.is(stat::kInt64, Wire::varint)) {
      stat.number = reader.number();
    } else if (reader.is(stat::kString, Wire::bytes)) {
      stat.text = reader.bytes();
    } else if (reader.is(stat::kReference, Wire::varint)) {
      if (const auto found = plane.stats.find(reader.number()); found != plane.stats.end()) stat.text = found->second.text;
    }
  }
  if (!stat.text.empty()) {
    if (const auto number = number_in(stat.text)) stat.number = static_cast<std::uint64_t>(*number);
  }
  return stat;
}

bool XplaneReader::read_event(std::string_view message, const Plane& plane, const Line& line, Event& event) {
  std::int64_t offset_ps = 0, duration_ps = 0;
  bool timed = false;
  ProtobufReader reader(message);
  while (reader.next()) {
    if (reader.is(event::kMetadata, Wire::varint)) event.metadata = reader.number();
    if (reader.is(event::kDurationPs, Wire::varint)) duration_ps = reader.integer();
    if (reader.is(event::kOffsetPs, Wire::varint)) {
      offset_ps = reader.integer();
      timed = true;
    }
    if (!reader.is(event::kStat, Wire::bytes)) continue;
    const Stat stat = stat_of(reader.bytes(), plane);
    switch (stat.key) {
      case Key::correlation:
        event.correlation = stat.number < kNone && stat.number > 0 ? static_cast<std::uint32_t>(stat.number) : kNone;
        break;
      case Key::kernel:
        event.kernel = stat.text;
        break;
      case Key::copy:
        event.copy = stat.text;
        break;
      case Key::set:
        event.set = stat.text;
        break;
      case Key::scope:
        event.scope = stat.text.substr(0, std::min(stat.text.rfind(':'), stat.text.size()));  // "jit(f)/dot_general:"
        break;
      case Key::step:
        event.step = static_cast<std::int64_t>(stat.number);
        break;
      default:
        break;
    }
  }
  damaged_ += reader.damaged();
  if (!timed && duration_ps == 0) {  // a count of occurrences, or an event of no length at the line's start
    ++aggregated_;
    return false;
  }
  // To whole nanoseconds by start and end, so that events that touch go on touching.
  constexpr std::int64_t kPs = 1000, kMost = std::numeric_limits<std::int64_t>::max() / 4;
  if (offset_ps < 0 || duration_ps < 0 || duration_ps > kMost || offset_ps > kMost || line.timestamp_ns < 0 ||
      line.timestamp_ns > kMost) {
    ++implausible_;
    return false;
  }
  event.start_ns = line.timestamp_ns + offset_ps / kPs;
  event.length_ns = (offset_ps + duration_ps) / kPs - offset_ps / kPs;
  return true;
}

void XplaneReader::add_operation(const Event& event, std::string_view name, std::uint16_t queue) {
  GpuOps& ops = capture_.ops;
  std::string label = copy_name(name);
  OpKind kind = OpKind::kernel;
  std::uint32_t detail_id = kNone;
  if (!event.copy.empty() || !label.empty()) {
    kind = OpKind::copy;
    CopyShape shape;
    if (const auto bytes = number_in(detail(event.copy, "size:")); bytes && *bytes > 0)
      shape.bytes = static_cast<std::uint64_t>(*bytes);
    shape.from = memory_kind(detail(event.copy, "kind_src:"));
    shape.to = memory_kind(detail(event.copy, "kind_dst:"));
    if (!event.copy.empty()) detail_id = capture_.copy_shapes.id(shape);
    if (label.empty()) label = "[CUDA memcpy " + std::string(name) + "]";
  } else if (!event.set.empty() || name == "Memset") {
    kind = OpKind::set;
    label = kMemsetLabel;
    CopyShape shape;
    if (const auto bytes = number_in(detail(event.set, "size:")); bytes && *bytes > 0)
      shape.bytes = static_cast<std::uint64_t>(*bytes);
    shape.to = memory_kind(detail(event.set, "kind:"));
    if (!event.set.empty()) detail_id = capture_.copy_shapes.id(shape);
  } else {
    ++kernels_;
    LaunchShape shape;
    read_triple(detail(event.kernel, "grid:"), shape.grid);
    read_triple(detail(event.kernel, "block:"), shape.block);
    if (shape != LaunchShape{}) detail_id = capture_.launch_shapes.id(shape);
  }
  ops.times.add(event.start_ns, event.length_ns);
  ops.name.push_back(capture_.names.id(kind == OpKind::kernel ? name : std::string_view(label)));
  ops.queue.push_back(queue);
  ops.kind.push_back(kind);
  ops.detail.push_back(detail_id);
  ops.launch.push_back(event.correlation);
  if (!event.scope.empty()) ops.set_scope(capture_.names.id(event.scope));
}

void XplaneReader::add_host_event(const Event& event, std::string_view name, std::uint16_t thread) {
  if (name.starts_with('$')) {  // the Python tracer's: one per call of a function
    ++python_;
    return;
  }
  if (is_api_call(name)) {
    capture_.calls.times.add(event.start_ns, event.length_ns);
    capture_.calls.name.push_back(capture_.names.id(name));
    capture_.calls.thread.push_back(thread);
    capture_.calls.correlation.push_back(event.correlation);
    return;
  }
  capture_.ranges.times.add(event.start_ns, event.length_ns);
  // StepTraceAnnotation("train", step_num=7): the number makes it a step.
  capture_.ranges.name.push_back(
      capture_.names.id(event.step ? std::string(name) + " step " + std::to_string(*event.step) : std::string(name)));
  capture_.ranges.thread.push_back(thread);
  capture_.ranges.kind.push_back(RangeKind::annotation);
}

void XplaneReader::read_line(std::string_view message, const Plane& plane, std::optional<std::int64_t> device) {
  Line line;
  ProtobufReader reader(message);
  while (reader.next()) {
    if (reader.is(line::kId, Wire::varint)) line.id = reader.integer();
    if (reader.is(line::kTimestampNs, Wire::varint)) line.timestamp_ns = reader.integer();
    if (reader.is(line::kName, Wire::bytes)) line.name = reader.bytes();
  }
  damaged_ += reader.damaged();
  // What a viewer derived from the streams (XLA Ops, XLA Modules, Steps, …) is the same time again.
  if (device && !line.name.starts_with("Stream #")) {
    ++lines_left_out_;
    return;
  }
  const std::uint32_t place = device ? capture_.queues.id({0, *device, 0, line.id}) : capture_.threads.id({0, line.id});
  if (place >= kMostQueues) {
    ++lines_left_out_;
    return;
  }
  std::string missing;
  for (ProtobufReader events(message); events.next();) {
    if (!events.is(line::kEvent, Wire::bytes)) continue;
    Event event;
    if (!read_event(events.bytes(), plane, line, event)) continue;
    const auto found = plane.events.find(event.metadata);
    std::string_view name = found == plane.events.end() ? std::string_view() : found->second;
    if (name.empty()) name = missing = "[id " + std::to_string(event.metadata) + "]";
    if (device) {
      add_operation(event, name, static_cast<std::uint16_t>(place));
    } else {
      add_host_event(event, name, static_cast<std::uint16_t>(place));
    }
  }
}

void XplaneReader::add_device(std::string_view message, const Plane& plane, std::int64_t device) {
  std::string vendor;
  std::uint64_t cores = 0, major = 0, minor = 0;
  for (ProtobufReader reader(message); reader.next();) {
    if (!reader.is(plane::kStat, Wire::bytes)) continue;
    const Stat stat = stat_of(reader.bytes(), plane);
    if (stat.key == Key::vendor) vendor = stat.text.substr(0, 32);
    if (stat.key == Key::cores) cores = stat.number;
    if (stat.key == Key::major) major = stat.number;
    if (stat.key == Key::minor) minor = stat.number;
  }
  if (vendor.empty()) return;
  // The profiler does not write a model's name; what it writes tells models apart.
  std::string& name = capture_.gpus[device].name;
  name = vendor + " GPU";
  if (major > 0) name += " " + std::to_string(major) + "." + std::to_string(minor);
  if (cores > 0) name += " (" + std::to_string(cores) + " cores)";
}

void XplaneReader::read_plane(std::string_view message) {
  Plane plane;
  ProtobufReader reader(message);
  while (reader.next()) {
    if (reader.is(plane::kName, Wire::bytes)) plane.name = reader.bytes();
    if (reader.is(plane::kEventMetadata, Wire::bytes)) add_metadata(reader.bytes(), plane, false);
    if (reader.is(plane::kStatMetadata, Wire::bytes)) add_metadata(reader.bytes(), plane, true);
  }
  damaged_ += reader.damaged();
  if (planes_.size() < 1000) planes_.emplace_back(plane.name.substr(0, 60));
  std::optional<std::int64_t> device;
  if (plane.name.starts_with(kGpuPlane)) {
    device = number_in(plane.name.substr(kGpuPlane.size()));
    if (!device) return;
    if (!wanted(*device)) {
      other_devices_.push_back(std::to_string(*device));
      return;
    }
  } else if (!plane.name.starts_with(kHostPlane)) {
    return;
  }
  bool any = false;
  for (ProtobufReader lines(message); lines.next();) {
    if (!lines.is(plane::kLine, Wire::bytes)) continue;
    any = true;
    if (options_.stop && options_.stop()) return;
    read_line(lines.bytes(), plane, device);
  }
  if (device && any) add_device(message, plane, *device);
}

core::Error XplaneReader::refusal() const {
  if (!other_devices_.empty()) {
    return {core::ErrorCode::invalid_input, "no GPU kernels on the devices asked for",
            "the capture has devices " + core::listed(other_devices_, 16), name_};
  }
  std::vector<std::string> named;
  for (const std::string& plane : planes_) named.push_back(core::cited(plane));
  return {core::ErrorCode::invalid_input,
          "the capture holds no GPU kernels: a capture bug until proven otherwise; it holds " +
              contents_text(
                  {{"copy", capture_.ops.size()}, {"API call", capture_.calls.size()}, {"host range", capture_.ranges.size()}}) +
              (named.empty() ? std::string() : ", on the planes " + core::listed(named, 6)),
          "trace while the GPU is at work: jax.profiler.trace around steps that are compiled already; of TPUs nothing is read",
          name_};
}

core::Expected<Capture> XplaneReader::read() {
  capture_.info.path = name_;
  capture_.info.format = "xplane";
  ProtobufReader reader(bytes_);
  while (reader.next()) {
    if (!reader.is(space::kPlane, Wire::bytes)) continue;
    read_plane(reader.bytes());
    if (options_.stop && options_.stop()) return core::fail(core::ErrorCode::cancelled, "cancelled", {}, name_);
  }
  if (reader.damaged() || damaged_ > 0) {
    return core::fail(core::ErrorCode::invalid_input, "the capture is damaged or ends before its end", "copy the file again",
                      name_);
  }
  if (kernels_ == 0) return core::fail(refusal());
  if (implausible_ > 0)
    capture_.warnings.push_back(
        {"unreadable_times", core::counted(implausible_, "event") + " whose times make no sense left out"});
  return std::move(capture_);
}

}  // namespace

core::Expected<Capture> read_xplane_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return XplaneReader(bytes, name, options).read();
}

namespace {

core::Expected<Profile> read_xplane(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  auto capture = [&]() -> core::Expected<Capture> {
    const auto source = text_bytes(file);
    const auto bytes = read_all(*source, kMostProtobuf, path, options.stop);
    if (!bytes) return core::fail(bytes.error());
    return read_xplane_bytes(*bytes, path, options);
  }();
  if (!capture) return core::fail(capture.error());
  return analyse(std::move(*capture), options);
}

}  // namespace

// By the wire's grammar: an XSpace begins with a plane, and a plane has an id and a name that begins with '/' or with the word
// Task.
bool is_xplane_bytes(std::string_view head, bool whole) {
  ProtobufReader reader(head);
  const bool complete = reader.next();
  if (!complete && !(reader.damaged() && reader.cut_off() && !whole)) return false;
  if (reader.field() != space::kPlane || reader.wire() != Wire::bytes) return false;
  ProtobufReader plane(reader.bytes());
  std::string_view name;
  std::uint64_t fields = 0;
  while (plane.next()) {
    ++fields;
    if (plane.field() > plane::kLast) return false;
    if ((plane.field() == plane::kId) != (plane.wire() == Wire::varint)) return false;
    if (plane.is(plane::kName, Wire::bytes)) name = plane.bytes();
  }
  if (plane.damaged() && (complete || !plane.cut_off())) return false;
  return fields > 0 && (name.starts_with("/device:") || name.starts_with(kHostPlane) || name == "Task Environment");
}

extern const Form xplane_form = {
    .name = "xplane",
    .captures = {{{"xplane", "XLA's protobuf (`*.xplane.pb`)", "the message's fields", "protobuf",
                   "# JAX: with jax.profiler.trace(\"DIR\"): … writes\n"
                   "# DIR/plugins/profile/TIME/HOST.xplane.pb"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          const TextHead head = text_head(file, kHead);
          return is_xplane_bytes(head.text, head.whole);
        },
    .read = &read_xplane,
};

}  // namespace plumbline::profiles
