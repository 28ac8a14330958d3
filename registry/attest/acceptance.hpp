// The signature of an acceptance: accepted/attest/<seq>-<slug>.dsse.json beside accepted/<seq>-<slug>.json, an envelope like that
// of a publication. Its statement is about the SHA256SUMS of the entry that was accepted and about the record. Internal to the
// registry room.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/results/baseline.hpp"
#include "core/results/small.hpp"
#include "registry/attest/statement.hpp"
#include "registry/verification.hpp"

namespace plumbline::registry::attest {

inline constexpr const char* kAcceptedFolder = "attest";
// "000003-20261120T150359221206Z.dsse.json" for that record.
[[nodiscard]] std::string envelope_of_record(std::string_view record_file);

[[nodiscard]] core::Expected<std::string> sign_acceptance(const Signing& signing, const core::Acceptance& acceptance,
                                                          std::string_view record_file, std::string_view record);

// Every record of an open accepted/ of a line held against its signature; `path` is what errors call the folder. Without trusted
// keys nothing has to be signed. A copy of a line names no family: then any will do.
[[nodiscard]] core::Expected<std::vector<core::VerifyProblem>> check_acceptances(int accepted, const std::string& path,
                                                                                 const Line& line, const Trust& trust);

}  // namespace plumbline::registry::attest
