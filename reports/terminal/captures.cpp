// Two captures on a terminal: how long the work took and why, where the time went, what moved it, what else was found.
#include <algorithm>
#include <span>

#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/captures/ranks.hpp"
#include "reports/profile_parts.hpp"
#include "reports/profile_tables.hpp"
#include "reports/terminal/parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kDevices = 2, kMoved = 5, kKernels = 5, kFunctions = 5, kGaps = 3, kFindings = 3, kLateRanks = 5;
constexpr std::string_view kDetails = " in profile-diff.md";

Paint paint_of(std::int64_t delta_ns) { return delta_ns > 0 ? Paint::red : delta_ns < 0 ? Paint::green : Paint::none; }

void add_buckets(Screen& screen, const core::ProfileDiff& diff) {
  Table table({"device", "span", "compute", "exposed comm", "exposed copy", "idle"});
  table.may_go(4);
  std::size_t lines = 0;
  for (const core::DeviceBuckets& device : diff.buckets) {
    for (const bool candidate : {false, true}) {
      const auto& side = candidate ? device.candidate : device.baseline;
      if (!side) continue;
      ++lines;
      if (lines > 2 * kDevices) continue;
      table.add({{device_text(device, candidate) + (candidate ? " candidate" : " baseline")},
                 {time_text(side->span_ns)},
                 {time_text(side->compute_ns)},
                 {time_text(side->exposed_comm_ns)},
                 {time_text(side->exposed_copy_ns)},
                 {time_text(side->idle_ns)}});
    }
  }
  if (table.empty()) return;
  ScreenPart part{.weight = Weight::table, .least = 2, .noun = "line", .where = kDetails, .apart = true};
  add_table(part, table, screen);
  part.all = lines;
  screen.add(std::move(part));
}

void add_moved(Screen& screen, const core::ProfileDiff& diff) {
  const std::optional<Fall> fall = fall_of(diff, kMoved);
  if (!fall || fall->parts.empty()) return;
  Table table({"what moved " + fall->of, time_text(fall->baseline_ns) + " to " + time_text(fall->candidate_ns)});
  table.keep_names();
  for (const FallPart& part : fall->parts)
    table.add({{one_line(part_label(part))}, {signed_time_text(part.delta_ns), paint_of(part.delta_ns)}});
  ScreenPart part{.weight = Weight::parts, .least = 2, .noun = "part", .where = kDetails, .apart = true};
  add_table(part, table, screen);
  screen.add(std::move(part));
}

// Profiles of the host have functions where others have kernels.
void add_functions(Screen& screen, const core::ProfileDiff& diff) {
  if (diff.frames.empty() || !diff.buckets.empty()) return;
  Table table({"function", "share before", "share after"});
  for (const core::ProfileFrame& each : std::span(diff.frames).first(std::min(diff.frames.size(), kFunctions))) {
    table.add({{one_line(each.name)},
               {core::short_number(each.baseline_share_pct, 3) + "%"},
               {core::short_number(each.candidate_share_pct, 3) + "%"}});
  }
  ScreenPart part{.weight = Weight::table, .least = 3, .noun = "function", .where = kDetails, .apart = true};
  add_table(part, table, screen);
  part.all = diff.frames.size();
  screen.add(std::move(part));
}

void add_rows(Screen& screen, const char* title, const std::vector<core::ProfileRow>& rows, std::size_t most) {
  if (rows.empty()) return;
  Table table({title, "change", "pct", "baseline", "candidate", "calls"});
  for (const std::size_t column : {5U, 3U, 4U}) table.may_go(column);
  const auto count = [](const std::optional<std::uint64_t>& n) { return n ? grouped(*n) : std::string("-"); };
  for (const core::ProfileRow& row : std::span(rows).first(std::min(rows.size(), most))) {
    if (row.delta_ns == 0) continue;
    table.add({{one_line(brief_name(row.name))},
               {signed_time_text(row.delta_ns), paint_of(row.delta_ns)},
               {fmt_pct(row.pct)},
               {time_text(row.baseline_ns)},
               {time_text(row.candidate_ns)},
               {count(row.baseline_count) + " -> " + count(row.candidate_count)}});
  }
  ScreenPart part{.weight = Weight::more_tables, .least = 2, .noun = title, .where = kDetails, .apart = true};
  add_table(part, table, screen);
  part.all = rows.size();
  screen.add(std::move(part));
}

void add_ranks(Screen& screen, const core::ProfileDiff& diff) {
  const auto& job = diff.candidate_job;
  if (job == nullptr || job->stragglers.empty()) return;
  Table table({"late rank", "by", "chance"});
  table.may_go(2);
  for (const core::Straggler& each : std::span(job->stragglers).first(std::min(job->stragglers.size(), kLateRanks)))
    table.add({{std::to_string(each.rank)}, {late_text(each, *job), Paint::red}, {core::short_number(each.p, 2)}});
  ScreenPart part{.weight = Weight::parts, .noun = "rank", .where = kDetails, .apart = true};
  add_table(part, table, screen);
  part.all = job->stragglers.size();
  screen.add(std::move(part));
}

void add_gaps(Screen& screen, const core::ProfileDiff& diff) {
  if (diff.gaps.empty()) return;
  std::vector<const core::ProfileGaps*> list;
  for (const core::ProfileGaps& each : diff.gaps) list.push_back(&each);
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) {
    return std::abs(static_cast<double>(a->delta_ns)) > std::abs(static_cast<double>(b->delta_ns));
  });
  Table table({"gap", "change"});
  table.keep_names();
  for (const core::ProfileGaps* each : std::span(list).first(std::min(list.size(), kGaps))) {
    if (each->delta_ns == 0) continue;
    const FallPart idle{"idle", each->cause + (each->what.empty() ? "" : ": " + each->what), each->delta_ns};
    table.add({{one_line(part_label(idle))}, {signed_time_text(each->delta_ns), paint_of(each->delta_ns)}});
  }
  ScreenPart part{.weight = Weight::remarks, .noun = "gap", .where = kDetails, .apart = true};
  add_table(part, table, screen);
  part.all = list.size();
  screen.add(std::move(part));
}

void add_findings(Screen& screen, const core::ProfileDiff& diff) {
  ScreenPart part{.weight = Weight::remarks, .noun = "finding", .where = kDetails, .apart = true};
  for (const core::ProfileFinding& each : std::span(diff.findings).first(std::min(diff.findings.size(), kFindings)))
    part.items.push_back(screen.labelled("finding", each.message, 2));
  part.all = diff.findings.size();
  screen.add(std::move(part));
}

}  // namespace

void add_captures(Screen& screen, const core::DiffResult& result) {
  const core::ProfileDiff& diff = *result.profile();
  if (const std::string wall = wall_sentence(diff); !wall.empty())
    screen.add({.head = sentence_lines("  ", wall, screen.sentence_width(), 2)});
  add_reasons(screen, result.reasons, 0, kDetails);
  add_context(screen, result.context_differences, kDetails);
  add_buckets(screen, diff);
  add_moved(screen, diff);
  add_ranks(screen, diff);
  add_functions(screen, diff);
  add_rows(screen, "kernel", diff.kernels, std::min<std::size_t>(kKernels, diff.limit));
  if (diff.kernels.empty()) {
    add_rows(screen, "collective", diff.nccl, std::min<std::size_t>(kKernels, diff.limit));
    add_rows(screen, "memory operation", diff.memory, std::min<std::size_t>(kKernels, diff.limit));
    add_rows(screen, "call", diff.cuda_api, std::min<std::size_t>(kKernels, diff.limit));
  }
  add_gaps(screen, diff);
  add_findings(screen, diff);
}

}  // namespace plumbline::reports
