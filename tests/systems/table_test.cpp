// The table of other systems, and that their readers are handed in: formats/ alone knows none of them.
#include "systems/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "systems/exporter.hpp"
#include "tests/support/known_formats.hpp"

namespace plumbline::systems {
namespace {

TEST(Systems, each_judges_prints_and_says_what_it_needs) {
  EXPECT_EQ(names(), "inferencebench, msmodeling, tensorsharp and spec_decode");
  for (const System* system : table()) {
    EXPECT_EQ(find(system->name), system);
    EXPECT_FALSE(system->title.empty() || system->needs.empty()) << system->name;
    ASSERT_TRUE(system->applies && system->judge && system->decide_rows && system->printer) << system->name;
    EXPECT_TRUE(system->printer->fields && system->printer->text) << system->name;
    if (system->exporter != nullptr) {
      EXPECT_EQ(system->exporter->name, system->name);
    }
  }
  EXPECT_EQ(find("plumbline"), nullptr);
}

TEST(Systems, their_readers_stand_behind_those_of_formats) {
  const auto known = testing::known_formats();
  ASSERT_EQ(known.size(), formats::table().size() + readers().size());
  EXPECT_TRUE(std::equal(formats::table().begin(), formats::table().end(), known.begin()));
  EXPECT_TRUE(std::equal(readers().begin(), readers().end(), known.begin() + formats::table().size()));
}

TEST(Systems, a_file_of_theirs_is_told_apart_only_where_their_readers_are_handed_in) {
  std::ifstream file(PLUMBLINE_TESTS "/formats/fixtures/inferencebench.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  formats::Input input;
  input.name = "e.json";
  input.bytes = text;
  const auto format_of = [&input](const formats::ReadOptions& options) {
    const auto m = formats::read(input, options);
    return m ? m->format.name : m.error().message;
  };
  EXPECT_EQ(format_of({}), "generic-json");
  EXPECT_EQ(format_of(testing::reading_all()), "inferencebench");
  const auto alone = formats::detect(input), among_all = formats::detect(input, testing::known_formats());
  ASSERT_TRUE(alone && among_all);
  EXPECT_EQ(alone->info.name, "generic-json");
  EXPECT_EQ(among_all->info.name, "inferencebench");
  formats::ReadOptions named;
  named.format = "inferencebench";
  EXPECT_EQ(format_of(named), "unknown format \"inferencebench\"");
  // What stands in a folder is told apart among the same.
  formats::Input folder;
  folder.name = "results";
  folder.is_directory = true;
  folder.files.push_back({"e.json", text});
  const auto inside = formats::read(folder, testing::reading_all());
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_TRUE(std::any_of(inside->warnings.begin(), inside->warnings.end(),
                          [](const core::Warning& warning) { return warning.code == "placeholder_provenance"; }));
}

}  // namespace
}  // namespace plumbline::systems
