// What import found and recorded.
#include <algorithm>

#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/json_parts.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"
#include "reports/verbs/upkeep.hpp"

namespace plumbline::reports {

namespace {

constexpr std::size_t kShown = 40;  // points of a table

std::string state_of(const core::ImportedPoint& point, bool dry_run) {
  if (!point.problem.empty()) return "left out";
  if (point.already) return "already there";
  return dry_run ? "would be recorded" : "recorded";
}

void write_point(JsonWriter& json, const core::ImportedPoint& point, const core::ImportResult& result, const Share& share) {
  compact(json, [&](JsonWriter& out) {
    out.begin_object().field("measurement", point.measurement).field("measured_at_utc", point.measured_at_utc);
    out.key("commit");
    point.commit.empty() ? out.null() : out.value(point.commit);
    out.field("origin", shorten_bytes(point.origin, share.text)).field("state", state_of(point, result.dry_run));
    if (!point.slug.empty()) out.field("slug", point.slug);
    if (point.value) out.field("value", *point.value);
    if (!point.unit.empty()) out.field("unit", shorten_bytes(point.unit, share.text));
    if (point.rows != 0) out.field("rows", point.rows);
    if (!point.problem.empty()) out.field("problem", shorten_bytes(point.problem, share.text));
    out.end_object();
  });
}

std::string import_with(const core::ImportResult& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.import.v1");
  json.field("tool", "").field("verb", "import").field("safety", "writes_artifacts").place("root", result.root);
  json.field("family", result.family).field("from", result.from).field("dry_run", result.dry_run);
  json.field("found", static_cast<std::uint64_t>(result.points.size())).field("recorded", result.recorded);
  json.field("already", result.already).field("left_out", result.left_out).key("points").begin_array();
  // What was left out comes first: it may be worth something.
  std::vector<const core::ImportedPoint*> points;
  for (const auto& point : result.points) points.push_back(&point);
  std::ranges::stable_sort(points, {}, [](const core::ImportedPoint* point) { return point->problem.empty(); });
  const auto shown = first(points, share.items);
  for (const core::ImportedPoint* point : shown) write_point(json, *point, result, share);
  json.end_array();
  write_omitted(json, "points", points.size(), shown.size());
  write_warnings(json, result.warnings);
  json.end_object();
  return text + "\n";
}

}  // namespace

std::string import_json(const core::ImportResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return import_with(result, share); });
}

std::string import_table(const core::ImportResult& result, bool colour) {
  const Terminal terminal(colour);
  Table table({"measured (UTC)", "commit", "measurement", "value", "", "from"}, {true, true, true, false, true, true});
  // The ends of a long history say enough of it.
  const std::size_t n = result.points.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (n > kShown && i == kShown / 2) {
      table.add({{"…"}, {""}, {""}, {""}, {core::counted(n - kShown, "more point")}, {""}});
      i = n - kShown / 2;
    }
    const core::ImportedPoint& point = result.points[i];
    const bool bad = !point.problem.empty();
    table.add({{one_line(point.measured_at_utc)},
               {one_line(point.commit.substr(0, 12))},
               {one_line(point.measurement)},
               {point.value       ? figure(*point.value, point.unit)
                : point.rows != 0 ? core::counted(point.rows, "row")
                                  : "-"},
               {state_of(point, result.dry_run), bad ? Paint::red : Paint::dim},
               {one_line(bad ? point.origin + ": " + point.problem : point.origin)}});
  }
  std::string out = table.text(terminal, 160) + "\n";
  out += core::counted(result.recorded, "entry", "entries") + (result.dry_run ? " would be recorded" : " recorded");
  if (result.already != 0) out += ", " + std::to_string(result.already) + " there already";
  if (result.left_out != 0) out += ", " + std::to_string(result.left_out) + " left out";
  return out + "\n";
}

}  // namespace plumbline::reports
