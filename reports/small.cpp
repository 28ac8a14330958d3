// What inspect, verify and search answer.
#include <algorithm>

#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kInspectRows = 50;
constexpr std::size_t kInspectTable = 20;

void table_warnings(std::string& out, const Terminal& terminal, const std::vector<core::Warning>& warnings) {
  for (const core::Warning& warning : warnings)
    out += terminal.paint(Paint::yellow, "warning") + "     " + one_line(warning.message) + "\n";
}

void write_row(JsonWriter& out, const core::Measurement& all, const core::Row& row) {
  const core::MetricClass& metric_class = all.metric_class(row);
  out.begin_object().field("key", all.key(row)).field("metric", all.metric(row)).key("dims").begin_object();
  for (const auto& [name, value] : all.dims(row)) out.field(all.pool().view(name), all.pool().view(value));
  out.end_object().key("unit");
  if (all.unit(row).empty())
    out.null();
  else
    out.value(all.unit(row));
  out.field("unit_source", to_string(metric_class.unit_source)).field("direction", to_string(metric_class.direction));
  out.field("direction_source", to_string(metric_class.direction_source));
  if (metric_class.direction_note != 0) out.field("direction_note", all.pool().view(metric_class.direction_note));
  out.field("role", to_string(metric_class.role)).field("state", to_string(row.state)).key("values").begin_array();
  const std::span<const double> values = all.values(row);
  for (const double value : values.first(std::min<std::size_t>(values.size(), 10))) out.value(value);
  out.end_array().field("trials", row.value_count);
  if (row.text != 0) out.field("text", shorten_bytes(all.pool().view(row.text), 200));
  out.end_object();
}

}  // namespace

std::string inspect_json(const core::InspectResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.inspect.v1");
  json.field("tool", "measurement_inspect").field("verb", "inspect").field("safety", "read_only").field("path", result.path);
  json.key("format").begin_object().field("name", result.format.name).field("confidence", result.format.confidence);
  write_strings(json, "evidence", result.format.evidence);
  json.key("runner_up");
  if (result.format.runner_up.empty())
    json.null();
  else
    json.value(result.format.runner_up);
  json.key("version");
  if (result.format.version.empty())
    json.null();
  else
    json.value(result.format.version);
  json.end_object().field("shape", to_string(result.shape));
  const std::size_t count = result.measurement != nullptr ? result.measurement->rows().size() : 0;
  json.field("row_count", std::uint64_t{count}).key("rows").begin_array();
  for (std::size_t i = 0; i < std::min(count, kInspectRows); ++i) {
    compact(json, [&](JsonWriter& out) { write_row(out, *result.measurement, result.measurement->rows()[i]); });
  }
  json.end_array();
  if (result.profile) {
    const core::ProfileSummary& profile = *result.profile;
    json.key("profile")
        .begin_object()
        .field("kernels", profile.kernels)
        .field("copies", profile.copies)
        .field("api_calls", profile.api_calls);
    json.field("ranges", profile.ranges).field("devices", profile.devices).field("streams", profile.streams);
    json.field("span_ns", profile.span_ns).field("gpu_busy_ns", profile.gpu_busy_ns);
    write_strings(json, "device_names", profile.devices_names);
    json.end_object();
  }
  write_strings(json, "headline", result.headline);
  json.key("context");
  write_context(json, result.context);
  write_warnings(json, result.warnings);
  json.end_object();
  text += '\n';
  return text;
}

std::string inspect_table(const core::InspectResult& result, bool colour) {
  const Terminal terminal(colour);
  std::string out = terminal.paint(Paint::bold, one_line(result.path)) + "\n";
  out += "format      " + one_line(result.format.name);
  if (!result.format.version.empty()) out += " " + one_line(result.format.version);
  out += ", confidence " + core::short_number(result.format.confidence, 2);
  if (!result.format.runner_up.empty()) out += " (runner-up: " + one_line(result.format.runner_up) + ")";
  out += "\n";
  for (const std::string& evidence : result.format.evidence) out += "            " + one_line(evidence) + "\n";
  const std::size_t count = result.measurement != nullptr ? result.measurement->rows().size() : 0;
  out += "shape       " + std::string(to_string(result.shape)) +
         (result.measurement != nullptr ? ", " + core::counted(count, "row") : "") + "\n";
  if (result.profile) {
    const core::ProfileSummary& profile = *result.profile;
    out += "capture     " + core::counted(profile.kernels, "kernel") + ", " + core::counted(profile.copies, "copy", "copies") +
           ", " + core::counted(profile.api_calls, "API call") + ", " + core::counted(profile.ranges, "range") + "; " +
           core::counted(profile.devices, "device") + ", " + core::counted(profile.streams, "stream") + "; span " +
           fmt_ns(profile.span_ns) + ", GPU busy " + fmt_ns(profile.gpu_busy_ns) + "\n";
  }
  if (!result.headline.empty()) out += "headline    " + one_line(core::listed(result.headline)) + "\n";
  for (const auto& [key, value] : result.context) out += "context     " + one_line(key) + " = " + one_line(value) + "\n";
  table_warnings(out, terminal, result.warnings);
  if (count == 0) return out;
  Table table({"key", "value", "trials", "direction", "role", "state"}, {true, false, false, true, true, true});
  const core::Measurement& all = *result.measurement;
  for (std::size_t i = 0; i < std::min(count, kInspectTable); ++i) {
    const core::Row& row = all.rows()[i];
    const core::MetricClass& metric_class = all.metric_class(row);
    const std::span<const double> values = all.values(row);
    std::string value = values.empty() ? (row.text != 0 ? shorten_middle(one_line(all.pool().view(row.text)), 30) : "-")
                                       : figure(values[0], all.unit(row));
    if (values.size() > 1) value += ", …";
    table.add(
        {{one_line(all.key(row))},
         {std::move(value)},
         {std::to_string(row.value_count)},
         {std::string(to_string(metric_class.direction)) + " (" + std::string(to_string(metric_class.direction_source)) + ")"},
         {std::string(to_string(metric_class.role))},
         {std::string(to_string(row.state)), row.state == core::ValueState::number ? Paint::none : Paint::yellow}});
  }
  out += "\n" + table.text(terminal, 140);
  if (count > kInspectTable) out += "  … and " + grouped(count - kInspectTable) + " more\n";
  return out;
}

std::string verify_json(const core::VerifyResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.verify.v1");
  json.field("tool", "bundle_verify").field("verb", "verify").field("safety", "read_only");
  json.field("ok", result.ok).field("kind", result.kind).field("path", result.path).key("bundle_sha256");
  if (result.bundle_sha256.empty())
    json.null();
  else
    json.value(result.bundle_sha256);
  json.field("signed", result.is_signed).field("trusted", result.trusted).field("files", result.files);
  json.key("problems").begin_array();
  for (const core::VerifyProblem& problem : result.problems) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("code", problem.code).field("path", problem.path).field("message", problem.message).end_object();
    });
  }
  json.end_array();
  write_warnings(json, result.warnings);
  json.end_object();
  text += '\n';
  return text;
}

std::string verify_table(const core::VerifyResult& result, bool colour) {
  const Terminal terminal(colour);
  std::string out = result.ok ? terminal.paint(Paint::green, "ok") : terminal.paint(Paint::red, "NOT OK");
  out += "  " + one_line(result.kind) + " " + one_line(result.path) + "\n";
  out += "files       " + core::counted(result.files, "file") + " held against SHA256SUMS\n";
  if (!result.bundle_sha256.empty()) out += "sha256      " + one_line(result.bundle_sha256) + "\n";
  out += "signature   " +
         std::string(!result.is_signed ? "none"
                     : result.trusted  ? "good, by a trusted key"
                                       : "present, by no key that was given") +
         "\n";
  for (const core::VerifyProblem& problem : result.problems) {
    out += terminal.paint(Paint::red, "problem") + "     " + one_line(problem.path) + (problem.path.empty() ? "" : ": ") +
           one_line(problem.message) + " (" + one_line(problem.code) + ")\n";
  }
  table_warnings(out, terminal, result.warnings);
  return out;
}

std::string search_json(const core::SearchResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.search.v1");
  json.field("tool", "search_evidence").field("verb", "search").field("safety", "read_only");
  json.field("query", result.query).field("total", result.total).key("hits").begin_array();
  for (const core::SearchHit& hit : result.hits) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object()
          .field("kind", hit.kind)
          .field("family", hit.family)
          .field("measurement", hit.measurement)
          .field("slug", hit.slug);
      out.field("path", hit.path).field("date", hit.date);
      if (!hit.verdict.empty()) out.field("verdict", hit.verdict);
      if (!hit.tier.empty()) out.field("tier", hit.tier);
      if (hit.value) out.field("value", *hit.value);
      if (!hit.unit.empty()) out.field("unit", hit.unit);
      if (!hit.label.empty()) out.field("label", hit.label);
      if (!hit.notes.empty()) out.field("notes", shorten_bytes(hit.notes, 400));
      out.field("score", hit.score);
      write_strings(out, "matched", hit.matched);
      out.end_object();
    });
  }
  json.end_array();
  write_warnings(json, result.warnings);
  json.end_object();
  text += '\n';
  return text;
}

std::string search_table(const core::SearchResult& result, bool colour) {
  const Terminal terminal(colour);
  std::string out =
      core::counted(result.total, "hit") + (result.query.empty() ? "" : " for \"" + one_line(result.query) + "\"") + "\n";
  Table table({"what", "date", "verdict", "value", "path"}, {true, true, true, false, true});
  for (const core::SearchHit& hit : result.hits) {
    const Paint paint = hit.verdict == "RED"      ? Paint::red
                        : hit.verdict == "YELLOW" ? Paint::yellow
                        : hit.verdict == "GREEN"  ? Paint::green
                                                  : Paint::none;
    table.add({{one_line(hit.kind) + " " + one_line(hit.family) + "/" + one_line(hit.measurement) + "@" + one_line(hit.slug)},
               {one_line(hit.date)},
               {hit.verdict.empty() ? "-" : one_line(hit.verdict), paint},
               {hit.value ? figure(*hit.value, hit.unit) : "-"},
               {one_line(hit.path)}});
  }
  if (!table.empty()) out += "\n" + table.text(terminal, 160);
  if (result.total > result.hits.size()) out += "  … and " + grouped(result.total - result.hits.size()) + " more\n";
  table_warnings(out, terminal, result.warnings);
  return out;
}

}  // namespace plumbline::reports
