#include "verbs/digest/shard.hpp"

#include <filesystem>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/digest/digest.hpp"
#include "profiles/ranks/failures.hpp"
#include "profiles/ranks/ranks.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".digest.json.gz";
constexpr std::size_t kMostStem = 160;  // bytes of a capture's name in that of its digest

// Folders of tasks that start together: who comes second finds it there.
Status make_folder(const std::string& path, const Context& context) {
  if (auto ok = registry::check_allowed(path, path_limits(context)); !ok) return ok;
  std::error_code error;
  fs::create_directory(path, error);
  if (!error && registry::path_kind(path, path_limits(context)) == registry::PathKind::folder) return {};
  return core::fail(ErrorCode::environment,
                    "cannot make the folder " + core::cited_path(path) + (error ? ": " + error.message() : ": a file is there"),
                    "name one in a folder that exists and is writable: `--out DIR`", path);
}

Status remove_file(const std::string& path, const Context& context) {
  if (auto ok = registry::check_allowed(path, path_limits(context)); !ok) return ok;
  std::error_code error;
  fs::remove(path, error);
  if (!error) return {};
  return core::fail(ErrorCode::environment, "cannot remove " + core::cited_path(path) + ": " + error.message(), {}, path);
}

class ShardRun {
 public:
  ShardRun(const ShardRequest& request, const Context& context) : request_(request), context_(context) {}

  Expected<core::ShardResult> run() {
    const profiles::OpenFile folder(request_.source, request_.options.open);
    if (!folder.is_folder()) {
      return core::fail(ErrorCode::usage,
                        "--shard shares the captures of a folder, and " + core::cited_path(request_.source) +
                            (folder.error() == 0 ? " is none" : " cannot be opened"),
                        "`plumbline digest DIR --shard 0/16 --out OUT`", request_.source);
    }
    const profiles::RankFiles found = profiles::rank_files(folder);
    const std::vector<profiles::RankFile>& files = found.list;
    if (files.empty()) {
      return core::fail(ErrorCode::invalid_input, "the folder holds no captures of ranks",
                        "captures end in .json, .json.gz, .sqlite, .db or .nsys-rep", request_.source);
    }
    if (auto ok = make_folder(request_.out, context_); !ok) return core::fail(ok.error());
    named_ = files.front().rank.has_value() && !profiles::named_twice(files);
    result_.source = request_.source;
    result_.path = request_.out;
    result_.shard = request_.shard.index;
    result_.shards = request_.shard.count;
    result_.captures = files.size();
    if (auto warning = profiles::unnamed_captures(found, request_.source, request_.options.open))
      result_.warnings.push_back(std::move(*warning));
    std::vector<profiles::RankFile> mine;
    for (const profiles::RankFile& file : files) {
      if (profiles::is_of(file, request_.shard)) mine.push_back(file);
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      if (auto ok = take(mine[i]); !ok) return core::fail(ok.error());
      show_progress(context_, static_cast<double>(i + 1) / static_cast<double>(mine.size()), mine[i].name);
    }
    return std::move(result_);
  }

 private:
  // What the task itself lacks is no fault of the capture: a task with more of it is to have its try.
  Status take(const profiles::RankFile& file) {
    const auto scratch = ScratchFolder::make(context_);
    if (!scratch) return core::fail(scratch.error());
    auto digest = read(file, scratch->path());
    if (!digest && (digest.error().code == ErrorCode::cancelled || context_.stop_asked())) return core::fail(cancelled_error());
    if (!digest && digest.error().code == ErrorCode::missing_helper) return core::fail(digest.error());
    return digest ? keep(file, std::move(*digest)) : note(file, digest.error());
  }

  [[nodiscard]] Expected<profiles::Digest> read(const profiles::RankFile& file, const std::string& scratch) const {
    const std::string path = request_.source + "/" + file.name;
    profiles::ReadOptions options = request_.options;
    options.scratch = scratch;
    auto digest = profiles::read_digest(path, options);
    if (!digest) return digest;
    if (digest->job.sum.info.ranks.size() > 1) {
      return core::fail(ErrorCode::invalid_input, "it is a digest of several ranks, and --shard takes captures of one", {}, path);
    }
    profiles::Profile& sum = digest->job.sum;
    if (named_) sum.rank = file.rank;
    if (sum.rank && *sum.rank >= 0 && *sum.rank <= profiles::kMaxRank) return digest;
    return core::fail(ErrorCode::invalid_input, "nothing says which rank the capture is of",
                      "put the rank into the file's name: rank0.json.gz", path);
  }

  // Where names do not tell the job's rank the capture's name is kept, so that two captures of one rank are both seen.
  [[nodiscard]] std::string digest_name(const profiles::RankFile& file, std::int64_t rank) const {
    const std::string stem = named_ ? "" : "." + file.name.substr(0, kMostStem);
    return "rank" + std::to_string(rank) + stem + std::string(kSuffix);
  }
  [[nodiscard]] core::RankFailure failure_of(const profiles::RankFile& file) const {
    return {named_ && file.rank ? *file.rank : -1, file.name, {}, {}};
  }
  [[nodiscard]] std::string at(const std::string& name) const { return request_.out + "/" + name; }

  Status keep(const profiles::RankFile& file, profiles::Digest&& digest) {
    const std::int64_t rank = *digest.job.sum.rank;
    const auto bytes = profiles::digest_file(std::move(digest));
    if (!bytes) return note(file, bytes.error());
    const std::string name = digest_name(file, rank);
    if (auto ok = registry::write_report(at(name), *bytes, path_limits(context_)); !ok) return ok;
    result_.digests.push_back({rank, file.name, name, bytes->size(), registry::sha256_hex(*bytes)});
    return remove_file(at(profiles::failure_name(failure_of(file))), context_);
  }

  // A digest of what a damaged capture was before would speak for it. One that could only not be read here may be as it was.
  Status note(const profiles::RankFile& file, const Error& error) {
    core::RankFailure failure = failure_of(file);
    failure.code = std::string(core::to_string(error.code));
    failure.reason = error.message;
    if (auto ok =
            registry::write_report(at(profiles::failure_name(failure)), profiles::failure_text(failure), path_limits(context_));
        !ok)
      return ok;
    if (failure.rank >= 0 && error.code == ErrorCode::invalid_input) {
      if (auto ok = remove_file(at(digest_name(file, failure.rank)), context_); !ok) return ok;
    }
    result_.failed.push_back(std::move(failure));
    return {};
  }

  const ShardRequest& request_;
  const Context& context_;
  bool named_ = false;  // the names say the job's ranks
  core::ShardResult result_;
};

}  // namespace

Expected<core::ShardResult> digest_shard(const ShardRequest& request, const Context& context) {
  return ShardRun(request, context).run();
}

}  // namespace plumbline::verbs
