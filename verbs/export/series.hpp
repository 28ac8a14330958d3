// The values of a registry over time, for tables and for Prometheus: export --as csv and --as openmetrics.
#pragma once

#include <string>

#include "registry/store.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct SeriesAsked {
  std::string source;  // family/measurement or family
  std::string as;      // "csv" or "openmetrics"
  std::string key;     // glob; "" = the headlines, or all where an entry names none
  std::string since;   // the first moment or slug that counts: "2026-11-20"
  ReadingRules reading;
};
struct SeriesFile {
  std::string file_name, text;
  std::uint64_t points = 0;
  std::vector<core::Warning> warnings;
};
// Entries are verified as for any comparison; those that cannot be read are counted in a warning.
[[nodiscard]] Expected<SeriesFile> export_series(const registry::Store& store, const SeriesAsked& asked, const Context& context);

}  // namespace plumbline::verbs
