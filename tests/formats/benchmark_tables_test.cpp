// Tables that benchmarks print for people: divan's tree, mitata, nanobench, tinybench, UnixBench.
#include <gtest/gtest.h>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

TEST(Divan, has_a_path_for_each_branch_and_a_unit_in_each_cell) {
  EXPECT_EQ(listing_of("    demo          fastest  │ slowest  │ median   │ mean     │ samples │ iters\n"
                       "    ├─ sort                │          │          │          │         │\n"
                       "    │  ├─ by key  1.5 µs   │ 2.5 ms   │ 2 µs     │ 2.25 µs  │ 100     │ 1600\n"
                       "    │  │          8 GB/s   │ 4 GB/s   │ 6 GB/s   │ 5 GB/s   │         │\n"
                       "    │  ╰─ 2       500 ps   │ 1 ns     │ 0.75 ns  │ 0.8 ns   │ 100     │ 200\n"
                       "    ╰─ parse      1 s      │ 2 s      │ 1.5 s    │ 1.5 s    │ 3       │ 3\n"),
            "divan\n"
            "demo/sort/by key.fastest = 1500 [ns] context\n"
            "demo/sort/by key.slowest = 2500000 [ns] context\n"
            "demo/sort/by key.median = 2000 [ns] lower-is-better\n"
            "demo/sort/by key.mean = 2250 [ns] lower-is-better\n"
            "demo/sort/by key.samples = 100 context\n"
            "demo/sort/by key.iters = 1600 context\n"
            "demo/sort/2.fastest = 0.5 [ns] context\n"
            "demo/sort/2.slowest = 1 [ns] context\n"
            "demo/sort/2.median = 0.75 [ns] lower-is-better\n"
            "demo/sort/2.mean = 0.8 [ns] lower-is-better\n"
            "demo/sort/2.samples = 100 context\n"
            "demo/sort/2.iters = 200 context\n"
            "demo/parse.fastest = 1000000000 [ns] context\n"
            "demo/parse.slowest = 2000000000 [ns] context\n"
            "demo/parse.median = 1500000000 [ns] lower-is-better\n"
            "demo/parse.mean = 1500000000 [ns] lower-is-better\n"
            "demo/parse.samples = 3 context\n"
            "demo/parse.iters = 3 context\n");
}

TEST(Mitata, has_its_bounds_on_the_line_or_below_it) {
  EXPECT_EQ(listing_of("cpu: X\nruntime: deno 1\n\n"
                       "benchmark      time (avg)        (min … max)       p75       p99      p995\n"
                       "a::b        28.5 ns/iter   (26 ns … 1.5 µs)  28 ns  43 ns  62 ns\n"),
            "mitata\n"
            "a::b.avg = 28.5 [ns] lower-is-better\n"
            "a::b.min = 26 [ns] context\n"
            "a::b.max = 1500 [ns] context\n"
            "a::b.p75 = 28 [ns] context\n"
            "a::b.p99 = 43 [ns] lower-is-better\n"
            "a::b.p99.5 = 62 [ns] context\n"
            "context hardware.cpu = X\n"
            "context stack.runtime = deno 1\n");
  EXPECT_EQ(listing_of("benchmark      avg (min … max) p75 / p99    (min … top 1%)\n"
                       "• group\n"
                       "two words      14.5 µs/iter  14.75 µs   █\n"
                       "            (12.5 µs … 1.25 ms)  20.5 µs   █▇▂\n"
                       "         (656.00  b … 152.39 kb)  23.00 kb ▁▆\n"),
            "mitata\n"
            "group/two words.avg = 14500 [ns] lower-is-better\n"
            "group/two words.p75 = 14750 [ns] context\n"
            "group/two words.min = 12500 [ns] context\n"
            "group/two words.max = 1250000 [ns] context\n"
            "group/two words.p99 = 20500 [ns] lower-is-better\n");
}

TEST(Nanobench, has_the_unit_in_its_heading_and_the_name_between_ticks) {
  EXPECT_EQ(listing_of("| ns/request | request/s | err% | IPC | total | sorting\n"
                       "|-----------:|----------:|-----:|----:|------:|:-------\n"
                       "| 1,250,000.50 | 800.25 | 0.5% | 1.5 | 0.01 | `a b`\n"
                       "| 2.50 | 400,000.00 | 11.2% | 2.5 | 0.01 | :wavy_dash: `c` (Unstable, increase `minEpochIterations`)\n"),
            "nanobench\n"
            "sorting/a b.time = 1250000.5 [ns/request] lower-is-better\n"
            "sorting/a b.rate = 800.25 [request/s] context\n"
            "sorting/a b.err = 0.5 [%] noise\n"
            "sorting/a b.ipc = 1.5 context\n"
            "sorting/c.time = 2.5 [ns/request] lower-is-better\n"
            "sorting/c.rate = 400000 [request/s] context\n"
            "sorting/c.err = 11.2 [%] noise\n"
            "sorting/c.ipc = 2.5 context\n");
}

TEST(Tinybench, has_its_margins_left_out_in_both_versions_of_its_table) {
  EXPECT_EQ(listing_of("┌─────────┬───────────┬──────────────────┬──────────────────┐\n"
                       "│ (index) │ Task name │ Latency avg (ns) │ Latency med (ns) │\n"
                       "├─────────┼───────────┼──────────────────┼──────────────────┤\n"
                       "│ 0       │ 'a (b)'   │ '44.30 ± 1.61%'  │ '42.00 ± 0.00'   │\n"
                       "└─────────┴───────────┴──────────────────┴──────────────────┘\n"),
            "tinybench\n"
            "a (b).latency.avg = 44.3 [ns] lower-is-better\n"
            "a (b).latency.med = 42 [ns] lower-is-better\n");
  EXPECT_EQ(listing_of("│ (index) │ Task Name │ ops/sec     │ Average Time (ns) │ Margin   │ Samples │\n"
                       "│    0    │    'a'    │ '1,250,000' │       800.5       │ '±0.25%' │  1000   │\n"),
            "tinybench\n"
            "a.latency.avg = 800.5 [ns] lower-is-better\n"
            "a.throughput.avg = 1250000 [ops/s] context\n"
            "a.samples = 1000 context\n");
}

TEST(UnixBench, has_results_indexes_and_a_score_by_copies) {
  EXPECT_EQ(listing_of("   BYTE UNIX Benchmarks (Version 5.1.3)\n"
                       "2 CPUs in system; running 1 parallel copy of tests\n"
                       "Shell Scripts (1 concurrent)    8250.5 lpm   (60.0 s, 2 samples)\n"
                       "System Benchmarks Index Values    BASELINE    RESULT    INDEX\n"
                       "Shell Scripts (1 concurrent)          42.4    8250.5   1945.9\n"
                       "System Benchmarks Index Score                          1945.9\n"
                       "2 CPUs in system; running 2 parallel copies of tests\n"
                       "Shell Scripts (1 concurrent)   16000.0 lpm   (60.0 s, 2 samples)\n"
                       "System Benchmarks Index Score (Partial Only)           3800.5\n"),
            "unixbench\n"
            "Shell Scripts (1 concurrent)[copies=1].result = 8250.5 [lpm] higher-is-better\n"
            "Shell Scripts (1 concurrent)[copies=1].index = 1945.9 context\n"
            "System Benchmarks Index Score[copies=1].index = 1945.9 higher-is-better\n"
            "Shell Scripts (1 concurrent)[copies=2].result = 16000 [lpm] higher-is-better\n"
            "System Benchmarks Index Score[copies=2].index = 3800.5 higher-is-better\n"
            "headline System Benchmarks Index Score[copies=1].index\n"
            "headline System Benchmarks Index Score[copies=2].index\n");
}

}  // namespace
}  // namespace plumbline::formats
