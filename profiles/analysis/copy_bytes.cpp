#include "profiles/analysis/copy_bytes.hpp"

#include <unordered_map>
#include <vector>

namespace plumbline::profiles {

void add_bytes(const Capture& capture, Aggregates& memory) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;  // more than that nobody copied: the sizes are damaged
  std::unordered_map<std::uint32_t, std::size_t> row_of;
  for (std::size_t i = 0; i < memory.ids.size(); ++i) row_of.emplace(memory.ids[i], i);
  std::vector<bool> known(memory.rows.size(), true);
  const GpuOps& ops = capture.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops.kind[i] != OpKind::copy && ops.kind[i] != OpKind::set) continue;
    const auto found = row_of.find(ops.name[i]);
    if (found == row_of.end()) continue;
    NamedAggregate& row = memory.rows[found->second];
    const std::uint64_t bytes = ops.detail[i] == kNone ? 0 : capture.copy_shapes[ops.detail[i]].bytes;
    if (bytes == 0 || bytes > kMost - row.bytes) known[found->second] = false;
    if (known[found->second]) row.bytes += bytes;
  }
  for (std::size_t i = 0; i < memory.rows.size(); ++i) {
    if (!known[i]) memory.rows[i].bytes = 0;
  }
}

}  // namespace plumbline::profiles
