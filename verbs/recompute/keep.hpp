// The inputs of a verdict, staged into its bundle: baseline-snapshot…, rules/ and request.json (request.hpp). The current side's
// copy is the bundle's own affair and is handed in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/store.hpp"
#include "verbs/recompute/request.hpp"
#include "verbs/resolving/inputs.hpp"

namespace plumbline::verbs {

struct KeptInputs {
  std::string verb = {}, root = {};
  const Arguments* arguments = nullptr;
  const Inputs* inputs = nullptr;
  std::vector<KeptFile> current = {};           // as staged already; `at` is "" where it was not
  bool by_size = true;                          // else whatever the size
  bool kept = true;                             // false: --snapshot reference
  std::string baseline_sha256 = {};             // of a baseline that is one file, as it was compared; "" = not known
  std::optional<ProfileRequest> captures = {};  // of captures: their digests are staged, and no entry is copied
};

inline constexpr std::uint64_t kBundleSnapshotLimit = 64ULL << 20;  // of a side (CONTRACT section 4)

// What is not staged yet of them: baseline_copies() may have run before.
[[nodiscard]] Status stage_inputs(registry::Staging& staging, const KeptInputs& kept, const Context& context);
// The copies of the baseline among them, of what kept.inputs was told until now. The work may be done on another thread, while
// the inputs are told more; all that is given here must outlive it.
[[nodiscard]] std::function<Status()> baseline_copies(registry::Staging& staging, const KeptInputs& kept, const Context& context);

}  // namespace plumbline::verbs
