// What k6 prints at the end of a test, in the layout up to 0.57 (and --summary-mode=legacy) and in the one with sections since
// 1.0. A check that failed and a threshold that was crossed are gates; in the old layout a mark before a metric speaks for all
// of its thresholds together.
#include <cmath>

#include "core/citing.hpp"
#include "formats/line_reader.hpp"
#include "formats/load/k6.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kPassed = "\xE2\x9C\x93";  // ✓
constexpr std::string_view kFailed = "\xE2\x9C\x97";  // ✗
constexpr std::string_view kBlock = "\xE2\x96\x88";   // █
constexpr std::string_view kArrow = "\xE2\x86\xB3";   // ↳
constexpr std::string_view kMicro = "\xC2\xB5";       // µ

// "1m30.5s", "148.21ms", "7µs" in ms.
std::optional<double> milliseconds(std::string_view text) {
  double total = 0;
  bool any = false;
  while (!text.empty()) {
    const std::size_t end = text.find_first_not_of("+-.0123456789");
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    const auto number = core::parse_double(text.substr(0, end));
    text.remove_prefix(end);
    // Parts of a millisecond are divided: 104.11 / 1000 is rounded once, 104.11 * 0.001 twice.
    struct Suffix {
      std::string_view text;
      double times, over;
    };
    constexpr Suffix kSuffixes[] = {{"ns", 1, 1e6}, {kMicro, 1, 1e3}, {"us", 1, 1e3},  {"ms", 1, 1},
                                    {"s", 1e3, 1},  {"m", 6e4, 1},    {"h", 3.6e6, 1}, {"d", 8.64e7, 1}};
    const Suffix* suffix = nullptr;
    for (const Suffix& one : kSuffixes) {
      if (suffix == nullptr && text.starts_with(one.text)) suffix = &one;
    }
    if (!number || suffix == nullptr) return std::nullopt;
    text.remove_prefix(suffix->text.size() + (suffix->text == kMicro && text.substr(kMicro.size()).starts_with('s') ? 1 : 0));
    total += *number * suffix->times / suffix->over;
    any = true;
  }
  return any ? std::optional(total) : std::nullopt;
}

// "1.3" "MB" in bytes: k6's prefixes are powers of 1000.
std::optional<double> bytes(std::string_view number, std::string_view unit) {
  if (unit.ends_with("/s")) unit.remove_suffix(2);
  const double factor = unit == "B"    ? 1.0
                        : unit == "kB" ? 1e3
                        : unit == "MB" ? 1e6
                        : unit == "GB" ? 1e9
                        : unit == "TB" ? 1e12
                                       : 0.0;
  const auto value = core::parse_double(number);
  if (!value || factor == 0) return std::nullopt;
  return *value * factor;
}

struct MetricLine {
  std::string_view name, rest;
};
// "http_reqs......: 180   4.36/s"
std::optional<MetricLine> metric_line(std::string_view text) {
  const std::size_t colon = text.find(".: ");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view name = text.substr(0, colon + 1);
  while (name.ends_with('.')) name.remove_suffix(1);
  name = core::trim(name);
  if (name.empty() || name.size() > 300) return std::nullopt;
  return MetricLine{name, core::trim(text.substr(colon + 3))};
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no line of the kind \"http_reqs......: 180  4.36/s\"";
  static constexpr std::string_view kHint = "k6 run prints them at the end of a test; an aborted one may not";
  Reader(RowWriter& writer, std::uint32_t section)
      : writer_(writer), rows_(writer, "k6", section), first_(writer.out.rows().size()) {}

  // Every run says how it is executed before it starts; where only summaries were kept, their totals come again.
  [[nodiscard]] bool begins(std::string_view line) const {
    if (writer_.out.rows().size() == first_) return false;
    const std::string_view text = core::trim(line);
    if (text.starts_with("execution: ")) return true;
    if (!text.starts_with(kBlock)) return false;
    const std::string_view title = core::trim(text.substr(kBlock.size()));
    return has_total_ && (title == "THRESHOLDS" || title == "TOTAL RESULTS");
  }

  void line(std::string_view line) {
    const std::string_view text = core::trim(line);
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    if (text.starts_with(kBlock)) {
      section(core::trim(text.substr(kBlock.size())), indent);
    } else if (text.starts_with("script: ")) {
      rows_.context("workload.script", core::trim(text.substr(8)));
    } else if (text.starts_with(kPassed) || text.starts_with(kFailed)) {
      marked(text.starts_with(kPassed), core::trim(text.substr(kPassed.size())), indent);
    } else if (text.starts_with(kArrow)) {
      failures(text);
    } else if (const auto found = metric_line(text)) {
      metric(*found);
    } else if (in_thresholds_ && !text.empty() && text.find(' ') == std::string_view::npos) {
      subject_ = std::string(text);
    }
  }
  void end() {
    finish_check();
    k6_finish(rows_, first_);
  }
  void finish_check() {
    if (check_.empty()) return;
    rows_.add("check[" + check_ + "]", "fails", rows_.dims({{"check", check_}}), gate(), check_passed_ ? 0.0 : 1.0);
    check_.clear();
  }

 private:
  void section(std::string_view title, std::size_t indent) {
    finish_check();
    in_thresholds_ = title == "THRESHOLDS";
    const bool total = title == "TOTAL RESULTS";
    has_total_ = has_total_ || total;
    if (in_thresholds_ || total) {
      groups_.clear();
      tags_.clear();
    } else if (title.starts_with("SCENARIO: ")) {
      groups_.clear();
      tags_ = "scenario:" + std::string(title.substr(10));
    } else {
      const bool named = title.starts_with("GROUP: ");
      const std::string_view name = named ? title.substr(7) : title;
      while (!groups_.empty() && groups_.back().first >= indent) groups_.pop_back();
      groups_.emplace_back(indent, std::string(name));
      if (named) tags_ = "group:" + group();
    }
  }
  [[nodiscard]] std::string group() const {
    std::string out;
    for (const auto& [indent, name] : groups_) out += "::" + name;
    return out;
  }
  // A check, a threshold in its section, or a metric with thresholds in the old layout.
  void marked(bool passed, std::string_view text, std::size_t indent) {
    finish_check();
    if (in_thresholds_ && text.starts_with('\'')) {
      const std::size_t end = text.find('\'', 1);
      const std::string_view expression = text.substr(1, end == std::string_view::npos ? end : end - 1);
      rows_.add(k6_threshold_point(subject_, expression), "crossed", 0, gate(), passed ? 0.0 : 1.0);
      return;
    }
    if (const auto found = metric_line(text)) {
      const std::string name = metric(*found);
      rows_.add(k6_threshold_point(name, "thresholds"), "crossed", 0, gate(), passed ? 0.0 : 1.0);
      return;
    }
    while (!groups_.empty() && groups_.back().first > indent) groups_.pop_back();
    const std::string of = group();
    check_ = (of.empty() ? "" : of + "::") + std::string(text.substr(0, 300));
    check_passed_ = passed;
  }
  // "↳  98% — ✓ 196 / ✗ 4" under a check: how many failed.
  void failures(std::string_view text) {
    const std::size_t at = text.rfind(kFailed);
    if (check_.empty() || at == std::string_view::npos) return;
    const auto count = core::parse_double(text.substr(at + kFailed.size()));
    rows_.add("check[" + check_ + "]", "fails", rows_.dims({{"check", check_}}), gate(), count.value_or(1));
    check_.clear();
  }

  // "{ expected_response:true }" stands under its metric.
  std::string name_of(std::string_view printed) {
    std::string name(printed);
    std::string tags = tags_;
    if (printed.starts_with('{')) {
      const std::string_view inner =
          core::trim(printed.substr(1, printed.find('}') == std::string_view::npos ? printed.size() : printed.find('}') - 1));
      tags += (tags.empty() ? "" : ",") + std::string(inner);
      name = parent_;
    } else {
      parent_ = name;
    }
    return tags.empty() ? name : name + "{" + tags + "}";
  }
  std::string metric(const MetricLine& line) {
    finish_check();
    in_thresholds_ = false;
    std::string name = name_of(line.name);
    std::vector<std::string_view> words;
    split_blanks(line.rest, words);
    if (words.empty()) return name;
    const std::uint32_t dims = rows_.dims({{"metric", std::string(k6_base(name))}});
    if (words.front().find('=') != std::string_view::npos) {
      trend(name, words, dims);
    } else if (words.front().ends_with('%')) {
      rate(name, words, dims);
    } else if (words.size() >= 4 && bytes(words[0], words[1])) {
      k6_add(rows_, name, "count", K6Kind::counter, false, dims, number(*bytes(words[0], words[1])));
      if (const auto rate = bytes(words[2], words[3])) k6_add(rows_, name, "rate", K6Kind::counter, false, dims, number(*rate));
    } else if (words.size() >= 2 && words[1].ends_with("/s")) {
      count(name, "count", words[0], dims);
      count(name, "rate", words[1].substr(0, words[1].size() - 2), dims);
    } else {
      gauge(name, words, dims);
    }
    return name;
  }
  void trend(const std::string& name, const std::vector<std::string_view>& words, std::uint32_t dims) {
    for (const std::string_view word : words) {
      const std::size_t sign = word.find('=');
      if (sign == std::string_view::npos) continue;
      const std::string_view statistic = word.substr(0, sign), printed = word.substr(sign + 1);
      const auto plain = core::parse_double(printed);
      const auto time = milliseconds(printed);
      const bool is_time = time.has_value() || k6_is_time(name);
      Leaf leaf{core::ValueState::not_finite, 0, false, printed};
      if (time) leaf = number(*time);
      if (!time && plain && std::isfinite(*plain)) leaf = number(*plain);
      k6_add(rows_, name, statistic, K6Kind::trend, is_time && statistic != "count", dims, leaf);
    }
  }
  // "98.50% ✓ 197 ✗ 3" or "98.50% 197 out of 200"
  void rate(const std::string& name, const std::vector<std::string_view>& words, std::uint32_t dims) {
    const std::string_view printed = words.front().substr(0, words.front().size() - 1);
    std::vector<double> counts;
    for (const std::string_view word : words) {
      if (const auto count = core::parse_double(word)) counts.push_back(*count);
    }
    const bool sections = words.size() >= 4 && words[2] == "out";
    double value = core::parse_double(printed).value_or(0) / 100;
    // The percentage is rounded to two places, the counts are not.
    if (counts.size() == 2) {
      const double all = sections ? counts[1] : counts[0] + counts[1];
      if (all > 0) value = counts[0] / all;
    }
    // Since 1.0 the rate of the checks stands under three names of their own.
    if (k6_base(name) == "checks_succeeded") {
      k6_add(rows_, "checks" + name.substr(k6_base(name).size()), "rate", K6Kind::rate, false, dims, number(value));
    } else if (k6_base(name) == "checks_failed") {
      rows_.add(name, "rate", dims, for_context(), value);
    } else {
      k6_add(rows_, name, "rate", K6Kind::rate, false, dims, number(value));
    }
    // "checks_failed" says the same once more.
    if (counts.size() != 2 || k6_base(name) == "checks_failed") return;
    const std::string of = k6_base(name) == "checks_succeeded" ? "checks" + name.substr(k6_base(name).size()) : name;
    k6_add(rows_, of, "passes", K6Kind::rate, false, dims, number(counts[0]));
    k6_add(rows_, of, "fails", K6Kind::rate, false, dims, number(sections ? counts[1] - counts[0] : counts[1]));
  }
  void gauge(const std::string& name, const std::vector<std::string_view>& words, std::uint32_t dims) {
    count(name, "value", words[0], dims, K6Kind::gauge);
    for (const std::string_view word : words) {
      if (word.starts_with("min=") || word.starts_with("max=")) {
        count(name, word.substr(0, 3), word.substr(4), dims, K6Kind::gauge);
      }
    }
  }
  void count(const std::string& name, std::string_view statistic, std::string_view printed, std::uint32_t dims,
             K6Kind kind = K6Kind::counter) {
    const auto value = core::parse_double(printed);
    const bool total = k6_base(name) == "checks_total";
    const Leaf leaf = value && std::isfinite(*value) ? number(*value) : Leaf{core::ValueState::text, 0, false, printed};
    if (total) {
      rows_.add(name, statistic, dims, for_context(), leaf);
    } else {
      k6_add(rows_, name, statistic, kind, false, dims, leaf);
    }
  }
  static Leaf number(double value) { return {core::ValueState::number, value, true, {}}; }

  RowWriter& writer_;
  DeclaredRows rows_;
  bool in_thresholds_ = false, check_passed_ = false, has_total_ = false;
  std::size_t first_;  // row of this run
  std::string subject_, parent_, tags_, check_;
  std::vector<std::pair<std::size_t, std::string>> groups_;
};

Detection detect_k6_text(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  LogLines lines(head);
  std::string_view line;
  std::size_t metrics = 0;
  bool own = false;
  while (lines.next(line)) {
    std::string_view text = core::trim(line);
    if (text.starts_with(kPassed) || text.starts_with(kFailed)) text = core::trim(text.substr(kPassed.size()));
    const auto metric = metric_line(text);
    if (!metric || text.find("..") == std::string_view::npos) continue;
    if (++metrics == 1) detection.evidence.push_back("has the line " + core::cited(text.substr(0, 60)));
    for (const std::string_view known : {"iterations", "iteration_duration", "vus", "http_req", "data_received", "checks"}) {
      own = own || metric->name.starts_with(known);
    }
  }
  if (own && metrics >= 2) detection.score = 0.95;
  return detection;
}

}  // namespace

extern const Format k6_text_format = {
    .name = "k6-text",
    .title = "k6 load test: printed summary",
    .replication = core::Replication::run,
    .detect = detect_k6_text,
    .read = read_lines<Reader>,
    .about = {.group = Group::load,
              .file = "text",
              .produce = "k6 run script.js | tee result.txt",
              .judged =
                  "times in ms (lower), `http_reqs.rate` and `iterations.rate` (higher), `http_req_failed` (lower), `checks` "
                  "(higher); failed checks and crossed thresholds as gates",
              .key = "metric, with the tags of a submetric, scenario or group, and statistic",
              .trials = "one value a key",
              .context = "the script, users at most (`vus_max`)",
              .limits = "figures are rounded as printed; in the layout before 1.0 one mark speaks for all thresholds of a metric",
              .recognised = "`name......: value` of metrics that k6 always has"},
};

}  // namespace plumbline::formats
