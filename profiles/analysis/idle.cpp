#include "profiles/analysis/idle.hpp"

#include <algorithm>

namespace plumbline::profiles {

IdleSplitter::IdleSplitter(const Capture& capture, const std::vector<CallKind>& kinds) : capture_(capture) {
  const Calls& calls = capture.calls;
  const Column<std::uint32_t>& launches = capture.ops.launch;
  known_ = std::any_of(launches.begin(), launches.end(), [](std::uint32_t call) { return call != kNone; });
  if (!known_) return;
  const std::vector<bool> blocks = blocking_copies(capture);
  waits_.resize(capture.threads.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (kinds[calls.name[i]] != CallKind::wait && (blocks.empty() || !blocks[i])) continue;
    std::vector<Wait>& list = waits_[calls.thread[i]];
    const Wait each{calls.times.start(i), calls.times.end(i)};
    if (!list.empty() && each.start <= list.back().end) {  // a driver call inside the runtime's
      list.back().end = std::max(list.back().end, each.end);
    } else {
      list.push_back(each);
    }
  }
}

std::int64_t IdleSplitter::waited(std::uint32_t thread, std::int64_t from, std::int64_t to, Hint& hint) const {
  const std::vector<Wait>& list = waits_[thread];
  if (hint.thread != thread) hint = {thread, 0};
  // The first wait that ends after `from`: ahead of the hint within a few steps, else by halving.
  const auto ends_before = [from](const Wait& wait) { return wait.end <= from; };
  std::size_t at = hint.at;
  if (at > 0 && (at > list.size() || !ends_before(list[at - 1]))) at = 0;
  for (int steps = 0; steps < 8 && at < list.size() && ends_before(list[at]); ++steps) ++at;
  if (at < list.size() && ends_before(list[at])) {
    at = static_cast<std::size_t>(std::partition_point(list.begin() + static_cast<std::ptrdiff_t>(at), list.end(), ends_before) -
                                  list.begin());
  }
  hint.at = at;
  std::int64_t sum = 0;
  for (; at < list.size() && list[at].start < to; ++at) sum += std::min(list[at].end, to) - std::max(list[at].start, from);
  return sum;
}

void IdleSplitter::add(std::int64_t from, std::int64_t to, std::uint32_t next, Hint& hint, core::ProfileIdleSplit& into) const {
  const std::uint32_t call = capture_.ops.launch[next];
  if (call == kNone) {
    into.other_ns += to - from;
    return;
  }
  const std::int64_t launched = std::clamp(capture_.calls.times.start(call), from, to);
  into.launch_ns += to - launched;
  if (launched == from) return;
  const std::int64_t sync = waited(capture_.calls.thread[call], from, launched, hint);
  into.sync_ns += sync;
  into.host_ns += launched - from - sync;
}

}  // namespace plumbline::profiles
