#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/io.hpp"
#include "registry/json_text.hpp"
#include "registry/pgindex/indexed_store.hpp"
#include "registry/pgindex/searched.hpp"
#include "registry/records.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;
using core::SearchHit;

namespace {

constexpr std::size_t kDocumentsAtMost = 100'000;
constexpr std::size_t kWarningsAtMost = 20;

struct Place {
  Kind kind;
  std::string family, measurement, slug;
  bool known = false;  // the index knows it, and says that it is a hit
};

// "2026-11-20", "2026-11-20T15:03:59Z" or a slug's beginning -> the slug's beginning.
core::Expected<std::string> slug_prefix(const char* name, const std::string& text) {
  std::string prefix;
  for (const char c : text) {
    if (c != '-' && c != ':' && c != '.') prefix += c;
  }
  if (!prefix.empty() && prefix.back() == 'Z' && prefix.size() < 22) prefix.pop_back();
  bool good = prefix.size() >= 4 && prefix.size() <= 22;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    good = good && (i == 8 ? prefix[i] == 'T' : i == 21 ? prefix[i] == 'Z' : prefix[i] >= '0' && prefix[i] <= '9');
  }
  if (good || text.empty()) return prefix;
  return fail(ErrorCode::usage, std::string(name) + " is no date: " + core::cited(text),
              "2026-11-20, 2026-11-20T15:03:59Z or the beginning of a slug", name);
}

// What a document says, by field, and which of the wanted words were found where.
class Haystack {
 public:
  explicit Haystack(const std::string& text) {
    for (const auto word : core::split(text, ' ')) {
      if (!word.empty()) words_.push_back({core::to_lower(word), false});
    }
  }
  // `weight`: a family says more about what is meant than one of twenty keys.
  void add(const char* field, std::string_view text, double weight) {
    if (words_.empty() || text.empty()) return;
    const std::string lower = core::to_lower(text);
    bool any = false;
    for (auto& [word, found] : words_) {
      if (lower.find(word) == std::string::npos) continue;
      score_ += found ? weight / 10 : weight;
      found = any = true;
    }
    if (any && std::find(matched_.begin(), matched_.end(), field) == matched_.end()) matched_.emplace_back(field);
  }
  [[nodiscard]] bool all() const {
    return std::all_of(words_.begin(), words_.end(), [](const auto& word) { return word.second; });
  }
  [[nodiscard]] double score() const { return score_; }
  [[nodiscard]] const std::vector<std::string>& matched() const { return matched_; }

 private:
  std::vector<std::pair<std::string, bool>> words_;
  std::vector<std::string> matched_;
  double score_ = 0;
};

class Search {
 public:
  Search(const Store& store, const SearchQuery& query, const PathLimits& limits)
      : store_(store), query_(query), limits_(limits), verdict_(core::to_lower(query.verdict)) {}

  core::Status collect() {
    const auto since = slug_prefix("since", query_.since);
    if (!since) return fail(since.error());
    const auto until = slug_prefix("until", query_.until);
    if (!until) return fail(until.error());
    for (const auto kind : {Kind::entry, Kind::bundle}) {
      const auto measurements = store_.measurements(kind);
      if (!measurements) return fail(measurements.error());
      for (const auto& [family, measurement] : *measurements) {
        if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped while searching");
        if (!query_.family.empty() && family != query_.family) continue;
        if (!query_.measurement.empty() && measurement != query_.measurement) continue;
        // With an index only few of them are read, and brought here for that.
        const auto slugs = pgindex::index_of(store_) != nullptr ? store_.names(kind, family, measurement, *since)
                                                                : store_.slugs(kind, family, measurement);
        if (!slugs) {
          warn("unreadable", slugs.error().message);
          continue;
        }
        for (const auto& slug : *slugs) {
          if (!since->empty() && slug.compare(0, since->size(), *since) < 0) continue;
          if (!until->empty() && slug.compare(0, until->size(), *until) > 0) continue;
          places_.push_back({kind, family, measurement, slug});
        }
      }
    }
    // Newest first; of the same moment, entries before bundles and then by name.
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
      if (a.slug != b.slug) return a.slug > b.slug;
      return std::tie(a.kind, a.family, a.measurement) < std::tie(b.kind, b.family, b.measurement);
    });
    if (auto asked = ask_index(*since, *until); !asked) return asked;
    if (places_.size() > kDocumentsAtMost) {
      warn("search_bounded", "only the newest " + std::to_string(kDocumentsAtMost) + " of " + std::to_string(places_.size()) +
                                 " entries and bundles were read; narrow by family, measurement or date");
      places_.resize(kDocumentsAtMost);
    }
    return {};
  }

  core::Status read() {
    for (const auto& place : places_) {
      if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped while searching");
      // What the index says of those that are not shown is counted, as long as it was right about all that are.
      if (place.known && counted_ && result_.hits.size() >= query_.limit) {
        ++result_.total;
        continue;
      }
      SearchHit hit;
      hit.family = place.family;
      hit.measurement = place.measurement;
      hit.slug = place.slug;
      hit.path = io::join(store_.directory(place.kind, place.family, place.measurement), place.slug);
      hit.date = place.slug.substr(0, 4) + "-" + place.slug.substr(4, 2) + "-" + place.slug.substr(6, 2);
      if (by_index_ != nullptr)
        static_cast<void>(store_.bring({place.kind, place.family, place.measurement, place.slug, false, true}));
      Haystack haystack(query_.text);
      haystack.add("family", place.family, 3);
      haystack.add("measurement", place.measurement, 3);
      bool key_found = query_.key.empty();
      const auto keys = [&](const std::string& key) {
        haystack.add("key", key, 1);
        key_found = key_found || core::glob_match(query_.key, key);
      };
      const bool read = place.kind == Kind::entry ? entry(hit, haystack, keys) : bundle(hit, haystack, keys);
      stale_ += read && by_index_ != nullptr && !place.known ? 1 : 0;
      const bool of_verdict = verdict_.empty() || core::to_lower(hit.verdict) == verdict_;
      if (!read || !key_found || !haystack.all() || !of_verdict) {
        counted_ = counted_ && !place.known;
        continue;
      }
      ++result_.total;
      if (result_.hits.size() >= query_.limit) continue;
      hit.score = haystack.score();
      hit.matched = haystack.matched();
      hit.path = store_.address_of(hit.path);
      result_.hits.push_back(std::move(hit));
    }
    if (stale_ != 0) {
      result_.warnings.insert(result_.warnings.begin(),
                              {"index_stale", core::counted(stale_, "entry or bundle", "entries and bundles") +
                                                  " not in the index " + core::cited_path(by_index_->shown()) +
                                                  " were read one by one: `plumbline index follow` adds them"});
    }
    return mark_overturned();
  }

  core::SearchResult finish() {
    result_.query = query_.text;
    return std::move(result_);
  }

 private:
  bool entry(SearchHit& hit, Haystack& haystack, const std::function<void(const std::string&)>& keys) {
    hit.kind = "entry";
    auto& records = records_[{hit.family, hit.measurement}];
    if (!records) records = std::make_unique<Records>(store_, hit.family, hit.measurement, limits_);
    auto record = records->read(hit.slug);
    if (!record && record.error().message.starts_with("invalid baseline metadata"))  // it does not say of which entry
      return unreadable({record.error().code, io::join(hit.path, "baseline.json") + ": " + record.error().message, {}, {}});
    if (!record) return unreadable(record.error());
    record->measurement = hit.measurement;  // which records from the cache do not say
    hit.tier = core::to_string(record->tier);
    hit.value = record->value;
    hit.unit = record->unit.value_or("");
    hit.label = record->label;
    hit.notes = record->notes;
    pgindex::look_through(*record, seen_by(haystack), keys);
    return true;
  }

  bool bundle(SearchHit& hit, Haystack& haystack, const std::function<void(const std::string&)>& keys) {
    hit.kind = "bundle";
    const auto document = pgindex::bundle_document(hit.path, limits_);
    if (!document) return unreadable(document.error());
    const auto parsed = parse_json(document->text);
    if (!parsed || !parsed->is_object()) {
      return unreadable({ErrorCode::invalid_input,
                         io::join(hit.path, document->name) + ": " + (parsed ? "not an object" : parsed.error().message),
                         {},
                         {}});
    }
    hit.verdict = text_or_empty(*parsed, "verdict");
    hit.tier = text_or_empty(*parsed, "tier");
    hit.label = text_or_empty(*parsed, "label");
    for (const char* side : {"baseline", "current", "candidate"}) {
      const auto found = parsed->find(side);
      if (found != parsed->end() && hit.label.empty()) hit.label = text_or_empty(*found, "label");
    }
    if (const auto reasons = parsed->find("reasons"); reasons != parsed->end() && reasons->is_array() && !reasons->empty()) {
      hit.notes = text_or_empty(reasons->front(), "message");
    }
    pgindex::look_through(*parsed, seen_by(haystack), keys);
    return true;
  }

  // A DRAFT that a later VERDICT overturned says so, also when that VERDICT is no hit itself.
  core::Status mark_overturned() {
    std::map<std::pair<std::string, std::string>, std::string> oldest;  // measurement -> its oldest DRAFT among the hits
    for (const SearchHit& hit : result_.hits) {
      if (hit.kind != "bundle" || hit.tier != "DRAFT") continue;
      std::string& slug = oldest.try_emplace({hit.family, hit.measurement}, hit.slug).first->second;
      slug = std::min(slug, hit.slug);
    }
    for (const auto& [name, since] : oldest) {
      const auto found = bundle_heads(store_, name.first, name.second, since, limits_);
      if (!found) return fail(found.error());
      for (SearchHit& hit : result_.hits) {
        if (hit.kind != "bundle" || hit.family != name.first || hit.measurement != name.second) continue;
        const auto& heads = found->heads;
        const auto head = std::lower_bound(heads.begin(), heads.end(), hit.slug,
                                           [](const BundleHead& one, const std::string& slug) { return one.slug < slug; });
        if (head != heads.end() && head->slug == hit.slug) hit.superseded_by = head->superseded_by;
      }
    }
    return {};
  }

  // Leaves out what the index knows and does not name. What it does not know is read, and so is everything where it cannot be
  // asked.
  core::Status ask_index(const std::string& since, const std::string& until) {
    pgindex::Index* const index = pgindex::index_of(store_);
    if (index == nullptr) return {};
    pgindex::Wanted wanted{{}, query_.family, query_.measurement, query_.verdict, query_.key, since, until};
    for (const auto word : core::split(query_.text, ' ')) {
      if (!word.empty()) wanted.words.push_back(core::to_lower(word));
    }
    // In this order: what is told to it in between is a hit or is read, and not taken for none.
    const auto known = index->places(wanted, limits_.stop);
    if (!known) return without_index(known.error());
    const auto found = index->search(wanted, kDocumentsAtMost + 1, limits_.stop);
    if (!found) return without_index(found.error());
    if (found->size() > kDocumentsAtMost) {
      warn("search_bounded", "only the newest " + std::to_string(kDocumentsAtMost) +
                                 " that are found were looked at; narrow by family, measurement or date");
      const std::string oldest = found->back().slug;
      std::erase_if(places_, [&](const Place& place) { return place.slug <= oldest; });
    }
    using Name = std::tuple<Kind, std::string_view, std::string_view, std::string_view>;
    const auto name_of = [](const auto& one) { return Name(one.kind, one.family, one.measurement, one.slug); };
    std::set<Name> hits, all;
    for (const pgindex::FoundPlace& one : *found) hits.insert(name_of(one));
    for (const pgindex::FoundPlace& one : *known) all.insert(name_of(one));
    for (Place& place : places_) place.known = hits.contains(name_of(place));
    std::erase_if(places_, [&](const Place& place) { return !place.known && all.contains(name_of(place)); });
    counted_ = pgindex::is_exact(wanted);
    by_index_ = index;
    return {};
  }

  core::Status without_index(const core::Error& error) {
    if (error.code == ErrorCode::cancelled) return fail(error);
    std::set<std::tuple<Kind, std::string, std::string>> lines;
    for (Place& place : places_) {
      place.known = false;
      lines.emplace(place.kind, place.family, place.measurement);
    }
    for (const auto& [kind, family, measurement] : lines)
      static_cast<void>(store_.slugs(kind, family, measurement));  // brings all
    warn("index_unavailable", error.message + "; entries and bundles were read one by one");
    return {};
  }

  static pgindex::FieldSeen seen_by(Haystack& haystack) {
    return [&haystack](const char* field, std::string_view text, double weight) { haystack.add(field, text, weight); };
  }
  bool unreadable(const core::Error& error) {
    warn("unreadable", error.message);
    return false;
  }
  void warn(core::WarningCode code, std::string message) {
    if (result_.warnings.size() < kWarningsAtMost)
      result_.warnings.push_back({code, std::move(message)});
    else if (result_.warnings.size() == kWarningsAtMost)
      result_.warnings.push_back({"unreadable", "further warnings are left out"});
  }

  const Store& store_;
  const SearchQuery& query_;
  const PathLimits& limits_;
  std::string verdict_;
  std::vector<Place> places_;
  bool counted_ = false;                      // hits that nobody sees are counted unread
  const pgindex::Index* by_index_ = nullptr;  // what is read was listed by its name alone
  std::size_t stale_ = 0;                     // could be read, and is not in the index
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Records>> records_;
  core::SearchResult result_;
};

}  // namespace

core::Expected<core::SearchResult> search(const Store& store, const SearchQuery& query, const PathLimits& limits) {
  Search search(store, query, limits);
  if (auto collected = search.collect(); !collected) return fail(collected.error());
  if (auto read = search.read(); !read) return fail(read.error());
  return search.finish();
}

}  // namespace plumbline::registry
