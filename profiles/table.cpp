// One table of the forms a capture comes in, asked in order; the first whose content test says yes reads it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "core/text.hpp"
#include "profiles/diff/buckets.hpp"
#include "profiles/profile.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr std::string_view kLfsMagic = "version https://git-lfs.github.com/spec/";

struct Subject {
  std::string path;
  std::string head;  // "" for a folder
  bool folder = false;
};

struct Form {
  std::string_view name;
  bool (*recognises)(const Subject& subject);
  core::Expected<Profile> (*read)(const std::string& path, const ReadOptions& options);
};

core::Expected<Profile> read_sqlite(const std::string& path, const ReadOptions& options) {
  return read_nsys_sqlite(path, options);
}

constexpr std::array<Form, 3> kForms = {{
    {"nsys-sqlite", [](const Subject& subject) { return subject.head.starts_with(kSqliteMagic); }, read_sqlite},
    {"nsys-rep", [](const Subject& subject) { return subject.head.starts_with(kNsysRepMagic); }, read_nsys_rep},
    {"nsys-stats-csv", [](const Subject& subject) { return is_nsys_stats(subject.path); }, read_nsys_stats_csv},
}};

Subject look_at(const std::string& path) {
  Subject subject;
  subject.path = path;
  std::error_code error;
  subject.folder = fs::is_directory(path, error);
  if (subject.folder || !fs::is_regular_file(path, error)) return subject;
  std::ifstream in(path, std::ios::binary);
  subject.head.resize(256);
  in.read(subject.head.data(), static_cast<std::streamsize>(subject.head.size()));
  subject.head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return subject;
}

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

bool has_capture_suffix(const std::string& path) {
  const std::string suffix = core::to_lower(fs::path(path).extension().string());
  return suffix == ".sqlite" || suffix == ".nsys-rep" || suffix == ".qdrep" || suffix == ".sqlite3" || suffix == ".db";
}

}  // namespace

core::Expected<Profile> read(const std::string& path, const ReadOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error)) return core::fail(core::ErrorCode::not_found, "no such capture", {}, path);
  const Subject subject = look_at(path);
  if (!subject.folder && !fs::is_regular_file(path, error)) {
    return core::fail(core::ErrorCode::invalid_input, "a capture must be a regular file or a folder of CSV reports", {}, path);
  }
  if (subject.head.starts_with(kLfsMagic)) {
    return core::fail(core::ErrorCode::invalid_input, "the file is a Git LFS pointer, not the capture itself",
                      "fetch the content first: git lfs pull", path);
  }
  for (const Form& form : kForms) {
    if (!form.recognises(subject)) continue;
    auto profile = form.read(path, options);
    if (!profile) return profile;
    profile->info.bytes = subject.folder ? 0 : size_of(path);
    return profile;
  }
  if (subject.folder) return read_nsys_stats_csv(path, options);  // says which files a folder must hold
  if (subject.head.empty())
    return core::fail(core::ErrorCode::invalid_input, "the capture is empty: a capture bug until proven otherwise", {}, path);
  return core::fail(core::ErrorCode::invalid_input, "the file is not a capture that can be read",
                    "captures are SQLite exports and .nsys-rep reports of Nsight Systems, and folders of nsys stats CSV files",
                    path);
}

bool is_capture(const std::string& path) {
  const Subject subject = look_at(path);
  // A pointer or an empty file in a capture's place is one to complain about, not a measurement.
  if (subject.head.starts_with(kLfsMagic)) return has_capture_suffix(path);
  if (subject.head.starts_with(kSqliteMagic)) return is_nsys_sqlite(path);
  if (subject.head.starts_with(kNsysRepMagic)) return true;
  std::error_code error;
  if (!subject.folder && !fs::is_regular_file(path, error)) return false;
  return is_nsys_stats(path);
}

core::ProfileSummary summary(const Profile& profile) {
  core::ProfileSummary result;
  result.kernels = profile.info.kernels;
  for (const NamedAggregate& each : profile.memory) result.copies += each.aggregate.count;
  for (const NamedAggregate& each : profile.api) result.api_calls += each.aggregate.count;
  for (const NamedAggregate& each : profile.nvtx) result.ranges += each.aggregate.count;
  result.devices = profile.devices.size();
  result.streams = profile.streams;
  result.span_ns = profile.info.span_ns.value_or(0);
  if (profile.devices.empty()) result.gpu_busy_ns = profile.info.kernel_ns;  // totals only: nothing says what overlapped
  for (const DeviceTimeline& device : profile.devices) {
    const core::ProfileBuckets parts = buckets(device);
    result.gpu_busy_ns += parts.span_ns - parts.idle_ns;
    if (!device.name.empty()) result.devices_names.push_back(device.name);
  }
  return result;
}

}  // namespace plumbline::profiles
