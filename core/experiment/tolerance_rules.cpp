#include "core/experiment/tolerance_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

constexpr double kAlike = 3;

std::string_view metric_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

// Keys of one metric in bands of like tolerance, each with the widest of its band.
std::vector<KeyTolerance> shared(std::span<const KeyTolerance> keys) {
  std::map<std::string_view, std::vector<const KeyTolerance*>> metrics;
  for (const KeyTolerance& one : keys) metrics[metric_of(one.key)].push_back(&one);
  std::vector<KeyTolerance> out;
  for (auto& [metric, members] : metrics) {
    std::ranges::stable_sort(members, [](const KeyTolerance* a, const KeyTolerance* b) { return a->percent > b->percent; });
    double widest = 0;
    for (const KeyTolerance* one : members) {
      if (one->percent * kAlike < widest || widest == 0) widest = one->percent;
      out.push_back({one->key, widest});
    }
  }
  return out;
}

// "*.metric", "first.*.metric", "first.second.*.metric", …: the widest first.
std::vector<std::string> globs_of(std::string_view key) {
  std::vector<std::string> out;
  const std::size_t last = key.rfind('.');
  if (last == std::string_view::npos) return out;
  const std::string metric(key.substr(last));
  out.push_back("*" + metric);
  for (std::size_t dot = key.find('.'); dot < last; dot = key.find('.', dot + 1))
    out.push_back(std::string(key.substr(0, dot + 1)) + "*" + metric);
  return out;
}

class Cover {
 public:
  explicit Cover(std::vector<KeyTolerance> keys) : keys_(std::move(keys)) {}

  std::vector<CalibratedRule> rules() {
    std::vector<CalibratedRule> out;
    if (all_alike()) {
      out.push_back({keys_.size() == 1 ? keys_.front().key : "", keys_.front().percent, keys_.size()});
      return out;
    }
    for (const KeyTolerance& one : keys_) {
      if (covered_.contains(one.key)) continue;
      out.push_back(rule_of(one));
    }
    std::ranges::stable_sort(out, [](const CalibratedRule& a, const CalibratedRule& b) { return a.glob < b.glob; });
    return out;
  }

 private:
  [[nodiscard]] bool all_alike() const {
    return !keys_.empty() &&
           std::ranges::all_of(keys_, [&](const KeyTolerance& one) { return one.percent == keys_.front().percent; });
  }

  CalibratedRule rule_of(const KeyTolerance& one) {
    for (std::string& glob : globs_of(one.key)) {
      std::vector<std::string_view> matched;
      bool alike = true;
      for (const KeyTolerance& other : keys_) {
        if (!glob_match(glob, other.key)) continue;
        alike = alike && other.percent == one.percent;
        matched.push_back(other.key);
      }
      if (!alike || matched.size() < 2) continue;
      covered_.insert(matched.begin(), matched.end());
      return {std::move(glob), one.percent, matched.size()};
    }
    covered_.insert(one.key);
    return {one.key, one.percent, 1};
  }

  std::vector<KeyTolerance> keys_;
  std::set<std::string_view> covered_;
};

}  // namespace

std::vector<CalibratedRule> rules_for_keys(std::span<const KeyTolerance> keys) { return Cover(shared(keys)).rules(); }

}  // namespace plumbline::core
