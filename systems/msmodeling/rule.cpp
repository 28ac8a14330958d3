// msmodeling's two checks of a simulated run against a case file, and its automatic baseline of two runs. Both checks are
// two-sided: a run that is faster than allowed fails. Its README says more than its code does (an operator that drifts fails,
// a case without operators fails); the setting rules=documented judges by that. Arithmetic as that program writes it, so that
// a difference on the edge of a tolerance falls on the same side.
#include "systems/msmodeling/rule.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/text.hpp"
#include "systems/msmodeling/system.hpp"

namespace plumbline::systems::msmodeling {

namespace {

constexpr double kAutomaticTolerance = 0.05;
constexpr std::string_view kTotal = "total_time_s";

constexpr Setting kSettings[] = {
    {"rules", "code (default): what its program does; documented: what its README says where the two differ"},
};

// The first N of a list as Python slices it: a negative N takes that many off the end.
std::size_t first_of(std::size_t size, std::int64_t top_n) {
  if (top_n >= 0) return std::min(size, static_cast<std::size_t>(top_n));
  const auto off = static_cast<std::uint64_t>(-(top_n + 1)) + 1;
  return off >= size ? 0 : size - static_cast<std::size_t>(off);
}

// The baseline's operators: of two of one name the last counts, in the place of the first; the largest times first, equal times
// in the file's order.
std::vector<Operator> largest(const std::vector<Operator>& operators, std::int64_t top_n) {
  std::vector<Operator> out;
  std::unordered_map<std::string, std::size_t> place;
  for (const Operator& one : operators) {
    const auto [it, fresh] = place.emplace(one.name, out.size());
    if (fresh) {
      out.push_back(one);
    } else {
      out[it->second] = one;
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Operator& a, const Operator& b) { return a.total_time_s > b.total_time_s; });
  out.resize(first_of(out.size(), top_n));
  return out;
}

std::string calls_text(std::int64_t calls) { return std::to_string(calls); }

// One operator that both sides have.
OperatorRow compared(const Operator& baseline, const Operator& actual, double tolerance, std::vector<std::string>& violations) {
  OperatorRow row;
  row.name = actual.name;
  row.baseline = baseline;
  row.actual = actual;
  if (baseline.total_time_s == 0) return row;  // nothing is compared, the calls neither
  const double difference = (actual.total_time_s - baseline.total_time_s) / baseline.total_time_s;
  row.difference = difference;
  row.calls_differ = baseline.num_calls > 0 && actual.num_calls != baseline.num_calls;
  if (std::fabs(difference) > tolerance || row.calls_differ) {
    row.state = OperatorState::drift;
    violations.push_back(row.name + ": " + percent_text(difference) + " (baseline=" + milliseconds_text(baseline.total_time_s) +
                         ", actual=" + milliseconds_text(actual.total_time_s) + ")");
  }
  if (row.calls_differ) {
    violations.push_back(row.name + ": #CALLS MISMATCH baseline=" + calls_text(baseline.num_calls) +
                         ", actual=" + calls_text(actual.num_calls));
  }
  return row;
}

void check_operators(const Case& expected, const Run& run, Report& report) {
  if (expected.operators.empty()) {
    report.operator_status = report.rules == Rules::documented ? "FAIL" : "NO_BASELINE";
    if (report.rules == Rules::documented) report.violations.emplace_back("no operator baseline was found in the case file");
    return;
  }
  const std::vector<Operator> baseline = largest(expected.operators, report.top_n);
  std::map<std::string_view, const Operator*> by_name;
  for (const Operator& one : baseline) by_name.emplace(one.name, &one);
  const std::size_t shown = first_of(run.operators.size(), report.top_n);
  std::unordered_map<std::string_view, bool> printed;
  for (std::size_t i = 0; i < shown; ++i) printed.emplace(run.operators[i].name, true);
  for (const auto& [name, one] : by_name) {  // by name
    if (printed.count(name) > 0) continue;
    OperatorRow row;
    row.name = name;
    row.baseline = *one;
    row.state = OperatorState::missing;
    report.operators.push_back(std::move(row));
    report.violations.push_back("MISSING OPERATOR: " + std::string(name) + " (baseline=" + milliseconds_text(one->total_time_s) +
                                ", #calls=" + calls_text(one->num_calls) + ") - Not found in current results");
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const Operator& actual = run.operators[i];
    const auto it = by_name.find(actual.name);
    if (it != by_name.end()) {
      report.operators.push_back(compared(*it->second, actual, report.operator_tolerance, report.violations));
      continue;
    }
    OperatorRow row;
    row.name = actual.name;
    row.actual = actual;
    row.state = OperatorState::added;
    report.operators.push_back(std::move(row));
    report.violations.push_back("NEW OPERATOR: " + actual.name + " (actual=" + milliseconds_text(actual.total_time_s) +
                                ", #calls=" + calls_text(actual.num_calls) + ") - Not in baseline Top " +
                                std::to_string(report.top_n));
  }
  report.operator_status = report.violations.empty() ? "PASS" : report.rules == Rules::documented ? "FAIL" : "WARN";
}

void check_total(const Case& expected, double actual, Report& report) {
  report.actual_s = actual;
  if (expected.initial_time_s > 0) {
    report.initial_difference = (actual - expected.initial_time_s) / expected.initial_time_s;
    report.initial_passed = std::fabs(*report.initial_difference) <= report.initial_tolerance;
  }
  if (expected.baseline_time_s > 0) {
    report.baseline_difference = (actual - expected.baseline_time_s) / expected.baseline_time_s;
    report.baseline_passed = std::fabs(*report.baseline_difference) <= report.baseline_tolerance &&
                             (!expected.max_increase || *report.baseline_difference <= *expected.max_increase);
  }
  if (expected.initial_time_s == 0 && expected.baseline_time_s == 0) {
    report.status = "NO_BASELINE";
  } else if (!report.initial_passed) {
    report.status = report.baseline_passed ? "FAIL(INIT)" : "FAIL(BOTH)";
  } else {
    report.status = report.baseline_passed ? "PASS" : "FAIL(BASE)";
  }
}

}  // namespace

Report check(const Case& expected, const Run& run, Rules rules) {
  Report report;
  report.case_name = expected.name;
  report.rules = rules;
  report.initial_s = expected.initial_time_s;
  report.baseline_s = expected.baseline_time_s;
  report.initial_tolerance = expected.initial_tolerance.value_or(report.initial_tolerance);
  report.baseline_tolerance = expected.baseline_tolerance.value_or(report.baseline_tolerance);
  report.operator_tolerance = expected.operator_tolerance.value_or(report.operator_tolerance);
  report.top_n = expected.top_n.value_or(report.top_n);
  if (!run.total_time_s) {
    report.status = "ERROR";
    report.error = run.total_error;
    return report;
  }
  check_total(expected, *run.total_time_s, report);
  if (!run.operators_error.empty()) {
    report.error = run.operators_error;
    return report;
  }
  check_operators(expected, run, report);
  return report;
}

Report auto_baseline(const Run& baseline, const Run& current, double tolerance) {
  Report report;
  report.case_name = "auto_baseline";
  report.automatic = true;
  report.baseline_tolerance = tolerance;
  report.status = "FAIL";
  report.baseline_passed = false;
  if (!baseline.total_time_s) {
    report.error = "Baseline run failed: " + baseline.total_error;
    return report;
  }
  report.baseline_s = *baseline.total_time_s;
  if (!current.total_time_s) {
    report.error = "Comparison run failed: " + current.total_error;
    return report;
  }
  report.actual_s = *current.total_time_s;
  if (report.baseline_s <= 0) {
    report.error = "Invalid baseline time: 0.0";  // its expression has no sign
    return report;
  }
  report.baseline_difference = (report.actual_s - report.baseline_s) / report.baseline_s;
  report.baseline_passed = std::fabs(*report.baseline_difference) <= tolerance;
  if (report.baseline_passed) report.status = "PASS";
  return report;
}

namespace {

bool applies(const core::Measurement& baseline, const core::Measurement& current) {
  const File* before = core::native_file<File>(baseline);
  const File* after = core::native_file<File>(current);
  return before != nullptr && after != nullptr && after->run && (before->baseline || before->run);
}

std::string tolerance_text(double fraction) { return "±" + core::short_number(fraction * 100) + "%"; }

std::string operator_key(const std::string& name) { return name + ".total_time_s"; }

std::uint64_t warned(const Report& report) {
  return static_cast<std::uint64_t>(std::count_if(report.operators.begin(), report.operators.end(),
                                                  [](const OperatorRow& row) { return row.state != OperatorState::pass; }));
}

// Its own words: which of the two times fails, then the lines of the operators.
void say(const Report& report, core::NativeReport& out) {
  const auto line = [&](std::string_view what, double reference, double difference, double tolerance) {
    out.said.push_back(std::string(what) + ": " + milliseconds_text(reference) + " (" + percent_text(difference) +
                       ", tolerance: " + tolerance_text(tolerance) + ") FAIL");
    if (out.said_keys.empty()) out.said_keys.emplace_back(kTotal);
  };
  if (!report.error.empty()) out.said.push_back(report.error);
  if (!report.initial_passed && report.initial_difference)
    line("vs Initial", report.initial_s, *report.initial_difference, report.initial_tolerance);
  if (!report.baseline_passed && report.baseline_difference)
    line(report.automatic ? "vs first run" : "vs Baseline", report.baseline_s, *report.baseline_difference,
         report.baseline_tolerance);
  out.said.insert(out.said.end(), report.violations.begin(), report.violations.end());
  for (const OperatorRow& row : report.operators) {
    if (row.state != OperatorState::pass) out.said_keys.push_back(operator_key(row.name));
  }
}

core::Reason miss(core::ReasonCode code, std::string message, std::vector<std::string> keys = {}) {
  core::Reason reason{code};
  reason.message = std::move(message);
  reason.keys_count = keys.size();
  if (keys.size() > 20) keys.resize(20);
  reason.keys = std::move(keys);
  return reason;
}

std::string times(std::uint64_t n, std::string_view singular) { return core::counted(n, singular); }

// A run that is faster than both of its references allow: no regression, whatever it is called.
void add_speed_up(const Report& report, core::NativeReport& out) {
  std::vector<std::string> faster;
  if (!report.initial_passed && report.initial_difference.value_or(0) < 0)
    faster.push_back(percent_text(*report.initial_difference) + " against the initial time");
  if (!report.baseline_passed && report.baseline_difference.value_or(0) < 0)
    faster.push_back(percent_text(*report.baseline_difference) + " against the baseline time");
  if (faster.empty()) return;
  out.misses.push_back(miss("native_unjust_failure",
                            "its check of the total time is two-sided: " + core::listed(faster) + " is a speed-up, and fails",
                            {std::string(kTotal)}));
}

void add_unseen(const Report& report, const Run& run, const Case* expected, core::NativeReport& out) {
  std::vector<std::string> slower, vanished;
  for (const OperatorRow& row : report.operators) {
    if (row.state == OperatorState::drift && (row.difference.value_or(0) > report.operator_tolerance || row.calls_differ))
      slower.push_back(operator_key(row.name));
    if (row.state == OperatorState::missing) vanished.push_back(operator_key(row.name));
  }
  const bool only_warns = report.rules == Rules::code;
  if (only_warns && !vanished.empty()) {
    out.misses.push_back(miss("native_vanished_passes",
                              times(vanished.size(), "operator") + " of the baseline's top " + std::to_string(report.top_n) +
                                  " not in the run's: a warning in its log, never a failure",
                              vanished));
  }
  if (only_warns && !slower.empty()) {
    out.misses.push_back(miss("native_unchecked",
                              times(slower.size(), "operator") +
                                  " slower than its tolerance or called another number of times: a warning in its log, never "
                                  "a failure, although its README says that it fails",
                              slower));
  }
  if (report.status == "NO_BASELINE") {
    out.misses.push_back(
        miss("native_unchecked", "the case has neither an initial nor a baseline time: any total passes", {std::string(kTotal)}));
  }
  if (report.operator_status == "NO_BASELINE") {
    out.misses.push_back(
        miss("native_unchecked", "the case has no operators: none is compared, although its README says that this fails"));
  }
  if (run.rows_passed_over > 0) {
    out.misses.push_back(miss(
        "native_unchecked", times(run.rows_passed_over, "row") +
                                " of the table passed over: its reader takes the second column for a time, which it is not in a "
                                "table with bounds or shapes"));
  }
  if (expected == nullptr) return;
  const std::size_t baseline_rest = expected->operators.size() - first_of(expected->operators.size(), report.top_n);
  const std::size_t run_rest = run.operators.size() - first_of(run.operators.size(), report.top_n);
  if (baseline_rest + run_rest > 0) {
    out.misses.push_back(miss("native_unchecked", times(std::max(baseline_rest, run_rest), "operator") + " outside the top " +
                                                      std::to_string(report.top_n) + " not compared"));
  }
  if (report.initial_s > 0 && report.baseline_s > 0) {
    // The two references are allowed to drift apart: a run on the edge of one is nowhere near the other.
    const double apart = (report.baseline_s - report.initial_s) / report.initial_s;
    if (report.status == "PASS" && std::fabs(apart) > report.initial_tolerance) {
      out.misses.push_back(
          miss("native_unchecked",
               "the case's baseline time is " + percent_text(apart) + " from its initial time: it passes what lies between",
               {std::string(kTotal)}));
    }
  }
}

core::Expected<core::NativeReport> judge(const core::Measurement& baseline, const core::Measurement& current,
                                         const Options& options) {
  Rules rules = Rules::code;
  if (const auto asked = options.setting("rules")) {
    if (*asked != "code" && *asked != "documented") {
      return core::fail(core::ErrorCode::usage, "--native rules=" + std::string(*asked) + " is not a set of rules",
                        "they are code and documented");
    }
    if (*asked == "documented") rules = Rules::documented;
  }
  const File& before = *core::native_file<File>(baseline);
  const Run& run = *core::native_file<File>(current)->run;
  const Case* expected = before.baseline ? &*before.baseline : nullptr;
  Report report =
      expected != nullptr
          ? check(*expected, run, rules)
          : auto_baseline(*before.run, run, options.tolerance_percent ? *options.tolerance_percent / 100 : kAutomaticTolerance);
  core::NativeReport out;
  out.system = "msmodeling";
  out.verdict = report.status;
  const bool failed = report.status.starts_with("FAIL") || !report.error.empty() || report.operator_status == "FAIL";
  if (report.status == "PASS" && !report.error.empty()) out.verdict = "ERROR";
  if (report.operator_status == "WARN" || report.operator_status == "FAIL")
    out.verdict += ", operators " + report.operator_status;
  out.outcome = failed                                                                        ? core::NativeOutcome::fail
                : report.operator_status == "WARN" || report.operator_status == "NO_BASELINE" ? core::NativeOutcome::warn
                                                                                              : core::NativeOutcome::pass;
  out.exit_code = failed ? 1 : 0;
  out.summary = report.automatic ? "automatic baseline " + report.status
                                 : "total time " + report.status + ", " + times(warned(report), "operator") + " of " +
                                       std::to_string(report.operators.size()) + " not as in the case";
  say(report, out);
  add_speed_up(report, out);
  add_unseen(report, run, expected, out);
  if (expected != nullptr && !expected->unknown_keys.empty()) {
    out.warnings.push_back({"native_stops", "msmodeling itself stops on this case with a TypeError: it does not know " +
                                                core::listed(expected->unknown_keys)});
  }
  out.detail = std::move(report);
  return out;
}

// What its checks decide: the total, and the operators of the two top lists. Everything else it does not look at.
core::Comparison decide_rows(const core::NativeReport& native, core::Comparison comparison) {
  const Report& report = *core::native_detail<Report>(native);
  std::unordered_map<std::string, core::State> states;
  if (report.status != "NO_BASELINE" && report.status != "ERROR")
    states.emplace(kTotal, report.status == "PASS" ? core::State::unchanged : core::State::regressed);
  for (const OperatorRow& row : report.operators) {
    core::State state = core::State::unchanged;
    if (row.state == OperatorState::missing) state = core::State::missing;
    if (row.state == OperatorState::added) state = core::State::added;
    const bool slow = std::fabs(row.difference.value_or(0)) > report.operator_tolerance;
    states.emplace(operator_key(row.name), slow && row.state == OperatorState::drift ? core::State::regressed : state);
    states.emplace(row.name + ".num_calls", row.calls_differ ? core::State::regressed : state);
  }
  for (core::Delta& delta : comparison.deltas) {
    const auto it = states.find(std::string(comparison.side(delta).pool().view(delta.key)));
    delta.state = it == states.end() ? core::State::context : it->second;
    delta.exceeds = delta.adverse = delta.state == core::State::regressed;
    if (delta.state == core::State::missing && delta.current_row != core::kNoRow) delta.state = core::State::context;
    if (delta.state == core::State::added && delta.baseline_row != core::kNoRow) delta.state = core::State::context;
  }
  return comparison;
}

}  // namespace

const System kSystem = {.name = "msmodeling",
                        .title = "the two checks of msmodeling's case files, and its automatic baseline",
                        .needs = "a case file and the simulator's table, or two tables",
                        .settings = kSettings,
                        .applies = &applies,
                        .judge = &judge,
                        .decide_rows = &decide_rows,
                        .printer = &kPrinter,
                        .exporter = &kExporter};

}  // namespace plumbline::systems::msmodeling
