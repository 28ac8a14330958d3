#include "profiles/digest/digest.hpp"

#include <zlib.h>

#include <algorithm>
#include <map>

#include "base/memory_budget.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/digest/compact.hpp"
#include "profiles/ranks/merge.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kMostPacked = std::uint64_t{64} << 20;

core::Error in_file(core::Error error, const std::string& file) {
  if (error.where.empty()) error.where = file;
  return error;
}

using Memory = base::MemoryBudget::Lease;

// Makes the text that long, with memory of what all that unpack share.
core::Status enlarge(std::string& text, std::size_t bytes, Memory& memory, const std::string& file) {
  if (memory.take(bytes) != base::MemoryBudget::Answer::taken) {
    return core::fail(core::ErrorCode::limit_exceeded,
                      "cannot be unpacked: of the " + std::to_string(base::unpacking_budget().bound() >> 20U) +
                          " MiB of memory that there are for all calls too little is left",
                      "try again; a server's bound is raised with --unpack-memory", file);
  }
  const std::uint64_t before = memory.bytes() - bytes;
  text.resize(bytes);
  memory.give_back(before);
  return {};
}

// Digests are small and come by the thousand: room for one is what it takes, not the blocks in which captures are read.
core::Expected<std::string> text_of(std::string_view bytes, const std::string& file, Memory& memory) {
  constexpr std::size_t kFewest = 4096, kTimesPacked = 8;
  const auto source = unpacked_bytes(bytes);
  std::string text;
  const std::size_t likely = std::clamp<std::size_t>(kTimesPacked * bytes.size(), kFewest, kMostDigestText + 1);
  if (auto room = enlarge(text, likely, memory, file); !room) return core::fail(room.error());
  std::size_t have = 0;
  for (;;) {
    if (have == text.size()) {
      if (auto room = enlarge(text, 2 * have, memory, file); !room) return core::fail(room.error());
    }
    const auto got = source->read(text.data() + have, text.size() - have);
    if (!got) return core::fail(in_file(got.error(), file));
    if (*got == 0) break;
    have += *got;
    if (have > kMostDigestText) {
      return core::fail(core::ErrorCode::limit_exceeded, "the digest is larger than 256 MiB (inflated)", {}, file);
    }
  }
  if (source->ending().cut) {
    return core::fail(core::ErrorCode::invalid_input, "the gzip data ends before its end", "copy the file again", file);
  }
  text.resize(have);
  return text;
}

// A digest holds what the capture was read with: nothing can be chosen from it afterwards.
core::Status check_choice(const Profile& profile, const ReadOptions& options, const std::string& path) {
  const auto refuse = [&path](std::string message, std::string hint) {
    return core::fail(core::ErrorCode::usage, std::move(message), std::move(hint), path);
  };
  if (profile.info.ranks.size() > 1 && options.rank != "all") {
    return refuse("--rank " + options.rank + ": the digest holds " + core::counted(profile.info.ranks.size(), "rank") +
                      " together, and none can be taken out",
                  "leave --rank out, or give the rank's own digest or capture");
  }
  for (const DeviceWall& device : profile.devices) {
    const auto& wanted = options.devices;
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), device.device) != wanted.end()) continue;
    return refuse("--device: the digest holds the times of all its devices together", "leave --device out, or give the capture");
  }
  if (options.steps == "auto" || options.steps == "none") return {};
  return refuse("--steps " + core::cited(options.steps) + ": a digest holds the steps that were found when it was made",
                "leave --steps out, or give the capture");
}

core::Expected<Profile> read_as_capture(const std::string& path, const ReadOptions& options) {
  auto digest = read_digest_file(path, options);
  if (!digest) return core::fail(digest.error());
  return profile_of(std::move(*digest));
}

}  // namespace

core::Expected<Digest> unpack_digest(std::string_view bytes, const std::string& file) {
  Memory memory(base::unpacking_budget());
  const auto text = text_of(bytes, file, memory);
  if (!text) return core::fail(text.error());
  return parse_digest(*text, file);
}

core::Expected<Digest> read_digest_file(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the digest cannot be opened for reading", {}, path);
  if (file.size() > kMostPacked) {
    return core::fail(core::ErrorCode::limit_exceeded, "the digest is larger than 64 MiB, the most that is read", {}, path);
  }
  const auto bytes = file.head(kMostPacked);
  if (!bytes) return core::fail(core::ErrorCode::environment, "the digest cannot be read", {}, path);
  auto digest = unpack_digest(*bytes, path);
  if (!digest) return digest;
  Profile& profile = digest->job.sum;
  profile.info.path = path;
  if (auto ok = check_choice(profile, options, path); !ok) return core::fail(ok.error());
  if (options.steps == "none") profile.steps = digest->job.slowest = {};
  return digest;
}

Digest digest_of(Profile&& profile) {
  Digest digest;
  digest.job.sum = std::move(profile);
  Profile& sum = digest.job.sum;
  if (sum.info.ranks.size() == 1) sum.rank = sum.info.ranks.front();
  sum.info.ranks.clear();
  for (auto* rows : {&sum.kernels, &sum.nvtx, &sum.api, &sum.nccl, &sum.memory}) {
    for (NamedAggregate& row : *rows) sketch_few(row);
  }
  return digest;
}

Profile profile_of(Digest&& digest) { return digest.of_ranks() ? profile_of(std::move(digest.job)) : std::move(digest.job.sum); }

std::string packed(const std::string& digest_text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  constexpr int kMemory = 9;
  constexpr int kLevel = 6;  // the best takes three times as long for 2 %
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, digest_text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(digest_text.data()));  // zlib reads it only
  stream.avail_in = static_cast<uInt>(digest_text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct DigestMerge::State {
  RankMerge merge{Keep::all};
  std::map<std::int64_t, std::string> names;  // of the digests, by their ranks
};

DigestMerge::DigestMerge() : state_(std::make_unique<State>()) {}
DigestMerge::~DigestMerge() = default;

core::Status DigestMerge::add(Digest&& digest, const std::string& name) {
  Profile& profile = digest.job.sum;
  if (!profile.frames.empty() || !profile.metrics.empty()) {
    return core::fail(core::ErrorCode::invalid_input,
                      "profiles of the host and of single kernels (" + profile.info.format + ") are not merged over ranks", {},
                      name);
  }
  const bool of_ranks = digest.of_ranks();
  if (!of_ranks && !profile.rank) {
    return core::fail(core::ErrorCode::invalid_input, "nothing says which rank the digest is of",
                      "put the rank into the file's name (rank0.json.gz), or make the digest with `--rank N`", name);
  }
  const std::vector<std::int64_t> ranks = of_ranks ? profile.info.ranks : std::vector<std::int64_t>{*profile.rank};
  for (const std::int64_t rank : ranks) {
    const auto [at, fresh] = state_->names.emplace(rank, name);
    if (fresh) continue;
    return core::fail(
        core::ErrorCode::invalid_input,
        "rank " + std::to_string(rank) + " is in two digests: " + core::cited_path(at->second) + " and " + core::cited_path(name),
        "each rank counts once: leave one of them out", name);
  }
  if (of_ranks) {
    state_->merge.add(std::move(digest.job));
  } else {
    state_->merge.add(std::move(profile), ranks.front());
  }
  return {};
}

core::Expected<Digest> DigestMerge::finish(const std::string& name) {
  auto job = state_->merge.take(name);
  if (!job) return core::fail(job.error());
  return Digest{std::move(*job)};
}

extern const Form digest_form = {
    .name = "profile-digest",
    .captures = {{{"profile-digest", "our own digest of a capture, or of the ranks of a job: what a comparison needs of them",
                   "`\"schema\": \"plumbline.profile-digest.v1\"` at the top", "JSON",
                   "plumbline digest CAPTURE --out capture.digest.json.gz"}}},
    .recognises =
        [](const OpenFile& file, std::string_view head) {
          if (head.starts_with('{')) return is_digest_text(head);
          return is_gzip(head) && is_digest_text(text_head(file, 256).text);
        },
    .read = &read_as_capture,
};

}  // namespace plumbline::profiles
