// Whose signatures hold: the keys of --trust, else those that the root's plumbline.yaml pins. A key that comes with what is
// verified is never one of them.
#pragma once

#include <string>
#include <vector>

#include "registry/verification.hpp"
#include "verbs/resolving/project_file.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// A public key in PEM; `path` as a person wrote it, from `folder`.
[[nodiscard]] Expected<registry::attest::PublicKey> read_public_key(const std::string& folder, const std::string& path,
                                                                    const Context& context);

class TrustedKeys {
 public:
  [[nodiscard]] static Expected<TrustedKeys> find(const Arguments& arguments, const Context& context);
  // Those that a root's project file pins; "": there is no root, and none is pinned.
  [[nodiscard]] static TrustedKeys pinned_in(const std::string& root, ProjectFile project, const Context& context);
  // Of what lies in a folder. In the root's own registry the rules say which measurement they are about; anything else could
  // claim any name, and has to be signed by one of all pinned keys.
  [[nodiscard]] Expected<registry::Trust> of(const std::string& folder, const std::string& family,
                                             const std::string& measurement) const;
  // Of a file that is no publication: those of --trust alone.
  [[nodiscard]] const std::vector<registry::attest::PublicKey>& given() const { return given_; }
  // Where keys are pinned for it, an entry is compared with and accepted only if a trusted key signed it and the chain of its
  // line holds. Error provenance_mismatch, "baseline_not_trusted: …", which says what is wrong and the way out.
  [[nodiscard]] Status check(const registry::Entry& entry) const;

 private:
  explicit TrustedKeys(const Context& context) : context_(&context) {}
  [[nodiscard]] Expected<registry::Trust> pinned(const std::vector<PinnedKey>& keys) const;
  [[nodiscard]] Status check_chain(const registry::Entry& entry) const;

  const Context* context_;
  std::vector<registry::attest::PublicKey> given_;
  std::string root_;
  std::string registry_;  // the folder that the root's store has its publications under
  ProjectFile project_;
};

}  // namespace plumbline::verbs
