// JSON traces as forms of a capture: told apart by what the top level says, read through one stream.
#include <algorithm>

#include "core/text.hpp"
#include "profiles/analysis/analyse.hpp"
#include "profiles/readers/byte_source.hpp"
#include "profiles/readers/json_stream.hpp"
#include "profiles/readers/kineto.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/rocprof_json.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kDetectionBytes = std::uint64_t{8} << 20U;  // of text: what stands before the events is small

// Looks at the top level until something says what the text is.
class Detector final : public JsonReader {
 public:
  [[nodiscard]] JsonTrace found() const { return found_; }
  Take take(std::span<const std::string> path, JsonKind kind) override {
    if (path.empty()) return kind == JsonKind::array ? Take{How::each, 0} : Take{How::enter, 0};
    if (found_ != JsonTrace::none) return {How::whole, 1};  // to be stopped at
    if (path.front() == "traceEvents" && kind == JsonKind::array) found_ = JsonTrace::trace_events;
    if (path.front() == "rocprofiler-sdk-tool") found_ = JsonTrace::rocprof;
    return found_ == JsonTrace::none ? Take{} : Take{How::enter, 1};
  }
  // The first element of an array that is an object decides: an event has a phase of one letter and a place or a time.
  Answer value(int tag, std::string_view, const JsonText& text, const JsonValue& value) override {
    if (tag == 1 || value.kind != JsonKind::object) return found_ == JsonTrace::none ? Answer::go_on : Answer::stop;
    bool phase = false, other = false;
    json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
      phase = phase || (key == "ph" && each.kind == JsonKind::string && each.text.size() == 1);
      other = other || key == "ts" || key == "pid";
      return true;
    });
    if (phase && other) found_ = JsonTrace::trace_events;
    return Answer::stop;
  }

 private:
  JsonTrace found_ = JsonTrace::none;
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

core::Expected<Profile> read_json_trace(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const JsonTrace kind = json_trace(file);
  return read_text([&file] { return text_bytes(file); }, path, options, kind, file.size());
}

core::Expected<Profile> read_json_trace_text(std::string_view text, const std::string& name, const ReadOptions& options,
                                             std::size_t piece) {
  const auto open = [&]() -> std::unique_ptr<ByteSource> {
    return is_gzip(text) ? gzip_bytes(memory_bytes(text, piece)) : memory_bytes(text, piece);
  };
  const JsonTrace kind = detect(*open());
  constexpr std::size_t kSmallest = 16;
  return read_text(open, name, options, kind, text.size(), std::clamp(piece, kSmallest, JsonBounds{}.window));
}

}  // namespace plumbline::profiles
