// The codes of what `verify` finds wrong: the closed list, in the order of docs/verbs/verify.md, which a test compares with it.
// Apart from warnings, for a problem fails the call.
#pragma once

#include <array>

#include "core/codes/closed.hpp"

namespace plumbline::core {

struct ProblemEntry {
  std::string_view text;     // snake_case, as results say it
  std::string_view meaning;  // for docs/verbs/verify.md
};

inline constexpr std::array<ProblemEntry, 26> kProblems = {{
    // Files
    {"no_manifest", "there is no `SHA256SUMS`, so nothing can be checked against it"},
    {"bad_manifest", "`SHA256SUMS` does not follow its format"},
    {"digest_mismatch", "a file is not what was published"},
    {"missing_file", "a file that `SHA256SUMS` lists, or that belongs beside the envelope, is not there"},
    {"extra_file", "a file is there that `SHA256SUMS` does not list"},
    {"not_a_regular_file", "a link, a socket or another thing that is no file is where only files may be"},
    {"unreadable", "a file or folder cannot be read, for the reason in the message"},
    {"not_a_publication", "in the folder of a line is something that is no publication of it, so nobody reads it"},
    // Signatures
    {"unsigned", "there is no signature, and `--trust` or the project's `trusted_keys` ask for one"},
    {"untrusted_key", "signed, but by none of the trusted keys"},
    {"bad_signature",
     "signed under the name of a trusted key, and not by that key: the signature, or what was signed, was changed"},
    {"signature_invalid", "a signed file of another system is not what was signed"},
    {"signature_unchecked", "a signature of another system that cannot be checked here"},
    {"malformed_envelope", "`attest/statement.dsse.json` is missing, or holds no statement about a publication"},
    {"statement_mismatch", "`statement.json`, `pae.bin` or `statement.sig` is not what the envelope holds"},
    {"attest_extra", "a file is in `attest/` that does not belong there"},
    {"wrong_subject",
     "the signed statement is about other files: they were changed and `SHA256SUMS` was written anew, or the envelope is another "
     "publication's"},
    {"wrong_place",
     "the signed statement names another place: the publication was renamed or moved, or an older one was put in the place of "
     "another"},
    // The chain of a line
    {"broken_chain", "a signed publication does not name the one before it, or is not the one that the checkpoint names"},
    {"chain_gap", "signed publications are missing in the middle of a line: they were removed, or their signatures were"},
    {"chain_fork", "two signed publications have one number in their line: one is a copy, or the line was continued twice"},
    {"chain_truncated", "a line ends before the publication that the checkpoint names: its newest ones were removed"},
    // With --recompute
    {"not_recomputable", "the bundle does not hold everything that its verdict was made from, as the message says"},
    {"verdict_differs", "made again from the bundle alone, the verdict or its reasons come out otherwise"},
    {"rows_differ", "made again from the bundle alone, a row of `deltas.jsonl` comes out otherwise"},
    {"inputs_differ", "the program or its own rules are not those that the bundle was made with, which may explain a difference"},
}};

using ProblemCode = ClosedCode<kProblems>;

}  // namespace plumbline::core
