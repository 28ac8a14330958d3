// Perfetto's traces (.pftrace, .perfetto-trace): a stream of packets, https://perfetto.dev/docs/reference/trace-packet-proto.
// What is on a GPU is told as in Kineto's JSON, from which such traces are converted: by category, of rocprofv3 too, or by the
// names of processes and threads (XLA). GPU render stages are GPU work by themselves. Slices of other categories are ranges of
// the host.
//
// A sequence of packets writes names once and then their ids, until it clears its state; its clock may count from the last packet
// on. Descriptions of tracks and snapshots of clocks may stand behind what needs them, so they are read in a pass of their own.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/protobuf.hpp"
#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/traces/perfetto_clocks.hpp"
#include "profiles/readers/traces/trace_event.hpp"
#include "profiles/readers/traces/trace_fill.hpp"
#include "profiles/readers/traces/xla_trace.hpp"

namespace plumbline::profiles {
namespace {

using base::ProtobufReader;
using base::Wire;

constexpr std::size_t kHead = std::size_t{64} * 1024;
constexpr std::size_t kMostTracks = std::size_t{1} << 20U, kDeepest = 10'000;  // tracks, and slices open on one
constexpr std::size_t kMostInterned = std::size_t{1} << 22U;
constexpr std::string_view kHint =
    "record GPU activity too (torch.profiler with ProfilerActivity.CUDA, rocprofv3 --kernel-trace --output-format pftrace, a "
    "data source of GPU render stages), and check that the trace reaches the GPU work";

// Field numbers of Perfetto's protos.
namespace packet {
enum : std::uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kStateCleared = 41,
  kDropped = 42,
  kCompressed = 50,
  kRenderStage = 53,
  kClock = 58,
  kDefaults = 59,
  kTrack = 60,
  kZstd = 133
};
constexpr std::uint64_t kCleared = 1, kNeedsState = 2;  // flags
}  // namespace packet
namespace interned {
enum : std::uint32_t { kCategory = 1, kName = 2, kArgument = 3, kSpecification = 24, kText = 29 };
}
namespace track_event {
enum : std::uint32_t {
  kCategoryId = 3,
  kArgument = 4,
  kLegacy = 6,
  kType = 9,
  kNameId = 10,
  kTrack = 11,
  kCategory = 22,
  kName = 23
};
constexpr std::uint64_t kBegin = 1, kEnd = 2;  // types
}  // namespace track_event

// What a sequence of packets has said so far.
struct Sequence {
  bool valid = false;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string_view> names;  // by interned kind and id
  std::uint64_t track = 0, clock = PerfettoClocks::kBootTime;
};
struct Track {
  std::uint64_t parent = 0;
  std::optional<std::int64_t> process, thread;
  std::string_view name;
};
struct Slice {
  TraceCategory category = TraceCategory::none;
  std::string_view name;
  std::optional<std::int64_t> start;
  TraceArgs args;
  std::optional<std::int64_t> step;
};
struct Interned {
  std::uint64_t id = 0;
  std::string_view text;
};

Interned read_interned(std::string_view message) {
  Interned entry;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) entry.id = reader.number();
    if (reader.is(2, Wire::bytes)) entry.text = reader.bytes();
  }
  return entry;
}

// rocprofv3's categories, beside Kineto's.
TraceCategory category_of(std::string_view name) {
  if (name == "kernel_dispatch") return TraceCategory::kernel;
  if (name == "memory_copy") return TraceCategory::copy;
  if (name == "hip_api") return TraceCategory::call;
  if (name == "hsa_api" || name == "memory_allocation" || name == "counter_collection") return TraceCategory::other;
  if (name == "ac2g" || name == "overhead" || name == "Trace") return TraceCategory::other;
  const TraceCategory known = trace_category(name);
  return known == TraceCategory::other ? TraceCategory::annotation : known;
}

// "2", "GPU-2", "Agent 2": the number at the end.
std::optional<std::int64_t> last_number(std::string_view text) {
  const std::size_t at = text.find_last_not_of("0123456789");
  return core::parse_int(at == std::string_view::npos ? text : text.substr(at + 1));
}

// Grid and block of a launch: two messages of three numbers.
LaunchShape launch_shape(std::string_view message) {
  LaunchShape shape;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.wire() != Wire::bytes || reader.field() > 2) continue;
    std::uint32_t(&triple)[3] = reader.field() == 1 ? shape.grid : shape.block;
    for (ProtobufReader part(reader.bytes()); part.next();) {
      if (part.wire() == Wire::varint && part.field() >= 1 && part.field() <= 3)
        triple[part.field() - 1] = static_cast<std::uint32_t>(std::min<std::uint64_t>(part.number(), UINT32_MAX));
    }
  }
  return shape;
}

class PerfettoReader {
 public:
  PerfettoReader(std::string_view bytes, std::string name, const ReadOptions& options)
      : bytes_(bytes), options_(options), fill_(capture_, options) {
    capture_.info.path = std::move(name);
    capture_.info.format = "perfetto";
  }
  core::Expected<Capture> read();

 private:
  template <class Visit>
  core::Status each_packet(Visit visit);
  void describe(std::string_view message);
  void add_track(std::string_view message);

  void packet(std::string_view message);
  void intern(std::string_view message, Sequence& sequence);
  static void defaults(std::string_view message, Sequence& sequence);
  void track_event(std::string_view message, std::optional<std::int64_t> time, const Sequence& sequence);
  void argument(std::string_view message, const Sequence& sequence, Slice& slice);
  void legacy(std::string_view message, const Sequence& sequence, char& phase, Slice& slice, std::optional<std::int64_t>& length);
  void render_stage(std::string_view message, std::optional<std::int64_t> time, const Sequence& sequence);
  void end_slice(std::uint64_t track, std::optional<std::int64_t> time);
  void add(const Slice& slice, std::uint64_t track, std::optional<std::int64_t> length);
  void add_gpu(TraceCategory category, std::string_view name, GpuEvent gpu, std::optional<std::int64_t> start,
               std::optional<std::int64_t> length, std::int64_t bytes);
  [[nodiscard]] static TraceCategory gpu_category(std::string_view name);
  [[nodiscard]] std::uint32_t named(std::string_view plain);
  [[nodiscard]] core::Status finish();
  [[nodiscard]] Thread thread_of(std::uint64_t track) const;
  [[nodiscard]] std::string_view name(const Sequence& sequence, std::uint32_t kind, std::uint64_t id);

  std::string_view bytes_;
  const ReadOptions& options_;
  Capture capture_;
  TraceFill fill_;
  XlaRows xla_rows_;
  std::map<std::uint64_t, Sequence> sequences_;
  PerfettoClocks clocks_;
  std::unordered_map<std::uint64_t, Track> tracks_;
  std::unordered_map<std::uint64_t, std::vector<Slice>> open_;  // by track
  std::size_t interned_ = 0;
  std::uint64_t packets_ = 0, stateless_ = 0, compressed_ = 0, unmatched_ = 0, nameless_ = 0;
  std::int64_t last_time_ = 0;
  bool cut_ = false;
};

template <class Visit>
core::Status PerfettoReader::each_packet(Visit visit) {
  constexpr std::uint64_t kAskEvery = 4096;
  std::uint64_t seen = 0;
  ProtobufReader reader(bytes_);
  while (reader.next()) {
    if (!reader.is(1, Wire::bytes)) continue;
    if (seen++ % kAskEvery == 0 && options_.stop && options_.stop())
      return core::fail(core::ErrorCode::cancelled, "cancelled", {}, capture_.info.path);
    visit(reader.bytes());
  }
  cut_ = reader.damaged();
  return {};
}

// First pass: tracks and clocks.
void PerfettoReader::describe(std::string_view message) {
  std::uint64_t sequence = 0;
  std::string_view snapshot;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(packet::kSequence, Wire::varint)) sequence = reader.number();
    if (reader.is(packet::kTrack, Wire::bytes)) add_track(reader.bytes());
    if (reader.is(packet::kClockSnapshot, Wire::bytes)) snapshot = reader.bytes();
  }
  if (!snapshot.empty()) clocks_.relate(snapshot, sequence);
}

void PerfettoReader::add_track(std::string_view message) {
  std::uint64_t uuid = 0;
  Track track;
  std::string_view process_name, thread_name;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) uuid = reader.number();
    if (reader.wire() == Wire::bytes && (reader.field() == 2 || reader.field() == 10)) track.name = reader.bytes();
    if (reader.is(5, Wire::varint)) track.parent = reader.number();
    if (reader.is(3, Wire::bytes)) {
      for (ProtobufReader process(reader.bytes()); process.next();) {
        if (process.is(1, Wire::varint)) track.process = process.integer();
        if (process.is(6, Wire::bytes)) process_name = process.bytes();
      }
    }
    if (reader.is(4, Wire::bytes)) {
      for (ProtobufReader thread(reader.bytes()); thread.next();) {
        if (thread.is(1, Wire::varint)) track.process = thread.integer();
        if (thread.is(2, Wire::varint)) track.thread = thread.integer();
        if (thread.is(5, Wire::bytes)) thread_name = thread.bytes();
      }
    }
  }
  if (track.process && !process_name.empty()) xla_rows_.process_name(*track.process, process_name);
  if (track.process && track.thread && !thread_name.empty()) xla_rows_.thread_name(*track.process, *track.thread, thread_name);
  if (tracks_.size() < kMostTracks) tracks_.try_emplace(uuid, track);
}

std::string_view PerfettoReader::name(const Sequence& sequence, std::uint32_t kind, std::uint64_t id) {
  const auto found = sequence.names.find({kind, id});
  if (found != sequence.names.end()) return found->second;
  ++nameless_;
  return {};
}

void PerfettoReader::intern(std::string_view message, Sequence& sequence) {
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.wire() != Wire::bytes || interned_ >= kMostInterned) continue;
    switch (reader.field()) {
      case interned::kCategory:
      case interned::kName:
      case interned::kArgument:
      case interned::kSpecification:
      case interned::kText: {
        const Interned entry = read_interned(reader.bytes());
        interned_ += sequence.names.insert_or_assign({reader.field(), entry.id}, entry.text).second ? 1 : 0;
        break;
      }
      default:
        break;
    }
  }
}

void PerfettoReader::defaults(std::string_view message, Sequence& sequence) {
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(packet::kClock, Wire::varint)) sequence.clock = reader.number();
    if (!reader.is(packet::kTrackEvent, Wire::bytes)) continue;
    for (ProtobufReader event(reader.bytes()); event.next();) {
      if (event.is(track_event::kTrack, Wire::varint)) sequence.track = event.number();
    }
  }
}

// Second pass: events, in the order of the file, which is each sequence's own.
void PerfettoReader::packet(std::string_view message) {
  std::uint64_t id = 0, flags = 0;
  std::optional<std::uint64_t> stamp, clock_id;
  std::string_view event, stage, names, preset, snapshot;
  bool dropped = false;
  for (ProtobufReader reader(message); reader.next();) {
    const bool number = reader.wire() == Wire::varint, bytes = reader.wire() == Wire::bytes;
    if (number && reader.field() == packet::kTimestamp) stamp = reader.number();
    if (number && reader.field() == packet::kClock) clock_id = reader.number();
    if (number && reader.field() == packet::kSequence) id = reader.number();
    if (number && reader.field() == packet::kFlags) flags |= reader.number();
    if (number && reader.field() == packet::kStateCleared && reader.number() != 0) flags |= packet::kCleared;
    if (number && reader.field() == packet::kDropped) dropped = reader.number() != 0;
    if (bytes && reader.field() == packet::kTrackEvent) event = reader.bytes();
    if (bytes && reader.field() == packet::kRenderStage) stage = reader.bytes();
    if (bytes && reader.field() == packet::kInterned) names = reader.bytes();
    if (bytes && reader.field() == packet::kDefaults) preset = reader.bytes();
    if (bytes && reader.field() == packet::kClockSnapshot) snapshot = reader.bytes();
    if (bytes && (reader.field() == packet::kCompressed || reader.field() == packet::kZstd)) ++compressed_;
  }
  ++packets_;
  Sequence& sequence = sequences_[id];
  if (dropped) sequence.valid = false;
  if ((flags & packet::kCleared) != 0) {
    sequence = {};
    sequence.valid = true;
  }
  if (!snapshot.empty()) clocks_.restart(snapshot, id);
  intern(names, sequence);
  defaults(preset, sequence);
  std::optional<std::int64_t> time;
  if (stamp) time = clocks_.time(*stamp, id, clock_id.value_or(sequence.clock));
  if ((flags & packet::kNeedsState) != 0 && !sequence.valid) {
    ++stateless_;
    return;
  }
  if (time) last_time_ = std::max(last_time_, *time);
  if (!event.empty()) track_event(event, time, sequence);
  if (!stage.empty()) render_stage(stage, time, sequence);
}

void PerfettoReader::argument(std::string_view message, const Sequence& sequence, Slice& slice) {
  std::string_view key, text;
  std::optional<std::int64_t> value;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) key = name(sequence, interned::kArgument, reader.number());
    if (reader.is(10, Wire::bytes)) key = reader.bytes();
    if (reader.is(3, Wire::varint) || reader.is(4, Wire::varint)) value = reader.integer();
    if (reader.is(6, Wire::bytes)) text = reader.bytes();
    if (reader.is(17, Wire::varint)) text = name(sequence, interned::kText, reader.number());
  }
  if (!value && !text.empty()) value = last_number(text);
  if (!value) return;
  if (key == "device" || key == "agent") slice.args.device = value;
  if (key == "stream" || key == "queue") slice.args.stream = value;
  if (key == "context") slice.args.context = value;
  if (key == "correlation" || key == "correlation_id" || key == "corr_id") slice.args.correlation = value;
  if (key == "bytes" || key == "copy_bytes") slice.args.bytes = value;
  if (key == "step_num") slice.step = value;
}

// Where events of Chrome's JSON keep what TrackEvent has no field for: phases, and the length of complete events.
void PerfettoReader::legacy(std::string_view message, const Sequence& sequence, char& phase, Slice& slice,
                            std::optional<std::int64_t>& length) {
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint) && slice.name.empty()) slice.name = name(sequence, interned::kName, reader.number());
    if (reader.is(2, Wire::varint)) phase = static_cast<char>(reader.number());
    if (reader.is(3, Wire::varint) && reader.integer() >= 0) length = PerfettoClocks::nanoseconds(reader.number(), 1000);
  }
}

void PerfettoReader::track_event(std::string_view message, std::optional<std::int64_t> time, const Sequence& sequence) {
  Slice slice;
  std::uint64_t type = 0, track = sequence.track;
  char phase = 0;
  std::optional<std::int64_t> length;
  const auto add_category = [&slice](std::string_view text) {
    const TraceCategory category = category_of(text);
    if (slice.category == TraceCategory::none || slice.category == TraceCategory::annotation) slice.category = category;
  };
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(track_event::kType, Wire::varint)) type = reader.number();
    if (reader.is(track_event::kTrack, Wire::varint)) track = reader.number();
    if (reader.is(track_event::kNameId, Wire::varint)) slice.name = name(sequence, interned::kName, reader.number());
    if (reader.is(track_event::kName, Wire::bytes)) slice.name = reader.bytes();
    if (reader.is(track_event::kCategory, Wire::bytes)) add_category(reader.bytes());
    if (reader.is(track_event::kCategoryId, Wire::varint)) add_category(name(sequence, interned::kCategory, reader.number()));
    if (reader.is(track_event::kArgument, Wire::bytes)) argument(reader.bytes(), sequence, slice);
    if (reader.is(track_event::kLegacy, Wire::bytes)) legacy(reader.bytes(), sequence, phase, slice, length);
  }
  slice.start = time;
  if (type == track_event::kEnd || phase == 'E') {
    end_slice(track, time);
  } else if (phase == 'X' && length) {
    add(slice, track, length);
  } else if (type == track_event::kBegin || phase == 'B') {
    std::vector<Slice>& stack = open_[track];
    if (stack.size() < kDeepest) stack.push_back(slice);
  }
}

void PerfettoReader::end_slice(std::uint64_t track, std::optional<std::int64_t> time) {
  const auto found = open_.find(track);
  if (found == open_.end() || found->second.empty()) {
    ++unmatched_;
    return;
  }
  const Slice slice = found->second.back();
  found->second.pop_back();
  std::optional<std::int64_t> length;
  if (slice.start && time) length = *time - *slice.start;
  add(slice, track, length);
}

// A track of a program's own lies on the thread or process that it hangs under.
Thread PerfettoReader::thread_of(std::uint64_t track) const {
  constexpr int kDeepestTree = 64;
  const auto own = static_cast<std::int64_t>(track);
  for (int depth = 0; depth < kDeepestTree; ++depth) {
    const auto found = tracks_.find(track);
    if (found == tracks_.end()) break;
    const Track& known = found->second;
    if (known.process) return {*known.process, known.thread.value_or(own)};
    if (known.parent == 0) break;
    track = known.parent;
  }
  return {0, own};
}

// Names here are plain, and those that are filled in are JSON's.
std::uint32_t PerfettoReader::named(std::string_view plain) {
  if (plain.find('\\') == std::string_view::npos) return fill_.name(plain);
  std::string escaped;
  for (const char c : plain) escaped.append(c == '\\' ? 2 : 1, c);
  return fill_.name(escaped);
}

void PerfettoReader::add_gpu(TraceCategory category, std::string_view name, GpuEvent gpu, std::optional<std::int64_t> start,
                             std::optional<std::int64_t> length, std::int64_t bytes) {
  const CopyShape moved{static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes)), MemoryKind::unknown, MemoryKind::unknown};
  switch (category) {
    case TraceCategory::copy:
      gpu.copy = moved;
      fill_.name_copy(name, gpu);
      break;
    case TraceCategory::set:
      gpu.copy = moved;
      fill_.name_set(gpu);
      break;
    default:
      gpu.name = named(name);
      break;
  }
  fill_.gpu(gpu, start, length);
}

TraceCategory PerfettoReader::gpu_category(std::string_view name) {
  if (core::starts_with_no_case(name, "memcpy")) return TraceCategory::copy;
  return core::starts_with_no_case(name, "memset") ? TraceCategory::set : TraceCategory::kernel;
}

void PerfettoReader::add(const Slice& slice, std::uint64_t track, std::optional<std::int64_t> length) {
  const Thread thread = thread_of(track);
  GpuEvent gpu;
  gpu.device = slice.args.device.value_or(0);
  gpu.stream = slice.args.stream.value_or(static_cast<std::int64_t>(track));
  gpu.context = slice.args.context.value_or(0);
  gpu.correlation = slice.args.correlation;
  const auto range = [&](RangeKind kind) { fill_.range(named(slice.name), thread, kind, slice.start, length); };
  switch (slice.category) {
    case TraceCategory::kernel:
    case TraceCategory::copy:
    case TraceCategory::set:
      add_gpu(slice.category, slice.name, gpu, slice.start, length, slice.args.bytes.value_or(0));
      return;
    case TraceCategory::call:
      fill_.call(named(slice.name), thread, slice.start, length, slice.args.correlation);
      return;
    case TraceCategory::op:
    case TraceCategory::frame:
      fill_.range(named(range_text(slice.category, slice.name)), thread, *range_kind(slice.category, slice.name), slice.start,
                  length);
      return;
    case TraceCategory::gpu_annotation:  // the host's, drawn a second time
    case TraceCategory::other:
      return;
    case TraceCategory::annotation:
    case TraceCategory::none:
      break;
  }
  const XlaRows::Place place = xla_rows_.place(thread.process, thread.thread);
  if (place.row == XlaRow::stream) {
    gpu.device = place.device;
    gpu.stream = place.stream;
    add_gpu(gpu_category(slice.name), slice.name, gpu, slice.start, length, slice.args.bytes.value_or(0));
  } else if (place.row == XlaRow::host && slice.args.correlation) {
    fill_.call(named(slice.name), thread, slice.start, length, slice.args.correlation);
  } else if (place.row == XlaRow::host && slice.step) {
    fill_.range(named(std::string(slice.name) + " step " + std::to_string(*slice.step)), thread, RangeKind::annotation,
                slice.start, length);
  } else if (place.row == XlaRow::unknown || place.row == XlaRow::host) {
    range(RangeKind::annotation);
  }
}

// Work of a GPU by itself, of graphics or compute, on a queue of the hardware.
void PerfettoReader::render_stage(std::string_view message, std::optional<std::int64_t> time, const Sequence& sequence) {
  GpuEvent gpu;
  std::uint64_t stage = 0;
  std::string_view text;
  std::optional<std::int64_t> length;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(2, Wire::varint)) length = PerfettoClocks::nanoseconds(reader.number(), 1);
    if (reader.is(5, Wire::varint)) gpu.context = reader.integer();
    if (reader.is(11, Wire::varint)) gpu.device = reader.integer();
    if (reader.is(3, Wire::varint) || reader.is(13, Wire::varint)) gpu.stream = reader.integer();
    if (reader.is(14, Wire::varint)) stage = reader.number();
    if (reader.is(17, Wire::bytes)) text = reader.bytes();
    if (reader.is(20, Wire::varint)) text = name(sequence, interned::kName, reader.number());
    if (reader.is(21, Wire::bytes)) gpu.shape = launch_shape(reader.bytes());
  }
  if (text.empty()) text = name(sequence, interned::kSpecification, stage);
  const TraceCategory category = gpu_category(text);
  if (category != TraceCategory::kernel) gpu.shape.reset();
  if (length) add_gpu(category, text, gpu, time, length, 0);  // without one it is a point in time
}

core::Status PerfettoReader::finish() {
  std::uint64_t closed = 0;
  for (const auto& [track, stack] : open_) {
    for (const Slice& slice : stack) {
      const bool on_host = range_kind(slice.category, slice.name).has_value();
      if (!on_host || !slice.start || *slice.start > last_time_) continue;
      add(slice, track, last_time_ - *slice.start);
      ++closed;
    }
  }
  if (compressed_ > 0) {
    const std::string found = core::counted(compressed_, "packet is", "packets are") + " compressed by the tracing service";
    if (fill_.kernels() == 0) {
      return core::fail(core::ErrorCode::invalid_input, found + ", and the others hold no GPU kernels",
                        "unpack it: traceconv decompress_packets FILE OUT", capture_.info.path);
    }
    fill_.warn("capture_incomplete", found + " and not read; unpack the trace: traceconv decompress_packets FILE OUT");
  }
  JsonEnd end;
  end.cut = cut_;
  if (core::Status status = fill_.finish_trace(end, packets_, kHint); !status) return status;
  const auto warn = [this](core::WarningCode code, std::uint64_t count, std::string text) {
    if (count > 0) fill_.warn(code, std::move(text));
  };
  warn("capture_incomplete", stateless_,
       core::counted(stateless_, "packet refers", "packets refer") + " to names of packets that were lost; left out");
  warn("missing_names", nameless_,
       core::counted(nameless_, "name is", "names are") + " used and in no packet before; shown as [no name]");
  warn("unreadable_times", clocks_.unrelated(),
       core::counted(clocks_.unrelated(), "packet has", "packets have") +
           " the time of a clock that no snapshot relates to the others'; not summed");
  warn("unreadable_times", unmatched_, core::counted(unmatched_, "event ends", "events end") + " what was not begun; not summed");
  warn("open_ranges", closed,
       core::counted(closed, "range was", "ranges were") + " still open; taken to end with the last event");
  return {};
}

core::Expected<Capture> PerfettoReader::read() {
  if (core::Status status = each_packet([this](std::string_view each) { describe(each); }); !status)
    return core::fail(status.error());
  for (const auto& [uuid, track] : tracks_) {  // streams may be tracks of their own
    const Thread thread = thread_of(uuid);
    if (!track.name.empty() && !track.thread && thread.process != 0)
      xla_rows_.thread_name(thread.process, thread.thread, track.name);
  }
  if (core::Status status = each_packet([this](std::string_view each) { packet(each); }); !status)
    return core::fail(status.error());
  if (core::Status status = finish(); !status) return core::fail(status.error());
  return std::move(capture_);
}

core::Expected<Profile> read_perfetto(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  auto capture = [&]() -> core::Expected<Capture> {
    const auto source = text_bytes(file);
    const auto bytes = read_all(*source, kMostProtobuf, path, options.stop);
    if (!bytes) return core::fail(bytes.error());
    return read_perfetto_bytes(*bytes, path, options);
  }();
  if (!capture) return core::fail(capture.error());
  return analyse(std::move(*capture), options);
}

// Whether a packet's fields are what they are in a TracePacket; `telling` where one of them is in no other message.
bool is_packet(std::string_view message, bool& telling, bool& cut) {
  bool timed = false, told = false;
  ProtobufReader reader(message);
  while (reader.next()) {
    const std::uint32_t number = reader.field();
    const bool is_number = number == packet::kTimestamp || number == packet::kSequence || number == packet::kFlags ||
                           number == packet::kStateCleared || number == packet::kDropped || number == packet::kClock;
    const bool is_message = number == packet::kClockSnapshot || number == packet::kTrackEvent || number == packet::kInterned ||
                            number == packet::kRenderStage || number == packet::kDefaults || number == packet::kTrack;
    if (number > 999 || (is_number && reader.wire() != Wire::varint) || (is_message && reader.wire() != Wire::bytes))
      return false;
    timed = timed || number == packet::kTimestamp || number == packet::kSequence;
    told = told || is_message;
  }
  cut = reader.damaged();
  telling = telling || (timed && told);
  return !reader.damaged() || reader.cut_off();
}

}  // namespace

core::Expected<Capture> read_perfetto_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  return PerfettoReader(bytes, name, options).read();
}

// By the wire's grammar: nothing but packets, of which one has a time or a sequence and beside it what only a packet has.
bool is_perfetto_bytes(std::string_view head, bool whole) {
  bool telling = false, cut = false;
  ProtobufReader reader(head);
  while (reader.next()) {
    if (!reader.is(1, Wire::bytes) || !is_packet(reader.bytes(), telling, cut) || cut) return false;
  }
  if (reader.damaged()) {
    if (whole && !telling) return false;
    if (!reader.cut_off()) return false;
    if (reader.field() != 1 || reader.wire() != Wire::bytes || !is_packet(reader.bytes(), telling, cut)) return false;
  }
  return telling;
}

extern const Form perfetto_form = {
    .name = "perfetto",
    .captures =
        {{{"perfetto",
           "Perfetto's protobuf (`.pftrace`, `.perfetto-trace`), packed with gzip or not: GPU slices of rocprofv3, PyTorch "
           "and XLA, GPU render stages; calls, operators, annotations",
           "the packets' fields", "protobuf", "rocprofv3 --runtime-trace --output-format pftrace -d DIR -- COMMAND"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          const TextHead head = text_head(file, kHead);
          return is_perfetto_bytes(head.text, head.whole);
        },
    .read = &read_perfetto,
};

}  // namespace plumbline::profiles
