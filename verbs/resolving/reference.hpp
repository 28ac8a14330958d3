// What the text of a reference means: `family/measurement` with `@SLUG`, `@accepted` or `@newest`, an entry directory, or a
// file or folder outside the registry. Which entry a bare name gives: the accepted one if its context fits, else the newest
// that fits, and then a warning says so. Two contexts fit when no key that both know differs fatally.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/context.hpp"
#include "registry/store.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct Reference {
  enum class Kind : std::uint8_t { entry, file };
  Kind kind = Kind::file;
  registry::Entry entry;                // of an entry: opened and verified
  std::string path;                     // absolute: of the entry's directory, or of the file or folder
  std::vector<core::Warning> warnings;  // baseline_not_accepted, entry_unreadable, …
  bool accepted = false;                // this entry is its measurement's accepted one
};

// `family/measurement[@selector]`; nullopt when the text does not have that form.
struct NamedReference {
  std::string family, measurement;
  std::string selector;  // "" | "accepted" | "newest" | a slug
};
[[nodiscard]] std::optional<NamedReference> parse_named_reference(std::string_view text);

// Whether the registry holds an entry of that name; an error where it cannot be asked. Without a registry nothing is known.
[[nodiscard]] Expected<bool> knows(const registry::Store& store, const NamedReference& name);
// The same for those who ask something else of it next, and hear of the error then.
[[nodiscard]] bool is_known(const registry::Store& store, const NamedReference& name);

// What a name that is not there may have meant: the nearest names, or what there is.
[[nodiscard]] std::string what_is_near(const registry::Store& store, const NamedReference& name);
[[nodiscard]] Error unknown_baseline(const registry::Store& store, const NamedReference& name);
// A text that looks like a name may have been a mistyped path: then the error names the nearest file as well.
[[nodiscard]] Error or_a_path(Error error, const std::string& path, const registry::PathLimits& limits);

// `current_context` null: contexts are not considered. What `varying` names (--varying) may differ from the entry's. A name that
// is an entry's and a path's at once is an error that shows how to write either.
[[nodiscard]] Expected<Reference> resolve_reference(std::string_view text, const registry::Store& store,
                                                    const core::Context* current_context, const std::string& cwd,
                                                    const registry::PathLimits& limits,
                                                    std::span<const std::string> varying = {});

// The directory that a reference to an entry means, without opening or verifying the entry (a bare name: the accepted
// entry, else the newest measured). Errors as resolve_reference.
[[nodiscard]] Expected<std::string> locate_entry(const NamedReference& name, const registry::Store& store,
                                                 const registry::PathLimits& limits);

// baseline.json of an entry directory, without verifying the entry: for choosing and listing, never for judging.
[[nodiscard]] Expected<core::BaselineRecord> read_record(const std::string& entry_directory, const registry::PathLimits& limits);

// No key known on both sides differs fatally.
[[nodiscard]] bool context_fits(const core::Context& baseline, const core::Context& current);

}  // namespace plumbline::verbs
