// outliers.json, and what the verb answers.
#include <algorithm>
#include <cmath>

#include "core/results/local_dir.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"

namespace plumbline::reports {
namespace {

// How much of a result there is room for.
struct OutliersShare {
  std::size_t siblings, deviations, rows, columns, text, sources;
  bool differences;
};
constexpr std::size_t kAll = static_cast<std::size_t>(-1);
constexpr OutliersShare kWhole = {kAll, kAll, kAll, kAll, 4000, kAll, true};
constexpr std::array<OutliersShare, 3> kDetailed = {
    {{400, 5, 20, 24, 600, 40, true}, {120, 3, 10, 12, 300, 20, true}, {60, 2, 5, 8, 200, 0, true}}};
constexpr std::array<OutliersShare, 6> kConcise = {{{24, 2, 5, 0, 300, 0, true},
                                                    {16, 1, 3, 0, 240, 0, true},
                                                    {12, 1, 1, 0, 160, 0, true},
                                                    {8, 1, 0, 0, 120, 0, false},
                                                    {4, 1, 0, 0, 80, 0, false},
                                                    {1, 0, 0, 0, 40, 0, false}}};

void write_deviation(JsonWriter& json, const core::SiblingDeviation& one, const OutliersShare& share) {
  compact(json, [&](JsonWriter& out) {
    out.begin_object().field("what", shorten_bytes(one.what, share.text));
    if (one.value != 0 || one.others != 0) {
      out.field("value", one.value).field("others", one.others);
      if (!one.unit.empty()) out.field("unit", shorten_bytes(one.unit, 60));
    }
    out.field("change_pct", one.change_pct).field("tolerance_pct", one.limit_pct).field("worse", one.worse).field("p", one.p);
    if (one.sol_pct) out.field("sol_pct", *one.sol_pct);
    if (one.others_sol_pct) out.field("others_sol_pct", *one.others_sol_pct);
    out.end_object();
  });
}

void write_deviations(JsonWriter& json, std::string_view name, const std::vector<core::SiblingDeviation>& all, std::size_t most,
                      const OutliersShare& share) {
  json.key(name).begin_array();
  const auto shown = first(all, most);
  for (const core::SiblingDeviation& one : shown) write_deviation(json, one, share);
  json.end_array();
  write_omitted(json, name, all.size(), shown.size());
}

void write_sibling(JsonWriter& json, const core::Sibling& one, const OutliersShare& share) {
  json.begin_object().field("name", shorten_bytes(one.name, share.text)).field("state", to_string(one.state));
  if (!one.why.empty()) json.field("why", core::shorten_sentence(one.why, share.text));
  json.field("trials", one.trials).field("rows_compared", one.rows_compared).field("rows_worse", one.rows_worse);
  write_deviations(json, "classes", one.classes, share.deviations, share);
  if (one.rows_out > 0) {
    json.field("rows_out", one.rows_out);
    write_deviations(json, "rows", one.rows, share.rows, share);
  }
  if (!one.parts.empty()) write_strings(json, "parts", shortened(one.parts, 5, share.text));
  if (one.missing_count > 0) {
    json.field("missing_count", one.missing_count);
    write_strings(json, "missing", shortened(one.missing, share.rows, share.text));
  }
  if (share.differences && !one.differs.empty()) write_differences(json, "differs", one.differs);
  if (share.sources > 0) write_strings(json, "files", shortened(one.files, share.sources, share.text));
  json.end_object();
}

void write_siblings(JsonWriter& json, const core::OutliersResult& result, const OutliersShare& share) {
  json.key("siblings").begin_array();
  const auto shown = first(result.siblings, share.siblings);
  for (const core::Sibling& one : shown) {
    if (share.siblings == kAll) {
      write_sibling(json, one, share);
    } else {
      compact(json, [&](JsonWriter& out) { write_sibling(out, one, share); });
    }
  }
  json.end_array();
  write_omitted(json, "siblings", result.siblings.size(), shown.size());
}

// By sibling, in the order of `siblings`: signed percent of the median of the others.
void write_heatmap(JsonWriter& json, const core::OutliersResult& result, const OutliersShare& share) {
  if (share.columns == 0) return;
  json.key("heatmap").begin_array();
  const auto shown = first(result.columns, share.columns);
  for (const core::SiblingColumn& column : shown) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("name", shorten_bytes(column.name, share.text)).field("unit", shorten_bytes(column.unit, 60));
      out.field("higher_is_better", column.higher).field("tolerance_pct", column.limit_pct).field("rows", column.rows);
      out.key("change_pct").begin_array();
      for (const double change : first(column.change_pct, share.siblings)) out.value(change);
      out.end_array().end_object();
    });
  }
  json.end_array();
  write_omitted(json, "heatmap", result.columns.size() + result.columns_omitted, shown.size());
}

void write_groups(JsonWriter& json, const core::OutliersResult& result, const OutliersShare& share) {
  json.key("groups").begin_array();
  for (const core::SiblingGroup& group : first(result.groups, 3)) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("predicate", core::shorten_sentence(group.predicate, share.text));
      const std::vector<std::string> names = shortened(group.siblings, share.siblings, share.text);
      write_strings(out, "siblings", names);
      write_omitted(out, "siblings", group.siblings.size(), names.size());
      out.field("p", group.p).end_object();
    });
  }
  json.end_array();
  if (!result.links.empty()) write_strings(json, "links", shortened(result.links, share.siblings, share.text));
}

void write_drain(JsonWriter& json, const core::OutliersResult& result, const OutliersShare& share, std::optional<Drain> drain) {
  const std::vector<std::string> names = shortened(result.drain, share.siblings, share.text);
  write_strings(json, "drain", names);
  write_omitted(json, "drain", result.drain.size(), names.size());
  if (!drain) return;
  const DrainCommands commands = drain_commands(result, *drain);
  std::vector<std::string> lines;
  for (const std::string_view line : core::split(commands.text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  const std::vector<std::string> shown = shortened(lines, share.siblings, 600);
  write_strings(json, "drain_commands", shown);
  write_omitted(json, "drain_commands", lines.size(), shown.size());
}

// Reasons are short lists: their texts are cut, none is left out.
std::vector<core::Reason> shortened_reasons(const std::vector<core::Reason>& all, const OutliersShare& share) {
  std::vector<core::Reason> out = all;
  for (core::Reason& one : out) {
    one.message = core::shorten_sentence(one.message, std::max<std::size_t>(share.text, 80));
    one.keys = shortened(one.keys, std::min<std::size_t>(share.rows, 20), share.text);
  }
  return out;
}

std::string document(const core::OutliersResult& result, const OutliersShare& share, bool answer, std::optional<Drain> drain) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.outliers.v1").field("tool", "measurement_outliers");
  json.field("library", "perf_baseline").field("verb", "outliers").field("safety", "writes_artifacts");
  json.field("verdict", to_string(result.verdict)).field("tier", to_string(result.tier));
  if (answer) {
    json.place_or_null("diff_dir", result.diff_dir);
    if (const std::string local = core::local_dir(result.diff_dir, result.files); !local.empty()) json.place("local_dir", local);
    json.key("bundle_sha256");
    result.bundle_sha256.empty() ? json.null() : json.value(result.bundle_sha256);
  } else {
    json.field("compared_at_utc", result.compared_at_utc).field("command", result.command);
    write_tool(json, result.tool);
  }
  json.field("family", result.family).field("measurement", result.measurement).field("format", result.format.name);
  json.field("sibling", shorten_bytes(result.sibling_kind, 60)).field("pairs", result.pairs);
  json.field("siblings_count", std::uint64_t{result.siblings.size()}).field("rows", result.rows);
  json.field("classes", result.classes).field("tolerance_percent", result.tolerance_percent);
  write_drain(json, result, share, drain);
  write_groups(json, result, share);
  write_reasons(json, shortened_reasons(result.reasons, share));
  write_siblings(json, result, share);
  write_heatmap(json, result, share);
  core::Recommendation recommendation = result.recommendation;
  recommendation.message = core::shorten_sentence(recommendation.message, std::max<std::size_t>(share.text, 80));
  recommendation.suspects = shortened(recommendation.suspects, share.siblings, share.text);
  write_recommendation(json, recommendation, std::nullopt);
  write_strings(json, "promote", result.promote);
  if (!answer) {
    json.key("context");
    write_context(json, result.context);
    json.key("sources").begin_array();
    for (const core::FileRef& file : result.sources) {
      compact(json, [&](JsonWriter& out) {
        out.begin_object().field("name", file.name).place("path", file.path).field("bytes", file.bytes);
        out.field("sha256", file.sha256).end_object();
      });
    }
    json.end_array();
    write_warnings(json, result.warnings);
  } else {
    write_some_warnings(json, result.warnings, std::min<std::size_t>(share.siblings, 10), share.text, " in outliers.json");
    write_gate(json, result.gate_asked, result.gate);
    write_some_files(json, result.files, 10, true);
    if (result.siblings.size() > share.siblings) {
      json.field("hint", R"(response_format "detailed" lists more siblings; outliers.json in diff_dir has all of them)");
    }
  }
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string outliers_json(const core::OutliersResult& result) { return document(result, kWhole, false, std::nullopt); }

std::string outliers_result_json(const core::OutliersResult& result, ResponseFormat format, std::optional<Drain> drain) {
  return fitted(format, std::span<const OutliersShare>(kDetailed), std::span<const OutliersShare>(kConcise),
                [&](const OutliersShare& share) { return document(result, share, true, drain); });
}

}  // namespace plumbline::reports
