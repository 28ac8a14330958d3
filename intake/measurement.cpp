#include "intake/measurement.hpp"

#include <algorithm>
#include <optional>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/merged.hpp"
#include "intake/envelope.hpp"
#include "intake/known_formats.hpp"
#include "profiles/capture_form.hpp"
#include "systems/table.hpp"

namespace plumbline::intake {

using core::ErrorCode;
using core::Measurement;

namespace {

core::Error not_a_measurement(const std::string& form, std::string path) {
  return {ErrorCode::invalid_input, "a profiler capture (" + form + "), not a measurement", "compare captures with profile-diff",
          std::move(path)};
}

// Captures among the files of a folder are not read, which is said.
void tell_captures(const Opened& opened, Measurement& measurement) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < opened.captures().size(); ++i) {
    if (!opened.captures()[i].empty()) names.push_back(opened.source.files[i].relative);
  }
  if (names.empty()) return;
  const std::size_t all = opened.source.files.size();
  measurement.warn("unread_file", core::counted(names.size(), "file") + " of " + std::to_string(all) +
                                      " not read: " + core::cited_list(names) + " (profiler captures, not measurements)");
}

core::Expected<Measurement> read_one(const Opened& opened, const formats::ReadOptions& options) {
  if (opened.is_capture()) {
    return core::fail(not_a_measurement(std::get<Capture>(opened.content).form, opened.source.path));
  }
  if (!opened.captures().empty() && opened.input().files.empty()) {
    return core::fail(not_a_measurement(opened.captures().front(), opened.source.files.front().path));
  }
  auto measurement = formats::read(opened.input(), options);
  if (!measurement) return measurement;
  if (auto ok = check_envelope(*measurement); !ok) return core::fail(ok.error());
  tell_captures(opened, *measurement);
  return measurement;
}

// Copies of one run prove nothing, and the same file is no second run.
core::Status check_trials(const std::vector<Opened>& sources, Measurement& merged) {
  std::uint64_t copies = 0;
  for (std::size_t i = 1; i < sources.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sources[i].source.path == sources[j].source.path) {
        return core::fail(ErrorCode::usage, sources[i].source.path + " is given twice: one file is one trial",
                          "run the measurement again for another trial");
      }
      if (!sources[i].source.is_directory && sources[i].input().bytes == sources[j].input().bytes) {
        ++copies;
        break;
      }
    }
  }
  if (copies > 0) {
    merged.warn("identical_trials",
                core::counted(copies, "trial") + " byte for byte like another: copies of one run prove nothing");
  }
  return {};
}

// Two files of one name are told apart by their paths.
void name_apart(std::vector<std::string>& files, const std::vector<Opened>& sources) {
  std::vector<std::string> sorted = files;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return;
  for (std::size_t i = 0; i < files.size(); ++i) files[i] = sources[i].source.path;
}

// A project's own formats, then those that are known to all.
std::vector<const formats::Format*> with_own(const ReadOptions& options) {
  std::vector<const formats::Format*> out;
  for (const auto& own : options.own_formats) {
    for (const formats::Format* format : own->formats()) {
      const bool fresh =
          std::none_of(out.begin(), out.end(), [&](const formats::Format* one) { return one->name == format->name; });
      if (fresh) out.push_back(format);
    }
  }
  return formats::joined(out, known_formats());
}

}  // namespace

core::Expected<Measurement> read(const std::vector<Opened>& sources, const ReadOptions& options) {
  formats::ReadOptions inner;
  const std::vector<const formats::Format*> known = with_own(options);
  inner.formats = known;
  inner.retell = &systems::retell;
  inner.capture_form = [](std::string_view bytes) { return std::string(profiles::capture_form_of(bytes)); };
  inner.names = options.names;
  inner.allow_no_numbers = options.allow_no_numbers;
  inner.format = options.format;
  inner.pool = options.pool;
  inner.max_depth = options.limits.json_depth;
  inner.max_rows = options.limits.rows;
  inner.stop = options.limits.stop;
  std::optional<Measurement> first;
  std::vector<Measurement> others;
  std::vector<std::string> files;
  for (const Opened& opened : sources) {
    auto measurement = read_one(opened, inner);
    if (!measurement) return measurement;
    if (options.one_host && sources.size() > 1) measurement->context.erase("environment.hostname");
    files.push_back(opened.source.name);
    if (!first) {
      first = std::move(*measurement);
    } else {
      others.push_back(std::move(*measurement));
    }
  }
  if (!first) return core::fail(ErrorCode::usage, "no file given");
  name_apart(files, sources);
  if (others.empty()) return std::move(*first);
  if (auto ok = check_trials(sources, *first); !ok) return core::fail(ok.error());
  if (const auto problem = core::merge_trials(*first, others, files)) {
    return core::fail(ErrorCode::shape_mismatch, problem->message, problem->hint);
  }
  formats::finish_merged(*first);
  first->replication = core::Replication::run;  // each file is one run
  first->native.reset();                        // other systems compare one file with one file
  return std::move(*first);
}

bool is_folder_of_files(const Opened& opened, const std::string& format) {
  if (!opened.source.is_directory || opened.is_capture()) return false;
  if (!format.empty()) {
    for (const formats::Format* one : known_formats()) {
      if (one->name == format) return formats::detect_as(*one, opened.input()).score <= 0;
    }
    return true;
  }
  const auto detected = formats::detect(opened.input(), known_formats());
  return !detected || detected->info.name == "directory";
}

}  // namespace plumbline::intake
