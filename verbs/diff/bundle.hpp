// Publishing what a diff leaves behind: the reports, the rows, the reference to the baseline and the current snapshot.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/profile_diff.hpp"
#include "registry/store.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

struct BundlePlace {
  registry::Store* store = nullptr;
  std::string family, measurement;  // "adhoc", "<format>" for baselines that are files
  std::chrono::system_clock::time_point now;
  std::shared_ptr<const Signer> signer = {};  // null: not signed
};

// The question whose bundle it is.
struct Asked {
  const DiffRequest& request;
  const Arguments& arguments;
};
// Writes the bundle of a diff and fills diff_dir, bundle_sha256, files and warnings of the result. `sources` are the current
// side's; by size, bundles hold copies up to 64 MiB a side, and of the baseline's what context.inputs was told.
[[nodiscard]] Status publish_diff(const BundlePlace& place, const Asked& asked, const std::vector<intake::Opened>& sources,
                                  core::DiffResult& result, const Context& context);
// Profile bundles hold hashes and profile digests of the captures, no copies. `as_diff` adds diff.json and its companions (a
// registry baseline).
struct ComparedCaptures;
struct ProfileRequest;
[[nodiscard]] Status publish_profile(const BundlePlace& place, const ProfileRequest& request, const Arguments& arguments,
                                     ComparedCaptures& compared, core::DiffResult* as_diff, const Context& context);

// Where there is no root, --out alone keeps the bundle: it is published in a store that lasts as long as the call, and copied
// from there. `publish` fills dir and files, which name the copy afterwards.
[[nodiscard]] Status publish_to_out(const std::string& out, const std::function<Status(registry::Store&)>& publish,
                                    std::string& dir, std::vector<core::FileRef>& files, const Context& context);
// What is said where there is neither a root nor --out.
[[nodiscard]] core::Warning no_bundle_warning(const Context& context);

// Copies a published bundle's files into a folder of the caller's (--out), which is new or empty.
[[nodiscard]] Status copy_bundle(const std::vector<core::FileRef>& files, const std::string& bundle, const std::string& folder,
                                 const Context& context);

}  // namespace plumbline::verbs
