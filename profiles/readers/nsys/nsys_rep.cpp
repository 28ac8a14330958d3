#include <filesystem>

#include "core/text.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/nsys/run_helper.hpp"
#include "profiles/readers/readers.hpp"

namespace plumbline::profiles {
namespace {
namespace fs = std::filesystem;

constexpr std::string_view kMagic = "NVIDIA Tegra Profiler Report";

// The last line that says something: what a person would look at first.
std::string last_line(std::string_view output) {
  std::string_view found;
  for (const std::string_view line : core::split(output, '\n')) {
    if (!core::trim(line).empty()) found = core::trim(line);
  }
  return std::string(found.substr(0, 300));
}

std::string shell_word(const std::string& word) {
  const bool plain =
      word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:=@%") == std::string::npos;
  if (plain && !word.empty()) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string export_command(const std::string& path) {
  const fs::path source(path);
  fs::path target = source;
  target.replace_extension(".sqlite");
  fs::path report = source;
  if (source.extension() != ".nsys-rep" && source.extension() != ".qdrep") report.replace_extension(".nsys-rep");
  // The nsys that wrote .qdrep, which reads it best, knows no --lazy.
  const std::string_view lazy = source.extension() == ".qdrep" ? "" : "--lazy=true ";
  return "nsys export -t sqlite " + std::string(lazy) + "-o " + shell_word(target.string()) + " " + shell_word(report.string());
}

namespace {

core::Expected<Profile> read_nsys_rep(const std::string& path, const ReadOptions& options) {
  if (options.nsys.empty()) {
    return core::fail(core::ErrorCode::missing_helper,
                      std::string(fs::path(path).extension() == ".qdrep" ? "a report of Nsight Systems before 2021.4 (.qdrep)"
                                                                         : "an Nsight Systems report") +
                          " can only be read by way of nsys, which is not installed here",
                      "where nsys is (its version at least that of the capture), run: " + export_command(path), path);
  }
  std::error_code error;
  if (options.scratch.empty() || !fs::is_directory(options.scratch, error)) {
    return core::fail(core::ErrorCode::environment, "there is no scratch folder to export the report into", {}, path);
  }
  const fs::path target = fs::absolute(fs::path(options.scratch) / "x.sqlite", error);
  // Absolute, so that no file name can be taken for an option.
  std::string source = fs::absolute(path, error).string();
  if (options.open) {
    // nsys opens by name: it gets a copy, in a folder of our own, of what was opened here.
    source = (fs::path(options.scratch) / "report").string() + fs::path(path).extension().string();
    const OpenFile report(path, options.open);
    if (!report.is_file() || !report.copy_to(source))
      return core::fail(core::ErrorCode::environment, "the report cannot be copied for nsys", "see that TMPDIR has room for it",
                        path);
  }
  if (options.progress) options.progress(0, "nsys export");
  const auto run =
      run_helper({options.nsys, "export", "-t", "sqlite", "--lazy=true", "-o", target.string(), "--force-overwrite=true", source},
                 options.helper_timeout_s, options.stop);
  if (!run) {
    core::Error problem = run.error();
    problem.hint = "to export the report by hand, run: " + export_command(path);
    return core::fail(std::move(problem));
  }
  if (run->stopped) return core::fail(core::ErrorCode::cancelled, "stopped while nsys exported the report", {}, path);
  if (run->timed_out) {
    return core::fail(core::ErrorCode::environment,
                      "nsys export did not end within " + core::counted(options.helper_timeout_s, "second"),
                      "export the report by hand: " + export_command(path), path);
  }
  if (run->status != 0 || !fs::exists(target, error)) {
    std::string message =
        run->status != 0 ? "nsys export failed with status " + std::to_string(run->status) : "nsys export wrote no file";
    const std::string said = last_line(run->output);
    if (!said.empty()) message += ": " + said;
    return core::fail(core::ErrorCode::invalid_input, std::move(message),
                      "nsys must be at least as new as the one that wrote the report", path);
  }
  ReadOptions exported = options;
  exported.open = {};  // our own file
  auto profile = read_sqlite(target.string(), exported);
  fs::remove(target, error);
  if (!profile) {
    core::Error problem = profile.error();
    problem.where = path;
    return core::fail(std::move(problem));
  }
  profile->info.path = path;
  return profile;
}

}  // namespace

extern const Form nsys_rep_form = {
    .name = "nsys-rep",
    .captures = {{{"nsys-rep", "Nsight Systems report", "its name and head; needs `nsys` on the PATH to convert it", "binary",
                   "nsys profile -t cuda,nvtx,osrt -o report COMMAND"}}},
    .recognises = [](const OpenFile&, std::string_view head) { return head.starts_with(kMagic); },
    .read = &read_nsys_rep,
};

}  // namespace plumbline::profiles
