#include "profiles/ranks/files.hpp"

#include <algorithm>
#include <set>

#include "base/characters.hpp"
#include "core/text.hpp"
#include "profiles/ranks/failures.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kSuffixes[] = {".json", ".json.gz", ".sqlite", ".sqlite3", ".db", ".nsys-rep", ".qdrep"};

bool is_report(std::string_view lower) { return lower.ends_with(".nsys-rep") || lower.ends_with(".qdrep"); }

// FNV-1a: the same on every machine.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash ^ (hash >> 32U);
}

}  // namespace

std::string_view capture_suffix(std::string_view lower) {
  for (const std::string_view suffix : kSuffixes) {
    if (lower.size() > suffix.size() && lower.ends_with(suffix)) return suffix;
  }
  return {};
}

RankFiles rank_files(const OpenFile& folder) {
  RankFiles out;
  std::vector<RankFile>& files = out.list;
  std::set<std::string> exports;  // without their suffix
  const std::vector<std::string> names = folder.file_names().value_or(std::vector<std::string>());
  for (const std::string& name : names) {
    const std::string lower = core::to_lower(name);
    const std::string_view suffix = capture_suffix(lower);
    if (suffix.empty() || name.starts_with('.') || name.ends_with(kFailureSuffix)) continue;
    if (!is_report(lower)) exports.insert(name.substr(0, name.size() - suffix.size()));
    files.push_back({name, rank_in_name(name)});
  }
  const bool named = std::any_of(files.begin(), files.end(), [](const RankFile& file) { return file.rank.has_value(); });
  std::erase_if(files, [&](const RankFile& file) {
    const std::string lower = core::to_lower(file.name);
    if (is_report(lower) && exports.contains(file.name.substr(0, file.name.size() - capture_suffix(lower).size()))) return true;
    if (named && !file.rank) out.unnamed.push_back(file.name);
    return named && !file.rank;
  });
  std::stable_sort(files.begin(), files.end(), [](const RankFile& a, const RankFile& b) { return a.rank < b.rank; });
  return out;
}

std::optional<NamedTwice> named_twice(const std::vector<RankFile>& files) {
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].rank && files[i].rank == files[i - 1].rank) return NamedTwice{*files[i].rank, files[i - 1].name, files[i].name};
  }
  return std::nullopt;
}

bool is_of(const RankFile& file, const Shard& shard) {
  const std::uint64_t number = file.rank ? static_cast<std::uint64_t>(*file.rank) : hash_of(file.name);
  return number % shard.count == shard.index;
}

std::optional<std::int64_t> rank_in_name(std::string_view file_name) {
  const std::string lower = core::to_lower(file_name);
  constexpr std::string_view kWord = "rank";
  for (std::size_t at = lower.find(kWord); at != std::string::npos; at = lower.find(kWord, at + 1)) {
    if (at > 0 && base::is_letter(lower[at - 1])) continue;
    std::size_t from = at + kWord.size();
    if (from < lower.size() && (lower[from] == '_' || lower[from] == '-' || lower[from] == '.' || lower[from] == '=')) ++from;
    std::size_t end = from;
    while (end < lower.size() && base::is_digit(lower[end])) ++end;
    const auto number = core::parse_int(std::string_view(lower).substr(from, end - from));
    if (end > from && number && *number <= kMaxRank) return number;
  }
  return std::nullopt;
}

}  // namespace plumbline::profiles
