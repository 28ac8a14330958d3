// Results of the small verbs: inspect, verify, search.
#pragma once

#include <memory>
#include <optional>

#include "core/codes/problems.hpp"
#include "core/results/common.hpp"

namespace plumbline::core {

struct ProfileSummary {  // what inspect says of a capture
  std::uint64_t kernels = 0, copies = 0, api_calls = 0, ranges = 0, devices = 0, streams = 0;
  std::int64_t span_ns = 0, gpu_busy_ns = 0;
  std::vector<std::string> devices_names;
};

// What a statement took of a text, line by line, and where the format is not stated the draft of a statement.
struct Explained {
  struct Line {
    std::size_t number = 0;  // from 1
    std::string text;        // without secrets, shortened
    std::string taken_by;    // the line of the statement, "table", "matrix"; "" where it was left
  };
  std::string statement;              // of whom the lines are: the format's name, "draft"
  std::vector<Line> lines;            // the first of those that are not blank
  std::uint64_t taken = 0, left = 0;  // of all lines that are not blank
  std::vector<std::string> paths;     // of JSON: what was taken
  std::string draft;                  // YAML for `formats:` of plumbline.yaml
};

struct InspectResult {
  std::string path;
  Shape shape = Shape::structured;
  FormatInfo format;
  std::shared_ptr<const Measurement> measurement;  // null for captures
  std::optional<ProfileSummary> profile;
  std::vector<std::string> headline;
  Context context;
  std::optional<Explained> explained;
  std::vector<Warning> warnings;
};

struct VerifyProblem {
  ProblemCode code;
  std::string path;
  std::string message;
};
// A bundle's verdict made again from the bundle alone.
struct Recomputed {
  bool made_again = false;  // false: the bundle does not hold what it takes
  std::string verdict, tier;
  std::uint64_t rows = 0;  // of deltas.jsonl, held against what was written
  std::vector<VerifyProblem> problems;
};
// What a publication's signed statement says of it; to be believed only where the signature is by a trusted key.
struct Attested {
  std::string envelope_sha256;  // what the next one in the line names as its previous
  std::string keyid;            // as the envelope has it: a hint
  std::string kind, family, measurement, slug;
  std::uint64_t sequence = 0;
  std::string previous;  // envelope_sha256 of the one before, "" for the first
  std::string operator_user, hostname, published_at_utc;
};
// Of a line (the publications of one measurement) or of all lines of a registry.
struct VerifyCounts {
  std::uint64_t lines = 0, publications = 0, with_signature = 0, trusted = 0, faulty = 0;
  std::uint64_t removed = 0;  // by gc, each with its tombstone
};
struct VerifyResult {
  bool ok = false;
  std::string kind;  // "entry" "bundle" "envelope"; "line" "registry"
  std::string path;
  std::string bundle_sha256;
  bool is_signed = false, trusted = false;  // of a line or a registry: all of it is
  std::uint64_t files = 0;
  std::optional<Recomputed> recomputed;  // where it was asked for; its problems are among these
  std::optional<Attested> attested;
  std::optional<VerifyCounts> counts;
  std::string checkpoint;  // the file of pinned heads that it was held against
  std::vector<VerifyProblem> problems;
  std::vector<Warning> warnings;
};

struct KeygenResult {
  std::string private_path, public_path, algorithm, keyid;
};

// The newest signed publication of a line: what `checkpoint` prints, and what is pinned in git.
struct ChainHead {
  std::string envelope_sha256;
  std::uint64_t sequence = 0;
  std::string kind, family, measurement, slug;
};
struct CheckpointResult {
  std::string root;
  std::vector<ChainHead> heads;      // by kind, family, measurement
  std::uint64_t unsigned_lines = 0;  // lines without any signed publication
};

struct SearchHit {
  std::string kind;  // "entry" "bundle"
  std::string family, measurement, slug, path, date;
  std::string verdict, tier;  // bundles
  std::string superseded_by;  // a DRAFT bundle that a later VERDICT on the same pair overturned: that bundle's slug
  std::optional<double> value;
  std::string unit, label, notes;
  double score = 0;
  std::vector<std::string> matched;  // fields
};
struct SearchResult {
  std::string query;
  std::vector<SearchHit> hits;
  std::uint64_t total = 0;
  std::vector<Warning> warnings;
};

}  // namespace plumbline::core
