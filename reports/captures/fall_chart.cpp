// The waterfall of one step: from the baseline's wall over the parts that moved to the candidate's.
#include "reports/captures/parts.hpp"
#include "reports/page/svg.hpp"

namespace plumbline::reports {
namespace {

constexpr double kRow = 35, kBar = 13;

double real(std::int64_t value) { return static_cast<double>(value); }

struct Axis {  // from 0 where the changes are large enough to be seen so, else from where they are
  double low = 0, high = 1;
  [[nodiscard]] double at(std::int64_t ns) const { return 100 * std::clamp((real(ns) - low) / (high - low), 0.0, 1.0); }
};

Axis axis_of(const Fall& fall) {
  std::int64_t running = fall.baseline_ns;
  double low = real(std::min(fall.baseline_ns, fall.candidate_ns)), high = real(std::max(fall.baseline_ns, fall.candidate_ns));
  for (const FallPart& part : fall.parts) {
    running += part.delta_ns;
    low = std::min(low, real(running));
    high = std::max(high, real(running));
  }
  if (high - low > high / 8) return {0, std::max(high, 1.0)};
  const double room = std::max((high - low) * 0.25, 1.0);
  return {std::max(low - room, 0.0), high};
}

std::string row(double y, std::string_view name, std::string_view full, std::string_view value, std::string_view bar) {
  return "<g><title>" + markup(full) + ": " + markup(value) + "</title>" + svg::boxed_text(0, y, 76, 18, name, "label") +
         svg::text(100, y + 13, value, "key end") + std::string(bar) + "</g>";
}

}  // namespace

std::string fall_chart(const Fall& fall) {
  const Axis axis = axis_of(fall);
  const double height = kRow * real(static_cast<std::int64_t>(fall.parts.size() + 2)) + 2;
  std::string title = "how " + fall.of + " goes from " + time_text(fall.baseline_ns) + " to " + time_text(fall.candidate_ns);
  for (const FallPart& part : fall.parts)
    title += "; " + shorten_middle(part_label(part), 80) + " " + signed_time_text(part.delta_ns);
  std::string out = svg::open(height, title, "fall");
  double y = 0;
  const auto whole = [&](std::string_view name, std::int64_t ns) {
    out += row(y, name, name, time_text(ns), svg::rect(0, y + 18, std::max(axis.at(ns), 0.3), kBar, "flat"));
  };
  whole("baseline, " + fall.of, fall.baseline_ns);
  std::int64_t running = fall.baseline_ns;
  for (const FallPart& part : fall.parts) {
    out += svg::line(axis.at(running), y + 18, axis.at(running), y + kRow + 18 + kBar, "grid");
    y += kRow;
    const std::int64_t next = running + part.delta_ns;
    const double left = axis.at(std::min(running, next)), right = axis.at(std::max(running, next));
    const std::string name = part_label(part);
    out += row(y, name, part.kind == "idle" || part.name.empty() ? name : one_line(part.name), signed_time_text(part.delta_ns),
               svg::rect(left, y + 18, std::max(right - left, 0.3), kBar, part.delta_ns > 0 ? "more4" : "less4"));
    running = next;
  }
  out += svg::line(axis.at(running), y + 18, axis.at(running), y + kRow + 18, "grid");
  y += kRow;
  whole("candidate, " + fall.of, fall.candidate_ns);
  out += "</svg>";
  if (axis.low > 0) out += "<p class=\"note\">The axis begins at " + time_text(std::llround(axis.low)) + ".</p>";
  return out;
}

}  // namespace plumbline::reports
