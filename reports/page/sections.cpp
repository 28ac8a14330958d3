#include "reports/page/sections.hpp"

#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "core/tolerance.hpp"
#include "reports/culprits.hpp"
#include "reports/native.hpp"
#include "reports/page/html.hpp"
#include "reports/rows.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using html::plain;

constexpr std::size_t kItems = 50, kReasonsInSight = 4, kKeys = 5;

std::string list_of(std::span<const std::string> items) {
  std::string out = "<ul>";
  for (const std::string& item : items) out += "<li>" + item + "</li>\n";
  return out + "</ul>\n";
}

std::string reason_item(const core::Reason& reason) {
  std::string out = html::sentence(reason.message) + " " + html::chip(reason.code.text());
  if (reason.keys.empty()) return out;
  const std::size_t shown = std::min(reason.keys.size(), kKeys);
  out += "<span class=\"keys\">";
  for (std::size_t i = 0; i < shown; ++i) out += html::code(reason.keys[i], 120) + " ";
  const std::uint64_t all = std::max<std::uint64_t>(reason.keys_count, reason.keys.size());
  if (all > shown) out += "and " + grouped(all - shown) + " more";
  return out + "</span>";
}

class Facts {
 public:
  void add(const std::string& name, std::string_view text, bool as_code = true) {
    if (text.empty()) return;
    text_ += "<dt>" + name + "</dt><dd>" + (as_code ? html::code(text, 4096) : plain(text, 4096)) + "</dd>\n";
  }
  void side(const std::string& name, const core::DiffSide& from) {
    add(name, from.path);
    add(name + " label", from.label, false);
    add(name + " SHA-256", from.sha256);
    add(name + " entry", from.entry_sha256);
    if (from.format.name.empty()) return;
    std::string format = from.format.name + (from.format.version.empty() ? "" : " " + from.format.version);
    if (from.trials > 1) format += ", " + core::counted(from.trials, "trial");
    if (!from.format.evidence.empty()) format += " (" + core::listed(from.format.evidence, 3) + ")";
    add(name + " format", format, false);
  }
  [[nodiscard]] std::string text() const { return "<dl>" + text_ + "</dl>\n"; }

 private:
  std::string text_;
};

std::string differences_table(std::span<const core::ContextDifference> differences) {
  html::Table table({{"Key"}, {"Baseline"}, {"Current"}, {"Severity"}});
  for (const core::ContextDifference& one : differences.first(std::min(differences.size(), kItems))) {
    const bool quiet = one.declared || one.severity == core::Severity::informative;
    table.row().markup(html::code(one.key, 120)).cell(one.baseline_known ? one.baseline : "not known");
    table.cell(one.current_known ? one.current : "not known");
    table.markup(html::chip(std::string(to_string(one.severity)) + (one.declared ? ", declared" : ""),
                            quiet                                   ? ""
                            : one.severity == core::Severity::fatal ? "bad"
                                                                    : "doubt"));
  }
  return table.text("Differences of context");
}

std::string context_table(const core::DiffResult& result) {
  std::set<std::string> keys;
  for (const core::Context* side : {&result.baseline_context, &result.current_context}) {
    for (const auto& [key, value] : *side) keys.insert(key);
  }
  if (keys.empty()) return {};
  html::Table table({{"Key"}, {"Baseline"}, {"Current"}});
  for (const std::string& key : keys) {
    const auto text = [&key](const core::Context& side) {
      const auto found = side.find(key);
      return found == side.end() ? std::string("–") : found->second;
    };
    table.row().markup(html::code(key, 120)).cell(text(result.baseline_context)).cell(text(result.current_context));
  }
  return table.text("Context of both sides");
}

}  // namespace

std::string reasons_section(std::string_view title, std::span<const core::Reason> reasons) {
  if (reasons.empty()) return {};
  std::vector<std::string> items;
  for (const core::Reason& reason : reasons) items.push_back(reason_item(reason));
  const std::span<const std::string> all(items);
  const std::size_t in_sight = std::min(all.size(), kReasonsInSight);
  std::string body = list_of(all.first(in_sight));
  if (all.size() > in_sight)
    body += html::folded(core::counted(all.size() - in_sight, "more reason"), list_of(all.subspan(in_sight)));
  return html::section(title, body);
}

std::string parts_section(const core::DiffResult& result) {
  std::vector<std::string> items;
  for (const core::Culprit& culprit : result.culprits) {
    std::string item = html::code(culprit.predicate, 300) + ": " + plain(coverage_text(culprit)) + " " +
                       html::chip("p " + core::short_number(culprit.p, 2));
    if (!culprit.not_affected.empty())
      item += "<span class=\"keys\">not affected: " + plain(not_affected_text(culprit), 600) + "</span>";
    if (culprit.runner_up) item += "<span class=\"keys\">next best: " + plain(runner_up_text(culprit), 300) + "</span>";
    items.push_back(std::move(item));
  }
  return items.empty() ? std::string() : html::section("Which part", list_of(items));
}

std::string next_line(const core::Recommendation& recommendation) {
  if (recommendation.message.empty()) return {};
  return "<p class=\"next\"><b>Next:</b> " + html::sentence(recommendation.message, 600) +
         (recommendation.action.empty() ? std::string() : " " + html::chip(recommendation.action)) + "</p>\n";
}

std::string stack(std::string_view sections) {
  return sections.empty() ? std::string() : "<div class=\"stack\">\n" + std::string(sections) + "</div>\n";
}

std::string action_section(const std::optional<core::NextLever>& lever, std::span<const std::string> promote) {
  std::string body;
  if (lever) {
    body += "<p><b>Next lever:</b> " + plain(lever->lever) + ". <b>Expected:</b> " + plain(lever->expected_unlock) +
            ". <b>Gate:</b> " + plain(lever->gate) + ".</p>\n";
  }
  if (!promote.empty()) {
    std::vector<std::string> items;
    for (const std::string& text : promote) items.push_back(plain(text, 600));
    body += "<p class=\"note\">What would make this a VERDICT:</p>" + list_of(items);
  }
  return html::section("What to do", body, {.accent = true});
}

std::string context_section(const core::DiffResult& result) {
  std::string body = result.context_differences.empty() ? html::note("The two sides name no difference.")
                                                        : differences_table(result.context_differences);
  body += html::folded("Everything that both sides say of themselves", context_table(result));
  return html::section("Context", body);
}

std::string warnings_section(std::span<const core::Warning> warnings) {
  if (warnings.empty()) return {};
  std::vector<std::string> items;
  for (const core::Warning& warning : warnings.first(std::min(warnings.size(), kItems)))
    items.push_back(html::sentence(warning.message) + " " + html::chip(warning.code.text()));
  return html::section("Warnings", list_of(items));
}

std::string evidence_section(const core::DiffResult& result) {
  Facts facts;
  facts.side("Baseline", result.baseline);
  facts.side("Current", result.current);
  if (result.initial) facts.side("Initial", *result.initial);
  facts.add("Tolerance",
            tolerance_word(result) + " unless a row says otherwise; direction " + std::string(direction_word(result)), false);
  facts.add("Policy", result.policy, false);
  if (result.native() != nullptr) facts.add("The other system's verdict", native_line(*result.native()), false);
  facts.add("Command", result.command);
  return html::section("Evidence", facts.text());
}

std::string counts_line(const core::Counts& counts) {
  if (counts.compared == 0 && counts.missing == 0 && counts.added == 0) return {};
  std::string out = "<ul class=\"counts\"><li><b>" + grouped(counts.compared) + "</b> compared</li>";
  const auto say = [&out](std::uint64_t count, const char* name, const char* tone) {
    if (count > 0) out += "<li class=\"" + std::string(tone) + "\"><b>" + grouped(count) + "</b> " + name + "</li>";
  };
  say(counts.standing(), "regressed", "bad");
  say(counts.suspect, "suspect", "doubt");
  say(counts.waived, "waived", "doubt");
  say(counts.missing, "missing", "bad");
  say(counts.invalid, "invalid", "bad");
  say(counts.inconclusive, "inconclusive", "doubt");
  say(counts.unclassified, "direction unknown", "doubt");
  say(counts.improved, "improved", "good");
  say(counts.unchanged, "unchanged", "flat");
  say(counts.added, "added", "flat");
  say(counts.context, "context only", "flat");
  return out + "</ul>\n";
}

}  // namespace plumbline::reports
