// Bencher's answer to a query of metrics (JsonPerf in lib/bencher_json/src/project/perf.rs of bencherdev/bencher): results[] of
// {branch, testbed, benchmark, measure, metrics[]}, a metric being {report, iteration, start_time, version{number, hash},
// metric{value, lower_value, upper_value}}. What one report measured in one iteration becomes a file of Bencher's Metric Format,
// which formats/ci/bencher_bmf.cpp reads.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"
#include "verbs/import/points.hpp"
#include "verbs/record/given_provenance.hpp"

namespace plumbline::verbs {
namespace {

using nlohmann::json;

const json& member(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string text_in(const json& object, const char* name) {
  const json& found = member(object, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

struct Report {
  std::string start_time, hash;
  json benchmarks = json::object();
};

struct Reader {
  const std::string& path;
  std::set<std::string> branches, testbeds;
  std::map<std::pair<std::string, std::int64_t>, Report> reports;  // by report and iteration

  [[nodiscard]] tl::unexpected<Error> bad(const std::string& what) const {
    return core::fail(ErrorCode::invalid_input, core::cited_path(path) + ": " + what,
                      "`bencher perf --format json` and `GET /v0/projects/PROJECT/perf` give such a file", path);
  }

  Status result(const json& one) {
    branches.insert(text_in(member(one, "branch"), "name"));
    testbeds.insert(text_in(member(one, "testbed"), "name"));
    const std::string benchmark = text_in(member(one, "benchmark"), "name");
    const std::string measure = text_in(member(one, "measure"), "slug");
    if (benchmark.empty() || measure.empty()) return bad("a result without the name of its benchmark or the slug of its measure");
    const json& metrics = member(one, "metrics");
    if (!metrics.is_array()) return bad("the result of " + core::cited(benchmark) + " has no metrics");
    for (const json& metric : metrics) {
      if (auto ok = take(metric, benchmark, measure); !ok) return ok;
    }
    return {};
  }

  Status take(const json& metric, const std::string& benchmark, const std::string& measure) {
    const json& value = member(metric, "metric");
    const json& iteration = member(metric, "iteration");
    const std::string start = text_in(metric, "start_time");
    if (!member(value, "value").is_number() || start.empty())
      return bad("a metric of " + core::cited(benchmark) + " without a value or a start_time");
    Report& report = reports[{text_in(metric, "report"), iteration.is_number_integer() ? iteration.get<std::int64_t>() : 0}];
    report.start_time = start;
    report.hash = core::to_lower(text_in(member(metric, "version"), "hash"));
    json kept = json::object();
    for (const char* name : {"value", "lower_value", "upper_value"}) {
      if (member(value, name).is_number()) kept[name] = member(value, name);
    }
    report.benchmarks[benchmark][measure] = std::move(kept);
    return {};
  }

  [[nodiscard]] Status check_one(const std::set<std::string>& names, const char* what, const char* flag) const {
    if (names.size() <= 1) return {};
    return core::fail(ErrorCode::usage,
                      core::cited_path(path) + " holds several " + what + ": " +
                          core::cited_list(std::vector<std::string>(names.begin(), names.end())),
                      std::string("a history is of one: ask Bencher for one at a time, `bencher perf ") + flag + " …`", path);
  }
};

}  // namespace

bool is_bencher_data(std::string_view text) {
  const std::string_view head = core::trim(text.substr(0, 64U << 10));
  if (!head.starts_with('{')) return false;
  for (const char* word : {"\"project\"", "\"results\"", "\"metrics\"", "\"measure\"", "\"testbed\""}) {
    if (head.find(word) == std::string_view::npos) return false;
  }
  return true;
}

Expected<std::vector<Point>> points_of_bencher(std::string_view text, const std::string& path) {
  Reader reader{path, {}, {}, {}};
  const json document = json::parse(text, nullptr, false);
  const json& results = member(document, "results");
  if (!results.is_array()) return reader.bad("no \"results\": this is no answer of Bencher to a query of metrics");
  for (const json& one : results) {
    if (auto ok = reader.result(one); !ok) return core::fail(ok.error());
  }
  if (auto ok = reader.check_one(reader.branches, "branches", "--branches"); !ok) return core::fail(ok.error());
  if (auto ok = reader.check_one(reader.testbeds, "testbeds", "--testbeds"); !ok) return core::fail(ok.error());
  std::vector<Point> points;
  for (const auto& [key, report] : reader.reports) {
    const auto time = registry::parse_time(report.start_time);
    if (!time) return reader.bad("start_time is no time: " + core::cited(report.start_time));
    Point point;
    point.measured = *time;
    if (is_commit(report.hash)) point.commit = report.hash;
    point.origin =
        path + ": report " + key.first.substr(0, 8) + (key.second == 0 ? "" : ", iteration " + std::to_string(key.second));
    point.name = "bmf.json";
    point.format = "bencher-bmf";
    point.bytes = report.benchmarks.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace plumbline::verbs
