#include "verbs/resolving/open_claims.hpp"

#include <string>
#include <vector>

#include "core/text.hpp"

namespace plumbline::verbs {

std::optional<core::Warning> unfinished_acceptances(const registry::Store& store, std::string_view family,
                                                    std::string_view measurement) {
  const auto claims = store.open_claims(family, measurement);
  if (!claims || claims->empty()) return std::nullopt;
  std::vector<std::string> numbers;
  for (const std::uint64_t seq : *claims) numbers.push_back(std::to_string(seq));
  const bool one = numbers.size() == 1;
  return core::Warning{"acceptance_unfinished", std::string(one ? "acceptance " : "acceptances ") + core::listed(numbers) +
                                                    " of " + std::string(family) + "/" + std::string(measurement) +
                                                    (one ? " has no record: it is" : " have no record: they are") +
                                                    " being made, or whoever made " + (one ? "it" : "them") + " was stopped"};
}

}  // namespace plumbline::verbs
