// What several pages say in the same words.
#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/text.hpp"
#include "server/mcp/uri.hpp"
#include "server/site/page.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::string_view kSparkline =
    R"html(<svg class="spark" viewBox="0 0 120 28" role="img" aria-label="{{label}}"><polyline points="{{points}}"/><circle cx="{{x}}" cy="{{y}}" r="2.5"/></svg>)html";

std::string coordinate(double value) { return core::short_number(std::round(value * 10) / 10, 6); }

// What may have been meant, as a link: the nearest family, else the nearest measurement of the family.
std::vector<std::pair<std::string, std::string>> near_names(const Summary& summary, const std::string& family,
                                                            const std::string& measurement) {
  std::vector<std::string_view> families, measurements;
  for (const Line& line : summary.lines) {
    if (families.empty() || families.back() != line.family) families.push_back(line.family);
    if (line.family == family) measurements.push_back(line.measurement);
  }
  if (measurements.empty()) {
    const std::string_view near = core::nearest(family, families);
    if (near.empty()) return {};
    if (summary.find(near, measurement) == nullptr) return {{link("families", {near}), std::string(near)}};
    return {{link("families", {near, measurement}), std::string(near) + "/" + measurement}};
  }
  const std::string_view near = core::nearest(measurement, measurements);
  const std::string_view meant = near.empty() ? measurements.front() : near;
  return {{link("families", {family, meant}), family + "/" + std::string(meant)}};
}

}  // namespace

std::string time_text(std::string_view slug) {
  if (!registry::is_slug(slug)) return {};
  const auto part = [&](std::size_t from, std::size_t length) { return std::string(slug.substr(from, length)); };
  return part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + " " + part(9, 2) + ":" + part(11, 2) + ":" + part(13, 2);
}

std::string value_text(const std::optional<double>& value, std::string_view unit) {
  return value ? reports::figure(*value, unit) : std::string("rows");
}

void set_verdict(Data& data, const registry::BundleHead& head) {
  const bool superseded = !head.superseded_by.empty();
  data.set("verdict", head.verdict.empty() ? "unreadable" : head.verdict, 20);
  data.set("tier", head.tier, 20);
  data.set("tone", head.verdict == "RED" ? "bad" : head.verdict == "YELLOW" ? "doubt" : head.verdict == "GREEN" ? "good" : "");
  data.set("superseded", superseded ? head.superseded_by : "");
}

std::string sparkline(const std::vector<double>& values, std::string_view unit) {
  if (values.size() < 2) return {};
  const auto ends = std::minmax_element(values.begin(), values.end());
  const double low = *ends.first, high = *ends.second, range = high - low;
  const auto x = [&](std::size_t i) { return 3 + 114.0 * static_cast<double>(i) / static_cast<double>(values.size() - 1); };
  const auto y = [&](double value) { return range > 0 && std::isfinite(range) ? 24 - 20 * (value - low) / range : 14.0; };
  std::string points;
  for (std::size_t i = 0; i < values.size(); ++i) points += coordinate(x(i)) + "," + coordinate(y(values[i])) + " ";
  Data data;
  data.set("points", points).set("x", coordinate(x(values.size() - 1))).set("y", coordinate(y(values.back())));
  data.set("label", core::counted(values.size(), "value") + " from " + reports::figure(low) + " to " +
                        reports::figure(high, unit) + ", the newest " + reports::figure(values.back()));
  return render(kSparkline, data);
}

tl::expected<mcp::Place, Answer> place_of(const Visit& visit, Kind kind) {
  mcp::ResourceUri uri;
  uri.kind = kind == Kind::entry ? mcp::ResourceUri::Kind::entry : mcp::ResourceUri::Kind::bundle;
  uri.family = visit.parts[0];
  uri.measurement = visit.parts[1];
  uri.slug = visit.parts[2];
  auto place = mcp::find_place(visit.store, uri);
  if (place) {
    // Another machine may have published it.
    if (auto there = visit.store.bring({kind, place->family, place->measurement, place->slug}); !there)
      return tl::unexpected(problem(there.error()));
    return *std::move(place);
  }
  if (place.error().code != core::ErrorCode::not_found) return tl::unexpected(problem(place.error()));
  return tl::unexpected(
      problem(404, place.error().message, place.error().hint, near_names(*visit.summary, uri.family, uri.measurement)));
}

Answer no_such_name(const Visit& visit) {
  const std::string& family = visit.parts[0];
  const std::string measurement = visit.parts.size() > 1 ? visit.parts[1] : "";
  const bool known = !visit.summary->of(family).empty();
  const std::string message = known
                                  ? "The family " + core::cited(family) + " has no measurement " + core::cited(measurement) + "."
                                  : "There is no family " + core::cited(family) + ".";
  return problem(404, message, "", near_names(*visit.summary, family, measurement));
}

}  // namespace plumbline::server::site
