// mitata and deno bench: averages with percentiles and bounds, on one line (0.x) or on the next ones (1.x), in units of their
// own.
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/harness/time_cells.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kIteration = "/iter";

bool is_heading(std::string_view line) {
  return line.starts_with("benchmark") && line.find("(min … max)") != std::string_view::npos;
}

// The times of "(26.12 ns … 79.38 ns)  28.22 ns": those of memory have units of their own.
std::vector<double> times_of(std::string_view text) {
  std::vector<std::string_view> words;
  split_blanks(text, words);
  std::vector<double> times;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    std::string_view number = words[i], unit = words[i + 1];
    if (number.starts_with('(')) number.remove_prefix(1);
    if (unit.ends_with(')')) unit.remove_suffix(1);
    if (const auto time = nanoseconds(number, unit)) times.push_back(*time);
  }
  return times;
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no benchmark in the table of mitata";
  static constexpr std::string_view kHint = "a benchmark has a line with \"/iter\"";
  Reader(RowWriter& writer, std::uint32_t section) : rows_(writer, "mitata", section) { rows_.repeats_are_sections(); }

  [[nodiscard]] static bool begins(std::string_view) { return false; }
  void line(std::string_view whole) {
    const std::string_view line = core::trim(whole);
    if (line.starts_with("cpu: ")) rows_.context("hardware.cpu", line.substr(5));
    if (line.starts_with("runtime: ")) rows_.context("stack.runtime", line.substr(9));
    if (line.starts_with("• ")) group_ = line.substr(std::string_view("• ").size());
    const std::size_t end = line.find(kIteration);
    if (end != std::string_view::npos) {
      benchmark(line.substr(0, end), line.substr(end + kIteration.size()));
    } else if (line.starts_with('(') && !name_.empty()) {
      bounds(times_of(line));
    }
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  // "name  28.65 ns", and what is behind "/iter".
  void benchmark(std::string_view before, std::string_view behind) {
    std::vector<std::string_view> words;
    split_blanks(before, words);
    const auto average = words.size() > 2 ? nanoseconds(words[words.size() - 2], words.back()) : std::nullopt;
    if (!average) return;
    name_ = core::trim(before.substr(0, static_cast<std::size_t>(words[words.size() - 2].data() - before.data())));
    if (!group_.empty()) name_ = group_ + "/" + name_;
    add("avg", lower_is_better("ns"), *average);
    const std::vector<double> times = times_of(behind);
    if (core::trim(behind).starts_with('(')) {
      static constexpr std::string_view kStatistics[] = {"min", "max", "p75", "p99", "p99.5"};
      for (std::size_t i = 0; i < std::min(times.size(), std::size(kStatistics)); ++i) {
        add(kStatistics[i], i == 3 ? lower_is_better("ns") : for_context("ns"), times[i]);
      }
    } else if (!times.empty()) {
      add("p75", for_context("ns"), times[0]);
    }
  }
  // The line below: "(12.79 µs … 1.17 ms)  20.83 µs".
  void bounds(const std::vector<double>& times) {
    if (times.size() != 3) return;
    add("min", for_context("ns"), times[0]);
    add("max", for_context("ns"), times[1]);
    add("p99", lower_is_better("ns"), times[2]);
    name_.clear();
  }
  void add(std::string_view statistic, const Declared& declared, double value) {
    rows_.add(name_, statistic, rows_.dims({{"benchmark", name_}}), declared, value);
  }

  DeclaredRows rows_;
  std::string group_, name_;
};

}  // namespace

Detection detect_mitata(const Input& input) { return detect_line(input, 0.96, is_heading); }

extern const Format mitata_format = {
    .name = "mitata",
    .title = "mitata and deno bench",
    .replication = core::Replication::in_process,
    .detect = detect_mitata,
    .read = read_lines<Reader>,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "node bench.mjs | tee result.txt  # with mitata\ndeno bench | tee result.txt",
              .judged = "average and p99 in ns (lower)",
              .key = "the benchmark, behind its group: `group/name.avg`",
              .trials = "one value a key: it prints statistics of its samples",
              .context = "CPU, runtime",
              .limits = "bounds and other percentiles are context; memory, charts and summaries are left out",
              .recognised = "a heading that begins with `benchmark` and has `(min … max)`"},
};

}  // namespace plumbline::formats
