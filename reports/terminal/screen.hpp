// An answer that fits one screen: parts in the order in which one reads them, together at most 40 lines. What does not fit gives
// way item by item, from the part that matters least, and is counted. Internal to reports/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/headline.hpp"
#include "reports/terminal/terminal.hpp"

namespace plumbline::reports {

inline constexpr std::size_t kScreenLines = 40;

// What gives way first comes first.
enum class Weight { lever, warnings, context, more_tables, speed_of_light, remarks, parts, reasons, promote, table, fixed };

struct ScreenPart {
  Weight weight = Weight::fixed;
  std::vector<std::string> head = {};                // lines before the items
  std::vector<std::vector<std::string>> items = {};  // each of one or more lines; the last gives way first
  std::vector<std::string> tail = {};                // lines after them
  std::size_t all = 0;                               // items that there are, where more than those given
  std::size_t least = 1;                             // items that stay until nothing else can give way
  std::string_view noun = "row";                     // of what is left out, and where it is
  std::string_view where = {};
  bool apart = false;  // a blank line before it

  [[nodiscard]] std::size_t lines() const;
  [[nodiscard]] std::size_t left_out() const { return all > items.size() ? all - items.size() : 0; }
};

class Screen {
 public:
  Screen(Terminal terminal, int width);
  [[nodiscard]] const Terminal& terminal() const { return terminal_; }
  [[nodiscard]] int width() const { return width_; }  // of tables
  [[nodiscard]] int sentence_width() const { return sentence_width_; }

  void add(ScreenPart part);
  // No bundle was written: what is left out stands in no file, and --report json prints it.
  void nothing_is_kept() { kept_ = false; }
  // Verdict, tier, of what, and the sentence that matters, in the first line and what it takes beyond.
  void headline(const Headline& headline);
  // A word in the first columns, then the sentence.
  [[nodiscard]] std::vector<std::string> labelled(std::string_view label, std::string_view text, std::size_t most,
                                                  Paint paint = Paint::bold) const;
  [[nodiscard]] std::string text() const;

 private:
  Terminal terminal_;
  int width_, sentence_width_;
  bool kept_ = true;
  std::vector<ScreenPart> parts_;
};

// What every result ends in: reasons after its sentence, warnings once each, what would make it a VERDICT, where it is kept, and
// what to do next.
struct ScreenEnding {
  const std::vector<core::Warning>& warnings;
  const std::vector<std::string>& promote;
  const core::Recommendation& recommendation;
  const core::NextLever* lever;
  std::string_view dir, sha256;
  std::string_view details;  // " in diff.json": where what is left out can be read
};
void add_reasons(Screen& screen, const std::vector<core::Reason>& reasons, std::size_t told, std::string_view details);
void add_context(Screen& screen, const std::vector<core::ContextDifference>& differences, std::string_view details);
void add_ending(Screen& screen, const ScreenEnding& ending);

}  // namespace plumbline::reports
