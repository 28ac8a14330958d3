#include "reports/culprits.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

void write_part(JsonWriter& json, const core::PartCount& part, std::size_t bytes) {
  json.begin_object().field("predicate", shorten_bytes(part.predicate, bytes));
  json.field("regressed", part.regressed).field("rows", part.rows).end_object();
}

void write_terms(JsonWriter& json, const core::Culprit& culprit, const CulpritDetail& detail) {
  json.key("terms").begin_array();
  for (const core::CulpritTerm& term : culprit.terms) {
    json.begin_object().field("dimension", shorten_bytes(term.dimension, detail.text_bytes)).field("op", term.op);
    std::vector<std::string> values;
    for (const std::string& value : term.values) values.push_back(shorten_bytes(value, detail.text_bytes));
    write_strings(json, "values", values);
    json.end_object();
  }
  json.end_array();
}

// Its regressed rows, the first of them in the order of the file.
std::vector<std::string> keys_of(const core::Culprit& culprit, const core::Comparison& rows, const CulpritDetail& detail) {
  std::vector<std::string> keys;
  for (const std::uint32_t i : culprit.rows) {
    if (keys.size() == detail.keys) break;
    const core::Delta& delta = rows.deltas[i];
    if (delta.state != core::State::regressed) continue;
    keys.push_back(shorten_bytes(rows.baseline->pool().view(delta.key), detail.text_bytes));
  }
  return keys;
}

void write_culprit(JsonWriter& json, const core::Culprit& culprit, const core::Comparison& rows, const CulpritDetail& detail) {
  json.begin_object().field("predicate", shorten_bytes(culprit.predicate, detail.text_bytes));
  write_terms(json, culprit, detail);
  json.key("coverage").begin_object();
  json.field("regressed_in", culprit.regressed_in).field("regressed_total", culprit.regressed_total);
  json.field("others_in", culprit.others_in).field("others_total", culprit.others_total).end_object();
  json.field("precision", culprit.precision()).field("recall", culprit.recall());
  json.field("p", culprit.p).field("effect_pct", culprit.effect_pct);
  json.key("not_affected").begin_array();
  for (const core::PartCount& part : culprit.not_affected) write_part(json, part, detail.text_bytes);
  json.end_array();
  write_strings(json, "keys", keys_of(culprit, rows, detail));
  json.key("runner_up");
  if (culprit.runner_up) {
    write_part(json, *culprit.runner_up, detail.text_bytes);
  } else {
    json.null();
  }
  json.end_object();
}

std::string part_text(const core::PartCount& part) {
  return core::cited(part.predicate) + " (" + grouped(part.regressed) + " of " + core::counted(part.rows, "row") + ")";
}

}  // namespace

void write_culprits(JsonWriter& json, const core::DiffResult& result, const CulpritDetail& detail) {
  if (result.culprits.empty() || result.comparison() == nullptr) return;
  json.key("culprits").begin_array();
  for (std::size_t i = 0; i < std::min(result.culprits.size(), detail.culprits); ++i) {
    compact(json, [&](JsonWriter& out) { write_culprit(out, result.culprits[i], *result.comparison(), detail); });
  }
  json.end_array();
}

std::string coverage_text(const core::Culprit& culprit) {
  return grouped(culprit.regressed_in) + " of " + core::counted(culprit.regressed_total, "regressed row") + " and " +
         core::counted(culprit.others_in, "other") + ", " + core::signed_number(culprit.effect_pct, 3) + " %";
}

std::string not_affected_text(const core::Culprit& culprit) {
  std::string out;
  for (const core::PartCount& part : culprit.not_affected) {
    out += (out.empty() ? "" : ", ") + part_text(part);
  }
  return out;
}

std::string runner_up_text(const core::Culprit& culprit) {
  return culprit.runner_up ? part_text(*culprit.runner_up) : std::string();
}

std::string culprits_markdown(const core::DiffResult& result) {
  if (result.culprits.empty()) return {};
  std::string out = "\n**Which part**\n\n";
  for (const core::Culprit& culprit : result.culprits) {
    out += "- " + markdown_code(culprit.predicate) + ": " + markdown_text(coverage_text(culprit)) + ", by chance p " +
           core::short_number(culprit.p, 2) + "\n";
    if (!culprit.not_affected.empty()) out += "  - not affected: " + markdown_text(not_affected_text(culprit)) + "\n";
    if (culprit.runner_up) out += "  - next best: " + markdown_text(runner_up_text(culprit)) + "\n";
  }
  return out;
}

bool in_culprit(const core::DiffResult& result, std::uint32_t delta) {
  return std::any_of(result.culprits.begin(), result.culprits.end(), [&](const core::Culprit& culprit) {
    return std::binary_search(culprit.rows.begin(), culprit.rows.end(), delta);
  });
}

}  // namespace plumbline::reports
