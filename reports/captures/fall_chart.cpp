// The waterfall of one step: from the baseline's wall over the parts that moved to the candidate's.
#include "reports/captures/parts.hpp"
#include "reports/page/scales.hpp"
#include "reports/page/svg.hpp"

namespace plumbline::reports {
namespace {

constexpr double kRow = 35, kBar = 13;

std::string row(double y, std::string_view name, std::string_view full, std::string_view value, std::string_view bar) {
  return "<g><title>" + markup(full) + ": " + markup(value) + "</title>" + svg::boxed_text(0, y, 76, 18, name, "label") +
         svg::text(100, y + 13, value, "key end") + std::string(bar) + "</g>";
}

}  // namespace

std::string fall_chart(const Fall& fall) {
  const FallAxis axis(fall);
  const auto at = [&axis](std::int64_t ns) { return 100 * axis.at(ns); };
  const double height = kRow * static_cast<double>(fall.parts.size() + 2) + 2;
  std::string title = "how " + fall.of + " goes from " + time_text(fall.baseline_ns) + " to " + time_text(fall.candidate_ns);
  for (const FallPart& part : fall.parts)
    title += "; " + shorten_middle(part_label(part), 80) + " " + signed_time_text(part.delta_ns);
  std::string out = svg::open(height, title, "fall");
  double y = 0;
  const auto whole = [&](std::string_view name, std::int64_t ns) {
    out += row(y, name, name, time_text(ns), svg::rect(0, y + 18, std::max(at(ns), 0.3), kBar, "flat"));
  };
  whole("baseline, " + fall.of, fall.baseline_ns);
  std::int64_t running = fall.baseline_ns;
  for (const FallPart& part : fall.parts) {
    out += svg::line(at(running), y + 18, at(running), y + kRow + 18 + kBar, "grid");
    y += kRow;
    const std::int64_t next = running + part.delta_ns;
    const double left = at(std::min(running, next)), right = at(std::max(running, next));
    const std::string name = part_label(part);
    out += row(y, name, part.kind == "idle" || part.name.empty() ? name : one_line(part.name), signed_time_text(part.delta_ns),
               svg::rect(left, y + 18, std::max(right - left, 0.3), kBar, part.delta_ns > 0 ? "more4" : "less4"));
    running = next;
  }
  out += svg::line(at(running), y + 18, at(running), y + kRow + 18, "grid");
  y += kRow;
  whole("candidate, " + fall.of, fall.candidate_ns);
  out += "</svg>";
  if (axis.low > 0) out += "<p class=\"note\">The axis begins at " + time_text(std::llround(axis.low)) + ".</p>";
  return out;
}

}  // namespace plumbline::reports
