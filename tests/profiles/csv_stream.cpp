// Records of a file read by blocks are those of the same text in memory, wherever the blocks end.
#include "profiles/readers/bytes/csv_stream.hpp"

#include <random>

#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

using Records = std::vector<std::pair<std::uint64_t, std::vector<std::string>>>;

Records all(CsvStream& stream) {
  Records records;
  std::vector<std::string_view> fields;
  while (stream.next(fields)) records.emplace_back(stream.line(), std::vector<std::string>(fields.begin(), fields.end()));
  return records;
}

TEST(CsvStream, GivesTheRecordsOfTheText) {
  Scratch scratch;
  std::mt19937_64 random(5);
  for (const std::size_t rows : {0U, 1U, 150000U}) {
    std::string text = "\xEF\xBB\xBFname,value\r\n";
    for (std::size_t i = 0; i < rows; ++i) {
      switch (random() % 4) {
        case 0:
          text += "\"a \"\"quoted\"\" name, with\nlines\",1\r\n";
          break;
        case 1:
          text += "plain,22,\n";
          break;
        case 2:
          text += "\n";
          break;
        default:
          text += std::string(random() % 40, 'x') + ",3\n";
          break;
      }
    }
    text += "last,without line feed";
    const std::string path = scratch.write("x.csv", text);
    const OpenFile file(path, {});
    CsvStream from_file(file);
    CsvStream from_text(text);
    const Records expected = all(from_text);
    EXPECT_EQ(all(from_file), expected);
    EXPECT_EQ(expected.front().second, (std::vector<std::string>{"name", "value"}));
    EXPECT_EQ(expected.back().second, (std::vector<std::string>{"last", "without line feed"}));
    EXPECT_EQ(expected.back().first, static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1);
    EXPECT_EQ(from_file.fault(), CsvStream::Fault::none);
    EXPECT_EQ(from_file.fraction(), 1);
  }
}

TEST(CsvStream, RecordsAreBounded) {
  Scratch scratch;
  const std::string path =
      scratch.write("x.csv", "a,b\n\"" + std::string(CsvStream::kLargestRecord + CsvStream::kBlock * 4, 'x') + "\"\n");
  const OpenFile file(path, {});
  CsvStream stream(file);
  EXPECT_EQ(all(stream).size(), 1U);
  EXPECT_EQ(stream.fault(), CsvStream::Fault::oversized);
  EXPECT_EQ(stream.line(), 2U);

  const std::string open = "a,b\nc,\"d\n";
  CsvStream unterminated(open);
  EXPECT_EQ(all(unterminated).size(), 1U);
  EXPECT_EQ(unterminated.fault(), CsvStream::Fault::unterminated);
  EXPECT_EQ(unterminated.line(), 2U);
}

}  // namespace
}  // namespace plumbline::profiles::test
