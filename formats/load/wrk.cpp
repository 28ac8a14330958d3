// wrk and wrk2: one run of a load generator as text. wrk2 sends at a fixed rate, so its requests per second are the offered load.
#include <cmath>

#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : core::split(core::trim(line), ' ')) {
    if (!core::trim(word).empty()) words.push_back(core::trim(word));
  }
  return words;
}

// "635.91us" in milliseconds; "-nan" is not finite. wrk's "m" is a minute.
Leaf time_in_ms(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  const auto number = core::parse_double(text.substr(0, end));
  const std::string_view unit = text.substr(end);
  const double factor = unit == "us" ? 1e-3 : unit == "ms" ? 1 : unit == "s" ? 1e3 : unit == "m" ? 6e4 : unit == "h" ? 3.6e6 : 0;
  if (!number || factor == 0) return {core::ValueState::not_finite, 0, false, text};
  return {core::ValueState::number, *number * factor, true, {}};
}

// "1.25MB" in bytes: the prefixes are powers of 1024.
std::optional<double> bytes_of(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of(".0123456789"), text.size());
  const auto number = core::parse_double(text.substr(0, end));
  const std::string_view unit = text.substr(end);
  const double factor = unit == "B"    ? 1.0
                        : unit == "KB" ? 1024.0
                        : unit == "MB" ? 1048576.0
                        : unit == "GB" ? 1073741824.0
                        : unit == "TB" ? 1099511627776.0
                        : unit == "PB" ? 1125899906842624.0
                                       : 0.0;
  if (!number || factor == 0) return std::nullopt;
  return *number * factor;
}

Leaf number_of(std::string_view text) {
  const auto number = core::parse_double(text);
  if (!number || !std::isfinite(*number)) return {core::ValueState::not_finite, 0, false, text};
  return {core::ValueState::number, *number, true, {}};
}

double sum_of_numbers(std::string_view line) {
  double sum = 0;
  for (std::string_view word : words_of(line)) {
    if (word.ends_with(',')) word.remove_suffix(1);
    sum += core::parse_double(word).value_or(0);
  }
  return sum;
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no result of wrk: no latency and no \"Requests/sec:\"";
  static constexpr std::string_view kHint = "wrk prints them when its time is over; one that was stopped before prints none";
  Reader(RowWriter& writer, std::uint32_t section)
      : writer_(writer), rows_(writer, "wrk", section), first_(writer.out.rows().size()) {}

  // "Running 10s test @ http://…" opens every run.
  [[nodiscard]] bool begins(std::string_view line) const { return started_ && is_banner(line); }

  void line(std::string_view whole) {
    const std::string_view line = core::trim(whole);
    const std::vector<std::string_view> words = words_of(line);
    started_ = started_ || is_banner(line);
    // Of wrk2 alone. Runs too short to calibrate are told by the histogram, or by rates that were never sampled.
    paced_ = paced_ || line.find("Thread calibration:") != std::string_view::npos ||
             line.find("HdrHistogram - ") != std::string_view::npos ||
             (words.size() == 5 && words[0] == "Req/Sec" && words[1].ends_with("nan"));
    if (words.size() >= 5 && words[0] == "Thread" && words[1] == "Stats") {
      third_ = words[4];
    } else if (words.size() >= 5 && words[1] == "threads" && words[4] == "connections") {
      rows_.context("workload.threads", words[0]);
      rows_.context("workload.connections", words[3]);
    } else if (words.size() == 5 && words[0] == "Latency" && words[1] != "Distribution") {
      rows_.add("latency", "avg", 0, lower_is_better("ms"), time_in_ms(words[1]));
      rows_.add("latency", "stdev", 0, own_noise("ms"), time_in_ms(words[2]));
      // A fork prints the 99th percentile where others have the maximum.
      const bool tail = third_ == "99%";
      rows_.add("latency", tail ? "p99" : "max", 0, tail ? lower_is_better("ms") : for_context("ms"), time_in_ms(words[3]));
      has_p99_ = tail;
    } else if (line.find("Uncorrected Latency") != std::string_view::npos) {
      corrected_ = false;
    } else if (words.size() == 2 && words[0].ends_with('%') && corrected_) {
      if (const auto percent = core::parse_double(words[0].substr(0, words[0].size() - 1))) {
        // The last one is the maximum.
        if (*percent == 99 && has_p99_) return;
        rows_.add("latency", "p" + core::number_text(*percent), 0, *percent < 100 ? lower_is_better("ms") : for_context("ms"),
                  time_in_ms(words[1]));
      }
    } else if (line.starts_with("Socket errors:")) {
      socket_errors_ = sum_of_numbers(line);
    } else if (line.starts_with("Non-2xx or 3xx responses:")) {
      bad_responses_ = sum_of_numbers(line);
    } else if (words.size() == 2 && words[0] == "Requests/sec:") {
      rows_.add({}, "requests_per_second", 0, paced_ ? for_context("req/s") : higher_is_better("req/s"), number_of(words[1]));
    } else if (words.size() == 2 && words[0] == "Transfer/sec:") {
      if (const auto bytes = bytes_of(words[1])) {
        rows_.add({}, "transfer_per_second", 0, paced_ ? for_context("B/s") : higher_is_better("B/s"), *bytes);
      }
    } else if (words.size() >= 6 && words[1] == "requests" && words[2] == "in") {
      const auto requests = core::parse_double(words[0]);
      if (requests) rows_.add({}, "requests", 0, for_context(), *requests);
      requests_ = requests;
    }
  }
  void end() {
    if (writer_.out.rows().size() == first_) return;
    // How fast errors are answered says nothing of the answers.
    if (requests_ && *requests_ == 0) rows_.fail_from(first_, "no request completed");
    if (requests_ && *requests_ > 0 && bad_responses_ >= *requests_) rows_.fail_from(first_, "every response was an error");
    rows_.add({}, "socket_errors", 0, gate(), socket_errors_);
    rows_.add({}, "bad_responses", 0, gate(), bad_responses_);
    writer_.out.declared.headlines.emplace_back(rows_.key("latency", "avg"));
    if (!paced_) writer_.out.declared.headlines.emplace_back(rows_.key({}, "requests_per_second"));
  }

 private:
  static bool is_banner(std::string_view line) {
    line = core::trim(line);
    return line.starts_with("Running ") && line.find(" test @ ") != std::string_view::npos;
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::size_t first_;  // row of this run
  double socket_errors_ = 0, bad_responses_ = 0;
  std::optional<double> requests_;
  std::string third_;  // the column behind the deviation
  bool started_ = false, paced_ = false, has_p99_ = false;
  bool corrected_ = true;  // wrk2 -U prints the distribution again, without the correction
};

}  // namespace

extern const Format wrk_format = {
    .name = "wrk",
    .title = "wrk and wrk2, load tests of HTTP servers",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.95, {"Running ", " test @ ", "Thread Stats", "Requests/sec:"}}}},
    .read = read_lines<Reader>,
    .about =
        {.group = Group::load,
         .file = "text",
         .produce = "wrk -t4 -c64 -d30s --latency URL | tee result.txt\n"
                    "wrk -t4 -c64 -d30s -R2000 --latency URL | tee result.txt  # wrk2",
         .judged =
             "wrk and wrk2 text; times in ms, requests and bytes a second (higher), errors as gates; where every response was an "
             "error the times are failed",
         .key = "the statistic, and of a later run in one log its section",
         .trials = "one value a key",
         .context = "threads, connections",
         .limits = "wrk2's fixed rate makes throughput context",
         .recognised = "`Running … test @`, `Requests/sec:`"},
};

}  // namespace plumbline::formats
