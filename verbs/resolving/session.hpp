// What record, diff and profile-diff share: opening sources under the call's limits, reading them as measurements, and
// putting the answers of flags, project file, entry and format together into rules that name where each came from.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "configs/configs.hpp"
#include "core/comparison.hpp"
#include "core/measurement.hpp"
#include "core/results/baseline.hpp"
#include "intake/source.hpp"
#include "registry/files.hpp"
#include "registry/store.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// From the call's folder, links resolved as far as the path exists and stays in the allowed roots.
[[nodiscard]] std::string absolute(const Context& context, std::string_view path);

// How the readers of captures open what they read: under the call's confinement; empty without one.
[[nodiscard]] profiles::Opener capture_opener(const Context& context);

// intake::open of a parameter's path, whose errors name the parameter.
[[nodiscard]] Expected<intake::Opened> load_source(std::string_view path, const Context& context, std::string_view parameter);

// Name rules in force: <root>/configs/metric-names.yaml if it is there, else the embedded file, as where there is no root ("").
using Names = std::shared_ptr<const configs::MetricNames>;
[[nodiscard]] Expected<Names> names_for(const std::string& root, const Context& context);

// Reads one source, or several as the trials of one measurement; `names` null: the embedded rules. Without a
// single number it is an error, unless allowed: the current side of a diff may have died.
[[nodiscard]] Expected<core::Measurement> read_measurement(const std::vector<intake::Opened>& sources, const std::string& format,
                                                           const std::shared_ptr<core::StringPool>& pool, const Context& context,
                                                           const Names& names = nullptr, bool allow_no_numbers = false);

// --direction, --tolerance, --headline as given: "DIR" or "KEY=DIR", "KEY=SPEC", "KEY". Errors name the text.
struct FlagRules {
  std::vector<core::KeyRule> key_rules;
  std::optional<core::Direction> direction;                                 // the bare --direction; nullopt = auto
  std::vector<std::pair<std::string, std::string>> directions, tolerances;  // as texts, for the entry
  std::vector<std::string> headlines;
};
[[nodiscard]] Expected<FlagRules> flag_rules(const Arguments& arguments);
// Each KEY must name a row of one side: the error gives the nearest key.
[[nodiscard]] Status check_keys(const FlagRules& rules, std::span<const core::Measurement* const> sides);

// Rules that a declared schema brings (the file's own, else the policies' table by format).
[[nodiscard]] Expected<std::vector<core::KeyRule>> declared_key_rules(const core::Measurement& measurement);
// Rules frozen in an entry.
[[nodiscard]] Expected<std::vector<core::KeyRule>> entry_key_rules(const core::BaselineRecord& record);

// A bare direction over a structured measurement: two-sided holds for every row; a side holds for rows whose direction is
// not known by themselves. Where a name says the opposite the name is kept and `direction_conflict` says so.
void apply_bare_direction(core::Direction direction, core::Source source, core::Measurement& measurement,
                          std::vector<core::KeyRule>& rules);

// One-row measurement of a scalar entry, from its value.
[[nodiscard]] core::Measurement scalar_measurement(const core::BaselineRecord& record,
                                                   const std::shared_ptr<core::StringPool>& pool);
// A scalar's row is called after its measurement, on both sides.
void name_scalar(core::Measurement& measurement, std::string_view name);

// "source-snapshot.json", for the third trial "source-snapshot.3.json": the source's last suffix is kept, as the reference tool
// names it, where the manifest's plain names allow it.
[[nodiscard]] std::string snapshot_name(std::string_view stem, const registry::Source& source, std::size_t trial);

// How far the call is, 0 to 1, for whoever asked to know.
void show_progress(const Context& context, double fraction, std::string_view message);

[[nodiscard]] Error cancelled_error();

}  // namespace plumbline::verbs
