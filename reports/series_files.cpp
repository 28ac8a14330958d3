#include "reports/series_files.hpp"

#include <algorithm>
#include <tuple>

#include "core/text.hpp"

namespace plumbline::reports {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// Inside the quotes of a label.
std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out;
}

std::string utc(std::chrono::system_clock::time_point at) {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(at);
  const std::chrono::sys_days day = std::chrono::floor<std::chrono::days>(whole);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(whole - day);
  const auto padded = [](long number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(text.size() < width ? width - text.size() : 0, '0') + text;
  };
  return padded(static_cast<int>(date.year()), 4) + "-" + padded(static_cast<unsigned>(date.month()), 2) + "-" +
         padded(static_cast<unsigned>(date.day()), 2) + "T" + padded(time.hours().count(), 2) + ":" +
         padded(time.minutes().count(), 2) + ":" + padded(time.seconds().count(), 2) + "." +
         padded(time.subseconds().count(), 3) + "Z";
}

std::chrono::milliseconds milliseconds(std::chrono::system_clock::time_point at) {
  return std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch());
}

// Seconds since 1970, as OpenMetrics wants them.
std::string seconds(std::chrono::system_clock::time_point at) {
  const long ms = milliseconds(at).count();
  const std::string rest = std::to_string(ms % 1000 + 1000).substr(1);
  return std::to_string(ms / 1000) + "." + rest;
}

// The points of each metric together and in the order of time, and of several in one millisecond the last. Gives how many went.
template <class Point, class Metric>
std::uint64_t one_at_a_time(std::vector<Point>& points, const Metric& metric_of) {
  std::ranges::sort(points, [&](const Point& a, const Point& b) {
    return std::tuple(metric_of(a), milliseconds(a.at), std::tie(a.at, a.slug)) <
           std::tuple(metric_of(b), milliseconds(b.at), std::tie(b.at, b.slug));
  });
  const auto same = [&](const Point& a, const Point& b) {
    return metric_of(a) == metric_of(b) && milliseconds(a.at) == milliseconds(b.at);
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i + 1 < points.size() && same(points[i], points[i + 1])) continue;
    if (kept != i) points[kept] = std::move(points[i]);
    ++kept;
  }
  const std::size_t gone = points.size() - kept;
  points.resize(kept);
  return gone;
}

}  // namespace

std::string series_csv(std::vector<SeriesPoint> points) {
  const auto place = [](const SeriesPoint& point) {
    return std::tie(point.family, point.measurement, point.key, point.at, point.slug, point.unit);
  };
  std::ranges::sort(points, [&](const SeriesPoint& a, const SeriesPoint& b) { return place(a) < place(b); });
  std::string out = "family,measurement,key,time,entry,value,unit,direction,accepted\n";
  for (const SeriesPoint& point : points) {
    out += field(point.family) + "," + field(point.measurement) + "," + field(point.key) + "," + utc(point.at) + "," +
           field(point.slug) + "," + core::number_text(point.value) + "," + field(point.unit) + "," +
           std::string(core::to_string(point.direction)) + "," + (point.accepted ? "true" : "false") + "\n";
  }
  return out;
}

OpenMetrics series_openmetrics(std::vector<SeriesPoint> points, std::vector<VerdictPoint> verdicts) {
  OpenMetrics out;
  out.values_left_out = one_at_a_time(points, [](const SeriesPoint& point) {
    return std::tie(point.family, point.measurement, point.key, point.unit, point.direction);
  });
  out.verdicts_left_out =
      one_at_a_time(verdicts, [](const VerdictPoint& verdict) { return std::tie(verdict.family, verdict.measurement); });
  out.values = points.size();
  out.text =
      "# TYPE plumbline_value gauge\n"
      "# HELP plumbline_value Values of baseline entries: medians of their trials, at the time of the measurement.\n";
  for (const SeriesPoint& point : points) {
    out.text += "plumbline_value{family=\"" + label(point.family) + "\",measurement=\"" + label(point.measurement) + "\",key=\"" +
                label(point.key) + "\",unit=\"" + label(point.unit) + "\",direction=\"" +
                std::string(core::to_string(point.direction)) + "\"} " + core::number_text(point.value) + " " +
                seconds(point.at) + "\n";
  }
  out.text +=
      "# TYPE plumbline_verdict gauge\n"
      "# HELP plumbline_verdict Verdicts of diffs: 0 GREEN, 1 YELLOW, 2 RED.\n";
  for (const VerdictPoint& verdict : verdicts) {
    const int level = verdict.verdict == "RED" ? 2 : (verdict.verdict == "YELLOW" ? 1 : 0);
    out.text += "plumbline_verdict{family=\"" + label(verdict.family) + "\",measurement=\"" + label(verdict.measurement) +
                "\"} " + std::to_string(level) + " " + seconds(verdict.at) + "\n";
  }
  out.text += "# EOF\n";
  return out;
}

}  // namespace plumbline::reports
