#include "verbs/freeze_sol.hpp"

#include "core/statistics.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {

Expected<std::shared_ptr<const configs::Ceilings>> ceilings_for(const std::string& root, const Context& context) {
  const std::string path = root + "/configs/sol-ceilings.yaml";
  const registry::PathLimits limits = path_limits(context);
  if (is_absent(path, limits)) return configs::Ceilings::builtin();
  auto bytes = registry::read_file(path, limits);
  if (!bytes) return core::fail(bytes.error());
  return configs::Ceilings::parse(bytes->view(), path);
}

Expected<FrozenCeilings> freeze_sol(const core::Measurement& measurement, const core::Context& context, std::string_view which,
                                    const configs::Ceilings& ceilings) {
  FrozenCeilings out;
  std::optional<core::Ceiling> fixed;
  if (which != "auto") {
    auto found = ceilings.find(which);
    if (!found) return core::fail(found.error());
    fixed = std::move(*found);
  }
  std::string first_unit;
  std::optional<Error> choice_error;
  bool said_evidence = false;
  for (const core::Row& row : measurement.rows()) {
    const core::MetricClass& klass = measurement.metric_class(row);
    if (row.value_count == 0 || klass.role != core::Role::judged) continue;
    const std::string_view unit = measurement.unit(row);
    if (first_unit.empty()) first_unit = unit;
    core::Ceiling ceiling;
    if (fixed) {
      ceiling = *fixed;
    } else {
      auto chosen = ceilings.choose(context, measurement.metric(row), unit);
      if (!chosen) {
        if (!choice_error) choice_error = chosen.error();
        continue;
      }
      ceiling = chosen->ceiling;
      if (!said_evidence) out.warnings.push_back({"sol_evidence", "ceiling " + ceiling.key + ": " + chosen->evidence});
      said_evidence = true;
    }
    const double value = core::median(measurement.values(row));
    const auto pct = core::sol_percent(value, unit, ceiling.value, ceiling.unit);
    if (!pct) continue;
    core::FrozenSol frozen;
    frozen.row_key = measurement.key(row);
    frozen.ceiling_key = ceiling.key;
    frozen.ceiling_value = ceiling.value;
    frozen.ceiling_unit = ceiling.unit;
    frozen.duplex = ceiling.duplex;
    frozen.pct = *pct;
    frozen.rigor = "L1";
    if (out.rows.empty()) {
      if (auto warning = core::duplex_warning(frozen, measurement.metric(row), value, unit)) out.warnings.push_back(*warning);
      if (ceiling.confidence == "uncertain") {
        out.warnings.push_back({"uncertain_ceiling", ceiling.key + " is marked uncertain: " + ceiling.source});
      }
    }
    out.rows.push_back(std::move(frozen));
  }
  if (!out.rows.empty()) return out;
  if (fixed) {
    return core::fail(ErrorCode::usage,
                      "--ceiling " + std::string(which) + " is in " + fixed->unit + ", and no judged row can be held against it" +
                          (first_unit.empty() ? " (the rows have no unit)" : " (rows are in " + first_unit + ")"),
                      "give `--unit UNIT`, or a ceiling of the same quantity");
  }
  if (choice_error) return core::fail(*choice_error);
  return core::fail(ErrorCode::usage, "--ceiling auto found no judged row with a unit",
                    "name the ceiling, or give `--unit UNIT`");
}

}  // namespace plumbline::verbs
