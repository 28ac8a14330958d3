// links: profiles configs core
// Any text as the names of kernels of two captures: names are read in time that grows with their length, a canonical name is not
// empty unless the name is, and matching loses nothing.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "configs/kernel_categories.hpp"
#include "profiles/diff/matching.hpp"
#include "profiles/names/canonical.hpp"
#include "profiles/names/family.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = configs::KernelCategories::builtin();
  const auto begun = std::chrono::steady_clock::now();
  std::vector<profiles::NamedAggregate> sides[2];
  std::int64_t totals[2] = {0, 0};
  std::size_t from = 0;
  while (from < text.size() && sides[0].size() + sides[1].size() < 64) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view name = text.substr(from, end - from);
    from = end + 1;
    const std::string canonical = profiles::canonical_kernel(name);
    if (canonical.empty() && name.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos) std::abort();
    if (canonical.size() > 2 * name.size() + 16) std::abort();
    const profiles::KernelFamily family = profiles::kernel_family(name, canonical);
    if (family.keys.empty()) std::abort();
    if (!profiles::change_between(family, family).empty()) std::abort();
    if (table->of(name).name.empty() || table->reference(name).empty()) std::abort();
    const std::size_t side = (name.size() + sides[0].size()) % 2;
    profiles::NamedAggregate kernel;
    kernel.name = name;
    kernel.aggregate.count = name.size() % 7 + 1;
    kernel.aggregate.total = static_cast<std::int64_t>(name.size() * 100 + sides[0].size());
    kernel.aggregate.has_spread = false;
    totals[side] += kernel.aggregate.total;
    sides[side].push_back(std::move(kernel));
  }
  const auto rows = profiles::match_kernels(sides[0], sides[1], *table);
  const auto back = profiles::match_kernels(sides[1], sides[0], *table);
  if (rows.size() != back.size()) std::abort();
  for (const auto& row : rows) {
    totals[0] -= row.baseline_ns;
    totals[1] -= row.candidate_ns;
    if (row.delta_ns != row.count_effect_ns + row.duration_effect_ns) std::abort();
    if (row.match_confidence <= 0 || row.match_confidence > 1) std::abort();
  }
  if (totals[0] != 0 || totals[1] != 0) std::abort();
  // Generous even under sanitizers on a loaded machine: what is not linear takes minutes.
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
  if (spent.count() > 5 + 1e-4 * static_cast<double>(size)) std::abort();
  return 0;
}
