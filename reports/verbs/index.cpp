// What the index of a registry knows.
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/text.hpp"
#include "reports/verbs/upkeep.hpp"

namespace plumbline::reports {

std::string index_json(const core::IndexResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.index.v1");
  json.field("tool", "").field("verb", "index").field("safety", "read_only").place("root", result.root);
  json.field("action", result.action).place_or_null("path", result.path).field("bytes", result.bytes);
  json.field("lines", result.lines).field("publications", result.publications).field("kept", result.kept);
  json.field("right", result.right).field("old", result.old).key("wrong").begin_array();
  for (const std::string& line : result.wrong) json.value(line);
  json.end_array().field("dropped", result.dropped).field("derived", result.derived);
  if (result.derived) {
    json.field("points", result.points).field("added", result.added).field("removed", result.removed);
    json.field("by_journal", result.by_journal).field("unreadable", result.unreadable).field("differences", result.differences);
  }
  json.end_object();
  return text + "\n";
}

namespace {

std::string derived_text(const core::IndexResult& result) {
  if (result.action == "drop") return "dropped the index " + one_line(result.path) + "\n";
  std::string out = "index       " + one_line(result.path) + " (" + byte_count(result.bytes) + ")\n";
  out += (result.by_journal ? "journal     " : "registry    ") + core::counted(result.publications, "publication") + " in " +
         core::counted(result.lines, "line");
  if (result.unreadable != 0) out += ", of which " + std::to_string(result.unreadable) + " cannot be read";
  out += "\nknown       " + core::counted(result.kept, "publication") + " with " + core::counted(result.points, "value") + "\n";
  if (result.action == "check") {
    out += "differences " + std::to_string(result.differences) + "\n";
  } else {
    out += "added       " + std::to_string(result.added) + ", removed " + std::to_string(result.removed) + "\n";
  }
  for (const std::string& line : result.wrong) out += "  " + one_line(line) + "\n";
  if (result.differences > result.wrong.size())
    out += "  and " + std::to_string(result.differences - result.wrong.size()) + " more\n";
  return out;
}

}  // namespace

std::string index_text(const core::IndexResult& result) {
  if (result.derived) return derived_text(result);
  if (result.path.empty()) return "no index is kept here: PLUMBLINE_CACHE_DIR names a folder for it\n";
  if (result.action == "drop") return (result.dropped ? "removed " : "there was no ") + one_line(result.path) + "\n";
  std::string out = "index       " + one_line(result.path) + " (" + byte_count(result.bytes) + ")\n";
  out += (result.by_journal ? "journal     " : "registry    ") + core::counted(result.publications, "publication") + " in " +
         core::counted(result.lines, "line") + ", of which " + std::to_string(result.kept) + " large\n";
  out +=
      "known       " + std::to_string(result.right) + " as they are now, " + std::to_string(result.old) + " not or no longer\n";
  for (const std::string& line : result.wrong) out += "wrong       " + one_line(line) + "\n";
  return out;
}

}  // namespace plumbline::reports
