// A digest: all that a comparison needs of a capture, or of the ranks of a job, in some ten kilobytes that outlive the gigabytes.
// Written and read it is the same Profile, but for standard deviations in the last bit; docs/digest.md says what stands in the
// file. The text of a digest depends on nothing but the Profile; digests of ranks merge into the same one in any order and with
// any brackets. One thread each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/ranks/job.hpp"

namespace plumbline::profiles {

inline constexpr std::string_view kDigestSchema = "plumbline.profile-digest.v1";
inline constexpr std::uint64_t kMostDigestBytes = std::uint64_t{2} << 20;  // of one capture, packed
inline constexpr std::uint64_t kMostJobBytes = std::uint64_t{16} << 20;    // of ranks together
inline constexpr std::size_t kMostInstances = 4096;                        // of a capture's collectives, one by one

// What a reader counts, and how much of it it takes: one long name may do for all rows.
struct DigestSize {
  std::uint64_t rows = 0;   // of all tables, and numbers of the lists in them
  std::uint64_t named = 0;  // bytes of the names that rows refer to
};
inline constexpr DigestSize kMostOfDigest = {std::uint64_t{1} << 20, std::uint64_t{128} << 20};
inline constexpr std::uint64_t kMostDigestText = std::uint64_t{256} << 20;  // bytes, not packed

struct Digest {
  Job job;  // of a single capture: job.sum alone, with its own warnings and instances
  [[nodiscard]] bool of_ranks() const { return !job.sum.info.ranks.empty(); }
};

// `profile` as read with ReadOptions::digest, of one capture.
[[nodiscard]] Digest digest_of(Profile&& profile);
[[nodiscard]] Profile profile_of(Digest&& digest);

// The digest as a file: packed, no larger than `bytes` and no more than a reader takes. Where it would be, rows of the largest
// tables, those with the least time, become one row "(other: n names)"; the warning digest_folded counts them. Error: what cannot
// be folded is more than a reader takes.
[[nodiscard]] core::Expected<std::string> digest_file(Digest digest);
[[nodiscard]] core::Expected<std::string> digest_file(Digest digest, std::uint64_t bytes);

[[nodiscard]] std::string digest_text(const Digest& digest);  // JSON
[[nodiscard]] std::string digest_text(const Digest& digest, DigestSize& size);
[[nodiscard]] std::string packed(const std::string& digest_text);  // gzip: equal texts, equal bytes
// The text of a file, not packed. Errors name the file and the place in it.
[[nodiscard]] core::Expected<Digest> parse_digest(std::string_view text, const std::string& file);
// The same of a whole file, packed or not.
[[nodiscard]] core::Expected<Digest> unpack_digest(std::string_view bytes, const std::string& file);
[[nodiscard]] bool is_digest_text(std::string_view head);

// A file that is a digest.
[[nodiscard]] core::Expected<Digest> read_digest_file(const std::string& path, const ReadOptions& options);
// Any capture, a folder of ranks or a digest -> its digest. options.digest is implied.
[[nodiscard]] core::Expected<Digest> read_digest(const std::string& path, const ReadOptions& options);

// Digests of different ranks -> the job's. Errors: a rank that is there twice (with both names), a digest that does not say its
// rank, profiles of the host and of single kernels.
class DigestMerge {
 public:
  DigestMerge();
  ~DigestMerge();
  [[nodiscard]] core::Status add(Digest&& digest, const std::string& name);
  [[nodiscard]] core::Expected<Digest> finish(const std::string& name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline::profiles
