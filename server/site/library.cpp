#include "server/site/library.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "verbs/history.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::server::site {
namespace {

using core::fail;
using registry::Kind;

constexpr std::size_t kHistory = 500, kHistoryDiffs = 200;
constexpr std::size_t kStampedFiles = 10'000;

std::string stamp_of_path(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return "-";
  // What changed just now may change again within the clock's tick: such a stamp holds for nothing.
  const bool settled = std::time(nullptr) - info.st_ctim.tv_sec > 2;
  return fmt::format("{}.{}.{}.{}{}", info.st_ino, info.st_size, info.st_ctim.tv_sec, info.st_ctim.tv_nsec, settled ? "" : "?");
}

bool is_settled(const std::string& stamp) { return stamp.find('?') == std::string::npos; }

std::string folder_of(const registry::Store& store, const mcp::Place& place) {
  return store.directory(place.kind, place.family, place.measurement) + "/" + place.slug;
}

core::Expected<std::unique_ptr<registry::Store>> open_store(const ServeOptions& options, const std::atomic<bool>& cancelled) {
  const auto root = mcp::served_root(options);
  if (!root) return fail(root.error());
  return mcp::served_store(options, *root, [&cancelled] { return cancelled.load(std::memory_order_relaxed); });
}

std::vector<std::string> texts_of(const nlohmann::json& result, const char* list) {
  std::vector<std::string> texts;
  const auto found = result.find(list);
  if (found == result.end() || !found->is_array()) return texts;
  for (const auto& each : *found) {
    if (each.is_object()) texts.push_back(each.value("message", ""));
  }
  return texts;
}

}  // namespace

// A reading of the overview may last longer than the library: it has its own options.
Library::Library(ServeOptions options, transport::Executor& executor)
    : options_(std::move(options)),
      overview_(std::make_shared<Overview>(
          [options = options_](const std::atomic<bool>& stopping) { return open_store(options, stopping); }, executor)) {}

core::Expected<std::unique_ptr<registry::Store>> Library::open(const std::atomic<bool>& cancelled) const {
  return open_store(options_, cancelled);
}

registry::PathLimits Library::limits(const std::atomic<bool>& cancelled) const {
  registry::PathLimits limits = mcp::roots_of(options_);
  limits.stop = [&cancelled] { return cancelled.load(std::memory_order_relaxed); };
  return limits;
}

verbs::Context Library::context(const std::atomic<bool>& cancelled) const {
  verbs::Context context;
  context.cwd = options_.cwd;
  if (context.cwd.empty()) {
    std::error_code ignored;
    context.cwd = std::filesystem::current_path(ignored).string();
  }
  context.repo_root = options_.repo_root;
  context.allowed_roots = options_.allowed_roots;
  context.environment = [](std::string_view variable) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(variable).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
  context.now = [] { return std::chrono::system_clock::now(); };
  context.cancelled = &cancelled;
  context.command = "plumbline serve (review site)";
  context.read_only = true;
  return context;
}

std::optional<EntryFacts> Library::facts(const registry::Store& store, const mcp::Place& place, const Budget& budget) {
  const std::string folder = folder_of(store, place);
  if (auto known = facts_.find(folder)) return known;
  if (!budget.left()) return std::nullopt;
  EntryFacts facts;
  const auto record = verbs::read_record(folder, mcp::roots_of(options_));
  if (!record) {
    facts.problem = record.error().message;
    return facts;
  }
  facts.value = record->value;
  facts.unit = record->unit.value_or("");
  facts.label = record->label;
  facts.registered_at_utc = record->registered_at_utc;
  facts.tier = record->tier;
  facts_.keep(folder, facts);
  return facts;
}

std::optional<registry::BundleHead> Library::head(const registry::Store& store, const mcp::Place& place, const Budget& budget) {
  const std::string folder = folder_of(store, place);
  if (auto known = heads_.find(folder)) return known;
  if (!budget.left()) return std::nullopt;
  auto head = registry::bundle_head(folder, place.slug, mcp::roots_of(options_));
  if (!head) return registry::BundleHead{};
  heads_.keep(folder, *head);
  return head;
}

std::optional<std::vector<double>> Library::values(const registry::Store& store, const Line& line, const Budget& budget) {
  const std::string key = line.family + "/" + line.measurement + "/" + line.newest_entry;
  if (auto known = values_.find(key)) return known;
  if (!budget.left()) return std::nullopt;
  std::vector<double> values;
  std::string unit;
  for (std::size_t i = line.recent_entries ? line.recent_entries->size() : 0; i-- > 0;) {
    const auto entry = facts(store, {Kind::entry, line.family, line.measurement, (*line.recent_entries)[i]}, budget);
    if (!entry) return std::nullopt;
    if (!entry->value) break;  // rows, not one number
    if (values.empty()) unit = entry->unit;
    if (entry->unit == unit) values.push_back(*entry->value);
  }
  std::reverse(values.begin(), values.end());
  values_.keep(key, values);
  return values;
}

core::Expected<Library::Slugs> Library::slugs(const registry::Store& store, Kind kind, const std::string& family,
                                              const std::string& measurement) {
  const std::string folder = store.directory(kind, family, measurement);
  const std::string stamp = stamp_of_path(folder) + mcp::tick_of(store, folder);
  if (const auto known = slugs_.find(folder); known && known->first == stamp && is_settled(stamp)) return known->second;
  auto listed = store.slugs(kind, family, measurement);
  if (!listed) return fail(std::move(listed.error()));
  auto kept = std::make_shared<const std::vector<std::string>>(std::move(*listed));
  slugs_.keep(folder, {stamp, kept});
  return kept;
}

core::Expected<Library::History> Library::history(const registry::Store& store, const std::string& family,
                                                  const std::string& measurement, const verbs::Context& context) {
  const auto at = root();
  if (!at) return fail(at.error());
  const std::string entries = store.directory(Kind::entry, family, measurement);
  const std::string stamp = stamp_of_path(entries) + " " + stamp_of_path(entries + "/accepted") + " " +
                            stamp_of_path(store.directory(Kind::bundle, family, measurement)) + " " +
                            stamp_of_path(*at + "/plumbline.yaml") + mcp::tick_of(store, entries);
  const std::string key = family + "/" + measurement;
  if (const auto known = histories_.find(key); known && known->first == stamp && is_settled(stamp)) return known->second;
  verbs::HistoryQuery query;
  query.family = family;
  query.measurement = measurement;
  query.newest_entries = kHistory;
  query.newest_diffs = kHistoryDiffs;
  auto project = verbs::read_project_file(*at, context);
  if (!project) return fail(std::move(project.error()));
  query.project = std::move(*project);
  auto reading = verbs::reading_rules_for(*at, context);
  if (!reading) return fail(std::move(reading.error()));
  query.reading = std::move(*reading);
  auto history = verbs::build_history(store, query, context);
  if (!history) return fail(std::move(history.error()));
  auto kept = std::make_shared<const core::HistoryResult>(std::move(*history));
  histories_.keep(key, {stamp, kept});
  return kept;
}

std::optional<std::string> Library::rules_stamp() const {
  const auto at = root();
  std::string stamp = at ? stamp_of_path(*at + "/plumbline.yaml") : std::string("?");
  return is_settled(stamp) ? std::optional(std::move(stamp)) : std::nullopt;
}

// Of everything that a verification looks at.
std::string Library::stamp_of(const std::string& folder) const {
  namespace fs = std::filesystem;
  std::string stamp = stamp_of_path(folder);
  if (const auto at = root()) stamp += " " + stamp_of_path(*at + "/plumbline.yaml");
  std::error_code error;
  std::size_t files = 0;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (++files > kStampedFiles) return stamp + "?";
    stamp += " " + stamp_of_path(at->path().string());
  }
  return stamp;
}

Verified Library::verify(const std::string& folder, const verbs::Context& context) {
  const std::string stamp = stamp_of(folder);
  if (const auto known = verified_.find(folder); known && known->first == stamp && is_settled(stamp)) return known->second;
  Verified verified;
  verbs::Arguments arguments;
  arguments.set("path", folder);
  arguments.set("response_format", std::string("detailed"));
  const auto outcome = verbs::find("verify")->run(arguments, context);
  if (!outcome) {
    verified.failure = outcome.error().message;
    return verified;
  }
  const auto result = nlohmann::json::parse(outcome->json, nullptr, false);
  if (!result.is_object()) return verified;
  verified.ok = result.value("ok", false);
  verified.is_signed = result.value("signed", false);
  verified.trusted = result.value("trusted", false);
  verified.files = result.value("files", std::uint64_t{0});
  verified.sha256 = result.value("bundle_sha256", "");
  verified.problems = texts_of(result, "problems");
  verified.warnings = texts_of(result, "warnings");
  verified_.keep(folder, {stamp, verified});
  return verified;
}

std::optional<Verified> Library::verified_before(const std::string& folder) {
  const auto known = verified_.find(folder);
  if (!known) return std::nullopt;
  const std::string stamp = stamp_of(folder);
  return known->first == stamp && is_settled(stamp) ? std::optional(known->second) : std::nullopt;
}

}  // namespace plumbline::server::site
