#include "formats/hardware/headlines.hpp"

#include <algorithm>

namespace plumbline::formats {

using core::Direction;

void SizeHeadlines::take(const ToolRows& rows, std::string_view sweep, const ToolMetric& metric, double size) {
  const auto [at, fresh] = index_.try_emplace({std::string(sweep), metric.name}, found_.size());
  if (fresh) {
    found_.emplace_back(size, rows.key(metric.name));
    return;
  }
  auto& [best, key] = found_[at->second];
  if (metric.direction == Direction::higher ? size <= best : size >= best) return;
  best = size;
  key = rows.key(metric.name);
}

void SizeHeadlines::declare(ToolRows& rows) const {
  for (std::size_t i = 0; i < std::min(found_.size(), kMostHeadlines); ++i) rows.headline(found_[i].second);
}

void Outermost::take(const ToolRows& rows, std::uint32_t point, const ToolMetric& metric, double value) {
  if (metric_ == nullptr) {
    metric_ = &metric;
    only_ = rows.key(metric.name);
  }
  const std::size_t at = times_[point]++;
  if (trials_.size() <= at) trials_.push_back({value, 0});
  Trial& trial = trials_[at];
  ++trial.cells;
  const bool larger = (metric_->direction == Direction::higher) == (end_ == End::fastest);
  trial.value = larger ? std::max(trial.value, value) : std::min(trial.value, value);
}

std::string Outermost::put(ToolRows& rows, std::string_view subject, std::vector<Dim> dims) const {
  if (times_.size() < 2) return only_;
  const std::string cells = std::to_string(times_.size());
  dims.emplace_back("derived", end_ == End::slowest ? "slowest" : "fastest");
  dims.emplace_back("cells", cells);
  rows.point(subject, dims);
  for (const Trial& trial : trials_) {
    if (trial.cells == times_.size()) rows.add(*metric_, trial.value);
  }
  return rows.key(metric_->name);
}

Outermost& Headlines::cells(std::string_view subject, std::vector<Dim> dims, int rank, Outermost::End end) {
  std::string name(subject);
  for (const auto& [dim, value] : dims) name.append(",").append(dim).append("=").append(value);
  const auto [known, fresh] = matrices_.try_emplace(std::move(name), nullptr);
  if (fresh) {
    candidates_.push_back({rank, {}, std::string(subject), {dims.begin(), dims.end()}, Outermost(end)});
    known->second = &candidates_.back().cells;
  }
  return *known->second;
}

void Headlines::put(ToolRows& rows) {
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  for (const Candidate& one : candidates_) {
    if (declared_ == kMostHeadlines) break;
    std::string key = one.key.empty() ? one.cells.put(rows, one.subject, {one.dims.begin(), one.dims.end()}) : one.key;
    if (key.empty()) continue;
    rows.headline(std::move(key));
    ++declared_;
  }
  candidates_.clear();
  matrices_.clear();
}

}  // namespace plumbline::formats
