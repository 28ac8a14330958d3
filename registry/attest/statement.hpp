// What is signed of a publication: an in-toto Statement v1 whose subjects are SHA256SUMS and the main documents, and whose
// predicate says what was asked, what was resolved, who ran it, when and on what, what came out, where it was published, and
// which signed publication came before it in its line. schemas/plumbline.attestation.v1.json describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "registry/attest/keys.hpp"
#include "registry/store.hpp"

namespace plumbline::registry::attest {

inline constexpr std::string_view kStatementType = "https://in-toto.io/Statement/v1";
inline constexpr std::string_view kPredicateType = "https://plumbline.invalid/attestation/publication/v1";
inline constexpr std::string_view kBuilder = "https://plumbline.invalid/plumbline";
inline constexpr std::string_view kManifestName = "SHA256SUMS";

struct Subject {
  std::string name, sha256;
};

// The line is kind, family and measurement; the slug is the publication's name in it.
struct Place {
  Kind kind = Kind::entry;
  std::string family, measurement, slug;
  friend bool operator==(const Place&, const Place&) = default;
};
[[nodiscard]] std::string_view to_string(Kind kind);  // "entry" "bundle"

// Where in its line: the first has the sequence 1 and no previous.
struct Link {
  std::uint64_t sequence = 1;
  std::string previous;  // sha256 of the envelope of the one before
};

// Names and values, as JSON.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct Dependency {
  std::string name;    // "baseline", "current", "source"
  std::string sha256;  // "" where none is known
  std::string path;    // as the caller knew it
};

// What only the publisher knows.
struct Claim {
  std::string verb;
  Fields parameters;
  std::vector<Dependency> dependencies;
  std::string version;  // of this program
  std::string operator_user, hostname, uname;
  std::string asked_at_utc;
  Fields result;
};

struct Signing {
  std::shared_ptr<const PrivateKey> key;
  Claim claim;
};

// Deterministic: the same parts give the same bytes.
[[nodiscard]] std::string statement_text(const Claim& claim, const std::vector<Subject>& subjects, const Place& place,
                                         const Link& link, const std::string& published_at_utc);

// What verification needs of a statement.
struct Statement {
  std::vector<Subject> subjects;  // SHA256SUMS is the first
  Place place;
  Link link;
  std::string operator_user, hostname, published_at_utc;
};
// Errors (invalid_input) say what is missing.
[[nodiscard]] core::Expected<Statement> parse_statement(std::string_view payload);

}  // namespace plumbline::registry::attest
