#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/captures/ranks.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

using core::JsonWriter;

namespace {

void write_warnings(JsonWriter& json, const std::vector<core::Warning>& warnings) {
  json.key("warnings").begin_array();
  for (const core::Warning& warning : warnings) {
    core::compact(json, [&warning](JsonWriter& one) {
      one.begin_object().field("code", warning.code.text()).field("message", warning.message).end_object();
    });
  }
  json.end_array();
}

}  // namespace

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
  if (result.job) write_job(json, "job", *result.job, false);
  write_warnings(json, result.warnings);
  json.end_object();
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
  if (result.job) out += ranks_lines(*result.job);
  out += result.path.empty() ? "not written: `--out FILE` keeps it\n" : "written: " + core::cited_path(result.path) + "\n";
  return out;
}

std::string shard_json(const core::ShardResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.digest.v1").field("verb", "digest").field("safety", "writes_artifacts");
  json.place("path", result.path);
  json.key("sources").begin_array().value(result.source).end_array();
  json.field("shard", result.shard).field("shards", result.shards).field("captures", result.captures);
  json.key("digests").begin_array();
  for (const core::ShardResult::Written& each : result.digests) {
    core::compact(json, [&each](JsonWriter& one) {
      one.begin_object().field("rank", each.rank).field("source", each.source).field("file", each.file);
      one.field("bytes", each.bytes).field("sha256", each.sha256).end_object();
    });
  }
  json.end_array();
  write_failures(json, result.failed);
  write_warnings(json, result.warnings);
  json.end_object();
  return text + "\n";
}

std::string shard_table(const core::ShardResult& result) {
  std::string out = "shard " + std::to_string(result.shard) + " of " + std::to_string(result.shards) + ": " +
                    core::counted(result.digests.size(), "digest") + " of " + core::counted(result.captures, "capture") + " in " +
                    core::cited_path(result.path) + "\n";
  if (!result.failed.empty()) out += "failed: " + core::counted(result.failed.size(), "capture") + "; each left a record there\n";
  return out;
}

}  // namespace plumbline::reports
