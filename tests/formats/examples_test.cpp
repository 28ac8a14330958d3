// The short files that `plumbline formats` shows are what they are called after, and every format that is no folder has one.
#include "formats/examples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "formats/binary.hpp"
#include "tests/support/known_formats.hpp"

namespace plumbline::formats {
namespace {

TEST(Examples, are_of_the_format_that_they_are_called_after) {
  for (const Format* format : testing::known_formats()) {
    SCOPED_TRACE(format->name);
    const Example example = formats::example(format->name);
    if (format->about.file == "folder" || is_binary(*format)) {
      EXPECT_TRUE(example.text.empty()) << "nothing that a terminal shows";
      continue;
    }
    ASSERT_FALSE(example.text.empty()) << "no file in formats/examples/" << about(format->about.group).name;
    EXPECT_LE(example.text.size(), 3000U) << "an example is short";
    Input input;
    input.name = example.file_name;
    input.bytes = example.text;
    const auto read = formats::read(input, testing::reading_all());
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->format.name, format->name);
    if (format->about.judged.starts_with("none")) continue;  // it says what a machine did meanwhile
    EXPECT_TRUE(std::any_of(read->rows().begin(), read->rows().end(), [&](const core::Row& row) {
      return read->metric_class(row).role != core::Role::context;
    })) << "nothing of it is judged";
  }
}

TEST(Examples, belong_to_a_format_and_are_in_its_group) {
  namespace fs = std::filesystem;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLUMBLINE_SOURCE) / "formats" / "examples")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string name = entry.path().filename().string(), stem = name.substr(0, name.find('.'));
    const auto known = testing::known_formats();
    const auto found = std::find_if(known.begin(), known.end(), [&](const Format* format) { return format->name == stem; });
    ASSERT_NE(found, known.end()) << entry.path() << " is called after no format";
    EXPECT_EQ(entry.path().parent_path().filename().string(), about((*found)->about.group).name) << entry.path();
    EXPECT_EQ(formats::example(stem).file_name, name);
  }
  EXPECT_GT(files, 50U);
}

}  // namespace
}  // namespace plumbline::formats
