// What history answers: the entries, what their values say together, and the diffs that were made against them.
#include "reports/history.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

std::vector<core::HistoryChangePoint> all_change_points(const core::HistoryResult& result) {
  if (result.keys.empty()) return result.whole.change_points;
  std::vector<core::HistoryChangePoint> all;
  for (const core::HistoryKey& key : result.keys) all.insert(all.end(), key.change_points.begin(), key.change_points.end());
  return all;
}

namespace {

void write_entry(JsonWriter& out, const core::HistoryEntry& entry, const Share& share) {
  const auto cut = [&share](std::string_view text) { return shorten_bytes(text, share.text); };
  out.begin_object().field("slug", entry.slug).place("entry_dir", entry.entry_dir);
  out.field("registered_at_utc", cut(entry.registered_at_utc));
  if (!entry.measured_at_utc.empty()) out.field("measured_at_utc", cut(entry.measured_at_utc));
  out.field_or_null("value", entry.value);
  text_or_null(out, "unit", cut(entry.unit));
  out.field("tier", to_string(entry.tier));
  write_some_context(out, entry.context, share);
  out.field("accepted", entry.accepted);
  text_or_null(out, "superseded_by", entry.superseded_by);
  if (!entry.label.empty()) out.field("label", cut(entry.label));
  if (!entry.reason.empty()) out.field("reason", cut(entry.reason));
  if (!entry.problem.empty()) out.field("problem", cut(entry.problem));
  out.end_object();
}

void write_drift(JsonWriter& json, const std::optional<core::HistoryDrift>& drift) {
  json.key("drift");
  if (!drift) {
    json.null();
    return;
  }
  json.begin_object().field("pct", drift->pct).field("from", drift->from).field("to", drift->to).field("steps", drift->steps);
  json.field_or_null("largest_step_pct", drift->largest_step_pct).field("unseen", drift->unseen);
  if (!drift->text.empty()) json.field("text", drift->text);
  json.end_object();
}

void write_change_points(JsonWriter& json, const core::HistoryResult& result, const Share& share) {
  const std::vector<core::HistoryChangePoint> all = all_change_points(result);
  const auto shown = first(all, share.items);
  json.key("change_points").begin_array();
  for (const core::HistoryChangePoint& point : shown) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("slug", point.slug);
      if (!point.key.empty()) out.field("key", shorten_bytes(point.key, share.text));
      out.field("before", point.before).field("after", point.after).field_or_null("change_pct", point.change_pct);
      out.field("p", point.p).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "change_points", all.size(), shown.size());
}

void write_keys(JsonWriter& json, const core::HistoryResult& result, const Share& share) {
  if (result.keys_total == 0) return;
  const auto shown = first(result.keys, share.items);
  json.key("keys").begin_array();
  for (const core::HistoryKey& key : shown) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("key", shorten_bytes(key.key, share.text));
      text_or_null(out, "unit", shorten_bytes(key.unit, share.text));
      out.field("entries", key.entries).field_or_null("newest", key.newest);
      out.field_or_null("trend_pct_per_entry", key.trend_pct_per_entry).field_or_null("noise_floor_pct", key.noise_floor_pct);
      out.field("tolerance_pct", key.tolerance_pct);
      out.field_or_null("drift_pct", key.drift ? std::optional(key.drift->pct) : std::nullopt);
      out.field("drift_unseen", key.drift && key.drift->unseen);
      out.field("change_points", std::uint64_t{key.change_points.size()}).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "keys", result.keys_total, shown.size());
}

void write_diffs(JsonWriter& json, const core::HistoryResult& result, const Share& share) {
  const std::size_t from = result.diffs.size() - std::min(result.diffs.size(), share.items);
  json.key("diffs").begin_array();
  for (std::size_t i = from; i < result.diffs.size(); ++i) {
    const core::HistoryDiff& diff = result.diffs[i];
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("slug", diff.slug).place("diff_dir", diff.diff_dir);
      out.field("verdict", shorten_bytes(diff.verdict, share.text)).field("tier", shorten_bytes(diff.tier, share.text));
      text_or_null(out, "baseline_slug", shorten_bytes(diff.baseline_slug, share.text));
      text_or_null(out, "superseded_by", diff.superseded_by);
      out.end_object();
    });
  }
  json.end_array();
  write_omitted(json, "diffs", result.diffs.size(), result.diffs.size() - from);
}

std::string history_with(const core::HistoryResult& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.history.v1");
  json.field("tool", "perf_baseline_history").field("verb", "history").field("safety", "read_only");
  json.field("family", result.family).field("measurement", result.measurement).key("entries").begin_array();
  // The newest, and before them the accepted one: that is what the next diff is held against.
  const std::size_t newest = result.entries.size() - std::min(result.entries.size(), share.items);
  std::size_t shown = 0;
  for (std::size_t i = 0; i < result.entries.size(); ++i) {
    const core::HistoryEntry& entry = result.entries[i];
    if (i < newest && !(entry.accepted && share.items > 0)) continue;
    ++shown;
    compact(json, [&](JsonWriter& out) { write_entry(out, entry, share); });
  }
  json.end_array();
  write_omitted(json, "entries", result.entries.size(), shown);
  const core::HistoryKey& whole = result.whole;
  if (!whole.key.empty()) json.field("key", shorten_bytes(whole.key, share.text));
  json.key("trend");
  if (whole.trend_pct_per_entry)
    json.begin_object().field("pct_per_entry", *whole.trend_pct_per_entry).end_object();
  else
    json.null();
  json.field_or_null("noise_floor_pct", whole.noise_floor_pct).field("tolerance_pct", whole.tolerance_pct);
  write_change_points(json, result, share);
  write_drift(json, whole.drift);
  write_red(json, result.red);
  write_keys(json, result, share);
  write_diffs(json, result, share);
  write_some_warnings(json, result.warnings, std::min<std::size_t>(share.items, 20), share.text, "");
  if (shown < result.entries.size() && newest < result.entries.size())
    json.field("hint", "older entries: before \"" + result.entries[newest].slug + "\"");
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string history_json(const core::HistoryResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return history_with(result, share); });
}

}  // namespace plumbline::reports
