// What GPUs did meanwhile: nvidia-smi --query-gpu as CSV, and the lines a second of nvidia-smi dmon and dcgmi dmon. Readings are
// no results, so they are context, in the order of time; memory errors that could not be corrected are a gate.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "core/text.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

// A metric of a card and its readings so far.
struct Series {
  std::string card, name, unit;
  std::vector<double> readings;
};

class Readings {
 public:
  void take(std::string_view card, std::string_view name, std::string_view unit, double reading) {
    auto known = std::find_if(all_.begin(), all_.end(), [&](const Series& one) { return one.card == card && one.name == name; });
    if (known == all_.end()) {
      known = all_.insert(all_.end(), Series{std::string(card), std::string(name), std::string(unit), {}});
    }
    known->readings.push_back(reading);
  }
  void write(DeclaredRows& rows) const {
    for (const Series& one : all_) {
      const std::string point = one.card.empty() ? "gpu" : "gpu[index=" + one.card + "]";
      const std::uint32_t dims = rows.dims({{"index", one.card}});
      if (one.name.find("uncorrected") != std::string::npos) {  // they are counted: the last says it
        rows.add(point, one.name, dims, gate(), one.readings.back());
      } else {
        rows.add(point, one.name, dims, for_context(one.unit), one.readings);
      }
    }
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }

 private:
  std::vector<Series> all_;
};

// "22.89 W" -> 22.89 and "W"; nothing for "[N/A]" and words.
std::optional<std::pair<double, std::string_view>> reading_of(std::string_view text) {
  text = core::trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const auto value = core::parse_double(text.substr(0, end));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return std::pair{*value, core::trim(text.substr(end))};
}

// "power.draw [W]": how a column is called, and its unit.
struct Heading {
  std::string name, unit;
};
Heading heading_of(std::string_view cell) {
  cell = core::trim(cell);
  const std::size_t open = cell.find(" [");
  Heading made{std::string(cell.substr(0, open)), {}};
  if (open != std::string_view::npos && cell.ends_with(']')) made.unit = cell.substr(open + 2, cell.size() - open - 3);
  std::replace_if(
      made.name.begin(), made.name.end(), [](char c) { return !base::is_digit(c) && !base::is_letter(c); }, '_');
  return made;
}

constexpr std::array<std::string_view, 8> kQueried{"power.draw",  "utilization.gpu", "utilization.memory", "memory.used",
                                                   "memory.free", "memory.total",    "temperature.gpu",    "clocks."};

bool is_query(std::string_view line) {
  bool time = false, queried = false;
  for (const std::string_view cell : core::split(line, ',')) {
    const std::string_view name = core::trim(cell);
    time = time || name == "timestamp";
    queried =
        queried || std::any_of(kQueried.begin(), kQueried.end(), [&](std::string_view one) { return name.starts_with(one); });
  }
  return time && queried;
}

core::Expected<core::Measurement> finished(const Readings& readings, RowWriter& writer, DeclaredRows& rows, const Input& input,
                                           std::string nothing) {
  if (readings.empty()) {
    return core::fail(core::ErrorCode::invalid_input, std::move(nothing), "it prints a line a card at each interval", input.name);
  }
  readings.write(rows);
  return writer.finish(input.name);
}

bool is_dmon(std::string_view line) {
  return line.starts_with("#Entity ") || line.starts_with("# Entity ") || line.starts_with("# gpu ") || line.starts_with("#gpu ");
}

}  // namespace

Detection detect_nvidia_smi(const Input& input) {
  return detect_line(input, 0.96, [](std::string_view line) { return is_query(line); });
}

core::Expected<core::Measurement> read_nvidia_smi(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "nvidia-smi");
  Readings readings;
  std::vector<Heading> headings;
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !writer.halted()) {
    if (is_query(line)) {
      headings.clear();
      for (const std::string& cell : csv_cells(line)) headings.push_back(heading_of(cell));
      continue;
    }
    const std::vector<std::string> cells = csv_cells(line);
    if (cells.size() != headings.size()) continue;
    const auto cell_of = [&](std::string_view name) -> std::string_view {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (headings[i].name == name) return core::trim(cells[i]);
      }
      return {};
    };
    const std::string_view card = cell_of("index");
    rows.context("hardware.gpu", cell_of("name"));
    rows.context("hardware.driver", cell_of("driver_version"));
    static constexpr std::array<std::string_view, 9> kNames{"index", "gpu",    "timestamp", "name",          "uuid",
                                                            "count", "pstate", "serial",    "driver_version"};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool is_name = std::find(kNames.begin(), kNames.end(), headings[i].name) != kNames.end();
      const auto reading = is_name ? std::nullopt : reading_of(cells[i]);
      if (!reading) continue;
      readings.take(card, headings[i].name, headings[i].unit.empty() ? reading->second : std::string_view(headings[i].unit),
                    reading->first);
    }
  }
  return finished(readings, writer, rows, input, "no reading of nvidia-smi below its heading");
}

Detection detect_gpu_dmon(const Input& input) {
  return detect_line(input, 0.95, [](std::string_view line) { return is_dmon(line) && line.find_first_of(".,") == line.npos; });
}

core::Expected<core::Measurement> read_gpu_dmon(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "dmon");
  Readings readings;
  std::vector<std::string> columns;
  std::vector<std::string> units;
  std::vector<std::string_view> words;
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !writer.halted()) {
    line = core::trim(line);
    split_blanks(line.substr(std::min(line.find_first_not_of("# "), line.size())), words);
    if (words.empty()) continue;
    if (is_dmon(line)) {
      columns.assign(words.begin() + 1, words.end());
      units.clear();
    } else if (line.starts_with('#')) {
      units.assign(words.begin() + 1, words.end());
    } else {
      if (words[0] == "GPU") words.erase(words.begin());
      if (words.size() != columns.size() + 1) continue;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto reading = reading_of(words[i + 1]);
        if (!reading) continue;
        readings.take(words[0], core::to_lower(columns[i]), i < units.size() ? std::string_view(units[i]) : std::string_view(),
                      reading->first);
      }
    }
  }
  return finished(readings, writer, rows, input, "no reading of dmon below its heading");
}

extern const Format nvidia_smi_format = {
    .name = "nvidia-smi",
    .title = "nvidia-smi --query-gpu (CSV)",
    .replication = core::Replication::in_process,
    .detect = detect_nvidia_smi,
    .read = read_nvidia_smi,
    .about = {.group = Group::hardware,
              .file = "CSV",
              .produce = "nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -l 1 > gpu.csv",
              .judged = "none: what a card did is no result; memory errors that could not be corrected are a gate",
              .key = "the card and the metric: `gpu[index=0].power_draw`",
              .trials = "readings, in the order of time",
              .context = "GPU, driver",
              .limits = "`[N/A]` is no reading; words like the state of performance are left out",
              .recognised =
                  "a heading with `timestamp` and `power.draw`, `utilization.gpu`, `memory.used`, `clocks.…` or the like"},
};
extern const Format gpu_dmon_format = {
    .name = "gpu-dmon",
    .title = "nvidia-smi dmon and dcgmi dmon",
    .replication = core::Replication::in_process,
    .detect = detect_gpu_dmon,
    .read = read_gpu_dmon,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "nvidia-smi dmon -c 60 > dmon.txt\ndcgmi dmon -e 1001,1004,1005 -c 60 > dmon.txt",
              .judged = "none: what a card did is no result",
              .key = "the card and the metric: `gpu[index=0].sm`",
              .trials = "readings, in the order of time",
              .context = "none",
              .limits = "`-` and `N/A` are no readings",
              .recognised = "a line that begins with `# gpu` or `#Entity`"},
};

}  // namespace plumbline::formats
