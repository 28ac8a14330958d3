// docs/formats/captures.md holds the captures' own words: it is written from every form's About and compared here, and so is the
// list of them in docs/formats.md. PLUMBLINE_UPDATE_GOLDENS=1 writes both.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/text.hpp"
#include "profiles/readers/form.hpp"
#include "tests/support/page.hpp"

namespace plumbline::profiles::test {
namespace {

constexpr const char* kWriter = "tests/profiles/docs.cpp";

std::vector<About> captures() {
  std::vector<About> out;
  for (const Form* form : forms()) {
    for (const About& about : form->captures) {
      if (!about.format.empty()) out.push_back(about);
    }
  }
  return out;
}

std::string index() {
  std::string names;
  for (const About& about : captures()) names += (names.empty() ? "" : ", ") + ("`" + std::string(about.format) + "`");
  return testing::wrapped(
      "- [captures](formats/captures.md), profiles of one run (" + std::to_string(captures().size()) + "): " + names + ".", "  ");
}

std::string page() {
  std::string out = "# Captures\n\n<!-- written by " + std::string(kWriter) + " from what the readers say of themselves -->\n";
  out += testing::wrapped(
      "Profiles of one run, which `profile-diff` compares. One of the pages of [formats](../formats.md); "
      "[captures](../captures.md) "
      "says what is compared in them. `plumbline formats NAME` shows one in the terminal.",
      "");
  for (const About& about : captures()) {
    out += "\n## " + std::string(about.format) + "\n\n";
    out += testing::wrapped("**" + std::string(about.file) + "**: " + testing::sentences(about.what), "");
    out += "\n```sh\n" + std::string(about.produce) + "\n```\n\n";
    out += testing::wrapped("- **Recognised by:** " + testing::sentences(about.recognised), "  ");
  }
  return out;
}

TEST(CapturesPage, holds_what_the_forms_say_of_themselves) {
  testing::expect_part("docs/formats.md", "captures", kWriter, index());
  testing::expect_page("docs/formats/captures.md", kWriter, page());
}

TEST(Readme, says_how_many_captures_are_read) {
  EXPECT_NE(testing::page_text(PLUMBLINE_SOURCE "/README.md").find(std::to_string(captures().size()) + " kinds of capture"),
            std::string::npos)
      << "README.md has another number than " << captures().size() << " kinds of capture";
}

TEST(CapturesPage, every_form_says_what_it_holds_how_it_is_made_and_by_what_it_is_known) {
  std::set<std::string_view> names, formats;
  for (const Form* form : forms()) {
    EXPECT_TRUE(names.insert(form->name).second) << form->name << " is twice in the list";
    EXPECT_FALSE(form->captures.front().format.empty()) << form->name << " does not say what it holds";
  }
  for (const About& about : captures()) {
    EXPECT_TRUE(formats.insert(about.format).second) << about.format << " is said twice";
    EXPECT_FALSE(about.what.empty() || about.recognised.empty() || about.file.empty()) << about.format;
    ASSERT_FALSE(about.produce.empty()) << about.format << " does not say what makes such a file";
    for (const std::string_view line : core::split(about.produce, '\n')) EXPECT_LE(line.size(), 90U) << line;
    for (const std::string_view text : {about.what, about.recognised, about.file}) {
      EXPECT_EQ(text.find("]("), std::string_view::npos) << about.format << ": a link leads nowhere in a terminal: " << text;
      EXPECT_FALSE(text.ends_with('.')) << about.format << ": a phrase, no full stop: " << text;
    }
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
