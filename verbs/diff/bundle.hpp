// Publishing what a diff leaves behind: the reports, the rows, the reference to the baseline and the current snapshot.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/results/diff.hpp"
#include "core/results/profile_diff.hpp"
#include "registry/store.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/recompute/keep.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

class BegunBundle;

struct BundlePlace {
  registry::Store* store = nullptr;
  std::string family, measurement;  // "adhoc", "<format>" for baselines that are files
  std::chrono::system_clock::time_point now;
  std::shared_ptr<const Signer> signer = {};  // null: not signed
  std::shared_ptr<BegunBundle> begun = {};    // null: it begins when it is published
};

// The question whose bundle it is.
struct Asked {
  const DiffRequest& request;
  const Arguments& arguments;
};
// The files that it copies: of the current side's `sources`, by size, up to 64 MiB a side, and of the baseline's what
// context.inputs was told. The digests are those of what is compared, "" where a side is no single file.
struct BundleInputs {
  const std::vector<intake::Opened>& sources;
  std::string baseline_sha256, current_sha256;
};

// A bundle whose copies are under way: those of large files are made on threads of their own, one for both sides while the caller
// has work to do meanwhile. Everything given to begin() must outlive it. Destroyed unpublished, nothing of it stays.
class BegunBundle {
 public:
  enum class Threads : std::uint8_t { one, one_a_side };
  [[nodiscard]] static Expected<std::shared_ptr<BegunBundle>> begin(const BundlePlace& place, const Asked& asked,
                                                                    const BundleInputs& inputs, Threads threads,
                                                                    const Context& context);
  // Writes what is left, and fills diff_dir, bundle_sha256, files and warnings of the result. Once.
  [[nodiscard]] Status publish(const BundlePlace& place, core::DiffResult& result);

 private:
  BegunBundle(std::unique_ptr<registry::Staging> staging, KeptInputs kept, const Context& context)
      : staging_(std::move(staging)), kept_(std::move(kept)), context_(context) {}

  std::unique_ptr<registry::Staging> staging_;
  KeptInputs kept_;
  const Context& context_;
  bool copies_current_ = false;
  std::vector<std::future<Status>> copies_;  // waited for before anything else here goes
};

// Writes the bundle of a diff and fills diff_dir, bundle_sha256, files and warnings of the result.
[[nodiscard]] Status publish_diff(const BundlePlace& place, const Asked& asked, const BundleInputs& inputs,
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
