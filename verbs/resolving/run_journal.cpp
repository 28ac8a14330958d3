#include "verbs/resolving/run_journal.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/tolerance.hpp"
#include "registry/files.hpp"
#include "verbs/record/bounded_json.hpp"

namespace plumbline::verbs {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSchema = "plumbline.run.v1";
constexpr std::size_t kMostSides = 64;
constexpr std::uint64_t kMostTrials = 1'000'000;

tl::unexpected<core::Error> bad_confirm(const std::string& path, const std::string& what) {
  return core::fail(core::ErrorCode::invalid_input, core::cited_path(path) + " is no journal of a run: `confirm` " + what, {},
                    path);
}

std::string text_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
std::optional<std::uint64_t> count_of(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number_unsigned() ? std::optional(at->get<std::uint64_t>()) : std::nullopt;
}

std::optional<core::DoubtfulRow> doubtful_row(const Json& row) {
  if (!row.is_object() || text_of(row, "key").empty()) return std::nullopt;
  core::DoubtfulRow out;
  out.key = text_of(row, "key");
  out.was = text_of(row, "was");
  if (const auto direction = core::parse_direction(text_of(row, "direction"))) out.direction = *direction;
  if (const std::string spec = text_of(row, "tolerance"); !spec.empty()) {
    auto tolerance = core::parse_tolerance(spec);
    if (!tolerance) return std::nullopt;
    tolerance->source = core::Source::flag;
    tolerance->note = "the first look";
    out.tolerance = std::move(*tolerance);
  }
  return out;
}

// The rows that alone are judged, and what their answers may err: a journal that leaves this out would judge more mildly.
core::Expected<core::SecondLook> second_look_of(const Json& confirm, const std::string& path) {
  if (!confirm.is_object()) return bad_confirm(path, "is not an object");
  core::SecondLook out;
  out.path = text_of(confirm, "diff");
  out.bundle_sha256 = text_of(confirm, "bundle_sha256");
  out.verdict = text_of(confirm, "verdict");
  out.tier = text_of(confirm, "tier");
  out.judged = count_of(confirm, "rows_judged").value_or(0);
  const auto classes = confirm.find("classes");
  out.classes = classes != confirm.end() && classes->is_boolean() && classes->get<bool>();
  const auto alpha = confirm.find("alpha");
  if (alpha == confirm.end() || !alpha->is_number() || !(alpha->get<double>() > 0) || !(alpha->get<double>() < 0.5))
    return bad_confirm(path, "has no alpha between 0 and 0.5");
  out.alpha = alpha->get<double>();
  const auto rows = confirm.find("rows");
  if (rows == confirm.end() || !rows->is_array() || rows->empty()) return bad_confirm(path, "has no rows");
  for (const Json& each : *rows) {
    auto row = doubtful_row(each);
    if (!row) return bad_confirm(path, "has a row without a key, or with a tolerance that is none");
    out.rows.push_back(std::move(*row));
  }
  const auto family = count_of(confirm, "corrected_for");
  if (!family || *family < out.rows.size()) return bad_confirm(path, "corrects for fewer rows than it has");
  out.family = *family;
  return out;
}

class Reading {
 public:
  Reading(const Json& document, const std::string& path) : document_(document), path_(path) {}

  core::Expected<RunJournal> run() {
    if (!document_.is_object() || document_.value("schema", Json()) != kSchema)
      return bad("its schema is not " + std::string(kSchema), "give the run.json that `plumbline run --keep DIR` wrote");
    RunJournal out;
    const Json sides = document_.value("sides", Json());
    if (!sides.is_array() || sides.empty() || sides.size() > kMostSides) return bad("`sides` is not a list of sides");
    for (const Json& side : sides) {
      if (!side.is_object()) return bad("a side is not an object");
      out.sides.push_back({text(side, "label"), {}, {}, 0, {}});
    }
    out.interleaved = truth(document_, "interleaved");
    out.anytime = text(document_, "stopping") == "anytime";
    if (document_.contains("max_runs")) {
      const auto most = count_of(document_, "max_runs");
      if (!most || *most == 0 || *most > kMostTrials) return bad("`max_runs` is no number of trials");
      if (out.anytime) out.max_runs = static_cast<std::uint32_t>(*most);
    }
    if (document_.contains("confirm")) {
      auto look = second_look_of(document_["confirm"], path_);
      if (!look) return core::fail(look.error());
      out.second_look = std::make_shared<const core::SecondLook>(std::move(*look));
    }
    const Json trials = document_.value("trials", Json());
    if (!trials.is_array()) return bad("`trials` is not a list");
    for (const Json& trial : trials) {
      if (!trial.is_object()) return bad("a trial is not an object");
      if (auto ok = take(trial, out); !ok) return core::fail(ok.error());
    }
    const Json machine = document_.value("machine", Json());
    if (!machine.is_object() && !machine.is_null()) return bad("`machine` is not an object");
    for (const auto& [key, value] : machine.items()) {
      if (value.is_string() && core::is_context_key(key)) out.machine.emplace(key, value.get<std::string>());
    }
    return out;
  }

 private:
  core::Status take(const Json& trial, RunJournal& out) const {
    const Json place = trial.value("side", Json());
    if (!place.is_number_unsigned() || place.get<std::uint64_t>() >= out.sides.size()) return bad("a trial names no side");
    RunJournal::Side& side = out.sides[place.get<std::size_t>()];
    const Json block = trial.value("block", Json());
    if (!block.is_number_unsigned()) return bad("a trial has no block");
    if (block.get<std::uint64_t>() == 0) return {};
    ++side.runs.attempts;
    side.runs.failed += truth(trial, "ok") ? 0 : 1;
    const std::string digest = text(trial, "sha256");
    if (digest.empty()) return {};
    if (!registry::is_sha256_hex(digest)) return bad("a trial's sha256 is none");
    side.sha256.push_back(digest);
    const Json disturbed = trial.value("disturbed", Json());
    if (!disturbed.is_array() || disturbed.empty()) return {};
    if (side.disturbed++ == 0 && disturbed.front().is_string()) side.disturbance = disturbed.front().get<std::string>();
    return {};
  }

  [[nodiscard]] static std::string text(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
  }
  [[nodiscard]] static bool truth(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_boolean() && at->get<bool>();
  }
  [[nodiscard]] tl::unexpected<core::Error> bad(std::string what, std::string hint = {}) const {
    return core::fail(core::ErrorCode::invalid_input, core::cited_path(path_) + " is no journal of a run: " + std::move(what),
                      std::move(hint), path_);
  }

  const Json& document_;
  const std::string& path_;
};

}  // namespace

const RunJournal::Side* RunJournal::side_of(std::span<const std::string> sha256) const {
  const auto at = std::find_if(sides.begin(), sides.end(), [&](const Side& side) {
    return std::equal(side.sha256.begin(), side.sha256.end(), sha256.begin(), sha256.end());
  });
  return at == sides.end() ? nullptr : &*at;
}

core::Expected<RunJournal> parse_run_journal(std::string_view text, const std::string& path) {
  const auto depth = json_depth(text);
  if (!depth) {
    return core::fail(core::ErrorCode::invalid_input,
                      core::cited_path(path) + " is no journal of a run: " + depth.error().message,
                      "give the run.json that `plumbline run --keep DIR` wrote", path);
  }
  return Reading(Json::parse(text, nullptr, false), path).run();
}

bool is_disturbed(const RunJournal::Side& side) {
  constexpr double kShare = 0.1;
  return static_cast<double>(side.disturbed) > kShare * static_cast<double>(side.sha256.size());
}

}  // namespace plumbline::verbs
