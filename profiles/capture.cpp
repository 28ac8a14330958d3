#include "profiles/capture.hpp"

namespace plumbline::profiles {

void Times::permute(const Column<std::uint32_t>& order) {
  Times moved;
  moved.reserve(order.size());
  for (const std::uint32_t from : order) moved.add(start(from), length(from));
  *this = std::move(moved);
}

std::uint32_t NameTable::id(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  const auto added = ids_.emplace(text, id).first;
  texts_.push_back(&added->first);
  return id;
}

}  // namespace plumbline::profiles
