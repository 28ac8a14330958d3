#include "verbs/resolving/reference.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/open_store.hpp"
#include "registry/removal.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/resolving/candidates.hpp"
#include "verbs/resolving/measured_order.hpp"

namespace plumbline::verbs {
namespace {

using registry::path_kind;
using registry::PathKind;

std::string name_text(const NamedReference& name) { return name.family + "/" + name.measurement; }

std::string entry_path(const registry::Store& store, const NamedReference& name, const std::string& slug) {
  return store.directory(registry::Kind::entry, name.family, name.measurement) + "/" + slug;
}

// An entry that is not among those that were listed. What is not there says so when it is opened.
Status bring(const registry::Store& store, const NamedReference& name, const std::string& slug) {
  auto brought = store.bring({registry::Kind::entry, name.family, name.measurement, slug, false});
  if (!brought && brought.error().code == ErrorCode::not_found) return {};
  return brought;
}

Status check_known(const registry::Store& store, const NamedReference& name) {
  const auto newest = store.newest_slugs(registry::Kind::entry, name.family, name.measurement, 1);
  if (!newest && newest.error().code != ErrorCode::not_found) return core::fail(newest.error());
  if (!newest || newest->empty()) return core::fail(unknown_baseline(store, name));
  return {};
}

tl::unexpected<Error> nothing_accepted(const NamedReference& name) {
  return core::fail(
      ErrorCode::not_found, name_text(name) + " has no accepted baseline",
      "`plumbline accept " + name_text(name) + "@SLUG --reason TEXT` accepts one, or ask for " + name_text(name) + "@newest");
}

// No entry of that slug: what may have been meant.
tl::unexpected<Error> no_such_entry(const NamedReference& name, const registry::Store& store,
                                    const registry::PathLimits& limits) {
  const std::string directory = store.directory(registry::Kind::entry, name.family, name.measurement);
  if (const auto tombstone = registry::tombstone_of(directory, name.selector, limits); tombstone && *tombstone) {
    return core::fail(ErrorCode::not_found, name_text(name) + "@" + name.selector + " was " + registry::removal_text(**tombstone),
                      "its digests are in " + directory + "/removed/" + name.selector + ".json");
  }
  const auto slugs = store.slugs(registry::Kind::entry, name.family, name.measurement);
  if (!slugs) return core::fail(slugs.error());
  std::vector<std::string> known = *slugs;
  known.insert(known.end(), {"accepted", "newest"});
  std::string hint = did_you_mean(name.selector, known);
  if (hint.empty()) hint = "the newest entry is " + (slugs->empty() ? std::string("gone") : slugs->back());
  return core::fail(ErrorCode::not_found, name_text(name) + " has no entry " + core::cited(name.selector), std::move(hint));
}

// The entry that `@…` of a known measurement chooses.
Expected<std::string> selected_slug(const NamedReference& name, const registry::Store& store,
                                    const std::optional<core::Acceptance>& accepted, const registry::PathLimits& limits) {
  if (name.selector == "newest") return newest_measured(store, name.family, name.measurement, limits);
  if (name.selector == "accepted") {
    if (!accepted) return nothing_accepted(name);
    return accepted->slug;
  }
  if (!registry::is_slug(name.selector)) return no_such_entry(name, store, limits);
  if (auto brought = bring(store, name, name.selector); !brought) return core::fail(brought.error());
  if (path_kind(entry_path(store, name, name.selector), limits) == PathKind::folder) return name.selector;
  return no_such_entry(name, store, limits);
}

// `known`: the acceptance that holds; null: it is asked for.
Expected<Reference> opened(const registry::Store& store, const std::string& directory, const registry::PathLimits& limits,
                           const std::optional<core::Acceptance>* known = nullptr) {
  auto entry = store.open(directory, limits);
  if (!entry) return core::fail(std::move(entry.error()));
  Reference reference;
  reference.kind = Reference::Kind::entry;
  reference.path = entry->path;
  reference.warnings = entry->warnings;
  // Of a copy that lies elsewhere the store knows nothing.
  const std::string place = entry_path(store, {entry->family, entry->measurement, {}}, entry->slug);
  if (registry::absolute_path(place, "/", limits) == registry::absolute_path(entry->path, "/", limits)) {
    const auto accepted =
        known != nullptr ? Expected<std::optional<core::Acceptance>>(*known) : store.accepted(entry->family, entry->measurement);
    if (!accepted) return core::fail(accepted.error());
    reference.accepted = *accepted && (*accepted)->slug == entry->slug;
  }
  reference.entry = std::move(*entry);
  return reference;
}

std::vector<core::ContextDifference> fatal_differences(const core::Context& baseline, const core::Context& current,
                                                       std::span<const std::string> varying) {
  auto differences = core::context_differences(baseline, current, varying);
  std::erase_if(differences, [](const core::ContextDifference& difference) {
    return difference.declared || difference.severity != core::Severity::fatal || !difference.baseline_known ||
           !difference.current_known;
  });
  return differences;
}

tl::unexpected<Error> no_match(const NamedReference& name, const std::string& slug,
                               const std::vector<core::ContextDifference>& differences) {
  std::string hint = "the nearest is " + slug + ", which differs in ";
  for (std::size_t i = 0; i < differences.size(); ++i) {
    if (i != 0) hint += ", ";
    hint += differences[i].key + " (" + core::cited(differences[i].baseline) + " there, " + core::cited(differences[i].current) +
            " here)";
  }
  hint += "; " + name_text(name) + "@" + slug + " compares with it all the same, " + "`plumbline record --family " + name.family +
          " --measurement " + name.measurement + " --source PATH` makes a baseline of this context";
  return core::fail(ErrorCode::no_matching_baseline, "no baseline of " + name_text(name) + " fits this context", std::move(hint));
}

// Whether entries of several hosts are told apart at all, and how far one is looked for that was measured on a machine like this
// one: what is not among so many has not been measured there for long.
constexpr std::size_t kHostsLookedAt = 200;

core::Warning other_class(const std::string& slug, const core::Context& baseline, const core::Context& current) {
  return {"other_host_class", slug + " was measured on a machine of another host class: " + core::hosts_text(baseline, current)};
}

// A bare name: the accepted entry if it fits, else the newest measured that fits; of several hosts' entries one of a machine like
// this one. Only baseline.json is read to choose; the one chosen is then opened and verified.
class BestFit {
 public:
  BestFit(const NamedReference& name, const registry::Store& store, const std::optional<core::Acceptance>& accepted,
          const core::Context* current, const registry::PathLimits& limits, std::span<const std::string> varying)
      : name_(name),
        store_(store),
        accepted_(accepted),
        current_(current),
        limits_(limits),
        varying_(varying),
        by_host_(current != nullptr && core::knows_host(*current, varying)),
        newest_(
            store, name.family, name.measurement,
            [current, varying](const core::Context& context) {
              return current == nullptr ? std::size_t{0} : fatal_differences(context, *current, varying).size();
            },
            limits) {}

  Expected<Reference> choose() {
    if (accepted_) {
      if (auto brought = bring(store_, name_, accepted_->slug); !brought) return core::fail(brought.error());
      if (auto ok = consider(accepted_->slug); !ok) return core::fail(ok.error());
    }
    while (!is_settled()) {
      auto next = next_candidate();
      if (!next) return core::fail(next.error());
      if (!*next) break;
      if (accepted_ && **next == accepted_->slug) continue;  // looked at already
      if (auto ok = consider(**next); !ok) return core::fail(ok.error());
    }
    if (found_) return reference();
    if (nearest_slug_.empty()) {
      return core::fail(ErrorCode::not_found, "no entry of " + name_text(name_) + " can be read",
                        warnings_.empty() ? "" : warnings_.front().message);
    }
    return no_match(name_, nearest_slug_, nearest_differences_);
  }

 private:
  struct Found {
    std::string slug;
    core::HostMatch host = core::HostMatch::not_known;
    core::Context context;
  };

  [[nodiscard]] bool is_accepted(const std::string& slug) const { return accepted_ && slug == accepted_->slug; }

  // What was accepted is left only for a machine that is known to be like this one.
  [[nodiscard]] bool is_settled() const {
    if (!found_) return false;
    if (!by_host_ || found_->host == core::HostMatch::same_fingerprint || looked_at_ >= kHostsLookedAt) return true;
    return is_accepted(found_->slug) && found_->host != core::HostMatch::other_class;
  }
  [[nodiscard]] bool is_better(core::HostMatch host) const {
    if (!found_) return true;
    return host < found_->host && !(is_accepted(found_->slug) && host == core::HostMatch::not_known);
  }

  Expected<std::optional<std::string>> next_candidate() {
    auto next = newest_.next();
    if (!next || *next || nearest_looked_at_ == newest_.nearest().size()) return next;
    return std::optional(newest_.nearest()[nearest_looked_at_++]);
  }

  Status consider(const std::string& slug) {
    if (current_ == nullptr) {
      found_ = Found{slug, core::HostMatch::not_known, {}};
      return {};
    }
    if (found_) ++looked_at_;
    const std::string directory = entry_path(store_, name_, slug);
    auto record = read_record(directory, limits_);
    if (!record) {
      if (is_accepted(slug)) return core::fail(record.error());  // what was accepted must not fall away in silence
      if (!path_kind(directory, limits_)) return {};             // gc took it away since it was listed
      warnings_.push_back({"entry_unreadable", slug + " was passed over: " + record.error().message});
      return {};
    }
    auto differences = fatal_differences(record->context, *current_, varying_);
    if (differences.empty()) {
      const core::HostMatch host = core::host_match(record->context, *current_, varying_);
      accepted_fits_ = accepted_fits_ || is_accepted(slug);
      if (is_better(host)) found_ = Found{slug, host, std::move(record->context)};
      return {};
    }
    if (nearest_slug_.empty() || differences.size() < nearest_differences_.size()) {
      nearest_slug_ = slug;
      nearest_differences_ = std::move(differences);
    }
    return {};
  }

  Expected<Reference> reference() {
    const std::string& slug = found_->slug;
    auto reference = opened(store_, entry_path(store_, name_, slug), limits_, &accepted_);
    if (!reference) return reference;
    reference->accepted = is_accepted(slug);
    if (!reference->accepted) {
      const std::string compared = found_->host <= core::HostMatch::same_class ? "compared with the newest of this host class, "
                                   : accepted_                                 ? "compared with the newest that does, "
                                                                               : "compared with the newest, ";
      warnings_.push_back({"baseline_not_accepted", why_not_accepted() + ": " + compared + slug});
    }
    if (by_host_ && found_->host == core::HostMatch::other_class)
      warnings_.push_back(other_class(slug, found_->context, *current_));
    for (core::Warning& warning : newest_.warnings()) warnings_.push_back(std::move(warning));
    reference->warnings.insert(reference->warnings.end(), warnings_.begin(), warnings_.end());
    return reference;
  }

  [[nodiscard]] std::string why_not_accepted() const {
    if (!accepted_) return name_text(name_) + " has no accepted entry";
    return "the accepted entry " + accepted_->slug +
           (accepted_fits_ ? " is of another host class" : " does not fit this context");
  }

  const NamedReference& name_;
  const registry::Store& store_;
  const std::optional<core::Acceptance>& accepted_;
  const core::Context* current_;
  const registry::PathLimits& limits_;
  std::span<const std::string> varying_;
  bool by_host_;
  Candidates newest_;
  std::size_t looked_at_ = 0;  // behind the first that fits
  std::size_t nearest_looked_at_ = 0;
  std::optional<Found> found_;
  bool accepted_fits_ = false;
  std::vector<core::Warning> warnings_;
  std::string nearest_slug_;
  std::vector<core::ContextDifference> nearest_differences_;
};

// `@newest`: whatever its context is, but for the host where others have newer ones.
Expected<Reference> newest_here(const NamedReference& name, const registry::Store& store,
                                const std::optional<core::Acceptance>& accepted, const core::Context& current,
                                const registry::PathLimits& limits, std::span<const std::string> varying) {
  NewestMeasuredFirst newest(store, name.family, name.measurement, limits);
  std::string first, chosen;
  core::Context of_first;
  for (std::size_t looked = 0; chosen.empty() && looked < kHostsLookedAt; ++looked) {
    auto slug = newest.next();
    if (!slug) return core::fail(slug.error());
    if (!*slug) break;
    auto record = read_record(entry_path(store, name, **slug), limits);
    const bool elsewhere = record && core::host_match(record->context, current, varying) == core::HostMatch::other_class;
    if (looked == 0) {
      first = **slug;
      if (record) of_first = std::move(record->context);
    }
    // One that cannot be read says so when it is opened, if it is the newest.
    if (record ? !elsewhere : looked == 0) chosen = **slug;
  }
  const bool none_here = chosen.empty();
  if (none_here) chosen = first;
  auto reference = opened(store, entry_path(store, name, chosen), limits, &accepted);
  if (!reference) return reference;
  if (none_here) {
    reference->warnings.push_back(other_class(chosen, of_first, current));
  } else if (chosen != first) {
    reference->warnings.push_back({"newer_on_other_host", first + " is newer than " + chosen + ", and of another host class: " +
                                                              core::hosts_text(of_first, current)});
  }
  return reference;
}

// Of a measurement that is known.
Expected<Reference> resolve_name(const NamedReference& name, const registry::Store& store, const core::Context* current,
                                 const registry::PathLimits& limits, std::span<const std::string> varying) {
  const auto accepted = store.accepted(name.family, name.measurement);
  if (!accepted) return core::fail(accepted.error());
  if (name.selector.empty()) return BestFit(name, store, *accepted, current, limits, varying).choose();
  if (name.selector == "newest" && current != nullptr && core::knows_host(*current, varying))
    return newest_here(name, store, *accepted, *current, limits, varying);
  const auto slug = selected_slug(name, store, *accepted, limits);
  if (!slug) return core::fail(slug.error());
  return opened(store, entry_path(store, name, *slug), limits, &*accepted);
}

Expected<Reference> resolve_path(const std::string& path, std::optional<PathKind> kind, const registry::Store& store,
                                 const registry::PathLimits& limits) {
  if (auto allowed = registry::check_allowed(path, limits); !allowed) return core::fail(std::move(allowed.error()));
  if (kind == PathKind::folder && path_kind(path + "/baseline.json", limits) == PathKind::file)
    return opened(store, path, limits);
  // baseline.json itself was named: its folder is meant, if it is an entry's.
  const auto slash = path.rfind('/');
  if (kind == PathKind::file && slash != std::string::npos && path.substr(slash + 1) == "baseline.json") {
    const std::string parent = path.substr(0, slash);
    if (path_kind(parent + "/SOURCE.md", limits) == PathKind::file ||
        path_kind(parent + "/SHA256SUMS", limits) == PathKind::file) {
      return opened(store, parent, limits);
    }
  }
  Reference reference;
  reference.path = path;
  return reference;
}

// As results of a shared store call an entry.
Expected<Reference> resolve_address(const std::string& address, const registry::Store& store,
                                    const registry::PathLimits& limits) {
  const auto path = store.path_of(address);
  if (!path) return core::fail(path.error());
  return opened(store, *path, limits);
}

// Which of the two is meant only the caller knows; the wrong one would be a verdict about something else.
Error meant_twice(std::string_view text, PathKind kind) {
  return {ErrorCode::usage,
          core::cited(text) + " names a registered measurement and a " + (kind == PathKind::folder ? "folder" : "file") + " here",
          "write " + core::cited_path("./" + std::string(text)) + " for the " + (kind == PathKind::folder ? "folder" : "file") +
              ", " + std::string(text) + "@newest (or @accepted, @SLUG) for the registry",
          ""};
}

}  // namespace

std::optional<NamedReference> parse_named_reference(std::string_view text) {
  NamedReference name;
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    name.selector = text.substr(at + 1);
    text = text.substr(0, at);
    if (name.selector != "accepted" && name.selector != "newest" && !registry::check_segment("slug", name.selector))
      return std::nullopt;
  }
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  name.family = text.substr(0, slash);
  name.measurement = text.substr(slash + 1);
  if (!registry::check_segment("family", name.family) || !registry::check_segment("measurement", name.measurement))
    return std::nullopt;
  return name;
}

Expected<bool> knows(const registry::Store& store, const NamedReference& name) {
  const auto newest = store.newest_slugs(registry::Kind::entry, name.family, name.measurement, 1);
  if (newest) return !newest->empty();
  if (store.root().empty() || newest.error().code == ErrorCode::not_found) return false;
  return core::fail(newest.error());
}

bool is_known(const registry::Store& store, const NamedReference& name) { return knows(store, name).value_or(false); }

bool context_fits(const core::Context& baseline, const core::Context& current) {
  return fatal_differences(baseline, current, {}).empty();
}

std::string what_is_near(const registry::Store& store, const NamedReference& name) {
  std::vector<std::string> known, of_family, of_measurement;
  std::vector<std::string_view> families;
  const auto measurements = store.measurements(registry::Kind::entry);
  if (!measurements || measurements->empty())
    return "the registry holds no baseline yet: `plumbline record --family F --measurement M --source PATH` makes one";
  for (const auto& [family, measurement] : *measurements) {
    known.push_back(family + "/" + measurement);
    families.push_back(family);
  }
  if (name.family.empty() && name.measurement.empty()) return "the registry holds " + core::listed(known, 8);
  if (auto hint = did_you_mean(name_text(name), known); !hint.empty()) return hint;
  const std::string_view near = core::nearest(name.family, families);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if ((*measurements)[i].first == near) of_family.push_back(known[i]);
    if ((*measurements)[i].second == name.measurement) of_measurement.push_back(known[i]);
  }
  if (!of_measurement.empty()) return "did you mean " + core::listed(of_measurement) + "?";
  if (!of_family.empty()) return "of " + std::string(near) + " there is " + core::listed(of_family);
  const std::string asked = name_text(name);
  std::ranges::stable_sort(known, {}, [&](const std::string& each) { return core::edit_distance(each, asked); });
  return "the registry holds " + core::listed(known, 8);
}

Error unknown_baseline(const registry::Store& store, const NamedReference& name) {
  if (const auto known = knows(store, name); !known) return known.error();
  // A store that is not there says so when it is asked for all that it has.
  if (const auto all = store.measurements(registry::Kind::entry); !all) return all.error();
  return {ErrorCode::not_found, "no baseline named " + core::cited(name_text(name)), what_is_near(store, name), ""};
}

Error or_a_path(Error error, const std::string& path, const registry::PathLimits& limits) {
  if (error.code != ErrorCode::not_found) return error;
  const auto source = registry::open_source(path, limits);
  if (source || source.error().code != ErrorCode::not_found || !source.error().hint.starts_with("did you mean")) return error;
  error.message += ", and no such file";
  error.hint = source.error().hint + " Else: " + error.hint;
  return error;
}

Expected<core::BaselineRecord> read_record(const std::string& entry_directory, const registry::PathLimits& limits) {
  const std::string file = entry_directory + "/baseline.json";
  const auto bytes = registry::read_file(file, limits);
  if (!bytes) return core::fail(bytes.error());
  return registry::parse_baseline(bytes->view(), file);
}

Expected<std::string> locate_entry(const NamedReference& name, const registry::Store& store, const registry::PathLimits& limits) {
  if (auto known = check_known(store, name); !known) return core::fail(known.error());
  const auto accepted = store.accepted(name.family, name.measurement);
  if (!accepted) return core::fail(accepted.error());
  if (name.selector.empty() && *accepted) {
    if (auto brought = bring(store, name, (*accepted)->slug); !brought) return core::fail(brought.error());
    return entry_path(store, name, (*accepted)->slug);
  }
  NamedReference chosen = name;
  if (chosen.selector.empty()) chosen.selector = "newest";
  const auto slug = selected_slug(chosen, store, *accepted, limits);
  if (!slug) return core::fail(slug.error());
  return entry_path(store, name, *slug);
}

Expected<Reference> resolve_reference(std::string_view text, const registry::Store& store, const core::Context* current_context,
                                      const std::string& cwd, const registry::PathLimits& limits,
                                      std::span<const std::string> varying) {
  if (text.empty())
    return core::fail(ErrorCode::usage, "a reference must not be empty",
                      "write family/measurement, an entry directory or a file");
  if (registry::is_shared_address(text)) return resolve_address(std::string(text), store, limits);
  const std::string path = registry::absolute_path(std::string(text), cwd, limits);
  const auto kind = path_kind(path, limits);
  if (const auto name = parse_named_reference(text)) {
    auto known = knows(store, *name);
    if (!known) {
      // A file of that name is not taken instead: the verdict would be about something else.
      if (kind) {
        known.error().hint += std::string(known.error().hint.empty() ? "" : "; ") + "write " +
                              core::cited_path("./" + std::string(text)) + " for what is here";
      }
      return core::fail(std::move(known.error()));
    }
    if (*known && kind && name->selector.empty()) return core::fail(meant_twice(text, *kind));
    if (*known) return resolve_name(*name, store, current_context, limits, varying);
    if (!kind) {
      if (auto checked = check_known(store, *name); !checked) return core::fail(or_a_path(checked.error(), path, limits));
      return resolve_name(*name, store, current_context, limits, varying);  // somebody has just recorded it
    }
  }
  if (kind) return resolve_path(path, kind, store, limits);
  if (auto allowed = registry::check_allowed(path, limits); !allowed) return core::fail(std::move(allowed.error()));
  // open_source says what is wrong with a path that is not there, and what lies near it.
  auto source = registry::open_source(path, limits);
  if (!source) {
    Error& error = source.error();
    if (error.code == ErrorCode::not_found && error.hint.empty()) {
      const std::string word(text);
      error.hint = "a baseline is family/measurement, an entry directory or a file; " + what_is_near(store, {word, word, {}});
    }
    return core::fail(std::move(error));
  }
  return core::fail(ErrorCode::not_found, "there is no " + core::cited(text));
}

}  // namespace plumbline::verbs
