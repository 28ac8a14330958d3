#include "verbs/run/bench.hpp"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/descriptor.hpp"
#include "core/citing.hpp"
#include "core/experiment/blocks.hpp"
#include "core/json_writer.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/schedulers/hosts.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;

constexpr double kCleanupS = 10;  // behind the budget's end

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t at = text.rfind('\n');
  return std::string(at == std::string_view::npos ? text : text.substr(at + 1));
}

// Formats that read nearly any text: only a benchmark's author can say that they were meant.
bool reads_anything(std::string_view format) { return format == "key-value" || format == "csv"; }

bool has_judged_row(const core::Measurement& measurement) {
  return std::any_of(measurement.rows().begin(), measurement.rows().end(), [&](const core::Row& row) {
    const core::Role role = measurement.metric_class(row).role;
    return row.value_count > 0 && (role == core::Role::judged || role == core::Role::gate);
  });
}

// Complete or absent. Not synced: a trial is no entry, and waiting for the disk would heat it between trials.
Status write_new(const std::string& path, std::string_view text) {
  base::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  int error = fd.valid() ? 0 : errno;
  while (error == 0 && !text.empty()) {
    const ssize_t put = ::write(fd.get(), text.data(), text.size());
    if (put < 0 && errno != EINTR) error = errno;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  if (const int closed = fd.close_checked(); error == 0) error = closed;
  if (error == 0) return {};
  ::unlink(path.c_str());
  const bool full = error == ENOSPC || error == EDQUOT;
  return core::fail(ErrorCode::environment, "cannot write " + path + ": " + std::generic_category().message(error),
                    full ? "make room there, or name a folder with room by --keep or TMPDIR; nothing was recorded"
                         : "choose a folder that exists and is writable; nothing was recorded",
                    path);
}

std::string_view suffix_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') ? ".json" : ".txt";
}

}  // namespace

namespace {

struct Measure {
  const char* name;
  double value;
  const char* unit;
  bool headline;
};

std::string measures_text(std::span<const Measure> measures) {
  std::string text;
  core::JsonWriter out(text);
  out.begin_object().key("plumbline").begin_object();
  out.field("schema", "plumbline.lines.v1").field("measured", "time").end_object();
  out.key("run").begin_object();
  for (const Measure& one : measures) {
    out.key(one.name).begin_object();
    out.field("value", one.value).field("unit", one.unit).field("direction", "lower-is-better");
    if (one.headline) out.field("headline", true);
    out.end_object();
  }
  out.end_object().end_object();
  return text + "\n";
}

std::string wall_text(const machine::CommandRun& run) {
  const Measure wall{"wall_time", seconds(run.wall_ns), "s", true};
  return measures_text({&wall, 1});
}

}  // namespace

std::string times_text(const machine::CommandRun& run, bool memory) {
  const Measure measures[] = {
      {"wall_time", seconds(run.wall_ns), "s", true},
      {"cpu_time", seconds(run.user_ns + run.system_ns), "s", false},
      {"peak_memory", static_cast<double>(run.peak_bytes) / (1 << 20), "MiB", false},
  };
  return measures_text(std::span(measures).first(memory ? 3 : 2));
}

Bench::Bench(const RunRequest& request, const Context& context, std::string folder)
    : request_(request),
      context_(context),
      folder_(std::move(folder)),
      gpus_(machine::open_gpus()),
      failures_(request.sides.size()) {
  watch_.emplace(*gpus_);
}

Status Bench::begin() {
  result_.machine = machine::facts(*gpus_);
  result_.machine.emplace("environment.hostname", host_name());
  result_.machine.merge(scheduler_facts(context_));
  result_.seed = request_.seed;
  result_.interleaved = request_.sides.size() > 1;
  result_.anytime = request_.automatic;
  result_.max_runs = request_.automatic ? request_.max_runs : 0;
  result_.began_at_utc = registry::utc_text(context_.now());
  for (const RunRequest::Side& side : request_.sides) {
    result_.sides.push_back({side.label, side.command, {}});
    std::error_code error;
    fs::create_directories(folder_ + "/" + (side.label.empty() ? "trials" : "side-" + std::to_string(result_.sides.size())),
                           error);
    if (error)
      return core::fail(ErrorCode::environment,
                        "cannot make a folder below " + core::cited_path(folder_) + ": " + error.message());
  }
  began_ = std::chrono::steady_clock::now();
  return {};
}

double Bench::elapsed_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

bool Bench::budget_spent() const { return request_.budget_s > 0 && elapsed_s() >= request_.budget_s; }

Expected<bool> Bench::warm_up() {
  for (std::uint32_t round = 0; round < request_.warmup; ++round) {
    for (std::uint32_t side = 0; side < request_.sides.size(); ++side) {
      auto trial = run_trial(side, 0);
      if (!trial) return core::fail(trial.error());
      if (asked_to_stop()) return false;
      result_.trials.push_back(std::move(*trial));
    }
  }
  return true;
}

Expected<bool> Bench::run_block(std::uint32_t block) {
  std::vector<core::RunTrial> trials;
  bool whole = true;
  for (const std::uint32_t side : core::block_order(request_.seed, block, static_cast<std::uint32_t>(request_.sides.size()))) {
    if (asked_to_stop() || budget_spent()) {
      whole = false;
      break;
    }
    auto trial = run_trial(side, block);
    if (!trial) return core::fail(trial.error());
    const bool unprepared = !trial->ok && trial->wall_s == 0 && budget_spent();
    if (asked_to_stop() || unprepared) {  // it was ended, or ended while the machine was being told to stop
      whole = false;
      break;
    }
    trials.push_back(std::move(*trial));
  }
  const bool counts = whole && std::all_of(trials.begin(), trials.end(), [](const core::RunTrial& trial) { return trial.ok; });
  for (core::RunTrial& trial : trials) {
    if (request_.apart ? trial.ok : counts) {
      result_.sides[trial.side].files.push_back(trial.file);
    } else {
      trial.file.clear();
      trial.sha256.clear();
    }
    result_.trials.push_back(std::move(trial));
  }
  return whole;
}

Expected<core::RunTrial> Bench::run_trial(std::uint32_t side, std::uint32_t block) {
  const RunRequest::Side& asked = request_.sides[side];
  core::RunTrial trial;
  trial.side = side;
  trial.block = block;
  const double left = request_.budget_s > 0 ? std::max(request_.budget_s - elapsed_s(), 0.001) : 0;
  const double prepare = left > 0 && (asked.start.timeout_s <= 0 || left < asked.start.timeout_s) ? left : asked.start.timeout_s;
  const auto prepared = helper_line(request_.prepare, "--prepare", asked.start.folder, prepare);
  if (!prepared) return core::fail(prepared.error());
  if (!*prepared) {
    trial.ok = false;
    trial.problem = "was not run: the budget ended in --prepare";
    return trial;
  }
  trial.started_s = elapsed_s();
  trial_began_ = std::chrono::system_clock::now();
  watch_->begin();
  auto run = machine::run_command(asked.start, context_.cancelled, [this] { watch_->look(); });
  if (!run) return core::fail(run.error());
  for (machine::Disturbance& one : watch_->end(*run)) trial.disturbed.push_back(std::move(one.text));
  trial.wall_s = seconds(run->wall_ns);
  trial.user_s = seconds(run->user_ns);
  trial.system_s = seconds(run->system_ns);
  trial.peak_mib = static_cast<double>(run->peak_bytes) / (1 << 20);
  trial.left_running = run->left_running;
  trial.ok = run->ok();
  if (trial.ok) {
    if (auto ok = keep(*run, trial); !ok) return core::fail(ok.error());
  } else {
    trial.problem = machine::ending_text(*run, asked.start);
    last_error_ = one_line(last_line(run->error_tail), 200);
  }
  // What a trial leaves is cleaned up even behind the budget's end, though not for ever.
  const double cleanup =
      asked.start.timeout_s > 0 || left == 0 ? asked.start.timeout_s : std::max(request_.budget_s - elapsed_s(), kCleanupS);
  if (auto ok = helper_line(request_.cleanup, "--cleanup", asked.start.folder, cleanup); !ok) return core::fail(ok.error());
  if (auto ok = note_failure(trial); !ok) return core::fail(ok.error());
  return trial;
}

// A command that fails every time measures nothing.
Status Bench::note_failure(const core::RunTrial& trial) {
  std::uint32_t& failures = failures_[trial.side];
  failures = trial.ok || context_.stop_asked() ? 0 : failures + 1;
  if (failures < request_.max_failures) return {};
  const std::string& label = request_.sides[trial.side].label;
  return core::fail(ErrorCode::invalid_input,
                    (label.empty() ? "the command" : "side " + core::cited(label)) + " failed " + std::to_string(failures) +
                        " times in a row: " + core::cited_word(request_.sides[trial.side].command) + " " + trial.problem +
                        (last_error_.empty() ? "" : "; it said: " + core::cited(last_error_)),
                    request_.confirm && !request_.confirm->filter.empty()
                        ? "with " + core::cited_word(request_.confirm->filter) +
                              " added it measures nothing: the cases may be gone, or `--filter-flag none` runs all of them"
                        : "run it by hand until it ends with 0; nothing was recorded");
}

// False where the budget ended it.
Expected<bool> Bench::helper_line(const std::string& line, const char* flag, const std::string& folder, double limit_s) const {
  if (line.empty()) return true;
  const machine::Command command{.argv = {"/bin/sh", "-c", line}, .environment = {}, .folder = folder, .timeout_s = limit_s};
  const auto run = machine::run_command(command, context_.cancelled);
  if (!run) return core::fail(run.error());
  if (run->ok() || run->ended == machine::Ended::stopped) return true;
  if (run->ended == machine::Ended::timed_out && budget_spent() && std::string_view(flag) == "--prepare") return false;
  const std::string said = one_line(last_line(run->error_tail), 200);
  return core::fail(
      ErrorCode::invalid_input,
      std::string(flag) + " " + machine::ending_text(*run, command) + (said.empty() ? "" : "; it said: " + core::cited(said)),
      "run it by hand until it ends with 0", line);
}

Expected<core::Measurement> Bench::read(const std::string& path) const {
  auto opened = load_source(path, context_, "result");
  if (!opened) return core::fail(opened.error());
  if (opened->is_capture()) return core::Measurement(std::make_shared<core::StringPool>());
  std::vector<intake::Opened> one;
  one.push_back(std::move(*opened));
  return read_measurement(one, request_.format, std::make_shared<core::StringPool>(), context_);
}

Expected<double> Bench::number(const std::string& file, std::string_view key) const {
  const auto measurement = read(file);
  if (!measurement) return core::fail(measurement.error());
  for (const core::Row& row : measurement->rows()) {
    if (row.value_count > 0 && measurement->key(row) == key) return core::median(measurement->values(row));
  }
  return core::fail(ErrorCode::invalid_input, "the result has no number " + core::cited(key));
}

Status Bench::keep(const machine::CommandRun& run, core::RunTrial& trial) {
  if (!chosen_) {
    if (auto ok = choose_measure(run, trial); !ok) return ok;
  }
  // On another node only the wall is the command's: the rest is the launcher's.
  if (times_) return write(trial, request_.apart ? wall_text(run) : times_text(run, memory_), ".json");
  if (!request_.result.empty()) {
    auto path = written_result(trial);
    if (!path) {
      trial.ok = false;
      trial.problem = path.error().message;
      return {};
    }
    auto bytes = registry::read_file(*path, path_limits(context_));
    if (!bytes) return core::fail(bytes.error());
    if (auto ok = write(trial, std::string(bytes->view()), fs::path(*path).extension().string()); !ok) return ok;
  } else if (auto ok = write(trial, run.output, suffix_of(run.output)); !ok) {
    return ok;
  }
  check_readable(trial);
  return {};
}

// By the first trial that ended well: its output, where a format reads it that does not read anything.
Status Bench::choose_measure(const machine::CommandRun& run, core::RunTrial& trial) {
  chosen_ = true;
  // All trials must have the same rows: what is seen of the first holds for all.
  memory_ = run.peak_bytes > 2 * run.own_peak_bytes;
  times_ = request_.measures != Measures::output;
  if (times_) result_.measured = "time";
  if (request_.measures != Measures::automatic || run.output.empty()) return {};
  core::RunTrial tried = trial;
  if (auto ok = write(tried, run.output, suffix_of(run.output)); !ok) return ok;
  const auto measurement = read(tried.file);
  times_ = !measurement || !has_judged_row(*measurement) || reads_anything(measurement->format.name);
  if (!times_) result_.measured.clear();
  fs::remove(tried.file);
  return {};
}

void Bench::check_readable(core::RunTrial& trial) {
  const auto measurement = read(trial.file);
  if (measurement && has_judged_row(*measurement)) {
    if (result_.measured.empty()) result_.measured = measurement->format.name;
    return;
  }
  trial.ok = false;
  trial.problem =
      measurement ? "its result holds no number that can be judged" : "its result cannot be read: " + measurement.error().message;
}

// The one file that fits and was written by this trial.
Expected<std::string> Bench::written_result(const core::RunTrial& trial) {
  const std::string& folder = request_.sides[trial.side].start.folder;
  const std::string pattern =
      request_.result.front() == '/' ? request_.result : (folder.empty() ? context_.cwd : folder) + "/" + request_.result;
  glob_t found{};
  std::vector<std::string> fresh;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      struct stat info {};
      if (::stat(found.gl_pathv[i], &info) != 0 || !S_ISREG(info.st_mode)) continue;
      const auto written =
          std::chrono::system_clock::from_time_t(info.st_mtim.tv_sec) +
          std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(info.st_mtim.tv_nsec));
      // The file system's clock ticks more coarsely than ours.
      if (written + std::chrono::milliseconds(20) >= trial_began_) fresh.emplace_back(found.gl_pathv[i]);
    }
  }
  ::globfree(&found);
  if (fresh.size() == 1) return fresh.front();
  if (fresh.empty()) return core::fail(ErrorCode::not_found, "it wrote no " + core::cited(request_.result));
  return core::fail(ErrorCode::invalid_input, "it wrote " + core::counted(fresh.size(), "file") + " that fit " +
                                                  core::cited(request_.result) + ", and one is needed");
}

Status Bench::write(core::RunTrial& trial, const std::string& text, std::string_view suffix) const {
  std::uint32_t number = 1;
  for (const core::RunTrial& one : result_.trials) number += one.side == trial.side && one.block > 0 ? 1 : 0;
  const RunRequest::Side& side = request_.sides[trial.side];
  const std::string digits = std::to_string(number);
  trial.file = folder_ + "/" + (side.label.empty() ? "trials" : "side-" + std::to_string(trial.side + 1)) + "/" +
               (trial.block == 0 ? "warm-up-" : "") + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits +
               std::string(suffix);
  std::error_code ignored;
  fs::remove(trial.file, ignored);  // of a trial that did not count
  if (auto ok = write_new(trial.file, text); !ok) return ok;
  trial.sha256 = registry::sha256_hex(text);
  return {};
}

}  // namespace plumbline::verbs
