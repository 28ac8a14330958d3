#include "profiles/analysis/work_marks.hpp"

#include <algorithm>

#include "profiles/names/work_marks.hpp"

namespace plumbline::profiles {

std::optional<MarkedWork> marked_work(const Capture& capture) {
  const Ranges& ranges = capture.ranges;
  std::vector<std::uint64_t> counts(capture.names.size(), 0);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!is_automatic(ranges.kind[i])) ++counts[ranges.name[i]];
  }
  MarkedWork sum;
  std::uint64_t most = 0;
  for (std::uint32_t id = 0; id < counts.size(); ++id) {
    const auto mark = counts[id] == 0 ? std::nullopt : work_mark(capture.names.text(id));
    if (!mark) continue;
    const std::uint64_t count = counts[id];
    sum.steps += count;
    if (mark->phase == Phase::prefill) sum.prefill += count;
    if (mark->phase == Phase::decode) sum.decode += count;
    if (mark->phase == Phase::mixed) sum.mixed += count;
    if (mark->batch) {
      sum.batch += static_cast<double>(*mark->batch) * static_cast<double>(count);
      sum.batch_steps += count;
    }
    if (mark->tokens) {
      sum.tokens += static_cast<double>(*mark->tokens) * static_cast<double>(count);
      sum.token_steps += count;
    }
    if (count <= most) continue;
    most = count;
    sum.example = capture.names.text(id);
  }
  return sum.steps > 0 ? std::optional(std::move(sum)) : std::nullopt;
}

void add_marked_work(std::optional<MarkedWork>& into, const std::optional<MarkedWork>& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  into->steps += from->steps;
  into->prefill += from->prefill;
  into->decode += from->decode;
  into->mixed += from->mixed;
  into->batch += from->batch;
  into->batch_steps += from->batch_steps;
  into->tokens += from->tokens;
  into->token_steps += from->token_steps;
  into->example = std::min(into->example, from->example);
}

}  // namespace plumbline::profiles
