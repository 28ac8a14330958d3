// Tables of benchstat read as measurements: the text with bars and its CSV (-format csv); those of before 2023 are read in
// benchstat_old.cpp. A column is a file and so a dimension; what benchstat concluded from two columns (change, p) is context,
// its intervals are noise.
#include "formats/harness/benchstat.hpp"

#include <map>
#include <set>

#include "core/citing.hpp"
#include "formats/csv_cells.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kBar = "\xE2\x94\x82";    // │
constexpr std::string_view kPlusMinus = "\xC2\xB1";  // ±
constexpr std::string_view kMicro = "\xC2\xB5";      // µ
constexpr std::string_view kGreekMu = "\xCE\xBC";    // μ
constexpr std::string_view kSuperscripts[] = {"\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4", "\xE2\x81\xB5",
                                              "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9", "\xE2\x81\xB0"};

struct Unit {
  std::string_view written, metric;
  Declared declared;
  bool known = true;
};
constexpr Unit kUnits[] = {{"sec/op", "time", lower_is_better("s")},
                           {"ns/op", "time", lower_is_better("ns")},
                           {"B/s", "speed", higher_is_better("B/s")},
                           {"MB/s", "speed", higher_is_better("MB/s")},
                           {"B/op", "B/op", {"B", core::Direction::lower, core::Role::judged, true}},
                           {"allocs/op", "allocs/op", {"", core::Direction::lower, core::Role::judged, true}}};

// The unit of an own metric is its name; work per second says itself which way is better.
Unit unit_of(std::string_view written) {
  for (const Unit& unit : kUnits) {
    if (unit.written == written) return unit;
    if (written.ends_with("-" + std::string(unit.written))) return {written, written, unit.declared};  // "GC-sec/op"
  }
  Declared declared;
  if (written.starts_with("sec/") || written.find("-sec/") != std::string_view::npos) {
    declared = lower_is_better("s");
  } else if (written.ends_with("/s") || written.ends_with("/sec")) {
    declared.direction = core::Direction::higher;
  } else {
    return {written, written, declared, false};
  }
  return {written, written, declared};
}

// "46.55n", "2.001Gi", "1.5k": the number as if the prefix were an exponent, so that it is rounded once.
std::optional<double> scaled(std::string_view text) {
  for (const std::string_view mark : kSuperscripts) {
    while (text.ends_with(mark)) text.remove_suffix(mark.size());
  }
  struct Prefix {
    std::string_view text, exponent;
    double factor;
  };
  constexpr Prefix kPrefixes[] = {
      {"Ki", "", 1024.0}, {"Mi", "", 1048576.0}, {"Gi", "", 1073741824.0}, {"Ti", "", 1099511627776.0},
      {"p", "e-12", 1},   {"n", "e-9", 1},       {kMicro, "e-6", 1},       {kGreekMu, "e-6", 1},
      {"u", "e-6", 1},    {"m", "e-3", 1},       {"k", "e3", 1},           {"M", "e6", 1},
      {"G", "e9", 1},     {"T", "e12", 1}};
  if (text.empty() || text.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  for (const Prefix& prefix : kPrefixes) {
    if (!text.ends_with(prefix.text)) continue;
    const auto value =
        core::parse_double(std::string(text.substr(0, text.size() - prefix.text.size())) + std::string(prefix.exponent));
    if (!value) return std::nullopt;
    return *value * prefix.factor;
  }
  return core::parse_double(text);
}

// Columns of code points: the texts are aligned for the eye, not by bytes.
std::vector<std::size_t> bars_of(std::string_view line) {
  std::vector<std::size_t> places;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) continue;
    if (line.substr(at).starts_with(kBar)) places.push_back(column);
    ++column;
  }
  return places;
}
std::string_view columns(std::string_view line, std::size_t from, std::size_t to) {
  std::size_t column = 0, begin = line.size(), end = line.size();
  for (std::size_t at = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) continue;
    if (column == from) begin = at;
    if (column == to) {
      end = at;
      break;
    }
    ++column;
  }
  return begin >= end ? std::string_view() : line.substr(begin, end - begin);
}
// One line of a header: where its cells begin, and what they say.
struct Level {
  std::vector<std::size_t> bars;
  std::vector<std::string> cells;
};
Level level_of(std::string_view line) {
  Level level{bars_of(line), {}};
  std::size_t at = line.find(kBar);
  while (at != std::string_view::npos) {
    at += kBar.size();
    const std::size_t next = line.find(kBar, at);
    if (next == std::string_view::npos) break;
    level.cells.emplace_back(core::trim(line.substr(at, next - at)));
    at = next;
  }
  return level;
}

// A line under a table that starts with the mark of what it explains.
bool is_footnote(std::string_view line) {
  return std::any_of(std::begin(kSuperscripts), std::end(kSuperscripts),
                     [&](std::string_view mark) { return line.starts_with(mark); });
}

class Tables {
 public:
  std::vector<BenchstatEntry> entries;
  std::map<std::string, std::string> config;  // as it stands at the line read now

  // "goos: linux"; a setting starts with a small letter, as warnings about cells ("B6: need …") do not.
  void take_config(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon == 0 || line.front() < 'a' || line.front() > 'z') return;
    const std::string_view key = line.substr(0, colon);
    if (key.find_first_of(" ,/") != std::string_view::npos) return;
    if (config.size() >= kMostSettings && !config.contains(std::string(key))) return;
    config[std::string(key)] = std::string(core::trim(line.substr(colon + 2)).substr(0, 200));
  }
  BenchstatEntry& add(std::string_view name, std::string_view file, std::string_view unit) {
    BenchstatEntry& entry = entries.emplace_back();
    entry.name = std::string(name);
    entry.file = std::string(file);
    entry.mean = name == "geomean";
    entry.config = config;
    entry.unit = std::string(unit);
    return entry;
  }

  void text(std::string_view all) {
    std::vector<Level> levels;  // the last one holds the units
    bool in_header = false;
    for (const std::string_view line : core::split(all, '\n')) {
      if (line.find(kBar) != std::string_view::npos) {
        if (!in_header) levels.clear();
        in_header = true;
        if (levels.size() < kMostLevels) levels.push_back(level_of(line));
        continue;
      }
      in_header = false;
      if (core::trim(line).empty()) {
        levels.clear();
      } else if (levels.empty()) {
        take_config(core::trim(line));
      } else if (levels.size() > 1 && !levels.back().bars.empty()) {
        text_row(line, levels);
      }
    }
  }

  void csv(std::string_view all) {
    std::vector<std::vector<std::string>> levels;  // the last one holds the units
    bool in_header = false;
    for (const std::string_view whole : core::split(all, '\n')) {
      const std::string_view line = core::trim(whole);
      if (line.empty()) {
        levels.clear();
        in_header = false;
        continue;
      }
      std::vector<std::string> cells = csv_cells(line);
      if (cells.front().empty() && cells.size() > 1) {
        if (!in_header) levels.clear();
        in_header = true;
        if (levels.size() < kMostLevels) levels.push_back(std::move(cells));
      } else if (levels.size() < 2) {
        take_config(line);
      } else {
        in_header = false;
        csv_row(cells, levels);
      }
    }
  }

 private:
  // What stands over a column, from the top: a file, or the values of several settings (-col).
  static std::string name_of(const std::vector<Level>& levels, std::size_t column) {
    std::string name;
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
      const auto& bars = levels[i].bars;
      const auto next = std::upper_bound(bars.begin(), bars.end(), column);
      const auto cell = static_cast<std::size_t>(next - bars.begin());
      if (cell == 0 || cell > levels[i].cells.size() || levels[i].cells[cell - 1].empty()) continue;
      name += (name.empty() ? "" : " ") + levels[i].cells[cell - 1];
    }
    return name;
  }
  void text_row(std::string_view line, const std::vector<Level>& levels) {
    const auto& [bars, units] = levels.back();
    const std::string_view name = core::trim(columns(line, 0, bars.front()));
    if (name.empty() || is_footnote(name)) return;
    for (std::size_t i = 0; i < units.size() && i < bars.size(); ++i) {
      // The header's last column may be narrower than what stands under it.
      const bool last = i + 1 == units.size() || i + 1 >= bars.size();
      std::string_view cell = core::trim(columns(line, bars[i], last ? std::string_view::npos : bars[i + 1]));
      if (cell.empty()) continue;
      const std::string_view first_unit = std::string_view(units[i]).substr(0, units[i].find("  "));
      const auto value = scaled(cell.substr(0, cell.find(' ')));
      if (!value) continue;
      BenchstatEntry& entry = add(name, name_of(levels, bars[i]), core::trim(first_unit));
      entry.value = value;
      cell = core::trim(cell.substr(std::min(cell.find(' '), cell.size())));
      if (cell.starts_with(kPlusMinus)) {
        cell = core::trim(cell.substr(kPlusMinus.size()));
        entry.interval = benchstat_percent(cell.substr(0, cell.find(' ')));
        cell = core::trim(cell.substr(std::min(cell.find(' '), cell.size())));
      }
      // A mark may stand between the value and its change.
      while (is_footnote(cell)) cell = core::trim(cell.substr(std::min(cell.find(' '), cell.size())));
      entry.change = benchstat_percent(cell.substr(0, cell.find(' ')));
      entry.p = benchstat_p(cell);
    }
  }
  void csv_row(const std::vector<std::string>& cells, const std::vector<std::vector<std::string>>& levels) {
    const std::vector<std::string>& header = levels.back();
    BenchstatEntry* entry = nullptr;
    std::vector<std::string_view> names(levels.size() - 1);
    for (std::size_t i = 1; i < header.size() && i < cells.size(); ++i) {
      std::string file;
      for (std::size_t level = 0; level < names.size(); ++level) {
        if (i < levels[level].size() && !levels[level][i].empty()) names[level] = levels[level][i];
        if (!names[level].empty()) file += (file.empty() ? "" : " ") + std::string(names[level]);
      }
      if (header[i] == "CI") {
        if (entry != nullptr) entry->interval = benchstat_percent(cells[i]);
      } else if (header[i] == "vs base") {
        if (entry != nullptr) entry->change = benchstat_percent(cells[i]);
      } else if (header[i] == "P") {
        if (entry != nullptr) entry->p = benchstat_p(cells[i]);
      } else if (!header[i].empty()) {
        entry = nullptr;
        const auto value = core::parse_double(cells[i]);
        if (!value) continue;
        entry = &add(cells.front(), file, header[i]);
        entry->value = value;
      }
    }
  }
};

// Settings of every run, not of one table of them.
bool is_context(std::string_view key) { return key == "goos" || key == "goarch" || key == "cpu"; }

void write(const BenchstatEntry& entry, bool several_files, DeclaredRows& rows) {
  std::string point, brackets;
  std::vector<std::pair<std::string_view, std::string>> pairs;
  if (const auto package = entry.config.find("pkg"); package != entry.config.end()) {
    point = package->second + ".";
    pairs.emplace_back("package", package->second);
  }
  point += entry.name;
  pairs.emplace_back("benchmark", entry.name);
  for (const auto& [key, value] : entry.config) {
    if (key == "pkg" || is_context(key)) continue;
    brackets += (brackets.empty() ? "" : ",") + key + "=" + value;
    pairs.emplace_back(key, value);
  }
  if (several_files) brackets += (brackets.empty() ? "" : ",") + std::string("file=") + entry.file;
  pairs.emplace_back("file", entry.file);
  if (!brackets.empty()) point += "[" + brackets + "]";
  const std::uint32_t dims = rows.dims(pairs);
  const Unit unit = unit_of(entry.unit);
  Declared declared = unit.declared;
  if (entry.mean) declared = for_context(declared.unit);
  // Under a name that no headline takes: the mean moves with the set of benchmarks.
  const std::string metric = std::string(unit.metric) + (entry.mean ? ".geomean" : "");
  if (unit.known || entry.mean) {
    rows.add(point, metric, dims, declared, *entry.value);
  } else {
    rows.add_by_name(point, metric, dims, std::span(&*entry.value, 1));
  }
  if (entry.interval) rows.add(point, metric + ".interval", dims, own_noise("%"), *entry.interval);
  if (entry.change) rows.add(point, metric + ".vs_base", dims, for_context("%"), *entry.change);
  if (entry.p) rows.add(point, metric + ".p", dims, for_context(), *entry.p);
}

bool is_csv_header(std::string_view line) { return line.starts_with(",") && line.find(",CI") != std::string_view::npos; }

Detection detect_benchstat(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (detect_old_benchstat(head, detection)) return detection;
  std::string_view before;
  // console.table() of JavaScript and the tree of divan have such bars too.
  const bool of_another = head.find("│ (index) │") != std::string_view::npos || head.find("│ slowest") != std::string_view::npos;
  for (const std::string_view whole : core::split(head, '\n')) {
    const std::string_view line = core::trim(whole);
    if (is_csv_header(line) && before.starts_with(",")) {
      detection.score = 0.95;
      detection.evidence.push_back("has the header " + core::cited(line.substr(0, 60)));
      break;
    }
    if (!of_another && line.starts_with(kBar) && before.starts_with(kBar) && line.ends_with(kBar) &&
        (line.find("/op") != std::string_view::npos || line.find("/s") != std::string_view::npos ||
         head.find(kPlusMinus) != std::string_view::npos)) {
      detection.score = 0.95;
      detection.evidence.push_back("has a table under " + core::cited(line.substr(0, 80)));
      break;
    }
    before = line;
  }
  return detection;
}

core::Expected<core::Measurement> read_benchstat(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "benchstat");
  rows.repeats_are_sections();
  std::string_view text = input.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Tables tables;
  if (text.find(kBar) != std::string_view::npos) {
    tables.text(text);
  } else {
    tables.csv(text);
  }
  std::vector<BenchstatEntry> entries = std::move(tables.entries);
  if (entries.empty()) {
    OldBenchstat old = read_old_benchstat(text);
    if (old.unread > 0) {
      writer.out.warn("unread_lines", core::counted(old.unread, "line of a table is", "lines of tables are") +
                                          " no row of it, and left out; the first is " + core::cited(old.example));
    }
    entries = std::move(old.entries);
  }
  if (entries.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no table of benchstat with a number in it",
                      "benchstat old.txt new.txt prints tables with bars, and -format csv a CSV", input.name);
  }
  for (const std::string_view key : {"goos", "goarch", "cpu"}) {
    if (const auto found = tables.config.find(std::string(key)); found != tables.config.end()) {
      rows.context(key == "cpu" ? "hardware.cpu" : key == "goos" ? "stack.goos" : "stack.goarch", found->second);
    }
  }
  std::set<std::string_view> files;
  for (const BenchstatEntry& entry : entries) files.insert(entry.file);
  for (const BenchstatEntry& entry : entries) {
    if (writer.halted()) break;
    write(entry, files.size() > 1, rows);
  }
  rows.warn_of_repeats();
  writer.out.declared.headlines = {"*.time"};
  return writer.finish(input.name);
}

}  // namespace

extern const Format benchstat_format = {
    .name = "benchstat",
    .title = "benchstat's tables of Go benchmarks",
    .replication = core::Replication::unknown,
    .detect = detect_benchstat,
    .read = read_benchstat,
    .about =
        {.group = Group::harness,
         .file = "text, CSV",
         .produce = "benchstat old.txt new.txt > table.txt\n"
                    "benchstat -format csv old.txt new.txt > table.csv",
         .judged = "`time` in s, `B/op`, `allocs/op` (lower), `speed` (higher), own units per second (higher)",
         .key = "package, benchmark, settings that tell tables apart, and the file (column) where there are several",
         .trials = "one value a key: benchstat has taken the median already",
         .context = "goos, goarch, CPU",
         .limits =
             "give the `go test -bench` files themselves to have their trials; intervals are noise, `vs base`, p and geomean "
             "context",
         .recognised = "a table with bars (│) and units, the CSV header `…,CI,…`, or the header `name  old time/op  new "
                       "time/op  delta` of the tables before 2023"},
};

}  // namespace plumbline::formats
