// The reference side of a diff, opened, verified and read: an entry's snapshots (or its value), or a file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/measurement.hpp"
#include "core/results/diff.hpp"
#include "verbs/resolving/reference.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

struct Baseline {
  Reference reference;
  std::shared_ptr<const core::Measurement> measurement;  // null for captures
  bool capture = false;
  std::vector<std::string> captures;  // their paths; several are trials
  bool digested = false;              // the captures are gone: these are their digests
  core::DiffSide side;
  core::Context context;
};

// `ahead`: a file that was opened before it was known that it is the one.
[[nodiscard]] Expected<Baseline> open_baseline(const std::string& text, const registry::Store& store,
                                               const core::Context* current_context, const std::string& format,
                                               const std::shared_ptr<core::StringPool>& pool, const ReadingRules& reading,
                                               const Context& context, std::span<const std::string> varying = {},
                                               intake::OpenedAhead* ahead = nullptr);
// Several files are trials of one baseline; none of them may be an entry, which has its own.
[[nodiscard]] Expected<Baseline> baseline_of_trials(const std::vector<intake::Opened>& sources, const std::string& format,
                                                    const std::shared_ptr<core::StringPool>& pool, const ReadingRules& reading,
                                                    const Context& context);

// An entry that holds no copy is believed only while its source has the digest that was recorded.
[[nodiscard]] Status check_recorded(const registry::Entry& entry, const std::string& digest);

// "scalar", "structured", "a capture"
[[nodiscard]] std::string shape_text(core::Shape shape);
// Shapes are never mixed silently; the error says which side is what.
[[nodiscard]] Status check_shapes(const Baseline& baseline, const core::Measurement& current, const std::string& current_name);

}  // namespace plumbline::verbs
