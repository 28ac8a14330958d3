// pgbench: one run as text. Up to PostgreSQL 13 two lines give tps with and without the time to connect, from 14 on one line
// gives it without: `tps` is the one without in every version. With a rate limit it is the offered load and no result.
#include <algorithm>
#include <cmath>

#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"transaction type", "workload.transaction_type"},
    {"scaling factor", "workload.scale"},
    {"query mode", "workload.query_mode"},
    {"number of clients", "workload.clients"},
    {"number of threads", "workload.threads"},
    {"maximum number of tries", "workload.max_tries"},
    {"duration", "workload.duration"},
    {"partition method", "workload.partition_method"},
    {"partitions", "workload.partitions"},
    {"number of transactions per client", "workload.transactions_per_client"}};

std::optional<double> first_number(std::string_view text) {
  text = core::trim(text);
  return core::parse_double(text.substr(0, std::min(text.find_first_not_of("+-.0123456789eE"), text.size())));
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no figure of pgbench: neither \"tps = \" nor a line of progress";
  static constexpr std::string_view kHint = "pgbench prints them at its end; with -P also on the way";
  Reader(RowWriter& writer, std::uint32_t section)
      : writer_(writer), rows_(writer, "pgbench", section), first_(writer.out.rows().size()) {}

  // "pgbench (16.1)" opens a run, or without it, as before 14, its "transaction type:"; excerpts may begin a line later.
  [[nodiscard]] bool begins(std::string_view line) const {
    if (rates_.empty() && !processed_) return false;
    line = core::trim(line);
    return line.starts_with("pgbench (") || line.starts_with("transaction type:") || line.starts_with("scaling factor:") ||
           (line.starts_with("progress: ") && !rates_.empty());
  }

  void line(std::string_view line) {
    const std::string_view text = core::trim(line);
    if (text.starts_with("progress: ")) {
      progress(text);
    } else if (text.starts_with("pgbench (")) {
      rows_.context("stack.pgbench", text.substr(9, text.find(')') - 9));
    } else if (text.starts_with("SQL script ")) {
      script(text);
    } else if (text.find("statement latencies in milliseconds") != std::string_view::npos) {
      // Counts of failures, and of retries with them, stand between the latency and the statement.
      columns_ = 1 + (text.find("failures") != std::string_view::npos ? 1U : 0U) +
                 (text.find("retries") != std::string_view::npos ? 1U : 0U);
      statements_ = 0;
    } else if (text.starts_with("tps = ") ||
               (!point_.empty() && text.starts_with("- ") && text.find("tps = ") != std::string_view::npos)) {
      tps(text.substr(text.find("tps = ")));
    } else if (text.find("Run was aborted") != std::string_view::npos || text.find("run was aborted") != std::string_view::npos) {
      aborted_ = true;
    } else if (columns_ > 0 && statement(text)) {
      return;
    } else {
      figure(text.starts_with("- ") ? text.substr(2) : text);
    }
  }
  void end() {
    // Where only the rate with connecting was kept, it is the result.
    const bool excludes = std::any_of(rates_.begin(), rates_.end(), [](const Rate& rate) { return !rate.includes; });
    const bool only_including = !rates_.empty() && !excludes;
    // With a rate limit tps is the offered load: a headline would have it judged.
    if (!limited_) {
      writer_.out.declared.headlines.emplace_back(rows_.key({}, only_including ? "tps_including_connections" : "tps"));
    }
    writer_.out.declared.headlines.emplace_back(rows_.key({}, "latency_average"));
    for (const auto& [point, tps, includes] : rates_) {
      const std::string_view name = includes ? "tps_including_connections" : "tps";
      rows_.add(point, name, dims_of(point), limited_ || (includes && excludes) ? for_context("tps") : higher_is_better("tps"),
                tps);
    }
    if (!progress_.empty()) {
      // Second by second of one run: they show its course, and speak only where the run has no end.
      const bool alone = rates_.empty();
      rows_.add("progress", "tps", 0, alone && !limited_ ? higher_is_better("tps") : for_context("tps"), progress_);
      rows_.add("progress", "latency", 0, for_context("ms"), latencies_);
      if (alone) writer_.out.warn("run_incomplete", "1 run has no end: there is no final tps, only progress reports");
    }
    if (limited_) {
      writer_.out.warn("offered_load", "a rate was set (--rate): reaching it is no result, so tps is context");
    }
    if (aborted_) rows_.fail_from(first_, "the run was aborted: its results are incomplete");
    if (processed_ && *processed_ == 0) rows_.fail_from(first_, "no transaction was processed");
    if (rates_.empty() && progress_.empty() && writer_.out.rows().size() == first_) return;
    rows_.add({}, "aborted", 0, gate(), aborted_ ? 1.0 : 0.0);
  }

 private:
  struct Rate {
    std::string point;
    double tps;
    bool includes;
  };
  std::uint32_t dims_of(const std::string& point) { return point.empty() ? 0 : rows_.dims({{"script", script_name_}}); }

  void progress(std::string_view text) {
    const std::size_t rate = text.find(" s, "), latency = text.find(" lat ");
    if (rate == std::string_view::npos) return;
    if (const auto tps = first_number(text.substr(rate + 4))) progress_.push_back(*tps);
    if (latency == std::string_view::npos) return;
    if (const auto ms = first_number(text.substr(latency + 5))) latencies_.push_back(*ms);
  }
  // "SQL script 2: <builtin: select only>"
  void script(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return;
    script_name_ = std::string(core::trim(text.substr(colon + 2)).substr(0, 200));
    point_ = "script " + std::string(core::trim(text.substr(11, colon - 11)));
    columns_ = 0;
  }
  void tps(std::string_view text) {
    columns_ = 0;
    // What stands in brackets tells the two rates of old versions apart: without its end a line was cut.
    if (text.find(')') == std::string_view::npos) return;
    const auto value = first_number(text.substr(text.find("= ") + 2));
    if (!value) return;
    rates_.push_back({point_, *value, text.find("(including connections") != std::string_view::npos});
    if (text.find("reconnection") != std::string_view::npos) rows_.context("workload.reconnect", "true");
  }
  // "0.102   0  BEGIN;"
  bool statement(std::string_view text) {
    std::vector<std::string_view> words;
    split_blanks(text, words);
    if (words.size() <= columns_) return false;
    for (std::size_t i = 0; i < columns_; ++i) {
      if (!core::parse_double(words[i])) return false;
    }
    const std::string_view sql = text.substr(static_cast<std::size_t>(words[columns_].data() - text.data()));
    ++statements_;
    std::string place = std::to_string(statements_);
    if (place.size() < 2) place.insert(0, "0");
    const std::string point =
        (point_.empty() ? "" : point_ + ".") + "statement[" + place + " " + std::string(sql.substr(0, 120)) + "]";
    const std::uint32_t dims = rows_.dims({{"script", script_name_}, {"statement", std::string(sql.substr(0, 120))}});
    rows_.add(point, "latency", dims, lower_is_better("ms"), *core::parse_double(words[0]));
    if (columns_ > 1) rows_.add(point, "failures", dims, gate(), *core::parse_double(words[1]));
    if (columns_ > 2) rows_.add(point, "retries", dims, for_context(), *core::parse_double(words[2]));
    return true;
  }
  void figure(std::string_view text) {
    // "latency average = 11.013 ms", before 9.6 "latency average: 11.013 ms"
    for (const std::string_view name :
         {"latency average", "latency stddev", "initial connection time", "average connection time"}) {
      if (!text.starts_with(name)) continue;
      const std::size_t sign = text.find_first_of("=:", name.size());
      if (sign == std::string_view::npos) return;
      const auto ms = first_number(text.substr(sign + 1));
      if (!ms) return;
      const bool average = name == "latency average";
      const Declared declared = average ? lower_is_better("ms") : name == "latency stddev" ? own_noise("ms") : for_context("ms");
      std::string metric(name);
      for (char& c : metric) c = c == ' ' ? '_' : c;
      rows_.add(point_, metric, dims_of(point_), declared, *ms);
      return;
    }
    if (text.starts_with("rate limit schedule lag")) {
      limited_ = true;
      if (const std::size_t at = text.find("avg "); at != std::string_view::npos) {
        if (const auto ms = first_number(text.substr(at + 4))) rows_.add({}, "schedule_lag", 0, lower_is_better("ms"), *ms);
      }
      return;
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = core::trim(text.substr(0, colon)), value = core::trim(text.substr(colon + 1));
    for (const auto& [setting, context] : kSettings) {
      if (key == setting && point_.empty()) rows_.context(context, value);
    }
    counts(key, value);
  }
  void counts(std::string_view key, std::string_view value) {
    const auto number = first_number(value);
    if (!number) return;
    if (key == "number of transactions actually processed") {
      if (point_.empty()) processed_ = *number;
      rows_.add(point_, "transactions", dims_of(point_), for_context(), *number);
      const std::size_t slash = value.find('/');
      const auto intended = slash == std::string_view::npos ? std::nullopt : first_number(value.substr(slash + 1));
      if (intended) rows_.add(point_, "unfinished_transactions", dims_of(point_), gate(), std::max(0.0, *intended - *number));
    } else if (key == "number of failed transactions") {
      rows_.add(point_, "failed_transactions", dims_of(point_), gate(), *number);
    } else if (key == "number of serialization failures" || key == "number of deadlock failures") {
      rows_.add(point_, key.find("deadlock") != std::string_view::npos ? "deadlock_failures" : "serialization_failures",
                dims_of(point_), gate(), *number);
    } else if (key == "number of transactions skipped") {
      rows_.add(point_, "skipped_transactions", dims_of(point_), gate(), *number);
    } else if (key.starts_with("number of transactions above the ")) {
      rows_.add(point_, "transactions_above_limit", dims_of(point_), lower_is_better(""), *number);
    } else if (key == "number of transactions retried" || key == "total number of retries") {
      rows_.add(point_, key.starts_with("total") ? "retries" : "retried_transactions", dims_of(point_), for_context(), *number);
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::vector<Rate> rates_;
  std::vector<double> progress_, latencies_;
  std::optional<double> processed_;
  std::string point_, script_name_;
  std::size_t columns_ = 0, statements_ = 0;
  bool limited_ = false, aborted_ = false;
  std::size_t first_;  // row of this run
};

}  // namespace

extern const Format pgbench_format = {
    .name = "pgbench",
    .title = "pgbench, load test of PostgreSQL",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.95, {"transaction type: ", "scaling factor: ", "number of clients: "}},
               {Sign::In::head, 0.9, {"progress: ", " tps, lat ", " ms stddev "}}}},
    .read = read_lines<Reader>,
    .about =
        {.group = Group::system,
         .file = "text",
         .produce = "pgbench -c 16 -j 4 -T 60 -P 5 DATABASE 2>&1 | tee result.txt",
         .judged =
             "`tps` without connecting (higher), `latency_average` and latencies of statements in ms (lower); failed, unfinished "
             "and skipped transactions, failures of statements and an aborted run as gates",
         .key = "the metric; with the script where there are several, and the statement with its place (-r)",
         .trials = "one value a key; progress reports are context, and judged only where the run has no end",
         .context = "script, scale, query mode, clients, threads, tries, duration, pgbench's version",
         .limits =
             "with --rate tps is context; the stddev of the latency is noise; tps with connecting (to 13) is context where the "
             "other stands beside it",
         .recognised = "`transaction type:`, `scaling factor:`, `number of clients:`"},
};

}  // namespace plumbline::formats
