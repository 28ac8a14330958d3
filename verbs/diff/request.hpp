// What a diff was asked, checked before any file is opened. Everything behind the parse works on these fields; no step looks
// up a parameter by its name again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/results/second_look.hpp"
#include "core/tolerance.hpp"
#include "reports/reports.hpp"
#include "verbs/calling/report_targets.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/resolving/signing.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

enum class FolderIs : std::uint8_t { suite, trials, shards };         // --as, --shards
enum class SnapshotRule : std::uint8_t { by_size, copy, reference };  // --snapshot

struct DiffRequest {
  // The sides.
  std::string root;                   // "" where nothing names one: files are compared all the same, and no bundle is kept
  std::vector<std::string> baseline;  // one reference, or several files: trials of one measurement
  std::string initial;
  std::vector<std::string> current;
  core::Context context;  // --context: what the files do not say of themselves
  FolderIs as = FolderIs::suite;
  std::optional<std::int64_t> shards;  // how many there should be
  std::string format;                  // "" = detect it
  std::string tier;                    // of plumbline.yaml; "" = none

  // The rules of the verdict.
  FlagRules flags;
  std::optional<core::Tolerance> tolerance, initial_tolerance;  // of all rows
  std::optional<double> tolerance_percent, tolerance_absolute;  // as given
  std::vector<std::string> varying;
  double alpha = 0.05;
  bool paired = false;          // the i-th trials of the two sides belong together
  bool anytime = false;         // how many trials there are was decided while looking at them
  std::uint32_t last_look = 0;  // then: how many there would be at most, as the journal says; 0: it does not
  std::string journal;          // absolute path of the journal of the run that the trials are of; "" = none
  std::shared_ptr<const core::SecondLook> second_look;  // of that run: only these rows are judged; null: all are
  std::optional<std::string> policy;
  std::vector<std::pair<std::string, std::string>> native;  // --native KEY=VALUE
  std::vector<std::string> fail_on;
  bool strict = false;
  bool gate_asked = false;                      // --fail-on or --strict; else the project file may ask for a gate
  std::vector<std::string> unused_by_captures;  // parameters that were given and say nothing of captures

  // The answer and what is written.
  bool no_bundle = false;
  std::optional<std::string> out;  // absolute
  SnapshotRule snapshot = SnapshotRule::by_size;
  std::shared_ptr<const Signer> signer;  // null: the bundle is not signed
  bool all_rows = false;
  std::vector<ReportTarget> reports;  // beside the table, unless one of them takes its place
  std::size_t md_limit = SIZE_MAX;    // bytes
  std::string on_change;              // a command for the command line to run where the verdict changed; "" = none
  reports::ResponseFormat response_format = reports::ResponseFormat::concise;
  bool chart = false;
};

[[nodiscard]] Expected<DiffRequest> parse_diff(const Arguments& arguments, const Context& context);

// Files of one side, by the parameter that named them; a folder of trials (--as trials) stands for its files.
[[nodiscard]] Expected<std::vector<intake::Opened>> load_side(std::string_view parameter, const std::vector<std::string>& paths,
                                                              FolderIs as, const Context& context);

}  // namespace plumbline::verbs
