// github-action-benchmark keeps every run that it saw: data.js on a branch of pages, or the file of external-data-json-path.
// Its own source (src/write.ts, addBenchmarkToDataJson) says what is in it: entries[suite] is a list of {commit, date, tool,
// benches}, oldest first, `date` in milliseconds. Each run becomes a file of the same form with that run alone, so that one
// reader (formats/ci/github_action_data.cpp) reads both.
#include <nlohmann/json.hpp>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/import/points.hpp"
#include "verbs/record/given_provenance.hpp"
#include "verbs/suite/pairing.hpp"

namespace plumbline::verbs {
namespace {

using nlohmann::json;

constexpr std::string_view kScript = "window.BENCHMARK_DATA";

std::string text_in(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The commit without its people: names and addresses are nobody's business here.
json plain_commit(const json& run) {
  json out = json::object();
  const auto commit = run.find("commit");
  if (commit == run.end()) return out;
  for (const char* name : {"id", "timestamp", "url"}) {
    if (const std::string text = text_in(*commit, name); !text.empty()) out[name] = text;
  }
  return out;
}

std::optional<Point> point_of(const json& run, const std::string& suite, const std::string& repository, const std::string& path) {
  const auto date = run.is_object() ? run.find("date") : run.end();
  if (!run.is_object() || date == run.end() || !date->is_number()) return std::nullopt;
  Point point;
  point.measured = std::chrono::system_clock::time_point(std::chrono::milliseconds(date->get<std::int64_t>()));
  const json commit = plain_commit(run);
  const std::string id = core::to_lower(text_in(commit, "id"));
  if (is_commit(id)) point.commit = id;
  point.origin = path + ": " + suite;
  point.name = "data.json";
  point.format = "github-action-benchmark-data";
  json alone = run;
  alone["commit"] = commit;
  const json document = {{"lastUpdate", *date}, {"repoUrl", repository}, {"entries", {{suite, json::array({alone})}}}};
  point.bytes = document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  return point;
}

}  // namespace

bool is_github_action_data(std::string_view text) {
  const std::string_view head = core::trim(text.substr(0, 4096));
  return head.starts_with(kScript) || (head.starts_with('{') && head.find("\"lastUpdate\"") != std::string_view::npos &&
                                       head.find("\"entries\"") != std::string_view::npos);
}

Expected<std::vector<Point>> points_of_github_action(std::string_view text, const std::string& path, const std::string& suite) {
  const auto brace = std::min(text.find('{'), text.size());
  auto body = core::trim(text.substr(brace));
  if (body.ends_with(';')) body.remove_suffix(1);
  const json document = json::parse(body, nullptr, false);
  const auto entries = document.is_object() ? document.find("entries") : document.end();
  if (!document.is_object() || entries == document.end() || !entries->is_object()) {
    return core::fail(ErrorCode::invalid_input, core::cited_path(path) + " is not the data of github-action-benchmark",
                      "the action writes data.js, or the file of external-data-json-path", path);
  }
  if (!suite.empty() && !entries->contains(suite)) {
    std::vector<std::string> known;
    for (const auto& [name, runs] : entries->items()) known.push_back(name);
    return core::fail(ErrorCode::usage, core::cited_path(path) + " has no suite " + core::cited(suite),
                      "it has " + core::cited_list(known), path);
  }
  std::vector<Point> points;
  for (const auto& [name, runs] : entries->items()) {
    if (!runs.is_array() || (!suite.empty() && name != suite)) continue;
    for (const json& run : runs) {
      auto point = point_of(run, name, text_in(document, "repoUrl"), path);
      if (!point) {
        return core::fail(ErrorCode::invalid_input, core::cited_path(path) + ": a run of " + core::cited(name) + " has no date",
                          "each run has a date in milliseconds, as the action writes it", path);
      }
      if (entries->size() > 1) point->measurement = case_segment(name);
      points.push_back(std::move(*point));
    }
  }
  return points;
}

}  // namespace plumbline::verbs
