// What the derived index keeps of a publication, read from the store as any reader would read it. The one way in: what is fed at
// publication and what is made anew later are the same.
#pragma once

#include <string>

#include "registry/pgindex/rows.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

// Values of one entry that are kept; of those with more, the headlines and the first of the others.
inline constexpr std::size_t kPointsAtMost = 1000;

class Derivation {
 public:
  // `root`: whose rules for names hold, and whose formats.
  [[nodiscard]] static Expected<Derivation> make(const registry::Store& store, const std::string& root, const Context& context);

  // An error for a baseline.json that cannot be read. Of an entry whose values cannot be read, or do not verify, it has none.
  [[nodiscard]] Expected<registry::pgindex::EntryRow> entry(const std::string& family, const std::string& measurement,
                                                            const std::string& slug) const;
  [[nodiscard]] Expected<registry::pgindex::BundleRow> bundle(const std::string& family, const std::string& measurement,
                                                              const std::string& slug) const;

 private:
  Derivation(const registry::Store& store, ReadingRules reading, const Context& context)
      : store_(&store), reading_(std::move(reading)), context_(&context) {}

  const registry::Store* store_;
  ReadingRules reading_;
  const Context* context_;
};

}  // namespace plumbline::verbs
