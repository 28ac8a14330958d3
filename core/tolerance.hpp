// Tolerances: how much worse a value may be before it counts. SPEC text: "5%" (or "5"), "2abs" (in the metric's unit),
// "2pp" (points: for metrics that are percentages or fractions, an absolute difference in percentage points).
// A point estimate exactly at tolerance is within; comparisons have relative slack 1e-12 so that 100 -> 105 at 5 % is
// within whatever the last bit says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/measurement.hpp"

namespace plumbline::core {

enum class ToleranceKind : std::uint8_t { percent, absolute, points };
[[nodiscard]] std::string_view to_string(ToleranceKind kind);  // "percent" "absolute" "points"

struct Tolerance {
  ToleranceKind kind = ToleranceKind::percent;
  double value = 5.0;
  Source source = Source::defaulted;
  std::string note;  // "plumbline.yaml:12", "baseline.json", format name, …; may be empty
};

// "5%", "2abs", "2pp", "0.5"; the error text says what a SPEC may be. Values must be finite and not negative.
[[nodiscard]] Expected<Tolerance> parse_tolerance(std::string_view spec);
[[nodiscard]] std::string tolerance_text(const Tolerance& tolerance);  // "5%", "2 abs", "2 pp"

// Percentage points in one of the metric's unit: 1 for "%", 100 for "ratio" and "fraction"; values without a unit are taken as
// fractions while both sides lie within -1..1, else as percentages. nullopt: points mean nothing for this unit ("ms").
[[nodiscard]] std::optional<double> points_per_unit(std::string_view unit, double baseline, double current);

// The change expressed on the tolerance's own scale: percent of baseline, absolute, or points. For a percent tolerance
// on a zero baseline the used amount is +infinity unless the values are equal. Points as points_per_unit says.
[[nodiscard]] double change_on_scale(const Tolerance& tolerance, double baseline, double current, std::string_view unit);

// |change| > tolerance, with the relative slack.
[[nodiscard]] bool exceeds(const Tolerance& tolerance, double change_on_scale);

}  // namespace plumbline::core
