#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/io.hpp"
#include "registry/json_text.hpp"
#include "registry/records.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;
using core::SearchHit;
using nlohmann::json;

namespace {

constexpr std::size_t kDocumentsAtMost = 100'000;
constexpr std::uint64_t kHeadAtMost = 16ULL << 20;
constexpr std::size_t kWarningsAtMost = 20;

struct Place {
  Kind kind;
  std::string family, measurement, slug;
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

void each_key(const json& document, const char* list, const char* name, const std::function<void(const std::string&)>& seen) {
  const auto rows = document.find(list);
  if (rows == document.end() || !rows->is_array()) return;
  for (const auto& row : *rows) {
    if (const auto key = text_of(row, name)) seen(*key);
  }
}

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
        const auto slugs = store_.slugs(kind, family, measurement);
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
      SearchHit hit;
      hit.family = place.family;
      hit.measurement = place.measurement;
      hit.slug = place.slug;
      hit.path = io::join(store_.directory(place.kind, place.family, place.measurement), place.slug);
      hit.date = place.slug.substr(0, 4) + "-" + place.slug.substr(4, 2) + "-" + place.slug.substr(6, 2);
      Haystack haystack(query_.text);
      haystack.add("family", place.family, 3);
      haystack.add("measurement", place.measurement, 3);
      bool key_found = query_.key.empty();
      const auto keys = [&](const std::string& key) {
        haystack.add("key", key, 1);
        key_found = key_found || core::glob_match(query_.key, key);
      };
      if (!(place.kind == Kind::entry ? entry(hit, haystack, keys) : bundle(hit, haystack, keys))) continue;
      if (!key_found || !haystack.all()) continue;
      if (!verdict_.empty() && core::to_lower(hit.verdict) != verdict_) continue;
      ++result_.total;
      if (result_.hits.size() >= query_.limit) continue;
      hit.score = haystack.score();
      hit.matched = haystack.matched();
      result_.hits.push_back(std::move(hit));
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
    const auto record = records->read(hit.slug);
    if (!record && record.error().message.starts_with("invalid baseline metadata"))  // it does not say of which entry
      return unreadable({record.error().code, io::join(hit.path, "baseline.json") + ": " + record.error().message, {}, {}});
    if (!record) return unreadable(record.error());
    hit.tier = core::to_string(record->tier);
    hit.value = record->value;
    hit.unit = record->unit.value_or("");
    hit.label = record->label;
    hit.notes = record->notes;
    haystack.add("label", record->label, 2);
    haystack.add("notes", record->notes, 2);
    haystack.add("reason", record->reason, 2);
    haystack.add("format", record->format.name, 1);
    haystack.add("context", record->source_path, 0.5);
    for (const auto& [key, value] : record->context) haystack.add("context", value, 1);
    for (const auto& key : record->headline) keys(key);
    if (record->scalar_sol) keys(record->scalar_sol->row_key);
    for (const auto& sol : record->sol) keys(sol.row_key);
    if (record->value) keys(record->measurement);
    return true;
  }

  bool bundle(SearchHit& hit, Haystack& haystack, const std::function<void(const std::string&)>& keys) {
    hit.kind = "bundle";
    std::string name(kBundleDocuments.front());
    auto text = document(hit.path, name);
    for (const std::string_view other : kBundleDocuments) {
      if (text || text.error().code != ErrorCode::not_found) break;
      name = other;
      text = document(hit.path, name);
    }
    if (!text) return unreadable(text.error());
    const auto parsed = parse_json(*text);
    if (!parsed || !parsed->is_object()) {
      return unreadable({ErrorCode::invalid_input,
                         io::join(hit.path, name) + ": " + (parsed ? "not an object" : parsed.error().message),
                         {},
                         {}});
    }
    hit.verdict = text_or_empty(*parsed, "verdict");
    hit.tier = text_or_empty(*parsed, "tier");
    hit.label = text_or_empty(*parsed, "label");
    haystack.add("verdict", hit.verdict, 2);
    for (const char* side : {"baseline", "current", "candidate"}) {
      const auto found = parsed->find(side);
      if (found == parsed->end()) continue;
      const auto label = text_or_empty(*found, "label");
      if (hit.label.empty()) hit.label = label;
      haystack.add("label", label, 2);
    }
    each_key(*parsed, "reasons", "message", [&](const std::string& message) { haystack.add("reason", message, 2); });
    each_key(*parsed, "reasons", "code", [&](const std::string& code) { haystack.add("reason", code, 2); });
    if (const auto reasons = parsed->find("reasons"); reasons != parsed->end() && reasons->is_array() && !reasons->empty()) {
      hit.notes = text_or_empty(reasons->front(), "message");
    }
    each_key(*parsed, "deltas_top20", "key", keys);
    each_key(*parsed, "contributors", "name", keys);
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

  [[nodiscard]] core::Expected<std::string> document(const std::string& path, const std::string& name) const {
    const auto folder = io::open_folder(path, limits_);
    if (!folder) return fail(folder.error());
    return io::read_text_at(folder->get(), name, io::join(path, name), kHeadAtMost);
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
