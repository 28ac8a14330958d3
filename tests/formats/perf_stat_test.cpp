// perf stat's three outputs. The fixtures are our own, in the shape of the real thing.
#include <gtest/gtest.h>

#include "tests/formats/lines_of.hpp"
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(PerfStat, the_report_has_counts_rates_and_their_errors) {
  EXPECT_EQ(rows("perf_stat.txt"),
            "perf-stat\n"
            "runs = 5 context\n"
            "task-clock = 1250.5 [ms] lower-is-better\n"
            "task-clock.error = 0.4 [%] noise\n"
            "task-clock.CPUs_utilized = 0.998 context\n"
            "context-switches = 12 context\n"
            "context-switches.error = 5.1 [%] noise\n"
            "context-switches.per_second = 9.596 [/s] context\n"
            "page-faults = 2048 lower-is-better\n"
            "page-faults.error = 0.02 [%] noise\n"
            "page-faults.per_second = 1638 [/s] context\n"
            "cycles = 4000000000 lower-is-better\n"
            "cycles.error = 0.35 [%] noise\n"
            "cycles.frequency = 3.199 [GHz] context\n"
            "instructions = 6000000000 lower-is-better\n"
            "instructions.insn_per_cycle = 1.5 higher-is-better\n"
            "instructions.error = 0.01 [%] noise\n"
            "instructions.stalled_cycles_per_insn = 0.2 lower-is-better\n"
            "stalled-cycles-frontend = 1200000000 lower-is-better\n"
            "stalled-cycles-frontend.error = 0.9 [%] noise\n"
            "stalled-cycles-frontend.frontend_cycles_idle = 30 [%] lower-is-better\n"
            "branches = 900000000 context\n"
            "branches.error = 0.01 [%] noise\n"
            "branches.per_second = 719712000 [/s] context\n"
            "branch-misses = 9000000 lower-is-better\n"
            "branch-misses.error = 0.6 [%] noise\n"
            "branch-misses.of_all_branches = 1 [%] lower-is-better\n"
            "LLC-load-misses = lower-is-better null '<not supported>'\n"
            "mem_inst_retired.lock_loads = 40000000 unknown\n"
            "mem_inst_retired.lock_loads.error = 1 [%] noise\n"
            "power/energy-pkg/ = 25 [J] context\n"
            "power/energy-pkg/.error = 0.8 [%] noise\n"
            "elapsed = 1.253 [s] lower-is-better\n"
            "elapsed.error = 0.4 [%] noise\n"
            "context workload.command = ./simulate --steps 100\n"
            "headline elapsed\n");
}
TEST(PerfStat, fields_have_the_keys_of_the_report) {
  EXPECT_EQ(rows("perf_stat.csv"),
            "perf-stat\n"
            "task-clock = 1250.5 [ms] lower-is-better\n"
            "task-clock.CPUs_utilized = 0.998 context\n"
            "page-faults = 2048 lower-is-better\n"
            "page-faults.per_second = 1638 [/s] context\n"
            "cpu_core/cycles/u = 4000000000 lower-is-better\n"
            "cpu_core/cycles/u.frequency = 3.199 [GHz] context\n"
            "cpu_core/instructions/u = 6000000000 lower-is-better\n"
            "cpu_core/instructions/u.insn_per_cycle = 1.5 higher-is-better\n"
            "cpu_core/instructions/u.stalled_cycles_per_insn = 0.2 lower-is-better\n"
            "cpu_atom/cycles/u = lower-is-better null '<not counted>'\n"
            "cpu/event=0x3c,umask=0x0/ = 7000 unknown\n"
            "duration_time = 1253000000 [ns] lower-is-better\n"
            "headline duration_time\n");
}
TEST(PerfStat, objects_have_the_keys_of_the_report) {
  EXPECT_EQ(rows("perf_stat.jsonl"),
            "perf-stat\n"
            "task-clock = 1250.5 [ms] lower-is-better\n"
            "task-clock.CPUs_utilized = 0.998 context\n"
            "instructions = 6000000000 lower-is-better\n"
            "instructions.error = 0.25 [%] noise\n"
            "instructions.insn_per_cycle = 1.5 higher-is-better\n"
            "instructions.stalled_cycles_per_insn = 0.2 lower-is-better\n"
            "LLC-load-misses = lower-is-better null '<not supported>'\n"
            "IDQ.MITE_UOPS = 85715898 unknown\n"
            "headline task-clock\n");
}
TEST(PerfStat, spans_of_time_are_trials_and_their_counts_context) {
  EXPECT_EQ(rows("perf_stat_interval.txt"),
            "perf-stat\n"
            "socket[S0].cpu-clock = 2000.1 2000.2 [ms] context\n"
            "socket[S0].cpu-clock.CPUs_utilized = 2 2 context\n"
            "socket[S0].instructions = 1000000 1100000 context\n"
            "socket[S0].instructions.insn_per_cycle = 0.8 0.9 higher-is-better\n");
}

TEST(PerfStat, a_table_of_runs_is_trials) {
  EXPECT_EQ(listing_of("\n Performance counter stats for 'true' (3 runs):\n\n"
                       "              0.50 msec task-clock   #    0.052 CPUs utilized  ( +-  1.13% )\n\n"
                       "           # Table of individual measurements:\n"
                       "           0.01000 (-0.00100) #####\n"
                       "           0.01200 (+0.00100) ######\n"
                       "           0.01100 (+0.00000) #\n\n"
                       "           # Final result:\n"
                       "           0.01100 +- 0.00058 seconds time elapsed  ( +-  5.25% )\n\n"),

            "perf-stat\n"
            "runs = 3 context\n"
            "task-clock = 0.5 [ms] lower-is-better\n"
            "task-clock.error = 1.13 [%] noise\n"
            "task-clock.CPUs_utilized = 0.052 context\n"
            "elapsed = 0.01 0.012 0.011 [s] lower-is-better\n"
            "elapsed.error = 5.25 [%] noise\n"
            "context workload.command = true\n"
            "headline elapsed\n");
}

TEST(PerfStat, what_a_machine_or_another_process_did_is_context) {
  const std::string counts =
      "         2,000,000      cycles                           #    2.000 GHz\n"
      "         1,000,000      instructions                     #    0.50  insn per cycle\n\n"
      "       1.000500000 seconds time elapsed\n\n";
  EXPECT_EQ(listing_of(" Performance counter stats for 'system wide':\n\n" + counts),
            "perf-stat\n"
            "cycles = 2000000 context\n"
            "cycles.frequency = 2 [GHz] context\n"
            "instructions = 1000000 context\n"
            "instructions.insn_per_cycle = 0.5 higher-is-better\n"
            "elapsed = 1.0005 [s] lower-is-better\n"
            "headline elapsed\n");
  EXPECT_EQ(listing_of(" Performance counter stats for process id '4711':\n\n" + counts),
            "perf-stat\n"
            "cycles = 2000000 context\n"
            "cycles.frequency = 2 [GHz] context\n"
            "instructions = 1000000 context\n"
            "instructions.insn_per_cycle = 0.5 higher-is-better\n"
            "elapsed = 1.0005 [s] context\n");
}

TEST(PerfStat, cores_sockets_cpus_threads_and_cgroups_are_points) {
  EXPECT_EQ(listing_of("S0-D0-C0,2,4000,,page-faults,111,100.00,,\nS0-D0-C1,2,5000,,page-faults,111,100.00,,\n"),
            "perf-stat\n"
            "core[S0-D0-C0].page-faults = 4000 context\n"
            "core[S0-D0-C1].page-faults = 5000 context\n");
  EXPECT_EQ(
      listing_of("CPU0;1.5;msec;cpu-clock;111;100.00;0.9;CPUs utilized\nCPU1;1.6;msec;cpu-clock;111;100.00;0.9;CPUs utilized\n"),

      "perf-stat\n"
      "cpu[CPU0].cpu-clock = 1.5 [ms] context\n"
      "cpu[CPU0].cpu-clock.CPUs_utilized = 0.9 context\n"
      "cpu[CPU1].cpu-clock = 1.6 [ms] context\n"
      "cpu[CPU1].cpu-clock.CPUs_utilized = 0.9 context\n");
  EXPECT_EQ(
      listing_of("1.000123456,S0,2,4000,,cycles,a.slice,111,100.00,,\n2.000123456,S0,2,5000,,cycles,a.slice,111,100.00,,\n"),
      "perf-stat\n"
      "socket[S0].cgroup[a.slice].cycles = 4000 5000 context\n");
  EXPECT_EQ(dims_of("S0-D0-C0,2,4000,,page-faults,111,100.00,,\n", "core[S0-D0-C0].page-faults"), "core=S0-D0-C0");
  EXPECT_EQ(listing_of(" Performance counter stats for 'system wide':\n\n"
                       "CPU0                  4,000      page-faults     #   35.971 K/sec\n"
                       "CPU1                    854      page-faults     #    7.605 K/sec\n\n"
                       "       1.000500000 seconds time elapsed\n\n"),

            "perf-stat\n"
            "cpu[CPU0].page-faults = 4000 context\n"
            "cpu[CPU0].page-faults.per_second = 35971 [/s] context\n"
            "cpu[CPU1].page-faults = 854 context\n"
            "cpu[CPU1].page-faults.per_second = 7605 [/s] context\n"
            "elapsed = 1.0005 [s] lower-is-better\n"
            "headline elapsed\n");
}

TEST(PerfStat, further_runs_in_one_log_are_sections) {
  const std::string run = "100,,cycles,111,100.00,,\n50,,instructions,111,100.00,0.50,insn per cycle\n";
  EXPECT_EQ(listing_of(run + "\n" + run),
            "perf-stat\n"
            "cycles = 100 lower-is-better\n"
            "instructions = 50 lower-is-better\n"
            "instructions.insn_per_cycle = 0.5 higher-is-better\n"
            "[section=2].cycles = 100 lower-is-better\n"
            "[section=2].instructions = 50 lower-is-better\n"
            "[section=2].instructions.insn_per_cycle = 0.5 higher-is-better\n"
            "headline instructions\n"
            "headline [section=2].instructions\n"
            "! repeated_sections\n");
}

TEST(PerfStat, what_the_program_prints_meanwhile_is_no_count) {
  EXPECT_EQ(
      listing_of("12 apples\n 3,000 steps # 5 done\n\n Performance counter stats for './a':\n\n   7      page-faults\n\n"
                 "       2.500000000 seconds time elapsed\n\n       2.100000000 seconds user\n       0.300000000 seconds sys\n"),

      "perf-stat\n"
      "page-faults = 7 lower-is-better\n"
      "elapsed = 2.5 [s] lower-is-better\n"
      "user = 2.1 [s] lower-is-better\n"
      "sys = 0.3 [s] lower-is-better\n"
      "context workload.command = ./a\n"
      "headline elapsed\n");
}

TEST(PerfStat, what_was_not_counted_has_no_error) {
  EXPECT_EQ(listing_of("2,,cycles,0.50%,111,100.00,,\n<not supported>,,instructions,0.00%,0,100.00,,\n"),
            "perf-stat\n"
            "cycles = 2 lower-is-better\n"
            "cycles.error = 0.5 [%] noise\n"
            "instructions = lower-is-better null '<not supported>'\n"
            "headline cycles\n");
}

TEST(PerfStat, lines_that_lack_a_bracket_are_read_for_what_is_left) {
  EXPECT_EQ(listing_of(" Performance counter stats for 'a':\n\n  7  cycles  # 3 GHz  66.67%)\n   66.67%)\n 8 faults ( +- 5\n"),
            "perf-stat\n"
            "cycles = 7 lower-is-better\n"
            "cycles.frequency = 3 [GHz] context\n"
            "context workload.command = a\n"
            "headline cycles\n");
}

TEST(PerfStat, another_language_is_refused) {
  EXPECT_EQ(refused(" Performance counter stats for 'a':\n\n  12.345      cycles\n  1,500000000 seconds time elapsed\n", ""),
            "no count of perf stat | perf stat prints lines of a count and an event, also with -x and -j; --metric-only is not "
            "read, nor is another language than LC_ALL=C | result");
}

TEST(PerfStat, tables_that_look_like_it_are_none) {
  EXPECT_EQ(listing_of("threads,name,bw\n4,copy,100.5\n8,copy,200.5\n").substr(0, 4), "csv\n");
}

TEST(PerfStat, is_read_cut_anywhere) {
  for (const std::string name : {"perf_stat.txt", "perf_stat.csv", "perf_stat.jsonl", "perf_stat_interval.txt"})
    cut_anywhere(name, "perf-stat");
}

}  // namespace
}  // namespace plumbline::formats
