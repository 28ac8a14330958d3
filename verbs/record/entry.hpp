// A measurement or capture on its way to becoming an entry: asked for, looked at, staged. `record` publishes one, `import` many.
// Nothing is written before it is staged.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/results/baseline.hpp"
#include "profiles/profile.hpp"
#include "verbs/record/given_provenance.hpp"
#include "verbs/record/redact.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/resolving/signing.hpp"

namespace plumbline::verbs {

struct EntryRequest {
  std::string root, family, measurement;
  std::string place;                    // where the entry will be, if its slug is free
  std::vector<intake::Opened> sources;  // the source, then --trials
  FlagRules rules;
  core::Context context;  // as given
  std::chrono::system_clock::time_point now;
  std::shared_ptr<registry::Store> store;
  ReadingRules reading;
  std::optional<profiles::Redaction> redacted_capture;
  std::vector<std::string> digests;  // of captures
  std::shared_ptr<const Signer> signer;
  GivenProvenance provenance;
};

// The parameters of record, checked, and its sources, opened. `store` null: that of the root.
[[nodiscard]] Expected<EntryRequest> entry_request(const Arguments& arguments, const Context& context,
                                                   std::shared_ptr<registry::Store> store = nullptr);

// Reads the sources: what the entry will say, with warnings. Its slug and digests are not known yet.
[[nodiscard]] Expected<core::RecordResult> look_at_entry(EntryRequest& request, const Arguments& arguments,
                                                         const Context& context);

// What look_at_entry leaves open where nothing is to be written: the digests.
[[nodiscard]] Status digest_sources(EntryRequest& request, const Arguments& arguments, const Context& context,
                                    core::RecordResult& result);

// All files of the entry, ready to be published.
[[nodiscard]] Expected<std::unique_ptr<registry::Staging>> stage_entry(EntryRequest& request, const Arguments& arguments,
                                                                       const Context& context, core::RecordResult& result,
                                                                       bool in_batch = false);

}  // namespace plumbline::verbs
