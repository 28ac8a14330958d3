#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

using core::JsonWriter;

std::string digest_json(const core::DigestResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.digest.v1").field("verb", "digest");
  json.field("safety", result.path.empty() ? "read_only" : "writes_artifacts");
  json.place_or_null("path", result.path);
  json.key("sources").begin_array();
  for (const std::string& source : result.sources) json.value(source);
  json.end_array();
  json.field("bytes", result.bytes).field("sha256", result.sha256).field("format", result.format);
  json.key("ranks");
  core::compact(json, [&result](JsonWriter& one) {
    one.begin_array();
    for (const std::int64_t rank : result.ranks) one.value(rank);
    one.end_array();
  });
  json.key("rows");
  core::compact(json, [&result](JsonWriter& one) {
    one.begin_object();
    for (const auto& [table, rows] : result.rows) one.field(table, rows);
    one.end_object();
  });
  json.field("kernels", result.kernels).field("kernel_ns", result.kernel_ns).field("steps", result.steps);
  json.field("devices", result.devices);
  json.key("warnings").begin_array();
  for (const core::Warning& warning : result.warnings) {
    core::compact(json, [&warning](JsonWriter& one) {
      one.begin_object().field("code", warning.code.text()).field("message", warning.message).end_object();
    });
  }
  json.end_array().end_object();
  return text + "\n";
}

std::string digest_table(const core::DigestResult& result) {
  std::string of = result.ranks.size() > 1    ? core::counted(result.ranks.size(), "rank")
                   : result.ranks.size() == 1 ? "rank " + std::to_string(result.ranks.front())
                                              : std::string("a capture");
  std::string out = "digest of " + of + " (" + core::cited_word(result.format) + "): " + std::to_string(result.bytes) +
                    " bytes, " + core::counted(result.kernels, "kernel") + ", " + core::counted(result.steps, "step") + ", " +
                    core::counted(result.devices, "device") + "\n";
  std::vector<std::string> tables;
  for (const auto& [table, rows] : result.rows) {
    if (rows > 0) tables.push_back(table + " " + std::to_string(rows));
  }
  out += "rows: " + core::listed(tables, 16) + "\n";
  out += result.path.empty() ? "not written: `--out FILE` keeps it\n" : "written: " + core::cited_path(result.path) + "\n";
  return out;
}

}  // namespace plumbline::reports
