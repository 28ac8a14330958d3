#include "verbs/indexing/derived.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <system_error>
#include <utility>

#include "registry/pgindex/indexed_store.hpp"
#include "verbs/indexing/derive.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

using registry::Kind;
using registry::pgindex::BundleRow;
using registry::pgindex::EntryRow;

namespace {

// So many publications are one transaction, or so many bytes of them.
constexpr std::size_t kAtOnce = 200;
constexpr std::size_t kBytesAtOnce = 16U << 20;
constexpr std::size_t kDifferencesAtMost = 100;

std::size_t size_of(const EntryRow& row) {
  std::size_t size = 1000 + row.record.label.size() + row.record.notes.size();
  for (const auto& [key, value] : row.record.context) size += key.size() + value.size();
  for (const auto& point : row.points) size += 100 + point.key.size();
  return size;
}

std::size_t size_of(const BundleRow& row) {
  std::size_t size = 1000 + row.words.size();
  for (const std::string& key : row.keys) size += key.size();
  return size;
}

// Rows on their way: while the database takes some, the next ones are derived. One that it does not take keeps no other one out.
class Sender {
 public:
  Sender(registry::pgindex::Index& index, const registry::pgindex::Stop& stop) : index_(index), stop_(stop) {}

  Status add(EntryRow row) {
    bytes_ += size_of(row);
    entries_.push_back(std::move(row));
    return is_full() ? send() : Status();
  }
  Status add(BundleRow row) {
    bytes_ += size_of(row);
    bundles_.push_back(std::move(row));
    return is_full() ? send() : Status();
  }
  // Everything that was added is there, but what was refused.
  Status land() {
    if (auto ok = send(); !ok) return ok;
    return arrived();
  }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  [[nodiscard]] bool is_full() const { return entries_.size() + bundles_.size() >= kAtOnce || bytes_ >= kBytesAtOnce; }

  Status send() {
    if (auto ok = arrived(); !ok) return ok;
    if (entries_.empty() && bundles_.empty()) return {};
    auto work = [this, entries = std::exchange(entries_, {}), bundles = std::exchange(bundles_, {})] {
      auto refused = put(entries);
      if (!refused) return refused;
      const auto more = put(bundles);
      return more ? Expected<std::uint64_t>(*refused + *more) : more;
    };
    try {
      sending_ = std::async(std::launch::async, work);
    } catch (const std::system_error&) {  // no thread is to be had
      sending_ = std::async(std::launch::deferred, work);
    }
    bytes_ = 0;
    return {};
  }

  Status arrived() {
    if (!sending_.valid()) return {};
    const auto refused = sending_.get();
    if (!refused) return core::fail(refused.error());
    refused_ += *refused;
    return {};
  }

  // How many were refused.
  template <class Row>
  Expected<std::uint64_t> put(const std::vector<Row>& rows) {
    auto ok = index_.add(rows, stop_);
    if (ok) return 0;
    if (ok.error().code != ErrorCode::invalid_input) return core::fail(ok.error());
    std::uint64_t refused = 0;
    for (const Row& row : rows) {
      ok = index_.add(std::span(&row, 1), stop_);
      if (!ok && ok.error().code != ErrorCode::invalid_input) return core::fail(ok.error());
      refused += ok ? 0 : 1;
    }
    return refused;
  }

  registry::pgindex::Index& index_;
  const registry::pgindex::Stop& stop_;
  std::vector<EntryRow> entries_;
  std::vector<BundleRow> bundles_;
  std::size_t bytes_ = 0;
  std::uint64_t refused_ = 0;
  std::future<Expected<std::uint64_t>> sending_;  // waits for it when it goes, too
};

class Follower {
 public:
  Follower(const registry::Store& store, const Derivation& derivation, IndexAction action, core::IndexResult& result,
           const Context& context)
      : store_(store),
        index_(*registry::pgindex::index_of(store)),
        derivation_(derivation),
        check_(action == IndexAction::check),
        result_(result),
        context_(context),
        stop_([&context] { return context.stop_asked(); }),
        sender_(index_, stop_) {}

  Status run() {
    for (const Kind kind : {Kind::entry, Kind::bundle}) {
      const auto names = store_.measurements(kind);
      if (!names) return core::fail(names.error());
      std::vector<std::pair<std::string, std::string>> all = *names;
      const auto known = index_.measurements(stop_);
      if (!known) return core::fail(known.error());
      all.insert(all.end(), known->begin(), known->end());
      std::ranges::sort(all);
      all.erase(std::ranges::unique(all).begin(), all.end());
      for (std::size_t i = 0; i < all.size(); ++i) {
        show_progress(context_, static_cast<double>(i) / static_cast<double>(all.size()), all[i].first + "/" + all[i].second);
        if (auto ok = line(kind, all[i].first, all[i].second); !ok) return ok;
      }
    }
    auto ok = sender_.land();
    result_.added -= sender_.refused();
    result_.unreadable += sender_.refused();
    return ok;
  }

 private:
  struct Difference {
    std::vector<std::string> missing, gone, altered;
    [[nodiscard]] bool any() const { return !missing.empty() || !gone.empty() || !altered.empty(); }
  };

  Status line(Kind kind, const std::string& family, const std::string& measurement) {
    auto found = compare(kind, family, measurement);
    // Others publish and tell the index meanwhile: a difference is one that is there when both are asked once more.
    if (check_ && found && found->any()) {
      const auto again = compare(kind, family, measurement);
      if (!again) return core::fail(again.error());
      keep_both(found->missing, again->missing);
      keep_both(found->gone, again->gone);
      keep_both(found->altered, again->altered);
    }
    if (!found) return core::fail(found.error());
    result_.lines += line_.known == 0 && line_.listed == 0 ? 0 : 1;
    result_.publications += line_.listed;
    for (const std::string& slug : found->altered) differs(kind, family, measurement, slug, "another digest than in the store");
    if (check_) result_.right += line_.known - found->gone.size() - found->altered.size();
    if (auto ok = add(kind, family, measurement, found->missing); !ok) return ok;
    if (auto ok = remove(kind, family, measurement, found->gone); !ok) return ok;
    return kind == Kind::entry ? acceptance(family, measurement) : Status();
  }

  static void keep_both(std::vector<std::string>& slugs, const std::vector<std::string>& others) {
    std::erase_if(slugs, [&](const std::string& slug) { return !std::ranges::binary_search(others, slug); });
  }

  // The index is asked before the store: what is published and told to it in between is found to be missing, and adding it once
  // more does nothing. The other way round it would be taken for gone.
  Expected<Difference> compare(Kind kind, const std::string& family, const std::string& measurement) {
    const auto known = index_.digests(kind, family, measurement, "", stop_);
    if (!known) return core::fail(known.error());
    auto slugs = store_.names(kind, family, measurement, "");
    if (!slugs && slugs.error().code == ErrorCode::not_found) slugs = std::vector<std::string>();
    if (!slugs) return core::fail(slugs.error());
    line_ = {known->size(), slugs->size()};
    Difference out;
    std::size_t at = 0;
    for (const auto& [slug, digest] : *known) {
      for (; at < slugs->size() && (*slugs)[at] < slug; ++at) out.missing.push_back((*slugs)[at]);
      if (at == slugs->size() || (*slugs)[at] != slug) {
        out.gone.push_back(slug);
        continue;
      }
      ++at;
      if (check_ && !is_as_published(kind, family, measurement, slug, digest)) out.altered.push_back(slug);
    }
    out.missing.insert(out.missing.end(), slugs->begin() + static_cast<std::ptrdiff_t>(at), slugs->end());
    return out;
  }

  // The digest of what is listed there, which everything that the index derives stands under.
  bool is_as_published(Kind kind, const std::string& family, const std::string& measurement, const std::string& slug,
                       const std::string& digest) {
    if (const auto brought = store_.bring({kind, family, measurement, slug, false, true}); !brought) return false;
    const auto sums =
        registry::read_file(store_.directory(kind, family, measurement) + "/" + slug + "/SHA256SUMS", path_limits(context_));
    return sums ? registry::sha256_hex(sums->view()) == digest : digest.empty();
  }

  void differs(Kind kind, const std::string& family, const std::string& measurement, const std::string& slug, const char* what) {
    ++result_.differences;
    if (result_.wrong.size() == kDifferencesAtMost) return;
    result_.wrong.push_back((kind == Kind::entry ? "entry " : "bundle ") + family + "/" + measurement + "@" + slug + ": " + what);
  }

  Status add(Kind kind, const std::string& family, const std::string& measurement, const std::vector<std::string>& slugs) {
    const auto take = [&](const std::string& slug, auto row) -> Status {
      if (!row) {
        ++result_.unreadable;
        return {};
      }
      if (check_) {
        differs(kind, family, measurement, slug, "not in the index");
        return {};
      }
      ++result_.added;
      return sender_.add(std::move(*row));
    };
    for (const std::string& slug : slugs) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      auto ok = kind == Kind::entry ? take(slug, derivation_.entry(family, measurement, slug))
                                    : take(slug, derivation_.bundle(family, measurement, slug));
      if (!ok) return ok;
    }
    return {};
  }

  Status remove(Kind kind, const std::string& family, const std::string& measurement, const std::vector<std::string>& slugs) {
    if (check_) {
      for (const std::string& slug : slugs) differs(kind, family, measurement, slug, "not in the store");
      return {};
    }
    if (slugs.empty()) return {};
    if (auto ok = sender_.land(); !ok) return ok;
    result_.removed += slugs.size();
    return index_.forget(kind, family, measurement, slugs, stop_);
  }

  // The one that holds; those before it are told when they are made.
  Status acceptance(const std::string& family, const std::string& measurement) {
    const auto accepted = store_.accepted(family, measurement);
    if (!accepted || !*accepted) return {};
    if (!check_) return index_.add(**accepted, stop_);
    const auto known = index_.accepted(family, measurement, stop_);
    if (!known) return core::fail(known.error());
    if (*known != (*accepted)->slug) {
      ++result_.differences;
      if (result_.wrong.size() < kDifferencesAtMost)
        result_.wrong.push_back("acceptance " + family + "/" + measurement + "@" + (*accepted)->slug + ": not in the index");
    }
    return {};
  }

  const registry::Store& store_;
  registry::pgindex::Index& index_;
  const Derivation& derivation_;
  bool check_;
  struct Line {
    std::size_t known = 0, listed = 0;
  } line_;  // the last one that was compared
  core::IndexResult& result_;
  const Context& context_;
  registry::pgindex::Stop stop_;
  Sender sender_;
};

constexpr std::string_view name_of(IndexAction action) {
  switch (action) {
    case IndexAction::check:
      return "check";
    case IndexAction::follow:
      return "follow";
    case IndexAction::rebuild:
      return "rebuild";
    case IndexAction::drop:
      return "drop";
  }
  return "";
}

}  // namespace

Expected<core::IndexResult> derived_index(const registry::Store& store, const std::string& root, IndexAction action,
                                          bool by_force, const Context& context) {
  registry::pgindex::Index* const found = registry::pgindex::index_of(store);
  if (found == nullptr) {  // the store could not be opened, and says why
    const auto names = store.measurements(Kind::entry);
    return core::fail(names ? core::Error{ErrorCode::internal, "the store has no index", "", ""} : names.error());
  }
  registry::pgindex::Index& index = *found;
  const registry::pgindex::Stop stop = [&context] { return context.stop_asked(); };
  core::IndexResult result;
  result.root = root;
  result.action = name_of(action);
  result.path = index.shown();
  result.derived = true;
  index.be_patient();
  if (action == IndexAction::rebuild || action == IndexAction::drop) {
    if (auto ok = index.drop(by_force, stop); !ok) return core::fail(ok.error());
    result.dropped = true;
    if (action == IndexAction::drop) return result;
  }
  if (action != IndexAction::check) {
    if (auto ok = index.migrate(stop); !ok) return core::fail(ok.error());
  }
  const auto derivation = Derivation::make(store, root, context);
  if (!derivation) return core::fail(derivation.error());
  if (auto ok = Follower(store, *derivation, action, result, context).run(); !ok) return core::fail(ok.error());
  if (action != IndexAction::check && result.added + result.removed != 0) {
    if (auto ok = index.analyse(stop); !ok) return core::fail(ok.error());
  }
  // Who follows every minute does not count a billion values each time.
  const auto counts = index.counts(action == IndexAction::follow, stop);
  if (!counts) return core::fail(counts.error());
  result.bytes = counts->bytes;
  result.points = counts->points;
  result.kept = counts->entries + counts->bundles;
  return result;
}

}  // namespace plumbline::verbs
