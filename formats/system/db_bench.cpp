// db_bench of RocksDB and LevelDB: a line for each benchmark, "readrandom : 3.457 micros/op 270007 ops/sec 0.074 seconds 20000
// operations; 29.9 MB/s (20000 of 20000 found)", and its percentiles where a histogram was asked for. LevelDB prints less, and so
// do older versions and benchmarks that move no data.
#include "formats/format.hpp"
#include "formats/stated/statement.hpp"

namespace plumbline::formats {
namespace {
using namespace stated;  // the words of a statement

constexpr Field kept(std::string_view name, std::string_view unit) {
  return {.name = name, .declared = {unit, core::Direction::lower, core::Role::context}};
}
constexpr Field kFields[] = {
    dimension("benchmark"),
    lower("time_per_op", "us"),
    higher("ops_per_second", "ops/s"),
    higher("data_per_second", "MB/s"),
    kept("seconds", "s"),
    shown("operations"),
    lower("p50", "us"),
    lower("p75", "us"),
    lower("p99", "us"),
    lower("p99.9", "us"),
    kept("p99.99", "us"),
    context("rocksdb", "stack.rocksdb"),
    context("leveldb", "stack.leveldb"),
    context("cpu", "hardware.cpu"),
    context("keys", "workload.keys"),
    context("values", "workload.values"),
    context("entries", "workload.entries"),
    context("compression", "workload.compression"),
    context("write_rate", "workload.write_rate"),
    context("read_rate", "workload.read_rate"),
};
constexpr Line result(std::string_view text) { return {.text = text, .point = "{benchmark}"}; }
constexpr Line kLines[] = {
    result("{benchmark} : {time_per_op} micros/op {ops_per_second} ops/sec {seconds} seconds {operations} operations; "
           "{data_per_second} MB/s{}"),
    result("{benchmark} : {time_per_op} micros/op {ops_per_second} ops/sec {seconds} seconds {operations} operations;{}"),
    result("{benchmark} : {time_per_op} micros/op {ops_per_second} ops/sec; {data_per_second} MB/s{}"),
    result("{benchmark} : {time_per_op} micros/op {ops_per_second} ops/sec{}"),
    result("{benchmark} : {time_per_op} micros/op; {data_per_second} MB/s{}"),
    result("{benchmark} : {time_per_op} micros/op{}"),
    {.text = "Percentiles: P50: {p50} P75: {p75} P99: {p99} P99.9: {p99.9} P99.99: {p99.99}", .of_last = true},
    {.text = "Keys: {keys}", .turn = Turn::begins},
    {.text = "RocksDB: {rocksdb}"},
    {.text = "LevelDB: {leveldb}"},
    {.text = "CPU: {cpu}"},
    {.text = "Values: {values}"},
    {.text = "Entries: {entries}"},
    {.text = "Compression: {compression}"},
    {.text = "Write rate: {write_rate}"},
    {.text = "Read rate: {read_rate}"},
};
constexpr std::string_view kOurs[] = {"Keys: {} bytes each{}", "{benchmark} : {time_per_op} micros/op{}"};
constexpr Recognised kRecognised[] = {{kOurs, 0.95}};
constexpr Statement kStatement = {.tool = "db_bench",
                                  .recognised = kRecognised,
                                  .fields = kFields,
                                  .lines = kLines,
                                  .nothing = "no line with micros/op",
                                  .hint = "db_bench prints one when a benchmark is done"};

}  // namespace

extern const Format db_bench_format = {
    .name = "db-bench",
    .title = "db_bench of RocksDB and LevelDB",
    .replication = core::Replication::in_process,
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
    .statement = &kStatement,
};

}  // namespace plumbline::formats
