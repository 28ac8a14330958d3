#include <algorithm>
#include <array>
#include <cstdio>

#include "core/text.hpp"
#include "formats/format.hpp"
#include "formats/readers.hpp"

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
    "understood are a bare number, JSON, JSON lines, CSV or TSV with a header, and folders of these";

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
  if (bytes.starts_with("\x1F\x8B"))
    return Unreadable{"gzip-compressed data", "compressed inputs must be unpacked first: gzip -d"};
  if (bytes.starts_with("\x28\xB5\x2F\xFD"))
    return Unreadable{"zstd-compressed data", "compressed inputs must be unpacked first: zstd -d"};
  if (bytes.starts_with("\xFD"
                        "7zXZ"))
    return Unreadable{"xz-compressed data", "compressed inputs must be unpacked first: xz -d"};
  if (bytes.starts_with("BZh") && bytes.size() > 4 && bytes[3] >= '1' && bytes[3] <= '9' && bytes[4] == '1') {
    return Unreadable{"bzip2-compressed data", "compressed inputs must be unpacked first: bzip2 -d"};
  }
  if (bytes.starts_with("PK\x03\x04")) return Unreadable{"a ZIP archive", "unpack it first"};
  using namespace std::string_view_literals;
  const std::string_view first = bytes.substr(0, 4);
  const auto utf16 = [](std::string_view which) {
    return Unreadable{"text in " + std::string(which), "write it as UTF-8: iconv -f " + std::string(which) + " -t UTF-8"};
  };
  if (first.starts_with("\xFF\xFE"sv)) return utf16("UTF-16LE");
  if (first.starts_with("\xFE\xFF"sv)) return utf16("UTF-16BE");
  const std::string_view head = bytes.substr(0, kHead);
  const auto zeros = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\0'));
  if (zeros > 0) {
    if (bytes.size() >= 4 && bytes[0] != 0 && bytes[1] == 0 && bytes[2] != 0 && bytes[3] == 0) return utf16("UTF-16LE");
    if (bytes.size() >= 4 && bytes[0] == 0 && bytes[1] != 0 && bytes[2] == 0 && bytes[3] != 0) return utf16("UTF-16BE");
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

core::Expected<Detected> detect(const Input& input) {
  const bool directory = input.is_directory || !input.files.empty();
  if (const std::string capture = capture_kind(input); !capture.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "a profiler capture (" + capture + "), not a measurement",
                      "compare captures with profile-diff", input.name);
  }
  if (!directory) {
    if (auto seen = unreadable(input.bytes))
      return core::fail(core::ErrorCode::invalid_input, std::move(seen->message), std::move(seen->hint), input.name);
  }
  const Format* best = nullptr;
  const Format* second = nullptr;
  Detection winner, runner_up;
  for (const Format* format : kTable) {
    Detection detection = format->detect(input);
    if (detection.score <= 0) continue;
    if (best == nullptr || detection.score > winner.score) {
      second = best;
      runner_up = std::move(winner);
      best = format;
      winner = std::move(detection);
    } else if (second == nullptr || detection.score > runner_up.score) {
      second = format;
      runner_up = std::move(detection);
    }
  }
  if (best == nullptr) {
    std::string_view line = core::trim(input.bytes);
    line = line.substr(0, std::min<std::size_t>(line.find('\n'), 60));
    return core::fail(core::ErrorCode::invalid_input, "no format fits: the text starts with " + core::quoted(line),
                      std::string(kUnderstood), input.name);
  }
  Detected detected;
  detected.format = best;
  detected.info.name = std::string(best->name);
  detected.info.confidence = std::min(winner.score, 1.0);
  detected.info.evidence = std::move(winner.evidence);
  if (second != nullptr) detected.info.runner_up = scored(*second, runner_up.score);
  return detected;
}

core::Expected<core::Measurement> read(const Input& input, const ReadOptions& options) {
  Detected detected;
  if (options.format.empty()) {
    auto found = detect(input);
    if (!found) return core::fail(found.error());
    detected = std::move(*found);
  } else {
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
    const Format* format = *found;
    const bool directory = input.is_directory || !input.files.empty();
    if (!directory) {
      if (auto seen = unreadable(input.bytes)) {
        return core::fail(core::ErrorCode::invalid_input, std::move(seen->message), std::move(seen->hint), input.name);
      }
      if (format->name == "directory") {
        return core::fail(core::ErrorCode::usage, "the format directory is for folders; this is a file", {}, input.name);
      }
    }
    if (directory) format = &directory_format;  // the folder's files are read in the format named
    detected.format = format;
    detected.info.name = std::string(format->name);
    detected.info.confidence = 1;
    detected.info.evidence = {"named by the caller"};
  }
  auto measurement = detected.format->read(input, options);
  if (!measurement) return measurement;
  if (!measurement->format.version.empty()) detected.info.version = measurement->format.version;
  measurement->format = std::move(detected.info);
  return measurement;
}

}  // namespace plumbline::formats
