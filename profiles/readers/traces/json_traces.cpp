// JSON traces as forms of a capture: told apart by what the top level says, read through one stream.
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/readers/bytes/json_stream.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/rocm/rocprof_json.hpp"
#include "profiles/readers/traces/kineto.hpp"

namespace plumbline::profiles {
namespace {

// What stands before the events is small, and of few members. Of more the text is something else, such as a map of results.
constexpr std::uint64_t kDetectionBytes = std::uint64_t{8} << 20U;
constexpr std::size_t kDetectionMembers = 4096;

// What writers of traces put beside the events: keys of theirs alone, and keys that other files may have too.
bool says_trace(std::string_view key) {
  constexpr std::array<std::string_view, 8> kKeys = {"schemaVersion",     "deviceProperties",   "distributedInfo",
                                                     "displayTimeUnit",   "traceName",          "stackFrames",
                                                     "systemTraceEvents", "baseTimeNanoseconds"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}
bool suits_trace(std::string_view key) {
  constexpr std::array<std::string_view, 9> kKeys = {"metadata",   "otherData",    "samples",       "trace_id",      "with_stack",
                                                     "with_flops", "with_modules", "record_shapes", "profile_memory"};
  return key.ends_with("_version") || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

// Looks at the top level until something says what the text is. Other files have a "traceEvents" too, so an event must be in it,
// or beside it what only a trace says, or nothing but what a trace may say.
class Detector final : public JsonReader {
 public:
  [[nodiscard]] JsonTrace found() const {
    if (found_ != JsonTrace::none || !events_) return found_;
    return own_ || !foreign_ ? JsonTrace::trace_events : JsonTrace::none;
  }
  Take take(std::span<const std::string> path, JsonKind kind) override {
    if (path.empty()) return kind == JsonKind::array ? Take{How::each, array_tag} : Take{How::enter, other_tag};
    if (found_ != JsonTrace::none || ++members_ > kDetectionMembers) return {How::whole, other_tag};  // to be stopped at
    if (path.front() == "traceEvents" && kind == JsonKind::array) {
      events_ = true;
      return {How::each, event_tag};
    }
    if (path.front() == "rocprofiler-sdk-tool") {
      found_ = JsonTrace::rocprof;
      return {How::enter, other_tag};
    }
    own_ = own_ || says_trace(path.front());
    foreign_ = foreign_ || !(says_trace(path.front()) || suits_trace(path.front()));
    return {};
  }
  // An event has a phase of one letter and a place or a time. An array's first element that is an object decides, and must have
  // a name too: a phase may also be that of the moon.
  Answer value(int tag, std::string_view, const JsonText& text, const JsonValue& value) override {
    if (tag == other_tag || value.kind != JsonKind::object) {
      return found_ == JsonTrace::none && members_ <= kDetectionMembers ? Answer::go_on : Answer::stop;
    }
    bool phase = false, place = false, name = false;
    json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
      phase = phase || (key == "ph" && each.kind == JsonKind::string && each.text.size() == 1);
      place = place || key == "ts" || key == "pid";
      name = name || key == "name";
      return true;
    });
    if (phase && place && (name || tag == event_tag)) found_ = JsonTrace::trace_events;
    return found_ == JsonTrace::none && tag == event_tag ? Answer::go_on : Answer::stop;
  }

 private:
  enum Tag : int { array_tag, event_tag, other_tag };
  JsonTrace found_ = JsonTrace::none;
  std::size_t members_ = 0;  // of the top level
  bool events_ = false, own_ = false, foreign_ = false;
};

JsonTrace detect(ByteSource& source) {
  Detector detector;
  JsonBounds bounds;
  bounds.window = std::size_t{64} << 10U;
  bounds.text = kDetectionBytes;
  const auto end = stream_json(source, detector, bounds);
  return end ? detector.found() : JsonTrace::none;
}

using Open = std::function<std::unique_ptr<ByteSource>()>;

core::Expected<Profile> read_text(const Open& open, const std::string& name, const ReadOptions& options, JsonTrace kind,
                                  std::uint64_t file_size, std::size_t window = JsonBounds{}.window) {
  Capture capture;
  capture.info.path = name;
  JsonBounds bounds;
  bounds.stop = options.stop;
  bounds.window = window;
  if (options.progress && file_size > 0) {
    bounds.progress = [&options, file_size](std::uint64_t taken) {
      options.progress(0.9 * static_cast<double>(taken) / static_cast<double>(file_size), "events");
    };
  }
  const auto with_path = [&name](core::Error error) {
    if (error.where.empty()) error.where = name;
    return error;
  };
  core::Status status;
  if (kind == JsonTrace::rocprof) {
    capture.info.format = "rocprofv3-json";
    RocprofReader reader(capture, options);
    auto end = stream_json(*open(), reader, bounds);
    if (end && reader.again()) end = stream_json(*open(), reader, bounds);
    status = end ? reader.finish(*end) : core::fail(with_path(end.error()));
  } else {
    capture.info.format = "kineto";
    KinetoReader reader(capture, options);
    const auto end = stream_json(*open(), reader, bounds);
    status = end ? reader.finish(*end) : core::fail(with_path(end.error()));
  }
  if (!status) return core::fail(status.error());
  return analyse(std::move(capture), options);
}

}  // namespace

JsonTrace json_trace(const OpenFile& file) {
  if (!file.is_file()) return JsonTrace::none;
  const std::string head = file.head(256).value_or(std::string());
  if (is_gzip(head)) return detect(*gzip_bytes(file_bytes(file)));
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text = core::trim(text);
  if (!text.empty() && text.front() != '{' && text.front() != '[') return JsonTrace::none;
  return detect(*file_bytes(file));
}

namespace {

core::Expected<Profile> read_json_trace(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const JsonTrace kind = json_trace(file);
  return read_text([&file] { return text_bytes(file); }, path, options, kind, file.size());
}

}  // namespace

core::Expected<Profile> read_json_trace_text(std::string_view text, const std::string& name, const ReadOptions& options,
                                             std::size_t piece) {
  const auto open = [&]() -> std::unique_ptr<ByteSource> {
    return is_gzip(text) ? gzip_bytes(memory_bytes(text, piece)) : memory_bytes(text, piece);
  };
  const JsonTrace kind = detect(*open());
  constexpr std::size_t kSmallest = 16;
  return read_text(open, name, options, kind, text.size(), std::clamp(piece, kSmallest, JsonBounds{}.window));
}

extern const Form json_trace_form = {
    .name = "json-trace",
    .captures = {{{"rocprofv3-json", "rocprofv3's JSON: dispatches, copies, kernel symbols, HIP calls",
                   "`rocprofiler-sdk-tool` at the top", "JSON",
                   "rocprofv3 --runtime-trace --output-format json -d DIR -- COMMAND"},
                  {"kineto",
                   "traces of the PyTorch profiler, JAX and XLA (`*.trace.json.gz`) and others in Chrome's format, `.json` or "
                   "`.json.gz`, bare arrays, cut files; kernels, copies, calls, operators, annotations, collectives, steps",
                   "`traceEvents` or an array of events; XLA's by processes named `/device:…`", "JSON, JSON.gz",
                   "# PyTorch: with torch.profiler.profile() as prof: … then\n"
                   "# prof.export_chrome_trace(\"trace.json.gz\")\n"
                   "# JAX: with jax.profiler.trace(\"DIR\"): …"}}},
    .recognises = [](const OpenFile& file, std::string_view) { return json_trace(file) != JsonTrace::none; },
    .read = &read_json_trace,
};

}  // namespace plumbline::profiles
