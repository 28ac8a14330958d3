#include "registry/acceptance_names.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "registry/json_text.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

namespace {

std::string six_digits(std::uint64_t seq) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%06llu", static_cast<unsigned long long>(seq));
  return text.data();
}

std::optional<std::uint64_t> number(std::string_view digits) {
  if (digits.size() < 6 || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

}  // namespace

std::string acceptance_file(std::uint64_t seq, std::string_view slug) {
  return six_digits(seq) + "-" + std::string(slug) + ".json";
}

std::string acceptance_claim(std::uint64_t seq) { return std::string(kAcceptanceClaim) + six_digits(seq); }

std::optional<AcceptanceName> parse_acceptance_name(const std::string& file) {
  const auto dash = file.find('-');
  if (dash == std::string::npos || file.size() < 5 || file.compare(file.size() - 5, 5, ".json") != 0) return std::nullopt;
  const auto seq = number(std::string_view(file).substr(0, dash));
  std::string slug = file.substr(dash + 1, file.size() - 5 - dash - 1);
  if (!seq || !check_segment("slug", slug)) return std::nullopt;
  return AcceptanceName{*seq, std::move(slug), file};
}

std::optional<core::Acceptance> parse_acceptance(std::string_view text, const AcceptanceName& name, std::string_view family,
                                                 std::string_view measurement) {
  const auto document = parse_json(text);
  if (!document || !document->is_object()) return std::nullopt;
  core::Acceptance acceptance;
  acceptance.seq = count_of(*document, "seq", 0);
  acceptance.family = text_or_empty(*document, "family");
  acceptance.measurement = text_or_empty(*document, "measurement");
  acceptance.slug = text_or_empty(*document, "slug");
  acceptance.entry_sha256 = text_or_empty(*document, "entry_sha256");
  acceptance.reason = text_or_empty(*document, "reason");
  acceptance.accepted_at_utc = text_or_empty(*document, "accepted_at_utc");
  acceptance.accepted_by = text_or_empty(*document, "accepted_by");
  acceptance.previous = text_of(*document, "previous");
  const bool valid = acceptance.seq == name.seq && acceptance.slug == name.slug && acceptance.family == family &&
                     acceptance.measurement == measurement;
  return valid ? std::optional(std::move(acceptance)) : std::nullopt;
}

std::optional<std::uint64_t> claimed_number(std::string_view file) {
  if (!file.starts_with(kAcceptanceClaim)) return std::nullopt;
  return number(file.substr(kAcceptanceClaim.size()));
}

std::vector<std::uint64_t> without_record(std::vector<std::uint64_t> claimed, const std::vector<AcceptanceName>& records) {
  std::vector<std::uint64_t> recorded;
  recorded.reserve(records.size());
  for (const AcceptanceName& record : records) recorded.push_back(record.seq);
  std::sort(recorded.begin(), recorded.end());
  std::erase_if(claimed, [&](std::uint64_t seq) { return std::binary_search(recorded.begin(), recorded.end(), seq); });
  std::sort(claimed.begin(), claimed.end());
  return claimed;
}

}  // namespace plumbline::registry
