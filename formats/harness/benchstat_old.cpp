// The tables that benchstat printed until 2023. A header names the metric and the columns; a value carries its unit as a suffix
// ("12.2ms", "1.89MB", "35.1MB/s", "290k") and its range behind "±". Where benchmarks are missing from a file of several, its
// cell is blank: a value then belongs to the column above it.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/csv_cells.hpp"
#include "formats/harness/benchstat.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kPlusMinus = "\xC2\xB1";  // ±

struct Word {
  std::string_view text;
  std::size_t column = 0;  // in code points
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// What stands between `gap` blanks or more.
std::vector<Word> split_at_gaps(std::string_view line, std::size_t gap) {
  std::vector<Word> words;
  std::size_t column = 0, start = 0, start_column = 0, blanks = 0;
  bool open = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if ((static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) continue;
    if (!is_blank(line[at])) {
      if (!open) {
        start = at;
        start_column = column;
      }
      open = true;
      blanks = 0;
    } else if (open && (blanks += line[at] == '\t' ? gap : 1) >= gap) {
      words.push_back({core::trim(line.substr(start, at - start)), start_column});
      open = false;
    }
    ++column;
  }
  if (open) words.push_back({core::trim(line.substr(start)), start_column});
  return words;
}

struct Header {
  std::string metric;
  std::vector<std::string> files;
  std::vector<std::size_t> columns;  // where each begins
};

// "time/op", "alloc/op", "GC-time/op", "speed", "allocs/op", "MB-heap"
bool is_metric(std::string_view text) {
  return text == "speed" || (text.find_first_of("/-") != std::string_view::npos && text.find(' ') == std::string_view::npos);
}

std::optional<Header> header_of(std::string_view line) {
  const std::vector<Word> cells = split_at_gaps(line, 2);
  Header out;
  constexpr std::string_view kSeveral = "name \\ ";
  if (cells.size() >= 2 && cells[0].text.starts_with(kSeveral)) {
    out.metric = std::string(core::trim(cells[0].text.substr(kSeveral.size())));
    for (std::size_t i = 1; i < cells.size(); ++i) {
      out.files.emplace_back(cells[i].text);
      out.columns.push_back(cells[i].column);
    }
    return out;
  }
  if (cells.empty() || cells[0].text != "name") return std::nullopt;
  if (cells.size() >= 3 && cells[1].text.starts_with("old ") && cells[2].text.starts_with("new ") &&
      cells[1].text.substr(4) == cells[2].text.substr(4)) {
    out.metric = std::string(cells[1].text.substr(4));
    out.files = {"old", "new"};
    out.columns = {cells[1].column, cells[2].column};
    return out;
  }
  if (cells.size() != 2 || !is_metric(cells[1].text)) return std::nullopt;
  out.metric = std::string(cells[1].text);
  out.files = {""};
  out.columns = {cells[1].column};
  return out;
}

// What a metric is called since: "time/op" -> "sec/op", "GC-time/op" -> "GC-sec/op".
std::string unit_of(std::string_view metric) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"time/op", "sec/op"}, {"time/GC", "sec/GC"}, {"alloc/op", "B/op"}, {"speed", "B/s"}};
  for (const auto& [before, since] : kRenamed) {
    if (metric == before) return std::string(since);
    if (metric.ends_with("-" + std::string(before))) {
      return std::string(metric.substr(0, metric.size() - before.size())) + std::string(since);
    }
  }
  return std::string(metric);
}

// "12.2ms" in s, "1.89MB" in B, "35.1MB/s" in B/s, "290k": the number as if the suffix were an exponent, rounded once.
std::optional<double> value_of(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  std::string_view suffix = text.substr(end);
  if (end == 0) return core::parse_double(text);  // NaN, which is not a number either
  for (const std::string_view unit : {"B/s", "B", "s"}) {
    if (suffix.ends_with(unit)) {
      suffix.remove_suffix(unit.size());
      break;
    }
  }
  constexpr std::pair<std::string_view, std::string_view> kFactors[] = {
      {"", ""},     {"m", "e-3"}, {"\xC2\xB5", "e-6"}, {"\xCE\xBC", "e-6"}, {"u", "e-6"},
      {"n", "e-9"}, {"k", "e3"},  {"M", "e6"},         {"G", "e9"},         {"T", "e12"}};
  for (const auto& [prefix, exponent] : kFactors) {
    if (suffix == prefix) return core::parse_double(std::string(text.substr(0, end)) + std::string(exponent));
  }
  return std::nullopt;
}

struct Cell {
  double value = 0;
  std::optional<double> range;
  std::size_t column = 0;
};
struct Line {
  std::string_view name;
  std::vector<Cell> cells;
  std::optional<double> change, p;
};

// "CopyNSmall-4    5.09µs ± 1%    2.25µs ±86%  -55.91%  (p=0.000 n=11+14)"
std::optional<Line> line_of(std::string_view line) {
  const std::vector<Word> words = split_at_gaps(line, 1);
  if (words.size() < 2) return std::nullopt;
  Line out;
  out.name = words[0].text;
  std::size_t i = 1;
  while (i < words.size()) {
    const auto value = value_of(words[i].text);
    if (!value) break;
    Cell cell{*value, std::nullopt, words[i].column};
    ++i;
    if (i < words.size() && words[i].text.starts_with(kPlusMinus)) {
      std::string_view range = words[i].text.substr(kPlusMinus.size());
      if (range.empty() && i + 1 < words.size()) range = words[++i].text;
      cell.range = benchstat_percent(range);
      ++i;
    }
    out.cells.push_back(cell);
  }
  if (out.cells.empty()) return std::nullopt;
  for (; i < words.size(); ++i) {
    if (const auto change = benchstat_percent(words[i].text); change && !out.change) out.change = change;
    if (words[i].text.starts_with("(p=")) out.p = benchstat_p(words[i].text);
  }
  return out;
}

// "pkg:hash/crc32 goos:linux": what the lines below have in common (-split).
std::optional<std::map<std::string, std::string>> group_of(std::string_view line) {
  std::map<std::string, std::string> out;
  for (const Word& word : split_at_gaps(line, 1)) {
    const std::size_t colon = word.text.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == word.text.size()) return std::nullopt;
    if (out.size() < kMostSettings)
      out[std::string(word.text.substr(0, colon))] = std::string(word.text.substr(colon + 1).substr(0, 200));
  }
  if (out.empty()) return std::nullopt;
  return out;
}

// A header of the CSV: "name,old time/op (ns/op),±,new time/op (ns/op),±,delta". Which column holds which file's value.
struct CsvHeader {
  std::string metric;
  double scale = 1;  // of the printed unit: values are divided by it
  std::vector<std::pair<std::size_t, std::string>> files;
  std::size_t last = 0;  // behind it stand change and note
};
std::optional<CsvHeader> csv_header_of(std::string_view line) {
  if (!line.starts_with("name")) return std::nullopt;
  std::vector<std::string> cells = csv_cells(line);
  if (cells.size() < 2) return std::nullopt;
  CsvHeader out;
  const auto without_unit = [&](std::string_view text) {
    const std::size_t open = text.rfind(" (");
    if (open == std::string_view::npos || !text.ends_with(')')) return std::string(text);
    const std::string_view unit = text.substr(open + 2, text.size() - open - 3);
    if (unit.ends_with("ns/op") || unit.ends_with("ns/GC")) out.scale = 1e9;
    if (unit.ends_with("MB/s")) out.scale = 1e-6;
    return std::string(text.substr(0, open));
  };
  constexpr std::string_view kSeveral = "name \\ ";
  const bool several = cells[0].starts_with(kSeveral);
  if (!several && cells[0] != "name") return std::nullopt;
  if (several) out.metric = without_unit(std::string_view(cells[0]).substr(kSeveral.size()));
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i] == kPlusMinus || cells[i] == "delta") continue;
    std::string file = cells[i];
    if (!several) {
      const std::string metric = without_unit(cells[i]);
      const bool old_new = metric.starts_with("old ") || metric.starts_with("new ");
      file = old_new ? metric.substr(0, 3) : "";
      out.metric = old_new ? metric.substr(4) : metric;
    }
    out.last = i + (i + 1 < cells.size() && cells[i + 1] == kPlusMinus ? 1 : 0);
    out.files.emplace_back(i, std::move(file));
  }
  if (out.files.empty() || (!several && !is_metric(out.metric))) return std::nullopt;
  return out;
}

class Reader {
 public:
  OldBenchstat out;

  void text(std::string_view line) {
    if (const auto header = header_of(line)) {
      header_ = header;
      group_.clear();
      return;
    }
    if (!header_) return;
    if (core::trim(line).empty()) {
      header_.reset();
      return;
    }
    if (const auto row = line_of(line); row && place(*row)) return;
    if (auto group = group_of(line)) {
      group_ = std::move(*group);
      return;
    }
    unread(line);
  }
  void csv(std::string_view line) {
    if (const auto header = csv_header_of(line)) {
      csv_ = header;
      group_.clear();
      return;
    }
    if (!csv_) return;
    if (line.empty()) {
      csv_.reset();
      return;
    }
    const std::vector<std::string> cells = csv_cells(line);
    if (cells.size() == 1) {
      if (auto group = group_of(cells[0])) group_ = std::move(*group);
      return;
    }
    csv_row(cells);
  }

 private:
  bool place(const Line& row) {
    std::vector<std::size_t> files;
    for (const Cell& cell : row.cells) {
      std::size_t file = files.size();
      if (row.cells.size() != header_->files.size()) {  // some are blank: the value stands under its file
        const auto next = std::upper_bound(header_->columns.begin(), header_->columns.end(), cell.column);
        if (next == header_->columns.begin()) return false;
        file = static_cast<std::size_t>(next - header_->columns.begin()) - 1;
        if (!files.empty() && file <= files.back()) return false;
      }
      files.push_back(file);
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      BenchstatEntry& entry = add(row.name, header_->files[files[i]], header_->metric);
      entry.value = row.cells[i].value;
      entry.interval = row.cells[i].range;
      if (i == 0) continue;
      entry.change = row.change;
      entry.p = row.p;
    }
    return true;
  }
  void csv_row(const std::vector<std::string>& cells) {
    BenchstatEntry* entry = nullptr;
    for (const auto& [at, file] : csv_->files) {
      if (at >= cells.size() || cells[at].empty()) continue;
      const auto value = core::parse_double(cells[at]);
      if (!value) {
        unread(cells[0]);
        return;
      }
      entry = &add(cells[0], file, csv_->metric);
      entry->value = csv_->scale < 1 ? *value * 1e6 : *value / csv_->scale;
      if (at + 1 <= csv_->last && at + 1 < cells.size()) entry->interval = benchstat_percent(cells[at + 1]);
    }
    if (entry == nullptr) return;
    for (std::size_t i = csv_->last + 1; i < cells.size(); ++i) {
      if (const auto change = benchstat_percent(cells[i])) entry->change = change;
      if (cells[i].starts_with("(p=")) entry->p = benchstat_p(cells[i]);
    }
  }
  BenchstatEntry& add(std::string_view name, std::string_view file, std::string_view metric) {
    BenchstatEntry& entry = out.entries.emplace_back();
    entry.mean = name == "[Geomean]";
    entry.name = entry.mean ? "geomean" : std::string(name);
    entry.file = std::string(file);
    entry.config = group_;
    entry.unit = unit_of(metric);
    return entry;
  }
  void unread(std::string_view line) {
    if (out.unread++ == 0) out.example = std::string(core::trim(line).substr(0, 100));
  }

  std::optional<Header> header_;
  std::optional<CsvHeader> csv_;
  std::map<std::string, std::string> group_;
};

}  // namespace

std::optional<double> benchstat_percent(std::string_view text) {
  text = core::trim(text);
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  return core::parse_double(text);
}

std::optional<double> benchstat_p(std::string_view text) {
  const std::size_t at = text.find("p=");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + 2);
  return core::parse_double(rest.substr(0, rest.find_first_of(" )")));
}

bool detect_old_benchstat(std::string_view head, Detection& detection) {
  std::string_view header;
  bool csv = false;
  for (const std::string_view line : core::split(head, '\n')) {
    const std::string_view plain = core::trim(line);
    if (header_of(line) || csv_header_of(plain)) {
      header = plain;
      csv = !header_of(line);
      continue;
    }
    if (plain.empty()) header = {};
    if (header.empty() || !(csv ? csv_cells(plain).size() >= 2 : line_of(line).has_value())) continue;
    // Such a header alone may be any table's; with the changes beside it, or ranges under it, it is this one.
    const bool sure = header.find("delta") != std::string_view::npos || header.find('\\') != std::string_view::npos;
    if (!sure && (csv ? header : line).find(kPlusMinus) == std::string_view::npos) continue;
    detection.score = 0.95;
    detection.evidence.push_back("has a table under " + core::cited(header.substr(0, 80)));
    return true;
  }
  return false;
}

OldBenchstat read_old_benchstat(std::string_view text) {
  Reader reader;
  const bool csv = [&] {
    for (const std::string_view line : core::split(text, '\n')) {
      if (header_of(line)) return false;
      if (csv_header_of(core::trim(line))) return true;
    }
    return false;
  }();
  for (const std::string_view line : core::split(text, '\n')) {
    if (csv) {
      reader.csv(core::trim(line));
    } else {
      reader.text(line);
    }
  }
  return std::move(reader.out);
}

}  // namespace plumbline::formats
