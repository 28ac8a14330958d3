// Entries from the newest measured on. Slugs are in the order of registration; an entry that was measured before it was
// registered (`record --measured-at`, `import`) comes where it was measured, so that what is backfilled never becomes the
// baseline in the place of a newer measurement.
#pragma once

#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "registry/records.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

class NewestMeasuredFirst {
 public:
  NewestMeasuredFirst(const registry::Store& store, std::string_view family, std::string_view measurement,
                      const registry::PathLimits& limits);
  // A slug; nullopt after the oldest. Of entries that were measured at once the one registered last comes first. Reads
  // baseline.json of the entries that may be meant, no more.
  [[nodiscard]] Expected<std::optional<std::string>> next();

 private:
  registry::NewestFirst registered_;
  registry::Records records_;
  std::priority_queue<std::pair<std::string, std::string>> waiting_;  // measured, slug
  std::optional<std::string> ahead_;                                  // the next one registered, not read yet
  std::string last_ = "~";                                            // read last; "~": none yet
};

// The first of them; "" where there is none.
[[nodiscard]] Expected<std::string> newest_measured(const registry::Store& store, std::string_view family,
                                                    std::string_view measurement, const registry::PathLimits& limits);

}  // namespace plumbline::verbs
