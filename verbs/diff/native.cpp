#include "verbs/diff/native.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "systems/table.hpp"

namespace plumbline::verbs {

namespace {

std::string which_systems() { return "systems are " + systems::names(); }

std::string side_text(const core::Measurement& side) {
  return (side.trial_files > 1 ? core::counted(side.trial_files, "trial") + " of " : std::string()) + side.format.name;
}

// The system that would know the two sides the other way round; null when it is no question of order.
const systems::System* swapped_system(const core::Measurement& baseline, const core::Measurement& current) {
  for (const systems::System* system : systems::table()) {
    if (system->applies(baseline, current)) return nullptr;
  }
  for (const systems::System* system : systems::table()) {
    if (system->applies(current, baseline)) return system;
  }
  return nullptr;
}

// What helps where a system was asked for and does not know the sides.
std::string hint_of(const core::Measurement& baseline, const core::Measurement& current, std::string otherwise) {
  const systems::System* system = swapped_system(baseline, current);
  return system == nullptr ? std::move(otherwise)
                           : "swap the sides: the file of " + std::string(system->name) + " that is the reference comes first";
}

}  // namespace

std::optional<core::Warning> swapped_sides(const core::Measurement& baseline, const core::Measurement& current) {
  const systems::System* system = swapped_system(baseline, current);
  if (system == nullptr) return std::nullopt;
  return core::Warning{"sides_swapped",
                       "the current side is a baseline of " + std::string(system->name) + " (" + current.format.name +
                           ") and the baseline a run (" + baseline.format.name +
                           "): if the sides are mixed up, better and worse are, too, and that system's rules were "
                           "not asked"};
}

Expected<std::shared_ptr<const core::NativeReport>> native_of(const core::Measurement& baseline, const core::Measurement& current,
                                                              const DiffRequest& request, std::string_view policy) {
  systems::Options options;
  options.tolerance_percent = request.tolerance_percent;
  options.strict = request.strict;
  options.settings = request.native;
  auto report = systems::report_of(baseline, current, options);
  if (!report) return core::fail(report.error());
  const std::string sides = "baseline is " + side_text(baseline) + ", current is " + side_text(current);
  if (const systems::System* asked = systems::find(policy); asked != nullptr) {
    if (!*report || (*report)->system != asked->name) {
      // Of the files, not of the call: in a suite the other cases go on.
      return core::fail(ErrorCode::shape_mismatch,
                        "the policy " + std::string(asked->name) + " judges " + std::string(asked->needs) + "; " + sides,
                        hint_of(baseline, current, "leave --policy out, or give files of that system"));
    }
  }
  if (!*report && asks_for(request.reports, ReportKind::native)) {
    return core::fail(ErrorCode::usage,
                      "--report native prints another system's own report, and these are no files of one: " + sides,
                      hint_of(baseline, current, which_systems()));
  }
  if (!*report && !request.native.empty()) {
    return core::fail(ErrorCode::shape_mismatch, "--native sets another system's rules, and these are no files of one: " + sides,
                      hint_of(baseline, current, which_systems()));
  }
  if (!*report) return std::shared_ptr<const core::NativeReport>();
  return std::make_shared<const core::NativeReport>(std::move(**report));
}

}  // namespace plumbline::verbs
