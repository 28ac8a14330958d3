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

// Seconds since 1970, as OpenMetrics wants them.
std::string seconds(std::chrono::system_clock::time_point at) {
  const long ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::string rest = std::to_string(ms % 1000 + 1000).substr(1);
  return std::to_string(ms / 1000) + "." + rest;
}

}  // namespace

void sort_points(std::vector<SeriesPoint>& points) {
  const auto place = [](const SeriesPoint& point) {
    return std::tie(point.family, point.measurement, point.key, point.at, point.slug);
  };
  std::ranges::sort(points, [&](const SeriesPoint& a, const SeriesPoint& b) { return place(a) < place(b); });
}

std::string series_csv(const std::vector<SeriesPoint>& points) {
  std::string out = "family,measurement,key,time,entry,value,unit,direction,accepted\n";
  for (const SeriesPoint& point : points) {
    out += field(point.family) + "," + field(point.measurement) + "," + field(point.key) + "," + utc(point.at) + "," +
           field(point.slug) + "," + core::number_text(point.value) + "," + field(point.unit) + "," +
           std::string(core::to_string(point.direction)) + "," + (point.accepted ? "true" : "false") + "\n";
  }
  return out;
}

std::string series_openmetrics(const std::vector<SeriesPoint>& points, const std::vector<VerdictPoint>& verdicts) {
  std::string out =
      "# TYPE plumbline_value gauge\n"
      "# HELP plumbline_value Values of baseline entries: medians of their trials, at the time of the measurement.\n";
  for (const SeriesPoint& point : points) {
    out += "plumbline_value{family=\"" + label(point.family) + "\",measurement=\"" + label(point.measurement) + "\",key=\"" +
           label(point.key) + "\",unit=\"" + label(point.unit) + "\",direction=\"" +
           std::string(core::to_string(point.direction)) + "\"} " + core::number_text(point.value) + " " + seconds(point.at) +
           "\n";
  }
  out +=
      "# TYPE plumbline_verdict gauge\n"
      "# HELP plumbline_verdict Verdicts of diffs: 0 GREEN, 1 YELLOW, 2 RED.\n";
  for (const VerdictPoint& verdict : verdicts) {
    const int level = verdict.verdict == "RED" ? 2 : (verdict.verdict == "YELLOW" ? 1 : 0);
    out += "plumbline_verdict{family=\"" + label(verdict.family) + "\",measurement=\"" + label(verdict.measurement) + "\"} " +
           std::to_string(level) + " " + seconds(verdict.at) + "\n";
  }
  return out + "# EOF\n";
}

}  // namespace plumbline::reports
