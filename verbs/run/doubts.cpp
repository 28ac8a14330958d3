#include "verbs/run/doubts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "verbs/recompute/request.hpp"
#include "verbs/record/bounded_json.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

constexpr const char* kGive = "give the folder that a diff left behind (diff_dir), its diff.json or its deltas.jsonl";
constexpr std::size_t kMostDoubts = 100'000;

std::string text_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
bool truth_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_boolean() && at->get<bool>();
}
double number_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

// What somebody said of the row, for the second look to be held to: defaults are found again by themselves.
bool was_said(std::string_view source) { return source == "flag" || source == "project" || source == "entry"; }

core::DoubtfulRow doubtful(const Json& row, std::string_view key, std::string was) {
  core::DoubtfulRow out{std::string(key), std::move(was), {}, {}};
  if (const auto tolerance = row.find("tolerance"); tolerance != row.end() && tolerance->is_object()) {
    const std::string kind = text_of(*tolerance, "kind");
    const double value = number_of(*tolerance, "value");
    if (was_said(text_of(*tolerance, "source")) && value >= 0) {
      core::Tolerance said;
      said.value = value;
      said.source = core::Source::flag;
      if (kind == "absolute") said.kind = core::ToleranceKind::absolute;
      if (kind == "points") said.kind = core::ToleranceKind::points;
      out.tolerance = said;
    }
  }
  if (was_said(text_of(row, "direction_source"))) out.direction = core::parse_direction(text_of(row, "direction"));
  return out;
}

bool is_worse(const Json& row) {
  const std::string direction = text_of(row, "direction");
  const double delta = number_of(row, "delta");
  if (direction == "lower-is-better") return delta > 0;
  if (direction == "higher-is-better") return delta < 0;
  return delta != 0;
}

// Why a row is in doubt; "" for one that is not. What was decided in favour of the change is not measured again.
std::string doubt_of(const Json& row, const std::string& state, bool classes) {
  const bool gate = truth_of(row, "gate");
  if (state == "missing" || state == "invalid") return state;
  if (gate) return state == "regressed" || state == "inconclusive" ? "gate" : "";
  if (state == "regressed") return truth_of(row, "suspect") ? "suspect" : "regressed";
  const bool open = truth_of(row, "headline") || (truth_of(row, "exceeds") && is_worse(row));
  if (state == "inconclusive" && open) return "undecided";
  if (state == "unclassified" && truth_of(row, "exceeds")) return "unclassified";
  // A suite effect is a statement about all rows of its class, and does not name them.
  if (classes && (state == "unchanged" || state == "improved" || state == "inconclusive")) return "class_shift";
  return "";
}

class Reading {
 public:
  Reading(std::string given, const Context& context)
      : given_(std::move(given)), context_(context), limits_(path_limits(context)) {}

  Expected<Doubts> run() {
    const std::string path = absolute(context_, given_);
    const auto kind = registry::path_kind(path, limits_);
    if (!kind) {
      if (auto ok = registry::check_allowed(path, limits_); !ok) return core::fail(ok.error());
      return bad(ErrorCode::not_found, "names no diff: there is nothing at " + core::cited_path(path), kGive);
    }
    std::string folder = path;
    if (*kind == registry::PathKind::file) {
      folder = path.substr(0, path.rfind('/'));
      if (registry::path_kind(folder + "/SHA256SUMS", limits_) != registry::PathKind::file) return lone_file(path);
    }
    return bundle(folder);
  }

 private:
  [[nodiscard]] tl::unexpected<Error> bad(ErrorCode code, const std::string& what, std::string hint = kGive) const {
    return core::fail(code, "--confirm " + core::cited_path(given_) + " " + what, std::move(hint));
  }

  Expected<Doubts> bundle(const std::string& folder) {
    const auto verified = registry::verify(folder, limits_);
    if (!verified) return bad(verified.error().code, "is no diff bundle: " + verified.error().message);
    if (!verified->ok) {
      const core::VerifyProblem& first = verified->problems.front();
      return bad(ErrorCode::provenance_mismatch, "is not what was published: " + first.message,
                 "`plumbline verify` tells all of it; compare again");
    }
    if (verified->kind != "bundle") return bad(ErrorCode::invalid_input, "is an entry, and no diff");
    const auto head = registry::verified_file(folder, "diff.json", limits_);
    if (!head)
      return bad(head.error().code, "holds no diff.json: it compares captures, and their rows are not measured one by one");
    if (auto ok = take_head(*head); !ok) return core::fail(ok.error());
    out_.look.path = folder;
    out_.look.bundle_sha256 = verified->bundle_sha256;
    const auto rows = registry::verified_file(folder, "deltas.jsonl", limits_);
    if (!rows) return core::fail(rows.error());
    if (auto ok = take_lines(*rows); !ok) return core::fail(ok.error());
    find_baseline(folder);
    return std::move(out_);
  }

  // A file without its bundle: nothing says that it is what was written.
  Expected<Doubts> lone_file(const std::string& path) {
    auto bytes = registry::read_file(path, limits_);
    if (!bytes) return core::fail(bytes.error());
    out_.look.path = path;
    const std::string_view text = bytes->view();
    const std::string_view first = text.substr(0, text.find('\n'));
    const Json line = json_depth(first) ? Json::parse(first, nullptr, false) : Json(Json::value_t::discarded);
    if (line.is_object() && line.contains("key") && line.contains("state")) {
      if (auto ok = take_lines(text); !ok) return core::fail(ok.error());
      out_.look.judged = lines_;
      return std::move(out_);
    }
    if (auto ok = take_head(text); !ok) return core::fail(ok.error());
    const auto top = head_.find("deltas_top20");
    const auto rows = head_.find("rows");
    if (top == head_.end() || !top->is_array() || rows == head_.end() || !rows->is_number_unsigned())
      return bad(ErrorCode::invalid_input, "is no diff: it has no rows");
    if (rows->get<std::uint64_t>() > top->size()) {
      return bad(ErrorCode::invalid_input,
                 "alone has " + std::to_string(top->size()) + " of " + core::counted(rows->get<std::uint64_t>(), "row") +
                     ": the others are in deltas.jsonl",
                 "give the folder that it came from, or its deltas.jsonl");
    }
    for (const Json& row : *top) {
      if (auto ok = take(row, "a row of deltas_top20"); !ok) return core::fail(ok.error());
    }
    return std::move(out_);
  }

  Status take_head(std::string_view text) {
    if (const auto depth = json_depth(text); !depth) return bad(ErrorCode::invalid_input, "is no diff: " + depth.error().message);
    head_ = Json::parse(text, nullptr, false);
    const std::string schema = head_.is_object() ? text_of(head_, "schema") : "";
    if (schema == "plumbline.result.diff.v1" || schema == "plumbline.result.run.v1")
      return bad(ErrorCode::invalid_input, "is what a call answered, which leaves rows out",
                 "give the folder that its diff_dir names");
    if (schema != "plumbline.diff.v1")
      return bad(ErrorCode::invalid_input,
                 schema.empty() ? "is no diff: it has no schema" : "is no diff, but " + core::cited(schema));
    const std::string shape = text_of(head_, "shape");
    if (shape == "profile")
      return bad(ErrorCode::invalid_input, "compares captures, and their rows are not measured one by one",
                 "run both sides anew: `plumbline run --ab`");
    if (shape == "suite")
      return bad(ErrorCode::invalid_input, "is of a folder of cases, which no single command prints",
                 "compare the case in doubt by itself, and confirm that diff");
    if (head_.contains("native") && text_of(head_, "policy") != "plumbline")
      return bad(ErrorCode::invalid_input,
                 "was judged by the policy " + core::cited(text_of(head_, "policy")) + ", whose rows have no trials",
                 "compare with the policy plumbline first");
    out_.look.verdict = text_of(head_, "verdict");
    out_.look.tier = text_of(head_, "tier");
    if (head_.contains("counts") && head_["counts"].is_object())
      out_.look.judged = static_cast<std::uint64_t>(std::max(0.0, number_of(head_["counts"], "compared")));
    if (head_.contains("format") && head_["format"].is_object() && head_["format"].contains("current") &&
        head_["format"]["current"].is_object())
      out_.format = text_of(head_["format"]["current"], "name");
    if (const auto reasons = head_.find("reasons"); reasons != head_.end() && reasons->is_array()) {
      for (const Json& reason : *reasons) {
        if (reason.is_object()) out_.reasons.push_back(text_of(reason, "code"));
      }
      out_.look.classes = std::find(out_.reasons.begin(), out_.reasons.end(), "class_shift") != out_.reasons.end();
    }
    return {};
  }

  Status take_lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++lines_;
      const std::string where = "line " + std::to_string(lines_);
      if (const auto depth = json_depth(line); !depth)
        return bad(ErrorCode::invalid_input, where + " is no row: " + depth.error().message);
      if (auto ok = take(Json::parse(line, nullptr, false), where); !ok) return ok;
    }
    return {};
  }

  Status take(const Json& row, const std::string& where) {
    if (!row.is_object()) return bad(ErrorCode::invalid_input, where + " is no row: it is no object");
    const std::string key = text_of(row, "key");
    const std::string state = text_of(row, "state");
    if (key.empty() || state.empty()) return bad(ErrorCode::invalid_input, where + " is no row: it has no key or no state");
    const std::string metric = text_of(row, "metric");
    out_.libtest = out_.libtest || metric == "range";
    const std::string was = doubt_of(row, state, out_.look.classes);
    if (was.empty() || out_.look.verdict == "GREEN") return {};
    if (!seen_.insert(key).second)
      return bad(ErrorCode::invalid_input, where + " has the key of an earlier row: " + core::cited(key));
    if (out_.look.rows.size() == kMostDoubts)
      return bad(ErrorCode::limit_exceeded, "leaves more than " + std::to_string(kMostDoubts) + " rows in doubt",
                 "compare again with more trials");
    DoubtfulCase one{key, metric, {}};
    if (const auto dims = row.find("dims"); dims != row.end() && dims->is_object()) {
      for (const auto& [name, value] : dims->items()) {
        if (value.is_string()) one.dims.emplace(name, value.get<std::string>());
      }
    }
    out_.look.rows.push_back(doubtful(row, key, was));
    out_.cases.push_back(std::move(one));
    return {};
  }

  // As the bundle keeps it for `verify --recompute`.
  void find_baseline(const std::string& folder) {
    const auto text = registry::verified_file(folder, std::string(kRequestName), limits_);
    if (!text) return;
    const auto request = parse_request(*text, folder + "/" + std::string(kRequestName));
    if (!request) return;
    for (const KeptEntry& entry : request->entries) {
      if (!entry.at.empty() && out_.baseline.empty()) out_.baseline.push_back(folder + "/" + entry.at);
    }
    if (!out_.baseline.empty()) return;
    for (const KeptFile& file : request->files) {
      if (file.parameter == "baseline" && !file.at.empty()) out_.baseline.push_back(folder + "/" + file.at);
    }
  }

  const std::string given_;
  const Context& context_;
  registry::PathLimits limits_;
  Json head_;
  std::uint64_t lines_ = 0;
  std::unordered_set<std::string> seen_;
  Doubts out_;
};

}  // namespace

Expected<Doubts> read_doubts(const std::string& given, const Context& context) { return Reading(given, context).run(); }

}  // namespace plumbline::verbs
