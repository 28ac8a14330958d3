#include "profiles/ranks/telling.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/ranks/clocks.hpp"
#include "profiles/ranks/lateness.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMostMissing = 4096;  // listed
constexpr std::size_t kMostReason = 200;    // bytes of one failure, in a sentence about all

void expect_ranks(const Job& job, core::ProfileRanksSide& out) {
  const auto raise = [&out](std::uint64_t ranks, const char* by) {
    if (ranks <= out.expected) return;
    out.expected = ranks;
    out.expected_by = by;
  };
  const auto said = job.sum.info.context.find(std::string(kWorldSize));
  const auto world = said == job.sum.info.context.end() ? std::nullopt : core::parse_int(said->second);
  const bool world_known = world && *world > 0 && *world <= kMaxWorld;
  if (world_known) raise(static_cast<std::uint64_t>(*world), "world_size");
  for (const CollectiveGroup& group : job.sum.collectives) {
    if (group.group_size <= kMaxWorld) raise(group.group_size, "group_size");
  }
  for (const core::RankFailure& each : out.failed) {
    if (each.rank >= 0 && each.rank < kMaxWorld) raise(static_cast<std::uint64_t>(each.rank) + 1, "failures");
  }
  // A hole shows by itself, unless they are few of many that somebody chose.
  const std::vector<std::int64_t>& ranks = job.sum.info.ranks;
  if (world_known || ranks.empty() || ranks.back() >= kMaxWorld) return;
  const std::uint64_t up_to = static_cast<std::uint64_t>(ranks.back()) + 1;
  if (up_to <= 2 * ranks.size()) raise(up_to, "ranks");
}

void find_missing(const Job& job, core::ProfileRanksSide& out) {
  const std::vector<std::int64_t>& ranks = job.sum.info.ranks;
  std::set<std::int64_t> there(ranks.begin(), ranks.end());
  for (const core::RankFailure& each : job.failed) {
    if (there.contains(each.rank)) continue;  // digested since
    out.failed.push_back(each);
  }
  expect_ranks(job, out);
  // Numbers beyond the job's ranks are not those of the job: which of them are missing cannot be told.
  if (!ranks.empty() && static_cast<std::uint64_t>(ranks.back()) >= out.expected) {
    if (ranks.size() > out.expected) out.expected = 0;
    return;
  }
  for (const core::RankFailure& each : out.failed) there.insert(each.rank);
  for (std::int64_t rank = 0; rank < static_cast<std::int64_t>(out.expected) && out.missing.size() < kMostMissing; ++rank) {
    if (!there.contains(rank)) out.missing.push_back(rank);
  }
}

void find_cut(const Job& job, core::ProfileRanksSide& out) {
  std::set<std::int64_t> cut;
  for (const Said& each : job.said) {
    if (each.code == "capture_incomplete") cut.insert(each.ranks.begin(), each.ranks.end());
  }
  out.cut.assign(cut.begin(), cut.end());
}

}  // namespace

std::string ranks_text(const std::vector<std::int64_t>& ranks, std::size_t at_most) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i > 2) {
      texts.push_back(std::to_string(ranks[i]) + " to " + std::to_string(ranks[end - 1]));
    } else {
      for (std::size_t k = i; k < end; ++k) texts.push_back(std::to_string(ranks[k]));
    }
    i = end;
  }
  return core::listed(texts, at_most);
}

std::string ranks_told(const core::ProfileRanksSide& side) {
  constexpr std::size_t kNamed = 3;
  std::string out = side.expected > side.read ? std::to_string(side.read) + " of " + core::counted(side.expected, "rank")
                                              : core::counted(side.read, "rank");
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(kNamed, side.failed.size()); ++i) {
    const core::RankFailure& each = side.failed[i];
    parts.push_back((each.rank >= 0 ? std::to_string(each.rank) : std::string("an unknown one")) + " failed (" +
                    core::cited_path(each.file) + ": " + core::shorten_sentence(each.reason, kMostReason) + ")");
  }
  if (side.failed.size() > kNamed) parts.push_back(std::to_string(side.failed.size() - kNamed) + " more failed");
  if (!side.missing.empty())
    parts.push_back(ranks_text(side.missing) + (side.missing.size() == 1 ? " is missing" : " are missing"));
  if (!side.cut.empty()) parts.push_back(ranks_text(side.cut) + (side.cut.size() == 1 ? " was cut short" : " were cut short"));
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? ": " : ", ") + parts[i];
  return out;
}

core::ProfileRanksSide tell_presence(const Job& job) {
  core::ProfileRanksSide out;
  out.read = job.sum.info.ranks.size();
  find_missing(job, out);
  find_cut(job, out);
  return out;
}

core::ProfileRanksSide tell_ranks(const Job& job) {
  core::ProfileRanksSide out = tell_presence(job);
  const std::vector<const Meeting*> meetings = shared_meetings(job);
  out.collectives = meetings.size();
  tell_clocks(job, meetings, out);
  tell_lateness(job, meetings, out);
  return out;
}

}  // namespace plumbline::profiles
