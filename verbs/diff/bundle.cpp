#include "verbs/diff/bundle.hpp"

#include "base/beside.hpp"
#include "core/citing.hpp"
#include "core/results/local_dir.hpp"
#include "registry/handed/handed.hpp"
#include "reports/reports.hpp"
#include "verbs/diff/bundle_claim.hpp"
#include "verbs/indexing/feed.hpp"
#include "verbs/profile_diff/profile_run.hpp"
#include "verbs/recompute/keep.hpp"

namespace plumbline::verbs {

namespace {

// Fills what a result says of its bundle.
template <class Result>
Status publish(const BundlePlace& place, std::unique_ptr<registry::Staging> staging, Result& result, const Context& context) {
  if (context.stop_asked()) return core::fail(cancelled_error());
  auto published = place.store->publish(std::move(staging), place.now);
  if (!published) return core::fail(published.error());
  result.diff_dir = published->address;
  result.bundle_sha256 = published->sha256;
  result.files = published->files;
  result.warnings.insert(result.warnings.end(), published->warnings.begin(), published->warnings.end());
  feed_index(*place.store, "", registry::Kind::bundle, place.family, place.measurement, {published->slug}, result.warnings,
             context);
  return {};
}

// A file whose bytes were not kept: the copy must be what was compared.
Status add_again(registry::Staging& stage, const std::string& name, const registry::SourceFile& file, const std::string& sha256,
                 const Context& context) {
  const auto copied = stage.add_copy(name, file, path_limits(context));
  if (!copied) return core::fail(copied.error());
  if (copied->sha256 == sha256) return {};
  return core::fail(ErrorCode::invalid_input, file.path + " changed while it was being compared",
                    "wait until its writer has finished, then repeat", file.path);
}

// The copy of a side: of a large one on another thread, while this one writes the reports.
std::future<Status> copy_meanwhile(std::uint64_t bytes, std::function<Status()> copy) {
  return base::beside(bytes, [copy = std::move(copy), handed = registry::HandedScope::current()] {
    const registry::HandedScope scope(handed);
    return copy();
  });
}

// The current side as it was read.
Status stage_current(registry::Staging& stage, const std::vector<intake::Opened>& sources, const std::vector<KeptFile>& kept,
                     const std::string& sha256, const Context& context) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const intake::Opened& loaded = sources[i];
    for (std::size_t f = 0; f < loaded.source.files.size(); ++f) {
      const std::string at = loaded.source.is_directory ? kept[i].at + "/" + loaded.source.files[f].relative : kept[i].at;
      const bool forgotten = loaded.bytes().empty();
      auto ok =
          forgotten ? add_again(stage, at, loaded.source.files[f], sha256, context) : stage.add(at, loaded.bytes()[f].view());
      if (!ok) return ok;
    }
  }
  return {};
}

// The entry, or the captures themselves, one a line.
std::string baseline_reference(const core::ProfileDiff& profile, const core::DiffResult* as_diff) {
  const bool entry = as_diff != nullptr && !as_diff->baseline.slug.empty();
  if (!entry && !profile.baseline.trials.empty()) {
    std::string lines;
    for (const core::ProfileTrial& trial : profile.baseline.trials) lines += core::cited_path(trial.path) + "\n";
    return lines;
  }
  return core::cited_path(as_diff != nullptr ? as_diff->baseline.path : profile.baseline.path) + "\n";
}

}  // namespace

Expected<std::shared_ptr<BegunBundle>> BegunBundle::begin(const BundlePlace& place, const Asked& asked,
                                                          const BundleInputs& inputs, Threads threads, const Context& context) {
  auto staging = place.store->stage(registry::Kind::bundle, place.family, place.measurement);
  if (!staging) return core::fail(staging.error());

  std::uint64_t total = 0;
  for (const intake::Opened& source : inputs.sources) total += source.source.bytes;
  const SnapshotRule snapshot = asked.request.snapshot;
  const bool copy = snapshot == SnapshotRule::copy || (snapshot == SnapshotRule::by_size && total <= kBundleSnapshotLimit);
  KeptInputs kept{.verb = "diff", .root = asked.request.root, .arguments = &asked.arguments, .inputs = context.inputs};
  kept.by_size = snapshot == SnapshotRule::by_size;
  kept.kept = snapshot != SnapshotRule::reference;
  kept.baseline_sha256 = inputs.baseline_sha256;
  for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
    const registry::Source& source = inputs.sources[i].source;
    kept.current.push_back({"current", source.path, copy ? snapshot_name("current-snapshot", source, i) : "", source.bytes});
  }
  std::shared_ptr<BegunBundle> begun(new BegunBundle(std::move(*staging), std::move(kept), context));
  begun->copies_current_ = copy;
  BegunBundle& ours = *begun;
  const auto current = [&ours, &sources = inputs.sources, sha256 = inputs.current_sha256]() -> Status {
    return ours.copies_current_ ? stage_current(*ours.staging_, sources, ours.kept_.current, sha256, ours.context_) : Status();
  };
  const auto baseline = baseline_copies(*ours.staging_, ours.kept_, context);
  if (threads == Threads::one_a_side) {
    ours.copies_.push_back(copy_meanwhile(total, current));
    ours.copies_.push_back(copy_meanwhile(total, baseline));
  } else {
    ours.copies_.push_back(copy_meanwhile(total, [current, baseline] {
      auto ok = current();
      return ok ? baseline() : ok;
    }));
  }
  return begun;
}

Status BegunBundle::publish(const BundlePlace& place, core::DiffResult& result) {
  registry::Staging& stage = *staging_;
  if (!copies_current_) {
    result.warnings.push_back({"snapshot_referenced", "the bundle holds the current measurement's digest and path, not a copy"});
  }
  if (auto ok = stage.add("baseline-ref.txt", core::cited_path(result.baseline.path) + "\n"); !ok) return ok;
  auto rows = stage.add_stream("deltas.jsonl", [&](const std::function<Status(std::string_view)>& write) {
    if (context_.stop_asked()) return Status(core::fail(cancelled_error()));
    return reports::write_deltas(result, write);
  });
  if (!rows) return rows;
  if (auto ok = stage.add("diff.json", reports::diff_json(result)); !ok) return ok;
  if (auto ok = stage.add("diff.md", reports::diff_markdown(result)); !ok) return ok;
  if (auto ok = stage.add("diff.html", reports::diff_html(result)); !ok) return ok;
  for (std::future<Status>& copy : copies_) {
    if (auto ok = copy.get(); !ok) return ok;
  }
  if (auto ok = stage_inputs(stage, kept_, context_); !ok) return ok;
  sign_bundle(stage, place.signer, result);
  return verbs::publish(place, std::move(staging_), result, context_);
}

Status publish_diff(const BundlePlace& place, const Asked& asked, const BundleInputs& inputs, core::DiffResult& result,
                    const Context& context) {
  std::shared_ptr<BegunBundle> bundle = place.begun;
  if (bundle == nullptr) {
    auto begun = BegunBundle::begin(place, asked, inputs, BegunBundle::Threads::one_a_side, context);
    if (!begun) return core::fail(begun.error());
    bundle = std::move(*begun);
  }
  return bundle->publish(place, result);
}

Status publish_profile(const BundlePlace& place, const ProfileRequest& request, const Arguments& arguments,
                       ComparedCaptures& compared, core::DiffResult* as_diff, const Context& context) {
  core::ProfileDiff& profile = compared.diff;
  auto staging = place.store->stage(registry::Kind::bundle, place.family, place.measurement);
  if (!staging) return core::fail(staging.error());
  registry::Staging& stage = **staging;
  if (auto ok = stage.add("baseline-ref.txt", baseline_reference(profile, as_diff)); !ok) return ok;
  ProfileRequest of_digests = request;
  for (const auto& [stem, digests, names] :
       {std::tuple("baseline-digest", &compared.baseline_digests, &of_digests.baseline),
        std::tuple("candidate-digest", &compared.candidate_digests, &of_digests.candidate)}) {
    names->clear();
    for (std::size_t i = 0; i < digests->size(); ++i) {
      names->push_back(digest_name(stem, i));
      if (auto ok = stage.add(names->back(), (*digests)[i]); !ok) return ok;
    }
  }
  KeptInputs kept{.verb = as_diff != nullptr ? "diff" : "profile-diff", .root = request.root, .arguments = &arguments};
  kept.inputs = context.inputs;
  kept.captures = std::move(of_digests);
  if (auto ok = stage_inputs(stage, kept, context); !ok) return ok;
  if (auto ok = stage.add("profile-diff.json", reports::profile_json(profile)); !ok) return ok;
  if (auto ok = stage.add("profile-diff.md", reports::profile_markdown(profile)); !ok) return ok;
  if (as_diff != nullptr) {
    if (auto ok = stage.add("diff.json", reports::diff_json(*as_diff)); !ok) return ok;
  }
  const core::DiffResult shown = as_diff != nullptr ? *as_diff : verbs::as_diff(profile);
  if (auto ok = stage.add("diff.md", reports::diff_markdown(shown)); !ok) return ok;
  if (auto ok = stage.add("diff.html", reports::diff_html(shown)); !ok) return ok;
  if (as_diff != nullptr) {
    sign_bundle(stage, place.signer, *as_diff);
  } else {
    sign_bundle(stage, place.signer, profile);
  }
  if (auto ok = publish(place, std::move(*staging), profile, context); !ok) return ok;
  if (as_diff != nullptr) {
    as_diff->diff_dir = profile.diff_dir;
    as_diff->bundle_sha256 = profile.bundle_sha256;
    as_diff->files = profile.files;
  }
  return {};
}

Status publish_to_out(const std::string& out, const std::function<Status(registry::Store&)>& publish, std::string& dir,
                      std::vector<core::FileRef>& files, const Context& context) {
  auto scratch = ScratchFolder::make(context);
  if (!scratch) return core::fail(scratch.error());
  // A confined call may use its own scratch folder besides.
  Context wider = context;
  if (!wider.allowed_roots.empty()) wider.allowed_roots.push_back(registry::absolute_path(scratch->path(), "/"));
  const auto store = open_folder_store(scratch->path(), path_limits(wider));
  if (auto ok = publish(*store); !ok) return ok;
  if (auto ok = copy_bundle(files, dir, out, wider); !ok) return ok;
  dir = out;
  for (core::FileRef& file : files) file.path = out + "/" + file.name;
  return {};
}

core::Warning no_bundle_warning(const Context& context) {
  return {"no_bundle_written", "no bundle was written, for no git work tree encloses " + core::cited_path(context.cwd) +
                                   ": `--out DIR` writes it there, `--repo-root DIR` keeps it in a registry"};
}

Status copy_bundle(const std::vector<core::FileRef>& files, const std::string& bundle, const std::string& folder,
                   const Context& context) {
  std::vector<std::string> names = {"SHA256SUMS"};
  for (const core::FileRef& file : files) {
    if (file.name != "SHA256SUMS") names.push_back(file.name);
  }
  const std::string local = core::local_dir(bundle, files);
  return registry::copy_to_out_folder(names, local.empty() ? bundle : local, folder, path_limits(context));
}

}  // namespace plumbline::verbs
