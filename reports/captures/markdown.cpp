// diff.md of two captures: one screen. Verdict and answer in the title; why, where the time went, what moved it, gaps, findings
// and what next; digests last. Every part has so many lines at most, and every line so many characters, whatever the captures
// hold; what is left out is said.
#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/captures/parts.hpp"
#include "reports/headline.hpp"
#include "reports/profile_tables.hpp"
#include "reports/rows.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kLine = 200;
constexpr std::size_t kReasons = 4, kDevices = 3, kMoved = 5, kGaps = 3, kFindings = 3, kRows = 4;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// `before` + text + `after`, the text as short as it takes; `escape` makes it longer.
template <class Shorten, class Escape>
std::string fitted(std::string_view before, std::string_view text, std::string_view after, Shorten&& shorten, Escape&& escape) {
  std::size_t width = kLine;
  for (;;) {
    std::string line = std::string(before) + escape(shorten(text, width)) + std::string(after);
    const std::size_t size = characters(line);
    if (size <= kLine || width <= 4) return line;
    width -= std::min(width - 4, size - kLine);
  }
}
std::string sentence(std::string_view before, std::string_view text, std::string_view after = {}) {
  const auto shorten = [](std::string_view whole, std::size_t width) { return core::shorten_sentence(one_line(whole), width); };
  return fitted(before, text, after, shorten, [](const std::string& part) { return markdown_text(part); });
}
std::string name(std::string_view before, std::string_view text, std::string_view after, bool in_table) {
  const auto shorten = [](std::string_view whole, std::size_t width) {
    return shorten_middle(one_line(whole), static_cast<int>(width));
  };
  return fitted(before, text, after, shorten, [in_table](const std::string& part) { return markdown_code(part, in_table); });
}

class Page {
 public:
  void add(std::string line) { text_ += std::move(line) + "\n"; }
  void gap() { add({}); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string more(std::size_t all, std::size_t shown, std::string_view where) {
  return all > shown ? " (" + grouped(all - shown) + " more in `" + std::string(where) + "`)" : std::string();
}

void head(Page& page, const core::DiffResult& result) {
  const Headline headline = headline_of(result);
  const std::string verdict = std::string(to_string(headline.verdict)) + " (" + std::string(to_string(headline.tier)) + ")";
  page.add(sentence("# " + verdict + " ", headline.of + ": " + headline.sentence));
  page.gap();
  page.add(sentence("Tolerance " + tolerance_word(result) + ". ", answer_of(*result.profile()).interval));
}

void why(Page& page, const core::DiffResult& result) {
  if (result.reasons.empty()) return;
  page.gap();
  page.add("Why" + more(result.reasons.size(), kReasons, "profile-diff.md") + ":");
  for (const core::Reason& reason : std::span(result.reasons).first(std::min(result.reasons.size(), kReasons)))
    page.add(sentence("- " + markdown_code(reason.code.text()) + ": ", reason.message));
}

void buckets(Page& page, const core::ProfileDiff& diff) {
  if (diff.buckets.empty()) return;
  page.gap();
  page.add("| Device" + more(diff.buckets.size(), kDevices, "profile-diff.md") +
           " | Side | Span | Compute | Exposed communication | Exposed copies | Idle |");
  page.add("|---|---|---:|---:|---:|---:|---:|");
  for (const core::DeviceBuckets& device : std::span(diff.buckets).first(std::min(diff.buckets.size(), kDevices))) {
    for (const bool candidate : {false, true}) {
      const auto& side = candidate ? device.candidate : device.baseline;
      std::string line = "| " + device_text(device, candidate) + (candidate ? " | candidate |" : " | baseline |");
      if (side) {
        for (const std::int64_t ns :
             {side->span_ns, side->compute_ns, side->exposed_comm_ns, side->exposed_copy_ns, side->idle_ns})
          line += " " + time_text(ns) + " |";
      } else {
        line += " - | - | - | - | - |";
      }
      page.add(std::move(line));
    }
  }
}

void moved(Page& page, const core::ProfileDiff& diff) {
  const std::optional<Fall> fall = fall_of(diff, kMoved - 1);
  if (!fall || fall->parts.empty()) return;
  page.gap();
  page.add("| What moved " + fall->of + " | " + time_text(fall->baseline_ns) + " to " + time_text(fall->candidate_ns) + " |");
  page.add("|---|---:|");
  std::int64_t rest = 0;
  std::size_t together = 0;
  for (std::size_t i = 0; i < fall->parts.size(); ++i) {
    const FallPart& part = fall->parts[i];
    if (i < kMoved - 1) {
      page.add(name("| ", part_label(part), " | " + signed_time_text(part.delta_ns) + " |", true));
    } else {
      rest += part.delta_ns;
      together += part.together;
    }
  }
  if (together > 0) page.add("| " + core::counted(together, "further part") + " | " + signed_time_text(rest) + " |");
}

// Profiles of the host, which have no buckets: the functions whose own part changed most.
void functions(Page& page, const core::ProfileDiff& diff) {
  if (diff.frames.empty() || !diff.buckets.empty()) return;
  page.gap();
  page.add("| Functions" + more(diff.frames.size(), kMoved, "profile-diff.md") + " | Share before | Share after |");
  page.add("|---|---:|---:|");
  for (const core::ProfileFrame& each : std::span(diff.frames).first(std::min(diff.frames.size(), kMoved)))
    page.add(name("| ", each.name,
                  " | " + core::short_number(each.baseline_share_pct, 3) + " % | " +
                      core::short_number(each.candidate_share_pct, 3) + " % |",
                  true));
}

void gaps(Page& page, const core::ProfileDiff& diff) {
  if (diff.gaps.empty()) return;
  std::vector<const core::ProfileGaps*> list;
  for (const core::ProfileGaps& each : diff.gaps) list.push_back(&each);
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) {
    return std::abs(static_cast<double>(a->delta_ns)) > std::abs(static_cast<double>(b->delta_ns));
  });
  page.gap();
  page.add("Idle time of all devices that changed most, for the same work" + more(list.size(), kGaps, "profile-diff.md") + ":");
  for (const core::ProfileGaps* each : std::span(list).first(std::min(list.size(), kGaps))) {
    const FallPart part{"idle", each->cause + (each->what.empty() ? "" : ": " + each->what), each->delta_ns};
    page.add(sentence("- " + signed_time_text(each->delta_ns) + ": ", part_label(part)));
  }
}

void findings(Page& page, const core::ProfileDiff& diff) {
  if (diff.findings.empty()) return;
  page.gap();
  page.add("Findings" + more(diff.findings.size(), kFindings, "profile-diff.md") + ":");
  for (const core::ProfileFinding& each : std::span(diff.findings).first(std::min(diff.findings.size(), kFindings)))
    page.add(sentence("- " + markdown_code(each.code) + ": ", each.message));
}

void rows_table(Page& page, const core::DiffResult& result) {
  const Rows rows(result);
  page.gap();
  page.add("| Key | Change | Baseline | Current |");
  page.add("|---|---:|---:|---:|");
  for (const std::uint32_t index : rows.top(kRows)) {
    const RowView row = rows.at(index);
    const auto time = [](const std::optional<double>& ns) { return ns ? time_text(std::llround(*ns)) : std::string("n/a"); };
    page.add(name("| ", row.key, " | " + change_cell(row) + " | " + time(row.baseline) + " | " + time(row.current) + " |", true));
  }
}

void next(Page& page, const core::DiffResult& result) {
  page.gap();
  if (!result.recommendation.message.empty()) page.add(sentence("Next: ", result.recommendation.message));
  if (result.next_lever) {
    page.add(sentence("Lever: ", result.next_lever->lever + "; expected: " + result.next_lever->expected_unlock));
  }
  if (!result.promote.empty()) page.add(sentence("To make it a VERDICT: ", core::listed(result.promote, 3)));
}

void tail(Page& page, const core::DiffResult& result) {
  page.gap();
  std::string rest = "Pictures: `diff.html`; everything: `profile-diff.md`, `profile-diff.json`";
  if (!result.warnings.empty()) rest += ", " + core::counted(result.warnings.size(), "warning") + " among it";
  if (!result.compared_at_utc.empty()) rest += ". Compared at " + markdown_text(result.compared_at_utc);
  page.add(sentence(rest + " by ", result.tool.name + " " + result.tool.version, "."));
  page.gap();
  for (const auto& [label, side] : {std::pair{"- Baseline: ", &result.baseline}, std::pair{"- Current: ", &result.current}})
    page.add(name(label, side->path, side->sha256.empty() ? std::string() : ", SHA-256 `" + side->sha256 + "`", false));
}

}  // namespace

std::string captures_markdown(const core::DiffResult& result) {
  Page page;
  head(page, result);
  why(page, result);
  buckets(page, *result.profile());
  moved(page, *result.profile());
  functions(page, *result.profile());
  gaps(page, *result.profile());
  findings(page, *result.profile());
  rows_table(page, result);
  next(page, result);
  tail(page, result);
  return page.take();
}

}  // namespace plumbline::reports
