// One table of the forms a capture comes in, asked in order; the first whose content test says yes reads it.
#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/text.hpp"
#include "profiles/capture_form.hpp"
#include "profiles/digest/digest.hpp"
#include "profiles/profile.hpp"
#include "profiles/ranks/ranks.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/screen.hpp"

namespace plumbline::profiles {

#define FORM(stem) extern const Form stem##_form;
#include "profiles/readers/list.inc"
#undef FORM

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kPackedHead = std::size_t{1} << 26;
constexpr std::string_view kLfsMagic = "version https://git-lfs.github.com/spec/";

#define FORM(stem) &stem##_form,
constexpr const Form* kForms[] = {
#include "profiles/readers/list.inc"
};
#undef FORM

// "" for a folder.
std::string head_of(const OpenFile& file) { return file.head(256).value_or(std::string()); }

const Form* recognising(const OpenFile& file, std::string_view head) {
  const auto all = forms();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Form* form) { return form->recognises(file, head); });
  return found == all.end() ? nullptr : *found;
}

bool has_capture_suffix(const std::string& path) {
  const std::string suffix = core::to_lower(fs::path(path).extension().string());
  return suffix == ".sqlite" || suffix == ".nsys-rep" || suffix == ".qdrep" || suffix == ".sqlite3" || suffix == ".db";
}

// What a path turned out to be.
struct Found {
  const Form* form = nullptr;  // null: a folder of ranks
};

core::Expected<Found> find(const OpenFile& file, const std::string& path, const ReadOptions& options) {
  if (file.error() == ENOENT || file.error() == ENOTDIR)
    return core::fail(core::ErrorCode::not_found, "no such capture", {}, path);
  if (file.error() != 0) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  if (!file.is_folder() && !file.is_file()) {
    return core::fail(core::ErrorCode::invalid_input, "a capture must be a regular file or a folder of CSV reports", {}, path);
  }
  const std::string head = head_of(file);
  if (head.starts_with(kLfsMagic)) {
    return core::fail(core::ErrorCode::invalid_input, "the file is a Git LFS pointer, not the capture itself",
                      "fetch the content first: git lfs pull", path);
  }
  if (const Form* form = recognising(file, head)) return Found{form};
  if (is_rank_folder(file, path, options.open)) return Found{};
  if (const auto stray = stray_among_ranks(file, path, options.open)) {
    return core::fail(core::ErrorCode::invalid_input, "the file is among captures of ranks and is no capture itself",
                      "a folder of ranks holds one capture per rank; move it out of the folder, or name the captures by rank "
                      "(rank0.json) and it without",
                      *stray);
  }
  if (file.is_folder()) return Found{&nsys_stats_csv_form};  // says which files a folder must hold
  if (head.empty())
    return core::fail(core::ErrorCode::invalid_input, "the capture is empty: a capture bug until proven otherwise", {}, path);
  return core::fail(core::ErrorCode::invalid_input, "the file is not a capture that can be read",
                    "docs/formats.md lists the captures: Nsight Systems, PyTorch, JAX and Perfetto traces, rocprofv3, Nsight "
                    "Compute CSV, pprof, "
                    "speedscope, .cpuprofile, perf script and folded stacks",
                    path);
}

core::Expected<Profile> read_form(const Form& form, const OpenFile& file, const std::string& path, const ReadOptions& options) {
  auto profile = form.read(path, options);
  if (!profile) return profile;
  profile->info.bytes = file.size();
  if (core::Status status = check_rank(*profile, options); !status) return core::fail(status.error());
  return profile;
}

core::Expected<Profile> read_as_it_is(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  const auto found = find(file, path, options);
  if (!found) return core::fail(found.error());
  return found->form == nullptr ? read_ranks(file, path, options) : read_form(*found->form, file, path, options);
}

core::Expected<Digest> digest_as_it_is(const std::string& path, ReadOptions options) {
  options.digest = true;
  const OpenFile file(path, options.open);
  const auto found = find(file, path, options);
  if (!found) return core::fail(found.error());
  if (found->form == nullptr) return digest_ranks(file, path, options);
  if (found->form == &digest_form) return read_digest_file(path, options);
  auto profile = read_form(*found->form, file, path, options);
  if (!profile) return core::fail(profile.error());
  return digest_of(std::move(*profile));
}

}  // namespace

std::span<const Form* const> forms() { return kForms; }

core::Expected<Profile> read(const std::string& path, const ReadOptions& options) {
  auto profile = read_as_it_is(path, options);
  if (!profile) return core::fail(screened(profile.error()));
  screen(*profile);
  return profile;
}

core::Expected<Digest> read_digest(const std::string& path, const ReadOptions& options) {
  auto digest = digest_as_it_is(path, options);
  if (!digest) return core::fail(screened(digest.error()));
  screen(digest->job.sum);
  return digest;
}

std::string_view capture_form(const std::string& path, const Opener& open) {
  const OpenFile file(path, open);
  const std::string head = head_of(file);
  // A pointer or an empty file in a capture's place is one to complain about, not a measurement.
  if (head.starts_with(kLfsMagic)) return has_capture_suffix(path) ? "git-lfs-pointer" : "";
  if (head.starts_with(kSqliteMagic)) return is_sqlite_capture(path, open) ? "sqlite" : "";
  if (!file.is_folder() && !file.is_file()) return {};
  if (const Form* form = recognising(file, head)) return form->name;
  return is_rank_folder(file, path, open) ? kRanks : "";
}

std::string_view capture_form_of(std::string_view bytes) {
  const MemoryFile file(bytes.substr(0, kPackedHead));
  return capture_form("", [&file](const std::string& path) {
    if (path.empty()) return file.open();
    errno = ENOENT;  // what might lie beside it
    return -1;
  });
}

bool is_capture(const std::string& path, const Opener& open) { return !capture_form(path, open).empty(); }

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
  for (const DeviceWall& device : profile.devices) {
    const core::ProfileBuckets& parts = device.buckets;
    result.gpu_busy_ns += parts.span_ns - parts.idle_ns;
    if (!device.name.empty()) result.devices_names.push_back(device.name);
  }
  return result;
}

}  // namespace plumbline::profiles
