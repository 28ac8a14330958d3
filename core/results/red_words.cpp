#include "core/results/red_words.hpp"

#include "core/text.hpp"

namespace plumbline::core {

std::string red_text(const RedStreak& streak) {
  if (streak.diffs < 2 && streak.days == 0) return {};
  const std::string diffs = counted(streak.diffs, "diff");
  if (streak.days == 0 && !streak.older) return "RED in " + diffs + ", since today";
  std::string out = streak.older ? "RED for at least " : "RED for ";
  return out + counted(static_cast<std::uint64_t>(streak.days), "day") + " (" + diffs + (streak.older ? " or more" : "") +
         "), since " + streak.since + (streak.older ? " or before" : "");
}

}  // namespace plumbline::core
