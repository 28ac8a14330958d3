// nanobench (C++): its Markdown table. The unit stands in the heading, "ns/op" or "ns/request", and a name may carry a mark that
// its benchmark was not stable.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  line = core::trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (const std::string_view cell : core::split(line, '|')) cells.push_back(core::trim(cell));
  return cells;
}

bool is_time(std::string_view heading) {
  return heading.starts_with("ns/") || heading.starts_with("us/") || heading.starts_with("µs/") || heading.starts_with("ms/") ||
         heading.starts_with("s/");
}

bool is_heading(std::string_view line) {
  const auto cells = cells_of(line);
  return std::any_of(cells.begin(), cells.end(), is_time) && std::find(cells.begin(), cells.end(), "err%") != cells.end() &&
         cells.size() >= 4;
}

// "3,192,709,967.58", "0.1%".
std::optional<double> number_of(std::string_view cell) {
  std::string plain;
  for (const char c : cell) {
    if (c != ',' && c != '%') plain.push_back(c);
  }
  return core::parse_double(plain);
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no benchmark in the table of nanobench";
  static constexpr std::string_view kHint = "a benchmark has a row that ends in its name";
  Reader(RowWriter& writer, std::uint32_t section) : rows_(writer, "nanobench", section) { rows_.repeats_are_sections(); }
  [[nodiscard]] static bool begins(std::string_view) { return false; }
  void line(std::string_view line) {
    const std::vector<std::string_view> cells = cells_of(line);
    if (is_heading(line)) {
      headings_.assign(cells.begin(), cells.end());
    } else if (cells.size() == headings_.size()) {
      row(cells);
    }
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  void row(const std::vector<std::string_view>& cells) {
    const std::string_view last = cells.back();
    const std::size_t open = last.find('`'), close = open == std::string_view::npos ? open : last.find('`', open + 1);
    if (close == std::string_view::npos) return;
    const std::string name(last.substr(open + 1, close - open - 1));
    const std::string_view title = headings_.back() == "benchmark" ? std::string_view() : std::string_view(headings_.back());
    const std::string point = title.empty() ? name : std::string(title) + "/" + name;
    const std::uint32_t dims = rows_.dims({{"title", std::string(title)}, {"benchmark", name}});
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      if (const auto value = number_of(cells[i])) add(point, dims, headings_[i], *value);
    }
  }
  void add(const std::string& point, std::uint32_t dims, std::string_view heading, double value) {
    if (is_time(heading)) {
      rows_.add(point, "time", dims, lower_is_better(heading), value);
    } else if (heading.ends_with("/s")) {
      rows_.add(point, "rate", dims, for_context(heading), value);
    } else if (heading == "err%") {
      rows_.add(point, "err", dims, own_noise("%"), value);
    } else if (heading == "miss%") {
      rows_.add(point, "branch_misses", dims, for_context("%"), value);
    } else if (heading == "IPC") {
      rows_.add(point, "ipc", dims, for_context(), value);
    } else if (heading.starts_with("ins/") || heading.starts_with("cyc/") || heading.starts_with("bra/")) {
      constexpr std::string_view kNames[] = {"instructions", "cycles", "branches"};
      rows_.add(point, kNames[heading[0] == 'i' ? 0 : heading[0] == 'c' ? 1 : 2], dims, for_context(), value);
    }
  }

  DeclaredRows rows_;
  std::vector<std::string> headings_;
};

}  // namespace

Detection detect_nanobench(const Input& input) { return detect_line(input, 0.96, is_heading); }

extern const Format nanobench_format = {
    .name = "nanobench",
    .title = "nanobench (C++)",
    .replication = core::Replication::in_process,
    .detect = detect_nanobench,
    .read = read_lines<Reader>,
    .about = {.group = Group::harness,
              .file = "Markdown",
              .produce = "./my_benchmark | tee result.md  # ankerl::nanobench::Bench().run(…)",
              .judged = "the median time of an operation, in the unit of the heading (lower)",
              .key = "the benchmark, behind the table's title: `x += x.time`",
              .trials = "one value a key: it prints medians, with their error as noise",
              .context = "none",
              .limits = "rates say the same as times; instructions, cycles and branches are context; the mark of an unstable "
                        "benchmark is left out, its error says it",
              .recognised = "a heading with `ns/op` or the like and `err%`"},
};

}  // namespace plumbline::formats
