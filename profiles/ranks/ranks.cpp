#include "profiles/ranks/ranks.hpp"

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/ranks/ahead.hpp"
#include "profiles/ranks/failures.hpp"
#include "profiles/ranks/merge.hpp"
#include "profiles/ranks/rows.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kLookedInto = 8;
// "all" is nothing.
core::Expected<std::optional<std::int64_t>> wanted_rank(const ReadOptions& options) {
  if (options.rank == "all") return std::optional<std::int64_t>();
  const auto number = core::parse_int(options.rank);
  if (!number || *number < 0 || *number > kMaxRank) {
    return core::fail(core::ErrorCode::usage, "--rank is `all` or the number of a rank, not " + core::cited(options.rank),
                      "for example: --rank 0");
  }
  return std::optional<std::int64_t>(*number);
}

std::string numbers(const std::vector<std::int64_t>& ranks) {
  std::vector<std::string> texts;
  texts.reserve(ranks.size());
  for (const std::int64_t rank : ranks) texts.push_back(std::to_string(rank));
  return core::listed(texts, 16);
}

tl::unexpected<core::Error> no_such_rank(std::int64_t wanted, std::vector<std::int64_t> there, const std::string& path) {
  std::sort(there.begin(), there.end());
  return core::fail(core::ErrorCode::usage, "--rank " + std::to_string(wanted) + " is not in the folder",
                    "it holds " + std::string(there.size() == 1 ? "rank " : "ranks ") + numbers(there), path);
}

class FolderReader {
 public:
  FolderReader(const OpenFile& folder, std::string path, const ReadOptions& options)
      : FolderReader(rank_files(folder), std::move(path), options) {}

  using Read = std::variant<Profile, Job>;  // of one rank that was asked for; of all

  core::Expected<Read> read(Keep keep) {
    const auto wanted = wanted_rank(options_);
    if (!wanted) return core::fail(wanted.error());
    if (files_.empty()) return core::fail(core::ErrorCode::invalid_input, "the folder holds no captures of ranks", {}, path_);
    if (files_.size() > kMaxRankFiles) {
      return core::fail(core::ErrorCode::limit_exceeded,
                        "the folder holds more than " + std::to_string(kMaxRankFiles) + " captures", {}, path_);
    }
    check_names();
    if (*wanted && files_.front().rank) return read_named(**wanted);
    RankMerge merge(keep);
    std::size_t merged = 0;
    const std::vector<std::int64_t> devices = *wanted ? options_.devices : std::vector<std::int64_t>();
    for (const RankFile& file : files_) small_.push_back(is_small(file));
    Ahead files(
        files_.size(), [this](std::size_t i) { return small_[i] != 0; },
        [this, &devices](std::size_t i) { return read_file(i, files_.size(), devices); });
    for (std::size_t i = 0; i < files_.size(); ++i) {
      auto profile = files.next();
      if (small_[i] != 0 && options_.progress)
        options_.progress(static_cast<double>(i + 1) / static_cast<double>(files_.size()), files_[i].name + ": read");
      if (!profile) return core::fail(profile.error());
      auto rank = rank_of(files_[i], *profile);
      if (!rank) return core::fail(rank.error());
      if (!*wanted && (!profile->frames.empty() || !profile->metrics.empty())) {
        return core::fail(core::ErrorCode::invalid_input,
                          "profiles of the host and of single kernels (" + profile->info.format + ") are not merged over ranks",
                          "compare one rank with --rank", path_ + "/" + files_[i].name);
      }
      if (*wanted && *rank == **wanted) return one(std::move(*profile), *rank);
      if (*wanted) continue;
      auto chosen = choose_devices(i, std::move(*profile), *rank, merge);
      if (!chosen) return core::fail(chosen.error());
      merged += *chosen ? 1 : 0;
    }
    if (*wanted) {
      std::vector<std::int64_t> there;
      for (const auto& [rank, name] : file_of_) there.push_back(rank);
      return no_such_rank(**wanted, std::move(there), path_);
    }
    if (merged == 0) return no_such_device();
    return conclude(merge);
  }

 private:
  FolderReader(RankFiles&& found, std::string path, const ReadOptions& options)
      : path_(std::move(path)),
        options_(options),
        files_(std::move(found.list)),
        unnamed_(unnamed_captures({{}, std::move(found.unnamed)}, path_, options.open)) {}

  core::Expected<Read> conclude(RankMerge& merge) const {
    auto failed = read_failures(path_, options_.open);
    if (!failed) return core::fail(failed.error());
    merge.add(std::move(*failed));
    auto job = merge.take(path_);
    if (!job) return core::fail(job.error());
    if (unnamed_) job->sum.warnings.push_back(*unnamed_);
    return std::move(*job);
  }

  // Of all ranks together, a device is asked for by the number that it has in the merged profile: a rank's with one device, rank
  // * kDevicesPerRank + device with several (merge.hpp). What a rank has is known once it is read; where only some of its devices
  // are wanted it is read again. False: none of this rank's is.
  core::Expected<bool> choose_devices(std::size_t i, Profile&& profile, std::int64_t rank, RankMerge& merge) {
    if (options_.devices.empty()) {
      merge.add(std::move(profile), rank);
      return true;
    }
    const auto asked = [this](std::int64_t device) {
      return std::find(options_.devices.begin(), options_.devices.end(), device) != options_.devices.end();
    };
    if (profile.devices.empty()) {
      return core::fail(core::ErrorCode::invalid_input,
                        "the capture holds totals over all devices: one device cannot be told from another",
                        "give captures of events, or leave --device out", path_ + "/" + files_[i].name);
    }
    const bool several = profile.devices.size() > 1;
    std::vector<std::int64_t> local;
    for (const DeviceWall& device : profile.devices) {
      const std::int64_t merged = RankMerge::device_number(rank, device.device, several);
      merged_devices_.push_back(merged);
      if (asked(merged)) local.push_back(device.device);
    }
    if (local.empty()) return false;
    if (local.size() < profile.devices.size()) {
      auto part = read_file(i, files_.size(), local);
      if (!part) return core::fail(part.error());
      profile = std::move(*part);
    }
    merge.add(std::move(profile), rank, several);
    return true;
  }

  [[nodiscard]] tl::unexpected<core::Error> no_such_device() {
    std::sort(merged_devices_.begin(), merged_devices_.end());
    return core::fail(core::ErrorCode::usage,
                      std::string(options_.devices.size() == 1 ? "--device " : "none of --device ") + numbers(options_.devices) +
                          (options_.devices.size() == 1 ? " is not among the devices of the ranks" : " is a device of the ranks"),
                      "the ranks together have the devices " + numbers(merged_devices_) +
                          ": a rank's number, or for ranks with several devices rank * " + std::to_string(kDevicesPerRank) +
                          " + device; of one rank, --rank N --device M counts as its capture does",
                      path_);
  }

  void check_names() {
    twice_ = named_twice(files_);
    if (!twice_) return;
    for (RankFile& file : files_) file.rank.reset();
  }

  [[nodiscard]] tl::unexpected<core::Error> twice(std::int64_t rank, const std::string& a, const std::string& b) const {
    return core::fail(core::ErrorCode::invalid_input, "two captures are of rank " + std::to_string(rank) + ": " + a + " and " + b,
                      "a folder holds one capture per rank of one run", path_);
  }

  core::Expected<Read> read_named(std::int64_t wanted) {
    std::vector<std::int64_t> there;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (files_[i].rank != wanted) {
        there.push_back(*files_[i].rank);
        continue;
      }
      auto profile = read_file(i, 1, options_.devices);
      if (!profile) return core::fail(profile.error());
      return one(std::move(*profile), wanted);
    }
    return no_such_rank(wanted, std::move(there), path_);
  }

  static Read one(Profile&& profile, std::int64_t rank) {
    profile.rank = rank;
    profile.info.ranks = {rank};
    return std::move(profile);
  }

  // Such as digests, of which jobs have thousands.
  [[nodiscard]] char is_small(const RankFile& rank) const {
    constexpr std::uint64_t kSmall = 4U << 20;
    const std::string_view suffix = capture_suffix(core::to_lower(rank.name));
    if (suffix != ".json" && suffix != ".json.gz") return 0;
    const OpenFile file(path_ + "/" + rank.name, options_.open);
    return file.is_file() && file.size() <= kSmall ? 1 : 0;
  }

  // `i` of files_, as part of `parts` of the progress.
  [[nodiscard]] core::Expected<Profile> read_file(std::size_t i, std::size_t parts, std::vector<std::int64_t> devices) const {
    const std::string path = path_ + "/" + files_[i].name;
    if (options_.stop && options_.stop()) return core::fail(core::ErrorCode::cancelled, "cancelled", {}, path);
    if (const OpenFile file(path, options_.open); file.is_folder()) {
      return core::fail(core::ErrorCode::invalid_input, "a capture of a rank must be a file", {}, path);
    }
    ReadOptions options = options_;
    options.rank = "all";
    options.devices = std::move(devices);
    options.collective_instances = true;
    if (i < small_.size() && small_[i] != 0) {
      options.progress = nullptr;  // on any thread: who takes it says so
    } else if (options_.progress) {
      const double from = parts == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(parts);
      options.progress = [this, from, parts, name = files_[i].name](double fraction, std::string_view message) {
        options_.progress(from + fraction / static_cast<double>(parts), name + ": " + std::string(message));
      };
    }
    return profiles::read(path, options);
  }

  // The name's rank, else the capture's.
  core::Expected<std::int64_t> rank_of(const RankFile& file, Profile& profile) {
    if (file.rank && profile.rank && *file.rank != *profile.rank) {
      profile.warnings.push_back({"rank_by_name", file.name + " says inside that it is rank " + std::to_string(*profile.rank) +
                                                      "; it was taken as its name says"});
    }
    if (profile.info.ranks.size() > 1) {
      return core::fail(
          core::ErrorCode::invalid_input,
          "the digest is of " + core::counted(profile.info.ranks.size(), "rank") + ", and a folder holds one a file",
          "`plumbline digest` merges digests of ranks", path_ + "/" + file.name);
    }
    const std::optional<std::int64_t> rank = file.rank ? file.rank : profile.rank;
    if (twice_ && !rank) return twice(twice_->rank, twice_->a, twice_->b);
    if (!rank || *rank < 0 || *rank > kMaxRank) {
      return core::fail(core::ErrorCode::invalid_input, "nothing says which rank the capture is of",
                        "put the rank into the file's name (rank0" + std::string(capture_suffix(core::to_lower(file.name))) +
                            "), or compare single captures",
                        path_ + "/" + file.name);
    }
    const auto added = file_of_.emplace(*rank, file.name);
    if (!added.second) return twice(*rank, added.first->second, file.name);
    return *rank;
  }

  std::string path_;
  const ReadOptions& options_;
  std::vector<RankFile> files_;
  std::vector<char> small_;  // of each file, once all are to be read
  std::optional<core::Warning> unnamed_;
  std::map<std::int64_t, std::string> file_of_;  // as they turn up
  std::optional<NamedTwice> twice_;
  std::vector<std::int64_t> merged_devices_;  // of the ranks read, where --device chooses among them
};

}  // namespace

bool is_rank_folder(const OpenFile& folder, const std::string& path, const Opener& open) {
  if (!folder.is_folder()) return false;
  const std::vector<RankFile> files = rank_files(folder).list;
  if (files.empty()) return false;
  for (std::size_t i = 0; i < std::min(files.size(), kLookedInto); ++i) {
    const std::string file_path = path + "/" + files[i].name;
    const OpenFile file(file_path, open);
    if (!file.is_file() || !is_capture(file_path, open)) return false;
  }
  return true;
}

std::optional<std::string> stray_among_ranks(const OpenFile& folder, const std::string& path, const Opener& open) {
  if (!folder.is_folder()) return std::nullopt;
  const std::vector<RankFile> files = rank_files(folder).list;
  std::optional<std::string> stray;
  bool captures = false;
  for (std::size_t i = 0; i < std::min(files.size(), kLookedInto); ++i) {
    std::string file_path = path + "/" + files[i].name;
    const OpenFile file(file_path, open);
    if (file.is_file() && is_capture(file_path, open)) {
      captures = true;
    } else if (!stray) {
      stray = std::move(file_path);
    }
  }
  return captures ? stray : std::nullopt;
}

std::optional<core::Warning> unnamed_captures(const RankFiles& files, const std::string& path, const Opener& open) {
  std::vector<std::string> names;
  for (const std::string& name : files.unnamed) {
    const std::string file_path = path + "/" + name;
    if (const OpenFile file(file_path, open); file.is_file() && is_capture(file_path, open)) names.push_back(name);
  }
  if (names.empty()) return std::nullopt;
  const bool one = names.size() == 1;
  return core::Warning{"unread_file", core::counted(names.size(), "capture") + " of the folder " +
                                          (one ? "does not name its rank" : "do not name their ranks") + ", as others do, and " +
                                          (one ? "was" : "were") + " left out: " + core::cited_list(names)};
}

core::Expected<Profile> read_ranks(const OpenFile& folder, const std::string& path, const ReadOptions& options) {
  auto read = FolderReader(folder, path, options).read(Keep::bounded);
  if (!read) return core::fail(read.error());
  if (auto* one = std::get_if<Profile>(&*read)) return std::move(*one);
  return profile_of(std::move(std::get<Job>(*read)));
}

core::Expected<Digest> digest_ranks(const OpenFile& folder, const std::string& path, const ReadOptions& options) {
  auto read = FolderReader(folder, path, options).read(Keep::all);
  if (!read) return core::fail(read.error());
  if (auto* one = std::get_if<Profile>(&*read)) return digest_of(std::move(*one));
  return Digest{std::move(std::get<Job>(*read))};
}

core::Status check_rank(const Profile& profile, const ReadOptions& options) {
  const auto wanted = wanted_rank(options);
  if (!wanted) return core::fail(wanted.error());
  if (!*wanted || !profile.info.ranks.empty()) return {};
  if (!profile.rank) {
    return core::fail(core::ErrorCode::usage, "--rank " + std::to_string(**wanted) + ": the capture does not say its rank",
                      "--rank chooses from a folder of ranks; leave it out", profile.info.path);
  }
  if (*profile.rank != **wanted) {
    return core::fail(core::ErrorCode::usage,
                      "--rank " + std::to_string(**wanted) + ": the capture is of rank " + std::to_string(*profile.rank),
                      "leave --rank out, or give the folder with the captures of all ranks", profile.info.path);
  }
  return {};
}

}  // namespace plumbline::profiles
