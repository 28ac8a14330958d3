// diff.html: the page that a reviewer opens. Data goes into the template of page_template.hpp; nothing is computed here but
// what fits on a page.
#include <algorithm>
#include <kainjow/mustache.hpp>
#include <set>

#include "core/results/sol_words.hpp"
#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/captures/page_template.hpp"
#include "reports/captures/parts.hpp"
#include "reports/chart.hpp"
#include "reports/culprits.hpp"
#include "reports/matrix.hpp"
#include "reports/native.hpp"
#include "reports/page_template.hpp"
#include "reports/profile_tables.hpp"
#include "reports/reports.hpp"
#include "reports/suite.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using kainjow::mustache::data;
using Kind = kainjow::mustache::data::type;

constexpr std::size_t kPageRows = 100;
constexpr std::size_t kChartRows = 20;
constexpr std::size_t kPageItems = 50;
constexpr std::size_t kPageCases = 500;
constexpr std::size_t kFallParts = 8, kShortTable = 4;

data object() { return data(Kind::object); }
data list() { return data(Kind::list); }
std::string plain(std::string_view text, int width = 400) { return shorten_middle(one_line(text), width); }

void tile(data& tiles, std::uint64_t count, const char* name, const char* tone, bool always = false) {
  if (count == 0 && !always) return;
  data one = object();
  one.set("count", grouped(count));
  one.set("name", name);
  one.set("tone", count > 0 ? tone : "");
  tiles.push_back(one);
}

data tiles_of(const core::Counts& counts) {
  data tiles = list();
  tile(tiles, counts.compared, "compared", "", true);
  tile(tiles, counts.regressed > counts.suspect ? counts.regressed - counts.suspect : 0, "regressed", "bad", true);
  tile(tiles, counts.suspect, "suspect", "doubt");
  tile(tiles, counts.missing, "missing", "bad");
  tile(tiles, counts.invalid, "invalid", "bad");
  tile(tiles, counts.inconclusive, "inconclusive", "doubt");
  tile(tiles, counts.unclassified, "direction unknown", "doubt");
  tile(tiles, counts.improved, "improved", "good", true);
  tile(tiles, counts.unchanged, "unchanged", "", true);
  tile(tiles, counts.added, "added", "");
  tile(tiles, counts.context, "context only", "");
  return tiles;
}

data reasons_of(const core::DiffResult& result) {
  data reasons = list();
  for (const core::Reason& reason : result.reasons) {
    data one = object();
    one.set("code", plain(reason.code.text()));
    one.set("message", plain(reason.message, 1000));
    one.set("has_keys", reason.keys.empty() ? Kind::bool_false : Kind::bool_true);
    data keys = list();
    const std::size_t shown = std::min<std::size_t>(reason.keys.size(), 5);
    for (std::size_t i = 0; i < shown; ++i) keys.push_back(data(plain(reason.keys[i], 120)));
    one.set("keys", keys);
    const std::uint64_t all = std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
    one.set("more", all > shown ? " and " + grouped(all - shown) + " more" : std::string());
    reasons.push_back(one);
  }
  return reasons;
}

void set_parts(data& page, const core::DiffResult& result) {
  data parts = list();
  for (const core::Culprit& culprit : result.culprits) {
    data one = object();
    one.set("predicate", plain(culprit.predicate, 300));
    one.set("coverage", plain(coverage_text(culprit)));
    one.set("p", core::short_number(culprit.p, 2));
    one.set("has_rest", culprit.not_affected.empty() ? Kind::bool_false : Kind::bool_true);
    one.set("rest", plain(not_affected_text(culprit), 600));
    one.set("has_runner_up", culprit.runner_up ? Kind::bool_true : Kind::bool_false);
    one.set("runner_up", plain(runner_up_text(culprit), 300));
    parts.push_back(one);
  }
  page.set("has_parts", result.culprits.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("parts", parts);
}

void set_action(data& page, const core::DiffResult& result) {
  const core::Recommendation& recommendation = result.recommendation;
  const bool any = !recommendation.message.empty() || result.next_lever || !result.promote.empty();
  page.set("has_action", any ? Kind::bool_true : Kind::bool_false);
  if (!recommendation.message.empty()) {
    data action = object();
    action.set("message", plain(recommendation.message, 1000));
    action.set("name", plain(recommendation.action));
    page.set("action", action);
  }
  data suspects = list();
  for (std::size_t i = 0; i < std::min<std::size_t>(recommendation.suspects.size(), 10); ++i) {
    suspects.push_back(data(plain(recommendation.suspects[i], 120)));
  }
  page.set("has_suspects", recommendation.suspects.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("suspects", suspects);
  if (result.next_lever) {
    data lever = object();
    lever.set("name", plain(result.next_lever->lever));
    lever.set("unlock", plain(result.next_lever->expected_unlock));
    lever.set("gate", plain(result.next_lever->gate));
    page.set("lever", lever);
  }
  data promote = list();
  for (const std::string& text : result.promote) promote.push_back(data(plain(text, 600)));
  page.set("has_promote", result.promote.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("promote", promote);
}

void set_sol(data& page, const core::DiffResult& result) {
  data lines = list();
  for (const core::SolLine& line : std::span(result.sol).first(std::min<std::size_t>(result.sol.size(), 8))) {
    data one = object();
    one.set("key", plain(line.row_key, 120));
    one.set("ceiling", plain(line.ceiling_key + ", " + figure(line.ceiling_value, line.ceiling_unit)));
    one.set("svg", sol_chart(line));
    std::string text;
    for (const std::string_view part : core::split(line.text, '\n')) text += (text.empty() ? "" : " · ") + plain(part);
    if (const std::string note = core::sol_note(line); !note.empty()) text += " · " + plain(note);
    one.set("text", text);
    lines.push_back(one);
  }
  page.set("has_sol", result.sol.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("sol", lines);
}

data row_of(const RowView& row) {
  data one = object();
  one.set("key", plain(row.key, 160));
  one.set("headline", row.headline ? Kind::bool_true : Kind::bool_false);
  one.set("gate", row.gate ? Kind::bool_true : Kind::bool_false);
  one.set("has_note", row.note.empty() ? Kind::bool_false : Kind::bool_true);
  one.set("note", plain(row.note));
  one.set("baseline", plain(baseline_cell(row), 40));
  one.set("current", plain(current_cell(row), 40));
  one.set("change", change_cell(row));
  one.set("tone", std::string(tone_of(row)));
  one.set("tolerance", row.tolerance != nullptr ? core::tolerance_text(*row.tolerance) : "–");
  one.set("trials", std::to_string(row.n_baseline) + " / " + std::to_string(row.n_current));
  one.set("p", row.statistics != nullptr && row.statistics->p ? core::short_number(*row.statistics->p, 3) : "–");
  one.set("state", state_text(row));
  one.set("direction",
          row.direction == core::Direction::unknown ? std::string("direction unknown") : std::string(to_string(row.direction)));
  return one;
}

data cells_of(const std::vector<std::string>& texts) {
  data cells = list();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    data cell = object();
    cell.set("text", plain(texts[i], 300));
    cell.set("number", i > 0 ? Kind::bool_true : Kind::bool_false);
    cells.push_back(cell);
  }
  return cells;
}

void set_profile(data& page, const core::ProfileDiff& profile) {
  data tables = list();
  for (const PlainTable& table : profile_tables(profile, 50)) {
    data one = object();
    one.set("title", table.title);
    if (!table.lead.empty()) {
      data lead = object();
      lead.set("text", plain(table.lead, 600));
      one.set("lead", lead);
    }
    one.set("short", table.rows.size() <= kShortTable ? Kind::bool_true : Kind::bool_false);
    one.set("header", cells_of(table.header));
    data rows = list();
    for (const std::vector<std::string>& texts : table.rows) {
      data row = object();
      row.set("cells", cells_of(texts));
      rows.push_back(row);
    }
    one.set("rows", rows);
    tables.push_back(one);
  }
  page.set("has_tables", tables.is_empty_list() ? Kind::bool_false : Kind::bool_true);
  page.set("tables", tables);
}

void set_rows(data& page, const core::DiffResult& result) {
  const Rows rows(result);
  std::vector<RowView> charted;
  data table = list();
  const std::vector<std::uint32_t> top = rows.top(kPageRows);
  for (const std::uint32_t index : top) {
    const RowView row = rows.at(index);
    if (charted.size() < kChartRows && (row.state != core::State::context || row.delta_pct)) charted.push_back(row);
    table.push_back(row_of(row));
  }
  page.set("counted", rows.comparison() == nullptr ? "Calls" : "Trials");
  page.set("has_rows", top.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("rows", table);
  page.set("has_more", rows.size() > top.size() ? Kind::bool_true : Kind::bool_false);
  std::string more = grouped(top.size()) + " of " + grouped(rows.size()) + " rows, worst first. Every row is in deltas.jsonl";
  if (const std::uint64_t left_out = std::max(result.rows_omitted, rows.omitted_count()); left_out > 0) {
    more += " but " + grouped(left_out) + " unchanged ones";
  }
  page.set("more", more + ".");
  if (!charted.empty()) {
    const Chart drawn = change_chart(charted);
    data chart = object();
    chart.set("heading", charted.size() == 1 ? std::string("Change against baseline")
                         : rows.size() > charted.size()
                             ? "Change against baseline, the worst " + std::to_string(charted.size()) + " rows"
                             : std::string("Change against baseline, worst first"));
    const bool capture = rows.comparison() == nullptr;
    if (capture) chart.set("heading", "Change of total time, candidate against baseline");
    chart.set("bad", capture ? "more time" : "adverse beyond tolerance");
    chart.set("good", capture ? "less time" : "improved");
    chart.set("judged", capture ? Kind::bool_false : Kind::bool_true);
    chart.set("svg", drawn.svg);
    chart.set("bands", drawn.bands ? Kind::bool_true : Kind::bool_false);
    chart.set("whiskers", drawn.whiskers ? Kind::bool_true : Kind::bool_false);
    page.set("chart", chart);
  }
  data matrices = list();
  for (const Matrix& matrix : matrices_of(result)) {
    data one = object();
    one.set("title", plain(matrix.title, 120));
    one.set("svg", matrix_chart(matrix, rows));
    matrices.push_back(one);
  }
  page.set("has_matrices", matrices.is_empty_list() ? Kind::bool_false : Kind::bool_true);
  page.set("matrices", matrices);
  if (result.profile() != nullptr && !result.profile()->buckets.empty()) {
    data wall = object();
    wall.set("svg", bucket_chart(result.profile()->buckets));
    page.set("wall", wall);
  }
  if (result.profile() != nullptr) set_profile(page, *result.profile());
}

void set_cases(data& page, const core::DiffResult& result) {
  page.set("has_cases", result.cases() != nullptr ? Kind::bool_true : Kind::bool_false);
  if (result.cases() == nullptr) return;
  const core::SuiteReport& suite = *result.cases();
  data cases = list();
  const std::size_t shown = std::min(suite.cases.size(), kPageCases);
  for (std::size_t i = 0; i < shown; ++i) {
    data one = object();
    one.set("id", plain(suite.cases[i].id, 160));
    one.set("state", case_state_text(suite.cases[i]));
    one.set("tone", std::string(case_tone(suite.cases[i])));
    one.set("headline", plain(case_headline_text(suite.cases[i]), 200));
    one.set("remark", plain(case_remark(suite.cases[i]), 600));
    cases.push_back(one);
  }
  page.set("cases", cases);
  page.set("totals", core::totals_text(suite));
  page.set("more_cases", suite.cases.size() > shown ? data(grouped(suite.cases.size() - shown) + " more cases are in diff.json.")
                                                    : data(Kind::bool_false));
}

void set_context(data& page, const core::DiffResult& result) {
  data differences = list();
  for (const core::ContextDifference& difference :
       std::span(result.context_differences).first(std::min(result.context_differences.size(), kPageItems))) {
    data one = object();
    one.set("key", plain(difference.key, 120));
    one.set("baseline", difference.baseline_known ? plain(difference.baseline, 160) : "not known");
    one.set("current", difference.current_known ? plain(difference.current, 160) : "not known");
    one.set("severity", std::string(to_string(difference.severity)) + (difference.declared ? ", declared" : ""));
    const bool quiet = difference.declared || difference.severity == core::Severity::informative;
    one.set("tone", quiet ? "" : difference.severity == core::Severity::fatal ? "bad" : "doubt");
    differences.push_back(one);
  }
  page.set("has_differences", result.context_differences.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("differences", differences);
  std::set<std::string_view> keys;
  for (const core::Context* side : {&result.baseline_context, &result.current_context}) {
    for (const auto& [key, value] : *side) keys.insert(key);
  }
  data context = list();
  for (const std::string_view key : keys) {
    data one = object();
    one.set("key", plain(key, 120));
    const auto text = [key](const core::Context& side) {
      const auto found = side.find(std::string(key));
      return found == side.end() ? std::string("–") : plain(found->second, 160);
    };
    one.set("baseline", text(result.baseline_context));
    one.set("current", text(result.current_context));
    context.push_back(one);
  }
  page.set("has_context", keys.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("context", context);
}

data facts_of(const core::DiffResult& result) {
  data facts = list();
  const auto fact = [&facts](const std::string& name, const std::string& text, bool code = true) {
    if (text.empty()) return;
    data one = object();
    one.set("name", name);
    one.set("text", plain(text, 4096));
    one.set("code", code ? Kind::bool_true : Kind::bool_false);
    facts.push_back(one);
  };
  const auto side = [&fact](const std::string& name, const core::DiffSide& from) {
    fact(name, from.path);
    if (!from.label.empty()) fact(name + " label", from.label, false);
    fact(name + " SHA-256", from.sha256);
    if (!from.entry_sha256.empty()) fact(name + " entry", from.entry_sha256);
    if (!from.format.name.empty()) {
      std::string format = from.format.name + (from.format.version.empty() ? "" : " " + from.format.version);
      if (from.trials > 1) format += ", " + core::counted(from.trials, "trial");
      if (!from.format.evidence.empty()) format += " (" + core::listed(from.format.evidence, 3) + ")";
      fact(name + " format", format, false);
    }
  };
  side("Baseline", result.baseline);
  side("Current", result.current);
  if (result.initial) side("Initial", *result.initial);
  fact("Tolerance", tolerance_word(result) + " unless a row says otherwise; direction " + std::string(direction_word(result)),
       false);
  fact("Policy", result.policy, false);
  if (result.native() != nullptr) fact("The other system's verdict", native_line(*result.native()), false);
  fact("Command", result.command);
  return facts;
}

void set_text(data& page, const char* name, const std::string& text) {
  page.set(std::string("has_") + name, text.empty() ? Kind::bool_false : Kind::bool_true);
  page.set(name, text);
}

// What the page of two captures opens with.
void set_captures(data& page, const core::DiffResult& result) {
  const core::ProfileDiff& profile = *result.profile();
  const Answer answer = answer_of(profile);
  const auto [baseline, candidate] = side_names(profile);
  page.set("capture_style", std::string(kCaptureStyle));
  page.set("script_digest", std::string(kCaptureScriptDigest));
  page.set("headline", plain(answer.headline, 400));
  set_text(page, "title", plain(title_of(result)));
  page.set("baseline_name", plain(baseline, 80));
  page.set("candidate_name", plain(candidate, 80));
  const auto gpus =
      std::find_if(profile.environment_differences.begin(), profile.environment_differences.end(),
                   [](const auto& each) { return each.key == "hardware.gpu" && each.baseline_known && each.current_known; });
  const bool known = gpus != profile.environment_differences.end();
  set_text(page, "baseline_gpu", known ? plain(gpus->baseline, 60) : std::string());
  set_text(page, "candidate_gpu", known ? plain(gpus->current, 60) : std::string());
  set_text(page, "interval", plain(answer.interval));
  set_text(page, "why", plain(answer.why, 300));
  set_text(page, "next", plain(answer.next, 600));
  if (const auto moved = fall_of(profile, kFallParts); moved && !moved->parts.empty()) {
    data fall = object();
    fall.set("of", moved->of);
    fall.set("svg", fall_chart(*moved));
    page.set("fall", fall);
  }
  page.set("timeline", timeline_section(profile));
  page.set("icicle", icicle_section(profile));
  data findings = list();
  const std::size_t shown = std::min<std::size_t>(profile.findings.size(), 20);
  for (const core::ProfileFinding& finding : std::span(profile.findings).first(shown)) {
    data one = object();
    one.set("code", plain(finding.code));
    one.set("message", plain(finding.message, 1000));
    findings.push_back(one);
  }
  page.set("has_findings", shown > 0 ? Kind::bool_true : Kind::bool_false);
  page.set("findings", findings);
  page.set("more_findings", profile.findings.size() > shown
                                ? data(grouped(profile.findings.size() - shown) + " more are in profile-diff.json.")
                                : data(Kind::bool_false));
}

}  // namespace

std::string diff_html(const core::DiffResult& result) {
  data page = object();
  page.set("style", std::string(kPageStyle));
  page.set("verdict", std::string(to_string(result.verdict)));
  page.set("tier", std::string(to_string(result.tier)));
  page.set("title", plain(title_of(result)));
  page.set("summary", summary_sentence(result));
  page.set("tiles", result.profile() != nullptr && result.counts.compared == 0 ? list() : tiles_of(result.counts));
  page.set("has_reasons", result.reasons.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("reasons", reasons_of(result));
  set_parts(page, result);
  set_action(page, result);
  set_sol(page, result);
  set_cases(page, result);
  set_rows(page, result);
  set_context(page, result);
  data warnings = list();
  for (const core::Warning& warning : std::span(result.warnings).first(std::min(result.warnings.size(), kPageItems))) {
    data one = object();
    one.set("code", plain(warning.code.text()));
    one.set("message", plain(warning.message, 1000));
    warnings.push_back(one);
  }
  page.set("has_warnings", result.warnings.empty() ? Kind::bool_false : Kind::bool_true);
  page.set("warnings", warnings);
  page.set("facts", facts_of(result));
  std::string footer = result.tool.name + " " + result.tool.version;
  if (!result.compared_at_utc.empty()) footer += ", compared at " + result.compared_at_utc;
  page.set("footer", plain(footer));

  const bool captures = result.profile() != nullptr;
  if (captures) set_captures(page, result);
  kainjow::mustache::mustache sheet{std::string(captures ? kCapturePage : kPage) + kPageTail +
                                    (captures ? "<script>" + std::string(kCaptureScript) + "</script>\n" : std::string()) +
                                    "</body>\n</html>\n"};
  sheet.set_custom_escape([](const std::string& text) { return markup(text); });
  return sheet.render(page);
}

}  // namespace plumbline::reports
