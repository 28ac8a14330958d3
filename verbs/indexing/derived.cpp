#include "verbs/indexing/derived.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "registry/pgindex/indexed_store.hpp"
#include "verbs/indexing/derive.hpp"
#include "verbs/indexing/journal_pass.hpp"
#include "verbs/indexing/sender.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

using registry::Kind;
using registry::pgindex::Followed;

namespace {

constexpr std::size_t kDifferencesAtMost = 100;
constexpr std::chrono::hours kComparedEvery{24};

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
      all.erase(std::unique(all.begin(), all.end()), all.end());
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

// The journal alone will do: all of the store was compared a short while ago, by clocks that agree on that.
bool is_enough(const Followed& before, std::chrono::system_clock::time_point now) {
  const auto compared = registry::time_of_slug(before.compared);
  return compared && registry::time_of_slug(before.journal) && now - *compared < kComparedEvery &&
         *compared - now < registry::kNotedLate;
}

Status bring_up_to_date(const registry::Store& store, const Derivation& derivation, const IndexWish& wish,
                        core::IndexResult& result, const Context& context) {
  const auto* const journal = dynamic_cast<const registry::Journal*>(&registry::pgindex::store_of(store));
  if (journal == nullptr || wish.action == IndexAction::check)
    return Follower(store, derivation, wish.action, result, context).run();
  registry::pgindex::Index& index = *registry::pgindex::index_of(store);
  const registry::pgindex::Stop stop = [&context] { return context.stop_asked(); };
  const auto now = std::chrono::system_clock::now();
  if (wish.action == IndexAction::follow && !wish.whole) {
    const auto before = index.followed(stop);
    if (!before) return core::fail(before.error());
    if (is_enough(*before, now)) return follow_journal(*journal, store, derivation, *before, result, context);
  }
  if (auto ok = Follower(store, derivation, wish.action, result, context).run(); !ok) return ok;
  // Whatever was noted before it began was there to be listed.
  return index.set_followed({registry::slug_of(now), registry::slug_of(now)}, stop);
}

}  // namespace

Expected<core::IndexResult> derived_index(const registry::Store& store, const std::string& root, const IndexWish& wish,
                                          const Context& context) {
  const IndexAction action = wish.action;
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
    if (auto ok = index.drop(wish.by_force, stop); !ok) return core::fail(ok.error());
    result.dropped = true;
    if (action == IndexAction::drop) return result;
  }
  if (action != IndexAction::check) {
    if (auto ok = index.migrate(stop); !ok) return core::fail(ok.error());
  }
  const auto derivation = Derivation::make(store, root, context);
  if (!derivation) return core::fail(derivation.error());
  if (auto ok = bring_up_to_date(store, *derivation, wish, result, context); !ok) return core::fail(ok.error());
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
