// merge_trials (core/measurement.hpp): several files of one measurement become the trials of one.
#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/measurement.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::core {
namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;
constexpr std::string_view kSameHint = "trials are repeated runs of one measurement; compare different ones one by one";

std::string file_name(std::span<const std::string> names, std::size_t trial) {
  return trial < names.size() ? names[trial] : "trial " + std::to_string(trial + 1);
}

// What was run, on what, how. Labels and serial numbers, whose difference is only for information, may differ.
bool must_be_equal(std::string_view key) {
  constexpr auto kGlobs =
      std::to_array<std::string_view>({"identity.*", "workload.*", "parallelism.*", "serving.*", "hardware.gpu*"});
  return context_severity(key) != Severity::informative &&
         std::any_of(kGlobs.begin(), kGlobs.end(), [&](std::string_view glob) { return glob_match(glob, key); });
}

// The states whose values are numbers that a list of trials can hold.
bool has_values(ValueState state) {
  return state == ValueState::number || state == ValueState::numeric_string || state == ValueState::boolean ||
         state == ValueState::big_integer;
}

// Rows of one file by key. A key that stands more than once keeps its first row and is marked.
class KeyIndex {
 public:
  KeyIndex(const Measurement& measurement, StringPool& pool) {
    const bool same_pool = &measurement.pool() == &pool;
    ids_.reserve(measurement.rows().size());
    for (const Row& row : measurement.rows()) ids_.push_back(same_pool ? row.key : pool.intern(measurement.key(row)));
    row_of_.assign(pool.size(), kNowhere);
    for (std::uint32_t i = 0; i < ids_.size(); ++i) {
      std::uint32_t& at = row_of_[ids_[i]];
      if (at == kNowhere) {
        at = i;
      } else {
        repeated_.push_back(ids_[i]);
      }
    }
    std::sort(repeated_.begin(), repeated_.end());
  }
  [[nodiscard]] std::uint32_t row(Id key) const { return key < row_of_.size() ? row_of_[key] : kNowhere; }
  [[nodiscard]] Id key(std::size_t row) const { return ids_[row]; }
  [[nodiscard]] bool is_repeated(Id key) const { return std::binary_search(repeated_.begin(), repeated_.end(), key); }

 private:
  std::vector<Id> ids_;  // of each row, in the pool of the merged measurement
  std::vector<std::uint32_t> row_of_;
  std::vector<Id> repeated_;
};

TrialMergeProblem key_problem(std::string_view key, const std::string& has, const std::string& lacks) {
  return {"trials must have the same keys: " + cited(key) + " is in " + has + " but not in " + lacks, std::string(kSameHint)};
}

std::optional<TrialMergeProblem> kind_problem(const Measurement& a, const Measurement& b, const std::string& a_name,
                                              const std::string& b_name) {
  if (a.format.name != b.format.name) {
    return TrialMergeProblem{
        "trials must be of one format: " + a_name + " is " + a.format.name + ", " + b_name + " is " + b.format.name,
        std::string(kSameHint)};
  }
  if (a.shape != b.shape) {
    return TrialMergeProblem{"trials must be of one shape: " + a_name + " is " + std::string(to_string(a.shape)) + ", " + b_name +
                                 " is " + std::string(to_string(b.shape)),
                             std::string(kSameHint)};
  }
  for (const ContextDifference& difference : context_differences(a.context, b.context, {})) {
    if (!must_be_equal(difference.key)) continue;
    const auto said = [](bool known, const std::string& value) { return known ? cited(value) : std::string("not stated"); };
    return TrialMergeProblem{"trials must have the same context: " + difference.key + " is " +
                                 said(difference.baseline_known, difference.baseline) + " in " + a_name + " and " +
                                 said(difference.current_known, difference.current) + " in " + b_name,
                             std::string(kSameHint)};
  }
  return std::nullopt;
}

// Siblings that did the same work are no trials of one another: their mean hides the one that is slow.
std::optional<TrialMergeProblem> host_problem(const Measurement& first, const std::vector<Measurement>& others,
                                              std::span<const std::string> names) {
  std::vector<std::string> said;
  std::string host;
  bool differ = false;
  const auto look = [&](const Measurement& one, std::size_t trial) {
    const auto at = one.context.find("environment.hostname");
    if (at == one.context.end()) return;
    differ = differ || (!host.empty() && host != at->second);
    if (host.empty()) host = at->second;
    said.push_back(file_name(names, trial) + " (" + one_line(at->second, 80) + ")");
  };
  look(first, 0);
  for (std::size_t i = 0; i < others.size(); ++i) look(others[i], i + 1);
  if (!differ) return std::nullopt;
  return TrialMergeProblem{"trials of different hosts: " + listed(said, 8),
                           "compare siblings by themselves, each with its own baseline: trials are repeated runs on one host"};
}

std::optional<TrialMergeProblem> keys_problem(const Measurement& a, const Measurement& b, const KeyIndex& a_index,
                                              const KeyIndex& b_index, const std::string& a_name, const std::string& b_name) {
  for (std::size_t i = 0; i < a.rows().size(); ++i) {
    if (b_index.row(a_index.key(i)) == kNowhere) return key_problem(a.key(a.rows()[i]), a_name, b_name);
  }
  for (std::size_t i = 0; i < b.rows().size(); ++i) {
    if (a_index.row(b_index.key(i)) == kNowhere) return key_problem(b.key(b.rows()[i]), b_name, a_name);
  }
  return std::nullopt;
}

void add_missing_warnings(Measurement& into, const Measurement& from) {
  for (const Warning& warning : from.warnings) {
    if (std::find(into.warnings.begin(), into.warnings.end(), warning) == into.warnings.end()) into.warnings.push_back(warning);
  }
}

void warn_of_varying_context(Measurement& into, const std::vector<Measurement>& others) {
  std::vector<std::string> varying;
  for (const Measurement& other : others) {
    for (const ContextDifference& difference : context_differences(into.context, other.context, {})) {
      if (difference.severity == Severity::informative) continue;
      if (std::find(varying.begin(), varying.end(), difference.key) == varying.end()) varying.push_back(difference.key);
    }
  }
  if (!varying.empty()) {
    into.warn("trial_context_varies", "the trials differ in " + listed(varying) + "; the first file's values are kept");
  }
}

}  // namespace

std::optional<TrialMergeProblem> merge_trials(Measurement& into, const std::vector<Measurement>& others,
                                              std::span<const std::string> names) {
  if (others.empty()) return std::nullopt;
  StringPool& pool = into.pool();
  if (auto problem = host_problem(into, others, names)) return problem;
  const KeyIndex first_index(into, pool);
  std::vector<KeyIndex> indexes;
  indexes.reserve(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::string a_name = file_name(names, 0), b_name = file_name(names, i + 1);
    if (auto problem = kind_problem(into, others[i], a_name, b_name)) return problem;
    indexes.emplace_back(others[i], pool);
    if (auto problem = keys_problem(into, others[i], first_index, indexes.back(), a_name, b_name)) return problem;
  }

  // Iterations inside one process are not independent: of each file only its median is a trial (Kalibera & Jones 2013).
  const bool collapse = into.replication == Replication::in_process;

  Measurement merged(into.shared_pool());
  merged.classes() = into.classes();
  merged.reserve(into.rows().size(), into.rows().size() * (others.size() + 1));
  std::vector<double> values;
  for (std::size_t i = 0; i < into.rows().size(); ++i) {
    Row row = into.rows()[i];
    const Id key = row.key;
    bool repeated = first_index.is_repeated(key);
    values.clear();
    const auto add = [&](std::span<const double> list, double factor) {
      if (collapse && list.size() > 1) {
        values.push_back(median(list) * factor);
      } else {
        for (const double value : list) values.push_back(value * factor);
      }
    };
    add(into.values(row), 1);
    for (std::size_t o = 0; o < others.size(); ++o) {
      const Measurement& other = others[o];
      const Row& same = other.rows()[indexes[o].row(key)];
      repeated = repeated || indexes[o].is_repeated(key);
      const std::string_view unit = into.unit(row), other_unit = other.unit(same);
      const std::optional<double> factor = conversion_factor(other_unit, unit);
      if (!factor) {
        return TrialMergeProblem{"trials must have the same units: " + cited(into.key(row)) + " is in " + cited(unit) + " in " +
                                     file_name(names, 0) + " and in " + cited(other_unit) + " in " + file_name(names, o + 1),
                                 std::string(kSameHint)};
      }
      add(other.values(same), *factor);
      if (same.state > row.state) {  // the states are in order of how little is left to compare
        row.state = same.state;
        row.text = &other.pool() == &pool ? same.text : pool.intern(other.pool().view(same.text));
      }
    }
    if (repeated && row.state < ValueState::duplicate) row.state = ValueState::duplicate;
    if (!has_values(row.state)) values.clear();
    row.dims = merged.add_dims(into.dims(row));
    merged.add_row(row, values);
  }

  merged.format = into.format;
  merged.shape = into.shape;
  merged.replication = collapse ? Replication::run : into.replication;
  merged.context = into.context;
  merged.declared = into.declared;
  merged.warnings = into.warnings;
  merged.trial_files = into.trial_files;
  for (const Measurement& other : others) {
    merged.trial_files += other.trial_files;
    add_missing_warnings(merged, other);
  }
  warn_of_varying_context(merged, others);
  into = std::move(merged);
  return std::nullopt;
}

}  // namespace plumbline::core
