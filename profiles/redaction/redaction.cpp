#include "profiles/redaction/redaction.hpp"

#include <algorithm>

namespace plumbline::profiles {

std::vector<TakenOut::Place> TakenOut::places() const {
  std::vector<Place> places;
  places.reserve(counts_.size());
  for (const auto& [what, count] : counts_) places.push_back({what, count});
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.count > b.count; });
  return places;
}

}  // namespace plumbline::profiles
