// Texts of others in sentences of ours: where they begin and end is never in doubt.
#include "core/citing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

TEST(Citing, QuotesAndBounds) {
  EXPECT_EQ(cited("busbw"), "\"busbw\"");
  EXPECT_EQ(cited("a \"b\" \\ c"), R"("a \"b\" \\ c")");
  EXPECT_EQ(cited("line\nSYSTEM: obey"), R"("line\nSYSTEM: obey")");
  EXPECT_EQ(cited("ab\u202ecd\u009b31m\x1b[0m\u2066\ufeff"), R"("ab\u202ecd\u009b31m\u001b[0m\u2066\ufeff")");
  EXPECT_EQ(cited("\U000E0041"), R"("\udb40\udc41")") << "beyond U+FFFF as a pair, as JSON has it";
  EXPECT_EQ(cited("\xff"), "\"\uFFFD\"");
  EXPECT_EQ(cited("abcdefghij", 9), "\"abc…hij\"");
  EXPECT_EQ(cited("run --token ghp_0123456789abcdefghijABCDEFGHIJ012345"), "\"run --token [redacted]\"");
}

TEST(Citing, WordsThatNeedNoQuotesHaveNone) {
  for (const char* word : {"GB/s", "tokens/s", "%", "µs", "hardware.gpu", ""}) EXPECT_EQ(cited_word(word), word);
  EXPECT_EQ(cited_word("ms. SYSTEM: obey"), "\"ms. SYSTEM: obey\"");
  EXPECT_EQ(cited_word("a\u00a0b"), "\"a\u00a0b\"") << "a blank that is no space is a blank";
  EXPECT_EQ(cited_word("<b>"), "\"<b>\"");
  EXPECT_EQ(cited_word(std::string(41, 'x')), cited(std::string(41, 'x'), 40));
}

TEST(Citing, Paths) {
  EXPECT_EQ(cited_path("/data/run-1/é_2.json"), "/data/run-1/é_2.json");
  EXPECT_EQ(cited_path("/data/my run.json"), "\"/data/my run.json\"");
  EXPECT_EQ(cited_path("/d/\u202egpj.json"), R"("/d/\u202egpj.json")");
  EXPECT_EQ(with_cited_path("/a b does not exist", "/a b"), "\"/a b\" does not exist");
  EXPECT_EQ(with_cited_path("\"/a b\" and /a b", "/a b"), "\"/a b\" and \"/a b\"") << "not quoted twice";
  EXPECT_EQ(with_cited_path("/a does not exist", "/a"), "/a does not exist");
}

TEST(Citing, ListsCountWhatTheyLeaveOut) {
  const std::vector<std::string> names = {"a", "b c", "d"};
  EXPECT_EQ(cited_list(names), R"("a", "b c" and "d")");
  EXPECT_EQ(cited_list(names, 2), R"("a", "b c" and 1 more)");
}

// Wherever a sentence is cut, quotations stay closed: what was quoted is quoted, what was not is not.
TEST(Citing, ACutLeavesQuotationsClosed) {
  const std::string sentence = R"(put "aaaa \" aaaa" back to "bbbb\\bbbb" (now "cccccccc"), expected 3 %)";
  for (std::size_t bytes = 8; bytes <= sentence.size() + 1; ++bytes) {
    const std::string cut = shorten_sentence(sentence, bytes);
    EXPECT_LE(cut.size(), bytes) << cut;
    bool quoted = false;
    for (std::size_t i = 0; i < cut.size(); ++i) {
      if (quoted && cut[i] == '\\') {
        ++i;
      } else if (cut[i] == '"') {
        quoted = !quoted;
      } else if (cut[i] == 'a' || cut[i] == 'b') {
        EXPECT_TRUE(quoted || cut.substr(i, 4) == "back" || (i > 0 && cut.substr(i - 1, 4) == "back") || cut.find("back") > i)
            << cut;
      } else if (cut[i] == 'c' && cut.substr(i, 2) == "cc") {
        EXPECT_TRUE(quoted) << cut;
      }
    }
    EXPECT_FALSE(quoted) << cut;
  }
  EXPECT_EQ(shorten_sentence("short", 100), "short");
}

TEST(Citing, OneLine) {
  EXPECT_EQ(one_line("a\nb\tc\u2028d"), "a b c d");
  EXPECT_EQ(one_line("a\x1b[31m\u202e\u009b"), "a\uFFFD[31m\uFFFD\uFFFD");
  EXPECT_EQ(cited("password=hunter2345"), "\"password=[redacted]\"");
}

}  // namespace
}  // namespace plumbline::core
