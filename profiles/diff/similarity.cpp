#include "profiles/diff/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "profiles/names/ranges.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMostWords = 512;

std::uint64_t mixed(std::uint64_t hash) {  // every bit depends on every bit (the finish of MurmurHash3)
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33U);
}

std::uint64_t hash_of(std::string_view text) {  // FNV-1a, mixed
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return mixed(hash);
}

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<std::uint64_t> words_of(std::string_view name) {
  std::vector<std::uint64_t> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size() && words.size() < kMostWords; ++i) {
    if (i < name.size() && is_word(name[i])) continue;
    if (i > begin) words.push_back(hash_of(name.substr(begin, i - begin)));
    begin = i + 1;
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// In steps of 2^-20: the ratio of the work is rounded, and what is exactly a half must be that from both sides.
double smaller_over_larger(double a, double b) {
  if (!(a > 0) || !(b > 0)) return a == b ? 1 : 0;
  constexpr double kSteps = 1 << 20;
  return std::round(std::min(a, b) / std::max(a, b) * kSteps) / kSteps;
}

}  // namespace

void describe(Candidate& kernel, const configs::KernelCategories& categories) {
  const std::string& name = kernel.aggregate->name;
  kernel.family = kernel_family(name, kernel.canonical);
  kernel.kind = categories.of(name).name;
  const std::string precision = " " + std::string(categories.precision(name));
  if (precision.size() > 1 && kernel.kind.ends_with(precision)) kernel.kind.resize(kernel.kind.size() - precision.size());
  const auto& parents = kernel.aggregate->parents;
  const auto most = std::max_element(parents.begin(), parents.end(), [](const Share& a, const Share& b) {
    return a.total != b.total ? a.total < b.total : a.name > b.name;
  });
  if (most != parents.end()) kernel.parent = range_name(most->name);
  kernel.words = words_of(kernel.canonical);
}

double count_likeness(std::uint64_t baseline, std::uint64_t candidate, double ratio) {
  return smaller_over_larger(static_cast<double>(baseline) * ratio, static_cast<double>(candidate));
}

double time_likeness(const Aggregate& baseline, const Aggregate& candidate) {
  const auto mean = [](const Aggregate& a) {
    return a.count == 0 ? 0 : static_cast<double>(a.total) / static_cast<double>(a.count);
  };
  return smaller_over_larger(mean(baseline), mean(candidate));
}

double word_likeness(const Candidate& a, const Candidate& b) {
  std::size_t both = 0;
  for (std::size_t i = 0, j = 0; i < a.words.size() && j < b.words.size();) {
    if (a.words[i] == b.words[j]) ++both;
    const bool left = a.words[i] <= b.words[j];
    const bool right = b.words[j] <= a.words[i];
    i += left ? 1 : 0;
    j += right ? 1 : 0;
  }
  const std::size_t any = a.words.size() + b.words.size() - both;
  return any == 0 ? 0 : static_cast<double>(both) / static_cast<double>(any);
}

double shape_likeness(const NamedAggregate& a, const NamedAggregate& b) {
  if (a.shapes.empty() || b.shapes.empty() || a.aggregate.count == 0 || b.aggregate.count == 0) return -1;
  std::unordered_map<std::string_view, double> shares;
  for (const Share& shape : a.shapes)
    shares[shape.name] += static_cast<double>(shape.count) / static_cast<double>(a.aggregate.count);
  double overlap = 0;
  for (const Share& shape : b.shapes) {
    const auto found = shares.find(shape.name);
    if (found == shares.end()) continue;
    overlap += std::min(found->second, static_cast<double>(shape.count) / static_cast<double>(b.aggregate.count));
  }
  return std::min(overlap, 1.0);
}

std::int64_t worth_of(double score, const Candidate& a, const Candidate& b) {
  if (!(score > 0)) return 0;
  constexpr double kScale = 1 << 15;
  constexpr unsigned kTieBits = 24;  // the ties of 200 pairs of 16 bits stay below one step of the score
  // Mixed after adding: sums of plain sums would be the same for both ways of pairing two with two.
  const std::uint64_t tie = mixed(hash_of(a.aggregate->name) + hash_of(b.aggregate->name)) >> 48U;
  return (static_cast<std::int64_t>(std::lround(std::min(score, 1.0) * kScale)) << kTieBits) + static_cast<std::int64_t>(tie);
}

}  // namespace plumbline::profiles
