#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/attest/acceptance.hpp"
#include "registry/attest/chain.hpp"
#include "registry/attest/check.hpp"
#include "registry/posix/store.hpp"
#include "registry/removal.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

constexpr std::size_t kProblemsAtMost = 1000;
constexpr std::size_t kNamesAtMost = 1'000'000;

bool ends_the_call(ErrorCode code) { return code == ErrorCode::cancelled || code == ErrorCode::limit_exceeded; }

bool is_pinned_line(const core::ChainHead& head, const Line& line) {
  return head.kind == attest::to_string(line.kind) && head.family == line.family && head.measurement == line.measurement;
}

std::string line_name(const core::ChainHead& head) { return head.kind + "/" + head.family + "/" + head.measurement; }

// What the signed publications of a line say of their order: each number once, from 1 on, and each names the one before.
class Chain {
 public:
  explicit Chain(std::vector<core::VerifyProblem>& problems, std::string where) : problems_(problems), where_(std::move(where)) {}

  void add(const std::string& slug, const core::Attested& attested) {
    const auto [at, is_new] = links_.try_emplace(attested.sequence, Link{slug, attested});
    if (is_new) return;
    problem("chain_fork", at->second.slug + " and " + slug + " are both number " + std::to_string(attested.sequence) +
                              " of their line: one is a copy of the other, or the line was continued twice");
  }

  void check() {
    const Link* before = nullptr;
    for (const auto& [sequence, link] : links_) {
      check_link(sequence, link, before);
      before = &link;
    }
  }

  void hold_against(const core::ChainHead& pinned) {
    const std::string asked = "the checkpoint names number " + std::to_string(pinned.sequence) + " of " + line_name(pinned) +
                              " with the envelope " + pinned.envelope_sha256.substr(0, 16) + "…";
    const auto at = links_.find(pinned.sequence);
    if (at == links_.end()) {
      const std::uint64_t newest = links_.empty() ? 0 : links_.rbegin()->first;
      if (newest < pinned.sequence) {
        problem("chain_truncated", asked + ", and the line ends at " +
                                       (newest == 0 ? "nothing signed" : "number " + std::to_string(newest)) +
                                       ": its newest publications were removed");
      } else {
        problem("chain_gap", asked + ", which is not there");
      }
    } else if (at->second.attested.envelope_sha256 != pinned.envelope_sha256) {
      problem("broken_chain", asked + ", and here it is " + at->second.attested.envelope_sha256.substr(0, 16) + "… (" +
                                  at->second.slug + "): what was published then is not what is here now");
    }
  }

  [[nodiscard]] std::optional<core::ChainHead> head() const {
    if (links_.empty()) return std::nullopt;
    const auto& [sequence, link] = *links_.rbegin();
    return core::ChainHead{link.attested.envelope_sha256, sequence, link.attested.kind, link.attested.family,
                           link.attested.measurement,     link.slug};
  }

 private:
  struct Link {
    std::string slug;
    core::Attested attested;
  };

  void problem(core::ProblemCode code, std::string message) { problems_.push_back({code, where_, std::move(message)}); }

  void check_link(std::uint64_t sequence, const Link& link, const Link* before) {
    const std::uint64_t last = before == nullptr ? 0 : before->attested.sequence;
    const std::string here = link.slug + " is number " + std::to_string(sequence);
    if (sequence != last + 1) {
      const std::string what = before == nullptr ? " and the first of the line"
                                                 : " and comes after number " + std::to_string(last) + " (" + before->slug + ")";
      return problem("chain_gap", here + what + ": " + core::counted(sequence - last - 1, "signed publication") +
                                      " in between were removed, or their signatures were");
    }
    const std::string wanted = before == nullptr ? std::string() : before->attested.envelope_sha256;
    if (link.attested.previous != wanted) {
      return problem("broken_chain",
                     here + (wanted.empty() ? " and names one before it"
                                            : " and does not name the envelope of " + before->slug + " as the one before it"));
    }
    if (before != nullptr && link.slug <= before->slug)
      problem("broken_chain", here + " and is older than number " + std::to_string(last) + " (" + before->slug + ")");
  }

  std::vector<core::VerifyProblem>& problems_;
  std::string where_;
  std::map<std::uint64_t, Link> links_;
};

// Warnings of many publications: each kind once, with how many there are.
class Warnings {
 public:
  void add(const core::Warning& warning) {
    auto [at, is_new] = seen_.try_emplace(std::string(warning.code.text()), Seen{warning, 0});
    ++at->second.count;
    if (is_new) order_.push_back(at->first);
  }
  [[nodiscard]] std::vector<core::Warning> told() const {
    std::vector<core::Warning> out;
    for (const std::string& code : order_) {
      const Seen& seen = seen_.at(code);
      out.push_back(seen.first);
      if (seen.count > 1) out.back().message += " (and " + core::counted(seen.count - 1, "publication") + " more)";
    }
    return out;
  }

 private:
  struct Seen {
    core::Warning first;
    std::uint64_t count = 0;
  };
  std::map<std::string, Seen> seen_;
  std::vector<std::string> order_;
};

class LinesVerifier {
 public:
  LinesVerifier(const Lines& lines, const TrustOf& trust_of, const std::vector<core::ChainHead>* pinned, const PathLimits& limits)
      : lines_(lines), trust_of_(trust_of), pinned_(pinned), limits_(limits) {
    result_.kind = lines.registry ? "registry" : "line";
    result_.path = lines.path;
  }

  core::Expected<core::VerifyResult> verify() {
    for (const Line& line : lines_.lines) {
      if (auto done = verify_line(line); !done) return fail(done.error());
    }
    find_missing_lines();
    if (counts_.publications == 0 && result_.problems.empty())
      return fail(ErrorCode::not_found, "nothing is published under " + core::cited_path(lines_.path), {}, lines_.path);
    counts_.lines = lines_.lines.size();
    result_.is_signed = counts_.publications > 0 && counts_.with_signature == counts_.publications;
    result_.trusted = counts_.publications > 0 && counts_.trusted == counts_.publications;
    result_.counts = counts_;
    result_.warnings = warnings_.told();
    if (result_.problems.size() > kProblemsAtMost) {
      const auto omitted = result_.problems.size() - kProblemsAtMost;
      result_.problems.erase(result_.problems.begin() + kProblemsAtMost, result_.problems.end());
      result_.warnings.push_back({"problems_omitted", std::to_string(omitted) + " further problems are not listed"});
    }
    result_.ok = result_.problems.empty();
    result_.trusted = result_.trusted && result_.ok;
    return std::move(result_);
  }

 private:
  core::Status verify_line(const Line& line) {
    auto trust = trust_of_(line);
    if (!trust) return fail(trust.error());
    const auto folder = io::open_folder(line.directory, limits_);
    if (!folder) return fail(folder.error());
    const auto slugs = slugs_in(folder->get(), line.directory);
    if (!slugs) return fail(slugs.error());
    if (auto looked = find_strays(line, folder->get()); !looked) return looked;
    Chain chain(result_.problems, line.shown);
    std::optional<core::Attested> first;
    for (const std::string& slug : *slugs) {
      auto one = verify_one(line, slug, *trust);
      if (!one) return fail(one.error());
      if (!one->attested) continue;
      check_same_line(line, slug, *one->attested, first);
      chain.add(slug, *one->attested);
    }
    if (auto looked = verify_removed(line, folder->get(), *slugs, *trust, chain); !looked) return looked;
    chain.check();
    if (auto checked = check_accepted(line, folder->get(), *trust); !checked) return checked;
    for (const core::ChainHead& head : pinned_ == nullptr ? std::vector<core::ChainHead>{} : *pinned_) {
      if (is_pinned_line(head, line)) chain.hold_against(head);
    }
    return {};
  }

  core::Status check_accepted(const Line& line, int folder, const Trust& trust) {
    const io::Descriptor accepted(::openat(folder, "accepted", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (line.kind != Kind::entry || !accepted.valid()) return {};
    auto problems = attest::check_acceptances(accepted.get(), io::join(line.directory, "accepted"), line, trust);
    if (!problems) return fail(problems.error());
    std::move(problems->begin(), problems->end(), std::back_inserter(result_.problems));
    return {};
  }

  // One publication, its problems under the line's name.
  core::Expected<core::VerifyResult> verify_one(const Line& line, const std::string& slug, const Trust& trust) {
    auto one = registry::verify(io::join(line.directory, slug), trust, limits_);
    const std::string shown = line.shown.empty() ? slug : line.shown + "/" + slug;
    ++counts_.publications;
    if (!one) {
      if (ends_the_call(one.error().code)) return one;
      ++counts_.faulty;
      result_.problems.push_back(
          {one.error().code == ErrorCode::not_found ? core::ProblemCode("not_a_publication") : "unreadable", shown,
           one.error().message});
      return core::VerifyResult{};
    }
    result_.files += one->files;
    counts_.with_signature += one->is_signed ? 1 : 0;
    counts_.trusted += one->trusted ? 1 : 0;
    counts_.faulty += one->problems.empty() ? 0 : 1;
    for (core::VerifyProblem& problem : one->problems) {
      problem.path = problem.path.empty() || problem.path == "." ? shown : shown + "/" + problem.path;
      result_.problems.push_back(std::move(problem));
    }
    for (const core::Warning& warning : one->warnings) warnings_.add(warning);
    return one;
  }

  // What gc took away: each tombstone stands in the chain for its publication.
  core::Status verify_removed(const Line& line, int folder, const std::vector<std::string>& slugs, const Trust& trust,
                              Chain& chain) {
    const auto removed = removed_slugs(folder, line.directory);
    if (!removed) return fail(removed.error());
    for (const std::string& slug : *removed) {
      if (std::binary_search(slugs.begin(), slugs.end(), slug)) continue;  // a gc that was cut off: it is complete
      const std::string shown = (line.shown.empty() ? slug : line.shown + "/" + slug) + " (removed)";
      const auto tombstone = tombstone_of(line.directory, slug, limits_);
      if (!tombstone) {
        result_.problems.push_back({"statement_mismatch", shown, tombstone.error().message});
        continue;
      }
      const bool elsewhere = *tombstone && !line.family.empty() &&
                             ((*tombstone)->kind != line.kind || (*tombstone)->family != line.family ||
                              (*tombstone)->measurement != line.measurement);
      if (elsewhere) {
        result_.problems.push_back({"wrong_place", shown,
                                    "its tombstone is that of a publication of " + (*tombstone)->family + "/" +
                                        (*tombstone)->measurement + ": it was copied here"});
        continue;
      }
      if (!*tombstone) continue;  // taken away meanwhile
      ++counts_.removed;
      take_envelope(**tombstone, shown, trust, chain);
    }
    return {};
  }

  void take_envelope(const Tombstone& tombstone, const std::string& shown, const Trust& trust, Chain& chain) {
    const auto attestation = attestation_of(tombstone);
    if (!attestation || !*attestation) {
      if (!trust.keys.empty())
        result_.problems.push_back({"unsigned", shown, removal_text(tombstone) + ", and it was not signed by a trusted key"});
      return;
    }
    attest::Verdict verdict = attest::check_envelope(**attestation, trust);
    for (core::VerifyProblem& problem : verdict.problems) {
      problem.path = shown;
      result_.problems.push_back(std::move(problem));
    }
    for (const core::Warning& warning : verdict.warnings) warnings_.add(warning);
    chain.add(tombstone.slug, *verdict.attested);
  }

  // A copied line says by its first publication which one it is.
  void check_same_line(const Line& line, const std::string& slug, const core::Attested& attested,
                       std::optional<core::Attested>& first) {
    if (!line.family.empty()) return;  // verify has held its place against the path
    if (!first) first = attested;
    if (first->kind == attested.kind && first->family == attested.family && first->measurement == attested.measurement) return;
    result_.problems.push_back({"wrong_place", slug,
                                "signed for " + attested.family + "/" + attested.measurement + ", and others of this line for " +
                                    first->family + "/" + first->measurement});
  }

  // What nobody reads: a publication under a name that is no slug is as good as removed.
  core::Status find_strays(const Line& line, int folder) {
    const auto names = io::list_folder(folder, line.directory, kNamesAtMost);
    if (!names) return fail(names.error());
    for (const io::Name& name : *names) {
      const bool known = name.name.front() == '.' || (S_ISDIR(name.type) && is_slug(name.name)) ||
                         (line.kind == Kind::entry && (name.name == "INDEX.md" || name.name == "accepted")) ||
                         (S_ISDIR(name.type) && name.name == "removed");
      if (known) continue;
      result_.problems.push_back({"not_a_publication", line.shown.empty() ? name.name : line.shown + "/" + name.name,
                                  core::cited_path(name.name) + " is " + std::string(io::kind_name(name.type)) +
                                      " in the folder of a line, and no publication of it"});
    }
    return {};
  }

  // Lines that the checkpoint names and that are not there at all.
  void find_missing_lines() {
    if (pinned_ == nullptr) return;
    for (const core::ChainHead& head : *pinned_) {
      const bool there =
          std::any_of(lines_.lines.begin(), lines_.lines.end(), [&](const Line& line) { return is_pinned_line(head, line); });
      if (there || !lines_.registry) continue;
      Chain(result_.problems, line_name(head)).hold_against(head);
    }
  }

  const Lines& lines_;
  const TrustOf& trust_of_;
  const std::vector<core::ChainHead>* pinned_;
  const PathLimits& limits_;
  core::VerifyResult result_;
  core::VerifyCounts counts_;
  Warnings warnings_;
};

// The chain of a line from its envelopes alone; files are not hashed.
core::Expected<std::optional<core::ChainHead>> head_of(const Line& line, const PathLimits& limits) {
  const auto folder = io::open_folder(line.directory, limits);
  if (!folder) return fail(folder.error());
  const auto slugs = slugs_in(folder->get(), line.directory);
  if (!slugs) return fail(slugs.error());
  std::vector<core::VerifyProblem> problems;
  Chain chain(problems, line.shown);
  for (const std::string& slug : *slugs) {
    if (limits.stop && limits.stop()) return fail(ErrorCode::cancelled, "stopped");
    const io::Descriptor publication(::openat(folder->get(), slug.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!publication.valid()) continue;
    auto found = attest::read_attestation(publication.get(), io::join(line.directory, slug));
    if (!found) return fail(found.error());
    if (*found) chain.add(slug, attest::told(**found));
  }
  const auto removed = removed_slugs(folder->get(), line.directory);
  if (!removed) return fail(removed.error());
  for (const std::string& slug : *removed) {
    if (std::binary_search(slugs->begin(), slugs->end(), slug)) continue;
    const auto tombstone = tombstone_of(line.directory, slug, limits);
    if (!tombstone) return fail(tombstone.error());
    if (!*tombstone) continue;
    const auto attestation = attestation_of(**tombstone);
    if (attestation && *attestation) chain.add(slug, attest::told(**attestation));
  }
  chain.check();
  if (!problems.empty()) {
    return fail(ErrorCode::provenance_mismatch, line.shown + ": " + problems.front().message,
                "`plumbline verify` lists everything; a chain that is broken is not pinned", line.directory);
  }
  return chain.head();
}

}  // namespace

core::Expected<core::VerifyResult> verify_lines(const Lines& lines, const TrustOf& trust_of,
                                                const std::vector<core::ChainHead>* pinned, const PathLimits& limits) {
  return LinesVerifier(lines, trust_of, pinned, limits).verify();
}

core::Expected<core::CheckpointResult> chain_heads(const Lines& lines, const PathLimits& limits) {
  core::CheckpointResult result;
  result.root = lines.path;
  for (const Line& line : lines.lines) {
    auto head = head_of(line, limits);
    if (!head) return fail(head.error());
    if (*head) {
      result.heads.push_back(std::move(**head));
    } else {
      ++result.unsigned_lines;
    }
  }
  return result;
}

core::Expected<std::vector<core::ChainHead>> parse_checkpoint(std::string_view text, const std::string& where) {
  std::vector<core::ChainHead> heads;
  int number = 0;
  for (const std::string_view raw : core::split(text, '\n')) {
    ++number;
    const std::string_view line = core::trim(raw);
    if (line.empty() || line.front() == '#') continue;
    std::vector<std::string_view> words;
    for (const std::string_view word : core::split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    const auto parts = words.size() == 3 ? core::split(words[2], '/') : std::vector<std::string_view>{};
    const auto sequence = words.size() == 3 ? core::parse_int(words[1]) : std::nullopt;
    const bool good = parts.size() == 3 && is_sha256_hex(words[0]) && sequence && *sequence > 0 &&
                      (parts[0] == "entry" || parts[0] == "bundle") && check_segment("family", parts[1]) &&
                      check_segment("measurement", parts[2]);
    if (!good) {
      const std::string place = where + ":" + std::to_string(number);
      return fail(ErrorCode::invalid_input, place + ": no line of a checkpoint",
                  "a line is `SHA256  SEQUENCE  KIND/FAMILY/MEASUREMENT`, as `plumbline checkpoint` prints it", place);
    }
    heads.push_back({std::string(words[0]),
                     static_cast<std::uint64_t>(*sequence),
                     std::string(parts[0]),
                     std::string(parts[1]),
                     std::string(parts[2]),
                     {}});
  }
  return heads;
}

}  // namespace plumbline::registry
