#include "registry/manifest/parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text.hpp"

namespace plumbline::registry {
namespace {

constexpr std::string_view kMark = ".part-";
constexpr std::size_t kDigits = 15;

struct Named {
  std::string_view file;
  std::uint64_t offset = 0;
};

std::optional<Named> parse(std::string_view name) {
  if (name.size() <= kMark.size() + kDigits) return std::nullopt;
  const std::string_view digits = name.substr(name.size() - kDigits);
  const std::string_view file = name.substr(0, name.size() - kDigits - kMark.size());
  if (name.substr(file.size(), kMark.size()) != kMark || file.ends_with('/')) return std::nullopt;
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return Named{file, static_cast<std::uint64_t>(*core::parse_int(digits))};
}

}  // namespace

std::string part_name(std::string_view file, std::uint64_t offset) {
  const std::string digits = std::to_string(offset);
  std::string name(file);
  name += kMark;
  name.append(kDigits - std::min(kDigits, digits.size()), '0');
  return name + digits;
}

bool is_part_name(std::string_view name) { return parse(name).has_value(); }

std::map<std::string, FileParts, std::less<>> files_in_parts(const std::vector<ManifestLine>& lines) {
  std::map<std::string, FileParts, std::less<>> files;
  for (const ManifestLine& line : lines) {  // sorted by name, so by offset
    const auto named = parse(line.name);
    if (!named) continue;
    if (named->offset == 0) files.try_emplace(std::string(named->file));
    if (const auto found = files.find(named->file); found != files.end()) found->second.push_back({named->offset, line.sha256});
  }
  std::erase_if(files, [](const auto& file) { return file.second.size() < 2; });
  return files;
}

void PartChecker::end_part() {
  std::string digest = std::exchange(sha_, Sha256()).hex();
  if (digest != parts_[at_].sha256) wrong_.emplace_back(part_name(name_, parts_[at_].offset), std::move(digest));
  ++at_;
}

void PartChecker::update(std::string_view bytes) {
  while (!bytes.empty()) {
    const bool last = at_ + 1 == parts_.size();
    const std::uint64_t left = last ? bytes.size() : parts_[at_ + 1].offset - read_;
    const auto piece = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left)));
    sha_.update(piece);
    read_ += piece.size();
    bytes.remove_prefix(piece.size());
    if (!last && read_ == parts_[at_ + 1].offset) end_part();
  }
}

std::vector<std::pair<std::string, std::string>> PartChecker::wrong() {
  while (at_ < parts_.size()) end_part();  // a file that is too short has nothing of the last ones
  return std::move(wrong_);
}

}  // namespace plumbline::registry
