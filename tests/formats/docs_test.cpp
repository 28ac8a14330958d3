// docs/formats.md holds the formats' own words: its table is written from the About of every format and compared here.
// PLUMBLINE_UPDATE_GOLDENS=1 writes it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/known_formats.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kPage = PLUMBLINE_SOURCE "/docs/formats.md";
constexpr std::string_view kBegin = "<!-- formats: written by tests/formats/docs_test.cpp -->\n";
constexpr std::string_view kEnd = "<!-- end of formats -->\n";

// A pipe would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string rendered() {
  std::string out =
      "| format | what | judged | key | trials | context | limits | recognised by |\n|---|---|---|---|---|---|---|---|\n";
  for (const Format* format : testing::known_formats()) {
    const About& about = format->about;
    out += "| `" + std::string(format->name) + "` |";
    for (const std::string_view text :
         {format->title, about.judged, about.key, about.trials, about.context, about.limits, about.recognised}) {
      out += " " + cell(text) + (text.empty() ? "|" : " |");
    }
    out += "\n";
  }
  return out;
}

TEST(FormatsPage, holds_what_the_formats_say_of_themselves) {
  std::ifstream file{std::string(kPage), std::ios::binary};
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos && begin < end) << "docs/formats.md lacks its two markers";
  const std::string wanted = page.substr(0, begin) + std::string(kBegin) + rendered() + page.substr(end);
  if (std::getenv("PLUMBLINE_UPDATE_GOLDENS") != nullptr) {
    std::ofstream{std::string(kPage), std::ios::binary} << wanted;
    return;
  }
  EXPECT_EQ(page, wanted) << "run test_formats with PLUMBLINE_UPDATE_GOLDENS=1";
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
