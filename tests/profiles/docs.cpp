// docs/formats.md holds the captures' own words: their table is written from every form's About and compared here.
// PLUMBLINE_UPDATE_GOLDENS=1 writes it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "profiles/readers/form.hpp"
#include "tests/support/page.hpp"

namespace plumbline::profiles::test {
namespace {

std::string rendered() {
  std::string out = "| capture | what | recognised by |\n|---|---|---|\n";
  for (const Form* form : forms()) {
    for (const About& about : form->captures) {
      if (about.format.empty()) continue;
      out += "| `" + std::string(about.format) + "` | " + testing::cell(about.what) + " | " + testing::cell(about.recognised) +
             " |\n";
    }
  }
  return out;
}

TEST(CapturesPage, holds_what_the_forms_say_of_themselves) {
  testing::expect_part("docs/formats.md", "captures", "tests/profiles/docs.cpp", rendered());
}

TEST(CapturesPage, every_form_says_what_it_holds_and_by_what_it_is_known) {
  std::set<std::string_view> names, formats;
  for (const Form* form : forms()) {
    EXPECT_TRUE(names.insert(form->name).second) << form->name << " stands twice in the list";
    EXPECT_FALSE(form->captures.front().format.empty()) << form->name << " does not say what it holds";
    for (const About& about : form->captures) {
      if (about.format.empty()) continue;
      EXPECT_TRUE(formats.insert(about.format).second) << about.format << " is said twice";
      EXPECT_FALSE(about.what.empty() || about.recognised.empty()) << about.format;
      for (const std::string_view text : {about.what, about.recognised}) {
        EXPECT_FALSE(text.ends_with('.')) << about.format << ": a phrase, no full stop: " << text;
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::profiles::test
