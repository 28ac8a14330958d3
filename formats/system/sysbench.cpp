// sysbench 1.0, 0.5 and 0.4: one run as text. Sections are told by their own lines, not by the test, which older versions do
// not name. Where a version prints no rate (CPU before 1.0) it is events over total time. MiB and the older "MB" are 2^20.
#include <cmath>

#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

// "(1022.75 per sec.)", "(6553.60 MiB/sec)", "(15.5Mb/sec)": the number after the bracket.
std::optional<double> in_brackets(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(open + 1);
  return core::parse_double(rest.substr(0, std::min(rest.find_first_not_of("+-.0123456789eE"), rest.size())));
}

// "7.51ms" (0.5) or "7.51" under a header that says ms (1.0).
std::optional<double> in_ms(std::string_view text) {
  text = core::trim(text);
  double factor = 1;
  if (text.ends_with("ms")) {
    text.remove_suffix(2);
  } else if (text.ends_with('s')) {
    text.remove_suffix(1);
    factor = 1000;
  }
  const auto value = core::parse_double(text);
  return value ? std::optional(*value * factor) : std::nullopt;
}

struct Line {
  std::string_view key, value;
};
std::optional<Line> pair_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return Line{core::trim(text.substr(0, colon)), core::trim(text.substr(colon + 1))};
}

constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"Number of threads", "workload.threads"},
    {"Prime numbers limit", "workload.prime_limit"},
    {"Maximum prime number checked in CPU test", "workload.prime_limit"},
    {"block size", "workload.block_size"},
    {"Block size", "workload.block_size"},
    {"total size", "workload.total_size"},
    {"operation", "workload.operation"},
    {"scope", "workload.scope"},
    {"Target transaction rate", "workload.target_rate"},
    {"Number of IO requests", "workload.io_requests"},
    {"Read/Write ratio for combined random IO test", "workload.read_write_ratio"}};

class Reader {
 public:
  static constexpr std::string_view kNothing = "no result of sysbench: neither a rate nor \"total time:\"";
  static constexpr std::string_view kHint = "sysbench prints them at the end of `run`; `prepare` and `cleanup` measure nothing";
  Reader(RowWriter& writer, std::uint32_t section)
      : writer_(writer), rows_(writer, "sysbench", section), first_(writer.out.rows().size()) {}

  // "sysbench 1.0.20 (using …)" opens every run, also those that prepare and clean up, which measure nothing.
  [[nodiscard]] bool begins(std::string_view line) const {
    return (has_rate_ || events_ || !intervals_.empty() || failures_ > 0) && core::trim(line).starts_with("sysbench ");
  }

  void line(std::string_view line) {
    const std::string_view text = core::trim(line);
    if (text.starts_with("sysbench ")) {
      // Else it is the command, as the shell wrote it down.
      const std::string_view version = text.substr(9, text.find_first_of(" :", 9) - 9);
      if (!version.empty() && version[0] >= '0' && version[0] <= '9') rows_.context("stack.sysbench", version.substr(0, 40));
    } else if (text.starts_with("[ ") || text.starts_with("[")) {
      interval(text);
    } else if (text.starts_with("FATAL:")) {
      if (++failures_ == 1) failure_ = std::string(text.substr(0, 200));
    } else if (text.starts_with("Doing ")) {
      rows_.context("workload.test", text.substr(6, text.find_first_of("\r\n") - 6));
    } else if (const auto found = pair_of(text)) {
      pair(*found, text);
    } else {
      without_colon(text);
    }
  }
  void end() {
    if (!has_rate_ && events_ && seconds_ && *seconds_ > 0) higher("events_per_second", "events/s", *events_ / *seconds_);
    if (!intervals_.empty()) {
      // Second by second of one run: they show its course, the total is its result.
      rows_.add({}, "interval_" + interval_name_, 0, for_context(interval_name_ + "/s"), intervals_);
    }
    if (!has_rate_ && !events_ && !intervals_.empty())
      writer_.out.warn("run_incomplete", "1 run has no end: there is no total, only reports on the way");
    if (failures_ > 0) {
      rows_.add({}, "fatal_errors", 0, gate(), static_cast<double>(failures_));
      rows_.fail_from(first_, failure_);
    }
    if (events_ && *events_ == 0) rows_.fail_from(first_, "no event completed");
    if (limited_) {
      writer_.out.warn("offered_load", "a target rate was set: reaching it is no result, so rates are context");
    }
  }

 private:
  void higher(std::string_view name, std::string_view unit, double value) {
    headline(name);
    has_rate_ = true;
    rows_.add({}, name, 0, limited_ ? for_context(unit) : higher_is_better(unit), value);
  }
  void pair(const Line& line, std::string_view text) {
    const auto& [key, value] = line;
    for (const auto& [setting, name] : kSettings) {
      if (key != setting) continue;
      rows_.context(name, value);
      limited_ = limited_ || key == "Target transaction rate";
      return;
    }
    if (statistics(key, value) || sql(key, value)) return;
    if (key == "reads/s" || key == "writes/s" || key == "fsyncs/s") {
      rate(key, "ops/s", value);
    } else if (key == "read, MiB/s" || key == "written, MiB/s") {
      rate(key.starts_with("read") ? "read_throughput" : "write_throughput", "MiB/s", value);
    } else if (key == "events per second") {
      if (const auto rate = core::parse_double(value)) higher("events_per_second", "events/s", *rate);
    } else if (key == "events/s (eps)") {  // since 1.1; SQL and CPU tests have printed their own rate before
      if (const auto rate = core::parse_double(value); rate && !has_rate_) higher("events_per_second", "events/s", *rate);
    } else if (key.starts_with("Number of unfinished transactions")) {
      if (const auto count = core::parse_double(value)) rows_.add({}, "unfinished_transactions", 0, gate(), *count);
    } else if (key == "Total operations" || (key == "Operations performed" && value.find("ops/sec") != std::string_view::npos)) {
      if (const auto rate = in_brackets(value)) higher("operations_per_second", "ops/s", *rate);
    } else if (key == "Operations performed") {
      rows_.context("workload.operations", value.substr(0, value.find('=')));
    } else {
      without_colon(text);
    }
  }
  // A zero is a kind of work that this test did not do.
  void rate(std::string_view name, std::string_view unit, std::string_view value) {
    const auto number = core::parse_double(value);
    if (!number) return;
    std::string plain(name);
    if (plain.ends_with("/s")) plain = plain.substr(0, plain.size() - 2) + "_per_second";
    if (*number != 0 && plain != "fsyncs_per_second") headline(plain);
    has_rate_ = true;
    rows_.add({}, plain, 0, *number == 0 || limited_ ? for_context(unit) : higher_is_better(unit), *number);
  }
  // The first rate that is printed is what the test is about.
  void headline(std::string_view name) {
    if (!has_headline_ && !limited_) writer_.out.declared.headlines.emplace_back(rows_.key({}, name));
    has_headline_ = true;
  }
  bool statistics(std::string_view key, std::string_view value) {
    if (key == "total time" || key == "time elapsed") {
      std::string_view text = value;
      if (text.ends_with('s')) text.remove_suffix(1);
      seconds_ = core::parse_double(text);
      if (seconds_) rows_.add({}, "total_time", 0, for_context("s"), *seconds_);
    } else if (key == "total number of events") {
      events_ = core::parse_double(value);
      if (events_) rows_.add({}, "events", 0, for_context(), *events_);
    } else if (key == "min" || key == "avg" || key == "max" || key == "sum") {
      if (const auto ms = in_ms(value))
        rows_.add("latency", key, 0, key == "avg" ? lower_is_better("ms") : for_context("ms"), *ms);
    } else if (key.ends_with("percentile")) {
      std::string_view number = key.substr(key.starts_with("approx.") ? 7 : 0);
      number = core::trim(number);
      const auto percent = core::parse_double(number.substr(0, std::min(number.find_first_not_of(".0123456789"), number.size())));
      const auto ms = in_ms(value);
      // 0.00 says that the percentile was switched off (--percentile=0).
      if (percent && ms) {
        rows_.add("latency", "p" + core::number_text(*percent), 0, *ms == 0 ? for_context("ms") : lower_is_better("ms"), *ms);
      }
    } else if (key == "events (avg/stddev)" || key == "execution time (avg/stddev)") {
      const std::size_t slash = value.find('/');
      const auto spread = slash == std::string_view::npos ? std::nullopt : core::parse_double(value.substr(slash + 1));
      if (spread) rows_.add("fairness", key.starts_with("events") ? "events_stddev" : "time_stddev", 0, own_noise(), *spread);
    } else {
      return false;
    }
    return true;
  }
  bool sql(std::string_view key, std::string_view value) {
    const auto per_second = in_brackets(value);
    const auto count = core::parse_double(value.substr(0, std::min(value.find_first_of(" \t("), value.size())));
    if (key == "transactions" && per_second) {
      higher("transactions_per_second", "transactions/s", *per_second);
      if (count) rows_.add({}, "transactions", 0, for_context(), *count);
      if (count && *count == 0) rows_.fail_from(first_, "no transaction completed");
    } else if ((key == "queries" || key == "read/write requests") && per_second) {
      higher(key == "queries" ? "queries_per_second" : "read_write_requests_per_second", "queries/s", *per_second);
    } else if (key == "other operations" && per_second) {
      rows_.add({}, "other_operations_per_second", 0, for_context("ops/s"), *per_second);
    } else if ((key == "ignored errors" || key == "deadlocks" || key == "reconnects") && count) {
      rows_.add({}, key == "ignored errors" ? "ignored_errors" : key, 0, gate(), *count);
    } else if ((key == "read" || key == "write" || key == "other" || key == "total") && count) {
      rows_.add("queries", key, 0, for_context(), *count);
    } else {
      return false;
    }
    return true;
  }
  void without_colon(std::string_view text) {
    const std::size_t bracket = text.find('(');
    if ((text.find("MiB transferred (") != std::string_view::npos || text.find("MB transferred (") != std::string_view::npos)) {
      if (const auto rate = in_brackets(text)) higher("throughput", "MiB/s", *rate);
    } else if (text.find("Total transferred") != std::string_view::npos && bracket != std::string_view::npos) {
      const double factor = text.find("Gb/sec") != std::string_view::npos   ? 1024
                            : text.find("Kb/sec") != std::string_view::npos ? 1.0 / 1024
                                                                            : 1;
      if (const auto rate = in_brackets(text)) higher("throughput", "MiB/s", *rate * factor);
    } else if (text.ends_with("Requests/sec executed")) {
      if (const auto rate = core::parse_double(text.substr(0, text.find(' ')))) higher("requests_per_second", "req/s", *rate);
    } else if (text.ends_with("Block size")) {
      rows_.context("workload.block_size", text.substr(0, text.find(' ')));
    } else if (text.starts_with("Using ") || text.find(" access test") != std::string_view::npos) {
      if (text.starts_with("Using ")) rows_.context("workload.io_mode", text.substr(6));
    } else if (text.starts_with("Running the test ") || text.starts_with("Running memory speed test")) {
      if (text.find("memory") != std::string_view::npos) rows_.context("workload.test", "memory");
    }
  }
  // "[ 10s ] thds: 4 tps: 99.10 qps: …", "[  10s] threads: 4, tps: 100.5, reads: …", "[ 1s ] thds: 1 eps: 1185.88 lat …"
  void interval(std::string_view text) {
    for (const std::string_view name : {"tps", "eps"}) {
      const std::size_t at = text.find(" " + std::string(name) + ": ");
      if (at == std::string_view::npos) continue;
      const std::string_view rest = text.substr(at + 6);
      const auto value = core::parse_double(rest.substr(0, std::min(rest.find_first_of(" ,"), rest.size())));
      if (!value) continue;
      interval_name_ = name == "tps" ? "transactions" : "events";
      intervals_.push_back(*value);
      return;
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::optional<double> events_, seconds_;
  std::vector<double> intervals_;
  std::string interval_name_ = "events", failure_;
  std::uint64_t failures_ = 0;
  bool has_rate_ = false, limited_ = false, has_headline_ = false;
  std::size_t first_;  // row of this run
};

}  // namespace

extern const Format sysbench_format = {
    .name = "sysbench",
    .title = "sysbench: CPU, memory, files and databases",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.95, {"sysbench ", "total number of events:"}},
               {Sign::In::head, 0.95, {"sysbench ", "Running the test with following options:"}},
               {Sign::In::head, 0.95, {"sysbench ", "General statistics:"}}}},
    .read = read_lines<Reader>,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "sysbench cpu --threads=8 --time=30 run | tee result.txt",
              .judged =
                  "events, transactions, queries, operations a second and throughput in MiB/s (higher), `latency.avg` and the "
                  "percentile in ms (lower); ignored errors, deadlocks, reconnects and fatal errors as gates",
              .key = "the metric, and of a later run in one log its section",
              .trials = "one value a key; the reports on the way are context",
              .context = "version, threads, prime limit, block and total size, operation, scope, I/O mode, target rate",
              .limits = "CPU tests before 1.0 print no rate: it is events over total time; with a target rate, rates are context",
              .recognised = "`sysbench` with `total number of events:` or its options"},
};

}  // namespace plumbline::formats
