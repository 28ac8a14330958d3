// perftest (ib_write_bw, ib_read_lat, …), as text and as JSON. "MB/sec" of old headers and "MiB/sec" of new ones are both 2^20
// bytes; "Gb/sec" is 1e9 bits. A bandwidth is the size times the message rate, which tells its unit: the JSON does not name it
// (where the rate cannot tell, it stays unknown), and a header may be wrong, which is corrected and said. Peaks are best cases
// (0.00 where the run was timed), so averages are judged.
#include <array>
#include <map>
#include <optional>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

struct Column {
  std::string_view header, json_name;
  ToolMetric metric;
};
constexpr ToolMetric lower(std::string_view name, Role role) { return {name, "us", Direction::lower, role, false}; }
constexpr Column kColumns[] = {
    {"t_min[usec]", "t_min", lower("t_min", Role::context)},
    {"t_max[usec]", "t_max", lower("t_max", Role::context)},
    {"t_typical[usec]", "t_typical", lower("t_typical", Role::judged)},
    {"t_avg[usec]", "t_avg", lower("t_avg", Role::judged)},
    {"t_stdev[usec]", "t_stdev", lower("t_stdev", Role::noise)},
    {"99% percentile[usec]", "percentile_99", lower("p99", Role::judged)},
    {"99.9% percentile[usec]", "percentile_99.9", lower("p99.9", Role::context)},
    {"tps average", "tps_average", {"tps_average", "1/s", Direction::higher, Role::judged}},
    {"MsgRate[Mpps]", "MsgRate", {"msg_rate", "Mpps", Direction::higher, Role::context}},
    {"#iterations", "n_iterations", {"iterations", "", Direction::unknown, Role::context, true}},
    {"CPU_Util[%", "CPU_util", {"cpu_util", "%", Direction::unknown, Role::context}},
    // What --report-per-port adds to the sum of both, and all that --output=… leaves of a report.
    {"BW Port1[MiB/sec]", "", {"bw_port1", "MiB/s", Direction::higher, Role::context}},
    {"BW Port2[MiB/sec]", "", {"bw_port2", "MiB/s", Direction::higher, Role::context}},
    {"BW Port1[MB/sec]", "", {"bw_port1", "MiB/s", Direction::higher, Role::context}},
    {"BW Port2[MB/sec]", "", {"bw_port2", "MiB/s", Direction::higher, Role::context}},
    {"BW Port1[Gb/sec]", "", {"bw_port1", "Gbit/s", Direction::higher, Role::context}},
    {"BW Port2[Gb/sec]", "", {"bw_port2", "Gbit/s", Direction::higher, Role::context}},
    {"MsgRate Port1[Mpps]", "", {"msg_rate_port1", "Mpps", Direction::higher, Role::context}},
    {"MsgRate Port2[Mpps]", "", {"msg_rate_port2", "Mpps", Direction::higher, Role::context}},
    {"", "avg_lat", lower("t_avg", Role::judged)},
    {"", "msgRate_avg", {"msg_rate", "Mpps", Direction::higher, Role::judged}},
};
constexpr ToolMetric kPassed{"passed", "", Direction::higher, Role::gate};
constexpr ToolMetric kLimits{"limits_met", "", Direction::higher, Role::gate};
constexpr std::string_view kUnits[] = {"", "MiB/s", "Gbit/s"};
constexpr std::array<ToolMetric, 3> kAverage = {{{"bw_average", kUnits[0], Direction::higher, Role::judged},
                                                 {"bw_average", kUnits[1], Direction::higher, Role::judged},
                                                 {"bw_average", kUnits[2], Direction::higher, Role::judged}}};
constexpr std::array<ToolMetric, 3> kPeak = {{{"bw_peak", kUnits[0], Direction::higher, Role::context},
                                              {"bw_peak", kUnits[1], Direction::higher, Role::context},
                                              {"bw_peak", kUnits[2], Direction::higher, Role::context}}};

// What the message rate says of the unit of a bandwidth. Old releases count both directions of a bidirectional run in the
// bandwidth alone, and raw Ethernet has headers: that is within a factor of two, while the units are a hundred apart.
enum class Told : std::uint8_t { nothing, mebibytes, gigabits, neither };
Told told_by_rate(double size, double rate, double average) {
  constexpr double kHalfDigit = 0.5e-6;  // the rate is printed with six decimals, in millions
  constexpr double kNear = 2.2;
  if (!(size > 0) || !(average > 0) || !(rate > 4 * kHalfDigit)) return Told::nothing;
  const auto is = [&](double unit) {
    const double expected = rate * 1e6 * size / unit;
    return average < expected * kNear && average > expected / kNear;
  };
  return is(1048576.0) ? Told::mebibytes : is(1e9 / 8) ? Told::gigabits : Told::neither;
}

// The units of a file's bandwidths, by what it says of them and what the message rates say; what is wrong or open is warned of.
class Bandwidths {
 public:
  // Index into kUnits; nothing where the row contradicts itself.
  std::optional<std::size_t> unit(const ToolRows& rows, std::size_t said, Told told) {
    if (said == 0) {
      if (told == Told::mebibytes || told == Told::gigabits) return static_cast<std::size_t>(told);
      if (unknown_.empty()) unknown_ = rows.key("bw_average");
      return 0;
    }
    if (told == Told::nothing || said == static_cast<std::size_t>(told)) return said;
    if (told == Told::neither) {
      if (contradictory_++ == 0) first_contradictory_ = core::cited(rows.key("bw_average"));
      return std::nullopt;
    }
    if (corrected_++ == 0) {
      first_corrected_ = core::cited(rows.key("bw_average"));
      correction_ = "the header says " + std::string(kUnits[said]) + ", but by size and message rate they are " +
                    std::string(kUnits[static_cast<std::size_t>(told)]);
    }
    return static_cast<std::size_t>(told);
  }
  void warn(ToolRows& rows) const {
    core::Measurement& out = rows.writer.out;
    if (!unknown_.empty()) {
      out.warn(
          "unit_unknown",
          "the file does not say whether its bandwidths are MiB/s or Gbit/s, and the message rate does not tell: compare only "
          "runs of the same --report_gbits; the first is " +
              core::cited(unknown_));
    }
    if (corrected_ > 0) {
      out.warn("unit_mismatch", correction_ + ": " + core::counted(corrected_, "bandwidth") +
                                    (corrected_ == 1 ? " was" : " were") + " read as that, first " + first_corrected_);
    }
    if (contradictory_ > 0) {
      out.warn("unit_mismatch", core::counted(contradictory_, "bandwidth is", "bandwidths are") +
                                    " not size times message rate in any unit and not compared, first " + first_contradictory_);
    }
  }

 private:
  std::string unknown_, correction_, first_corrected_, first_contradictory_;
  std::uint64_t corrected_ = 0, contradictory_ = 0;
};

// The median of the smallest message, or the average where a timed run has no other; the average of the largest.
bool is_headline(const ToolMetric& metric, bool has_typical) {
  return metric.name == "bw_average" || metric.name == (has_typical ? "t_typical" : "t_avg");
}

// "RDMA_Write BW Test" and "RDMA_Write_BW_Test" -> "RDMA_Write_BW"
std::string test_name(std::string_view banner) {
  std::string name(core::trim(banner));
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  if (name.ends_with("_Test")) name.resize(name.size() - 5);
  return name;
}
bool is_banner(std::string_view text) {
  return text.size() < 80 && text.ends_with(" Test") &&
         (text.find(" BW ") != std::string_view::npos || text.find("Latency") != std::string_view::npos) &&
         (text.starts_with("RDMA_") || text.starts_with("Send ") || text.starts_with("Send_imm ") || text.starts_with("Atomic") ||
          text.starts_with("Raw "));
}

// " #bytes  #iterations  BW peak[MB/sec]  BW average[MB/sec]  MsgRate[Mpps]": names with single blanks inside.
struct Header {
  std::vector<const ToolMetric*> metrics;  // null: the size, the service level, or a column nobody knows
  std::size_t service_level = 0;           // its column, 0: none
  bool has_typical = false;
};
std::optional<Header> header_of(std::string_view text) {
  if (!text.starts_with("#bytes")) return std::nullopt;
  Header header;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t begin = rest.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    rest = rest.substr(begin);
    const ToolMetric* metric = nullptr;
    std::size_t length = 0;
    for (const Column& column : kColumns) {
      if (!column.header.empty() && rest.starts_with(column.header)) {
        metric = &column.metric;
        length = column.header.size();
      }
    }
    if (metric != nullptr && metric->name == "cpu_util") length = std::min(rest.find_first_of(" \t"), rest.size());
    for (const auto& [word, metrics] :
         {std::pair{std::string_view("BW peak["), &kPeak}, std::pair{std::string_view("BW average["), &kAverage}}) {
      if (!rest.starts_with(word)) continue;
      const std::string_view unit = rest.substr(word.size());
      metric = &(*metrics)[unit.starts_with("MB/sec]") || unit.starts_with("MiB/sec]") ? 1 : unit.starts_with("Gb/sec]") ? 2 : 0];
      length = std::min(rest.find(']') + 1, rest.size());
    }
    if (rest.starts_with("#sl")) header.service_level = header.metrics.size();
    if (length == 0) length = std::min(rest.find_first_of(" \t"), rest.size());
    header.has_typical = header.has_typical || (metric != nullptr && metric->name == "t_typical");
    header.metrics.push_back(metric);
    rest.remove_prefix(length);
  }
  return header;
}

struct Setting {
  std::string_view printed, json_name, context;
};
constexpr Setting kSettings[] = {{"Device", "Device", "hardware.nic"},
                                 {"Transport type", "Transport_type", "hardware.transport"},
                                 {"Connection type", "Connection_type", "workload.connection"},
                                 {"Link type", "Link_type", "hardware.link"},
                                 {"Mtu", "Mtu", "workload.mtu"},
                                 {"Number of qps", "Number_of_qps", "workload.qps"},
                                 {"TX depth", "TX_depth", "workload.tx_depth"}};

void note_settings(ToolRows& rows, std::string_view text) {
  for (const Setting& setting : kSettings) {
    const std::size_t at = text.find(setting.printed);
    if (at == std::string_view::npos || (at > 0 && text[at - 1] != ' ' && text[at - 1] != '\t')) continue;
    std::string_view rest = core::trim(text.substr(at + setting.printed.size()));
    if (!rest.starts_with(':')) continue;
    rest = core::trim(rest.substr(1));
    rows.note(setting.context, rest.substr(0, rest.find_first_of(" \t[")));
  }
}

// A server and its client that print into one log: two headers stand before the first row, and every point comes twice.
class Ends {
 public:
  void header() {
    headers_ = measured_ ? 1 : headers_ + 1;
    measured_ = false;
    points_.clear();
  }
  // Which end the next row of a point is of; "" of the first, and where one end prints alone.
  std::string row(std::string_view point) {
    measured_ = true;
    if (headers_ < 2) return {};
    const std::size_t times = ++points_[std::string(point)];
    return times < 2 ? std::string() : std::to_string(std::min(times, headers_));
  }

 private:
  std::size_t headers_ = 0;
  bool measured_ = false;
  std::map<std::string, std::size_t> points_;
};

// One row of a table.
void put(ToolRows& rows, const Header& header, const std::vector<std::string_view>& fields, std::string_view test, Ends& ends,
         Bandwidths& bandwidths, SizeHeadlines& headlines) {
  const std::string_view level = header.service_level == 0 ? std::string_view() : fields[header.service_level];
  const std::string end = ends.row(std::string(fields[0]) + " " + std::string(level));
  rows.point(test, {{"size", fields[0]}, {"sl", level}, {"end", end}});
  double rate = 0, average = 0;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (header.metrics[i] == nullptr) continue;
    if (header.metrics[i]->name == "msg_rate") rate = cell(fields[i])->value;
    if (header.metrics[i]->name == "bw_average") average = cell(fields[i])->value;
  }
  const double size = cell(fields[0])->value;
  const Told told = told_by_rate(size, rate, average);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const ToolMetric* metric = header.metrics[i];
    if (metric == nullptr) continue;
    Leaf leaf = *cell(fields[i]);
    const bool is_average = metric->name == "bw_average";
    if (is_average || metric->name == "bw_peak") {
      const auto& all = is_average ? kAverage : kPeak;
      const auto said = static_cast<std::size_t>(metric - all.data());
      // The average speaks for both.
      const auto unit = is_average ? bandwidths.unit(rows, said, told) : Bandwidths().unit(rows, said, told);
      metric = &all[unit.value_or(said)];
      if (!unit) leaf = failed_value(fields[i]);
    }
    rows.add(*metric, leaf);
    if (is_headline(*metric, header.has_typical)) headlines.take(rows, test, *metric, size);
  }
}

// perftest writes the service level of a QoS run as `sl: 0,`, a key without quotes, and its releases before 2024 wrote all keys
// and words so: `Transport_type: IB,`, `percentile_99.9: 4.03,`. The text with quotes around them.
std::string with_quotes(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 512);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_name = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  char before = 0;  // the last character that is no blank
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if ((before == '{' || before == ',' || before == ':') && is_letter(c)) {
      while (end < text.size() && is_name(text[end])) ++end;
      const std::string_view name = text.substr(at, end - at);
      const std::size_t next = text.find_first_not_of(" \t\r\n", end);
      const bool ends = next == std::string_view::npos || text[next] == ',' || text[next] == '}';
      const bool literal = name == "true" || name == "false" || name == "null" || name == "nan" || name == "inf" || name == "NaN";
      if (before == ':' ? ends && !literal : next != std::string_view::npos && text[next] == ':') {
        out.append("\"").append(name).append("\"");
        before = '"';
        at = end;
        continue;
      }
    }
    end = std::min(end, text.size());
    out.append(text.substr(at, end - at));
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') before = c;
    at = end;
  }
  return out;
}

}  // namespace

Detection detect_perftest(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = core::trim(line);
    if (text.starts_with("#bytes") && text.find("#iterations") != std::string_view::npos) {
      detection.score = 0.97;
      detection.evidence.push_back("line " + std::to_string(lines.number()) + " is the header \"#bytes  #iterations\"");
      return detection;
    }
    if (is_banner(text)) {
      detection.score = 0.92;
      detection.evidence.push_back("line " + std::to_string(lines.number()) + " is " + core::cited(text));
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_perftest(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "perftest");
  LogLines lines(input.bytes);
  std::vector<std::string_view> fields;
  std::string_view line;
  std::string test = "perftest";
  std::optional<Header> header;
  std::size_t banner = 0, last_row = 0, found = 0;
  bool ended = false;  // a line was drawn under the table; of a server and its client in one log the other's rows may follow
  bool measured = false;
  Ends ends;
  Bandwidths bandwidths;
  SizeHeadlines headlines;
  while (lines.next(line)) {
    if (rows.halted()) break;
    const std::string_view text = core::trim(line);
    if (is_banner(text)) {
      // A server and its client in one log begin at once.
      const bool both = lines.number() < banner + 16 && test == test_name(text);
      if (banner != 0 && found == 0 && !both) rows.incomplete("the test at line " + std::to_string(banner) + " has no results");
      test = test_name(text);
      banner = lines.number();
      found = 0;
      header.reset();
    } else if (auto columns = header_of(text)) {
      header = std::move(columns);
      ends.header();
      ended = false;
      rows.section();
      if (banner == 0) banner = lines.number();
    } else if (text.starts_with("Error: ") && text.find(" is below ") != std::string_view::npos) {
      rows.point(test);
      rows.add(kLimits, 0);  // --limit_bw, --limit_msgrate
    } else if (text.starts_with("Completion with error at") || text.starts_with("Failed status ")) {
      rows.point(test);
      rows.add(kPassed, 0);
      rows.incomplete("line " + std::to_string(lines.number()) + " says " + core::cited(text.substr(0, 120)));
    } else if (header && text.starts_with("-----")) {
      ended = true;
    } else if (header && !text.empty()) {
      split_blanks(text, fields);
      // Warnings of the processor's frequency stand before any row.
      if (!core::parse_int(fields[0])) {
        if (ended) note_settings(rows, text);
        continue;
      }
      bool numbers = fields.size() == header->metrics.size();
      for (const std::string_view field : fields) numbers = numbers && cell(field).has_value();
      if (!numbers && ended) continue;  // somebody else's line
      last_row = lines.number();
      if (!numbers) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        continue;
      }
      ++found;
      measured = true;
      put(rows, *header, fields, test, ends, bandwidths, headlines);
    } else {
      note_settings(rows, text);
    }
  }
  if (lines.cut() && last_row == lines.number()) {
    return core::fail(rows.error("the file ends inside a row of results",
                                 "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
  }
  if (!measured) {
    return core::fail(rows.error(
        "no results of " + test,
        "the test ended before it printed any: the other side may not have connected; see the log, and run it again", banner));
  }
  if (found == 0) rows.incomplete("the test at line " + std::to_string(banner) + " has no results");
  bandwidths.warn(rows);
  headlines.declare(rows);
  return rows.finish();
}

Detection detect_perftest_json(const Input& input) {
  Detection detection;
  if (body_has_keys(input, {"test_info", "results/MsgSize"}, detection) ||
      body_has_keys(input, {"test_info", "results/n_iterations"}, detection) ||
      body_has_keys(input, {"test_info/Transport_type", "results"}, detection)) {
    detection.score = 0.97;
    return detection;
  }
  const std::string_view head = json_head(input);
  const std::size_t first = head.find_first_not_of(" \t\r\n", 1);
  if (head.starts_with('{') && first != std::string_view::npos && head.substr(first).starts_with("test_info:") &&
      head.find("MsgSize") != std::string_view::npos) {
    detection.score = 0.95;
    detection.evidence.emplace_back("starts with test_info, without quotes, and has MsgSize");
  }
  return detection;
}

core::Expected<core::Measurement> read_perftest_json(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  auto document = body.parse(options);
  std::string mended;
  std::optional<JsonBody> mended_body;  // the document's values lie in it
  if (!document && document.error().code == core::ErrorCode::invalid_input) {
    mended = with_quotes(input.bytes);
    Input again = input;
    again.bytes = mended;
    mended_body.emplace(again);
    if (auto second = mended_body->parse(options)) document = std::move(second);
  }
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "perftest");
  take_notes(*document, rows.writer);
  const Value root = document->root();
  const Value info = root.find("test_info"), results = root.find("results");
  if (!results.is_container() || results.size() == 0) {
    return core::fail(
        rows.error("no \"results\"", "the test ended before it had any: the other side may not have connected; run it again"));
  }
  for (const Setting& setting : kSettings) {
    const Value value = info.find(setting.json_name);
    if (value && !value.is_container()) rows.note(setting.context, value.text().substr(0, value.text().find('[')));
  }
  const std::string test = test_name(info.find_string("test").empty() ? "perftest" : info.find_string("test"));
  Bandwidths bandwidths;
  SizeHeadlines headlines;
  const auto one = [&](const Value& result) {
    rows.point(test, {{"size", result.find("MsgSize") ? result.find("MsgSize").text() : std::string_view()},
                      {"sl", result.find("sl") ? result.find("sl").text() : std::string_view()}});
    const double size = result.find_number("MsgSize").value_or(0);
    const Value average = result.find("BW_average") ? result.find("BW_average") : result.find("bw_avg");
    const Told told = told_by_rate(size, result.find_number("MsgRate").value_or(0), result.find_number("BW_average").value_or(0));
    const std::size_t unit = average ? bandwidths.unit(rows, 0, told).value_or(0) : 0;
    const bool has_typical = static_cast<bool>(result.find("t_typical"));
    for (const auto [name, valid, value] : result.members()) {
      if (value.is_container()) continue;
      const ToolMetric* metric = name == "BW_average" || name == "bw_avg" ? &kAverage[unit]
                                 : name == "BW_peak"                      ? &kPeak[unit]
                                                                          : nullptr;
      for (const Column& column : kColumns) {
        if (!name.empty() && column.json_name == name) metric = &column.metric;
      }
      if (metric == nullptr) continue;
      rows.add(*metric, leaf_of(value));
      if (is_headline(*metric, has_typical)) headlines.take(rows, test, *metric, size);
    }
  };
  if (results.is_object()) one(results);
  for (const Value result : results.elements()) {
    if (rows.halted()) break;
    one(result);
  }
  bandwidths.warn(rows);
  headlines.declare(rows);
  return rows.finish();
}

extern const Format perftest_format = {
    .name = "perftest",
    .title = "perftest of RDMA (ib_write_bw and others): tables",
    .replication = core::Replication::in_process,
    .detect = detect_perftest,
    .read = read_perftest,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "ib_write_bw -d mlx5_0 -a --report_gbits SERVER | tee result.txt",
              .judged = "ib_write_bw, ib_read_lat and companions: averages and p99; MB/sec is 2^20, Gb/sec 1e9 bits; limits that "
                        "were missed and errors are gates",
              .key = "test, size, service level; of a server and a client in one log the end",
              .trials = "one value a key; a later table in the log has a section of its own",
              .context = "device, transport, connection, link, MTU, queue pairs, depth",
              .limits =
                  "peaks are context: they are zero in duration mode; a unit that size and message rate refute is corrected with "
                  "a warning, or the row fails",
              .recognised = "`#bytes #iterations`; `test_info` with `MsgSize`"},
};

extern const Format perftest_json_format = {
    .name = "perftest-json",
    .title = "perftest of RDMA (ib_write_bw and others)",
    .replication = core::Replication::in_process,
    .detect = detect_perftest_json,
    .read = read_perftest_json,
    .about = {.group = Group::hardware,
              .file = "JSON",
              .produce = "ib_write_bw -d mlx5_0 -a --report_gbits SERVER --out_json \\\n"
                         "  --out_json_file=result.json",
              .judged = "ib_write_bw, ib_read_lat and companions: averages and p99; MB/sec is 2^20, Gb/sec 1e9 bits; the JSON's "
                        "unit comes from the message rate",
              .key = "test, size, service level",
              .trials = "one value a key",
              .context = "device, transport, connection, link, MTU, queue pairs, depth",
              .limits =
                  "the unit is not in the file: where the message rate does not tell, it stays unknown; keys and words without "
                  "quotes, as QoS runs and old releases have them, are read",
              .recognised = "`#bytes #iterations`; `test_info` with `MsgSize`"},
};

}  // namespace plumbline::formats
