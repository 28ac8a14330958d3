#include "verbs/export/series.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/bundle_heads.hpp"
#include "registry/records.hpp"
#include "reports/series_files.hpp"
#include "verbs/calling/parameters.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/entry_series.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::size_t kEntriesAtMost = 100'000;     // of a measurement
constexpr std::uint64_t kBytesAtMost = 4ULL << 30;  // of their snapshots

using Names = std::vector<std::pair<std::string, std::string>>;

// One measurement, or all of a family.
Expected<Names> measurements_of(const registry::Store& store, const std::string& source) {
  auto all = store.measurements(registry::Kind::entry);
  if (!all) return core::fail(all.error());
  const std::size_t slash = source.find('/');
  const std::string family = source.substr(0, slash);
  Names found;
  std::vector<std::string> known;
  for (const auto& [its_family, measurement] : *all) {
    const std::string whole = its_family + "/" + measurement;
    if (slash == std::string::npos ? its_family == family : whole == source) found.emplace_back(its_family, measurement);
    known.push_back(slash == std::string::npos ? its_family : whole);
  }
  if (!found.empty()) return found;
  std::string hint = did_you_mean(source, known);
  if (hint.empty())
    hint = known.empty() ? "the registry has no entries: plumbline record makes one" : "there is " + core::cited_list(known);
  return core::fail(ErrorCode::not_found, "no entries of " + core::cited(source), hint);
}

// Collects the points of one measurement after the other.
class Collector {
 public:
  Collector(const registry::Store& store, const SeriesAsked& asked, const Context& context)
      : store_(store), asked_(asked), context_(context), limits_(path_limits(context)) {}

  Status take(const std::string& family, const std::string& measurement) {
    const auto accepted = store_.accepted(family, measurement);
    if (!accepted) return core::fail(accepted.error());
    accepted_ = *accepted ? (*accepted)->slug : std::string();
    if (auto scalars = take_scalars(family, measurement); !scalars) return scalars;
    if (auto keys = take_keys(family, measurement); !keys) return keys;
    return asked_.as == "openmetrics" ? take_verdicts(family, measurement) : Status();
  }

  SeriesFile file() {
    SeriesFile out;
    out.points = points_.size();
    if (asked_.as == "csv") {
      out.file_name = "plumbline.csv";
      out.text = reports::series_csv(std::move(points_));
    } else {
      reports::OpenMetrics made = reports::series_openmetrics(std::move(points_), std::move(verdicts_));
      out.file_name = "plumbline.openmetrics.txt";
      out.text = std::move(made.text);
      out.points = made.values;
      if (made.values_left_out > 0) say_left_out(core::counted(made.values_left_out, "value"), out.warnings);
      if (made.verdicts_left_out > 0) say_left_out(core::counted(made.verdicts_left_out, "verdict"), out.warnings);
    }
    if (unreadable_ > 0)
      out.warnings.push_back(
          {"entry_unreadable", core::counted(unreadable_, "entry", "entries") + " left out, first: " + problem_});
    if (bounded_)
      out.warnings.push_back(
          {"history_bounded", "the oldest entries were left out: at most 100,000 of a measurement and 4 GiB are read"});
    if (unreadable_diffs_ > 0)
      out.warnings.push_back({"unreadable", core::counted(unreadable_diffs_, "diff") + " left out that cannot be read"});
    if (older_diffs_ > 0)
      out.warnings.push_back({"history_bounded", "the oldest " + core::counted(older_diffs_, "diff") +
                                                     " left out: at most 10,000 of a measurement are read"});
    return out;
  }

 private:
  static void say_left_out(const std::string& what, std::vector<core::Warning>& warnings) {
    warnings.push_back({"entries_left_out", what +
                                                " left out: OpenMetrics has one of a metric at a time, and of those in the same "
                                                "millisecond the last was written"});
  }

  // Nothing before what was asked for, and nothing without a time.
  std::optional<std::chrono::system_clock::time_point> time_of(const std::string& slug,
                                                               const core::BaselineRecord& record) const {
    const auto at = registry::time_of_slug(registry::measured_slug(record, slug));
    if (!at || (!asked_.since.empty() && registry::utc_text(*at) < asked_.since)) return std::nullopt;
    return at;
  }

  // The numbers of entries that are one number. Of the others take_keys() looks at those that are noted here.
  Status take_scalars(const std::string& family, const std::string& measurement) {
    const auto slugs = store_.slugs(registry::Kind::entry, family, measurement);
    if (!slugs) return core::fail(slugs.error());
    const std::string directory = store_.directory(registry::Kind::entry, family, measurement);
    registry::Records records(store_, family, measurement, limits_);
    times_.clear();
    for (const std::string& slug : *slugs) {
      if (context_.stop_asked()) return core::fail(cancelled_error());
      const std::string path = directory + "/" + slug;
      const auto listed = records.read(slug);
      if (!listed) {
        note_unreadable(path, listed.error());
        continue;
      }
      auto at = time_of(slug, *listed);
      if (!at) continue;
      if (!listed->value) {
        times_.emplace(slug, *at);
        continue;
      }
      const auto entry = store_.open(path, limits_);
      if (!entry) {
        note_unreadable(path, entry.error());
        continue;
      }
      const core::BaselineRecord& record = entry->record;
      at = time_of(slug, record);
      if (!at || !record.value) continue;
      points_.push_back({family, measurement, "", slug, *at, record.unit.value_or(""),
                         core::parse_direction(record.direction).value_or(core::Direction::unknown), *record.value,
                         slug == accepted_});
    }
    return {};
  }

  Status take_keys(const std::string& family, const std::string& measurement) {
    EntrySeriesQuery query;
    query.family = family;
    query.measurement = measurement;
    query.pool = std::make_shared<core::StringPool>();
    query.reading = asked_.reading;
    query.captures = true;
    query.every_key = true;
    query.most_entries = kEntriesAtMost;
    query.most_bytes = kBytesAtMost;
    query.only.emplace();
    for (const auto& [slug, at] : times_) query.only->insert(slug);
    std::optional<std::vector<std::string>> headline;  // the newest entry's holds for all, so that a series has no gaps
    query.wanted_key = [&](std::string_view key, const core::BaselineRecord& record) {
      if (!asked_.key.empty()) return core::glob_match(asked_.key, key);
      if (!headline) headline = record.headline;
      return headline->empty() ||
             std::ranges::any_of(*headline, [&](const std::string& one) { return core::glob_match(one, key); });
    };
    const auto series = read_entry_series(store_, query, context_);
    if (!series) return core::fail(series.error());
    if (series->unreadable > 0 && unreadable_ == 0) problem_ = series->first_problem;
    unreadable_ += series->unreadable;
    bounded_ = bounded_ || series->bounded;
    for (const KeySeries& key : series->keys) {
      const std::string name(query.pool->view(key.key));
      for (std::size_t i = 0; i < key.values.size(); ++i) {
        const std::string& slug = series->slugs[key.entries[i]];
        points_.push_back(
            {family, measurement, name, slug, times_.at(slug), key.unit, key.direction, key.values[i], slug == accepted_});
      }
    }
    return {};
  }

  Status take_verdicts(const std::string& family, const std::string& measurement) {
    const auto since = registry::parse_time(asked_.since);
    const auto found =
        registry::bundle_heads(store_, family, measurement, since ? registry::slug_of(*since) : std::string(), limits_);
    if (!found) return core::fail(found.error());
    unreadable_diffs_ += found->unreadable;
    older_diffs_ += found->older;
    for (const registry::BundleHead& head : found->heads) {
      const auto at = registry::time_of_slug(head.slug);
      if (!at) continue;
      if (head.verdict == "GREEN" || head.verdict == "YELLOW" || head.verdict == "RED")
        verdicts_.push_back({family, measurement, head.slug, *at, head.verdict, head.tier});
    }
    return {};
  }

  // What gc took away since it was listed is not missed.
  void note_unreadable(const std::string& path, const Error& error) {
    if (!registry::path_kind(path, limits_)) return;
    if (unreadable_++ == 0) problem_ = error.message;
  }

  const registry::Store& store_;
  const SeriesAsked& asked_;
  const Context& context_;
  const registry::PathLimits limits_;
  std::string accepted_, problem_;
  std::unordered_map<std::string, std::chrono::system_clock::time_point> times_;  // of the entries that have keys, by slug
  std::uint64_t unreadable_ = 0, unreadable_diffs_ = 0, older_diffs_ = 0;
  bool bounded_ = false;
  std::vector<reports::SeriesPoint> points_;
  std::vector<reports::VerdictPoint> verdicts_;
};

}  // namespace

Expected<SeriesFile> export_series(const registry::Store& store, const SeriesAsked& asked, const Context& context) {
  const auto names = measurements_of(store, asked.source);
  if (!names) return core::fail(names.error());
  Collector collector(store, asked, context);
  for (const auto& [family, measurement] : *names) {
    if (auto taken = collector.take(family, measurement); !taken) return core::fail(taken.error());
  }
  SeriesFile file = collector.file();
  if (file.points == 0 && !asked.key.empty()) {
    return core::fail(ErrorCode::usage, "no key matches --key " + core::cited(asked.key),
                      "`plumbline history FAMILY/MEASUREMENT --key '*'` lists them");
  }
  return file;
}

}  // namespace plumbline::verbs
