#include "reports/terminal/screen.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr int kLabel = 10;  // columns of "to VERDICT"
constexpr std::size_t kReasonLines = 3, kWarningLines = 3, kPromoteLines = 2, kNextLines = 4, kLeverLines = 4;
constexpr int kHeadlineColumns = 240;  // of the sentence, over its lines
constexpr std::size_t kDigestColumns = 64;

void append(std::string& out, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) out += line + "\n";
}

// The part that matters least of those that can still give up an item.
ScreenPart* next_to_give_way(std::vector<ScreenPart>& parts, bool beyond_least) {
  ScreenPart* found = nullptr;
  for (ScreenPart& part : parts) {
    if (part.items.size() <= (beyond_least ? 0 : part.least)) continue;
    if (found == nullptr || part.weight < found->weight) found = &part;
  }
  return found;
}

}  // namespace

std::size_t ScreenPart::lines() const {
  std::size_t count = items.empty() ? 0 : head.size() + tail.size();
  if (items.empty() && all == 0) count = head.size();
  for (const std::vector<std::string>& item : items) count += item.size();
  if (left_out() > 0) ++count;
  return count + (apart && count > 0 ? 1 : 0);
}

Screen::Screen(Terminal terminal, int width)
    : terminal_(terminal), width_(columns_used(width)), sentence_width_(std::min(columns_used(width), kWidestSentence)) {}

void Screen::add(ScreenPart part) {
  part.all = std::max(part.all, part.items.size());
  if (part.lines() > 0) parts_.push_back(std::move(part));
}

void Screen::headline(const Headline& headline) {
  const std::string verdict(to_string(headline.verdict)), tier = "(" + std::string(to_string(headline.tier)) + ")";
  const std::string lead = verdict + " " + tier + " ";
  std::vector<std::string> lines = sentence_lines("  ", lead + headline.of + ": " + headline.sentence, sentence_width_,
                                                  static_cast<std::size_t>(kHeadlineColumns / sentence_width_) + 1);
  for (std::string& line : lines) {
    const bool first = &line == lines.data();
    const std::size_t painted = first ? 2 + lead.size() : 2;
    const std::string rest = line.size() > painted ? terminal_.paint(Paint::bold, std::string_view(line).substr(painted)) : "";
    line = (first ? terminal_.verdict(headline.verdict) + " " + terminal_.paint(Paint::dim, tier) + " " : "  ") + rest;
  }
  add({.head = std::move(lines)});
}

std::vector<std::string> Screen::labelled(std::string_view label, std::string_view text, std::size_t most, Paint paint) const {
  std::vector<std::string> lines = sentence_lines(pad_right(label, kLabel) + "  ", text, sentence_width_, most);
  lines.front().replace(0, label.size(), terminal_.paint(paint, label));
  return lines;
}

std::string Screen::text() const {
  std::vector<ScreenPart> parts = parts_;
  const auto lines = [&parts] {
    std::size_t sum = 0;
    for (const ScreenPart& part : parts) sum += part.lines();
    return sum;
  };
  for (const bool beyond_least : {false, true}) {
    while (lines() > kScreenLines) {
      ScreenPart* part = next_to_give_way(parts, beyond_least);
      if (part == nullptr) break;
      part->items.pop_back();
    }
  }
  std::string out;
  for (const ScreenPart& part : parts) {
    if (part.lines() == 0) continue;
    if (part.apart) out += "\n";
    const bool bare = part.items.empty() && part.all > 0;
    if (!bare) append(out, part.head);
    for (const std::vector<std::string>& item : part.items) append(out, item);
    if (const std::size_t left = part.left_out(); left > 0) {
      const std::string more = part.items.empty() ? "" : "more ";
      const std::string words = grouped(left) + " " + more + std::string(part.noun) + (left == 1 ? "" : "s");
      const std::string_view file = part.where.substr(std::min(part.where.rfind(" in "), part.where.size()));
      const std::string where = std::string(part.where.substr(0, part.where.size() - file.size())) +
                                (kept_ || file.empty() ? std::string(file) : " in --report json");
      const std::string line = shorten_middle("… and " + words + where, width_ - 2);
      out += "  " + terminal_.paint(Paint::dim, line) + "\n";
    }
    if (!bare) append(out, part.tail);
  }
  return out;
}

// ---- what all results have ----------------------------------------------------------------------------------------------

void add_reasons(Screen& screen, const std::vector<core::Reason>& reasons, std::size_t told, std::string_view details) {
  ScreenPart part{.weight = Weight::reasons, .noun = "reason", .where = details};
  for (std::size_t i = told; i < reasons.size(); ++i)
    part.items.push_back(sentence_lines("  - ", reasons[i].message, screen.sentence_width(), kReasonLines));
  screen.add(std::move(part));
}

void add_context(Screen& screen, const std::vector<core::ContextDifference>& differences, std::string_view details) {
  ScreenPart part{.weight = Weight::context, .noun = "difference", .where = details};
  for (const core::ContextDifference& one : differences) {
    if (one.declared || one.severity == core::Severity::informative) continue;
    const std::string text = core::cited_word(one.key) + " (" + std::string(to_string(one.severity)) +
                             "): " + (one.baseline_known ? core::cited_word(one.baseline) : "not known") + " -> " +
                             (one.current_known ? core::cited_word(one.current) : "not known");
    part.items.push_back(sentence_lines("  ≠ ", text, screen.sentence_width(), kReasonLines));
  }
  screen.add(std::move(part));
}

namespace {

void add_warnings(Screen& screen, const ScreenEnding& ending) {
  ScreenPart part{.weight = Weight::warnings, .noun = "warning", .where = ending.details};
  std::vector<std::string_view> said;
  for (const core::Warning& warning : ending.warnings) {
    if (std::find(said.begin(), said.end(), warning.message) != said.end()) continue;
    said.push_back(warning.message);
    part.items.push_back(screen.labelled("warning", warning.message, kWarningLines, Paint::yellow));
  }
  screen.add(std::move(part));
}

void add_place(Screen& screen, const ScreenEnding& ending) {
  if (ending.dir.empty()) return;
  ScreenPart part;
  part.head.push_back(screen.terminal().paint(Paint::bold, "bundle") + std::string(kLabel + 2 - 6, ' ') + one_line(ending.dir));
  if (!ending.sha256.empty() && screen.width() >= static_cast<int>(kDigestColumns) + kLabel + 2)
    part.head.push_back(screen.terminal().paint(Paint::bold, "sha256") + std::string(kLabel + 2 - 6, ' ') +
                        std::string(ending.sha256));
  screen.add(std::move(part));
}

}  // namespace

void add_ending(Screen& screen, const ScreenEnding& ending) {
  screen.add({.head = {""}});
  add_warnings(screen, ending);
  ScreenPart promote{.weight = Weight::promote, .noun = "step", .where = ending.details};
  for (const std::string& text : ending.promote) {
    // What to do next may be just that.
    if (ending.recommendation.message.find(text) == std::string::npos)
      promote.items.push_back(screen.labelled("to VERDICT", text, kPromoteLines));
  }
  screen.add(std::move(promote));
  add_place(screen, ending);
  if (!ending.recommendation.message.empty())
    screen.add({.head = screen.labelled("next", ending.recommendation.message, kNextLines)});
  if (ending.lever == nullptr) return;
  const std::string lever =
      ending.lever->lever + " (expected: " + ending.lever->expected_unlock + "; gate: " + ending.lever->gate + ")";
  screen.add({.weight = Weight::lever,
              .items = {screen.labelled("lever", lever, kLeverLines)},
              .least = 0,
              .noun = "lever",
              .where = ending.details});
}

}  // namespace plumbline::reports
