#include "reports/chart.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "reports/profile_tables.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr double kLabel = 300, kLeft = 318, kRight = 880, kWidth = 1000, kRow = 27, kTop = 24;

std::string at(double value) { return core::short_number(std::round(value * 10) / 10, 6); }

std::string rect(double x, double y, double width, double height, std::string_view tone, double radius = 2) {
  return "<rect x=\"" + at(x) + "\" y=\"" + at(y) + "\" width=\"" + at(std::max(width, 0.0)) + "\" height=\"" + at(height) +
         "\" rx=\"" + at(radius) + "\" class=\"" + std::string(tone) + "\"/>";
}
std::string line(double x1, double y1, double x2, double y2, std::string_view tone) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" class=\"" +
         std::string(tone) + "\"/>";
}
std::string label(double x, double y, std::string_view text, std::string_view tone) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" class=\"" + std::string(tone) + "\">" + markup(text) + "</text>";
}
std::string open(double height, std::string_view title) {
  return "<svg viewBox=\"0 0 1000 " + at(height) + "\" role=\"img\" aria-label=\"" + markup(title) + "\">";
}

// 1, 2 or 5 times a power of ten, at least `value`.
double nice(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

// Half the tolerance band in percent of baseline; 0 when it cannot be drawn on that axis.
double band_of(const RowView& row) {
  if (row.tolerance == nullptr || row.state == core::State::context) return 0;
  if (row.tolerance->kind == core::ToleranceKind::percent) return row.tolerance->value;
  // Absolute and points: on the percent axis by way of the row's own scale.
  if (!row.delta || !row.delta_pct || *row.delta == 0) return 0;
  double absolute = row.tolerance->value;
  if (row.tolerance->kind == core::ToleranceKind::points && row.unit != "%") absolute /= 100;
  return absolute * std::fabs(*row.delta_pct / *row.delta);
}

std::string change_title(const RowView& row) {
  return std::string(row.key) + ": " + baseline_cell(row) + " -> " + current_cell(row) + ", " + state_text(row);
}

}  // namespace

std::string_view tone_of(const RowView& row) {
  if (row.tolerance == nullptr && row.unit == "ns") {  // a name of a capture: time won or lost
    return !row.delta || *row.delta == 0 ? "flat" : *row.delta > 0 ? "bad" : "good";
  }
  switch (row.state) {
    case core::State::regressed:
      return row.suspect ? "doubt" : "bad";
    case core::State::missing:
    case core::State::invalid:
      return "bad";
    case core::State::inconclusive:
    case core::State::unclassified:
      return "doubt";
    case core::State::improved:
      return "good";
    default:
      return "flat";
  }
}

Chart change_chart(const std::vector<RowView>& rows) {
  Chart chart;
  // Names of a capture are compared in time: percents of kernels that take no time would hide those that do.
  const bool times =
      std::all_of(rows.begin(), rows.end(), [](const RowView& row) { return row.tolerance == nullptr && row.unit == "ns"; });
  const auto change = [times](const RowView& row) { return times ? row.delta : row.delta_pct; };
  const auto words = [times](double value, bool short_form) {
    if (times) return signed_time_text(static_cast<std::int64_t>(value));
    return short_form ? core::signed_number(value, 4) + "%" : signed_percent(value);
  };
  double reach = 0;
  for (const RowView& row : rows) {
    if (change(row)) reach = std::max(reach, std::fabs(*change(row)));
    reach = std::max(reach, std::min(1.5 * band_of(row), 60.0));
  }
  if (reach <= 0) reach = 1;
  // A few huge changes must not flatten the rest: beyond 150 % a bar is cut, with its number beside it.
  if (!times) reach = std::min(reach, 150.0);
  const double step = nice(reach / 3);
  const double scale = step * std::ceil(reach / step - 1e-9);
  const double zero = (kLeft + kRight) / 2, half = (kRight - kLeft) / 2;
  const auto x = [&](double pct) { return zero + half * std::clamp(pct / scale, -1.0, 1.0); };
  const double height = kTop + kRow * static_cast<double>(rows.size()) + 4;
  std::string& out = chart.svg;
  out = open(height, times ? "change of total time of each name" : "change of each row in percent of its baseline");
  const int ticks = static_cast<int>(std::lround(scale / step));
  for (int i = -ticks; i <= ticks; ++i) {
    const double tick = step * i;
    const bool middle = i == 0;
    out += label(x(tick), 12, middle ? "0" : words(tick, true), "faint mid");
    if (!middle) out += line(x(tick), kTop - 4, x(tick), height, "grid");
  }
  double y = kTop;
  for (const RowView& row : rows) {
    out += "<g><title>" + markup(change_title(row)) + "</title>";
    const std::string_view tone = tone_of(row);
    const double band = band_of(row);
    if (band > 0) {
      chart.bands = true;
      const double from = row.direction == core::Direction::higher ? -band : row.direction == core::Direction::lower ? 0 : -band;
      const double to = row.direction == core::Direction::higher ? 0 : band;
      out += rect(x(from), y + 2, x(to) - x(from), kRow - 4, "band");
    }
    out += label(kLabel, y + kRow / 2 + 4, shorten_middle(one_line(row.key), 40), "key end");
    if (const std::optional<double> moved = change(row)) {
      const double end = x(*moved);
      out += rect(std::min(zero, end), y + 7, std::max(std::fabs(end - zero), 1.5), kRow - 14,
                  std::string(tone) + (row.culprit ? " part" : ""));
      if (row.statistics != nullptr && row.statistics->interval_low_pct && row.statistics->interval_high_pct) {
        chart.whiskers = true;
        const double low = x(*row.statistics->interval_low_pct), high = x(*row.statistics->interval_high_pct), mid = y + kRow / 2;
        out += line(low, mid, high, mid, "whisker") + line(low, mid - 4, low, mid + 4, "whisker") +
               line(high, mid - 4, high, mid + 4, "whisker");
      }
      const bool cut = std::fabs(*moved) > scale;
      out += label(kWidth - 4, y + kRow / 2 + 4, (cut ? (*moved > 0 ? "» " : "« ") : "") + words(*moved, false), "key end");
    } else {
      const bool baseline_only = row.baseline && !row.current;
      const std::string text = state_text(row) + (baseline_only ? ", was " + baseline_cell(row)
                                                  : row.current ? ", now " + current_cell(row)
                                                                : "");
      out += label(zero + 8, y + kRow / 2 + 4, shorten_middle(text, 40), "soft");
      out += rect(zero - 4, y + kRow / 2 - 4, 8, 8, tone, 4);
    }
    out += "</g>";
    y += kRow;
  }
  out += line(zero, kTop - 4, zero, height, "zero") + "</svg>";
  return chart;
}

std::string sol_chart(const core::SolLine& sol) {
  const double full = std::max({100.0, sol.baseline_pct, sol.current_pct});
  const auto x = [full](double pct) { return 880 * std::clamp(pct / full, 0.0, 1.0); };
  std::string out = open(48, "share of the ceiling: baseline " + core::short_number(sol.baseline_pct, 3) + " %, current " +
                                 core::short_number(sol.current_pct, 3) + " %");
  const char* tone = sol.delta_pp < 0 ? "bad" : "good";
  out += rect(0, 8, 880, 16, "track", 4) + rect(0, 8, x(sol.current_pct), 16, sol.delta_pp == 0 ? "flat" : tone, 4);
  out += line(x(sol.baseline_pct), 3, x(sol.baseline_pct), 29, "was");
  out += label(896, 21, core::short_number(sol.current_pct, 3) + "%", "key");
  const bool right = x(sol.baseline_pct) > 700;
  out += label(x(sol.baseline_pct) + (right ? -6 : 6), 41,
               "baseline " + core::short_number(sol.baseline_pct, 3) + "%, " + core::signed_number(sol.delta_pp, 2) + " pp",
               right ? "faint end" : "faint");
  return out + "</svg>";
}

std::string bucket_chart(const std::vector<core::DeviceBuckets>& devices) {
  constexpr std::size_t kDevices = 16;
  std::int64_t longest = 1;
  const std::size_t shown = std::min(devices.size(), kDevices);
  for (std::size_t i = 0; i < shown; ++i) {
    for (const auto* side : {&devices[i].baseline, &devices[i].candidate}) {
      if (*side) longest = std::max(longest, (*side)->span_ns);
    }
  }
  const double height = 58 * static_cast<double>(shown) + (devices.size() > shown ? 22 : 0);
  std::string out = open(height, "wall time of each device by what it did");
  double y = 4;
  for (std::size_t i = 0; i < shown; ++i) {
    const core::DeviceBuckets& device = devices[i];
    for (const bool before : {true, false}) {
      const std::optional<core::ProfileBuckets>& side = before ? device.baseline : device.candidate;
      out += label(116, y + 16, "GPU " + device_text(device, !before) + (before ? " before" : " after"),
                   before ? "soft end" : "end");
      double x = 128;
      if (side) {
        const auto part = [&](std::int64_t ns, std::string_view tone, const char* name) {
          const double width = 770 * static_cast<double>(ns) / static_cast<double>(longest);
          if (ns <= 0) return;
          out += "<g><title>" + markup(std::string(name) + " " + time_text(ns)) + "</title>" + rect(x, y, width, 21, tone, 0) +
                 "</g>";
          x += width;
        };
        part(side->compute_ns, "compute", "compute");
        part(side->exposed_comm_ns, "comm", "exposed communication");
        part(side->exposed_copy_ns, "copy", "exposed copies");
        part(side->idle_ns, "idle", "idle");
        out += label(kWidth - 4, y + 15, time_text(side->span_ns), "key end");
      } else {
        out += label(x, y + 15, "not in this capture", "faint");
      }
      y += 24;
    }
    y += 10;
  }
  if (devices.size() > shown) out += label(128, y + 8, "… and " + core::counted(devices.size() - shown, "more device"), "soft");
  return out + "</svg>";
}

}  // namespace plumbline::reports
