// db_bench of RocksDB and LevelDB: a line for each benchmark, "readrandom : 3.457 micros/op 270007 ops/sec 0.074 seconds 20000
// operations; 29.9 MB/s (20000 of 20000 found)", and its percentiles where a histogram was asked for.
#include <algorithm>

#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

// A metric, by the unit behind its number. All three say the time of an operation; MB/s are of the data.
struct Measured {
  std::string_view unit;
  ToolMetric metric;
};
constexpr Measured kMeasured[] = {
    {"micros/op", tool_metric("time_per_op", "us", Direction::lower)},
    {"ops/sec", tool_metric("ops_per_second", "ops/s", Direction::higher)},
    {"MB/s", tool_metric("data_per_second", "MB/s", Direction::higher)},
    {"seconds", tool_metric("seconds", "s", Direction::lower, Role::context)},
    {"operations", tool_metric("operations", "", Direction::unknown, Role::context)},
};
constexpr Measured kPercentiles[] = {
    {"P50:", tool_metric("p50", "us", Direction::lower)},
    {"P75:", tool_metric("p75", "us", Direction::lower)},
    {"P99:", tool_metric("p99", "us", Direction::lower)},
    {"P99.9:", tool_metric("p99.9", "us", Direction::lower)},
    {"P99.99:", tool_metric("p99.99", "us", Direction::lower, Role::context)},
};
constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"RocksDB", "stack.rocksdb"},  {"LevelDB", "stack.leveldb"},          {"Keys", "workload.keys"},
    {"Values", "workload.values"}, {"Entries", "workload.entries"},       {"Compression", "workload.compression"},
    {"CPU", "hardware.cpu"},       {"Write rate", "workload.write_rate"}, {"Read rate", "workload.read_rate"}};
constexpr std::string_view kResult = " micros/op";

// What stands behind the progress that is written over itself in the same line.
std::string_view last_written(std::string_view line) {
  line = core::trim(line);
  const std::size_t back = line.rfind('\r');
  return core::trim(back == std::string_view::npos ? line : line.substr(back + 1));
}

bool is_result(std::string_view text) {
  const std::size_t unit = text.find(kResult), colon = text.find(" :");
  return unit != std::string_view::npos && colon < unit &&
         core::parse_double(core::trim(text.substr(colon + 2, unit - colon - 2)));
}

class Reader {
 public:
  explicit Reader(ToolRows& rows) : rows_(rows) {}

  void line(std::string_view text) {
    if (text.starts_with("Keys:")) rows_.section();
    if (is_result(text)) {
      result(text);
    } else if (measured_ && text.starts_with("Percentiles: ")) {
      take(text, kPercentiles, 1);
    } else {
      setting(text);
    }
  }

 private:
  void result(std::string_view text) {
    const std::size_t colon = text.find(" :");
    rows_.point(core::trim(text.substr(0, colon)));
    measured_ = true;
    take(text.substr(colon + 2), kMeasured, -1);
  }
  // The numbers behind (1) or before (-1) the words that are known.
  void take(std::string_view text, std::span<const Measured> known, int number) {
    split_blanks(text, words_);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      std::string_view word = words_[i];
      while (word.ends_with(';')) word.remove_suffix(1);
      const auto at = std::find_if(known.begin(), known.end(), [&](const Measured& one) { return one.unit == word; });
      const std::size_t value = number < 0 ? i - 1 : i + 1;  // i - 1 of the first is behind the last
      if (at != known.end() && value < words_.size()) rows_.add(at->metric, words_[value]);
    }
  }
  void setting(std::string_view text) {
    const std::size_t colon = text.find(':');
    for (const auto& [name, key] : kSettings) {
      if (colon != std::string_view::npos && text.substr(0, colon) == name) rows_.note(key, core::trim(text.substr(colon + 1)));
    }
  }

  ToolRows& rows_;
  std::vector<std::string_view> words_;
  bool measured_ = false;
};

}  // namespace

Detection detect_db_bench(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  bool keys = false;
  while (lines.next(line)) {
    const std::string_view text = last_written(line);
    keys = keys || (text.starts_with("Keys:") && text.find(" bytes each") != std::string_view::npos);
    if (!keys || !is_result(text)) continue;
    detection.score = 0.95;
    detection.evidence = {"has \"Keys: … bytes each\"", "line " + std::to_string(lines.number()) + " has micros/op"};
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_db_bench(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "db_bench");
  Reader reader(rows);
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !rows.halted()) reader.line(last_written(line));
  if (rows.empty()) return core::fail(rows.error("no line with micros/op", "db_bench prints one when a benchmark is done"));
  return rows.finish();
}

extern const Format db_bench_format = {
    .name = "db-bench",
    .title = "db_bench of RocksDB and LevelDB",
    .replication = core::Replication::in_process,
    .detect = detect_db_bench,
    .read = read_db_bench,
    .about =
        {.group = Group::system,
         .file = "text",
         .produce = "db_bench --benchmarks=fillseq,readrandom --num=1000000 2>&1 | tee result.txt",
         .judged =
             "time per operation (us, lower), operations and data per second (higher); percentiles of a histogram (us, lower)",
         .key = "the benchmark's name; of a later run in one log its section",
         .trials = "a benchmark that is run again",
         .context = "version, CPU, keys, values, entries, compression, rates",
         .limits = "histograms and statistics of the database are left out",
         .recognised = "`Keys: … bytes each`, `NAME : N micros/op`"},
};

}  // namespace plumbline::formats
