// The envelope of the inferencebench tool (envelope v1) in that tool's own terms, and what its `diff` says of two of them.
// Source of the rules: facts, baseline-systems section 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::systems::inferencebench {

enum class Direction : std::uint8_t { unknown, lower, higher };
// By that tool's own table of 47 names: exact and case-sensitive, everything else is unknown.
[[nodiscard]] Direction direction_of(std::string_view metric);

struct Metric {
  std::string name;
  std::optional<double> value;      // null for null, texts and NaN; may be infinite
  std::optional<std::string> text;  // a text: that tool compares it as null
};

// What signs an envelope. The message is the 64 hex digits of the content hash.
struct Signature {
  std::string method;       // "dev-key" or "sigstore-cosign"
  std::string certificate;  // PEM: a public key, or a certificate
  std::string bundle;       // base64
  std::int64_t rekor_log_index = -1;
};

struct Envelope {
  std::string suite_id, model_id, engine_name, engine_version;
  std::optional<std::string> quantization_format;
  std::string suite_version, model_revision, provider, cpu, driver, cuda, nccl, dataset_id, dataset_hash;
  std::vector<std::string> gpus;  // their models
  std::int64_t seed = 0;
  std::string hardware_fingerprint;  // as the file says; it must be the digest of canonical_fingerprint
  std::vector<Metric> metrics;       // in the file's order
  // What its diff does not compare: name and value of each, in a fixed order; hashes and options among them.
  std::vector<std::pair<std::string, std::string>> unchecked;
  std::vector<std::string> other_fields;  // at the top, that envelope v1 does not name
  std::vector<std::string> placeholders;  // provenance fields that hold nothing: "engine.config_hash is all zeros"
  // The texts that are hashed. The content has two: what the tool's model prints, and the file's own JSON. They differ where an
  // optional field is absent, a time is written +00:00, a text has blanks around it or a metric is a boolean.
  std::string canonical_model, canonical_raw, canonical_fingerprint;
  std::optional<Signature> signature;
};

enum class RowVerdict : std::uint8_t { regression, improvement, no_change, unknown, missing };

struct Row {
  std::string name;
  std::optional<double> baseline, candidate, delta_abs, delta_rel;
  RowVerdict verdict = RowVerdict::no_change;
};

struct ContextField {
  std::string name;
  std::optional<std::string> baseline, candidate;
  bool match = false;
};

struct Report {
  std::string baseline_path, candidate_path;
  std::vector<ContextField> context;  // the six fields, in that tool's order
  bool all_match = false;
  std::vector<Row> rows;  // by name, as its JSON has them
  double tolerance = 0.02;
};

// Rows as its table has them: regressions worst first, improvements best first, the others by name.
[[nodiscard]] std::vector<const Row*> in_table_order(const Report& report);

}  // namespace plumbline::systems::inferencebench
