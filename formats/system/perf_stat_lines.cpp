#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "formats/readers.hpp"
#include "formats/system/perf_stat.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNotCounted = "<not counted>";
constexpr std::string_view kNotSupported = "<not supported>";

bool all_digits(std::string_view text) { return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos; }

// What -I puts first: seconds with all nine decimals.
bool is_interval(std::string_view text) {
  const std::size_t point = text.find('.');
  return point != std::string_view::npos && text.size() == point + 10 && all_digits(text.substr(0, point)) &&
         all_digits(text.substr(point + 1));
}

std::optional<Leaf> count_of(std::string_view text) {
  for (const std::string_view none : {kNotCounted, kNotSupported}) {
    if (text == none) return Leaf{core::ValueState::null, 0, false, none};
  }
  const auto number = perf_number(text);
  if (!number) return std::nullopt;
  return Leaf{core::ValueState::number, *number, true, {}};
}

// "CPU3", "S0-D0-C1", "S1", "N0", "postgres-4711": what --per-core and its like put before a count.
std::string_view scope_of(std::string_view id) {
  const auto numbered = [](std::string_view text, std::string_view letter) {
    return text.starts_with(letter) && text.size() > letter.size() && kDigits.find(text[letter.size()]) != std::string_view::npos;
  };
  if (numbered(id, "CPU")) return all_digits(id.substr(3)) ? "cpu" : "";
  if (numbered(id, "N")) return all_digits(id.substr(1)) ? "node" : "";
  if (numbered(id, "S")) {
    if (id.find("-CLS") != std::string_view::npos) return "cluster";
    if (id.find("-L") != std::string_view::npos) return "cache";
    if (id.find("-C") != std::string_view::npos) return "core";
    if (id.find("-D") != std::string_view::npos) return "die";
    return all_digits(id.substr(1)) ? "socket" : "";
  }
  const std::size_t dash = id.rfind('-');
  return dash != std::string_view::npos && dash > 0 && all_digits(id.substr(dash + 1)) ? "thread" : "";
}

// Takes what stands before the count: its time, and what it was counted for with how many CPUs are in that.
std::span<const std::string> take_prefix(std::span<const std::string> fields, PerfCounter& counter) {
  if (fields.size() > 1 && is_interval(fields[0])) {
    counter.interval = true;
    fields = fields.subspan(1);
  }
  if (fields.size() < 2 || count_of(fields[0])) return fields;
  const std::string_view scope = scope_of(fields[0]);
  if (scope.empty() || (!fields[1].empty() && !count_of(fields[1]))) return fields;
  counter.scope = scope;
  counter.id = fields[0];
  const bool counts_cpus = scope != "cpu" && scope != "thread" && fields.size() > 2 && all_digits(fields[1]) &&
                           (fields[2].empty() || count_of(fields[2]));
  return fields.subspan(counts_cpus ? 2 : 1);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  split_blanks(text, words);
  std::vector<std::string> out;
  for (const std::string_view word : words) {
    // "<not counted>" is one field.
    if (!out.empty() && out.back() == "<not") {
      out.back().append(" ").append(word);
    } else {
      out.emplace_back(word);
    }
  }
  return out;
}

// Takes "( +-  0.52% )" out of the text, and behind it the share of time that was counted, "(66.67%)" or "[66.67%]".
std::optional<double> take_error(std::string& text) {
  std::optional<double> error;
  if (const std::size_t at = text.find("( +-"); at != std::string::npos) {
    const std::size_t percent = text.find('%', at), end = text.find(')', at);
    if (percent == std::string::npos || end == std::string::npos) return std::nullopt;
    error = perf_number(core::trim(std::string_view(text).substr(at + 4, percent - at - 4)));
    text.erase(at, end + 1 - at);
  }
  const std::string_view rest = core::trim(text);
  const std::size_t open = text.find_last_of("([");
  if (open != std::string::npos && (rest.ends_with("%)") || rest.ends_with("%]"))) text.erase(open);
  return error;
}

// "4.65% of all branches", "0.85  insn per cycle", "13.6 %  tma_retiring"
void take_metric(std::string_view text, PerfCounter& counter) {
  text = core::trim(text);
  const std::size_t end = std::min(text.find_first_of(" %"), text.size());
  counter.metric = perf_number(text.substr(0, end));
  if (!counter.metric) return;
  std::string_view name = core::trim(text.substr(end));
  const bool share = name.starts_with('%');
  if (share) name = core::trim(name.substr(1));
  counter.metric_name = (share ? "%  " : "") + std::string(name);
}

bool is_unit(std::string_view word) {
  constexpr std::string_view kUnits[] = {"msec", "nsec", "usec", "ns", "us", "ms", "Joules", "Watts", "Bytes",
                                         "KiB",  "MiB",  "GiB",  "KB", "MB", "GB", "%",      "C"};
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

// "msec task-clock", "task-clock (msec)", "data_reads [uncore_imc_0]", "cycles my.slice"
bool take_event(std::span<const std::string> words, PerfCounter& counter) {
  if (words.size() > 1 && is_unit(words[0])) {
    counter.unit = words[0];
    words = words.subspan(1);
  }
  if (words.empty() || perf_number(words[0])) return false;
  counter.event = words[0];
  words = words.subspan(1);
  if (!words.empty() && words[0].size() > 2 && words[0].starts_with('(') && words[0].ends_with(')')) {
    const std::string inner = words[0].substr(1, words[0].size() - 2);
    if (is_unit(inner)) {
      counter.unit = inner;
    } else {
      counter.event += " " + words[0];
    }
    words = words.subspan(1);
  } else if (!words.empty() && words[0].starts_with('[')) {
    counter.event += " " + words[0];
    words = words.subspan(1);
  }
  if (!words.empty()) counter.cgroup = words[0];
  return words.size() < 2;
}

// The fields of -x. Commas inside an event ("cpu/event=0x3c,umask=0x0/") are not quoted: what an odd slash opens goes on.
std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> out;
  bool open = false;
  for (const std::string_view field : core::split(line, separator)) {
    if (open) {
      out.back().append(1, separator).append(field);
    } else {
      out.emplace_back(core::trim(field));
    }
    const auto slashes = std::count(field.begin(), field.end(), '/');
    // A rate's "M/sec" opens nothing.
    const bool rate = field.ends_with("/sec") || field.ends_with("/s");
    if (slashes % 2 == 1 && !rate) open = !open;
  }
  return out;
}

bool is_share(std::string_view text) {
  const auto percent = perf_number(text);
  return percent && *percent >= 0 && *percent <= 100 && text.find('.') != std::string_view::npos;
}

void take_fields_metric(std::span<const std::string> fields, PerfCounter& counter) {
  if (fields.size() < 2 || fields[1].empty()) return;
  counter.metric = perf_number(fields[0]);
  if (counter.metric) counter.metric_name = fields[1];
}

std::optional<PerfCounter> fields_line(std::string_view line, char separator) {
  constexpr std::size_t kFewest = 5;  // count, unit, event, time, share of it
  const std::vector<std::string> all = fields_of(line, separator);
  std::span<const std::string> fields = all;
  if (!fields.empty() && fields[0] == "summary") fields = fields.subspan(1);
  PerfCounter counter;
  fields = take_prefix(fields, counter);
  if (fields.size() < kFewest) return std::nullopt;
  if (std::all_of(fields.begin(), fields.end() - 2, [](const std::string& field) { return field.empty(); })) {
    take_fields_metric(fields.last(2), counter);
    return counter.metric ? std::optional(counter) : std::nullopt;
  }
  counter.count = count_of(fields[0]);
  counter.unit = fields[1];
  counter.event = fields[2];
  if (!counter.count || counter.event.empty() || perf_number(counter.event) || perf_number(counter.unit)) return std::nullopt;
  fields = fields.subspan(3);
  if (!all_digits(fields[0]) && !fields[0].ends_with('%')) {
    counter.cgroup = fields[0];
    fields = fields.subspan(1);
  }
  if (!fields.empty() && fields[0].ends_with('%')) {
    counter.error = perf_number(std::string_view(fields[0]).substr(0, fields[0].size() - 1));
    fields = fields.subspan(1);
  }
  if (fields.size() < 2 || !all_digits(fields[0]) || !is_share(fields[1])) return std::nullopt;
  take_fields_metric(fields.subspan(2), counter);
  return counter;
}

}  // namespace

std::optional<double> perf_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::vector<std::string_view> groups = core::split(text.substr(0, point), ',');
  std::string plain = negative ? "-" : "";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool thousands = groups.size() == 1 || (i == 0 ? groups[i].size() <= 3 : groups[i].size() == 3);
    if (!all_digits(groups[i]) || !thousands) return std::nullopt;
    plain += groups[i];
  }
  if (point < text.size() && !all_digits(text.substr(point + 1))) return std::nullopt;
  return core::parse_double(plain.append(text.substr(point)));
}

std::optional<PerfCounter> perf_report_line(std::string_view line) {
  PerfCounter counter;
  std::string text(line);
  counter.error = take_error(text);
  const std::size_t mark = std::min(text.find('#'), text.size());
  if (mark < text.size()) take_metric(std::string_view(text).substr(mark + 1), counter);
  const std::vector<std::string> all = words_of(std::string_view(text).substr(0, mark));
  std::span<const std::string> words = take_prefix(all, counter);
  if (words.empty()) return counter.metric ? std::optional(counter) : std::nullopt;
  counter.count = count_of(words[0]);
  // "TopdownL1 (cpu_core)  #  32.0 %  tma_backend_bound": a group of metrics is no count.
  if (!counter.count && !counter.metric) return std::nullopt;
  if (counter.count) words = words.subspan(1);
  if (!take_event(words, counter)) return std::nullopt;
  return counter;
}

std::optional<PerfCounter> perf_fields_line(std::string_view line) {
  for (const char separator : {',', ';', '|', '\t'}) {
    if (line.find(separator) == std::string_view::npos) continue;
    if (auto counter = fields_line(line, separator)) return counter;
  }
  return std::nullopt;
}

std::optional<PerfCounter> perf_object_line(std::string_view line) {
  const auto document = json::parse(line, "perf stat");
  if (!document || !document->root().is_object()) return std::nullopt;
  const json::Value object = document->root();
  PerfCounter counter;
  counter.event = object.find_string("event");
  counter.unit = object.find_string("unit");
  counter.cgroup = object.find_string("cgroup");
  counter.interval = static_cast<bool>(object.find("interval"));
  counter.error = object.find_number("variance");
  for (const std::string_view scope : {"core", "die", "cluster", "cache", "socket", "node", "cpu", "thread"}) {
    if (const std::string_view id = object.find_string(scope); !id.empty()) {
      counter.scope = scope;
      counter.id = scope == "cpu" ? "CPU" + std::string(id) : std::string(id);
    }
  }
  if (const json::Value count = object.find("counter-value"); count && !count.is_container())
    counter.count = count_of(count.text());
  const json::Value metric = object.find("metric-value");
  const std::string_view name = object.find_string("metric-unit");
  if (metric && !metric.is_container() && !name.empty() && name != "(null)") {
    counter.metric = perf_number(metric.text());
    counter.metric_name = name;
  }
  if (!counter.metric && (!counter.count || counter.event.empty())) return std::nullopt;
  return counter;
}

}  // namespace plumbline::formats
