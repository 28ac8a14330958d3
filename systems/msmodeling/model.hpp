// The case files and simulator tables of msmodeling in that tool's own terms, and what its two checks and its automatic baseline
// say of them. Source of the rules: facts, baseline-systems section 3. Times are in seconds, differences and tolerances are
// fractions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::systems::msmodeling {

struct Operator {
  std::string name;
  double total_time_s = 0;
  std::int64_t num_calls = 0;
};

// A case file: the baseline. A time of 0 means that there is none.
struct Case {
  std::string name, type = "text", description;
  double initial_time_s = 0, baseline_time_s = 0;
  std::optional<double> initial_tolerance, baseline_tolerance, operator_tolerance;
  // Newer versions of the tool bound how much slower than the baseline a run may be, apart from the tolerance.
  std::optional<double> max_increase;
  std::optional<std::int64_t> top_n;
  std::vector<Operator> operators;        // in the file's order; of two of one name the last counts
  std::vector<std::string> unknown_keys;  // that tool stops on these while it collects its cases
  // The whole file, so that it can be written again: each key with its value as Python's json.dump prints it with two blanks.
  std::vector<std::pair<std::string, std::string>> fields;
  bool refreshed = false;  // times and operators are no longer those of `fields`
};

// What a run of the simulator printed, as that tool's expressions read it. They cannot take everything that the simulator can
// print: rows behind a bound or shape column are passed over, a second performance model stops them.
struct Run {
  std::optional<double> total_time_s;
  std::vector<Operator> operators;  // in printed order
  std::string total_error;          // the text of that tool's exception when it finds no total
  std::string operators_error;      // the same of its operator rows
  std::uint64_t rows_passed_over = 0;
};

// One file is one or the other.
struct File {
  std::optional<Case> baseline;
  std::optional<Run> run;
};

// What its code does, or what its README says it does, where the two differ.
enum class Rules : std::uint8_t { code, documented };

enum class OperatorState : std::uint8_t { pass, drift, missing, added };

struct OperatorRow {
  std::string name;
  std::optional<Operator> baseline, actual;
  std::optional<double> difference;  // (actual - baseline) / baseline
  bool calls_differ = false;
  OperatorState state = OperatorState::pass;
};

struct Report {
  std::string case_name;
  std::string status;  // "PASS", "FAIL(INIT)", "FAIL(BASE)", "FAIL(BOTH)", "NO_BASELINE"; "ERROR" where that tool stops
  Rules rules = Rules::code;
  bool automatic = false;  // two runs compared: its automatic baseline. Then `baseline_*` are the first run's, and no operators
  std::string error;       // of the automatic baseline, or the exception that stops the test
  double actual_s = 0, initial_s = 0, baseline_s = 0;
  bool initial_passed = true, baseline_passed = true;
  std::optional<double> initial_difference, baseline_difference;
  double initial_tolerance = 0.10, baseline_tolerance = 0.20, operator_tolerance = 0.10;
  std::int64_t top_n = 10;
  std::string operator_status;          // "PASS", "WARN", "NO_BASELINE"; "FAIL" by its README; "" where not asked
  std::vector<OperatorRow> operators;   // the missing ones by name, then in printed order
  std::vector<std::string> violations;  // the lines of its second check
};

// A time and a difference as that tool prints them: "53.244ms", "-6.10%".
[[nodiscard]] std::string milliseconds_text(double seconds);
[[nodiscard]] std::string percent_text(double fraction);

}  // namespace plumbline::systems::msmodeling
