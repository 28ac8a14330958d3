// A team's own statements against texts that nobody wrote, by a fixed seed: what the fuzzer stated_formats does at random.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/stated_texts.hpp"

namespace plumbline::formats {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(PLUMBLINE_TESTS "/fuzz/corpus/stated_formats")) {
    std::ifstream in(entry.path(), std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return all;
}

class Changes {
 public:
  // A line again, elsewhere, or gone; a piece of the language put in; a byte changed; a piece of another text.
  void change(std::string& text, const std::string& other) {
    static constexpr std::array<std::string_view, 24> kPieces{"{",
                                                              "}",
                                                              "{x}",
                                                              "{x} {x}",
                                                              "{x}{y}",
                                                              "{rate:lower}",
                                                              "{:short}",
                                                              "../",
                                                              "/",
                                                              "turn: begins",
                                                              "turn: ends",
                                                              "turn: paces",
                                                              "within: case {case}",
                                                              "is: percentile",
                                                              "unit: ms",
                                                              "times: 1e300",
                                                              "several: sum",
                                                              "1e308",
                                                              "-",
                                                              "NaN",
                                                              "1,234,567",
                                                              "1m30.5s",
                                                              "\r",
                                                              "\xFF"};
    if (text.empty()) return;
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string line = text.substr(at, end - at);
        if (below(2) == 0) text.erase(at, end - at);
        text.insert(below(text.size() + 1), line);
        break;
      }
      case 1:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 2:
        text[at] = static_cast<char>(below(256));
        break;
      case 3:
        text.erase(at, 1 + below(8));
        break;
      default:
        text.insert(at, other.substr(below(other.size()), below(64)));
    }
  }
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

 private:
  std::mt19937 random_{20261123};
};

TEST(StatedAnyText, a_statement_reads_or_refuses_whatever_it_is_given) {
  const std::vector<std::string> texts = corpus();
  ASSERT_GE(texts.size(), 3U);
  Changes changes;
  std::size_t stated = 0;
  constexpr int kRounds = 800;
  for (int round = 0; round < kRounds; ++round) {
    std::string text = texts[changes.below(texts.size())];
    const std::size_t times = 1 + changes.below(6);
    for (std::size_t i = 0; i < times; ++i) changes.change(text, texts[changes.below(texts.size())]);
    SCOPED_TRACE(text);
    stated += fuzz::hold_statement(text);
  }
  EXPECT_GT(stated, kRounds / 10);  // else only problems of statements were tried
}

}  // namespace
}  // namespace plumbline::formats
