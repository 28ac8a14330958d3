// What inspect, verify and search answer.
#include <algorithm>

#include "core/text.hpp"
#include "reports/budget.hpp"
#include "reports/terminal/terminal.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kInspectRows = 50;
constexpr std::size_t kInspectTable = 20;
constexpr std::size_t kInspectDims = 16;

void table_warnings(std::string& out, const Terminal& terminal, const std::vector<core::Warning>& warnings) {
  for (const core::Warning& warning : warnings)
    out += terminal.paint(Paint::yellow, "warning") + "     " + one_line(warning.message) + "\n";
}

void write_row(JsonWriter& out, const core::Measurement& all, const core::Row& row, const Share& share) {
  const core::MetricClass& metric_class = all.metric_class(row);
  const auto cut = [&share](std::string_view text) { return shorten_bytes(text, share.text); };
  out.begin_object().field("key", cut(all.key(row))).field("metric", cut(all.metric(row))).key("dims").begin_object();
  std::size_t dims = 0;
  for (const auto& [name, value] : all.dims(row)) {
    const std::string_view dim = all.pool().view(name);
    if (dims++ < kInspectDims && dim.size() <= share.text) out.field(dim, cut(all.pool().view(value)));
  }
  out.end_object().key("unit");
  if (all.unit(row).empty())
    out.null();
  else
    out.value(cut(all.unit(row)));
  out.field("unit_source", to_string(metric_class.unit_source)).field("direction", to_string(metric_class.direction));
  out.field("direction_source", to_string(metric_class.direction_source));
  if (metric_class.direction_note != 0) out.field("direction_note", cut(all.pool().view(metric_class.direction_note)));
  out.field("role", to_string(metric_class.role)).field("state", to_string(row.state)).key("values").begin_array();
  const std::span<const double> values = all.values(row);
  for (const double value : values.first(std::min<std::size_t>(values.size(), 10))) out.value(value);
  out.end_array().field("trials", row.value_count);
  if (row.text != 0) out.field("text", shorten_bytes(all.pool().view(row.text), std::min<std::size_t>(share.text, 200)));
  out.end_object();
}

void write_explained(JsonWriter& json, const core::Explained& explained, const Share& share) {
  json.key("explained").begin_object().field("statement", explained.statement);
  json.field("lines_taken", explained.taken).field("lines_left", explained.left);
  const std::size_t shown = std::min(explained.lines.size(), share.items);
  json.key("lines").begin_array();
  for (std::size_t i = 0; i < shown; ++i) {
    const core::Explained::Line& line = explained.lines[i];
    compact(json, [&](JsonWriter& out) {
      out.begin_object()
          .field("line", std::uint64_t{line.number})
          .field("text", shorten_bytes(line.text, share.text))
          .key("taken_by");
      if (line.taken_by.empty())
        out.null();
      else
        out.value(shorten_bytes(line.taken_by, share.text));
      out.end_object();
    });
  }
  json.end_array();
  write_omitted(json, "lines", explained.lines.size(), shown);
  write_strings(json, "paths", shortened(explained.paths, share.items, share.text));
  json.key("draft");
  if (explained.draft.empty())
    json.null();
  else
    json.value(explained.draft);
  json.end_object();
}

std::string inspect_with(const core::InspectResult& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.inspect.v1");
  json.field("tool", "measurement_inspect").field("verb", "inspect").field("safety", "read_only").field("path", result.path);
  json.key("format").begin_object().field("name", shorten_bytes(result.format.name, 100));
  json.field("confidence", result.format.confidence);
  write_strings(json, "evidence", shortened(result.format.evidence, std::min<std::size_t>(share.items, 10), share.text));
  const auto text_or_null = [&](std::string_view name, std::string_view word) {
    json.key(name);
    if (word.empty())
      json.null();
    else
      json.value(shorten_bytes(word, 100));
  };
  text_or_null("runner_up", result.format.runner_up);
  text_or_null("version", result.format.version);
  json.end_object().field("shape", to_string(result.shape));
  const std::size_t count = result.measurement != nullptr ? result.measurement->rows().size() : 0;
  json.field("row_count", std::uint64_t{count}).key("rows").begin_array();
  const std::size_t shown = std::min({count, kInspectRows, share.items});
  for (std::size_t i = 0; i < shown; ++i) {
    compact(json, [&](JsonWriter& out) { write_row(out, *result.measurement, result.measurement->rows()[i], share); });
  }
  json.end_array();
  write_omitted(json, "rows", count, shown);
  if (result.profile) {
    const core::ProfileSummary& profile = *result.profile;
    json.key("profile")
        .begin_object()
        .field("kernels", profile.kernels)
        .field("copies", profile.copies)
        .field("api_calls", profile.api_calls);
    json.field("ranges", profile.ranges).field("devices", profile.devices).field("streams", profile.streams);
    json.field("span_ns", profile.span_ns).field("gpu_busy_ns", profile.gpu_busy_ns);
    write_strings(json, "device_names", shortened(profile.devices_names, std::min<std::size_t>(share.items, 16), share.text));
    json.end_object();
  }
  const std::vector<std::string> headline = shortened(result.headline, std::min<std::size_t>(share.items, 20), share.text);
  write_strings(json, "headline", headline);
  write_omitted(json, "headline", result.headline.size(), headline.size());
  write_some_context(json, result.context, share);
  if (result.explained) write_explained(json, *result.explained, share);
  write_some_warnings(json, result.warnings, std::min<std::size_t>(share.items, 20), share.text, "");
  if (count > shown)
    json.field("hint", R"(key, a glob like "*p99*", chooses the rows; response_format "detailed" shows up to 50)");
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string inspect_json(const core::InspectResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return inspect_with(result, share); });
}

namespace {

// "+" a line that was taken, " " one that was left, as a text diff marks what is new.
std::string explained_text(const core::Explained& explained, const Terminal& terminal) {
  std::string out = "\n";
  if (!explained.paths.empty()) {
    out += "  taken by the " + one_line(explained.statement) + ": " +
           one_line(core::listed(explained.paths, explained.paths.size())) + "\n";
  }
  if (!explained.lines.empty()) {
    out += "  " + core::counted(explained.taken, "line") + " taken by the " + one_line(explained.statement) + " (+), " +
           std::to_string(explained.left) + " left\n";
    for (std::size_t i = 0; i < std::min(explained.lines.size(), kInspectTable); ++i) {
      const core::Explained::Line& line = explained.lines[i];
      const std::string number = std::to_string(line.number);
      const std::string text = "  " + std::string(line.taken_by.empty() ? " " : "+") +
                               std::string(number.size() < 5 ? 5 - number.size() : 1, ' ') + number + "  " +
                               shorten_middle(one_line(line.text), 110);
      out += terminal.paint(line.taken_by.empty() ? Paint::none : Paint::green, text) + "\n";
    }
    if (explained.lines.size() > kInspectTable)
      out += "  … and " + grouped(explained.taken + explained.left - kInspectTable) + " more\n";
  }
  if (explained.draft.empty()) return out;
  out += "\n  A draft of its format, every word a guess: correct it and put it in plumbline.yaml.\n\n  formats:\n";
  for (const std::string_view line : core::split(explained.draft, '\n')) {
    if (!line.empty()) out += "  " + std::string(line) + "\n";
  }
  return out;
}

}  // namespace

std::string inspect_table(const core::InspectResult& result, bool colour) {
  const Terminal terminal(colour);
  std::string out = terminal.paint(Paint::bold, one_line(result.path)) + "\n";
  out += "format      " + one_line(result.format.name);
  if (!result.format.version.empty()) out += " " + one_line(result.format.version);
  out += ", confidence " + core::short_number(result.format.confidence, 2);
  if (!result.format.runner_up.empty()) out += " (runner-up: " + one_line(result.format.runner_up) + ")";
  out += "\n";
  for (const std::string& evidence : result.format.evidence) out += "            " + one_line(evidence) + "\n";
  const std::size_t count = result.measurement != nullptr ? result.measurement->rows().size() : 0;
  out += "shape       " + std::string(to_string(result.shape)) +
         (result.measurement != nullptr ? ", " + core::counted(count, "row") : "") + "\n";
  if (result.profile) {
    const core::ProfileSummary& profile = *result.profile;
    out += "capture     " + core::counted(profile.kernels, "kernel") + ", " + core::counted(profile.copies, "copy", "copies") +
           ", " + core::counted(profile.api_calls, "API call") + ", " + core::counted(profile.ranges, "range") + "; " +
           core::counted(profile.devices, "device") + ", " + core::counted(profile.streams, "stream") + "; span " +
           time_text(profile.span_ns) + ", GPU busy " + time_text(profile.gpu_busy_ns) + "\n";
  }
  if (!result.headline.empty()) out += "headline    " + one_line(core::listed(result.headline)) + "\n";
  for (const auto& [key, value] : result.context) out += "context     " + one_line(key) + " = " + one_line(value) + "\n";
  table_warnings(out, terminal, result.warnings);
  if (result.explained) out += explained_text(*result.explained, terminal);
  if (count == 0) return out;
  Table table({"key", "value", "trials", "direction", "role", "state"}, {true, false, false, true, true, true});
  const core::Measurement& all = *result.measurement;
  for (std::size_t i = 0; i < std::min(count, kInspectTable); ++i) {
    const core::Row& row = all.rows()[i];
    const core::MetricClass& metric_class = all.metric_class(row);
    const std::span<const double> values = all.values(row);
    std::string value = values.empty() ? (row.text != 0 ? shorten_middle(one_line(all.pool().view(row.text)), 30) : "-")
                                       : figure(values[0], all.unit(row));
    if (values.size() > 1) value += ", …";
    table.add(
        {{one_line(all.key(row))},
         {std::move(value)},
         {std::to_string(row.value_count)},
         {std::string(to_string(metric_class.direction)) + " (" + std::string(to_string(metric_class.direction_source)) + ")"},
         {std::string(to_string(metric_class.role))},
         {std::string(to_string(row.state)), row.state == core::ValueState::number ? Paint::none : Paint::yellow}});
  }
  out += "\n" + table.text(terminal, 140);
  if (count > kInspectTable) out += "  … and " + grouped(count - kInspectTable) + " more\n";
  return out;
}

namespace {

// What the signed statement says; `trusted` says whether it is to be believed.
void write_attested(JsonWriter& json, const core::Attested& attested, const Share& share) {
  json.key("attestation").begin_object().place("envelope_sha256", attested.envelope_sha256);
  json.place("keyid", shorten_bytes(attested.keyid, 64)).field("kind", attested.kind);
  json.field("family", attested.family).field("measurement", attested.measurement).field("slug", attested.slug);
  json.field("sequence", attested.sequence).place_or_null("previous", attested.previous);
  json.field("operator_user", shorten_bytes(attested.operator_user, share.text));
  json.field("hostname", shorten_bytes(attested.hostname, share.text));
  json.field("published_at_utc", shorten_bytes(attested.published_at_utc, share.text)).end_object();
}

void write_verify_counts(JsonWriter& json, const core::VerifyCounts& counts) {
  json.key("counts").begin_object().field("lines", counts.lines).field("publications", counts.publications);
  json.field("signed", counts.with_signature).field("trusted", counts.trusted).field("faulty", counts.faulty);
  if (counts.removed != 0) json.field("removed", counts.removed);
  json.end_object();
}

std::string verify_with(const core::VerifyResult& result, const Share& share) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.verify.v1");
  json.field("tool", "bundle_verify").field("verb", "verify").field("safety", "read_only");
  json.field("ok", result.ok).field("kind", result.kind).place("path", result.path).key("bundle_sha256");
  if (result.bundle_sha256.empty())
    json.null();
  else
    json.value(result.bundle_sha256);
  json.field("signed", result.is_signed).field("trusted", result.trusted).field("files", result.files);
  if (result.recomputed) {
    const core::Recomputed& again = *result.recomputed;
    json.key("recomputed").begin_object().field("made_again", again.made_again);
    if (again.made_again) json.field("verdict", again.verdict).field("tier", again.tier).field("rows", again.rows);
    json.end_object();
  }
  if (result.attested) write_attested(json, *result.attested, share);
  if (result.counts) write_verify_counts(json, *result.counts);
  if (!result.checkpoint.empty()) json.place("checkpoint", result.checkpoint);
  json.key("problems").begin_array();
  const std::span<const core::VerifyProblem> problems = first(result.problems, share.items);
  for (const core::VerifyProblem& problem : problems) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("code", problem.code.text()).field("path", shorten_bytes(problem.path, share.text));
      out.field("message", core::shorten_sentence(problem.message, share.text)).end_object();
    });
  }
  json.end_array();
  write_omitted(json, "problems", result.problems.size(), problems.size());
  write_some_warnings(json, result.warnings, std::min<std::size_t>(share.items, 20), share.text, "");
  if (result.problems.size() > problems.size()) {
    json.field("hint", R"(response_format "detailed" lists more; sha256sum -c SHA256SUMS in path names every file that changed)");
  }
  json.end_object();
  text += '\n';
  return text;
}

std::string search_with(const core::SearchResult& result, const Share& share) {
  std::string text;
  const auto cut = [&share](std::string_view word) { return shorten_bytes(word, share.text); };
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.search.v1");
  json.field("tool", "search_evidence").field("verb", "search").field("safety", "read_only");
  json.field("query", cut(result.query)).field("total", result.total).key("hits").begin_array();
  const std::span<const core::SearchHit> hits = first(result.hits, share.items);
  for (const core::SearchHit& hit : hits) {
    compact(json, [&](JsonWriter& out) {
      out.begin_object().field("kind", hit.kind).field("family", hit.family).field("measurement", hit.measurement);
      out.field("slug", hit.slug).place("path", hit.path).field("date", cut(hit.date));
      if (!hit.verdict.empty()) out.field("verdict", cut(hit.verdict));
      if (!hit.tier.empty()) out.field("tier", cut(hit.tier));
      if (!hit.superseded_by.empty()) out.field("superseded_by", hit.superseded_by);
      if (hit.value) out.field("value", *hit.value);
      if (!hit.unit.empty()) out.field("unit", cut(hit.unit));
      if (!hit.label.empty()) out.field("label", cut(hit.label));
      if (!hit.notes.empty()) out.field("notes", shorten_bytes(hit.notes, std::min<std::size_t>(share.text, 400)));
      out.field("score", hit.score);
      write_strings(out, "matched", shortened(hit.matched, 20, share.text));
      out.end_object();
    });
  }
  json.end_array();
  write_omitted(json, "hits", result.total, hits.size());
  write_some_warnings(json, result.warnings, std::min<std::size_t>(share.items, 20), share.text, "");
  if (result.total > hits.size()) {
    json.field(
        "hint",
        R"(narrow it with family, measurement, verdict, key, since or until; response_format "detailed" and limit show more)");
  }
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace

std::string verify_json(const core::VerifyResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return verify_with(result, share); });
}

namespace {

// "verified" is said of what a trusted key has signed, and of nothing else.
std::string_view verify_word(const core::VerifyResult& result) {
  const bool lines = result.counts.has_value();
  if (!result.ok) return "NOT OK";
  if (result.trusted) return "verified";
  const bool digests = lines || !result.bundle_sha256.empty();  // the reference tool's publications have one at most
  if (result.kind == "envelope") return result.is_signed ? "no fault found, the key is not known" : "no fault found, unsigned";
  if (result.is_signed) return digests ? "digests match, signature not checked" : "no fault found, signature not checked";
  if (lines && result.counts->with_signature > 0) return "digests match, partly unsigned";
  return digests ? "digests match, unsigned" : "no fault found, unsigned";
}

std::string signature_words(const core::VerifyResult& result) {
  if (!result.is_signed) return "none";
  if (!result.trusted) return result.ok ? "present, by no key that was given" : "present, not good for this";
  std::string out = "good, by a trusted key";
  if (result.attested) out += ", number " + std::to_string(result.attested->sequence) + " of its line";
  return out;
}

void verify_lines_text(std::string& out, const core::VerifyResult& result) {
  const core::VerifyCounts& counts = *result.counts;
  out += "lines       " + grouped(counts.lines) + "\n";
  out += "published   " + grouped(counts.publications) + ", of which signed " + grouped(counts.with_signature) +
         ", by a trusted key " + grouped(counts.trusted) + ", with problems " + grouped(counts.faulty) + "\n";
  if (counts.removed != 0) out += "removed     " + grouped(counts.removed) + " by gc, each with its tombstone\n";
  out += "files       " + core::counted(result.files, "file") + " held against SHA256SUMS\n";
  if (!result.checkpoint.empty()) out += "checkpoint  " + one_line(result.checkpoint) + "\n";
}

void verify_publication_text(std::string& out, const core::VerifyResult& result) {
  if (result.kind == "envelope") {
    out += "content     " + one_line(result.bundle_sha256) + "\n";
  } else {
    out += "files       " + core::counted(result.files, "file") + " held against SHA256SUMS\n";
    if (!result.bundle_sha256.empty()) out += "sha256      " + one_line(result.bundle_sha256) + "\n";
  }
  out += "signature   " + signature_words(result) + "\n";
  if (result.recomputed && result.recomputed->made_again) {
    out += "recomputed  " + one_line(result.recomputed->verdict) + " (" + one_line(result.recomputed->tier) + ")";
    if (result.recomputed->rows > 0) out += ", " + core::counted(result.recomputed->rows, "row") + " compared";
    out += "\n";
  }
  if (!result.attested || !result.trusted) return;
  const core::Attested& attested = *result.attested;
  out += "signed      " + one_line(attested.published_at_utc) + " by " + one_line(attested.operator_user) + " on " +
         one_line(attested.hostname) + ", as " + one_line(attested.kind) + " " + one_line(attested.family) + "/" +
         one_line(attested.measurement) + "\n";
}

}  // namespace

std::string verify_table(const core::VerifyResult& result, bool colour) {
  const Terminal terminal(colour);
  std::string out = terminal.paint(!result.ok ? Paint::red : result.trusted ? Paint::green : Paint::none, verify_word(result));
  out += "  " + one_line(result.kind) + " " + one_line(result.path) + "\n";
  if (result.counts) {
    verify_lines_text(out, result);
  } else {
    verify_publication_text(out, result);
  }
  for (const core::VerifyProblem& problem : result.problems) {
    out += terminal.paint(Paint::red, "problem") + "     " + one_line(problem.path) + (problem.path.empty() ? "" : ": ") +
           one_line(problem.message) + " (" + one_line(problem.code.text()) + ")\n";
  }
  table_warnings(out, terminal, result.warnings);
  return out;
}

std::string search_json(const core::SearchResult& result, ResponseFormat format) {
  return fitted(format, [&](const Share& share) { return search_with(result, share); });
}

std::string search_table(const core::SearchResult& result, bool colour) {
  const Terminal terminal(colour);
  std::string out =
      core::counted(result.total, "hit") + (result.query.empty() ? "" : " for \"" + one_line(result.query) + "\"") + "\n";
  Table table({"what", "date", "verdict", "value", "path"}, {true, true, true, false, true});
  for (const core::SearchHit& hit : result.hits) {
    const Paint paint = hit.verdict == "RED"      ? Paint::red
                        : hit.verdict == "YELLOW" ? Paint::yellow
                        : hit.verdict == "GREEN"  ? Paint::green
                                                  : Paint::none;
    std::string verdict = hit.verdict.empty() ? "-" : one_line(hit.verdict);
    if (!hit.superseded_by.empty()) verdict += ", superseded by " + one_line(hit.superseded_by);
    table.add({{one_line(hit.kind) + " " + one_line(hit.family) + "/" + one_line(hit.measurement) + "@" + one_line(hit.slug)},
               {one_line(hit.date)},
               {verdict, hit.superseded_by.empty() ? paint : Paint::dim},
               {hit.value ? figure(*hit.value, hit.unit) : "-"},
               {one_line(hit.path)}});
  }
  if (!table.empty()) out += "\n" + table.text(terminal, 160);
  if (result.total > result.hits.size()) out += "  … and " + grouped(result.total - result.hits.size()) + " more\n";
  table_warnings(out, terminal, result.warnings);
  return out;
}

}  // namespace plumbline::reports
