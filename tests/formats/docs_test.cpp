// docs/formats.md and its pages hold the formats' own words: they are written from the About of every format and compared here.
// PLUMBLINE_UPDATE_GOLDENS=1 writes them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/text.hpp"
#include "formats/examples.hpp"
#include "formats/generic/known_tools.hpp"
#include "tests/support/known_formats.hpp"
#include "tests/support/page.hpp"

namespace plumbline::formats {
namespace {

constexpr const char* kWriter = "tests/formats/docs_test.cpp";

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::vector<const Format*> formats_of(Group group) {
  std::vector<const Format*> out;
  for (const Format* format : testing::known_formats()) {
    if (format->about.group == group) out.push_back(format);
  }
  return out;
}

std::string index() {
  std::string out;
  for (const GroupAbout& group : groups()) {
    std::string names;
    const auto formats = formats_of(group.group);
    for (const Format* format : formats) names += (names.empty() ? "" : ", ") + code(format->name);
    const std::string name(group.name), title(group.title);
    out += testing::wrapped(
        "- [" + name + "](formats/" + name + ".md), " + title + " (" + std::to_string(formats.size()) + "): " + names + ".",
        "  ");
  }
  return out;
}

// Tools, each once, with what their users can do instead.
std::string not_read() {
  std::string out;
  std::string_view before;
  for (const KnownTool& tool : known_tools()) {
    if (tool.name == before) continue;
    before = tool.name;
    out += testing::wrapped(
        "- **" + std::string(tool.name) + "**: " + std::string(tool.why) + ". Instead: " + std::string(tool.instead) + ".", "  ");
  }
  return out;
}

std::string section(const Format& format) {
  const About& about = format.about;
  std::string out = "\n## " + std::string(format.name) + "\n\n";
  out += testing::wrapped("**" + std::string(about.file) + "**: " + std::string(format.title) + ".", "");
  out += "\n```sh\n" + std::string(about.produce) + "\n```\n\n";
  const std::pair<std::string_view, std::string_view> lines[] = {{"Judged", about.judged}, {"Key", about.key},
                                                                 {"Trials", about.trials}, {"Context", about.context},
                                                                 {"Limits", about.limits}, {"Recognised by", about.recognised}};
  for (const auto& [label, text] : lines) {
    if (!text.empty()) out += testing::wrapped("- **" + std::string(label) + ":** " + testing::sentences(text), "  ");
  }
  const Example example = formats::example(format.name);
  if (!example.file_name.empty()) {
    const std::string file(example.file_name);
    out += "- **Example:** [" + file + "](../../formats/examples/" + std::string(formats::about(about.group).name) + "/" + file +
           ")\n";
  }
  return out;
}

std::string page(const GroupAbout& group) {
  std::string title(group.title);
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  std::string out =
      "# " + title + "\n\n<!-- written by " + std::string(kWriter) + " from what the formats say of themselves -->\n";
  out += testing::wrapped(
      "One of the pages of [formats](../formats.md). `plumbline formats NAME` shows a format in the terminal, with an example "
      "and "
      "what is read of it.",
      "");
  for (const Format* format : formats_of(group.group)) out += section(*format);
  return out;
}

TEST(FormatsPages, hold_what_the_formats_say_of_themselves) {
  testing::expect_part("docs/formats.md", "index", kWriter, index());
  testing::expect_part("docs/formats.md", "not-read", kWriter, not_read());
  for (const GroupAbout& group : groups())
    testing::expect_page("docs/formats/" + std::string(group.name) + ".md", kWriter, page(group));
}

TEST(Readme, says_how_many_formats_are_read) {
  EXPECT_NE(testing::page_text(PLUMBLINE_SOURCE "/README.md").find(std::to_string(testing::known_formats().size()) + " formats"),
            std::string::npos)
      << "README.md has another number than " << testing::known_formats().size() << " formats";
}

TEST(FormatsPages, every_format_says_what_it_judges_and_how) {
  for (const Format* format : testing::known_formats()) {
    const About& about = format->about;
    EXPECT_FALSE(format->title.empty()) << format->name;
    EXPECT_FALSE(about.judged.empty()) << format->name << " does not say what is judged";
    EXPECT_FALSE(about.key.empty()) << format->name << " does not say what tells points apart";
    EXPECT_FALSE(about.trials.empty()) << format->name << " does not say what repeats";
    EXPECT_FALSE(about.context.empty()) << format->name << " does not say what context is taken";
    EXPECT_FALSE(about.recognised.empty()) << format->name << " does not say by what it is recognised";
    EXPECT_FALSE(about.file.empty()) << format->name << " does not say what kind of file it is";
    for (const std::string_view text :
         {format->title, about.judged, about.key, about.trials, about.context, about.limits, about.recognised, about.file}) {
      EXPECT_EQ(text.find('\n'), std::string_view::npos) << format->name;
      EXPECT_EQ(text.find("]("), std::string_view::npos) << format->name << ": a link leads nowhere in a terminal: " << text;
      EXPECT_FALSE(text.ends_with('.')) << format->name << ": a phrase, no full stop: " << text;
    }
  }
}

TEST(FormatsPages, every_format_says_how_its_file_is_made) {
  for (const Format* format : testing::known_formats()) {
    ASSERT_FALSE(format->about.produce.empty()) << format->name << " does not say what makes such a file";
    for (const std::string_view line : core::split(format->about.produce, '\n')) {
      EXPECT_FALSE(core::trim(line).empty()) << format->name;
      EXPECT_LE(line.size(), 90U) << format->name << ": " << line;
      EXPECT_TRUE(!line.starts_with('#') || line.starts_with("# ")) << format->name << ": " << line;
    }
  }
}

// The groups are the folders of the readers; those of other systems are in systems/.
TEST(Groups, are_the_folders_of_the_readers) {
  namespace fs = std::filesystem;
  for (std::size_t i = 0; i < groups().size(); ++i) {
    const GroupAbout& group = groups()[i];
    ASSERT_EQ(static_cast<std::size_t>(group.group), i);
    const fs::path source = PLUMBLINE_SOURCE;
    std::string readers;
    for (const auto& entry : fs::recursive_directory_iterator(
             group.group == Group::other_systems ? source / "systems" : source / "formats" / group.name)) {
      if (entry.path().extension() == ".cpp") readers += testing::page_text(entry.path().string());
    }
    for (const Format* format : formats_of(group.group)) {
      EXPECT_NE(readers.find("\"" + std::string(format->name) + "\""), std::string::npos)
          << format->name << " is in group " << group.name << ", its reader elsewhere";
    }
  }
}

}  // namespace
}  // namespace plumbline::formats
