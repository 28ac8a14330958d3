// wrk and wrk2: one run of a load generator as text. wrk2 sends at a fixed rate, so its requests per second are the offered load.
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

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
  const double factor = unit == "B" ? 1.0 : unit == "KB" ? 1024.0 : unit == "MB" ? 1048576.0 : unit == "GB" ? 1073741824.0 : 0.0;
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

}  // namespace

Detection detect_wrk(const Input& input) {
  Detection detection;
  if (has_all(head_of(input), {"Running ", " test @ ", "Thread Stats", "Requests/sec:"}, detection)) detection.score = 0.95;
  return detection;
}

core::Expected<core::Measurement> read_wrk(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "wrk");
  const bool paced = input.bytes.find("Thread calibration:") != std::string_view::npos;
  double socket_errors = 0, bad_responses = 0;
  bool corrected = true;  // wrk2 -U prints the distribution again, without the correction
  for (const std::string_view whole : core::split(input.bytes, '\n')) {
    const std::string_view line = core::trim(whole);
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 5 && words[1] == "threads" && words[4] == "connections") {
      rows.context("workload.threads", words[0]);
      rows.context("workload.connections", words[3]);
    } else if (words.size() == 5 && words[0] == "Latency" && words[1] != "Distribution") {
      rows.add("latency", "avg", 0, lower_is_better("ms"), time_in_ms(words[1]));
      rows.add("latency", "stdev", 0, own_noise("ms"), time_in_ms(words[2]));
      rows.add("latency", "max", 0, for_context("ms"), time_in_ms(words[3]));
    } else if (line.find("Uncorrected Latency") != std::string_view::npos) {
      corrected = false;
    } else if (words.size() == 2 && words[0].ends_with('%') && corrected) {
      if (const auto percent = core::parse_double(words[0].substr(0, words[0].size() - 1))) {
        rows.add("latency", "p" + core::number_text(*percent), 0, lower_is_better("ms"), time_in_ms(words[1]));
      }
    } else if (line.starts_with("Socket errors:")) {
      socket_errors = sum_of_numbers(line);
    } else if (line.starts_with("Non-2xx or 3xx responses:")) {
      bad_responses = sum_of_numbers(line);
    } else if (words.size() == 2 && words[0] == "Requests/sec:") {
      rows.add({}, "requests_per_second", 0, paced ? for_context("req/s") : higher_is_better("req/s"), number_of(words[1]));
    } else if (words.size() == 2 && words[0] == "Transfer/sec:") {
      if (const auto bytes = bytes_of(words[1])) {
        rows.add({}, "transfer_per_second", 0, paced ? for_context("B/s") : higher_is_better("B/s"), *bytes);
      }
    } else if (words.size() >= 6 && words[1] == "requests" && words[2] == "in") {
      const auto requests = core::parse_double(words[0]);
      if (requests) rows.add({}, "requests", 0, for_context(), *requests);
      if (requests && *requests == 0) rows.fail_from(0, "no request completed");
    }
  }
  rows.add({}, "socket_errors", 0, gate(), socket_errors);
  rows.add({}, "bad_responses", 0, gate(), bad_responses);
  writer.out.declared.headlines = {"latency.avg"};
  if (!paced) writer.out.declared.headlines.emplace_back("requests_per_second");
  writer.out.replication = core::Replication::run;
  return writer.finish(input.name);
}

extern const Format wrk_format = {
    .name = "wrk",
    .title = "wrk and wrk2",
    .replication = core::Replication::run,
    .detect = detect_wrk,
    .read = read_wrk,
    .about = {.judged = "wrk and wrk2 text; times in ms, errors as gates",
              .key = "the statistic",
              .trials = "one value a key",
              .context = "threads, connections",
              .limits = "wrk2's fixed rate makes throughput context",
              .recognised = "`Running … test @`, `Requests/sec:`"},
};

}  // namespace plumbline::formats
