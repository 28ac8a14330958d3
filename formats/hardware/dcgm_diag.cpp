// dcgmi diag -j, of DCGM 3 ("DCGM GPU Diagnostic", gpu_ids, or gpu_id of one) and 4 ("DCGM Diagnostic", entities). Every test of
// every device passed or did not: gates, nothing measured. A word that is neither Pass, Warn nor Skip is no pass. Skipped tests
// are context.
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

}  // namespace

Detection detect_dcgm_diag(const Input& input) {
  Detection detection;
  if (body_has_keys(input, {"DCGM Diagnostic"}, detection) || body_has_keys(input, {"DCGM GPU Diagnostic"}, detection))
    detection.score = 0.97;
  return detection;
}

core::Expected<core::Measurement> read_dcgm_diag(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "dcgmi diag");
  take_notes(*document, rows.writer);
  Value root = document->root().find("DCGM Diagnostic");
  if (!root) root = document->root().find("DCGM GPU Diagnostic");
  if (const std::string_view error = root.find("runtime_error").text(); !error.empty() && error != "null") {
    return core::fail(rows.error("the diagnostic failed: " + std::string(error.substr(0, 200)),
                                 "mend what it names and run it again", root.find("runtime_error").place().line));
  }
  rows.note("stack.dcgm", root.find("version") ? root.find("version").text() : root.find("metadata").find("version").text());
  for (const Value from : {root, document->root().find("metadata"), root.find("metadata")}) {
    rows.note("hardware.driver", from.find("Driver Version Detected").text());
  }
  for (const Value category : root.find("test_categories").elements()) {
    const std::string_view group = category.find_string("category");
    for (const Value test : category.find("tests").elements()) {
      if (rows.halted()) break;
      const std::string_view name = test.find_string("name");
      for (const Value result : test.find("results").elements()) {
        const Value gpus = result.find("gpu_ids") ? result.find("gpu_ids") : result.find("gpu_id"), id = result.find("entity_id");
        rows.point(name, {{"category", group},
                          {"gpu", gpus ? gpus.text() : std::string_view()},
                          {"entity", result.find("entity_group").text()},
                          {"id", id ? id.text() : std::string_view()}});
        put(rows, result.find_string("status"));
      }
      if (const Value summary = test.find("test_summary").find("status")) {
        rows.point(name, {{"category", group}, {"of", "all"}});
        put(rows, summary.string());
      }
    }
  }
  if (rows.empty()) {
    return core::fail(rows.error("the diagnostic has no test results",
                                 "dcgmi refused to run, or was stopped: look at what it said, and run it again"));
  }
  rows.writer.out.replication = core::Replication::run;
  return rows.finish();
}

extern const Format dcgm_diag_format = {
    .name = "dcgm-diag",
    .title = "dcgmi diag -j",
    .replication = core::Replication::run,
    .detect = detect_dcgm_diag,
    .read = read_dcgm_diag,
    .about = {.judged = "`dcgmi diag -j` of DCGM 3 and 4: every test of every device is a gate",
              .key = "test, category, device",
              .trials = "one value a key",
              .context = "DCGM, driver",
              .limits = "numbers in the text of warnings are not read",
              .recognised = "the key `DCGM Diagnostic` or `DCGM GPU Diagnostic`"},
};

}  // namespace plumbline::formats
