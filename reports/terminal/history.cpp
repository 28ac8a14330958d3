// A line of entries on a terminal: each of them, what their values say together, and the diffs that were made against them.
#include "reports/history.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/results/red_words.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/reports.hpp"
#include "reports/terminal/sparkline.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kDiffsOfATable = 10;
constexpr std::size_t kKeysOfATable = 20;
constexpr int kWidthOfSlugs = 104;  // has room for a diff, its baseline and what superseded it

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : "p = " + core::short_number(p, 2); }

// A word in the first columns, then a sentence.
void append_line(std::string& out, std::string_view label, std::string_view text, int width) {
  out += Terminal::wrap(pad_right(label, 12), text, width);
}

void append_warning(std::string& out, const Terminal& terminal, const core::Warning& warning, int width) {
  std::string block = Terminal::wrap(pad_right("warning", 12), warning.message, width);
  out += block.replace(0, 7, terminal.paint(Paint::yellow, "warning"));
}

void append_key_lines(std::string& out, const core::HistoryResult& result, int width) {
  const core::HistoryKey& whole = result.whole;
  if (!whole.key.empty()) append_line(out, "key", whole.key, width);
  if (const std::string line = sparkline(whole.values); !line.empty()) {
    const auto [low, high] = std::minmax_element(whole.values.begin(), whole.values.end());
    append_line(out, "values", line + "  " + figure(*low) + " to " + figure(*high, one_line(whole.unit)), width);
  }
  if (whole.trend_pct_per_entry) append_line(out, "trend", signed_percent(*whole.trend_pct_per_entry) + " an entry", width);
  if (whole.drift) {
    append_line(out, "drift",
                whole.drift->unseen ? signed_percent(whole.drift->pct) + " in " + std::to_string(whole.drift->steps) +
                                          " steps, each within the tolerance"
                                    : signed_percent(whole.drift->pct) + ", newest against oldest",
                width);
  }
  if (whole.noise_floor_pct) {
    const bool more = *whole.noise_floor_pct > whole.tolerance_pct;
    append_line(out, "noise",
                core::short_number(*whole.noise_floor_pct, 3) + "%" +
                    (more ? ", more than the tolerance of " + core::short_number(whole.tolerance_pct, 3) +
                                "%: a change within it is YELLOW"
                          : ""),
                width);
  }
  const std::vector<core::HistoryChangePoint> all = all_change_points(result);
  for (const core::HistoryChangePoint& point : first(all, kKeysOfATable)) {
    append_line(out, "level",
                (point.key.empty() ? std::string() : core::cited(point.key) + ": ") + figure(point.before) + " -> " +
                    figure(point.after) + (point.change_pct ? " (" + signed_percent(*point.change_pct) + ")" : "") + " from " +
                    point.slug + " on, " + p_text(point.p),
                width);
  }
  if (all.size() > kKeysOfATable) out += "            and " + grouped(all.size() - kKeysOfATable) + " more changes of level\n";
}

void append_keys(std::string& out, const Terminal& terminal, const core::HistoryResult& result, int width) {
  if (result.keys_total < 2) return;
  Table table({"key", "entries", "newest", "an entry", "drift", "noise", "values"},
              {true, false, false, false, false, false, true});
  for (const std::size_t column : {1U, 3U, 5U, 4U, 6U}) table.may_go(column);
  for (const core::HistoryKey& key : first(result.keys, kKeysOfATable)) {
    const auto percent_or_dash = [](const std::optional<double>& pct) { return pct ? signed_percent(*pct) : std::string("-"); };
    const bool noisy = key.noise_floor_pct && *key.noise_floor_pct > key.tolerance_pct;
    table.add(
        {{one_line(key.key)},
         {std::to_string(key.entries)},
         {key.newest ? figure(*key.newest, one_line(key.unit)) : "-"},
         {percent_or_dash(key.trend_pct_per_entry)},
         {percent_or_dash(key.drift ? std::optional(key.drift->pct) : std::nullopt),
          key.drift && key.drift->unseen ? Paint::yellow : Paint::none},
         {key.noise_floor_pct ? core::short_number(*key.noise_floor_pct, 3) + "%" : "-", noisy ? Paint::yellow : Paint::none},
         {sparkline(key.values, 24)}});
  }
  out += "\n" + table.text(terminal, width);
  if (result.keys_total > kKeysOfATable) {
    out += "  … and " + grouped(result.keys_total - std::min<std::uint64_t>(result.keys_total, kKeysOfATable)) + " more keys\n";
  }
}

void append_diffs(std::string& out, const Terminal& terminal, const core::HistoryResult& result, int width) {
  if (result.diffs.empty()) return;
  Table table({"diff", "verdict", "tier", "baseline", ""}, {true, true, true, true, true});
  table.keep_names();
  for (const std::size_t column : {4U, 2U}) table.may_go(column);
  const bool by_whom = width >= kWidthOfSlugs;
  const std::size_t from = result.diffs.size() - std::min(result.diffs.size(), kDiffsOfATable);
  for (std::size_t i = from; i < result.diffs.size(); ++i) {
    const core::HistoryDiff& diff = result.diffs[i];
    const Paint paint = !diff.superseded_by.empty() ? Paint::dim
                        : diff.verdict == "RED"     ? Paint::red
                        : diff.verdict == "YELLOW"  ? Paint::yellow
                                                    : Paint::green;
    table.add({{one_line(diff.slug)},
               {one_line(diff.verdict), paint},
               {one_line(diff.tier)},
               {diff.baseline_slug.empty() ? "-" : one_line(diff.baseline_slug)},
               {diff.superseded_by.empty() ? ""
                : by_whom                  ? "superseded by " + one_line(diff.superseded_by)
                                           : "superseded",
                Paint::dim}});
  }
  out += "\n" + table.text(terminal, width);
  if (from > 0) out += "  … after " + grouped(from) + " older ones\n";
  if (result.red) {
    if (const std::string red = core::red_text(*result.red); !red.empty()) out += "  " + terminal.paint(Paint::red, red) + "\n";
  }
}

}  // namespace

std::string history_table(const core::HistoryResult& result, bool colour, int width) {
  width = columns_used(width);
  const Terminal terminal(colour);
  std::string out = terminal.paint(Paint::bold, one_line(result.family) + "/" + one_line(result.measurement)) + "  " +
                    core::counted(result.entries.size(), "entry", "entries") + "\n\n";
  // Where entries were backfilled, the list is in the order of measurement, and so are its times.
  const bool backfilled = std::ranges::any_of(result.entries, [](const auto& entry) { return !entry.measured_at_utc.empty(); });
  const auto time_of = [](const core::HistoryEntry& entry) {
    return entry.measured_at_utc.empty() ? entry.registered_at_utc : entry.measured_at_utc;
  };
  Table table({"slug", backfilled ? "measured (UTC)" : "registered (UTC)", "value", "tier", "", "label"},
              {true, true, false, true, true, true});
  table.keep_names();
  for (const std::size_t column : {1U, 5U, 3U}) table.may_go(column);
  const std::vector<core::HistoryChangePoint> changes = all_change_points(result);
  for (const core::HistoryEntry& entry : result.entries) {
    const bool change = std::any_of(changes.begin(), changes.end(), [&](const auto& point) { return point.slug == entry.slug; });
    std::string marks = entry.accepted ? "accepted" : entry.superseded_by.empty() ? "" : "superseded";
    if (change) marks += marks.empty() ? "level changed" : ", level changed";
    if (!entry.problem.empty()) {
      table.add({{one_line(entry.slug)},
                 {one_line(time_of(entry))},
                 {"-"},
                 {"-"},
                 {"unreadable", Paint::red},
                 {one_line(entry.problem)}});
      continue;
    }
    table.add({{one_line(entry.slug)},
               {one_line(time_of(entry))},
               {entry.value ? figure(*entry.value, entry.unit) : "(structured)"},
               {std::string(to_string(entry.tier))},
               {std::move(marks), entry.accepted ? Paint::green : Paint::dim},
               {one_line(entry.label)}});
  }
  if (!table.empty()) out += table.text(terminal, width) + "\n";
  append_key_lines(out, result, std::min(width, kWidestSentence));
  append_keys(out, terminal, result, width);
  append_diffs(out, terminal, result, width);
  for (const core::Warning& warning : result.warnings) append_warning(out, terminal, warning, std::min(width, kWidestSentence));
  return out;
}

}  // namespace plumbline::reports
