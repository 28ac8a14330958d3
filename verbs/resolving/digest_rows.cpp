#include "verbs/resolving/digest_rows.hpp"

#include <map>
#include <numeric>

#include "configs/kernel_categories.hpp"
#include "profiles/digest/digest.hpp"

namespace plumbline::verbs {
namespace {

constexpr double kNsPerMs = 1e6;

double real(std::int64_t value) { return static_cast<double>(value); }

// How many steps the window of a device holds; 0 where steps are not known.
double steps_held(const profiles::Profile& profile) {
  const auto& steps = profile.steps.steps;
  double walls = 0, spans = 0;
  for (const profiles::Step& step : steps) walls += real(step.wall_ns);
  for (const profiles::DeviceWall& device : profile.devices) spans += real(device.buckets.span_ns);
  if (walls <= 0 || profile.devices.empty()) return 0;
  return spans / static_cast<double>(profile.devices.size()) / (walls / static_cast<double>(steps.size()));
}

core::Measurement rows_of(const profiles::Profile& profile, const std::shared_ptr<core::StringPool>& pool) {
  core::Measurement rows(pool);
  rows.format.name = profile.info.format;
  core::MetricClass milliseconds;
  milliseconds.unit = pool->intern("ms");
  milliseconds.unit_source = core::Source::format;
  milliseconds.direction = core::Direction::lower;
  milliseconds.direction_source = core::Source::format;
  const auto metric_class = rows.intern_class(milliseconds);
  const auto add = [&](const std::string& key, const std::vector<double>& values) {
    core::Row row;
    row.key = row.metric = pool->intern(key);
    row.metric_class = metric_class;
    rows.add_row(row, values);
  };
  std::vector<double> walls;
  for (const profiles::Step& step : profile.steps.steps) walls.push_back(real(step.wall_ns) / kNsPerMs);
  if (!walls.empty()) add("step_ms", walls);
  if (profile.info.span_ns) add("wall_ms", {real(*profile.info.span_ns) / kNsPerMs});
  std::map<std::string, double> categories;
  for (const profiles::NamedAggregate& kernel : profile.kernels)
    categories[configs::KernelCategories::builtin()->of(kernel.name).name] += real(kernel.aggregate.total) / kNsPerMs;
  const double steps = steps_held(profile);
  for (const auto& [name, time] : categories)
    add("kernels." + name + (steps > 0 ? ".ms_per_step" : ".ms"), {steps > 0 ? time / steps : time});
  return rows;
}

}  // namespace

Expected<Baseline> open_digest(const std::string& directory, const core::BaselineRecord& record,
                               const std::shared_ptr<core::StringPool>& pool, const Context& context) {
  const auto bytes = registry::verified_file(directory, "profile-digest.json.gz", path_limits(context));
  if (!bytes) return core::fail(bytes.error());
  auto digest = profiles::unpack_digest(*bytes, directory + "/profile-digest.json.gz");
  if (!digest) return core::fail(digest.error());
  Baseline out;
  out.measurement = std::make_shared<const core::Measurement>(rows_of(profiles::profile_of(std::move(*digest)), pool));
  out.context = record.context;
  return out;
}

}  // namespace plumbline::verbs
