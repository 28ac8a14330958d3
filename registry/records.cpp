#include "registry/records.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "registry/cache/record_text.hpp"
#include "registry/posix_store.hpp"
#include "registry/tree.hpp"

namespace plumbline::registry {

using core::fail;

namespace {

constexpr std::size_t kKeptTogether = 4096;
constexpr const char* kName = "baseline.json";

}  // namespace

struct Records::State {
  std::string directory, line;
  PathLimits limits;
  io::Descriptor folder;
  cache::Index* index = nullptr;  // null: none, or the measurement is small
  std::vector<cache::KeptRecord> fresh;

  [[nodiscard]] core::Expected<core::BaselineRecord> read_file_of(const std::string& slug) const {
    const std::string path = io::join(directory, slug);
    const std::string where = io::join(path, kName);
    const auto entry = io::open_folder(path, limits);
    if (!entry) return fail(entry.error());
    const auto text = io::read_text_at(entry->get(), kName, where, kDocumentAtMost);
    if (!text) return fail(text.error());
    return parse_baseline(*text, where);
  }

  [[nodiscard]] std::optional<cache::Stamp> stamp_of_file(const std::string& slug) const {
    // One component after the other is not asked for here: what is believed of a path through a link is what is read through it.
    struct stat info {};
    const std::string name = slug + "/" + kName;
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return cache::stamp_of(info);
  }

  void keep() {
    if (index != nullptr && !fresh.empty()) index->keep_records(line, fresh);
    fresh.clear();
  }
};

Records::Records(const Store& store, std::string_view family, std::string_view measurement, const PathLimits& limits)
    : state_(std::make_unique<State>()) {
  state_->directory = store.directory(Kind::entry, family, measurement);
  state_->limits = limits;
  const auto* const posix = dynamic_cast<const PosixStore*>(&store);
  if (posix == nullptr) return;
  auto folder = io::open_folder(state_->directory, limits);
  if (!folder) return;
  const auto stamp = cache::stamp_of(folder->get());
  if (!stamp || cache::is_small(*stamp)) return;
  state_->folder = std::move(*folder);
  state_->line = posix->line_of(Kind::entry, family, measurement);
  state_->index = &posix->index();
}

Records::~Records() { state_->keep(); }

core::Expected<core::BaselineRecord> Records::read(const std::string& slug) {
  if (state_->index == nullptr) return state_->read_file_of(slug);
  const auto before = state_->stamp_of_file(slug);
  if (before) {
    if (const auto kept = state_->index->record(state_->line, slug, *before)) {
      if (auto record = cache::unpack(*kept)) return std::move(*record);
    }
  }
  auto record = state_->read_file_of(slug);
  if (!record || !before || state_->stamp_of_file(slug) != before || !before->settled()) return record;
  state_->fresh.push_back({slug, *before, cache::pack(*record)});
  if (state_->fresh.size() >= kKeptTogether) state_->keep();
  return record;
}

}  // namespace plumbline::registry
