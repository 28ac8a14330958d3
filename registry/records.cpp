#include "registry/records.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/cache/record_text.hpp"
#include "registry/manifest/tree.hpp"
#include "registry/pgindex/indexed_store.hpp"
#include "registry/posix/store.hpp"

namespace plumbline::registry {

using core::fail;

namespace {

constexpr std::size_t kKeptTogether = 4096;
constexpr const char* kName = "baseline.json";
// Who asks for more is asking for most of them: then the derived index is asked for all at once, and must agree with these.
constexpr std::size_t kReadFirst = 64;

}  // namespace

struct Records::State {
  std::string directory, line;
  PathLimits limits;
  io::Descriptor folder;
  cache::Index* index = nullptr;  // null: none, or the measurement is small
  std::vector<cache::KeptRecord> fresh;

  pgindex::Index* derived = nullptr;  // null: none, or it was asked
  pgindex::Index* asked = nullptr;
  std::optional<core::Error> problem;  // of the one that was asked
  std::size_t lacking = 0;             // read after it was asked
  std::string family, measurement;
  std::unordered_map<std::string, std::string> first;  // what was read before it is asked, packed
  std::unordered_map<std::string, core::BaselineRecord> known;

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

  // What the derived index knows of the measurement, if that is what the files say of those that were read.
  void ask_derived() {
    asked = std::exchange(derived, nullptr);
    auto records = asked->records(family, measurement, limits.stop);
    if (!records) {
      problem = records.error();
      return;
    }
    for (pgindex::KnownRecord& one : *records) {
      const auto read = first.find(one.slug);
      if (read != first.end() && read->second != cache::pack(one.record)) {
        problem = {
            core::ErrorCode::environment,
            "the index " + core::cited_path(asked->shown()) + ": what it has of " + one.slug + " is not what the store says", "",
            ""};
        return known.clear();
      }
      known.insert_or_assign(std::move(one.slug), std::move(one.record));
    }
    first.clear();
  }

  // What the derived index knows; null where the file is to be read.
  [[nodiscard]] const core::BaselineRecord* known_of(const std::string& slug) {
    if (derived != nullptr && first.size() >= kReadFirst) ask_derived();
    const auto found = known.find(slug);
    return found == known.end() ? nullptr : &found->second;
  }

  [[nodiscard]] core::Expected<core::BaselineRecord> read_and_count(const std::string& slug) {
    auto record = read_file_of(slug);
    if (record && derived != nullptr) first.emplace(slug, cache::pack(*record));
    lacking += record && asked != nullptr ? 1 : 0;
    return record;
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
  state_->derived = pgindex::index_of(store);
  state_->family = family;
  state_->measurement = measurement;
  const auto* const posix = dynamic_cast<const PosixStore*>(&pgindex::store_of(store));
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

std::vector<core::Warning> Records::warnings() const {
  const std::string name = state_->family + "/" + state_->measurement;
  if (state_->problem && state_->problem->code == core::ErrorCode::cancelled) return {};
  if (state_->problem)
    return {{"index_unavailable", state_->problem->message + "; entries of " + name + " were read one by one"}};
  if (state_->lacking == 0) return {};
  return {{"index_stale", core::counted(state_->lacking, "entry", "entries") + " of " + name + " not in the index " +
                              core::cited_path(state_->asked->shown()) +
                              " were read one by one: `plumbline index follow` adds them"}};
}

core::Expected<core::BaselineRecord> Records::read(const std::string& slug) {
  const bool is_kept = state_->index != nullptr;
  const auto before = is_kept ? state_->stamp_of_file(slug) : std::nullopt;
  if (before) {
    if (const auto kept = state_->index->record(state_->line, slug, *before)) {
      if (auto record = cache::unpack(*kept)) return std::move(*record);
    }
  }
  if (const auto* known = state_->known_of(slug)) return *known;  // not kept: only what a file said is
  auto record = state_->read_and_count(slug);
  if (!record || !before || state_->stamp_of_file(slug) != before || !before->settled()) return record;
  state_->fresh.push_back({slug, *before, cache::pack(*record)});
  if (state_->fresh.size() >= kKeptTogether) state_->keep();
  return record;
}

}  // namespace plumbline::registry
