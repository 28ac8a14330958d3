// Load generators, databases and metrics: k6, sysbench, pgbench, Prometheus and OpenMetrics, and the CSV of rccl-tests. The
// fixtures are our own, in the shape of the real thing.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// A folder of files, by their names.
std::string folder(std::vector<Input::File> files) {
  Input input;
  input.name = "metrics";
  input.is_directory = true;
  input.files = std::move(files);
  const auto m = read(input, {});
  return m ? listing_of(*m) : "error: " + m.error().message + "\n";
}

TEST(Ior, iterations_are_trials_and_options_the_workload) {
  EXPECT_EQ(rows("ior.txt"),
            "ior\n"
            "write.bw = 1500.25 1510.25 [MiB/s] higher-is-better\n"
            "write.iops = 1501.5 1511.5 [ops/s] higher-is-better\n"
            "write.latency = 0.005 0.0051 [s] lower-is-better\n"
            "write.open = 0.001 0.001 [s] context\n"
            "write.transfer = 0.34 0.338 [s] context\n"
            "write.close = 0.0005 0.0005 [s] context\n"
            "write.total = 0.3415 0.3395 [s] context\n"
            "read.bw = 2367.25 2377.25 [MiB/s] higher-is-better\n"
            "read.iops = 2368.5 2378.5 [ops/s] higher-is-better\n"
            "read.latency = 0.003 0.0031 [s] lower-is-better\n"
            "read.open = 0.001 0.001 [s] context\n"
            "read.transfer = 0.216 0.215 [s] context\n"
            "read.close = 0.0005 0.0005 [s] context\n"
            "read.total = 0.2175 0.2165 [s] context\n"
            "context parallelism.nodes = 2\n"
            "context parallelism.ranks = 8\n"
            "context stack.ior = 4.0.0\n"
            "context workload.access = file-per-process\n"
            "context workload.api = POSIX\n"
            "context workload.blocksize = 64 MiB\n"
            "context workload.xfersize = 1 MiB\n"
            "headline write.bw\n"
            "headline read.bw\n");
}

TEST(Ior, a_run_without_a_result_says_so) {
  EXPECT_EQ(refused("IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nOptions:\nnodes : 2\ntasks : 4\n", ""),
            "no line of a write or a read in the table \"Results:\" | IOR prints one when an access is done | result:2");
}

TEST(K6Points, trends_are_trials_counters_a_rate_and_thresholds_are_decided_from_the_points) {
  EXPECT_EQ(rows("k6_points.jsonl"),
            "k6-points\n"
            "checks.rate = 0.5 [ratio] gate higher-is-better\n"
            "http_req_duration.value = 10 30 [ms] lower-is-better\n"
            "http_req_duration.avg = 20 [ms] context\n"
            "http_req_duration.min = 10 [ms] context\n"
            "http_req_duration.med = 20 [ms] context\n"
            "http_req_duration.max = 30 [ms] context\n"
            "http_req_duration.p(90) = 28 [ms] lower-is-better\n"
            "http_req_duration.p(95) = 29 [ms] lower-is-better\n"
            "http_req_duration.count = 2 context\n"
            "http_req_duration[p(95)<50].crossed = 0 gate lower-is-better\n"
            "http_req_duration[avg<=30].crossed = 0 gate lower-is-better\n"
            "http_req_duration[p(99.9)>=1].crossed = 0 gate lower-is-better\n"
            "http_req_failed.rate = 0.5 [ratio] gate lower-is-better\n"
            "http_req_failed[rate<0.2].crossed = 1 gate lower-is-better\n"
            "http_reqs.count = 3 context\n"
            "http_reqs.rate = 0.75 [req/s] higher-is-better\n"
            "http_reqs[rate>1].crossed = 1 gate lower-is-better\n"
            "vus.value = 3 context\n"
            "check[status is 200].fails = 1 gate lower-is-better\n"
            "context workload.scenario = browse\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
}

TEST(K6Points, several_scenarios_are_points_of_their_own_and_a_zero_span_has_no_rate) {
  EXPECT_EQ(
      listing_of(
          R"({"type":"Metric","data":{"name":"http_reqs","type":"counter","contains":"default","thresholds":["rate>1"]},"metric":"http_reqs"}
{"type":"Point","data":{"time":"2026-03-01T10:00:00Z","value":1,"tags":{"scenario":"a"}},"metric":"http_reqs"}
{"type":"Point","data":{"time":"2026-03-01T10:00:00Z","value":1,"tags":{"scenario":"b"}},"metric":"http_reqs"}
)"),
      "k6-points\n"
      "http_reqs.count = 2 context\n"
      "http_reqs.rate = [req/s] higher-is-better null 'all points have one time: there is no rate'\n"
      "http_reqs{scenario:a}.count = 1 context\n"
      "http_reqs{scenario:a}.rate = [req/s] higher-is-better null 'all points have one time: there is no rate'\n"
      "http_reqs{scenario:b}.count = 1 context\n"
      "http_reqs{scenario:b}.rate = [req/s] higher-is-better null 'all points have one time: there is no rate'\n"
      "http_reqs[rate>1].crossed = gate lower-is-better null 'not to be decided from the points'\n"
      "headline http_req_duration.p(95)\n"
      "headline http_reqs.rate\n");
}

TEST(K6Points, lines_of_another_kind_are_counted) {
  const auto m = measured(R"({"type":"Point","data":{"time":"2026-03-01T10:00:00Z","value":1},"metric":"vus"}
{"type":"Note","data":{},"metric":"vus"}
)");
  ASSERT_TRUE(m) << m.error().message;
  ASSERT_EQ(m->warnings.size(), 1U);
  EXPECT_EQ(m->warnings[0].code.text(), "unread_values");
  EXPECT_EQ(m->warnings[0].message, "1 line is neither a metric nor a point, and left out");
}

TEST(K6Text, the_old_layout_marks_checks_and_metrics) {
  EXPECT_EQ(rows("k6_old.txt"),
            "k6-text\n"
            "check[home is up].fails = 0 gate lower-is-better\n"
            "check[::basket::status is 200].fails = 2 gate lower-is-better\n"
            "checks.rate = 0.99 [ratio] gate higher-is-better\n"
            "checks.passes = 198 context\n"
            "checks.fails = 2 context\n"
            "data_received.count = 1300000 context\n"
            "data_received.rate = 130000 [B/s] context\n"
            "http_req_duration.avg = 14.5 [ms] lower-is-better\n"
            "http_req_duration.min = 0.10411 [ms] context\n"
            "http_req_duration.med = 10.47 [ms] lower-is-better\n"
            "http_req_duration.max = 61500 [ms] context\n"
            "http_req_duration.p(90) = 20.3 [ms] lower-is-better\n"
            "http_req_duration.p(95) = 1500 [ms] lower-is-better\n"
            "http_req_duration[thresholds].crossed = 1 gate lower-is-better\n"
            "http_req_duration{expected_response:true}.avg = 14 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.min = 0.10411 [ms] context\n"
            "http_req_duration{expected_response:true}.med = 10 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.max = 60000 [ms] context\n"
            "http_req_duration{expected_response:true}.p(90) = 20 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.p(95) = 1000 [ms] lower-is-better\n"
            "http_req_failed.rate = 0.005 [ratio] gate lower-is-better\n"
            "http_req_failed.passes = 1 context\n"
            "http_req_failed.fails = 199 context\n"
            "http_reqs.count = 200 context\n"
            "http_reqs.rate = 20 [req/s] higher-is-better\n"
            "iteration_duration.avg = 100 [ms] lower-is-better\n"
            "iteration_duration.min = 90 [ms] context\n"
            "iteration_duration.med = 99 [ms] lower-is-better\n"
            "iteration_duration.max = 1000 [ms] context\n"
            "iteration_duration.p(90) = 110 [ms] lower-is-better\n"
            "iteration_duration.p(95) = 120 [ms] lower-is-better\n"
            "iterations.count = 100 context\n"
            "iterations.rate = 10 [it/s] higher-is-better\n"
            "my_size.avg = 5.5 context\n"
            "my_size.min = 1 context\n"
            "my_size.med = 5 context\n"
            "my_size.max = 9 context\n"
            "my_size.p(90) = 8 context\n"
            "my_size.p(95) = 8.5 context\n"
            "vus.value = 10 context\n"
            "vus.min = 1 context\n"
            "vus.max = 10 context\n"
            "context workload.script = shop.js\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
}

TEST(K6Text, the_new_layout_has_sections_and_scenarios) {
  EXPECT_EQ(rows("k6_new.txt"),
            "k6-text\n"
            "http_req_duration[p(95)<1500].crossed = 0 gate lower-is-better\n"
            "http_req_duration[p(90)<100].crossed = 1 gate lower-is-better\n"
            "http_req_failed[rate<0.01].crossed = 0 gate lower-is-better\n"
            "checks_total.count = 3 context\n"
            "checks_total.rate = 0.5 context\n"
            "checks.rate = 0.6666666666666666 [ratio] gate higher-is-better\n"
            "checks.passes = 2 context\n"
            "checks.fails = 1 context\n"
            "checks_failed.rate = 0.3333333333333333 context\n"
            "check[is up].fails = 0 gate lower-is-better\n"
            "check[status is 200].fails = 1 gate lower-is-better\n"
            "http_req_duration.avg = 140.36 [ms] lower-is-better\n"
            "http_req_duration.min = 119.08 [ms] context\n"
            "http_req_duration.med = 140.96 [ms] lower-is-better\n"
            "http_req_duration.max = 154.63 [ms] context\n"
            "http_req_duration.p(90) = 146.88 [ms] lower-is-better\n"
            "http_req_duration.p(95) = 148.21 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.avg = 140.36 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.min = 119.08 [ms] context\n"
            "http_req_duration{expected_response:true}.med = 140.96 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.max = 154.63 [ms] context\n"
            "http_req_duration{expected_response:true}.p(90) = 146.88 [ms] lower-is-better\n"
            "http_req_duration{expected_response:true}.p(95) = 148.21 [ms] lower-is-better\n"
            "http_req_failed.rate = 0 [ratio] gate lower-is-better\n"
            "http_req_failed.passes = 0 context\n"
            "http_req_failed.fails = 45 context\n"
            "http_reqs.count = 45 context\n"
            "http_reqs.rate = 6.5 [req/s] higher-is-better\n"
            "iterations.count = 45 context\n"
            "iterations.rate = 6.5 [it/s] higher-is-better\n"
            "vus.value = 1 context\n"
            "vus.min = 1 context\n"
            "vus.max = 1 context\n"
            "data_sent.count = 4900 context\n"
            "data_sent.rate = 718 [B/s] context\n"
            "http_reqs{scenario:contacts}.count = 45 context\n"
            "http_reqs{scenario:contacts}.rate = 6.5 [req/s] higher-is-better\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
}

TEST(K6Text, times_of_requests_that_all_failed_are_no_results) {
  EXPECT_EQ(listing_of("     http_req_duration..............: avg=1ms p(95)=2ms\n"
                       "     http_req_failed................: 100.00% \xE2\x9C\x93 4 \xE2\x9C\x97 0\n"
                       "     http_reqs......................: 4 2.0/s\n"),
            "k6-text\n"
            "http_req_duration.avg = 1 [ms] lower-is-better failed 'every request failed'\n"
            "http_req_duration.p(95) = 2 [ms] lower-is-better failed 'every request failed'\n"
            "http_req_failed.rate = 1 [ratio] gate lower-is-better\n"
            "http_req_failed.passes = 4 context\n"
            "http_req_failed.fails = 0 context\n"
            "http_reqs.count = 4 context\n"
            "http_reqs.rate = 2 [req/s] higher-is-better failed 'every request failed'\n"
            "headline http_req_duration.p(95)\n"
            "headline http_reqs.rate\n");
}

TEST(Sysbench, oltp_rates_are_judged_errors_are_gates_and_reports_on_the_way_context) {
  EXPECT_EQ(rows("sysbench_oltp.txt"),
            "sysbench\n"
            "queries.read = 2800 context\n"
            "queries.write = 800 context\n"
            "queries.other = 400 context\n"
            "queries.total = 4000 context\n"
            "transactions_per_second = 99.89 [transactions/s] higher-is-better\n"
            "transactions = 200 context\n"
            "queries_per_second = 1997.88 [queries/s] higher-is-better\n"
            "ignored_errors = 1 gate lower-is-better\n"
            "reconnects = 0 gate lower-is-better\n"
            "total_time = 2.0022 [s] context\n"
            "events = 200 context\n"
            "latency.min = 7.51 [ms] context\n"
            "latency.avg = 40.12 [ms] lower-is-better\n"
            "latency.max = 90.05 [ms] context\n"
            "latency.p95 = 62.19 [ms] lower-is-better\n"
            "latency.sum = 8024 [ms] context\n"
            "fairness.events_stddev = 1.22 noise\n"
            "fairness.time_stddev = 0 noise\n"
            "interval_transactions = 99.1 101.1 [transactions/s] context\n"
            "context stack.sysbench = 1.0.20\n"
            "context workload.threads = 4\n"
            "headline transactions_per_second\n");
}

TEST(Sysbench, file_io_leaves_out_the_kinds_of_work_it_did_not_do) {
  EXPECT_EQ(rows("sysbench_fileio.txt"),
            "sysbench\n"
            "reads_per_second = 2113.61 [ops/s] higher-is-better\n"
            "writes_per_second = 0 [ops/s] context\n"
            "fsyncs_per_second = 0 [ops/s] context\n"
            "read_throughput = 33.03 [MiB/s] higher-is-better\n"
            "write_throughput = 0 [MiB/s] context\n"
            "total_time = 10.0049 [s] context\n"
            "events = 21147 context\n"
            "latency.min = 0 [ms] context\n"
            "latency.avg = 0.47 [ms] lower-is-better\n"
            "latency.max = 10.05 [ms] context\n"
            "latency.p95 = 0 [ms] context\n"
            "latency.sum = 9921.55 [ms] context\n"
            "context stack.sysbench = 1.0.20\n"
            "context workload.io_mode = synchronous I/O mode\n"
            "context workload.test = random read test\n"
            "context workload.threads = 1\n"
            "headline reads_per_second\n");
}

TEST(Sysbench, memory_has_a_throughput) {
  EXPECT_EQ(rows("sysbench_memory.txt"),
            "sysbench\n"
            "operations_per_second = 6710886.4 [ops/s] higher-is-better\n"
            "throughput = 6553.6 [MiB/s] higher-is-better\n"
            "total_time = 0.1561 [s] context\n"
            "events = 1048576 context\n"
            "latency.min = 0 [ms] context\n"
            "latency.avg = 0 [ms] lower-is-better\n"
            "latency.max = 0.05 [ms] context\n"
            "latency.p95 = 0 [ms] context\n"
            "latency.sum = 70.55 [ms] context\n"
            "context stack.sysbench = 1.0.20\n"
            "context workload.block_size = 1KiB\n"
            "context workload.operation = write\n"
            "context workload.scope = global\n"
            "context workload.test = memory\n"
            "context workload.threads = 1\n"
            "context workload.total_size = 1024MiB\n"
            "headline operations_per_second\n");
}

TEST(Sysbench, the_cpu_test_before_1_0_prints_no_rate) {
  EXPECT_EQ(rows("sysbench_0.5_cpu.txt"),
            "sysbench\n"
            "total_time = 5 [s] context\n"
            "events = 10000 context\n"
            "latency.min = 0.9 [ms] context\n"
            "latency.avg = 1.02 [ms] lower-is-better\n"
            "latency.max = 1500 [ms] context\n"
            "latency.p95 = 1.05 [ms] lower-is-better\n"
            "fairness.events_stddev = 0.5 noise\n"
            "fairness.time_stddev = 0.01 noise\n"
            "events_per_second = 2000 [events/s] higher-is-better\n"
            "context stack.sysbench = 0.5\n"
            "context workload.threads = 2\n"
            "headline events_per_second\n");
}

TEST(Sysbench, a_target_rate_makes_the_rate_no_result_and_a_fatal_error_no_rate_at_all) {
  EXPECT_EQ(listing_of("sysbench 1.0.20 (x)\n\nRunning the test with following options:\nTarget transaction rate: 50/sec\n"
                       "FATAL: connection lost\n"
                       "    transactions:                        100   (49.99 per sec.)\nGeneral statistics:\n"
                       "         avg:                                   2.00\n"),
            "sysbench\n"
            "transactions_per_second = 49.99 [transactions/s] context\n"
            "transactions = 100 context\n"
            "latency.avg = 2 [ms] lower-is-better failed 'FATAL: connection lost'\n"
            "fatal_errors = 1 gate lower-is-better\n"
            "context stack.sysbench = 1.0.20\n"
            "context workload.target_rate = 50/sec\n"
            "! offered_load\n");
}

TEST(Sysbench, prepare_measures_nothing) {
  EXPECT_EQ(refused("sysbench 1.0.20 (x)\n\nCreating table 'sbtest1'...\n", "sysbench"),
            "no result of sysbench: neither a rate nor \"total time:\" | sysbench prints them at the end of `run`; `prepare` and "
            "`cleanup` measure nothing | result");
}

TEST(Pgbench, from_14_on_one_line_has_tps_and_failures_are_gates) {
  EXPECT_EQ(rows("pgbench_16.txt"),
            "pgbench\n"
            "transactions = 9998 context\n"
            "unfinished_transactions = 2 gate lower-is-better\n"
            "failed_transactions = 2 gate lower-is-better\n"
            "latency_average = 11.013 [ms] lower-is-better\n"
            "latency_stddev = 7.351 [ms] noise\n"
            "initial_connection_time = 45.758 [ms] context\n"
            "statement[01 \\set aid random(1, 100000 * :scale)].latency = 0.002 [ms] lower-is-better\n"
            "statement[01 \\set aid random(1, 100000 * :scale)].failures = 0 gate lower-is-better\n"
            "statement[02 BEGIN;].latency = 0.102 [ms] lower-is-better\n"
            "statement[02 BEGIN;].failures = 0 gate lower-is-better\n"
            "statement[03 UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;].latency = 0.207 [ms] "
            "lower-is-better\n"
            "statement[03 UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;].failures = 2 gate "
            "lower-is-better\n"
            "tps = 896.967014 [tps] higher-is-better\n"
            "progress.tps = 880.5 910.5 [tps] context\n"
            "progress.latency = 11.1 10.9 [ms] context\n"
            "aborted = 0 gate lower-is-better\n"
            "context stack.pgbench = 16.2\n"
            "context workload.clients = 10\n"
            "context workload.max_tries = 1\n"
            "context workload.query_mode = simple\n"
            "context workload.scale = 10\n"
            "context workload.threads = 1\n"
            "context workload.transaction_type = <builtin: TPC-B (sort of)>\n"
            "context workload.transactions_per_client = 1000\n"
            "headline tps\n"
            "headline latency_average\n");
}

TEST(Pgbench, to_13_the_line_without_connecting_is_tps) {
  EXPECT_EQ(rows("pgbench_12.txt"),
            "pgbench\n"
            "transactions = 85296 context\n"
            "latency_average = 0.469 [ms] lower-is-better\n"
            "statement[01 \\set aid random(1, 100000 * :scale)].latency = 0.001 [ms] lower-is-better\n"
            "statement[02 SELECT abalance FROM pgbench_accounts WHERE aid = :aid;].latency = 0.46 [ms] lower-is-better\n"
            "tps_including_connections = 8518.4871 [tps] context\n"
            "tps = 8529.6346 [tps] higher-is-better\n"
            "aborted = 0 gate lower-is-better\n"
            "context workload.clients = 4\n"
            "context workload.duration = 10 s\n"
            "context workload.query_mode = prepared\n"
            "context workload.scale = 1\n"
            "context workload.threads = 2\n"
            "context workload.transaction_type = <builtin: select only>\n"
            "headline tps\n"
            "headline latency_average\n");
}

TEST(Pgbench, scripts_have_points_of_their_own_and_a_rate_limit_makes_tps_no_result) {
  EXPECT_EQ(rows("pgbench_scripts.txt"),
            "pgbench\n"
            "transactions = 1000 context\n"
            "schedule_lag = 0.1 [ms] lower-is-better\n"
            "latency_average = 1.5 [ms] lower-is-better\n"
            "initial_connection_time = 4 [ms] context\n"
            "script 1.latency_average = 2 [ms] lower-is-better\n"
            "script 1.latency_stddev = 0.1 [ms] noise\n"
            "script 2.latency_average = 1 [ms] lower-is-better\n"
            "script 2.latency_stddev = 0.1 [ms] noise\n"
            "tps = 100 [tps] context\n"
            "script 1.tps = 50 [tps] context\n"
            "script 2.tps = 50 [tps] context\n"
            "aborted = 0 gate lower-is-better\n"
            "context stack.pgbench = 14.1\n"
            "context workload.clients = 1\n"
            "context workload.duration = 10 s\n"
            "context workload.query_mode = simple\n"
            "context workload.scale = 1\n"
            "context workload.threads = 1\n"
            "context workload.transaction_type = multiple scripts\n"
            "headline latency_average\n"
            "! offered_load\n");
}

TEST(Pgbench, a_run_without_an_end_has_its_progress_and_an_aborted_one_nothing) {
  EXPECT_EQ(
      listing_of("progress: 1.0 s, 880.5 tps, lat 11.1 ms stddev 7.2\nprogress: 2.0 s, 910.5 tps, lat 10.9 ms stddev 7.1\n"),
      "pgbench\n"
      "progress.tps = 880.5 910.5 [tps] higher-is-better\n"
      "progress.latency = 11.1 10.9 [ms] context\n"
      "aborted = 0 gate lower-is-better\n"
      "headline tps\n"
      "headline latency_average\n"
      "! run_incomplete\n");
  EXPECT_EQ(
      listing_of("transaction type: x\nscaling factor: 1\nnumber of clients: 1\nlatency average = 1.5 ms\ntps = 10.0 (without "
                 "initial connection time)\npgbench: error: Run was aborted; the above results are incomplete.\n"),
      "pgbench\n"
      "latency_average = 1.5 [ms] lower-is-better failed 'the run was aborted: its results are incomplete'\n"
      "tps = 10 [tps] higher-is-better failed 'the run was aborted: its results are incomplete'\n"
      "aborted = 1 gate lower-is-better\n"
      "context workload.clients = 1\n"
      "context workload.scale = 1\n"
      "context workload.transaction_type = x\n"
      "headline tps\n"
      "headline latency_average\n");
}

TEST(Prometheus, one_snapshot_has_quantiles_and_its_counters_are_context) {
  EXPECT_EQ(rows("prometheus.prom"),
            "prometheus\n"
            "http_requests{method=get,path=C:\\x \"q\" {1}}.total = 1500 context\n"
            "latency_seconds.count = 100 context\n"
            "latency_seconds.mean = 0.25 [s] lower-is-better\n"
            "latency_seconds.p50 = 0.1 [s] lower-is-better\n"
            "latency_seconds.p90 = 0.5 [s] lower-is-better\n"
            "latency_seconds.p99 = 0.95 [s] lower-is-better\n"
            "prompt_tokens.count = 10 context\n"
            "prompt_tokens.mean = 50 context\n"
            "prompt_tokens.p50 = 50 context\n"
            "prompt_tokens.p90 = 90 context\n"
            "prompt_tokens.p99 = 99 context\n"
            "queue_depth.value = 3 5 context\n"
            "rpc_duration_seconds.p50 = 0.25 [s] lower-is-better\n"
            "rpc_duration_seconds.p99 = context null 'NaN: nothing in its window'\n"
            "rpc_duration_seconds.count = 100 context\n"
            "rpc_duration_seconds.mean = 0.3 [s] lower-is-better\n"
            "! timestamps_left_out\n"
            "! unread_values\n");
}

TEST(Prometheus, two_snapshots_in_one_text_make_rates_and_a_counter_that_went_back_none) {
  EXPECT_EQ(rows("openmetrics_two.txt"),
            "prometheus\n"
            "cache_flushes.per_second = [1/s] context failed 'the counter went backwards: it was restarted'\n"
            "errors.per_second = 2 [1/s] lower-is-better\n"
            "http_requests{code=200}.per_second = 50 [1/s] higher-is-better\n"
            "latency_seconds.count = 100 context\n"
            "latency_seconds.mean = 0.5 [s] lower-is-better\n"
            "latency_seconds.p50 = 0.55 [s] lower-is-better\n"
            "latency_seconds.p90 = 0.91 [s] lower-is-better\n"
            "latency_seconds.p99 = 0.9910000000000001 [s] lower-is-better\n"
            "latency_seconds.per_second = 10 [1/s] unknown\n"
            "seconds_between_snapshots = 10 [s] context\n"
            "! counter_restart\n"
            "! timestamps_left_out\n");
}

constexpr std::string_view kBefore =
    "# TYPE requests_total counter\nrequests_total{pod=\"a\",pid=\"7\"} 100\nrequests_total{pod=\"b\"} 50\n"
    "# TYPE node_time_seconds gauge\nnode_time_seconds 1000\n";
constexpr std::string_view kAfter =
    "# TYPE requests_total counter\nrequests_total{pod=\"a\",pid=\"9\"} 300\nrequests_total{pod=\"b\"} 150\n"
    "# TYPE node_time_seconds gauge\nnode_time_seconds 1010\n";

TEST(PrometheusPair, a_folder_of_two_is_a_rate_over_all_pods_whatever_the_order_of_the_names) {
  const std::string expected =
      "prometheus-pair\n"
      "node_time_seconds.value = 1010 context\n"
      "requests.per_second = 30 [1/s] higher-is-better\n"
      "seconds_between_snapshots = 10 [s] context\n";
  EXPECT_EQ(folder({{"1.prom", kBefore}, {"2.prom", kAfter}}), expected);
  EXPECT_EQ(folder({{"a.prom", kAfter}, {"b.prom", kBefore}}), expected);
}

TEST(PrometheusPair, without_a_time_the_names_tell_the_order_and_there_are_differences) {
  EXPECT_EQ(folder({{"after.prom", "# TYPE requests_total counter\nrequests_total 30\n"},
                    {"before.prom", "# TYPE requests_total counter\nrequests_total 10\n"}}),
            "prometheus-pair\n"
            "requests.increase = 20 context\n"
            "! no_time_between\n");
}

TEST(PrometheusPair, a_restart_leaves_no_rate_even_where_the_counter_has_passed_its_old_value) {
  const std::string before = "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 100\n" + std::string(kBefore);
  const std::string after = "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1005\n" + std::string(kAfter);
  EXPECT_EQ(folder({{"1.prom", before}, {"2.prom", after}}),
            "prometheus-pair\n"
            "node_time_seconds.value = 1010 context\n"
            "requests.per_second = [1/s] higher-is-better failed 'the process was started anew between the snapshots'\n"
            "seconds_between_snapshots = 10 [s] context\n"
            "! counter_restart\n"
            "! timestamps_left_out\n");
  EXPECT_EQ(folder({{"1.prom", "# TYPE requests_total counter\nrequests_total 50 1000000000000\n"},
                    {"2.prom", "# TYPE requests_total counter\nrequests_total 20 1000000010000\n"}}),
            "prometheus-pair\n"
            "requests.per_second = [1/s] higher-is-better failed 'the counter went backwards: it was restarted'\n"
            "seconds_between_snapshots = 10 [s] context\n"
            "! counter_restart\n");
}

TEST(PrometheusPair, three_files_are_a_folder_like_any_other) {
  EXPECT_EQ(folder({{"1.prom", kBefore}, {"2.prom", kAfter}, {"3.prom", kAfter}}).substr(0, 10), "directory\n");
}

TEST(Prometheus, a_page_without_a_sample_is_an_error) {
  EXPECT_EQ(refused("# TYPE a counter\n", "prometheus"),
            "no sample of the kind \"name{label=\"value\"} 1.5\" | save what the /metrics page answers, unchanged | result");
}

TEST(RcclTestsCsv, has_the_rows_of_the_json_and_cycles_are_trials) {
  EXPECT_EQ(rows("rccl_tests.csv"),
            "rccl-tests-csv\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].time = 19.5 20.5 [us] lower-is-better\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].algbw = 0.0525 0.05 [GB/s] context\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].busbw = 0.0788 0.075 [GB/s] context\n"
            "all_reduce[size=1024,dtype=float,redop=sum,ranks=4,place=out].#wrong = 0 0 gate lower-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].time = 100 [us] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].algbw = 10.5 [GB/s] context\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].busbw = 15.75 [GB/s] higher-is-better\n"
            "all_reduce[size=1048576,dtype=float,redop=sum,ranks=4,place=in].#wrong = 0 gate lower-is-better\n"
            "all_reduce[size=2097152,dtype=float,redop=sum,ranks=4,place=in].time = [us] context failed '100.0'\n"
            "all_reduce[size=2097152,dtype=float,redop=sum,ranks=4,place=in].algbw = [GB/s] context failed '21'\n"
            "all_reduce[size=2097152,dtype=float,redop=sum,ranks=4,place=in].busbw = [GB/s] higher-is-better failed '31.5'\n"
            "all_reduce[size=2097152,dtype=float,redop=sum,ranks=4,place=in].#wrong = 7 gate lower-is-better\n"
            "context parallelism.nodes = 1\n"
            "context parallelism.ranks = 4\n"
            "context workload.collective = all_reduce\n"
            "context workload.dtype = float\n"
            "context workload.redop = sum\n"
            "headline all_reduce[size=2097152,dtype=float,redop=sum,ranks=4,place=in].busbw\n");
}

TEST(RcclTestsCsv, another_header_is_an_error) {
  EXPECT_EQ(
      refused("a,b\n1,2\n", "rccl-tests-csv"),
      "the header has no columns size, algBw and busBw: this is no CSV of rccl-tests | rccl-tests -Z csv -x FILE writes them | "
      "result:1");
}

TEST(SystemTools, a_file_cut_anywhere_is_an_error_or_rows) {
  cut_anywhere("k6_points.jsonl", "k6-points");
  cut_anywhere("k6_old.txt", "k6-text");
  cut_anywhere("k6_new.txt", "k6-text");
  cut_anywhere("sysbench_oltp.txt", "sysbench");
  cut_anywhere("sysbench_fileio.txt", "sysbench");
  cut_anywhere("pgbench_16.txt", "pgbench");
  cut_anywhere("pgbench_scripts.txt", "pgbench");
  cut_anywhere("prometheus.prom", "prometheus");
  cut_anywhere("openmetrics_two.txt", "prometheus");
  cut_anywhere("rccl_tests.csv", "rccl-tests-csv");
}

}  // namespace
}  // namespace plumbline::formats
