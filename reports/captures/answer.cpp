// The answer in words: how much, because of what, what next.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/citing.hpp"
#include "core/results/gap_causes.hpp"
#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0U - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}
double real(std::int64_t value) { return static_cast<double>(value); }

// What stands behind `before` of "cause: what".
std::string_view what_of(std::string_view name) {
  const std::size_t cut = name.find(": ");
  return cut == std::string_view::npos ? std::string_view() : name.substr(cut + 2);
}
std::string_view cause_of(std::string_view name) { return name.substr(0, name.find(": ")); }

std::string more_or_less(std::int64_t ns) {
  return time_text(static_cast<std::int64_t>(magnitude(ns))) + (ns > 0 ? " more" : " less");
}

// "\"flash_fwd_kernel\" takes 3.1 ms more".
std::string clause(const FallPart& part) {
  const std::string more = more_or_less(part.delta_ns);
  if (part.kind == "idle") {
    const core::GapCause& words = core::gap_cause(cause_of(part.name));
    std::string text = std::string(words.before) + " " + more;
    if (!words.after.empty()) text += " " + std::string(words.after);
    if (const std::string_view what = what_of(part.name); !what.empty()) text += " (" + core::cited(what, 48) + ")";
    return text;
  }
  return core::cited(brief_name(part.name), 60) + " takes " + more;
}

// "52 kernels take 24 ms more together".
std::string kind_clause(const FallPart& kind) {
  if (kind.kind == "idle") return "the GPU is idle for " + more_or_less(kind.delta_ns);
  const bool copies = kind.kind == "copy";
  return core::counted(kind.together, copies ? "kind of copy" : kind.kind, copies ? "kinds of copies" : std::string_view()) +
         " take " + more_or_less(kind.delta_ns) + " together";
}

// The two largest of a kind, of parts in order of size.
std::string largest_of(const std::vector<const FallPart*>& parts, std::string_view kind) {
  std::string text;
  int said = 0;
  for (const FallPart* part : parts) {
    if (part->kind != kind || ++said > 2) continue;
    text += (said == 1 ? "" : "; ") + clause(*part);
  }
  return text;
}

constexpr std::size_t kAllParts = 1'000'000;

// The fewest parts, at most two, that hold most of what went the way the whole went; where it is spread, the kind of work that
// does.
std::string because(const core::ProfileDiff& diff) {
  const std::optional<Fall> fall = fall_of(diff, kAllParts);
  if (!fall) return {};
  std::uint64_t along = 0;
  std::vector<const FallPart*> parts;
  std::map<std::string, FallPart> kinds;
  for (const FallPart& part : fall->parts) {
    if (part.kind == "rest") continue;
    FallPart& kind = kinds.try_emplace(part.kind, FallPart{part.kind, {}, 0, 0}).first->second;
    kind.delta_ns += part.delta_ns;
    kind.together += part.together;
    if ((part.delta_ns > 0) != (fall->delta_ns() > 0)) continue;
    along += magnitude(part.delta_ns);
    parts.push_back(&part);
  }
  const auto larger = [](const auto* a, const auto* b) { return magnitude(a->delta_ns) > magnitude(b->delta_ns); };
  std::stable_sort(parts.begin(), parts.end(), larger);
  const auto most = [&](const FallPart& kind) {
    return (kind.delta_ns > 0) == (fall->delta_ns() > 0) && 2 * magnitude(kind.delta_ns) >= along;
  };
  if (!parts.empty() && 10 * magnitude(parts[0]->delta_ns) < 3 * along) {
    for (const auto& [name, kind] : kinds) {
      if (kind.together > 2 && most(kind)) return kind_clause(kind) + " (" + largest_of(parts, name) + ")";
    }
  }
  std::string text;
  std::uint64_t said = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 2) && 10 * said < 6 * along; ++i) {
    text += (i == 0 ? "" : ", and ") + clause(*parts[i]);
    said += magnitude(parts[i]->delta_ns);
  }
  return text;
}

std::string changed(double pct) {
  const std::string size = core::short_number(std::fabs(pct), 3) + " %";
  return size + (pct > 0 ? " more time" : " less time");
}

bool other_gpu(const core::ProfileDiff& diff) {
  return std::any_of(diff.environment_differences.begin(), diff.environment_differences.end(),
                     [](const auto& each) { return each.key == "hardware.gpu" && each.baseline_known && each.current_known; });
}

std::string frames_headline(const core::ProfileDiff& diff) {
  const core::ProfileFrame& most = diff.frames.front();
  std::string text = core::counted(diff.frames.size(), "function") + " of the host compared";
  if (most.delta_self == 0 || diff.frames_unit.empty()) return text;
  return text + ": " + core::cited(brief_name(most.name), 60) + " changed most, from " +
         core::short_number(most.baseline_share_pct, 3) + " % to " + core::short_number(most.candidate_share_pct, 3) +
         " % of all " + diff.frames_unit;
}

// Whether two times go where the wall goes. What all steps took together may stay where most steps take longer, and the shift of
// the steps is not the difference of their medians.
bool agree(std::int64_t baseline_ns, std::int64_t candidate_ns, double pct) {
  if (std::fabs(pct) < 0.05) return true;
  return pct > 0 ? candidate_ns > baseline_ns : candidate_ns < baseline_ns;
}

std::string headline(const core::ProfileDiff& diff) {
  if (!diff.wall_delta_pct) {
    if (!diff.frames.empty()) return frames_headline(diff);
    return "The captures hold nothing that tells how long the work took";
  }
  const double pct = *diff.wall_delta_pct;
  const std::optional<Fall> fall = fall_of(diff, 8);
  const bool step = diff.wall_basis == "step_wall";
  const bool kernels = diff.wall_basis.find("kernel") != std::string::npos;
  std::string text = step ? "A step takes " : kernels ? "The kernels of the same work take " : "The same work takes ";
  if (std::fabs(pct) < 0.05) {
    text += "as long as before";
  } else {
    text += changed(pct);
  }
  if (other_gpu(diff)) text += " on another GPU";
  const auto from_to = [&](std::int64_t baseline_ns, std::int64_t candidate_ns, bool medians) {
    return (medians ? ", medians " : ": ") + time_text(baseline_ns) + " → " + time_text(candidate_ns);
  };
  const bool tells = fall && agree(fall->baseline_ns, fall->candidate_ns, pct);
  if (tells) {
    text += from_to(fall->baseline_ns, fall->candidate_ns, fall->medians());
  } else if (step && diff.steps) {
    const std::int64_t baseline = std::llround(diff.steps->baseline.median_ns);
    const std::int64_t candidate = std::llround(diff.steps->candidate.median_ns);
    if (agree(baseline, candidate, pct)) text += from_to(baseline, candidate, true);
  }
  const bool quiet = std::fabs(pct) < diff.gate_pct;
  if (quiet) return text + ", within the gate of " + core::short_number(diff.gate_pct, 4) + " %";
  const std::string why = tells ? because(diff) : std::string();
  return why.empty() ? text : text + ", since " + why;
}

std::string interval(const core::ProfileDiff& diff) {
  const auto words = [](double low, double high) {
    return "95 % interval of the change: " + core::signed_number(low, 3) + " % to " + core::signed_number(high, 3) + " %";
  };
  if (diff.wall_trials && diff.wall_trials->interval_lo_pct && diff.wall_trials->interval_hi_pct) {
    return words(*diff.wall_trials->interval_lo_pct, *diff.wall_trials->interval_hi_pct) + ", over " +
           std::to_string(diff.wall_trials->baseline) + " and " + core::counted(diff.wall_trials->candidate, "capture");
  }
  if (diff.steps && diff.steps->interval_lo_pct && diff.steps->interval_hi_pct) {
    return words(*diff.steps->interval_lo_pct, *diff.steps->interval_hi_pct) + ", over the steps of one capture a side";
  }
  return {};
}

// ---- parts ----------------------------------------------------------------------------------------------------------------

// The first `most` by size, the others together by kind.
void put_together(std::vector<FallPart>& parts, std::size_t most) {
  std::stable_sort(parts.begin(), parts.end(), [](const FallPart& a, const FallPart& b) {
    return std::pair(a.kind == "rest", magnitude(b.delta_ns)) < std::pair(b.kind == "rest", magnitude(a.delta_ns));
  });
  std::map<std::string, FallPart> rest;
  std::vector<FallPart> kept;
  for (FallPart& part : parts) {
    if (part.delta_ns == 0) continue;
    if (part.kind != "rest" && kept.size() < most) {
      kept.push_back(std::move(part));
      continue;
    }
    const auto [at, first] = rest.try_emplace(part.kind, part);
    if (first) continue;
    at->second.delta_ns += part.delta_ns;
    at->second.together += part.together;
  }
  for (auto& [kind, part] : rest) {
    if (part.delta_ns != 0) kept.push_back(std::move(part));
  }
  parts = std::move(kept);
}

std::optional<Fall> typical_fall(const core::ProfileDiff& diff) {
  if (diff.wall_basis != "step_wall" || !diff.timeline || diff.timeline->parts.empty()) return std::nullopt;
  Fall fall{std::string(kTypicalStep), diff.timeline->baseline->typical_ns, diff.timeline->candidate->typical_ns, {}};
  for (const core::ProfileStepPart& part : diff.timeline->parts)
    fall.parts.push_back({part.kind, part.name, part.delta_ns(), part.kind == "rest" ? diff.timeline->parts_together : 1});
  return fall;
}

double mean(const std::vector<std::int64_t>& walls) {
  double sum = 0;
  for (const std::int64_t wall : walls) sum += real(wall);
  return walls.empty() ? 0 : sum / real(static_cast<std::int64_t>(walls.size()));
}

// Of the wall for the same work: what its contributors moved, idle time by what the host did where that is known.
std::optional<Fall> wall_fall(const core::ProfileDiff& diff) {
  if (!diff.wall_baseline_ns || !diff.wall_delta_ns) return std::nullopt;
  const std::int64_t whole = *diff.wall_baseline_ns, change = *diff.wall_delta_ns;
  std::vector<FallPart> parts;
  for (const core::ProfileContributor& each : diff.contributors) {
    if (each.kind != "idle" || diff.gaps.empty())
      parts.push_back({each.kind, each.kind == "idle" ? "unknown" : each.name, each.delta_ns});
  }
  const bool idle_known = diff.wall_basis == "step_wall" || diff.wall_basis == "work_normalised_wall";
  for (const core::ProfileGaps& each : diff.gaps) {
    if (idle_known) parts.push_back({"idle", each.cause + (each.what.empty() ? "" : ": " + each.what), each.delta_ns});
  }
  double most = std::fabs(real(whole)) + std::fabs(real(change));
  for (const FallPart& part : parts) most += std::fabs(real(part.delta_ns));
  if (most > 4e18) return std::nullopt;  // a damaged capture: its times add up to nothing
  std::int64_t said = 0;
  for (const FallPart& part : parts) said += part.delta_ns;
  if (said != change) parts.push_back({"rest", {}, change - said});
  // For one step: each place on the way is scaled, so that the parts still sum to the whole.
  const double step = diff.steps && diff.steps->candidate.steps > 0 ? mean(diff.steps->baseline.wall_ns) : 0;
  const double scale = step > 0 && whole > 0 ? step / real(whole) : 1;
  const auto scaled = [scale](std::int64_t ns) { return scale == 1 ? ns : std::llround(real(ns) * scale); };
  Fall fall{scale == 1 ? "the wall for the same work" : "the mean step", scaled(whole), scaled(whole + change), {}};
  std::int64_t running = whole;
  for (FallPart& part : parts) {
    const std::int64_t before = scaled(running);
    running += part.delta_ns;
    part.delta_ns = scaled(running) - before;
    fall.parts.push_back(std::move(part));
  }
  return fall;
}

std::string file_name(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t cut = path.rfind('/');
  return std::string(cut == std::string_view::npos || cut + 1 == path.size() ? path : path.substr(cut + 1));
}

}  // namespace

namespace {

// Of a kernel that runs whatever it is given: what it is given. "" where its arguments do not say.
std::string_view given_work(std::string_view arguments) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; at < arguments.size();) {
    std::size_t end = at;
    while (end < arguments.size() && in_word(arguments[end])) ++end;
    const std::string_view word = arguments.substr(at, end - at);
    const bool carrier =
        word.find("gpu_kernel") != std::string_view::npos || word.find("elementwise_kernel") != std::string_view::npos;
    if (!carrier && (word.find("Functor") != std::string_view::npos || word.ends_with("_kernel_cuda") ||
                     word.ends_with("_kernel_impl") || word.ends_with("_kernel")))
      return word;
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace

std::string brief_name(std::string_view name) {
  std::string text(name);
  for (const std::string_view noise : {"<unnamed>::", "(anonymous namespace)::"}) {
    for (std::size_t at = 0; (at = text.find(noise)) != std::string::npos;) text.erase(at, noise.size());
  }
  if (text.starts_with("void ")) text.erase(0, 5);
  if (text.starts_with(':') && !text.starts_with("::")) text.erase(0, 1);  // NVTX's default domain
  if (text.find("::") != std::string::npos || text.ends_with(')') || text.ends_with('>')) {
    const std::size_t cut = text.find_first_of("<(", 1);
    if (cut != std::string::npos) {
      const std::string_view head = std::string_view(text).substr(0, cut);
      std::string given;
      if (head.ends_with("elementwise_kernel") || head.ends_with("reduce_kernel"))
        given = given_work(std::string_view(text).substr(cut));
      text.erase(cut);
      if (!given.empty()) text += " " + given;
    }
  }
  return one_line(text);
}

std::pair<std::string, std::string> side_names(const core::ProfileDiff& diff) {
  const auto name = [](const core::ProfileSideInfo& side) {
    return side.label.empty() || side.label == side.path ? file_name(side.path) : side.label;
  };
  std::pair<std::string, std::string> names{name(diff.baseline), name(diff.candidate)};
  if (names.first == names.second) {
    for (auto& [text, side] : {std::pair{&names.first, &diff.baseline}, std::pair{&names.second, &diff.candidate}}) {
      const std::size_t cut = side->path.rfind('/');
      if (cut != std::string::npos && cut > 0) *text = file_name(side->path.substr(0, cut)) + "/" + *text;
    }
  }
  return names;
}

std::string part_label(const FallPart& part) {
  if (part.kind == "rest") return part.together > 1 ? core::counted(part.together, "smaller part") : "everything else";
  if (part.together > 1) {
    if (part.kind == "idle") return core::counted(part.together, "other kind of gap", "other kinds of gaps");
    if (part.kind == "copy") return core::counted(part.together, "other copy", "other copies");
    return core::counted(part.together, "other " + part.kind);
  }
  if (part.kind != "idle") return brief_name(part.name);
  std::string text = "GPU idle: " + std::string(core::gap_cause(cause_of(part.name)).label);
  if (const std::string_view what = what_of(part.name); !what.empty()) text += " (" + one_line(what) + ")";
  return text;
}

std::optional<Fall> fall_of(const core::ProfileDiff& diff, std::size_t most) {
  std::optional<Fall> fall = typical_fall(diff);
  if (!fall) fall = wall_fall(diff);
  if (fall) put_together(fall->parts, most);
  return fall;
}

Answer answer_of(const core::ProfileDiff& diff) {
  Answer answer;
  answer.headline = headline(diff);
  answer.interval = interval(diff);
  if (diff.verdict == core::Verdict::yellow && !diff.reasons.empty()) answer.why = diff.reasons.front().message;
  // What is lost in gaps and copies has a lever; kernels that take longer are looked into.
  const std::optional<Fall> fall = fall_of(diff, 1);
  const bool kernels = fall && fall->delta_ns() > 0 && !fall->parts.empty() && fall->parts.front().kind == "kernel" &&
                       fall->parts.front().delta_ns > 0;
  answer.next = diff.next_lever && !kernels ? diff.next_lever->lever : diff.recommendation.message;
  return answer;
}

}  // namespace plumbline::reports
