// Tables of benchstat read as measurements: the text with bars and its CSV (-format csv). A column is a file and so a
// dimension; what benchstat concluded from two columns (change, p) is context, its intervals are noise.
#include <map>
#include <set>

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
  }
  Declared declared;
  if (written.ends_with("/s") || written.ends_with("/sec")) declared.direction = core::Direction::higher;
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

struct Entry {
  std::string name, file;
  std::map<std::string, std::string> config;
  std::string unit;  // as written
  std::optional<double> value, interval, change, p;
  bool mean = false;  // the last line: over whatever benchmarks there are
};

std::optional<double> percent(std::string_view text) {
  text = core::trim(text);
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  return core::parse_double(text);
}

std::optional<double> p_of(std::string_view text) {
  const std::size_t at = text.find("p=");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + 2);
  return core::parse_double(rest.substr(0, rest.find_first_of(" )")));
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
std::vector<std::string> cells_of_header(std::string_view line) {
  std::vector<std::string> cells;
  std::size_t at = line.find(kBar);
  while (at != std::string_view::npos) {
    at += kBar.size();
    const std::size_t next = line.find(kBar, at);
    if (next == std::string_view::npos) break;
    cells.emplace_back(core::trim(line.substr(at, next - at)));
    at = next;
  }
  return cells;
}

class Tables {
 public:
  std::vector<Entry> entries;
  std::set<std::string> files;
  std::map<std::string, std::string> config;  // as it stands at the line read now

  bool take_config(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || colon == 0) return false;
    const std::string_view key = line.substr(0, colon);
    if (key.front() == ' ' || key.find_first_of(" ,/") != std::string_view::npos) return false;
    config[std::string(key)] = std::string(core::trim(line.substr(colon + 2)).substr(0, 200));
    return true;
  }
  Entry& add(std::string_view name, std::string_view file, std::string_view unit) {
    Entry& entry = entries.emplace_back();
    entry.name = std::string(name);
    entry.file = std::string(file);
    entry.mean = name == "geomean";
    entry.config = config;
    entry.unit = std::string(unit);
    files.insert(entry.file);
    return entry;
  }

  void text(std::string_view all) {
    std::vector<std::string> names, units;
    std::vector<std::size_t> bars;
    bool second = false;
    for (const std::string_view line : core::split(all, '\n')) {
      if (line.find(kBar) != std::string_view::npos) {
        (second ? units : names) = cells_of_header(line);
        bars = bars_of(line);
        second = !second;
        continue;
      }
      second = false;
      if (core::trim(line).empty()) {
        bars.clear();
        continue;
      }
      if (bars.empty()) {
        (void)take_config(core::trim(line));
        continue;
      }
      text_row(line, names, units, bars);
    }
  }

  void csv(std::string_view all) {
    std::vector<std::string_view> names, header;
    for (const std::string_view whole : core::split(all, '\n')) {
      const std::string_view line = core::trim(whole);
      if (line.empty()) {
        names.clear();
        header.clear();
        continue;
      }
      const std::vector<std::string_view> cells = core::split(line, ',');
      if (cells.front().empty() && cells.size() > 1) {
        (names.empty() ? names : header) = cells;
      } else if (header.empty()) {
        (void)take_config(line);
      } else {
        csv_row(cells, names, header);
      }
    }
  }

 private:
  void text_row(std::string_view line, const std::vector<std::string>& names, const std::vector<std::string>& units,
                const std::vector<std::size_t>& bars) {
    const std::string_view name = core::trim(columns(line, 0, bars.front()));
    if (name.empty() || name.find(' ') != std::string_view::npos) return;  // a footnote
    for (std::size_t i = 0; i < names.size() && i < units.size() && i < bars.size(); ++i) {
      // The header's last column may be narrower than what stands under it.
      const bool last = i + 1 == names.size() || i + 1 >= bars.size();
      std::string_view cell = core::trim(columns(line, bars[i], last ? std::string_view::npos : bars[i + 1]));
      if (cell.empty()) continue;
      const std::string_view first_unit = std::string_view(units[i]).substr(0, units[i].find("  "));
      const auto value = scaled(cell.substr(0, cell.find(' ')));
      if (!value) continue;
      Entry& entry = add(name, names[i], core::trim(first_unit));
      entry.value = value;
      cell = core::trim(cell.substr(std::min(cell.find(' '), cell.size())));
      if (cell.starts_with(kPlusMinus)) {
        cell = core::trim(cell.substr(kPlusMinus.size()));
        entry.interval = percent(cell.substr(0, cell.find(' ')));
        cell = core::trim(cell.substr(std::min(cell.find(' '), cell.size())));
      }
      entry.change = percent(cell.substr(0, cell.find(' ')));
      entry.p = p_of(cell);
    }
  }
  void csv_row(const std::vector<std::string_view>& cells, const std::vector<std::string_view>& names,
               const std::vector<std::string_view>& header) {
    Entry* entry = nullptr;
    std::string_view file;
    for (std::size_t i = 1; i < header.size() && i < cells.size(); ++i) {
      if (i < names.size() && !names[i].empty()) file = names[i];
      if (header[i] == "CI") {
        if (entry != nullptr) entry->interval = percent(cells[i]);
      } else if (header[i] == "vs base") {
        if (entry != nullptr) entry->change = percent(cells[i]);
      } else if (header[i] == "P") {
        if (entry != nullptr) entry->p = p_of(cells[i]);
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

void write(const Entry& entry, bool several_files, DeclaredRows& rows) {
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
  rows.add(point, metric, dims, declared, *entry.value);
  if (entry.interval) rows.add(point, metric + ".interval", dims, own_noise("%"), *entry.interval);
  if (entry.change) rows.add(point, metric + ".vs_base", dims, for_context("%"), *entry.change);
  if (entry.p) rows.add(point, metric + ".p", dims, for_context(), *entry.p);
}

bool is_csv_header(std::string_view line) { return line.starts_with(",") && line.find(",CI") != std::string_view::npos; }

Detection detect_benchstat(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  std::string_view before;
  for (const std::string_view whole : core::split(head, '\n')) {
    const std::string_view line = core::trim(whole);
    if (is_csv_header(line) && before.starts_with(",")) {
      detection.score = 0.95;
      detection.evidence.push_back("has the header " + core::quoted(line.substr(0, 60)));
      break;
    }
    if (line.starts_with(kBar) && before.starts_with(kBar) && line.ends_with(kBar) &&
        (line.find("/op") != std::string_view::npos || line.find("/s") != std::string_view::npos ||
         head.find(kPlusMinus) != std::string_view::npos)) {
      detection.score = 0.95;
      detection.evidence.push_back("has a table under " + core::quoted(line.substr(0, 80)));
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
  Tables tables;
  std::string_view text = input.bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find(kBar) != std::string_view::npos) {
    tables.text(text);
  } else {
    tables.csv(text);
  }
  if (tables.entries.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no table of benchstat with a number in it",
                      "benchstat old.txt new.txt prints tables with bars, and -format csv a CSV", input.name);
  }
  for (const std::string_view key : {"goos", "goarch", "cpu"}) {
    if (const auto found = tables.config.find(std::string(key)); found != tables.config.end()) {
      rows.context(key == "cpu" ? "hardware.cpu" : key == "goos" ? "stack.goos" : "stack.goarch", found->second);
    }
  }
  for (const Entry& entry : tables.entries) {
    if (writer.halted()) break;
    write(entry, tables.files.size() > 1, rows);
  }
  rows.warn_of_repeats();
  writer.out.declared.headlines = {"*.time"};
  writer.out.replication = core::Replication::unknown;
  return writer.finish(input.name);
}

}  // namespace

extern const Format benchstat_format = {
    .name = "benchstat",
    .title = "tables of benchstat",
    .replication = core::Replication::unknown,
    .detect = detect_benchstat,
    .read = read_benchstat,
    .about =
        {.judged = "`time` in s, `B/op`, `allocs/op` (lower), `speed` (higher), own units per second (higher)",
         .key = "package, benchmark, settings that tell tables apart, and the file (column) where there are several",
         .trials = "one value a key: benchstat has taken the median already",
         .context = "goos, goarch, CPU",
         .limits =
             "give the `go test -bench` files themselves to have their trials; intervals are noise, `vs base`, p and geomean "
             "context; the tables of benchstat before 2023 (`old time/op`) are not read",
         .recognised = "a table with bars (│) and units, or the CSV header `…,CI,…`"},
};

}  // namespace plumbline::formats
