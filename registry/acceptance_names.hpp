// How acceptances are called: "accepted/000003-20261120T150359221206Z.json", its number claimed by "accepted/.seq-000003". The
// same in every store. Internal to the registry room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/baseline.hpp"

namespace plumbline::registry {

inline constexpr std::uint64_t kAcceptanceAtMost = 1U << 20;  // bytes of a record
inline constexpr std::string_view kAcceptanceClaim = ".seq-";

struct AcceptanceName {
  std::uint64_t seq = 0;
  std::string slug, file;
};

[[nodiscard]] std::string acceptance_file(std::uint64_t seq, std::string_view slug);
[[nodiscard]] std::string acceptance_claim(std::uint64_t seq);
[[nodiscard]] std::optional<AcceptanceName> parse_acceptance_name(const std::string& file);
// The record's text. Nothing where it does not say what its name and its place say: a copied or renamed file accepts nothing.
[[nodiscard]] std::optional<core::Acceptance> parse_acceptance(std::string_view text, const AcceptanceName& name,
                                                               std::string_view family, std::string_view measurement);
// The number of a claim's name; nullopt for what is none.
[[nodiscard]] std::optional<std::uint64_t> claimed_number(std::string_view file);
// Of the numbers claimed those that no record has, in order.
[[nodiscard]] std::vector<std::uint64_t> without_record(std::vector<std::uint64_t> claimed,
                                                        const std::vector<AcceptanceName>& records);

}  // namespace plumbline::registry
