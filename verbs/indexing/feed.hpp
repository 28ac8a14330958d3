// The derived index hears of what was just published. The publication is complete by then: whatever goes wrong here is a warning.
#pragma once

#include <string>
#include <vector>

#include "registry/store.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Nothing where the store has no index. `root`: whose rules entries are read by; of bundles nobody asks for it.
void feed_index(const registry::Store& store, const std::string& root, registry::Kind kind, const std::string& family,
                const std::string& measurement, const std::vector<std::string>& slugs, std::vector<core::Warning>& warnings,
                const Context& context);
void feed_index(const registry::Store& store, const core::Acceptance& acceptance, std::vector<core::Warning>& warnings,
                const Context& context);

}  // namespace plumbline::verbs
