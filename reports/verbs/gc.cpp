// What gc keeps and takes away.
#include <algorithm>

#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/json_parts.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"
#include "reports/verbs/upkeep.hpp"

namespace plumbline::reports {

namespace {

std::string state_of(const core::GcPublication& one, bool dry_run) {
  if (!one.problem.empty()) return "failed";
  if (one.kept) return "kept";
  return dry_run ? "would be removed" : "removed";
}

std::string why_of(const core::GcPublication& one) { return one.problem.empty() ? core::listed(one.reasons) : one.problem; }

std::string gc_with(const core::GcResult& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.gc.v1");
  json.field("tool", "").field("verb", "gc").field("safety", "writes_artifacts").place("root", result.root);
  json.field("rule", result.rule).field("dry_run", result.dry_run).field("kept", result.kept).field("removed", result.removed);
  json.field("bytes", result.bytes).field("failed", result.failed).key("publications").begin_array();
  // What goes comes first.
  std::vector<const core::GcPublication*> all;
  for (const auto& one : result.publications) all.push_back(&one);
  std::ranges::stable_sort(all, {}, [](const core::GcPublication* one) { return one->kept; });
  const auto shown = first(all, share.items);
  for (const core::GcPublication* one : shown) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("kind", one->kind).field("family", one->family).field("measurement", one->measurement);
      out.field("slug", one->slug).field("state", state_of(*one, result.dry_run)).key("reasons").begin_array();
      for (const std::string& reason : one->reasons) out.value(reason);
      out.end_array();
      if (!one->kept) out.field("bytes", one->bytes);
      if (!one->problem.empty()) out.field("problem", shorten_bytes(one->problem, share.text));
      out.end_object();
    });
  }
  json.end_array();
  write_omitted(json, "publications", all.size(), shown.size());
  write_warnings(json, result.warnings);
  json.end_object();
  return text + "\n";
}

}  // namespace

std::string gc_json(const core::GcResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return gc_with(result, share); });
}

std::string gc_table(const core::GcResult& result, bool colour) {
  constexpr std::size_t kShown = 60;
  const Terminal terminal(colour);
  Table table({"publication", "", "kept because"}, {true, true, true});
  for (std::size_t i = 0; i < std::min(result.publications.size(), kShown); ++i) {
    const core::GcPublication& one = result.publications[i];
    const std::string kind = one.kind == "bundle" ? "diff " : "";
    table.add({{one_line(kind + one.family + "/" + one.measurement + "@" + one.slug)},
               {state_of(one, result.dry_run), one.kept ? Paint::dim : Paint::yellow},
               {one_line(why_of(one))}});
  }
  std::string out = table.empty() ? std::string() : table.text(terminal, 140) + "\n";
  if (result.publications.size() > kShown)
    out += "… and " + core::counted(result.publications.size() - kShown, "more publication") + "\n";
  out += std::to_string(result.kept) + " kept, " + std::to_string(result.removed) +
         (result.dry_run ? " would be removed" : " removed") + " (" + byte_count(result.bytes) + ")\n";
  if (result.dry_run && result.removed != 0) out += "nothing was removed: `--yes` does it, for good\n";
  return out;
}

}  // namespace plumbline::reports
