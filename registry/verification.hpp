// verify with signatures: of one publication, of a line (the publications of one measurement, chained), of a registry. What is
// wrong is a problem of the result, never an exception and seldom an error; a tree of an enemy is looked at with bounds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/small.hpp"
#include "registry/attest/keys.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

// Where a publication lies, as far as its path tells; a copy may lie anywhere.
struct Lying {
  std::optional<Kind> kind;               // of a registry's layout
  std::string family, measurement, slug;  // "" = the path does not say
};
[[nodiscard]] Lying lying_at(const std::string& path);

// Whose signatures hold. Without keys nothing has to be signed, and what is signed cannot be checked.
struct Trust {
  std::vector<attest::PublicKey> keys;
};
[[nodiscard]] core::Expected<core::VerifyResult> verify(const std::string& directory, const Trust& trust,
                                                        const PathLimits& limits);

struct Line {
  Kind kind = Kind::entry;
  std::string family, measurement;  // "" = a copy of a line that lies in no registry
  std::string directory;
  std::string shown;  // how problems call it
};
struct Lines {
  std::string path;
  bool registry = false;    // else one measurement
  std::vector<Line> lines;  // by kind, family and measurement
};
// A folder that holds lines: a root, its experiments/artifacts, a kind, a family or a measurement in it, or a copy of the latter.
// nullopt for every other folder.
[[nodiscard]] core::Expected<std::optional<Lines>> lines_in(const std::string& folder, const PathLimits& limits);
// Entries and diffs of one measurement of a registry.
[[nodiscard]] core::Expected<Lines> lines_of(const std::string& root, std::string_view family, std::string_view measurement,
                                             const PathLimits& limits);

// Whose signatures hold for a line.
using TrustOf = std::function<core::Expected<Trust>(const Line& line)>;
// `pinned`: the chains must go through these heads. Null: nothing is pinned.
[[nodiscard]] core::Expected<core::VerifyResult> verify_lines(const Lines& lines, const TrustOf& trust_of,
                                                              const std::vector<core::ChainHead>* pinned,
                                                              const PathLimits& limits);

// The newest signed publication of each line. A chain that is broken is an error: it is not to be pinned.
[[nodiscard]] core::Expected<core::CheckpointResult> chain_heads(const Lines& lines, const PathLimits& limits);
// What reports::checkpoint_text wrote. Blank lines and those that begin with # are passed over.
[[nodiscard]] core::Expected<std::vector<core::ChainHead>> parse_checkpoint(std::string_view text, const std::string& where);

}  // namespace plumbline::registry
