#include "verbs/verify/trust.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {

namespace attest = registry::attest;

Expected<attest::PublicKey> read_public_key(const std::string& folder, const std::string& path, const Context& context) {
  registry::PathLimits limits = path_limits(context);
  const std::string absolute_path = registry::absolute_path(path, folder, limits);
  limits.bytes = std::uint64_t{1} << 20U;
  const auto bytes = registry::read_file(absolute_path, limits);
  if (!bytes) return core::fail(bytes.error());
  return attest::parse_public_key(bytes->view(), absolute_path);
}

Expected<TrustedKeys> TrustedKeys::find(const Arguments& arguments, const Context& context) {
  TrustedKeys out(context);
  for (const std::string& path : arguments.list("trust")) {
    auto key = read_public_key(context.cwd, path, context);
    if (!key) return core::fail(key.error());
    out.given_.push_back(std::move(*key));
  }
  if (!out.given_.empty()) return out;
  auto root = root_if_any(arguments, context);
  if (!root) return core::fail(root.error());
  out.root_ = std::move(*root);
  if (!out.root_.empty()) out.registry_ = open_store(out.root_, context)->root();
  auto project = read_project_file(out.root_, context);
  if (!project) return core::fail(project.error());
  out.project_ = std::move(*project);
  return out;
}

TrustedKeys TrustedKeys::pinned_in(const std::string& root, ProjectFile project, const Context& context) {
  TrustedKeys out(context);
  out.root_ = root;
  if (!root.empty()) out.registry_ = open_store(root, context)->root();
  out.project_ = std::move(project);
  return out;
}

namespace {

tl::unexpected<Error> not_trusted(const registry::Entry& entry, const std::string& why) {
  const std::string name = entry.family + "/" + entry.measurement + "@" + entry.slug;
  return core::fail(
      ErrorCode::provenance_mismatch, "baseline_not_trusted: " + name + ": " + why,
      "`plumbline verify " + core::cited_path(entry.address) +
          "` lists what is wrong; compare with an entry that a trusted key signed (`plumbline record … --sign KEY`), or "
          "change trusted_keys in plumbline.yaml",
      entry.path);
}

}  // namespace

Status TrustedKeys::check(const registry::Entry& entry) const {
  const auto trust = of(entry.path, entry.family, entry.measurement);
  if (!trust) return core::fail(trust.error());
  if (trust->keys.empty()) return {};
  const auto verified = registry::verify(entry.path, *trust, path_limits(*context_));
  if (!verified) return core::fail(verified.error());
  if (!verified->ok) {
    const core::VerifyProblem& first = verified->problems.front();
    return not_trusted(entry, std::string(first.code.text()) + ": " + first.message);
  }
  return check_chain(entry);
}

// That what lies before and behind it was not removed or put there by somebody else.
Status TrustedKeys::check_chain(const registry::Entry& entry) const {
  if (registry_.empty() || !registry::path_within(entry.path, registry_ + "/experiments/artifacts")) return {};
  const auto store = open_store(root_, *context_);
  if (auto ok = store->bring({registry::Kind::entry, entry.family, entry.measurement, {}, false}); !ok) return ok;
  auto lines = registry::lines_of(registry_, entry.family, entry.measurement, path_limits(*context_));
  if (!lines) return core::fail(lines.error());
  std::erase_if(lines->lines, [](const registry::Line& line) { return line.kind != registry::Kind::entry; });
  const auto heads = registry::chain_heads(*lines, path_limits(*context_));
  return heads ? Status() : not_trusted(entry, "broken_chain: " + heads.error().message);
}

Expected<registry::Trust> TrustedKeys::of(const std::string& folder, const std::string& family,
                                          const std::string& measurement) const {
  if (!given_.empty()) return registry::Trust{given_};
  const bool ours = !family.empty() && !registry_.empty() && registry::path_within(folder, registry_ + "/experiments/artifacts");
  return pinned(ours ? trusted_keys_for(project_, family, measurement) : trusted_keys_for(project_, "", ""));
}

Expected<registry::Trust> TrustedKeys::pinned(const std::vector<PinnedKey>& keys) const {
  registry::Trust out;
  for (const PinnedKey& pinned : keys) {
    auto key = read_public_key(root_, pinned.path, *context_);
    if (!key) {
      core::Error error = key.error();
      error.message = "trusted_keys: " + core::cited_path(pinned.path) + ": " + error.message;
      error.where = project_.path + ":" + std::to_string(pinned.line);
      return core::fail(std::move(error));
    }
    if (std::find(out.keys.begin(), out.keys.end(), *key) == out.keys.end()) out.keys.push_back(std::move(*key));
  }
  return out;
}

}  // namespace plumbline::verbs
