#include "verbs/indexing/feed.hpp"

#include "registry/pgindex/indexed_store.hpp"
#include "registry/pgindex/searched.hpp"
#include "verbs/indexing/derive.hpp"

namespace plumbline::verbs {

using registry::Kind;

namespace {

Status feed(registry::pgindex::Index& index, const registry::Store& store, const std::string& root, Kind kind,
            const std::string& family, const std::string& measurement, const std::vector<std::string>& slugs,
            const Context& context) {
  const registry::pgindex::Stop stop = [&context] { return context.stop_asked(); };
  if (kind == Kind::bundle) {
    std::vector<registry::pgindex::BundleRow> rows;
    for (const std::string& slug : slugs) {
      const std::string path = store.directory(kind, family, measurement) + "/" + slug;
      auto row = registry::pgindex::bundle_row(path, family, measurement, slug, path_limits(context));
      if (!row) return core::fail(row.error());
      rows.push_back(std::move(*row));
    }
    return index.add(rows, stop);
  }
  const auto derivation = Derivation::make(store, root, context);
  if (!derivation) return core::fail(derivation.error());
  std::vector<registry::pgindex::EntryRow> rows;
  for (const std::string& slug : slugs) {
    auto row = derivation->entry(family, measurement, slug);
    if (!row) return core::fail(row.error());
    rows.push_back(std::move(*row));
  }
  return index.add(rows, stop);
}

void warn(const Status& done, std::string_view what, std::vector<core::Warning>& warnings) {
  if (!done) warnings.push_back({"index_not_fed", std::string(what) + ", but not told to the index: " + done.error().message});
}

}  // namespace

void feed_index(const registry::Store& store, const std::string& root, Kind kind, const std::string& family,
                const std::string& measurement, const std::vector<std::string>& slugs, std::vector<core::Warning>& warnings,
                const Context& context) {
  registry::pgindex::Index* const index = registry::pgindex::index_of(store);
  if (index == nullptr) return;
  warn(feed(*index, store, root, kind, family, measurement, slugs, context), "published", warnings);
}

void feed_index(const registry::Store& store, const core::Acceptance& acceptance, std::vector<core::Warning>& warnings,
                const Context& context) {
  registry::pgindex::Index* const index = registry::pgindex::index_of(store);
  if (index == nullptr) return;
  warn(index->add(acceptance, [&context] { return context.stop_asked(); }), "accepted", warnings);
}

}  // namespace plumbline::verbs
