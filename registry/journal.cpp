#include "registry/journal.hpp"

#include <array>

#include "core/text.hpp"
#include "registry/acceptance_names.hpp"

namespace plumbline::registry {

namespace {

constexpr std::array<std::string_view, 3> kKinds = {"entry", "bundle", "acceptance"};
constexpr std::string_view kRecordsEnd = ".json";

}  // namespace

std::string journal_name(const Noted& noted) {
  std::string last = noted.slug;
  if (noted.what == NotedAs::acceptance) {
    last = acceptance_file(noted.seq, noted.slug);
    last.resize(last.size() - kRecordsEnd.size());
  }
  return noted.at + "/" + std::string(kKinds[static_cast<std::size_t>(noted.what)]) + "/" + noted.family + "/" +
         noted.measurement + "/" + last;
}

std::optional<Noted> parse_journal_name(std::string_view name) {
  const auto parts = core::split(name, '/');
  if (parts.size() != 5 || !is_slug(parts[0]) || !check_segment("family", parts[2]) || !check_segment("measurement", parts[3]))
    return std::nullopt;
  Noted noted{std::string(parts[0]), NotedAs::entry, std::string(parts[2]), std::string(parts[3]), std::string(parts[4])};
  if (parts[1] == kKinds[2]) {
    const auto record = parse_acceptance_name(noted.slug + std::string(kRecordsEnd));
    if (!record) return std::nullopt;
    noted.what = NotedAs::acceptance;
    noted.seq = record->seq;
    noted.slug = record->slug;
  } else if (parts[1] == kKinds[1]) {
    noted.what = NotedAs::bundle;
  } else if (parts[1] != kKinds[0]) {
    return std::nullopt;
  }
  return is_slug(noted.slug) ? std::optional(std::move(noted)) : std::nullopt;
}

}  // namespace plumbline::registry
