// tinybench: console.table(bench.table()) of versions 2 and 3. Times are in ns.
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

struct Column {
  std::string_view heading, metric;
  Declared declared;
};
// Throughput is one over the latency, as an average of its own.
constexpr Column kColumns[] = {
    {"Latency avg (ns)", "latency.avg", lower_is_better("ns")},
    {"Latency average (ns)", "latency.avg", lower_is_better("ns")},
    {"Latency med (ns)", "latency.med", lower_is_better("ns")},
    {"Latency median (ns)", "latency.med", lower_is_better("ns")},
    {"Average Time (ns)", "latency.avg", lower_is_better("ns")},
    {"Throughput avg (ops/s)", "throughput.avg", for_context("ops/s")},
    {"Throughput average (ops/s)", "throughput.avg", for_context("ops/s")},
    {"Throughput med (ops/s)", "throughput.med", for_context("ops/s")},
    {"Throughput median (ops/s)", "throughput.med", for_context("ops/s")},
    {"ops/sec", "throughput.avg", for_context("ops/s")},
    {"Samples", "samples", for_context()},
};

// Cells between "│", without the quotes that the console puts around words.
std::vector<std::string> cells_of(std::string_view line) {
  constexpr std::string_view kBar = "│";
  std::vector<std::string> cells;
  line = core::trim(line);
  if (!line.starts_with(kBar) || !line.ends_with(kBar)) return cells;
  for (line.remove_prefix(kBar.size()); !line.empty();) {
    const std::size_t bar = line.find(kBar);
    std::string_view cell = core::trim(line.substr(0, bar));
    if (cell.size() >= 2 && cell.front() == '\'' && cell.back() == '\'') cell = cell.substr(1, cell.size() - 2);
    cells.emplace_back(cell);
    line.remove_prefix(bar + kBar.size());
  }
  return cells;
}

// "44.30 ± 1.61%", "1,234,567".
std::optional<double> number_of(std::string_view cell) {
  std::string plain;
  for (const char c : cell.substr(0, cell.find(' '))) {
    if (c != ',') plain.push_back(c);
  }
  return core::parse_double(plain);
}

std::size_t place_of(const std::vector<std::string>& cells, std::string_view heading) {
  return static_cast<std::size_t>(std::find(cells.begin(), cells.end(), heading) - cells.begin());
}

std::size_t place_of_name(const std::vector<std::string>& cells) {
  return std::min(place_of(cells, "Task name"), place_of(cells, "Task Name"));
}

bool is_heading(std::string_view line) {
  const std::vector<std::string> cells = cells_of(line);
  const bool timed = std::any_of(std::begin(kColumns), std::end(kColumns),
                                 [&](const Column& one) { return place_of(cells, one.heading) < cells.size(); });
  return timed && place_of_name(cells) < cells.size();
}

class Reader {
 public:
  Reader(RowWriter& writer, std::uint32_t section) : rows_(writer, "tinybench", section) { rows_.repeats_are_sections(); }
  [[nodiscard]] static bool begins(std::string_view) { return false; }
  void line(std::string_view line) {
    std::vector<std::string> cells = cells_of(line);
    if (is_heading(line)) {
      headings_ = std::move(cells);
    } else if (!headings_.empty() && cells.size() == headings_.size()) {
      const std::string& name = cells[place_of_name(headings_)];
      const std::uint32_t dims = rows_.dims({{"benchmark", name}});
      for (const Column& column : kColumns) {
        const std::size_t at = place_of(headings_, column.heading);
        const auto value = at < cells.size() ? number_of(cells[at]) : std::nullopt;
        if (value) rows_.add(name, column.metric, dims, column.declared, *value);
      }
    }
  }
  void end() { rows_.warn_of_repeats(); }

 private:
  DeclaredRows rows_;
  std::vector<std::string> headings_;
};

}  // namespace

Detection detect_tinybench(const Input& input) { return detect_line(input, 0.98, is_heading); }

core::Expected<core::Measurement> read_tinybench(const Input& input, const ReadOptions& options) {
  return read_lines<Reader>(input, options, core::Replication::in_process, "no task in the table of tinybench",
                            "console.table(bench.table()) prints one");
}

extern const Format tinybench_format = {
    .name = "tinybench",
    .title = "tinybench (console.table)",
    .replication = core::Replication::in_process,
    .detect = detect_tinybench,
    .read = read_tinybench,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "node bench.mjs | tee result.txt  # console.table(bench.table())",
              .judged = "average and median of the latency in ns (lower)",
              .key = "the task",
              .trials = "one value a key: it prints statistics of its samples",
              .context = "none",
              .limits = "throughput says the same; margins behind `±` are left out",
              .recognised = "a heading between `│` with `Task name` and `Latency avg (ns)` or `ops/sec`"},
};

}  // namespace plumbline::formats
