// import: the history that people have already, as ordinary entries with the time they were measured at. Everything is read and
// told first; what is there already is left alone, so that importing again, or after an interruption, adds what is missing.
#include "core/results/import.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/records.hpp"
#include "reports/verbs/upkeep.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/environment.hpp"
#include "verbs/import/points.hpp"
#include "verbs/indexing/feed.hpp"
#include "verbs/record/bounded_json.hpp"
#include "verbs/record/entry.hpp"
#include "verbs/record/redact.hpp"
#include "verbs/resolving/index_address.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::size_t kBatch = 256;  // entries that are made visible together
constexpr std::uint64_t kDataAtMost = 512ULL << 20;

// Digest of the source, when it was measured, of which commit.
using Identity = std::tuple<std::string, std::string, std::string>;

class Importer {
 public:
  Importer(const Arguments& arguments, const Context& context, std::string root)
      : arguments_(arguments), context_(context), limits_(path_limits(context)) {
    result_.root = std::move(root);
    result_.family = arguments.text("family");
    result_.dry_run = arguments.flag("dry_run");
    store_ = open_store(result_.root, context);
  }

  Expected<core::ImportResult> run() {
    auto points = find();
    if (!points) return core::fail(points.error());
    points_ = std::move(*points);
    if (points_.empty()) return core::fail(ErrorCode::invalid_input, "there is nothing to import", "the files hold no run");
    if (auto ok = name(); !ok) return core::fail(ok.error());
    std::ranges::stable_sort(points_, [](const Point& a, const Point& b) {
      return std::tie(a.measurement, a.measured) < std::tie(b.measurement, b.measured);
    });
    if (!result_.dry_run) {
      const std::string question =
          "Record " + core::counted(points_.size(), "point") + " as new, immutable baseline entries of " + result_.family + "?";
      if (auto yes = confirmed(context_, question); !yes) return core::fail(std::move(yes.error()));
    }
    auto scratch = ScratchFolder::make(context_);
    if (!scratch) return core::fail(scratch.error());
    scratch_ = scratch->path();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      if (auto ok = take(points_[i]); !ok) return core::fail(ok.error());
      show_progress(context_, 0.1 + 0.9 * static_cast<double>(i) / static_cast<double>(points_.size()), "recording");
    }
    if (auto ok = publish(); !ok) return core::fail(ok.error());
    if (result_.recorded + result_.already == 0) {
      return core::fail(ErrorCode::invalid_input,
                        "none of the points can be recorded, the first because: " + result_.points.front().problem,
                        "`plumbline inspect FILE` says what is in a file", result_.points.front().origin);
    }
    return std::move(result_);
  }

 private:
  Expected<std::vector<Point>> find() {
    if (arguments_.has("git_history")) {
      result_.from = "git-history";
      return points_of_git(arguments_.text("git_history"), arguments_.text("since"), context_);
    }
    const auto& files = arguments_.list("files");
    if (files.empty()) {
      return core::fail(ErrorCode::usage, "there is nothing to import",
                        "`plumbline import --family F --measurement M FILE…`, or `--git-history FILE`");
    }
    auto stored = find_stored(files);
    if (!stored || !stored->empty()) return stored;
    result_.from = "files";
    return points_of_files(files, arguments_.text("date_from", "name"), context_);
  }

  // Files in which another tool keeps its history; none of them: an empty list.
  Expected<std::vector<Point>> find_stored(const std::vector<std::string>& files) {
    std::vector<Point> all;
    for (const std::string& file : files) {
      const std::string path = absolute(context_, file);
      registry::PathLimits limits = limits_;
      limits.bytes = std::min(limits.bytes, kDataAtMost);
      if (registry::path_kind(path, limits) != registry::PathKind::file) continue;
      const auto bytes = registry::read_file(path, limits);
      if (!bytes) return core::fail(bytes.error());
      const bool github = is_github_action_data(bytes->view());
      if (!github && !is_bencher_data(bytes->view())) continue;
      const auto brace = bytes->view().find('{');
      auto body = core::trim(bytes->view().substr(std::min(brace, bytes->view().size())));
      if (body.ends_with(';')) body.remove_suffix(1);
      if (const auto depth = json_depth(body); !depth) {
        core::Error error = depth.error();
        error.message = core::cited_path(file) + ": " + error.message;
        return core::fail(std::move(error));
      }
      result_.from = github ? "github-action-benchmark" : "bencher";
      auto points = github ? points_of_github_action(bytes->view(), file, arguments_.text("suite"))
                           : points_of_bencher(bytes->view(), file);
      if (!points) return points;
      std::ranges::move(*points, std::back_inserter(all));
    }
    return all;
  }

  // Which measurement each point is of.
  Status name() {
    const std::string given = arguments_.text("measurement");
    const bool own = std::ranges::any_of(points_, [](const Point& point) { return !point.measurement.empty(); });
    if (given.empty() && std::ranges::any_of(points_, [](const Point& point) { return point.measurement.empty(); })) {
      return core::fail(ErrorCode::usage, "--measurement is missing", "`plumbline import --family F --measurement M …`");
    }
    if (!given.empty() && own && arguments_.text("suite").empty()) {
      std::set<std::string> names;
      for (const Point& point : points_) names.insert(point.measurement);
      return core::fail(ErrorCode::usage, "there are several suites, and one --measurement",
                        "leave it out, each becomes a measurement (" +
                            core::listed(std::vector<std::string>(names.begin(), names.end())) +
                            "), or choose one: `--suite NAME`");
    }
    for (Point& point : points_) {
      if (!given.empty()) point.measurement = given;
      if (auto ok = registry::check_segment("measurement", point.measurement); !ok) return ok;
    }
    return {};
  }

  [[nodiscard]] Arguments arguments_of(const Point& point, const std::string& source) const {
    Arguments out;
    for (const char* passed :
         {"family", "unit", "direction", "headline", "tolerance", "context", "label", "notes", "sign", "format"}) {
      const auto found = arguments_.all().find(passed);
      if (found != arguments_.all().end()) out.set(passed, found->second);
    }
    if (!out.has("format") && !point.format.empty()) out.set("format", point.format);
    out.set("repo_root", result_.root);
    out.set("measurement", point.measurement);
    out.set("source", source);
    out.set("measured_at", measured_text(point.measured));
    if (!point.commit.empty()) out.set("commit", point.commit);
    return out;
  }

  Status take(Point& point) {
    core::ImportedPoint told;
    told.measurement = point.measurement;
    told.measured_at_utc = measured_text(point.measured);
    told.commit = point.commit;
    told.origin = point.origin;
    auto digest = digest_of(point);
    if (!digest) return core::fail(digest.error());
    auto known = known_of(point.measurement);
    if (!known) return core::fail(known.error());
    told.already = !(*known)->insert({*digest, told.measured_at_utc, point.commit}).second;
    result_.already += told.already ? 1 : 0;
    if (!told.already) {
      if (auto ok = look_at(point, told); !ok) return ok;
    }
    point.bytes = {};
    result_.points.push_back(std::move(told));
    return staged_.size() >= kBatch ? publish() : Status{};
  }

  [[nodiscard]] Expected<std::string> digest_of(const Point& point) const {
    if (point.path.empty()) return registry::sha256_hex(point.bytes);
    const auto source = registry::open_source(point.path, limits_);
    if (!source) return core::fail(source.error());
    return registry::source_digest(*source, limits_);
  }

  // What is recorded of a measurement already.
  Expected<std::set<Identity>*> known_of(const std::string& measurement) {
    const auto [at, is_new] = known_.try_emplace(measurement);
    if (!is_new) return &at->second;
    if (auto ok = registry::check_segment("family", result_.family); !ok) return core::fail(ok.error());
    const auto slugs = store_->slugs(registry::Kind::entry, result_.family, measurement);
    if (!slugs) return core::fail(slugs.error());
    registry::Records records(*store_, result_.family, measurement, limits_);
    for (const std::string& slug : *slugs) {
      const auto record = records.read(slug);
      if (record) at->second.insert({record->source_sha256, record->measured_at_utc, record->git_commit.value_or("")});
    }
    return &at->second;
  }

  // A file of our making lies where no other of this import does, and is gone when it was staged.
  Expected<std::string> source_of(const Point& point) {
    if (!point.path.empty()) return point.path;
    const std::string path = scratch_ + "/" + point.name;
    ::unlink(path.c_str());
    if (auto ok = write_scratch(path, point.bytes); !ok) return core::fail(ok.error());
    return path;
  }

  Status look_at(const Point& point, core::ImportedPoint& told) {
    auto source = source_of(point);
    if (!source) return core::fail(source.error());
    const Arguments asked = arguments_of(point, *source);
    auto request = entry_request(asked, context_, store_);
    if (!request) return core::fail(request.error());  // wrong for all of them
    auto looked = look_at_entry(*request, asked, context_);
    if (!looked) {
      if (looked.error().code == ErrorCode::cancelled || looked.error().code == ErrorCode::usage)
        return core::fail(looked.error());
      told.problem = looked.error().message;
      ++result_.left_out;
      return {};
    }
    if (point.path.empty()) looked->baseline.source_path = point.origin;
    told.value = looked->baseline.value;
    told.unit = looked->baseline.unit.value_or("");
    told.rows = looked->baseline.rows;
    ++result_.recorded;
    if (result_.dry_run) return {};
    const bool alone = request->signer != nullptr;  // each is a link of the chain
    auto staging = stage_entry(*request, asked, context_, *looked, !alone);
    if (!staging) return core::fail(staging.error());
    if (!staged_.empty() && staged_measurement_ != point.measurement) {
      if (auto ok = publish(); !ok) return ok;
    }
    staged_measurement_ = point.measurement;
    if (!alone) {
      staged_.push_back(std::move(*staging));
      staged_points_.push_back(result_.points.size());
      return {};
    }
    auto published = store_->publish(std::move(*staging), context_.now());
    if (!published) return core::fail(published.error());
    told.slug = published->slug;
    feed_index(*store_, result_.root, registry::Kind::entry, request->family, request->measurement, {published->slug},
               result_.warnings, context_);
    return {};
  }

  Status publish() {
    if (staged_.empty()) return {};
    auto published = store_->publish_all(std::move(staged_), context_.now());
    staged_.clear();
    if (!published) return core::fail(published.error());
    std::vector<std::string> slugs;
    for (std::size_t i = 0; i < published->size(); ++i) {
      result_.points[staged_points_[i]].slug = (*published)[i].slug;
      slugs.push_back((*published)[i].slug);
      const auto& warnings = (*published)[i].warnings;
      result_.warnings.insert(result_.warnings.end(), warnings.begin(), warnings.end());
    }
    staged_points_.clear();
    feed_index(*store_, result_.root, registry::Kind::entry, result_.family, staged_measurement_, slugs, result_.warnings,
               context_);
    return {};
  }

  const Arguments& arguments_;
  const Context& context_;
  registry::PathLimits limits_;
  std::shared_ptr<registry::Store> store_;
  std::string scratch_;
  std::vector<Point> points_;
  std::map<std::string, std::set<Identity>> known_;
  std::vector<std::unique_ptr<registry::Staging>> staged_;
  std::vector<std::size_t> staged_points_;
  std::string staged_measurement_;
  core::ImportResult result_;
};

Expected<Outcome> run_import(const Arguments& arguments, const Context& context) {
  if (!arguments.has("family")) {
    return core::fail(ErrorCode::usage, "the following arguments are required: --family",
                      "`plumbline import --family F --measurement M FILE…`");
  }
  if (auto ok = registry::check_segment("family", arguments.text("family")); !ok) return core::fail(ok.error());
  if (context.read_only && !arguments.flag("dry_run"))
    return core::fail(ErrorCode::path_not_allowed, "nothing is written: this server is read-only",
                      "`--dry-run` says what would be recorded");
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  auto result = Importer(arguments, context, std::move(*root)).run();
  if (!result) return core::fail(result.error());
  Outcome outcome;
  outcome.json = reports::import_json(*result, response_format(arguments));
  outcome.text = reports::import_table(*result, true);
  outcome.warnings = warning_lines(result->warnings);
  return outcome;
}

}  // namespace

const Verb kImport{
    .name = "import",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Import a history",
    .summary =
        "Record results that you already have, each with its time and commit: dated files, a file's git history, the data of "
        "github-action-benchmark or Bencher. Use it once, so that the history does not start empty.",
    .safety = "writes_artifacts",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "files",
             .kind = path_list,
             .value_name = "FILE",
             .help = "results with dates in their names, data.js of github-action-benchmark, or an answer of Bencher's API",
             .positional = 1},
            {.name = "family",
             .value_name = "F",
             .help = "first part of the name, one segment, e.g. inference",
             .required = true},
            {.name = "measurement",
             .value_name = "M",
             .help = "second part of the name; of several suites each is one of its own"},
            {.name = "git_history",
             .kind = path,
             .value_name = "FILE",
             .help = "each version of this file in the history of its git repository"},
            {.name = "since",
             .value_name = "DATE",
             .help = "with --git-history: only commits since this date, in any form that git accepts"},
            {.name = "date_from",
             .value_name = "name|mtime|PATTERN",
             .help = "where a file's time comes from: its name (default), the file system, or a strptime pattern in its path, "
                     "e.g. run-%Y%m%d"},
            {.name = "suite", .value_name = "NAME", .help = "of github-action-benchmark's data: only this suite"},
            {.name = "format", .value_name = "NAME", .help = "read the files as this format instead of detecting it"},
            {.name = "unit", .value_name = "UNIT", .help = "of the values, e.g. GB/s"},
            {.name = "direction",
             .kind = string_list,
             .value_name = "DIR|KEY=DIR",
             .help = "auto, higher-is-better, lower-is-better, two-sided"},
            {.name = "headline", .kind = string_list, .value_name = "KEY", .help = "rows that matter most, as globs"},
            {.name = "tolerance",
             .kind = string_list,
             .value_name = "KEY=SPEC",
             .help = "how much worse is allowed: 5%, 2abs or 2pp"},
            {.name = "context",
             .kind = string_list,
             .value_name = "K=V",
             .help = "context that the files do not state, e.g. hardware.gpu=H200"},
            {.name = "label", .value_name = "T", .help = "short name, kept with each entry"},
            {.name = "notes", .value_name = "T", .help = "free text, kept with each entry"},
            index_param(),
            sign_param(),
            {.name = "dry_run", .kind = boolean, .help = "show what would be recorded, write nothing"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
            response_format_param(),
            confirm_param(),
        },
    .output_schema = schemas::text("plumbline.result.import.v1"),
    .examples = {"plumbline import --family ci --measurement decode --git-history results/decode.json",
                 "plumbline import --family ci data.js --dry-run"},
    .run = &run_import,
};

}  // namespace plumbline::verbs
