// The benchmark table of Catch2: three lines a benchmark (samples, iterations and estimate; mean with its bounds; standard
// deviation with its bounds), under the name of the test case; with --benchmark-no-analysis one line, that ends with the mean. A
// name that is too long runs over several lines.
#include "core/citing.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : core::split(core::trim(line), ' ')) {
    if (!core::trim(word).empty()) words.push_back(core::trim(word));
  }
  return words;
}

std::string_view unit_of(std::string_view text) { return text == "m" ? "min" : text; }

// "41.7 us  41.2 us  42.6 us"
std::optional<std::pair<double, std::string_view>> first_of_three(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() != 6 || !core::parse_double(words[2]) || !core::parse_double(words[4])) return std::nullopt;
  const auto value = core::parse_double(words[0]);
  if (!value) return std::nullopt;
  return std::pair{*value, unit_of(words[1])};
}

// The name before "100  76353  7.2 ms"; nothing where the line has no such end.
std::optional<std::string_view> name_before_counts(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 4) return std::nullopt;
  const std::string_view samples = words[words.size() - 4];
  if (!core::parse_int(samples) || !core::parse_int(words[words.size() - 3]) || !core::parse_double(words[words.size() - 2])) {
    return std::nullopt;
  }
  return core::trim(line.substr(0, static_cast<std::size_t>(samples.data() - line.data())));
}

// The time at the end of "100  208  41.5 us".
std::optional<std::pair<double, std::string_view>> last_time(std::string_view line) {
  const auto words = words_of(line);
  const auto value = core::parse_double(words[words.size() - 2]);
  if (!value) return std::nullopt;
  return std::pair{*value, unit_of(words.back())};
}

// The name before what stands in the place of times where the benchmark threw.
std::optional<std::string_view> name_before_failure(std::string_view line) {
  const std::size_t at = line.find("Benchmark failed (");
  return at == std::string_view::npos ? std::nullopt : std::optional(core::trim(line.substr(0, at)));
}

// The header without analysis: one line, "benchmark name  samples  iterations  mean".
bool is_short_header(std::string_view line) {
  const auto words = words_of(line);
  constexpr std::string_view kWords[] = {"benchmark", "name", "samples", "iterations", "mean"};
  return std::equal(words.begin(), words.end(), std::begin(kWords), std::end(kWords));
}

bool is_rule(std::string_view line, char c) { return line.size() > 20 && line.find_first_not_of(c) == std::string_view::npos; }

}  // namespace

Detection detect_catch2(const Input& input) {
  Detection detection;
  if (has_all(head_of(input), {"benchmark name", "samples       iterations", "low mean"}, detection)) {
    detection.score = 0.95;
    return detection;
  }
  for (const std::string_view line : core::split(head_of(input), '\n')) {
    if (!line.starts_with("benchmark name") || !is_short_header(line)) continue;
    detection.score = 0.95;
    detection.evidence.push_back("has the header " + core::cited(core::trim(line)));
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_catch2(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "catch2");
  rows.repeats_are_sections();
  std::string test_case, name;
  bool in_table = false, in_title = false;  // a title stands between two rules
  bool one_line = false;                    // without analysis
  double failed = 0;
  const std::vector<std::string_view> lines = core::split(input.bytes, '\n');
  for (std::size_t i = 0; i < lines.size() && !writer.halted(); ++i) {
    const std::string_view line = core::trim(lines[i]);
    if (is_rule(line, '-')) {
      in_title = !in_title;
      if (in_title) test_case.clear();
      in_table = false;
      name.clear();
      continue;
    }
    if (line.starts_with("benchmark name")) {
      one_line = is_short_header(line);
      i += one_line ? 1 : 3;  // two more lines of header, and the rule under them
      in_table = true;
      continue;
    }
    if (line.starts_with("test cases:")) {
      if (const std::size_t at = line.find(" failed"); at != std::string_view::npos) {
        const std::size_t bar = line.rfind('|', at);
        failed += core::parse_double(core::trim(line.substr(bar + 1, at - bar - 1))).value_or(1);
      }
      continue;
    }
    if (!in_table) {
      if (in_title && !line.empty()) test_case += (test_case.empty() ? "" : "/") + std::string(line);
      continue;
    }
    if (line.empty()) continue;
    const std::string_view next = i + 1 < lines.size() ? lines[i + 1] : std::string_view();
    if (const auto broken = name_before_failure(line)) {
      if (!broken->empty()) name += (name.empty() ? "" : " ") + std::string(*broken);
      const std::uint32_t dims = rows.dims({{"test_case", test_case}, {"benchmark", name}});
      rows.add(test_case + "/" + name, "mean", dims, lower_is_better("ns"),
               Leaf{core::ValueState::failed, 0, false, "the benchmark failed"});
      while (i + 1 < lines.size() && !core::trim(lines[i]).ends_with(')') && !is_rule(core::trim(lines[i + 1]), '-')) ++i;
      name.clear();
      continue;
    }
    const auto before = name_before_counts(line);
    if (!before) {
      name += (name.empty() ? "" : " ") + std::string(line);
      continue;
    }
    if (!before->empty()) name += (name.empty() ? "" : " ") + std::string(*before);
    const auto mean = one_line ? last_time(line) : first_of_three(next);
    const auto spread = !one_line && i + 2 < lines.size() ? first_of_three(lines[i + 2]) : std::nullopt;
    if (!mean) {
      name.clear();
      continue;
    }
    const std::string point = test_case + "/" + name;
    const std::uint32_t dims = rows.dims({{"test_case", test_case}, {"benchmark", name}});
    rows.add(point, "mean", dims, lower_is_better(mean->second), mean->first);
    if (spread) rows.add(point, "std_dev", dims, own_noise(spread->second), spread->first);
    if (!one_line) i += spread ? 2 : 1;
    name.clear();
  }
  rows.add({}, "failed_test_cases", 0, gate(), failed);
  rows.warn_of_repeats();
  writer.out.declared.headlines = {"*.mean"};
  return writer.finish(input.name);
}

extern const Format catch2_format = {
    .name = "catch2",
    .title = "Catch2 benchmarks (C++)",
    .replication = core::Replication::in_process,
    .detect = detect_catch2,
    .read = read_catch2,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "./tests '[!benchmark]' | tee result.txt",
              .judged = "benchmark table of Catch2",
              .key = "test case, benchmark",
              .trials = "one mean a key; its deviation is noise",
              .context = "none",
              .limits = "the samples are not in the file",
              .recognised = "`benchmark name`, `samples`, `low mean`, or `mean` in the same line"},
};

}  // namespace plumbline::formats
