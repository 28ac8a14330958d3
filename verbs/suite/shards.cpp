#include "verbs/suite/shards.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verbs {
namespace {

tl::unexpected<Error> twice(const std::string& relative, const std::string& one, const std::string& other) {
  return core::fail(
      ErrorCode::invalid_input,
      core::cited(relative) + " is in two shards, and they differ: " + core::cited_path(one) + " and " + core::cited_path(other),
      "a case belongs to one shard; runs of one case that are trials go into one folder");
}

Status check(const std::vector<intake::Opened>& shards, std::optional<std::int64_t> expected) {
  for (const intake::Opened& shard : shards) {
    if (shard.source.is_directory && !shard.is_capture()) continue;
    return core::fail(ErrorCode::usage,
                      "a shard is a folder of results, and this is none: " + core::cited_path(shard.source.path),
                      "`--current shard1/ shard2/ --as shards`");
  }
  const auto given = static_cast<std::int64_t>(shards.size());
  if (!expected || *expected == given) return {};
  if (given < *expected) {
    return core::fail(ErrorCode::invalid_input,
                      core::counted(static_cast<std::uint64_t>(*expected - given), "shard is", "shards are") +
                          " missing: " + std::to_string(given) + " of " + std::to_string(*expected) + " were given",
                      "find out which job gave no folder; without --shards what is there is compared, and cases without a "
                      "result are stale");
  }
  return core::fail(ErrorCode::usage,
                    std::to_string(given) + " shards were given, and --shards says " + std::to_string(*expected),
                    "name each folder once");
}

}  // namespace

Status check_one_shard(const std::string& id, const std::vector<std::string>& files, const std::vector<std::string>& shards) {
  const auto shard_of = [&](const std::string& file) {
    return std::find_if(shards.begin(), shards.end(), [&](const std::string& shard) { return file.starts_with(shard + "/"); });
  };
  for (const std::string& file : files) {
    if (shard_of(file) != shard_of(files.front())) return twice(id, files.front(), file);
  }
  return {};
}

Expected<intake::Opened> unite_shards(std::vector<intake::Opened> shards, std::optional<std::int64_t> expected) {
  if (auto ok = check(shards, expected); !ok) return core::fail(ok.error());
  struct File {
    intake::Opened* shard;
    std::size_t index;
  };
  std::map<std::string, File> files;  // by what they are called in their folders
  for (intake::Opened& shard : shards) {
    for (std::size_t i = 0; i < shard.source.files.size(); ++i) {
      const auto [at, fresh] = files.try_emplace(shard.source.files[i].relative, File{&shard, i});
      if (fresh) continue;
      const File& other = at->second;
      if (shard.bytes()[i].view() != other.shard->bytes()[other.index].view())
        return twice(at->first, other.shard->source.files[other.index].path, shard.source.files[i].path);
    }
  }
  intake::Opened out;
  out.source = {shards.front().source.path, shards.front().source.name, true, 0, {}, {}};
  intake::Measured measured;
  measured.input.name = shards.front().input().name;
  measured.input.is_directory = true;
  for (const auto& [relative, file] : files) {
    auto& from = std::get<intake::Measured>(file.shard->content);
    out.source.files.push_back(file.shard->source.files[file.index]);
    out.source.bytes += out.source.files.back().bytes;
    measured.captures.push_back(from.captures.empty() ? std::string() : from.captures[file.index]);
    measured.bytes.push_back(std::move(from.bytes[file.index]));
    if (measured.captures.back().empty()) measured.input.files.push_back({relative, measured.bytes.back().view()});
  }
  for (const intake::Opened& shard : shards)
    out.source.skipped.insert(out.source.skipped.end(), shard.source.skipped.begin(), shard.source.skipped.end());
  out.content = std::move(measured);
  return out;
}

}  // namespace plumbline::verbs
