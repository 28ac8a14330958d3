#include "verbs/export/suite.hpp"

#include <algorithm>
#include <map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "intake/measurement.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/resolving/baseline_side.hpp"
#include "verbs/suite/files.hpp"
#include "verbs/suite/pairing.hpp"
#include "verbs/suite/suite.hpp"

namespace plumbline::verbs {

namespace {

using systems::Exporter;
using systems::ExportOptions;
using systems::ExportSource;

using core::Measurement;

// One side of a suite: files of a folder, or entries of a family.
struct Case {
  SuiteItem item;
  std::string path;                                // what errors name
  std::shared_ptr<const Measurement> measurement;  // null: `error` says why
  Error error;
  std::optional<core::BaselineRecord> record;
  const SuiteFile* file = nullptr;
};
struct Side {
  std::string path;
  intake::Opened folder;
  std::vector<SuiteFile> files;
  std::vector<Case> cases;
  bool entries = false;
};

class SuiteExporter {
 public:
  SuiteExporter(const Exporter& exporter, const ExportOptions& options, const ExportTools& tools)
      : exporter_(exporter), options_(options), tools_(tools), suite_tools_{tools.context, tools.store, tools.pool, tools.reading,
                                                                            tools.format,  {},          {}} {}

  Expected<std::optional<SuiteExport>> run(const std::string& source, const std::string& refresh) {
    auto side = open(source, "source");
    if (!side) return core::fail(side.error());
    if (*side == nullptr) return std::optional<SuiteExport>();
    results_ = std::move(*side);
    out_.path = results_->path;
    const Status done = exporter_.join != nullptr ? as_one_file(refresh) : file_by_file(refresh);
    if (!done) return core::fail(done.error());
    std::sort(out_.files.begin(), out_.files.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    std::sort(out_.left_out.begin(), out_.left_out.end());
    count_warnings();
    return std::optional<SuiteExport>(std::move(out_));
  }

 private:
  // Null where the text names no suite.
  Expected<std::unique_ptr<Side>> open(const std::string& text, std::string_view parameter) {
    const std::string path = absolute(tools_.context, text);
    const auto kind = registry::path_kind(path, path_limits(tools_.context));
    if (!kind) return open_family(text);
    if (kind != registry::PathKind::folder ||
        registry::path_kind(path + "/baseline.json", path_limits(tools_.context)) == registry::PathKind::file)
      return std::unique_ptr<Side>();
    auto folder = load_source(text, tools_.context, parameter);
    if (!folder) return core::fail(folder.error());
    if (!intake::is_folder_of_files(*folder, tools_.format)) return std::unique_ptr<Side>();
    auto out = std::make_unique<Side>();
    out->folder = std::move(*folder);
    out->path = out->folder.source.path;
    auto files = read_suite_files(out->folder, suite_tools_);
    if (!files) return core::fail(files.error());
    out->files = std::move(*files);
    return out;
  }

  Expected<std::unique_ptr<Side>> open_family(const std::string& family) {
    if (!registry::check_segment("family", family)) return std::unique_ptr<Side>();
    auto measurements = tools_.store.measurements(registry::Kind::entry);
    if (!measurements) return std::unique_ptr<Side>();
    auto out = std::make_unique<Side>();
    out->path = family;
    out->entries = true;
    for (const auto& [of, measurement] : *measurements) {
      if (of != family) continue;
      const auto slugs = tools_.store.newest_slugs(registry::Kind::entry, of, measurement, 1);
      if (!slugs) return core::fail(slugs.error());
      if (slugs->empty()) continue;
      if (tools_.context.stop_asked()) return core::fail(cancelled_error());
      const std::string name = of + "/" + measurement;
      auto baseline = open_baseline(name, tools_.store, nullptr, tools_.format, tools_.pool, tools_.reading, tools_.context);
      if (!baseline) return core::fail(baseline.error());
      Case one;
      one.item.name = measurement;
      one.item.entry = true;
      one.path = name + "@" + baseline->side.slug;
      one.measurement = baseline->measurement;
      if (baseline->capture) one.error = {ErrorCode::shape_mismatch, "a capture, not a measurement", {}, {}};
      one.record = baseline->reference.entry.record;
      warn(baseline->reference.warnings);
      out->cases.push_back(std::move(one));
    }
    if (out->cases.empty()) return std::unique_ptr<Side>();
    return out;
  }

  // The first warning of a code is told, the others are counted.
  void warn(const std::vector<core::Warning>& warnings) {
    for (const core::Warning& warning : warnings) {
      if (repeated_[warning.code]++ == 0) out_.warnings.push_back(warning);
    }
  }
  void count_warnings() {
    for (core::Warning& warning : out_.warnings) {
      const auto it = repeated_.find(warning.code);
      if (it != repeated_.end() && it->second > 1) warning.message += " (and " + std::to_string(it->second - 1) + " more)";
    }
  }

  // Files that can be cases: those that are read, and those that answer to one of the other side.
  void take_files(Side& side, const Side* other, std::string_view what) {
    if (side.entries) return;
    std::vector<OtherSide> others;
    if (other != nullptr && other->entries) {
      for (const Case& one : other->cases) others.push_back({one.item.name, true, {}, true});
    } else if (other != nullptr) {
      for (const SuiteFile& file : other->files) others.push_back(other_side(file));
    }
    const std::vector<std::size_t> taken = cases_among(side.files, others);
    warn_unread(side.files, taken, what, out_.warnings);
    for (const std::size_t i : taken) {
      const SuiteFile& file = side.files[i];
      Case one;
      one.item = suite_item(file);
      one.path = file.source.source.path;
      one.measurement = file.measurement;
      one.error = file.error;
      one.file = &file;
      side.cases.push_back(std::move(one));
    }
  }

  static std::vector<SuiteItem> items_of(const Side& side) {
    std::vector<SuiteItem> out;
    for (const Case& one : side.cases) out.push_back(one.item);
    return out;
  }

  // An entry is named after its case, as a safe segment: the side that has entries, if only one has, is the one that is named so.
  [[nodiscard]] SuitePairs pairs() const {
    const std::vector<SuiteItem> before = items_of(*replaced_), now = items_of(*results_);
    if (!results_->entries || replaced_->entries) return pair_suite(before, now);
    SuitePairs turned = pair_suite(now, before);
    for (SuitePair& pair : turned.pairs) std::swap(pair.baselines, pair.results);
    std::swap(turned.passed_over, turned.results_passed_over);
    return turned;
  }

  Expected<std::shared_ptr<const Measurement>> measurement_of(const std::vector<std::size_t>& indices) {
    std::vector<intake::Opened> sources;
    for (const std::size_t i : indices) {
      const Case& one = results_->cases[i];
      if (one.measurement == nullptr) return core::fail(one.error);
      if (indices.size() == 1) return one.measurement;
      sources.push_back(again(one.file->source));
    }
    auto read = read_measurement(sources, tools_.format, tools_.pool, tools_.context, tools_.reading, true);
    if (!read) return core::fail(read.error());
    return std::make_shared<const Measurement>(std::move(*read));
  }

  struct Refused {
    std::string id;
    Error error;
  };

  Status file_by_file(const std::string& refresh) {
    if (!refresh.empty()) {
      auto side = open(refresh, "refresh");
      if (!side) return core::fail(side.error());
      if (*side == nullptr) {
        return core::fail(ErrorCode::usage, "--refresh names no suite, and the source is one: " + refresh,
                          "name the folder or the family that holds a baseline a case");
      }
      replaced_ = std::move(*side);
      take_files(*replaced_, results_.get(), "baselines");
    }
    take_files(*results_, replaced_.get(), "results");
    std::vector<Refused> refused;
    if (replaced_ == nullptr) {
      for (const Case& one : results_->cases) write(without_ending(one.item.name), one, {}, nullptr, one.measurement, refused);
    } else {
      const SuitePairs matched = pairs();
      for (const SuitePair& pair : matched.pairs) {
        if (tools_.context.stop_asked()) return core::fail(cancelled_error());
        write_pair(pair, refused);
      }
      for (const std::size_t i : matched.results_passed_over)
        out_.left_out.emplace_back(results_->cases[i].item.name, "an older run of its case");
    }
    if (!refused.empty()) return refuse(refused);
    if (out_.files.empty()) {
      return core::fail(ErrorCode::invalid_input, "no case of the suite becomes a baseline: " + reasons(),
                        "`plumbline diff` of the two says more of each", results_->path);
    }
    return names_differ();
  }

  void write_pair(const SuitePair& pair, std::vector<Refused>& refused) {
    if (pair.results.empty()) {
      out_.left_out.emplace_back(
          pair.id, "no result answers to it: its file stays as it is" + (pair.problem.empty() ? "" : " (" + pair.problem + ")"));
      return;
    }
    if (pair.baselines.empty()) {
      out_.left_out.emplace_back(pair.id, pair.problem.empty() ? "nothing of --refresh answers to it" : pair.problem);
      return;
    }
    const Case& before = replaced_->cases[pair.baselines.front()];
    if (pair.baselines.size() > 1) {
      refused.push_back({pair.id, {ErrorCode::invalid_input, "several files of --refresh answer to it", {}, {}}});
      return;
    }
    if (before.measurement == nullptr) {
      Error error = before.error;
      error.message = "what it is to replace cannot be read: " + error.message;
      refused.push_back({pair.id, std::move(error)});
      return;
    }
    auto measurement = measurement_of(pair.results);
    if (!measurement) {
      refused.push_back({pair.id, measurement.error()});
      return;
    }
    write(pair.id, results_->cases[pair.results.front()], replaced_->entries ? std::string() : before.item.name,
          before.measurement.get(), *measurement, refused);
  }

  void write(const std::string& id, const Case& one, const std::string& file_name, const Measurement* before,
             const std::shared_ptr<const Measurement>& measurement, std::vector<Refused>& refused) {
    if (measurement == nullptr) {
      refused.push_back({id, one.error});
      return;
    }
    ExportSource source;
    source.measurement = measurement.get();
    source.record = one.record ? &*one.record : nullptr;
    source.path = one.path;
    source.run_problem = run_problem(*measurement);
    auto exported = exporter_.write(source, before, options_);
    if (!exported) {
      // A folder may hold more than the one system's files; a file that is to be replaced answers to one of them.
      if (exported.error().code == ErrorCode::shape_mismatch && before == nullptr) {
        out_.left_out.emplace_back(id, exported.error().message);
      } else {
        refused.push_back({id, exported.error()});
      }
      return;
    }
    for (const auto& [name, why] : exported->left_out) out_.left_out.emplace_back(id + ": " + name, why);
    for (const core::Warning& warning : exported->warnings) warn({{warning.code, id + ": " + warning.message}});
    warn(measurement->warnings);
    if (!file_name.empty()) exported->file_name = file_name;
    out_.files.push_back({id, std::move(*exported)});
  }

  [[nodiscard]] std::string reasons() const {
    std::vector<std::string> said;
    for (const auto& [name, why] : out_.left_out) said.push_back(name + " (" + one_line(why, 300) + ")");
    return said.empty() ? "it holds none" : core::listed(said, 4);
  }

  // Nothing was written: the others wait for these, or for a reason.
  Status refuse(std::vector<Refused>& refused) const {
    std::sort(refused.begin(), refused.end(), [](const Refused& a, const Refused& b) { return a.id < b.id; });
    // What concerns the call is told once.
    const Error& first = refused.front().error;
    if (first.code == ErrorCode::usage) return core::fail(first);
    std::vector<std::string> said;
    said.reserve(refused.size());
    for (const Refused& one : refused) said.push_back(one.id + ": " + one_line(one.error.message, 400));
    const std::size_t all = refused.size() + out_.files.size();
    return core::fail(ErrorCode::invalid_input,
                      core::counted(refused.size(), "case") + " of " + std::to_string(all) +
                          " cannot become a baseline, and nothing was written: " + core::listed(said, 5),
                      first.hint.empty() ? "export the others by themselves, or fix these" : first.hint, results_->path);
  }

  // Two cases are two files.
  [[nodiscard]] Status names_differ() const {
    std::map<std::string, std::string> seen;
    for (const SuiteExport::File& file : out_.files) {
      const auto [before, fresh] = seen.emplace(file.exported.file_name, file.id);
      if (fresh) continue;
      return core::fail(ErrorCode::invalid_input,
                        "the cases " + core::cited(before->second) + " and " + core::cited(file.id) +
                            " would both be written as " + file.exported.file_name,
                        "`--refresh FOLDER` gives each the name of the file that it replaces", results_->path);
    }
    return {};
  }

  // All cases in one file: what is no file of that system is left out, and said.
  Status as_one_file(const std::string& refresh) {
    take_files(*results_, nullptr, "results");
    std::optional<Baseline> before;
    if (!refresh.empty()) {
      auto opened = open_baseline(refresh, tools_.store, nullptr, tools_.format, tools_.pool, tools_.reading, tools_.context);
      if (!opened) return core::fail(opened.error());
      before = std::move(*opened);
    }
    std::vector<const Measurement*> cases;
    for (const Case& one : results_->cases) {
      const std::string id = without_ending(one.item.name);
      if (one.measurement == nullptr) {
        out_.left_out.emplace_back(id, one.error.message);
        continue;
      }
      const Measurement* const alone = one.measurement.get();
      if (exporter_.join({&alone, 1}).native == nullptr) {
        out_.left_out.emplace_back(id, "this is " + one.measurement->format.name);
        continue;
      }
      cases.push_back(one.measurement.get());
      warn(one.measurement->warnings);
    }
    if (cases.empty()) {
      return core::fail(ErrorCode::invalid_input,
                        "no case of the suite becomes a baseline: --as " + std::string(exporter_.name) + " takes " +
                            std::string(exporter_.takes) + ": " + reasons(),
                        "`plumbline inspect PATH` shows how a file is read", results_->path);
    }
    const Measurement joined = exporter_.join(cases);
    ExportSource source;
    source.measurement = &joined;
    source.path = results_->path;
    source.run_problem = run_problem(joined);
    auto exported = exporter_.write(source, before && before->measurement ? before->measurement.get() : nullptr, options_);
    if (!exported) return core::fail(exported.error());
    out_.left_out.insert(out_.left_out.end(), exported->left_out.begin(), exported->left_out.end());
    out_.one_file = true;
    out_.files.push_back({results_->path, std::move(*exported)});
    return {};
  }

  const Exporter& exporter_;
  const ExportOptions& options_;
  const ExportTools& tools_;
  SuiteTools suite_tools_;
  std::unique_ptr<Side> results_, replaced_;
  SuiteExport out_;
  std::map<core::WarningCode, std::uint64_t> repeated_;  // warnings by code
};

}  // namespace

Expected<std::optional<SuiteExport>> export_suite(const systems::Exporter& exporter, const std::string& source,
                                                  const std::string& refresh, const systems::ExportOptions& options,
                                                  const ExportTools& tools) {
  return SuiteExporter(exporter, options, tools).run(source, refresh);
}

}  // namespace plumbline::verbs
