// UnixBench: the results of its tests, their indexes and the score of all, by the number of copies that ran at once.
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kScore = "System Benchmarks Index Score";

class Reader {
 public:
  Reader(RowWriter& writer, std::uint32_t section) : writer_(writer), rows_(writer, "UnixBench", section) {
    rows_.repeats_are_sections();
  }
  [[nodiscard]] static bool begins(std::string_view) { return false; }
  void line(std::string_view whole) {
    const std::string_view line = core::trim(whole);
    if (const std::size_t at = line.find("; running ");
        at != std::string_view::npos && line.find("of tests") != std::string_view::npos) {
      const std::string_view rest = line.substr(at + std::string_view("; running ").size());
      copies_ = std::string(rest.substr(0, rest.find(' ')));
    } else if (line.ends_with(" samples)")) {
      result(line);
    } else if (line.starts_with(kScore)) {
      split_blanks(line, words_);
      if (const auto score = core::parse_double(words_.back())) {
        add(kScore, "index", higher_is_better(""), *score);
        writer_.out.declared.headlines.push_back(point_of(kScore) + ".index");
      }
    } else {
      index(line);
    }
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  // "Pipe Throughput   2221775.6 lps   (10.0 s, 7 samples)"
  void result(std::string_view line) {
    split_blanks(line.substr(0, line.rfind('(')), words_);
    if (words_.size() < 3) return;
    const std::string_view number = words_[words_.size() - 2];
    if (const auto value = core::parse_double(number))
      add(before(line, number), "result", higher_is_better(words_.back()), *value);
  }
  // "Pipe Throughput   12440.0   2221775.6   1786.0": of baseline, result and index the last one is new.
  void index(std::string_view line) {
    split_blanks(line, words_);
    if (words_.size() < 4) return;
    const std::string_view baseline = words_[words_.size() - 3];
    const auto value = core::parse_double(words_.back());
    if (value && core::parse_double(baseline) && core::parse_double(words_[words_.size() - 2]))
      add(before(line, baseline), "index", for_context(), *value);
  }
  static std::string_view before(std::string_view line, std::string_view word) {
    return core::trim(line.substr(0, static_cast<std::size_t>(word.data() - line.data())));
  }
  [[nodiscard]] std::string point_of(std::string_view test) const {
    return std::string(test) + (copies_.empty() ? "" : "[copies=" + copies_ + "]");
  }
  void add(std::string_view test, std::string_view metric, const Declared& declared, double value) {
    rows_.add(point_of(test), metric, rows_.dims({{"copies", copies_}}), declared, value);
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::string copies_;
  std::vector<std::string_view> words_;
};

}  // namespace

Detection detect_unixbench(const Input& input) {
  Detection detection;
  if (has_all(head_of(input), {"BYTE UNIX Benchmarks", "System Benchmarks Index Values"}, detection)) detection.score = 0.97;
  return detection;
}

core::Expected<core::Measurement> read_unixbench(const Input& input, const ReadOptions& options) {
  return read_lines<Reader>(input, options, core::Replication::run, "no result of UnixBench",
                            "it prints them when all tests are done");
}

extern const Format unixbench_format = {
    .name = "unixbench",
    .title = "UnixBench",
    .replication = core::Replication::run,
    .detect = detect_unixbench,
    .read = read_unixbench,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "./Run | tee result.txt",
              .judged = "the result of each test in its unit, and the index score of all (higher)",
              .key = "the test and how many copies ran at once: `Pipe Throughput[copies=1].result`",
              .trials = "one value a key: it prints means of its samples",
              .context = "none",
              .limits = "indexes of single tests say the same as their results",
              .recognised = "`BYTE UNIX Benchmarks` and `System Benchmarks Index Values`"},
};

}  // namespace plumbline::formats
