// What record, diff and profile-diff share: opening sources under the call's limits, reading them as measurements, and
// putting the answers of flags, project file, entry and format together into rules that name where each came from.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "configs/configs.hpp"
#include "core/comparison.hpp"
#include "core/measurement.hpp"
#include "core/results/baseline.hpp"
#include "intake/opened_ahead.hpp"
#include "intake/source.hpp"
#include "registry/files.hpp"
#include "registry/store.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// From the call's folder, links resolved as far as the path exists and stays in the allowed roots.
[[nodiscard]] std::string absolute(const Context& context, std::string_view path);

// How the readers of captures open what they read: under the call's confinement; empty without one.
[[nodiscard]] profiles::Opener capture_opener(const Context& context);

// intake::open of a parameter's path, whose errors name the parameter.
// `ahead`: what may have been opened already.
[[nodiscard]] Expected<intake::Opened> load_source(std::string_view path, const Context& context, std::string_view parameter,
                                                   intake::OpenedAhead* ahead = nullptr);

// What a project says about reading: its rules for names, and its own formats.
using Names = std::shared_ptr<const configs::MetricNames>;
struct ReadingRules {
  Names own_names;                                                          // null: the embedded rules
  std::vector<std::shared_ptr<const formats::stated::OwnFormats>> formats;  // of one name the first holds
  bool beside = true;     // read_measurement takes those of a plumbline.yaml beside the data, too
  bool one_host = false;  // files that are read together are of one host, whatever they say

  [[nodiscard]] Names names() const { return own_names ? own_names : configs::MetricNames::builtin(); }
  // How the format of this name is stated, "" for one that is not the project's own.
  [[nodiscard]] std::string statement_of(std::string_view format) const;
};
// <root>/configs/metric-names.yaml and `formats` of <root>/plumbline.yaml, where they are there; "": there is no root.
[[nodiscard]] Expected<ReadingRules> reading_rules_for(const std::string& root, const Context& context);

// The same from a project file that was read already.
[[nodiscard]] Expected<ReadingRules> reading_rules_with(const ProjectFile& project, const std::string& root,
                                                        const Context& context);

// The same with the formats of a plumbline.yaml in the folder that the source is, or is in.
[[nodiscard]] Expected<ReadingRules> with_formats_beside(ReadingRules reading, const intake::Opened& source,
                                                         const Context& context);

// Reads one source, or several as the trials of one measurement, with the formats stated beside the first (ReadingRules).
// Without a single number it is an error, unless allowed: the current side of a diff may have died.
[[nodiscard]] Expected<core::Measurement> read_measurement(const std::vector<intake::Opened>& sources, const std::string& format,
                                                           const std::shared_ptr<core::StringPool>& pool, const Context& context,
                                                           const ReadingRules& reading = {}, bool allow_no_numbers = false);

// --direction, --tolerance, --headline as given: "DIR" or "KEY=DIR", "KEY=SPEC", "KEY". Errors name the text.
struct FlagRules {
  std::vector<core::KeyRule> key_rules;
  std::optional<core::Direction> direction;                                 // the bare --direction; nullopt = auto
  std::vector<std::pair<std::string, std::string>> directions, tolerances;  // as texts, for the entry
  std::vector<std::string> headlines;
};
[[nodiscard]] Expected<FlagRules> flag_rules(const Arguments& arguments);
// Each KEY must name a row of one side: the error gives the nearest key.
[[nodiscard]] Status check_keys(const FlagRules& rules, std::span<const core::Measurement* const> sides);

// Rules that a declared schema brings (the file's own, else the policies' table by format).
[[nodiscard]] Expected<std::vector<core::KeyRule>> declared_key_rules(const core::Measurement& measurement);
// Rules frozen in an entry.
[[nodiscard]] Expected<std::vector<core::KeyRule>> entry_key_rules(const core::BaselineRecord& record);

// One-row measurement of a scalar entry, from its value.
[[nodiscard]] core::Measurement scalar_measurement(const core::BaselineRecord& record,
                                                   const std::shared_ptr<core::StringPool>& pool);
// A scalar's row is called after its measurement, on both sides.
[[nodiscard]] core::Measurement named_scalar(core::Measurement measurement, std::string_view name);

// "source-snapshot.json", for the third trial "source-snapshot.3.json": the source's last suffix is kept, as the reference tool
// names it, where the manifest's plain names allow it.
[[nodiscard]] std::string snapshot_name(std::string_view stem, const registry::Source& source, std::size_t trial);

// How far the call is, 0 to 1, for whoever asked to know.
void show_progress(const Context& context, double fraction, std::string_view message);

[[nodiscard]] Error cancelled_error();

}  // namespace plumbline::verbs
