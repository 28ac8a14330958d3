#include "verbs/calibrate/noise_run.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/run_journal.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::string_view kJournal = "run.json";
constexpr std::size_t kMostRuns = 1000;

std::string in_folder(const std::string& folder, std::string_view name) { return folder + "/" + std::string(name); }

bool is_file(const std::string& path, const Context& context) {
  return registry::path_kind(path, path_limits(context)) == registry::PathKind::file;
}

// The trials that a journal tells of, from the folders beside it; every one must be what it was.
class KeptRun {
 public:
  KeptRun(std::string journal, const Context& context) : journal_(std::move(journal)), context_(context) {}

  Expected<std::vector<std::string>> files() {
    auto text = registry::read_file(journal_, path_limits(context_));
    if (!text) return core::fail(text.error());
    auto journal = parse_run_journal(text->view(), journal_);
    if (!journal) return core::fail(journal.error());
    const std::string above = journal_.substr(0, journal_.rfind('/'));
    if (journal->sides.size() > 1) {
      return core::fail(
          ErrorCode::usage,
          core::cited_path(journal_) + " tells of " + std::to_string(journal->sides.size()) + " sides, and noise is of one",
          "name the files of one side: " + in_folder(above, "side-1/*"), journal_);
    }
    return trials_of(journal->sides.front(), in_folder(above, "trials"));
  }

 private:
  [[nodiscard]] Expected<std::vector<std::string>> trials_of(const RunJournal::Side& side, const std::string& folder) const {
    if (side.sha256.empty())
      return core::fail(ErrorCode::invalid_input, "no trial of " + core::cited_path(journal_) + " counts", {}, journal_);
    auto source = registry::open_source(folder, path_limits(context_));
    if (!source) return core::fail(source.error());
    std::multimap<std::string, std::string> by_digest;  // what a trial that did not count left is there, too
    for (const registry::SourceFile& file : source->files) {
      auto bytes = registry::read_file(file.path, path_limits(context_));
      if (!bytes) return core::fail(bytes.error());
      by_digest.emplace(registry::sha256_hex(bytes->view()), file.path);
    }
    std::vector<std::string> kept;
    for (const std::string& digest : side.sha256) {
      const auto at = by_digest.find(digest);
      if (at == by_digest.end()) {
        return core::fail(
            ErrorCode::invalid_input,
            "the files in " + core::cited_path(folder) + " are not the trials that " + core::cited_path(journal_) + " tells of",
            "leave the folder of --keep as run wrote it, or name files that are runs of one build", folder);
      }
      kept.push_back(at->second);
      by_digest.erase(at);
    }
    return kept;
  }

  std::string journal_;
  const Context& context_;
};

Expected<std::vector<std::string>> files_of(const std::vector<std::string>& paths, const Context& context) {
  if (paths.size() > 1) {
    std::vector<std::string> out;
    out.reserve(paths.size());
    for (const std::string& path : paths) out.push_back(absolute(context, path));
    return out;
  }
  const std::string only = absolute(context, paths.front());
  if (is_file(in_folder(only, kJournal), context)) return KeptRun(in_folder(only, kJournal), context).files();
  if (is_file(only, context) && only.substr(only.rfind('/') + 1) == kJournal) return KeptRun(only, context).files();
  auto source = registry::open_source(only, path_limits(context));
  if (!source) return core::fail(source.error());
  if (!source->is_directory) {
    return core::fail(ErrorCode::usage, core::cited_path(only) + " is one run, and noise shows between runs",
                      "give ten to twenty files, or `plumbline run -n 15 --keep DIR -- CMD` and then `plumbline calibrate DIR`",
                      only);
  }
  std::vector<std::string> out;
  for (const registry::SourceFile& file : source->files) out.push_back(file.path);
  std::ranges::sort(out);
  return out;
}

class Reader {
 public:
  Reader(const Arguments& arguments, const Context& context, std::string_view scalar)
      : arguments_(arguments), context_(context), scalar_(scalar) {}

  Status begin() {
    const auto root = root_of(arguments_, context_);
    if (!root) return {};  // none is needed
    auto reading = reading_rules_for(*root, context_);
    if (!reading) return core::fail(reading.error());
    reading_ = std::move(*reading);
    return {};
  }

  Status take(const std::string& path) {
    auto opened = load_source(path, context_, "measurement");
    if (!opened) return core::fail(opened.error());
    if (opened->is_capture()) {
      return core::fail(ErrorCode::shape_mismatch, core::cited_path(path) + " is a capture, and tolerances are of numbers",
                        "give files of results", path);
    }
    digests_.insert(intake::digest_of(*opened));
    std::vector<intake::Opened> one;
    one.push_back(std::move(*opened));
    auto read = read_measurement(one, arguments_.text("format"), pool_, context_, reading_);
    if (!read) return core::fail(read.error());
    add(read->shape == core::Shape::scalar ? named_scalar(std::move(*read), scalar_) : std::move(*read));
    return {};
  }

  NoiseRun finish() {
    if (digests_.size() < out_.runs) {
      out_.warnings.push_back({"identical_trials", "of " + core::counted(out_.runs, "run") + " only " +
                                                       std::to_string(digests_.size()) +
                                                       " differ: copies of one run make the noise look smaller"});
    }
    return std::move(out_);
  }

 private:
  void add(const core::Measurement& measurement) {
    std::set<core::Id> seen;
    for (const core::Row& row : measurement.rows()) {
      if (row.value_count == 0 || !seen.insert(row.key).second) continue;
      if (out_.runs == 0 && is_judged(measurement, row)) {
        index_.emplace(row.key, out_.keys.size());
        units_.emplace_back(measurement.unit(row));
        out_.keys.push_back({std::string(measurement.key(row)), measurement.metric_class(row).direction, {}});
      }
      const auto at = index_.find(row.key);
      if (at == index_.end() || units_[at->second] != measurement.unit(row)) continue;
      out_.keys[at->second].values.push_back(core::median(measurement.values(row)));
    }
    ++out_.runs;
  }
  static bool is_judged(const core::Measurement& measurement, const core::Row& row) {
    const core::Role role = measurement.metric_class(row).role;
    return role == core::Role::judged || role == core::Role::gate || measurement.shape == core::Shape::scalar;
  }

  const Arguments& arguments_;
  const Context& context_;
  std::string_view scalar_;
  ReadingRules reading_;
  std::shared_ptr<core::StringPool> pool_ = std::make_shared<core::StringPool>();
  std::unordered_map<core::Id, std::size_t> index_;
  std::vector<std::string> units_;
  std::set<std::string> digests_;
  NoiseRun out_;
};

}  // namespace

Expected<NoiseRun> read_noise_run(const std::vector<std::string>& paths, const Arguments& arguments, const Context& context,
                                  std::string_view scalar) {
  const auto files = files_of(paths, context);
  if (!files) return core::fail(files.error());
  if (files->size() > kMostRuns)
    return core::fail(ErrorCode::limit_exceeded, core::counted(files->size(), "file") + " are more runs than are read",
                      "ten to twenty runs of one build are enough");
  Reader reader(arguments, context, scalar);
  if (auto ok = reader.begin(); !ok) return core::fail(ok.error());
  for (const std::string& file : *files) {
    if (context.stop_asked()) return core::fail(cancelled_error());
    if (auto ok = reader.take(file); !ok) return core::fail(ok.error());
  }
  return reader.finish();
}

}  // namespace plumbline::verbs
