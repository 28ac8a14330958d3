#include "core/tolerance.hpp"

#include <cmath>
#include <limits>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::core {
namespace {

constexpr double kSlack = 1e-12;

bool strip_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::string_view to_string(ToleranceKind kind) {
  switch (kind) {
    case ToleranceKind::percent:
      return "percent";
    case ToleranceKind::absolute:
      return "absolute";
    case ToleranceKind::points:
      return "points";
  }
  return "percent";
}

Expected<Tolerance> parse_tolerance(std::string_view spec) {
  constexpr std::string_view kHint = "write 5% (of the baseline), 2abs (in the metric's unit) or 2pp (percentage points)";
  std::string_view number = trim(spec);
  Tolerance tolerance;
  if (strip_suffix(number, "%")) {
    tolerance.kind = ToleranceKind::percent;
  } else if (strip_suffix(number, "abs")) {
    tolerance.kind = ToleranceKind::absolute;
  } else if (strip_suffix(number, "pp")) {
    tolerance.kind = ToleranceKind::points;
  }
  const std::optional<double> value = parse_double(number);
  if (!value)
    return fail(ErrorCode::usage, "tolerance " + cited(spec) + " is not a number with %, abs or pp", std::string(kHint));
  if (!std::isfinite(*value)) return fail(ErrorCode::usage, "tolerance " + cited(spec) + " must be finite", std::string(kHint));
  if (*value < 0) return fail(ErrorCode::usage, "tolerance " + cited(spec) + " must not be negative", std::string(kHint));
  tolerance.value = *value + 0.0;  // "-0" reads as 0
  return tolerance;
}

std::string tolerance_text(const Tolerance& tolerance) {
  std::string text = number_text(tolerance.value);
  switch (tolerance.kind) {
    case ToleranceKind::percent:
      text += '%';
      break;
    case ToleranceKind::absolute:
      text += " abs";
      break;
    case ToleranceKind::points:
      text += " pp";
      break;
  }
  return text;
}

std::optional<double> points_per_unit(std::string_view unit, double baseline, double current) {
  if (unit == "%" || unit == "percent" || unit == "pct") return 1;
  if (unit == "ratio" || unit == "fraction") return 100;
  if (unit.empty()) return std::abs(baseline) <= 1 && std::abs(current) <= 1 ? 100 : 1;
  return std::nullopt;
}

double change_on_scale(const Tolerance& tolerance, double baseline, double current, std::string_view unit) {
  const double change = current - baseline;
  switch (tolerance.kind) {
    case ToleranceKind::percent:
      if (change == 0) return 0;
      if (baseline == 0) return std::numeric_limits<double>::infinity();
      return change / std::abs(baseline) * 100;
    case ToleranceKind::absolute:
      return change;
    case ToleranceKind::points:
      return change * points_per_unit(unit, baseline, current).value_or(1);
  }
  return change;
}

bool exceeds(const Tolerance& tolerance, double change_on_scale) {
  return std::abs(change_on_scale) > tolerance.value * (1 + kSlack);
}

}  // namespace plumbline::core
