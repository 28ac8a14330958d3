// A measurement: what one run (or several trials) of somebody's tool said. Rows are compact and interned: a million of
// them are normal. Each row is one number of one metric at one point: its key is the full dotted path, metric included
// (what KEY globs match); its dims keep the point's own shape (concurrency, size, …); its values are its trials.
// Readers (formats/) build one with MeasurementBuilder; core and verdict only read it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/codes/warnings.hpp"
#include "core/string_pool.hpp"

namespace plumbline::core {

enum class Direction : std::uint8_t { unknown, higher, lower, two_sided };
// "higher-is-better", "lower-is-better", "two-sided", "unknown"
[[nodiscard]] std::string_view to_string(Direction direction);
[[nodiscard]] std::optional<Direction> parse_direction(std::string_view text);  // "auto" is not a direction: nullopt

// judged: compared against tolerance. gate: any worsening fails (#wrong, failed requests). context: never judged.
// noise: the tool's own spread (stddev, cv), never judged, used as noise input.
enum class Role : std::uint8_t { judged, gate, context, noise };
[[nodiscard]] std::string_view to_string(Role role);

// What a number is a share of: of right answers (accuracy, F1, pass@k), of requests, runs or tests that failed or succeeded.
enum class Share : std::uint8_t { none, quality, reliability };

// What a number counts of a run: how often something was tried, succeeded or failed. Of several numbers of one kind the one of
// the least rank is meant.
enum class TallyKind : std::uint8_t { none, attempts, successes, failures };
struct Tally {
  TallyKind kind = TallyKind::none;
  std::uint8_t rank = 0;
};

// Where a unit, direction, tolerance or role came from, strongest first.
enum class Source : std::uint8_t { flag, project, entry, file, format, name_rule, unit, defaulted };
[[nodiscard]] std::string_view to_string(Source source);  // "flag" "project" "entry" "file" "format" "name" "unit" "default"

// What the reader found in the place of a number. Everything but `number` is reported; nothing is dropped.
enum class ValueState : std::uint8_t {
  number,          // a finite number
  numeric_string,  // "12.5": read as the number, warned of
  boolean,         // true/false: 1/0, context unless a gate
  big_integer,     // beyond 2^53: the exact text is kept in `text`, differences are taken exactly when it fits 64 bits
  null,            // null
  text,            // not a number: context
  not_finite,      // NaN, Infinity, or a number beyond double's range: invalid
  duplicate,       // the key stood more than once in its object: invalid, never last-wins
  failed           // the reader knows the number means nothing (every request failed, unit cannot be told): invalid
};
[[nodiscard]] std::string_view to_string(ValueState state);

// Unit, direction and role are shared by many rows: interned as a class.
struct MetricClass {
  Id unit = 0;  // interned unit text, 0 = none known
  Direction direction = Direction::unknown;
  Role role = Role::judged;
  Source unit_source = Source::defaulted;
  Source direction_source = Source::defaulted;
  bool exact = false;  // counts, bytes: no noise, no test
  Share share = Share::none;
  Id direction_note = 0;  // interned evidence, e.g. "name rule: latency"
  friend bool operator==(const MetricClass&, const MetricClass&) = default;
};

struct Row {
  Id key = 0;                      // full dotted path, metric included
  Id metric = 0;                   // metric name: last part of the path, or the column's name
  std::uint32_t metric_class = 0;  // index into classes()
  std::uint32_t dims = 0;          // index into dimension sets, 0 = none
  std::uint32_t first_value = 0;   // into values()
  std::uint32_t value_count = 0;   // trials; 0 for null, text, …
  Id text = 0;                     // original text for text, big_integer, not_finite and failed values, else 0
  ValueState state = ValueState::number;
};

struct Warning {
  WarningCode code;
  std::string message;  // one sentence, with counts and an example
  friend bool operator==(const Warning&, const Warning&) = default;
};

struct FormatInfo {
  std::string name;                   // "generic-json", "scalar-text", "csv", …
  std::string version;                // of the format, where it says one
  double confidence = 0;              // 0..1
  std::vector<std::string> evidence;  // what was seen
  std::string runner_up;              // next best format and its confidence, "" when none
};

enum class Shape : std::uint8_t { scalar, structured, profile, suite };
[[nodiscard]] std::string_view to_string(Shape shape);

// What one value in a trial list is: a process launch, an iteration inside one, or not known. Only `run` and `unknown`
// trials can make a VERDICT (see docs/methodology.md).
enum class Replication : std::uint8_t { run, in_process, unknown };
[[nodiscard]] std::string_view to_string(Replication replication);

// The full-context descriptor: "group.key" -> text, groups identity parallelism serving workload regime stack hardware
// environment. Ordered, small.
using Context = std::map<std::string, std::string>;

// What a file's own declared schema says about how it is to be judged (for instance inference_perfbench_v1): globs over keys.
struct DeclaredRules {
  std::vector<std::pair<std::string, std::string>> tolerances;  // glob -> SPEC
  std::vector<std::string> headlines;                           // globs
  std::vector<std::string> gates;                               // globs
};

struct NativeFile;  // core/native.hpp

class Measurement {
 public:
  explicit Measurement(std::shared_ptr<StringPool> pool) : pool_(std::move(pool)) { dim_sets_.push_back({0, 0}); }

  FormatInfo format;
  Shape shape = Shape::structured;
  Replication replication = Replication::unknown;
  std::uint32_t trial_files = 1;  // how many files were merged as trials
  Context context;
  std::vector<Warning> warnings;
  DeclaredRules declared;
  std::shared_ptr<const NativeFile> native;  // another system's file in that system's own terms; null for most

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] std::vector<Row>& rows() { return rows_; }
  [[nodiscard]] const std::vector<MetricClass>& classes() const { return classes_; }
  [[nodiscard]] std::vector<MetricClass>& classes() { return classes_; }
  [[nodiscard]] std::span<const double> values(const Row& row) const {
    return {values_.data() + row.first_value, row.value_count};
  }
  [[nodiscard]] const MetricClass& metric_class(const Row& row) const { return classes_[row.metric_class]; }
  [[nodiscard]] std::string_view key(const Row& row) const { return pool_->view(row.key); }
  [[nodiscard]] std::string_view metric(const Row& row) const { return pool_->view(row.metric); }
  [[nodiscard]] std::string_view unit(const Row& row) const { return pool_->view(metric_class(row).unit); }
  // (name, value) pairs in the order the format gives them.
  [[nodiscard]] std::span<const std::pair<Id, Id>> dims(const Row& row) const {
    const auto [first, count] = dim_sets_[row.dims];
    return {dims_.data() + first, count};
  }
  [[nodiscard]] StringPool& pool() const { return *pool_; }
  [[nodiscard]] const std::shared_ptr<StringPool>& shared_pool() const { return pool_; }

  // Building. Rows are appended in the source's order. add_row gives its index.
  std::uint32_t intern_class(const MetricClass& metric_class);
  std::uint32_t add_dims(std::span<const std::pair<Id, Id>> dims);  // 0 for an empty set; equal consecutive sets are shared
  std::uint32_t add_row(const Row& row, std::span<const double> values) {
    Row& added = append(values);
    const Row blank = added;
    added = row;
    added.first_value = blank.first_value;
    added.value_count = blank.value_count;
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }
  // A row of these values, to be filled in where it stays: a row that was just written elsewhere cannot be copied before all
  // that was written before it has reached its memory, which takes longer than everything else about a row.
  [[nodiscard]] Row& append(std::span<const double> values) {
    if (rows_.size() == rows_.capacity()) make_room(rows_.size() + 1, 0);
    if (values_.size() + values.size() > values_.capacity()) make_room(0, values_.size() + values.size());
    Row& added = rows_.emplace_back();
    added.first_value = static_cast<std::uint32_t>(values_.size());
    added.value_count = static_cast<std::uint32_t>(values.size());
    if (values.size() == 1) {
      values_.push_back(values.front());
    } else {
      values_.insert(values_.end(), values.begin(), values.end());
    }
    return added;
  }
  void reserve(std::size_t rows, std::size_t values);
  void clear_rows() {  // as if none had been added yet; the room for them stays
    rows_.clear();
    values_.clear();
  }
  void warn(WarningCode code, std::string message) { warnings.push_back({code, std::move(message)}); }

 private:
  void make_room(std::size_t rows, std::size_t values);  // for so many, and as many again

  std::shared_ptr<StringPool> pool_;
  std::vector<Row> rows_;
  std::vector<double> values_;
  std::vector<MetricClass> classes_;
  std::vector<std::pair<Id, Id>> dims_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dim_sets_;  // (first, count) into dims_
  std::unordered_map<std::uint64_t, std::uint32_t> class_index_;   // hash of a class -> where it may be
};

// Several files of one measurement become the trials of one. All must have the same keys in any order and the same context
// (workload, identity, …); the error names the first key or context field that differs and which files disagree.
// `names` are the files' names, for messages.
struct TrialMergeProblem {
  std::string message;
  std::string hint;
};
[[nodiscard]] std::optional<TrialMergeProblem> merge_trials(Measurement& into, const std::vector<Measurement>& others,
                                                            std::span<const std::string> names);

}  // namespace plumbline::core
