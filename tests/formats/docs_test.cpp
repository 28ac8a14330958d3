// docs/formats.md holds the formats' own words: its table is written from the About of every format and compared here.
// PLUMBLINE_UPDATE_GOLDENS=1 writes it.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/known_formats.hpp"
#include "tests/support/page.hpp"

namespace plumbline::formats {
namespace {

std::string rendered() {
  std::string out =
      "| format | what | judged | key | trials | context | limits | recognised by |\n|---|---|---|---|---|---|---|---|\n";
  for (const Format* format : testing::known_formats()) {
    const About& about = format->about;
    out += "| `" + std::string(format->name) + "` |";
    for (const std::string_view text :
         {format->title, about.judged, about.key, about.trials, about.context, about.limits, about.recognised}) {
      out += " " + testing::cell(text) + (text.empty() ? "|" : " |");
    }
    out += "\n";
  }
  return out;
}

TEST(FormatsPage, holds_what_the_formats_say_of_themselves) {
  testing::expect_part("docs/formats.md", "formats", "tests/formats/docs_test.cpp", rendered());
}

TEST(FormatsPage, every_format_says_what_it_judges_and_how) {
  for (const Format* format : testing::known_formats()) {
    const About& about = format->about;
    EXPECT_FALSE(format->title.empty()) << format->name;
    EXPECT_FALSE(about.judged.empty()) << format->name << " does not say what is judged";
    EXPECT_FALSE(about.key.empty()) << format->name << " does not say what tells points apart";
    EXPECT_FALSE(about.trials.empty()) << format->name << " does not say what repeats";
    EXPECT_FALSE(about.context.empty()) << format->name << " does not say what context is taken";
    EXPECT_FALSE(about.recognised.empty()) << format->name << " does not say by what it is recognised";
    for (const std::string_view text : {about.judged, about.key, about.trials, about.context, about.limits, about.recognised}) {
      EXPECT_EQ(text.find('\n'), std::string_view::npos) << format->name;
      EXPECT_FALSE(text.ends_with('.')) << format->name << ": a phrase, no full stop: " << text;
    }
  }
}

}  // namespace
}  // namespace plumbline::formats
