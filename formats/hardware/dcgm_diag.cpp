// dcgmi diag -j, of DCGM 3 ("DCGM GPU Diagnostic", gpu_ids, or gpu_id of one) and 4 ("DCGM Diagnostic", entities). Every test of
// every device passed or did not: gates, nothing measured. `dcgmi mndiag -j` of several nodes and runs of several iterations
// alike. A word that is neither Pass, Warn nor Skip is no pass. Skipped tests are context.
#include <map>
#include <string>

#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

constexpr ToolMetric kPassed{"passed", "", Direction::higher, Role::gate};
constexpr ToolMetric kWarned{"warned", "", Direction::lower, Role::gate};
constexpr ToolMetric kStatus{"status", "", Direction::unknown, Role::context};

void put(ToolRows& rows, std::string_view status) {
  const std::string word = core::to_lower(core::trim(status));
  if (word.starts_with("skip") || word == "not run" || word == "notrun") {
    rows.add(kStatus, Leaf{core::ValueState::text, 0, false, status});
    return;
  }
  const bool warned = word.starts_with("warn");
  rows.add(kPassed, warned || word.starts_with("pass") ? 1 : 0);
  rows.add(kWarned, warned ? 1 : 0);
}

// Where a result was: a GPU of DCGM 3, an entity of DCGM 4, of several nodes with its host.
void put_results(ToolRows& rows, const Value& test, std::string_view name, std::string_view category, std::string_view iteration,
                 const std::map<std::string, std::string>& hosts) {
  for (const Value result : test.find("results").elements()) {
    const Value gpus = result.find("gpu_ids") ? result.find("gpu_ids") : result.find("gpu_id"), id = result.find("entity_id");
    const std::string host(result.find("host_id").text());
    const auto known = hosts.find(host);
    rows.point(name, {{"category", category},
                      {"iteration", iteration},
                      {"host", known == hosts.end() ? std::string_view(host) : std::string_view(known->second)},
                      {"gpu", gpus ? gpus.text() : std::string_view()},
                      {"entity", result.find("entity_group").text()},
                      {"id", id ? id.text() : std::string_view()}});
    put(rows, result.find_string("status"));
  }
  if (const Value summary = test.find("test_summary").find("status")) {
    rows.point(name, {{"category", category}, {"iteration", iteration}, {"of", "all"}});
    put(rows, summary.string());
  }
}

// One run: {"DCGM Diagnostic": {…}} of one node, {"DCGM Diagnostic": "DCGM Multi-Node Diagnostic", …} of several. Gives what it
// failed with.
Value put_run(ToolRows& rows, const Value& run, std::string_view iteration) {
  Value root = run.find("DCGM Diagnostic");
  if (!root) root = run.find("DCGM GPU Diagnostic");
  if (root.is_string()) root = run;
  rows.note("stack.dcgm", root.find("version") ? root.find("version").text() : root.find("metadata").find("version").text());
  for (const Value from : {root, run.find("metadata"), root.find("metadata")}) {
    rows.note("hardware.driver", from.find("Driver Version Detected").text());
  }
  std::map<std::string, std::string> hosts;
  for (const Value host : root.find("hosts").elements()) {
    hosts.emplace(host.find("host_id").text(), host.find_string("hostname"));
    rows.note("stack.dcgm", host.find_string("dcgm_version"));
    rows.note("hardware.driver", host.find_string("driver_version"));
  }
  if (!hosts.empty()) rows.note("parallelism.nodes", std::to_string(hosts.size()));
  for (const Value category : root.find("test_categories").elements()) {
    for (const Value test : category.find("tests").elements()) {
      if (rows.halted()) break;
      put_results(rows, test, test.find_string("name"), category.find_string("category"), iteration, hosts);
    }
  }
  const Value error = root.find("runtime_error");
  return error && !error.text().empty() && !error.is_null() ? error : Value();
}

}  // namespace

core::Expected<core::Measurement> read_dcgm_diag(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "dcgmi diag");
  take_notes(*document, rows.writer);
  const Value root = document->root();
  std::string failure;
  std::size_t line = 0;
  const auto take = [&](const Value& run, std::string_view iteration) {
    const Value error = put_run(rows, run, iteration);
    if (error && failure.empty()) {
      failure = std::string(error.text().substr(0, 200));
      line = error.place().line;
    }
  };
  if (const Value iterations = root.find("iterations"); iterations.is_array()) {
    std::size_t number = 0;
    for (const Value run : iterations.elements()) take(run, std::to_string(++number));
    if (const std::string_view all = root.find_string("Overall Result"); !all.empty()) {
      rows.point("run");
      put(rows, all);
    }
  } else {
    take(root, {});
  }
  if (!failure.empty() && rows.empty())
    return core::fail(rows.error("the diagnostic failed: " + failure, "fix what it names and run it again", line));
  if (!failure.empty()) {
    rows.incomplete("the diagnostic failed: " + failure);
    if (root.find_string("Overall Result").empty()) {
      rows.point("run");
      rows.add(kPassed, 0);
    }
  }
  if (rows.empty()) {
    return core::fail(rows.error("the diagnostic has no test results",
                                 "dcgmi refused to run, or was stopped: look at what it said, and run it again"));
  }
  return rows.finish();
}

extern const Format dcgm_diag_format = {
    .name = "dcgm-diag",
    .title = "DCGM diagnostics of GPUs",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::body, 0.97, {"DCGM Diagnostic"}},
               {Sign::In::body, 0.97, {"DCGM GPU Diagnostic"}},
               {Sign::In::body, 0.97, {"iterations/DCGM Diagnostic"}},
               {Sign::In::body, 0.97, {"iterations/DCGM GPU Diagnostic"}}}},
    .read = read_dcgm_diag,
    .about = {.group = Group::hardware,
              .file = "JSON",
              .produce = "dcgmi diag -r 3 -j > result.json",
              .judged = "`dcgmi diag -j` of DCGM 3 and 4 and `dcgmi mndiag -j`: every test of every device is a gate",
              .key = "test, category, device; the host and the iteration where there are several",
              .trials = "one value a key",
              .context = "DCGM, driver",
              .limits = "numbers in the text of warnings are not read",
              .recognised = "the key `DCGM Diagnostic` or `DCGM GPU Diagnostic`"},
};

}  // namespace plumbline::formats
