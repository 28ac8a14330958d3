#include "reports/verbs/run.hpp"

#include <algorithm>
#include <cmath>

#include "core/json_writer.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/json_parts.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::JsonWriter;

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

std::string tolerance_spec(const core::Tolerance& tolerance) {
  std::string out;
  core::append_number(out, tolerance.value);
  return out + (tolerance.kind == core::ToleranceKind::percent    ? "%"
                : tolerance.kind == core::ToleranceKind::absolute ? "abs"
                                                                  : "pp");
}

// What was run again and what was not; of the journal every row in doubt, with what a diff needs to judge it.
void write_confirm(JsonWriter& json, const core::RunConfirm& confirm, bool whole) {
  constexpr std::size_t kShownCases = 20, kShownBytes = 1000;  // in an answer
  const core::SecondLook& look = *confirm.look;
  json.key("confirm").begin_object().place("diff", look.path).place_or_null("bundle_sha256", look.bundle_sha256);
  json.field("verdict", look.verdict).field("tier", look.tier);
  json.field("rows_judged", look.judged).field("rows_in_doubt", static_cast<std::uint64_t>(look.rows.size()));
  json.field("alpha", look.alpha).field("corrected_for", look.family).field("classes", look.classes);
  json.field("harness", confirm.harness)
      .field("filter", whole ? confirm.filter : shorten_bytes(confirm.filter, kShownBytes))
      .field("whole_command_because", confirm.why_whole);
  json.key("cases").begin_array();
  for (std::size_t i = 0; i < confirm.cases.size() && (whole || i < kShownCases); ++i)
    json.value(whole ? confirm.cases[i] : shorten_bytes(confirm.cases[i], kShownBytes / 10));
  json.end_array().field("cases_count", static_cast<std::uint64_t>(confirm.cases.size()));
  json.field_or_null("least_trials", confirm.least);
  if (whole) {
    json.key("rows").begin_array();
    for (const core::DoubtfulRow& row : look.rows) {
      std::string key;
      core::append_quoted(key, row.key);  // not screened again: it must be found in the rows
      core::compact(json, [&](JsonWriter& out) {
        out.begin_object().key("key").raw(key).field("was", row.was);
        if (row.tolerance) out.field("tolerance", tolerance_spec(*row.tolerance));
        if (row.direction) out.field("direction", to_string(*row.direction));
        out.end_object();
      });
    }
    json.end_array();
  }
  json.end_object();
}

void write_machine(JsonWriter& json, const core::Context& machine) {
  json.key("machine").begin_object();
  for (const auto& [key, value] : machine) json.field(key, value);
  json.end_object();
}

// The journal has commands whole.
void write_sides(JsonWriter& json, const core::RunResult& result, bool whole) {
  constexpr std::size_t kShownBytes = 1000;
  json.key("sides").begin_array();
  for (const core::RunSide& side : result.sides) {
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object().field("label", side.label);
      out.field("command", whole ? side.command : shorten_bytes(side.command, kShownBytes));
      out.field("trials", static_cast<std::uint64_t>(side.files.size())).end_object();
    });
  }
  json.end_array();
}

void write_plan(JsonWriter& json, const core::RunResult& result) {
  json.field("began_at_utc", result.began_at_utc).field("elapsed_s", result.elapsed_s);
  json.field("measured", result.measured).field("interleaved", result.interleaved);
  json.field("stopping", result.anytime ? "anytime" : "fixed").field("stop", to_string(result.stop));
  if (result.anytime) json.field("max_runs", result.max_runs);
  if (!result.stop_reason.empty()) json.field("stop_reason", result.stop_reason);
  json.field("seed", result.seed);
}

void write_trial(JsonWriter& out, const core::RunTrial& trial) {
  out.begin_object().field("side", trial.side).field("block", trial.block).field("started_s", trial.started_s);
  out.field("wall_s", trial.wall_s).field("user_s", trial.user_s).field("system_s", trial.system_s);
  out.field("peak_mib", trial.peak_mib).field("ok", trial.ok);
  if (!trial.problem.empty()) out.field("problem", trial.problem);
  if (!trial.left_running.empty()) write_texts(out, "left_running", trial.left_running);
  if (!trial.disturbed.empty()) write_texts(out, "disturbed", trial.disturbed);
  if (!trial.sha256.empty()) out.place("sha256", trial.sha256);
  out.end_object();
}

void write_looks(JsonWriter& json, const core::RunResult& result) {
  json.key("looks").begin_array();
  for (const core::RunLook& look : result.looks) {
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object().field("trials", look.trials).field("verdict", look.verdict).field("tier", look.tier);
      out.field_or_null("low_pct", look.low_pct).field_or_null("high_pct", look.high_pct);
      if (result.confirm) out.field("open", look.open);
      out.end_object();
    });
  }
  json.end_array();
}

std::string seconds_text(double seconds) { return time_text(static_cast<std::int64_t>(std::llround(seconds * 1e9))); }

// Of the trials of a side that ran to their end.
struct Summary {
  std::vector<double> walls;
  std::uint64_t failed = 0, disturbed = 0;
  std::string problem, disturbance, left;
};

Summary summary_of(const core::RunResult& result, std::uint32_t side) {
  Summary out;
  for (const core::RunTrial& trial : result.trials) {
    if (trial.side != side || trial.block == 0) continue;
    if (trial.ok) out.walls.push_back(trial.wall_s);
    if (!trial.ok && out.failed++ == 0) out.problem = trial.problem;
    if (!trial.disturbed.empty() && out.disturbed++ == 0) out.disturbance = trial.disturbed.front();
    if (!trial.left_running.empty() && out.left.empty()) out.left = core::listed(trial.left_running);
  }
  return out;
}

std::string stop_text(const core::RunResult& result) {
  switch (result.stop) {
    case core::RunStop::planned:
      return "as many as asked for";
    case core::RunStop::decided:
      return result.confirm ? "stopped because every row in doubt is answered" : "stopped because the verdict is decided";
    case core::RunStop::hopeless:
      return "stopped because more trials would not decide it: " + result.stop_reason;
    case core::RunStop::max_runs:
      return "stopped at --max-runs";
    case core::RunStop::budget:
      return "stopped because the budget is spent";
    case core::RunStop::asked:
      return "stopped on request: what was measured by then";
    case core::RunStop::no_doubt:
      return "nothing was run";
  }
  return {};
}

}  // namespace

std::string run_journal_json(const core::RunResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.run.v1");
  write_plan(json, result);
  write_sides(json, result, true);
  if (result.confirm) write_confirm(json, *result.confirm, true);
  json.key("trials").begin_array();
  for (const core::RunTrial& trial : result.trials) {
    core::compact(json, [&](JsonWriter& out) { write_trial(out, trial); });
  }
  json.end_array();
  write_looks(json, result);
  if (!result.warnings.empty()) write_warnings(json, result.warnings);
  write_machine(json, result.machine);
  json.end_object();
  return text + "\n";
}

std::string run_result_json(const core::RunResult& result, const RunAnswers& answers) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.run.v1");
  json.field("tool", "").field("verb", "run").field("safety", "writes_artifacts");
  write_plan(json, result);
  write_sides(json, result, false);
  if (result.confirm) write_confirm(json, *result.confirm, false);
  json.key("trials").begin_object();
  std::uint64_t failed = 0;
  std::uint64_t disturbed = 0;
  std::uint64_t warm_ups = 0;
  for (const core::RunTrial& trial : result.trials) {
    warm_ups += trial.block == 0 ? 1 : 0;
    if (trial.block == 0) continue;
    failed += trial.ok ? 0 : 1;
    disturbed += trial.disturbed.empty() ? 0 : 1;
  }
  json.field("ran", static_cast<std::uint64_t>(result.trials.size()) - warm_ups).field("warm_ups", warm_ups);
  json.field("failed", failed).field("disturbed", disturbed).end_object();
  write_looks(json, result);
  write_machine(json, result.machine);
  json.key("comparisons").begin_array();
  for (const RunAnswers::Comparison& one : answers.comparisons) {
    json.begin_object().field("label", one.label).key("result").raw(one.result_json).end_object();
  }
  json.end_array();
  if (answers.record_json.empty()) {
    json.key("record").null();
  } else {
    json.key("record").raw(answers.record_json);
  }
  json.place_or_null("journal", answers.journal_path);
  write_some_warnings(json, result.warnings, 20, 600, " in run.json");
  json.end_object();
  return text + "\n";
}

std::string confirm_text(const core::RunConfirm& confirm, int width) {
  const core::SecondLook& look = *confirm.look;
  const std::string of = look.verdict.empty() ? "the first look" : "the first look, " + look.verdict + " (" + look.tier + "),";
  if (look.rows.empty()) return Terminal::wrap("confirm: ", of + " left no row in doubt: there is nothing to run again", width);
  std::string text = of + " left " + core::counted(look.rows.size(), "row");
  if (look.judged > look.rows.size()) text += " of " + grouped(look.judged);
  text += " in doubt; ";
  if (!confirm.filter.empty()) {
    text += core::counted(confirm.cases.size(), "case") + " run again, told to " + confirm.harness +
            (confirm.harness.empty() ? "the command" : "") + " by " + shorten_bytes(confirm.filter, 400);
  } else {
    text += "the whole command runs again: " + confirm.why_whole;
  }
  std::string out = Terminal::wrap("confirm: ", text, width);
  std::string error = "judged from the new trials alone, at " + core::short_number(100 * look.alpha, 3) + " %";
  if (look.family > 1) error += " for all of " + core::counted(look.family, "row") + " together";
  if (confirm.least) error += "; a row can be confirmed from " + std::to_string(*confirm.least) + " trials a side on";
  return out + Terminal::wrap("         ", error, width);
}

std::string run_table(const core::RunResult& result, bool colour, int width) {
  if (result.stop == core::RunStop::no_doubt) return confirm_text(*result.confirm, width);
  const Terminal terminal(colour);
  Table table({"side", "trials", "wall time", "spread", "range"}, {true, false, false, false, false});
  table.keep_names();
  std::string commands;
  std::string notes;
  std::size_t trials = 0;
  for (std::uint32_t side = 0; side < result.sides.size(); ++side) {
    const core::RunSide& one = result.sides[side];
    const Summary all = summary_of(result, side);
    trials = std::max(trials, one.files.size());
    const std::string name = one.label.empty() ? "run" : one_line(one.label);
    if (all.walls.empty()) {
      table.add({{name}, {"0"}, {"-"}, {"-"}, {"-"}});
    } else {
      const auto [low, high] = std::minmax_element(all.walls.begin(), all.walls.end());
      const double middle = core::median(all.walls);
      const double spread = all.walls.size() > 1 && middle > 0 ? 100 * core::sample_stddev(all.walls) / middle : 0;
      table.add({{name},
                 {std::to_string(one.files.size())},
                 {seconds_text(middle)},
                 {all.walls.size() > 1 ? core::short_number(spread, 2) + " %" : "-"},
                 {seconds_text(*low) + " .. " + seconds_text(*high)}});
    }
    commands += Terminal::wrap(name + ": ", one.command, width);
    const auto note = [&](std::uint64_t count, const std::string& what, const std::string& first) {
      if (count == 0) return;
      notes += Terminal::wrap("  ", name + ": " + core::counted(count, "trial") + " " + what + ", the first " + first, width);
    };
    note(all.failed, "failed", all.problem);
    note(all.disturbed, "disturbed", all.disturbance);
    if (!all.left.empty()) notes += Terminal::wrap("  ", name + ": left running and ended: " + all.left, width);
  }
  std::string out = commands + (result.confirm ? confirm_text(*result.confirm, width) : "") + table.text(terminal, width);
  const std::string what = result.measured == "time" ? "timed (the output holds no result that a format reads)"
                                                     : "read as " + (result.measured.empty() ? "nothing" : result.measured);
  out += Terminal::wrap("",
                        core::counted(trials, "trial") + (result.sides.size() > 1 ? " a side, interleaved" : "") + ", " + what +
                            "; " + stop_text(result),
                        width);
  return out + notes;
}

}  // namespace plumbline::reports
