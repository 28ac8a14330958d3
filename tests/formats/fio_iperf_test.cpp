// fio and iperf3 as they are found in the wild: text for people, terse lines, hosts of --client, fsync. The fixtures are our own,
// in the shape of the real thing.
#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(FioText, has_the_rows_of_the_json_with_options_from_the_announcement) {
  EXPECT_EQ(rows("fio_3.txt"),
            "fio-text\n"
            "small.error = 0 gate lower-is-better\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].bw = 59412316.16 [B/s] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].iops = 14500 [1/s] higher-is-better\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].slat.mean = 7500 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].slat.stddev = 1250 [ns] noise\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].slat.min = 1700 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].slat.max = 120000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].clat.mean = 2200500 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].clat.stddev = 90250 [ns] noise\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].clat.min = 80000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].clat.max = 756000000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].lat.mean = 2210000 [ns] lower-is-better\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].lat.stddev = 91000 [ns] noise\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].lat.min = 81000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].lat.max = 757000000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].clat.p50 = 2180000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].clat.p99 = 2540000 [ns] lower-is-better\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].bw_dev = 143.5 [KiB/s] noise\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].iops_stddev = 36.25 [1/s] noise\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=sync].lat.mean = 510500 [ns] lower-is-better\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=sync].lat.stddev = 20250 [ns] noise\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=sync].lat.min = 400000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=sync].lat.max = 900000 [ns] context\n"
            "small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=sync].lat.p99 = 750000 [ns] lower-is-better\n"
            "small.usr_cpu = 2.5 [%] context\n"
            "small.sys_cpu = 8.25 [%] context\n"
            "small.total_err = 3 gate lower-is-better\n"
            "small.steadystate_attained = 0 gate higher-is-better\n"
            "broken.error = 5 gate lower-is-better\n"
            "broken[rw=write,bs=1m,iodepth=1,numjobs=1,way=write].bw = [B/s] higher-is-better failed '85.5MB/s'\n"
            "broken[rw=write,bs=1m,iodepth=1,numjobs=1,way=write].iops = [1/s] context failed '85'\n"
            "group 0[way=read].bw = 59412316.16 [B/s] context\n"
            "group 1[way=write].bw = 85500000 [B/s] context\n"
            "context stack.fio = fio-3.36\n"
            "context workload.ioengine = libaio\n"
            "headline small[rw=randrw,bs=4k,iodepth=32,numjobs=4,way=read].iops\n"
            "headline broken[rw=write,bs=1m,iodepth=1,numjobs=1,way=write].bw\n"
            "! run_incomplete\n");
  EXPECT_TRUE(has(warning_of(fixture("fio_3.txt"), "run_incomplete"), "the job \"idle\" has no result"));
}

TEST(FioText, the_text_of_fio_2_counts_in_1024_and_of_several_jobs_the_group_is_judged) {
  const std::string job =
      "  read : io=19412MB, bw=64000KB/s, iops=16000, runt= 30029msec\n"
      "     lat (usec): min=10 , max=756K, avg=2000.50, stdev=1.00\n"
      "    bw (KB  /s): min=23576, max=428736, per=25.12%, avg=166307.24, stdev=1024.00\n";
  const std::string text =
      "a: (g=0): rw=read, bs=4K-4K/4K-8K/4K-4K, ioengine=libaio, iodepth=1024\nfio-2.1.11\nStarting 2 threads\n\n"
      "a: (groupid=0, jobs=1): err= 0: pid=1: Thu Sep  8 14:03:14 2016\n" +
      job + "a: (groupid=0, jobs=1): err= 0: pid=2: Thu Sep  8 14:03:14 2016\n" + replaced(job, "iops=16000", "iops=17000") +
      "\nRun status group 0 (all jobs):\n   READ: io=19412MB, aggrb=128000KB/s, minb=1KB/s, maxb=1KB/s\n";
  EXPECT_EQ(listing_of(text),
            "fio-text\n"
            "a.error = 0 0 gate lower-is-better\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].bw = 65536000 65536000 [B/s] context\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].iops = 16000 17000 [1/s] higher-is-better\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].lat.mean = 2000500 2000500 [ns] lower-is-better\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].lat.stddev = 1000 1000 [ns] noise\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].lat.min = 10000 10000 [ns] context\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].lat.max = 756000000 756000000 [ns] context\n"
            "a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].bw_dev = 1024 1024 [KiB/s] noise\n"
            "group 0[way=read].bw = 131072000 [B/s] higher-is-better\n"
            "context stack.fio = fio-2.1.11\n"
            "context workload.ioengine = libaio\n"
            "headline a[rw=read,bs=4k,iodepth=1024,numjobs=1,way=read].iops\n");
}

std::string terse(std::string_view version, std::string_view of_read, std::size_t directions, std::size_t length) {
  std::string line(version);
  line += ";fio-3.28;seq;0;0";
  for (std::size_t i = 0; i < directions; ++i) {
    if (i == 0) {
      line += of_read;
      continue;
    }
    for (std::size_t k = 0; k < length; ++k) line += ";0";
  }
  return line + ";0.372250%;1.192893%;1029;0;2059\n";
}

TEST(FioText, terse_lines_alone_are_read_and_beside_the_text_left_out) {
  std::string of_read = ";1024;100;25;12000;1;2;1.500000;0.250000;3;4;3.500000;0.500000";
  for (int i = 0; i < 20; ++i) of_read += i == 12 ? ";99.000000%=91750" : ";0%=0";
  of_read += ";5;6;5.500000;0.750000;90;110;99.5%;100.000000;4.250000";
  const std::string line = terse("3", of_read, 2, 41);
  EXPECT_EQ(listing_of(line),
            "fio-text\n"
            "seq.error = 0 gate lower-is-better\n"
            "seq[way=read].bw = 102400 [B/s] higher-is-better\n"
            "seq[way=read].iops = 25 [1/s] higher-is-better\n"
            "seq[way=read].bw_dev = 4.25 [KiB/s] noise\n"
            "seq[way=read].lat.min = 5000 [ns] context\n"
            "seq[way=read].lat.max = 6000 [ns] context\n"
            "seq[way=read].lat.mean = 5500 [ns] lower-is-better\n"
            "seq[way=read].lat.stddev = 750 [ns] noise\n"
            "seq[way=read].clat.min = 3000 [ns] context\n"
            "seq[way=read].clat.max = 4000 [ns] context\n"
            "seq[way=read].clat.mean = 3500 [ns] context\n"
            "seq[way=read].clat.stddev = 500 [ns] noise\n"
            "seq[way=read].slat.min = 1000 [ns] context\n"
            "seq[way=read].slat.max = 2000 [ns] context\n"
            "seq[way=read].slat.mean = 1500 [ns] context\n"
            "seq[way=read].slat.stddev = 250 [ns] noise\n"
            "seq[way=read].clat.p99 = 91750000 [ns] lower-is-better\n"
            "context stack.fio = fio-3.28\n"
            "headline seq[way=read].iops\n");
  EXPECT_EQ(listing_of(line + fixture("fio_3.txt")), listing_of(fixture("fio_3.txt")));
  // Version 5 has six fields more a direction, and trim.
  EXPECT_TRUE(has(listing_of(terse("5", of_read + ";9;20;30;25;1;9", 3, 47)), "seq[way=read].iops = 25 "));
}

TEST(FioText, a_run_that_was_stopped_is_an_error) {
  EXPECT_EQ(
      problem("a: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\nfio-3.36\n"
              "Starting 1 process\n"),
      "run.log: no result of fio: no line \"JOB: (groupid=0, jobs=1): err= 0\" | fio prints them when the run is over: it was "
      "stopped before; run it again and look at what it says");
  cut_anywhere("fio_3.txt", "fio-text");
}

TEST(Fio, fsync_hosts_errors_and_a_steady_state_that_was_not_reached) {
  EXPECT_EQ(
      listing_of(R"({"fio version": "fio-3.36", "client_stats": [{"jobname": "wal", "hostname": "h1", "error": 0, "total_err": 2,
"job options": {"rw": "write", "bs": "2300"}, "steadystate": {"attained": 0},
"write": {"bw_bytes": 4096, "iops": 1.5, "total_ios": 9, "clat_ns": {"min": 1, "max": 9, "mean": 4, "stddev": 1,
 "percentile": {"90.000000": 5, "95.000000": 6, "99.000000": 7, "99.990000": 8}}},
"sync": {"total_ios": 9, "lat_ns": {"min": 100, "max": 900, "mean": 400, "stddev": 10, "percentile": {"99.000000": 700}}}},
{"jobname": "All clients", "error": 0, "mixed": {"bw_bytes": 8192, "iops": 3, "total_ios": 18}}]})"),
      "fio\n"
      "wal[rw=write,bs=2300,host=h1,way=write].bw = 4096 [B/s] context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].iops = 1.5 [1/s] higher-is-better\n"
      "wal[rw=write,bs=2300,host=h1,way=write].total_ios = 9 context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.mean = 4 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.stddev = 1 [ns] noise\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.min = 1 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.max = 9 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.p90 = 5 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.p95 = 6 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.p99 = 7 [ns] lower-is-better\n"
      "wal[rw=write,bs=2300,host=h1,way=write].clat.p99.99 = 8 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=sync].lat.mean = 400 [ns] lower-is-better\n"
      "wal[rw=write,bs=2300,host=h1,way=sync].lat.stddev = 10 [ns] noise\n"
      "wal[rw=write,bs=2300,host=h1,way=sync].lat.min = 100 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=sync].lat.max = 900 [ns] context\n"
      "wal[rw=write,bs=2300,host=h1,way=sync].lat.p99 = 700 [ns] lower-is-better\n"
      "wal[host=h1].error = 0 gate lower-is-better\n"
      "wal[host=h1].total_err = 2 gate lower-is-better\n"
      "wal[host=h1].steadystate_attained = 0 gate higher-is-better\n"
      "All clients[way=mixed].bw = 8192 [B/s] higher-is-better\n"
      "All clients[way=mixed].iops = 3 [1/s] higher-is-better\n"
      "All clients[way=mixed].total_ios = 18 context\n"
      "All clients.error = 0 gate lower-is-better\n"
      "context stack.fio = fio-3.36\n"
      "headline wal[rw=write,bs=2300,host=h1,way=write].iops\n"
      "headline All clients[way=mixed].iops\n");
}

TEST(Iperf3Text, the_receivers_sum_is_the_result_and_intervals_are_kept) {
  EXPECT_EQ(rows("iperf3_text.txt"),
            "iperf3-text\n"
            "tcp.bits_per_second = 9590000000 [bit/s] higher-is-better\n"
            "tcp.sent_bits_per_second = 9600000000 [bit/s] context\n"
            "tcp.retransmits = 156 lower-is-better\n"
            "tcp.interval_bits_per_second = 11000000000 8200000000 [bit/s] context\n"
            "cpu.host_total = 5.5 [%] context\n"
            "cpu.remote_total = 30.25 [%] context\n"
            "context stack.iperf3 = iperf 3.12\n"
            "context workload.block_size = 131072\n"
            "context workload.duration = 2\n"
            "context workload.protocol = TCP\n"
            "context workload.streams = 2\n"
            "headline tcp.bits_per_second\n");
  cut_anywhere("iperf3_text.txt", "iperf3-text");
}

TEST(Iperf3Text, both_ways_are_two_points_and_rates_in_bytes_are_bits) {
  EXPECT_EQ(listing_of("[ ID][Role] Interval           Transfer     Bitrate         Retr\n"
                       "[  5][TX-C]   0.00-10.00  sec  1.10 GBytes   112.5 MBytes/sec   11             sender\n"
                       "[  5][TX-C]   0.00-10.00  sec  1.09 GBytes   112 MBytes/sec                  receiver\n"
                       "[  7][RX-C]   0.00-10.00  sec  1.09 GBytes   930 Mbits/sec    4             sender\n"
                       "[  7][RX-C]   0.00-10.00  sec  1.08 GBytes   929 Mbits/sec                  receiver\n"),
            "iperf3-text\n"
            "tcp[way=reverse].bits_per_second = 929000000 [bit/s] higher-is-better\n"
            "tcp[way=reverse].sent_bits_per_second = 930000000 [bit/s] context\n"
            "tcp[way=reverse].retransmits = 4 lower-is-better\n"
            "tcp[way=forward].bits_per_second = 939524096 [bit/s] higher-is-better\n"
            "tcp[way=forward].sent_bits_per_second = 943718400 [bit/s] context\n"
            "tcp[way=forward].retransmits = 11 lower-is-better\n"
            "context workload.protocol = TCP\n"
            "headline tcp[way=forward].bits_per_second\n");
}

TEST(Iperf3Text, udp_is_judged_by_what_was_lost) {
  EXPECT_EQ(listing_of("Connecting to host 10.0.0.2, port 5201\n"
                       "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n"
                       "[  5]   0.00-10.00  sec   119 MBytes   100 Mbits/sec  0.000 ms  0/86320 (0%)  sender\n"
                       "[  5]   0.00-10.00  sec   118 MBytes  99.5 Mbits/sec  0.015 ms  432/86400 (0.5%)  receiver\n"),
            "iperf3-text\n"
            "udp.bits_per_second = 99500000 [bit/s] context\n"
            "udp.sent_bits_per_second = 100000000 [bit/s] context\n"
            "udp.jitter = 0.015 [ms] lower-is-better\n"
            "udp.lost_percent = 0.5 [%] lower-is-better\n"
            "context workload.protocol = UDP\n"
            "! offered_load\n");
}

TEST(Iperf3Text, iperf_2_marks_nothing_and_its_last_line_is_the_whole) {
  EXPECT_EQ(listing_of("Client connecting to 10.0.0.2, TCP port 5001\n"
                       "[ ID] Interval       Transfer     Bandwidth\n"
                       "[  3]  0.0- 1.0 sec  2.25 MBytes  18.9 Mbits/sec\n"
                       "[  3]  1.0- 2.0 sec  1.00 MBytes  8.39 Mbits/sec\n"
                       "[  3]  0.0- 2.0 sec  3.25 MBytes  13.6 Mbits/sec\n"),
            "iperf3-text\n"
            "tcp.bits_per_second = 13600000 [bit/s] higher-is-better\n"
            "tcp.interval_bits_per_second = 18900000 8390000 [bit/s] context\n"
            "context workload.protocol = TCP\n"
            "headline tcp.bits_per_second\n");
}

TEST(Iperf3Text, a_failure_a_stopped_test_and_a_second_test) {
  EXPECT_EQ(problem("iperf3: error - unable to connect to server: Connection refused\n"),
            "run.log:1: iperf3 failed: unable to connect to server: Connection refused | fix what it names and run it again");
  const std::string intervals =
      "[ ID] Interval           Transfer     Bitrate\n"
      "[  5]   0.00-1.00   sec  6.86 MBytes  57.5 Mbits/sec\n"
      "[  5]   1.00-2.00   sec  5.31 MBytes  44.6 Mbits/sec\n";
  EXPECT_EQ(
      problem(intervals),
      "run.log: no line of a whole test: none that ends in \"sender\" or \"receiver\", or spans all intervals | iperf3 sums up "
      "when the test is over; run it again and look at what it says");
  const std::string end = "[  5]   0.00-2.00   sec  12.2 MBytes  51.0 Mbits/sec                  receiver\n";
  const std::string listing = listing_of("Accepted connection from 10.0.0.1, port 1\n" + intervals + end +
                                         "Accepted connection from 10.0.0.1, port 2\n" + replaced(end, "51.0", "61.0"));
  EXPECT_TRUE(has(listing, "tcp.bits_per_second = 51000000 ")) << listing;
  EXPECT_TRUE(has(listing, "tcp[section=2].bits_per_second = 61000000 ")) << listing;
}

}  // namespace
}  // namespace plumbline::formats
