#include "reports/profile_tables.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "reports/captures/ranks.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

std::string time(double ns) { return time_text(std::llround(ns)); }
std::string number(const std::optional<double>& value, int digits = 4) {
  return value ? core::short_number(*value, digits) : std::string("-");
}

// The first `limit` of a list as rows.
template <class T, class F>
PlainTable listed(std::string title, std::vector<std::string> header, const std::vector<T>& list, std::size_t limit, F&& row) {
  PlainTable table;
  table.title = std::move(title);
  table.header = std::move(header);
  for (std::size_t i = 0; i < std::min(limit, list.size()); ++i) table.rows.push_back(row(list[i]));
  table.left_out = list.size() - table.rows.size();
  return table;
}

// Every capture of sides that have several: by which of them the rest of the report goes.
PlainTable captures_table(const core::ProfileDiff& diff) {
  PlainTable table;
  table.title = "Captures";
  table.header = {
      "",      "side", diff.wall_basis == "step_wall" ? "typical step" : "wall of the same work", "steps", "explained below",
      "sha256"};
  for (const auto& [name, side] : {std::pair{"baseline", &diff.baseline}, std::pair{"candidate", &diff.candidate}}) {
    for (const core::ProfileTrial& trial : side->trials) {
      table.rows.push_back({trial.path, name, trial.wall_ns ? time(*trial.wall_ns) : "-",
                            trial.steps > 0 ? std::to_string(trial.steps) : "-", trial.explained ? "yes" : "-",
                            trial.sha256.substr(0, 12)});
    }
  }
  if (diff.wall_trials && diff.wall_trials->tested)
    table.lead = "The captures are the trials that decided; the pair in the middle of their sides is explained below.";
  return table;
}

// What the captures of a side scatter, beside what the pair's parts moved.
PlainTable scatter_table(const core::ProfileDiff& diff, std::size_t limit) {
  std::vector<const core::ProfileContributor*> known;
  for (const core::ProfileContributor& each : diff.contributors) {
    if (each.baseline && each.candidate) known.push_back(&each);
  }
  return listed("Contributors over all captures", {"contributor", "baseline, least", "most", "candidate, least", "most", "apart"},
                known, limit, [](const core::ProfileContributor* each) {
                  return std::vector<std::string>{each->name,
                                                  time(each->baseline->min_ns),
                                                  time(each->baseline->max_ns),
                                                  time(each->candidate->min_ns),
                                                  time(each->candidate->max_ns),
                                                  each->apart() ? "yes" : "no"};
                });
}

PlainTable steps_table(const core::ProfileSteps& steps) {
  PlainTable table;
  table.title = "Steps";
  table.header = {"", "steps", "left out", "median", "MAD", "min", "max"};
  for (const auto& [name, side] : {std::pair{"baseline", &steps.baseline}, std::pair{"candidate", &steps.candidate}}) {
    table.rows.push_back({std::string(name) + " (" + (side->name.empty() ? side->basis : side->name) + ")",
                          std::to_string(side->steps), std::to_string(side->left_out), time(side->median_ns), time(side->mad_ns),
                          time(side->min_ns), time(side->max_ns)});
  }
  if (!steps.delta_pct) return table;
  table.lead = "The typical step changed by " + signed_percent(*steps.delta_pct);
  if (steps.interval_lo_pct && steps.interval_hi_pct) {
    table.lead += " (95 % interval of the shift: " + signed_percent(*steps.interval_lo_pct) + " to " +
                  signed_percent(*steps.interval_hi_pct) + ")";
  }
  if (steps.noise_pct) table.lead += "; within a capture steps scatter by " + core::short_number(*steps.noise_pct, 3) + "%";
  if (steps.mean_delta_pct) table.lead += "; the mean step changed by " + signed_percent(*steps.mean_delta_pct);
  table.lead += ".";
  return table;
}

PlainTable idle_table(const core::ProfileDiff& diff) {
  PlainTable table;
  table.title = "Why the GPU was idle";
  table.header = {"device", "idle", "host", "sync", "launch", "other"};
  for (const core::DeviceBuckets& device : diff.buckets) {
    for (const auto& [name, side] : {std::pair{"baseline", &device.baseline}, std::pair{"candidate", &device.candidate}}) {
      if (!*side || !(*side)->idle_split) continue;
      const core::ProfileIdleSplit& split = *(*side)->idle_split;
      table.rows.push_back({device_text(device, side == &device.candidate) + " " + name, time_text((*side)->idle_ns),
                            time_text(split.host_ns), time_text(split.sync_ns), time_text(split.launch_ns),
                            time_text(split.other_ns)});
    }
  }
  return table;
}

PlainTable processes_table(const core::ProfileDiff& diff) {
  PlainTable table;
  table.title = "Processes that share a GPU";
  table.header = {"device and process", "span", "busy", "idle", "step (median)"};
  for (const core::ProfileProcess& process : diff.processes) {
    const auto add = [&](const char* side, const std::optional<std::int64_t>& pid,
                         const std::optional<core::ProfileBuckets>& buckets, const std::optional<double>& step) {
      if (!pid || !buckets) return;
      const std::int64_t busy = buckets->span_ns - buckets->idle_ns;
      table.rows.push_back({std::to_string(process.device) + " / " + std::to_string(*pid) + " " + side,
                            time_text(buckets->span_ns), time_text(busy), time_text(buckets->idle_ns),
                            step ? time(*step) : std::string("-")});
    };
    add("baseline", process.baseline_pid, process.baseline, process.baseline_step_ns);
    add("candidate", process.candidate_pid, process.candidate, process.candidate_step_ns);
  }
  return table;
}

PlainTable gaps_table(const core::ProfileDiff& diff, std::size_t limit) {
  const auto share = [](const std::optional<core::ProfileGapSide>& side) {
    if (!side) return std::string("-");
    return time_text(side->total_ns) + (side->share_pct ? " (" + number(side->share_pct, 3) + "%)" : std::string());
  };
  const auto longest = [](const std::optional<core::ProfileGapSide>& side) {
    return side && side->longest_ns > 0 ? time_text(side->longest_ns) : std::string("-");
  };
  return listed("What the host did while the GPU was idle", {"cause", "baseline", "candidate", "delta", "gaps", "longest"},
                diff.gaps, limit, [&](const core::ProfileGaps& each) {
                  const auto count = [](const std::optional<core::ProfileGapSide>& side) {
                    return side ? std::to_string(side->gaps) : std::string("-");
                  };
                  return std::vector<std::string>{each.cause + (each.what.empty() ? "" : ": " + each.what),
                                                  share(each.baseline),
                                                  share(each.candidate),
                                                  signed_time_text(each.delta_ns),
                                                  count(each.baseline) + " -> " + count(each.candidate),
                                                  longest(each.baseline) + " -> " + longest(each.candidate)};
                });
}

PlainTable categories_table(const core::ProfileDiff& diff, std::size_t limit) {
  return listed("Kernel time by category",
                {"category", "baseline", "candidate", "delta", "for the same work", "calls", "speed of light"}, diff.categories,
                limit, [](const core::ProfileCategory& each) {
                  std::string sol = "-";
                  if (!each.ceiling_key.empty()) {
                    sol = each.ceiling_key + " (" + each.bound + ", " + each.rigor + ")";
                    const auto share = [](const std::optional<double>& pct) { return pct ? number(pct, 3) + "%" : "-"; };
                    if (each.baseline_sol_pct || each.candidate_sol_pct)
                      sol = share(each.baseline_sol_pct) + " -> " + share(each.candidate_sol_pct) + " of " + sol;
                  }
                  return std::vector<std::string>{
                      each.name,
                      time_text(each.baseline_ns),
                      time_text(each.candidate_ns),
                      signed_time_text(each.delta_ns),
                      each.work_delta_ns != each.delta_ns ? signed_time_text(each.work_delta_ns) : std::string("-"),
                      std::to_string(each.baseline_count) + " -> " + std::to_string(each.candidate_count),
                      sol};
                });
}

PlainTable rooflines_table(const core::ProfileDiff& diff, std::size_t limit) {
  return listed("Operators against the roofline", {"operator", "baseline", "candidate", "delta", "achieved", "limit"},
                diff.rooflines, limit, [](const core::ProfileRoofline& each) {
                  using Side = std::optional<core::ProfileRooflineSide>;
                  const auto time = [](const Side& side) { return side ? time_text(side->total_ns) : std::string("-"); };
                  const auto figure = [](const Side& side) {
                    if (!side || !side->achieved) return std::string("-");
                    return number(*side->achieved, 3) + (side->sol_pct ? " (" + number(*side->sol_pct, 3) + "%)" : "");
                  };
                  return std::vector<std::string>{each.op + " " + each.shape + " " + each.dtype,
                                                  time(each.baseline),
                                                  time(each.candidate),
                                                  signed_time_text(each.delta_ns),
                                                  figure(each.baseline) + " -> " + figure(each.candidate) + " " + each.unit,
                                                  each.ceiling_key.empty() ? "-" : each.ceiling_key};
                });
}

PlainTable ranges_table(const core::ProfileDiff& diff, std::size_t limit) {
  // Paths that moved, most first; unmoved ones say nothing here and stand in the JSON.
  std::vector<const core::ProfileRange*> moved;
  for (const core::ProfileRange& each : diff.ranges) {
    if (each.delta_gpu_ns != 0) moved.push_back(&each);
  }
  std::stable_sort(moved.begin(), moved.end(), [](const auto* a, const auto* b) {
    return std::abs(static_cast<double>(a->delta_gpu_ns)) > std::abs(static_cast<double>(b->delta_gpu_ns));
  });
  PlainTable table =
      listed("Kernel time by range", {"range", "baseline", "candidate", "delta", "count"}, moved, limit,
             [](const core::ProfileRange* each) {
               const auto gpu = [](const auto& side) { return side ? time_text(side->gpu_ns) : std::string("-"); };
               const auto count = [](const auto& side) { return side ? std::to_string(side->count) : std::string("-"); };
               return std::vector<std::string>{each->path, gpu(each->baseline), gpu(each->candidate),
                                               signed_time_text(each->delta_gpu_ns),
                                               count(each->baseline) + " -> " + count(each->candidate)};
             });
  if (diff.subtree) {
    table.lead = core::short_number(diff.subtree->share_pct, 3) + "% of " + signed_time_text(diff.subtree->total_delta_gpu_ns) +
                 " is in " + diff.subtree->path + ".";
  }
  return table;
}

// By the wall: what a range launched and the gaps before it. Those that explain the change first, then what moved most.
PlainTable parts_table(const core::ProfileDiff& diff, std::size_t limit) {
  std::vector<const core::ProfileRange*> moved;
  for (const core::ProfileRange& each : diff.ranges) {
    if (each.delta_wall_ns != 0) moved.push_back(&each);
  }
  std::stable_sort(moved.begin(), moved.end(), [](const auto* a, const auto* b) {
    if (a->explains != b->explains) return a->explains;
    return std::abs(static_cast<double>(a->delta_wall_ns)) > std::abs(static_cast<double>(b->delta_wall_ns));
  });
  const bool stepped = diff.steps && diff.steps->baseline_in_window && diff.steps->candidate_in_window;
  const double before = stepped ? *diff.steps->baseline_in_window : 1;
  const double after = stepped ? *diff.steps->candidate_in_window : 1;
  PlainTable table = listed(stepped ? "Where in the program, per step" : "Where in the program",
                            {"range", "baseline", "candidate", "of it idle", "for the same work", "of what moved"}, moved, limit,
                            [&](const core::ProfileRange* each) {
                              const auto part = [](const auto& side, double steps, auto field) {
                                return side ? time(static_cast<double>((*side).*field) / steps) : std::string("-");
                              };
                              const auto wall = &core::ProfileRangeSide::wall_ns;
                              const auto idle = &core::ProfileRangeSide::idle_ns;
                              return std::vector<std::string>{
                                  (each->explains ? "* " : "") + each->path,
                                  part(each->baseline, before, wall),
                                  part(each->candidate, after, wall),
                                  part(each->baseline, before, idle) + " -> " + part(each->candidate, after, idle),
                                  signed_time_text(each->delta_wall_ns / static_cast<std::int64_t>(std::max(1.0, before))),
                                  each->share_pct ? signed_percent(*each->share_pct) : std::string("-")};
                            });
  if (!moved.empty() && moved.front()->explains) {
    table.lead = "* The fewest and smallest parts that hold nine tenths of the wall's change.";
  }
  return table;
}

PlainTable collectives_table(const core::ProfileDiff& diff, std::size_t limit) {
  return listed("Collectives by type and size",
                {"collective", "calls", "baseline", "candidate", "delta", "busbw GB/s", "waiting"}, diff.collectives, limit,
                [](const core::ProfileCollective& each) {
                  std::string name = each.type;
                  for (const std::string* part : {&each.size_bucket, &each.dtype, &each.group}) {
                    if (!part->empty()) name += " " + *part;
                  }
                  if (each.group_size > 0) name += " x" + std::to_string(each.group_size);
                  const auto count = [](const auto& side) { return side ? std::to_string(side->count) : std::string("-"); };
                  const auto total = [](const auto& side) { return side ? time_text(side->total_ns) : std::string("-"); };
                  const auto busbw = [](const auto& side) { return side ? number(side->busbw) : std::string("-"); };
                  std::string waiting = "-";
                  for (const auto* side : {&each.baseline, &each.candidate}) {
                    if (!*side || !(*side)->wait_ns) continue;
                    const std::string text = time_text(*(*side)->wait_ns) +
                                             ((*side)->slowest_rank ? " for rank " + std::to_string(*(*side)->slowest_rank) : "");
                    waiting = side == &each.baseline ? text : (waiting == "-" ? "" : waiting + " -> ") + text;
                  }
                  return std::vector<std::string>{name,
                                                  count(each.baseline) + " -> " + count(each.candidate),
                                                  total(each.baseline),
                                                  total(each.candidate),
                                                  signed_time_text(each.delta_ns),
                                                  busbw(each.baseline) + " -> " + busbw(each.candidate),
                                                  waiting};
                });
}

PlainTable ranks_table(const core::ProfileDiff& diff, std::size_t limit) {
  PlainTable table;
  table.title = "Late ranks";
  table.lead = "By their own work between collectives, beyond the middle rank of each.";
  table.header = {"rank", "side", "late", "chance"};
  for (const auto& [name, side] :
       {std::pair("candidate", diff.candidate_job.get()), std::pair("baseline", diff.baseline_job.get())}) {
    if (side == nullptr) continue;
    for (const core::Straggler& each : side->stragglers) {
      if (table.rows.size() == limit) {
        ++table.left_out;
        continue;
      }
      table.rows.push_back({std::to_string(each.rank), name, late_text(each, *side), core::short_number(each.p, 2)});
    }
  }
  return table;
}

PlainTable launches_table(const core::ProfileDiff& diff) {
  PlainTable table;
  table.title = "Launches";
  table.header = {"",      "launches", "launch (median)", "first and slow", "delay (median)", "kernels under 5 us",
                  "syncs", "in syncs", "pageable copies", "allocations"};
  for (const auto& [name, side] :
       {std::pair{"baseline", &diff.baseline_launches}, std::pair{"candidate", &diff.candidate_launches}}) {
    if (!*side) continue;
    const core::ProfileLaunches& one = **side;
    const std::string once =
        one.one_off_launches > 0 ? std::to_string(one.one_off_launches) + " in " + time_text(one.one_off_ns) : std::string("-");
    table.rows.push_back({name, std::to_string(one.launches), one.median_launch_ns ? time(*one.median_launch_ns) : "-", once,
                          one.median_delay_ns ? time(*one.median_delay_ns) : std::string("-"), std::to_string(one.tiny_kernels),
                          std::to_string(one.syncs), time_text(one.sync_ns), std::to_string(one.pageable_copies),
                          std::to_string(one.allocations)});
  }
  return table;
}

PlainTable frames_table(const core::ProfileDiff& diff, std::size_t limit) {
  const bool comparable = !diff.frames_unit.empty();  // else the sides count different things
  return listed(
      "Functions (" + (diff.frames_unit.empty() ? std::string("self") : diff.frames_unit) + ")",
      {"function", "self", "", "delta", "pct", "share", ""}, diff.frames, limit, [comparable](const core::ProfileFrame& each) {
        return std::vector<std::string>{each.name,
                                        std::to_string(each.baseline_self),
                                        std::to_string(each.candidate_self),
                                        comparable ? (each.delta_self > 0 ? "+" : "") + std::to_string(each.delta_self) : "-",
                                        comparable ? fmt_pct(each.self_pct) : "-",
                                        core::short_number(each.baseline_share_pct, 3) + "%",
                                        core::short_number(each.candidate_share_pct, 3) + "%"};
      });
}

PlainTable metrics_table(const core::ProfileDiff& diff, std::size_t limit) {
  return listed("Kernel metrics", {"kernel and metric", "baseline", "candidate", "delta", "pct", "unit"}, diff.metrics, limit,
                [](const core::ProfileMetric& each) {
                  return std::vector<std::string>{each.kernel + (each.shape.empty() ? "" : " " + each.shape) + ": " + each.metric,
                                                  number(each.baseline),
                                                  number(each.candidate),
                                                  number(each.delta),
                                                  fmt_pct(each.pct),
                                                  each.unit};
                });
}

// Columns in which no row has anything.
void drop_empty_columns(PlainTable& table) {
  for (std::size_t column = table.header.size(); column-- > 1;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [column](const std::vector<std::string>& row) {
      return row[column] == "-" || row[column] == "- -> -" || row[column].empty();
    });
    if (!empty) continue;
    table.header.erase(table.header.begin() + static_cast<std::ptrdiff_t>(column));
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

}  // namespace

std::string device_text(const core::DeviceBuckets& device, bool candidate) {
  return std::to_string(candidate ? device.candidate_device.value_or(device.device) : device.device);
}

std::vector<PlainTable> profile_tables(const core::ProfileDiff& diff, std::size_t limit) {
  std::vector<PlainTable> all;
  all.push_back(captures_table(diff));
  all.push_back(scatter_table(diff, limit));
  if (diff.steps && (diff.steps->baseline.steps > 0 || diff.steps->candidate.steps > 0)) all.push_back(steps_table(*diff.steps));
  all.push_back(idle_table(diff));
  all.push_back(processes_table(diff));
  all.push_back(gaps_table(diff, limit));
  all.back().whole_names = true;
  all.push_back(categories_table(diff, limit));
  all.push_back(rooflines_table(diff, limit));
  const bool walls = std::any_of(diff.ranges.begin(), diff.ranges.end(), [](const core::ProfileRange& each) {
    return (each.baseline && each.baseline->wall_ns > 0) || (each.candidate && each.candidate->wall_ns > 0);
  });
  all.push_back(walls ? parts_table(diff, limit) : ranges_table(diff, limit));
  all.back().whole_names = true;
  all.push_back(collectives_table(diff, limit));
  all.push_back(ranks_table(diff, limit));
  all.push_back(launches_table(diff));
  all.push_back(frames_table(diff, limit));
  all.push_back(metrics_table(diff, limit));
  std::erase_if(all, [](const PlainTable& table) { return table.rows.empty(); });
  for (PlainTable& table : all) drop_empty_columns(table);
  return all;
}

}  // namespace plumbline::reports
