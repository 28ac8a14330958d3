#include <algorithm>
#include <array>
#include <cstdio>

#include "core/text.hpp"
#include "formats/format.hpp"
#include "formats/plain_text.hpp"
#include "formats/readers.hpp"
#include "formats/screen.hpp"
#include "formats/unpack.hpp"

namespace plumbline::formats {

#define FORMAT(stem) extern const Format stem##_format;
#include "formats/list.inc"
#undef FORMAT

namespace {

#define FORMAT(stem) &stem##_format,
constexpr const Format* kTable[] = {
#include "formats/list.inc"
};
#undef FORMAT

constexpr std::string_view kUnderstood =
    "understood are what the tools of docs/formats.md write, a bare number, JSON, JSON lines, CSV or TSV with a header, Markdown "
    "tables, lines of a name and a value, and folders and archives of these";

std::string scored(const Format& format, double score) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), " (%.2f)", score);
  return std::string(format.name) + text.data();
}

// What a file is when it is certainly no measurement text. Empty when nothing of the kind is seen.
struct Unreadable {
  std::string message, hint;
};
std::optional<Unreadable> unreadable(std::string_view bytes) {
  if (bytes.empty()) return Unreadable{"the file is empty", "its writer wrote nothing, or the copy is incomplete"};
  if (bytes.starts_with("version https://git-lfs")) {
    return Unreadable{"a Git LFS pointer, not the file it points to", "fetch the content first: git lfs pull"};
  }
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, std::string_view> kOtherPackings[] = {
      {"7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive"},
      {"Rar!\x1A\x07"sv, "a RAR archive"},
      {"\x04\x22\x4D\x18"sv, "lz4-compressed data"},
      {"\x1F\x9D"sv, "data compressed with compress"},
      {"LZIP"sv, "lzip-compressed data"}};
  for (const auto& [magic, name] : kOtherPackings) {
    if (bytes.starts_with(magic))
      return Unreadable{std::string(name), "read through are gzip, zstd, xz, bzip2, tar and zip; unpack it first"};
  }
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv))
    return Unreadable{"text in UTF-32", "write it as UTF-8: iconv -f UTF-32 -t UTF-8"};
  const std::string_view head = bytes.substr(0, kHead);
  const auto zeros = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\0'));
  if (zeros > 0) {
    std::string hex;
    for (const char c : bytes.substr(0, 4)) {
      std::array<char, 4> text{};
      std::snprintf(text.data(), text.size(), "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      if (!hex.empty()) hex.push_back(' ');
      hex.append(text.data());
    }
    return Unreadable{"binary data (it starts with " + hex + ")", std::string(kUnderstood)};
  }
  if (core::trim(bytes).empty()) return Unreadable{"nothing but blanks", "its writer wrote nothing, or the copy is incomplete"};
  return std::nullopt;
}

bool is_capture_csv(std::string_view name) {
  if (!name.ends_with(".csv")) return false;
  const std::string_view base = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  for (const std::string_view report :
       {"gpukernsum", "cuda_gpu_kern_sum", "cudaapisum", "cuda_api_sum", "nvtxsum", "nvtx_sum", "nvtx_pushpop_sum", "nccltrace",
        "gpumemtimesum", "cuda_gpu_mem_time_sum", "cuda_gpu_trace", "gputrace"}) {
    if (base.find(report) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::span<const Format* const> table() { return kTable; }

std::string capture_kind(const Input& input) {
  if (input.is_directory || !input.files.empty()) {
    for (const Input::File& file : input.files) {
      if (is_capture_csv(file.name)) return "nsys-stats-csv";
    }
    return {};
  }
  using namespace std::string_view_literals;
  if (input.bytes.starts_with("SQLite format 3\0"sv)) return "sqlite";
  if (input.bytes.substr(0, 512).find("NVIDIA Tegra Profiler Report") != std::string_view::npos) return "nsys-rep";
  return {};
}

namespace {

core::Error capture_error(const std::string& kind, const Input& input) {
  return {core::ErrorCode::invalid_input, "a profiler capture (" + kind + "), not a measurement",
          "compare captures with profile-diff", input.name};
}

// An input as the readers are given it: unpacked, without what stands between a text and its reader. Keeps what its views need.
struct Prepared {
  Input input;
  std::vector<std::string> evidence;
  std::vector<core::Warning> warnings;
  Unpacked unpacked;
  PlainText plain;
};

// A caller who names the format may have a capture's tables read as tables.
core::Status prepare(const Input& given, bool named, const std::function<bool()>& stop, Prepared& out) {
  out.input = given;
  const auto is_folder = [&] { return out.input.is_directory || !out.input.files.empty(); };
  const std::string capture = named ? std::string() : capture_kind(given);
  if (!capture.empty()) return core::fail(capture_error(capture, given));
  if (is_folder()) return {};
  if (is_packed(given.bytes)) {
    UnpackBounds bounds;
    bounds.stop = stop;
    auto unpacked = unpack(given, bounds);
    if (!unpacked) return core::fail(unpacked.error());
    out.unpacked = std::move(*unpacked);
    out.input = out.unpacked.input;
    out.evidence = out.unpacked.evidence;
    out.warnings = out.unpacked.warnings;
    if (const std::string inside = named ? std::string() : capture_kind(out.input); !inside.empty()) {
      return core::fail(core::ErrorCode::invalid_input,
                        "a profiler capture (" + inside + ") inside packed data: captures are read where they lie",
                        "unpack it first: " + out.unpacked.command + ", then compare captures with profile-diff", given.name);
    }
    if (is_folder()) return {};
  }
  if (auto plain = plain_text(out.input.bytes)) {
    out.plain = std::move(*plain);
    out.input.bytes = out.plain.of(out.input.bytes);
    out.evidence.insert(out.evidence.end(), out.plain.evidence.begin(), out.plain.evidence.end());
    out.warnings.insert(out.warnings.end(), out.plain.warnings.begin(), out.plain.warnings.end());
  }
  if (auto seen = unreadable(out.input.bytes))
    return core::fail(core::ErrorCode::invalid_input, std::move(seen->message), std::move(seen->hint), given.name);
  return {};
}

struct Ranking {
  const Format* best = nullptr;
  const Format* second = nullptr;
  Detection winner, runner_up;
};
Ranking rank(const Input& input) {
  Ranking ranking;
  for (const Format* format : kTable) {
    Detection detection = format->detect(input);
    if (detection.score <= 0) continue;
    if (ranking.best == nullptr || detection.score > ranking.winner.score) {
      ranking.second = ranking.best;
      ranking.runner_up = std::move(ranking.winner);
      ranking.best = format;
      ranking.winner = std::move(detection);
    } else if (ranking.second == nullptr || detection.score > ranking.runner_up.score) {
      ranking.second = format;
      ranking.runner_up = std::move(detection);
    }
  }
  return ranking;
}

// A format that takes any text of its shape: what a tool's own JSON inside a log is stronger than.
bool is_loose(const Format* format) {
  static constexpr std::string_view kLoose[] = {"csv", "key-value", "markdown-table", "scalar-text"};
  return format == nullptr || std::find(std::begin(kLoose), std::end(kLoose), format->name) != std::end(kLoose);
}

core::Error nothing_fits(const Input& input) {
  std::string_view line = core::trim(input.bytes);
  line = line.substr(0, std::min<std::size_t>(line.find('\n'), 60));
  return {core::ErrorCode::invalid_input, "no format fits: the text starts with " + core::quoted(line), std::string(kUnderstood),
          input.name};
}

Detected detected_of(Ranking ranking) {
  Detected detected;
  detected.format = ranking.best;
  detected.info.name = std::string(ranking.best->name);
  detected.info.confidence = std::min(ranking.winner.score, 1.0);
  detected.info.evidence = std::move(ranking.winner.evidence);
  if (ranking.second != nullptr) detected.info.runner_up = scored(*ranking.second, ranking.runner_up.score);
  return detected;
}

// The best format for the input, or for the JSON that stands between other lines of it: then `json` holds that and the input
// is given its text.
core::Expected<Detected> choose(Input& input, EmbeddedJson& json, std::vector<core::Warning>& warnings) {
  Ranking ranking = rank(input);
  const bool directory = input.is_directory || !input.files.empty();
  if (!directory && is_loose(ranking.best)) {
    if (auto embedded = embedded_json(input.bytes)) {
      Input inner = input;
      inner.bytes = embedded->text;
      Ranking inside = rank(inner);
      const bool table = ranking.best != nullptr && ranking.best->name != "key-value";
      if (inside.best != nullptr && !is_loose(inside.best) && !(table && inside.best == &generic_json_format)) {
        json = std::move(*embedded);
        input.bytes = json.text;
        inside.winner.evidence.push_back("JSON inside a text, lines " + std::to_string(json.first_line) + " to " +
                                         std::to_string(json.last_line));
        warnings.push_back({"text_around_json", core::counted(json.other_lines, "line") + " around the JSON of the text " +
                                                    (json.other_lines == 1 ? "was" : "were") + " not read"});
        return detected_of(std::move(inside));
      }
    }
  }
  if (ranking.best == nullptr) return core::fail(nothing_fits(input));
  return detected_of(std::move(ranking));
}

}  // namespace

core::Expected<Detected> detect(const Input& input) {
  Prepared prepared;
  if (auto ready = prepare(input, false, {}, prepared); !ready) return core::fail(ready.error());
  EmbeddedJson json;
  auto detected = choose(prepared.input, json, prepared.warnings);
  if (detected)
    detected->info.evidence.insert(detected->info.evidence.begin(), prepared.evidence.begin(), prepared.evidence.end());
  return detected;
}

core::Expected<core::Measurement> read(const Input& given, const ReadOptions& options) {
  const Format* named = nullptr;
  if (!options.format.empty()) {
    const auto* const found =
        std::find_if(std::begin(kTable), std::end(kTable), [&](const Format* one) { return one->name == options.format; });
    if (found == std::end(kTable)) {
      std::vector<std::string_view> names;
      std::vector<std::string> all;
      for (const Format* one : kTable) {
        names.push_back(one->name);
        all.emplace_back(one->name);
      }
      const std::string_view near = core::nearest(options.format, names);
      return core::fail(core::ErrorCode::usage, "unknown format " + core::quoted(options.format),
                        near.empty() ? "known are " + core::listed(all, all.size()) : "did you mean " + std::string(near) + "?");
    }
    named = *found;
  }
  Prepared prepared;
  if (auto ready = prepare(given, named != nullptr, options.stop, prepared); !ready) return core::fail(ready.error());
  Input& input = prepared.input;
  EmbeddedJson json;
  Detected detected;
  if (named == nullptr) {
    auto found = choose(input, json, prepared.warnings);
    if (!found) return core::fail(screened(found.error()));
    detected = std::move(*found);
  } else {
    const bool directory = input.is_directory || !input.files.empty();
    if (!directory && named->name == "directory")
      return core::fail(core::ErrorCode::usage, "the format directory is for folders; this is a file", {}, input.name);
    // The folder's files are read in the format named, unless that is one of whole folders.
    if (directory && named->detect(input).score <= 0) named = &directory_format;
    detected.format = named;
    detected.info.name = std::string(named->name);
    detected.info.confidence = 1;
    detected.info.evidence = {"named by the caller"};
  }
  auto measurement = detected.format->read(input, options);
  if (!measurement) return core::fail(screened(measurement.error()));
  if (!measurement->format.version.empty()) detected.info.version = measurement->format.version;
  measurement->format = std::move(detected.info);
  std::vector<std::string>& evidence = measurement->format.evidence;
  evidence.insert(evidence.begin(), prepared.evidence.begin(), prepared.evidence.end());
  measurement->warnings.insert(measurement->warnings.begin(), prepared.warnings.begin(), prepared.warnings.end());
  screen(*measurement);
  return measurement;
}

}  // namespace plumbline::formats
