// What releases and options of GPU, network and memory benchmarks print beside their plain outputs.
#include <gtest/gtest.h>

#include <string>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(HpcgVariants, summaries_one_after_the_other_are_runs_of_their_own) {
  const auto summary = [](const char* rating) {
    return "Final Summary::HPCG result is VALID with a GFLOP/s rating of=" + std::string(rating) +
           "\nFinal Summary::Results are valid but execution time (sec) is=60\n";
  };
  EXPECT_EQ(listing_of(summary("10.5") + summary("11.5")),
            "hpcg\n"
            "hpcg.gflops = 10.5 11.5 [GFLOP/s] higher-is-better\n"
            "hpcg.valid = 1 1 gate higher-is-better\n"
            "hpcg.time = 60 60 [s] context\n"
            "headline hpcg.gflops\n");
}

TEST(BabelStreamVariants, of_many_runs_a_few_are_headlines) {
  std::string log;
  for (int i = 1; i <= 12; ++i) {
    log += "BabelStream\nPrecision: double\nArray size: " + std::to_string(i) +
           " MB (=0.0 GB)\nFunction    MBytes/sec  Min (sec)   Max         Average\n"
           "Triad       7000.5      0.00071     0.00072     0.00071\n";
  }
  const std::string text = listing_of(log);
  EXPECT_TRUE(has_line(text, "headline Triad[precision=double,array_size=8 MB].best_rate")) << text;
  EXPECT_FALSE(has(text, "headline Triad[precision=double,array_size=9 MB]")) << text;
  EXPECT_TRUE(has_line(text, "Triad[precision=double,array_size=12 MB].best_rate = 7000.5 [MB/s] higher-is-better")) << text;
}

TEST(BabelStreamVariants, a_heading_of_its_name_is_no_run_of_it) {
  EXPECT_EQ(first_lines(listing_of("BabelStream\n===========\n\n| kernel | time_ms |\n|---|---|\n| Triad | 1.5 |\n"), 1),
            "markdown-table\n");
  EXPECT_EQ(
      problem("BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\n"),
      "run.log:1: no table of rates | the run ended before \"Function    MBytes/sec\"; run it again and look at what it says");
}

TEST(OsuVariants, a_heading_that_starts_like_a_banner_is_none) {
  EXPECT_EQ(listing_of("# OSU results of the cluster\n\n| test | latency_ms |\n|---|---|\n| a | 1.5 |\n"),
            "markdown-table\n"
            "[test=a].latency_ms = 1.5 [ms] lower-is-better\n");
  const std::string rows = "# Size          Avg Latency(us)\n1                     1.25\n";
  EXPECT_TRUE(has_line(listing_of("# OSU MPI Latency Test\n" + rows), "MPI Latency[size=1].latency = 1.25 [us] lower-is-better"));
  EXPECT_TRUE(
      has_line(listing_of("# OSU MPI Hello World v7.5\n" + rows), "MPI Hello World[size=1].latency = 1.25 [us] lower-is-better"));
}

TEST(HplVariants, of_nvidia_a_short_name_is_a_result_and_norms_are_no_checks) {
  const std::string key = "hpl[variant=WC0,n=120000,nb=1024,p=2,q=2]";
  EXPECT_EQ(rows("hpl_nvidia.txt"), "hpl\n" + key + ".gflops = 250000 [GFLOP/s] higher-is-better\n" + key +
                                        ".gflops_per_gpu = 62500 [GFLOP/s] context\n" + key + ".time = 30 [s] context\n" + key +
                                        ".residual = 0.00032 context\n" + key +
                                        ".residual_passed = 1 gate higher-is-better\n"
                                        "hpl.failed_tests = 0 gate lower-is-better\n"
                                        "hpl.skipped_tests = 0 gate lower-is-better\n"
                                        "context parallelism.p = 2\n"
                                        "context parallelism.q = 2\n"
                                        "context stack.hpl = 25.2.0\n"
                                        "context workload.n = 120000\n"
                                        "context workload.nb = 1024\n"
                                        "headline " +
                                        key + ".gflops\n");
}

TEST(HplVariants, one_of_three_checks_that_fails_is_enough) {
  const std::string three =
      replaced(fixture("hpl.txt"), "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   3.10000000e-03 ...... PASSED",
               "||Ax-b||_oo / ( eps * ||A||_1  * N        ) =        0.0030 ...... PASSED\n"
               "||Ax-b||_oo / ( eps * ||A||_1  * ||x||_1  ) =       99.0000 ...... FAILED\n"
               "||Ax-b||_oo / ( eps * ||A||_oo * ||x||_oo ) =        0.0020 ...... PASSED");
  const std::string text = listing_of(three);
  EXPECT_TRUE(has_line(text, "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].residual_passed = 0 gate higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].residual = 99 context")) << text;
  EXPECT_TRUE(has(text, "p=2,q=2].gflops = [GFLOP/s] higher-is-better failed '9.6625e+01'\n")) << text;
}

TEST(HplVariants, a_summary_without_its_rows_is_no_result) {
  const std::string whole = fixture("hpl_nvidia.txt");
  const std::size_t row = whole.find("WC0"), summary = whole.find("Finished");
  EXPECT_EQ(
      problem(whole.substr(0, row) + whole.substr(summary)),
      "run.log: no finished configuration | HPL prints a row \"WR…  N  NB  P  Q  Time  Gflops\" when one is done: the run ended "
      "before; run it again and look at what it says");
  EXPECT_EQ(warning_of(replaced(whole, "Finished      1 tests", "Finished      2 tests"), "run_incomplete"),
            "1 run has no end: the log says that 2 tests finished and has the rows of 1");
}

TEST(NvbandwidthVariants, a_bidirectional_test_has_three_matrices) {
  const std::string of = "multinode_device_to_device_bidirectional_memcpy_write_ce";
  const std::string text = rows("nvbandwidth_bidirectional.txt");
  EXPECT_TRUE(has_line(text, of + "_write1[row=0,col=1].bandwidth = 390.5 [GB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, of + "_write2[row=1,col=0].bandwidth = 389 [GB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, of + "_total[row=0,col=1].bandwidth = 780 [GB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, of + "_total.sum = 1560 [GB/s] context")) << text;
  EXPECT_TRUE(has_line(text, of + "_write1.sum = 781.5 [GB/s] context")) << text;
  EXPECT_FALSE(has(text, of + "[row")) << text;
  EXPECT_FALSE(has(text, "! ")) << text;
  EXPECT_TRUE(has_line(text, "context hardware.gpu = NVIDIA GB200")) << text;
  EXPECT_TRUE(has_line(text, "context parallelism.nodes = 2")) << text;
  EXPECT_TRUE(has_line(text, "context parallelism.ranks = 2")) << text;
}

TEST(NvbandwidthVariants, json_has_them_in_one_list_and_an_error_keeps_what_was_measured) {
  const std::string of = "device_to_device_bidirectional_memcpy_read_ce";
  EXPECT_EQ(rows("nvbandwidth_bidirectional.json"),
            "nvbandwidth-json\n"
            "run.passed = 0 gate higher-is-better\n" +
                of + ".passed = 1 gate higher-is-better\n" + of + "_total.sum = 1560 [GB/s] context\n" + of +
                "_read1[row=0,col=0].bandwidth = [GB/s] higher-is-better null 'N/A'\n" + of +
                "_read1[row=0,col=1].bandwidth = 390.5 [GB/s] higher-is-better\n" + of +
                "_read1[row=1,col=0].bandwidth = 391 [GB/s] higher-is-better\n" + of +
                "_read1[row=1,col=1].bandwidth = [GB/s] higher-is-better null 'N/A'\n" + of +
                "_read2[row=0,col=0].bandwidth = [GB/s] higher-is-better null 'N/A'\n" + of +
                "_read2[row=0,col=1].bandwidth = 389.5 [GB/s] higher-is-better\n" + of +
                "_read2[row=1,col=0].bandwidth = 389 [GB/s] higher-is-better\n" + of +
                "_read2[row=1,col=1].bandwidth = [GB/s] higher-is-better null 'N/A'\n" + of +
                "_total[row=0,col=0].bandwidth = [GB/s] higher-is-better null 'N/A'\n" + of +
                "_total[row=0,col=1].bandwidth = 780 [GB/s] higher-is-better\n" + of +
                "_total[row=1,col=0].bandwidth = 780 [GB/s] higher-is-better\n" + of +
                "_total[row=1,col=1].bandwidth = [GB/s] higher-is-better null 'N/A'\n"
                "all_to_host_memcpy_ce.passed = 0 gate higher-is-better\n" +
                of + "_read1[derived=slowest,cells=2].bandwidth = 390.5 [GB/s] higher-is-better\n" + of +
                "_read2[derived=slowest,cells=2].bandwidth = 389 [GB/s] higher-is-better\n" + of +
                "_total[derived=slowest,cells=2].bandwidth = 780 [GB/s] higher-is-better\n"
                "context hardware.driver = 570.10.01\n"
                "context hardware.gpu = NVIDIA H200\n"
                "context stack.cuda = 12080\n"
                "context stack.nvbandwidth = v0.8\n"
                "headline " +
                of + "_read1[derived=slowest,cells=2].bandwidth\nheadline " + of +
                "_read2[derived=slowest,cells=2].bandwidth\nheadline " + of +
                "_total[derived=slowest,cells=2].bandwidth\n! run_incomplete\n");
}

TEST(OsuVariants, tails_of_a_bandwidth_and_what_a_test_says_of_itself) {
  EXPECT_EQ(rows("osu_variants.txt"),
            "osu\n"
            "MPI-CUDA Bandwidth[size=1,datatype=MPI_CHAR,buffers=D-H].bandwidth = 1.5 [MB/s] higher-is-better\n"
            "MPI-CUDA Bandwidth[size=1,datatype=MPI_CHAR,buffers=D-H].bandwidth_p50 = 1.48 [MB/s] context\n"
            "MPI-CUDA Bandwidth[size=1,datatype=MPI_CHAR,buffers=D-H].bandwidth_p90 = 1.6 [MB/s] context\n"
            "MPI-CUDA Bandwidth[size=1,datatype=MPI_CHAR,buffers=D-H].bandwidth_p99 = 1.75 [MB/s] context\n"
            "MPI-CUDA Bandwidth[size=4194304,datatype=MPI_CHAR,buffers=D-H].bandwidth = 24500.5 [MB/s] higher-is-better\n"
            "MPI-CUDA Bandwidth[size=4194304,datatype=MPI_CHAR,buffers=D-H].bandwidth_p50 = 24480 [MB/s] context\n"
            "MPI-CUDA Bandwidth[size=4194304,datatype=MPI_CHAR,buffers=D-H].bandwidth_p90 = 24600 [MB/s] context\n"
            "MPI-CUDA Bandwidth[size=4194304,datatype=MPI_CHAR,buffers=D-H].bandwidth_p99 = 24700.25 [MB/s] context\n"
            "MPI_Put-CUDA Latency[size=8,buffers=M-D,window=create,sync=flush].latency = 2.1 [us] lower-is-better\n"
            "MPI_Put-CUDA Latency[size=8,buffers=M-D,window=create,sync=flush].latency_p99 = 3 [us] lower-is-better\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].overall = 12 [us] lower-is-better\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].compute = 6.5 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].coll_init = 1.5 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].mpi_test = 0.25 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].mpi_wait = 3.75 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].pure_comm = 6 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].comm_min = 5.5 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].comm_max = 6.6 [us] context\n"
            "MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].overlap = 20 [%] higher-is-better\n"
            "MPI Latency[size=0].latency = 0.65 [us] lower-is-better\n"
            "OpenSHMEM Atomic Operation Rate[operation=shmem_int_fadd].operation_rate = 1.25 [Mops/s] higher-is-better\n"
            "OpenSHMEM Atomic Operation Rate[operation=shmem_int_fadd].latency = 0.8 [us] lower-is-better\n"
            "MPI Init[nprocs=16].init_min = 801 [ms] context\n"
            "MPI Init[nprocs=16].init_max = 950 [ms] context\n"
            "MPI Init[nprocs=16].init = 870 [ms] lower-is-better\n"
            "headline MPI-CUDA Bandwidth[size=4194304,datatype=MPI_CHAR,buffers=D-H].bandwidth\n"
            "headline MPI_Put-CUDA Latency[size=8,buffers=M-D,window=create,sync=flush].latency\n"
            "headline MPI Non-blocking Allreduce Latency[size=4,datatype=MPI_FLOAT].overall\n"
            "headline MPI Latency[size=0].latency\n"
            "headline OpenSHMEM Atomic Operation Rate[operation=shmem_int_fadd].operation_rate\n");
}

TEST(OsuVariants, a_last_row_without_its_line_feed_is_whole_when_its_decimals_are) {
  const std::string table = "# OSU MPI Latency Test v7.5\n# Size          Latency (us)\n1  2.15\n8  12.5";
  EXPECT_EQ(
      problem(table),
      "run.log:4: the file ends inside a row of results | the copy is incomplete or the run was stopped; copy it again or run "
      "it again");
  EXPECT_TRUE(has_line(listing_of(table + "0"), "MPI Latency[size=8].latency = 12.5 [us] lower-is-better"));
}

TEST(PerftestVariants, a_warning_between_rows_ends_no_table) {
  const std::string key = "Atomic_FETCH_AND_ADD_BW[size=1000]", last = "Atomic_FETCH_AND_ADD_BW[size=2000]";
  EXPECT_EQ(rows("perftest_sweep.txt"),
            "perftest\n" + key + ".iterations = 5000 context\n" + key + ".bw_peak = 40 [Gbit/s] context\n" + key +
                ".bw_average = 38.4 [Gbit/s] higher-is-better\n" + key + ".msg_rate = 4.8 [Mpps] context\n" + key +
                ".bw_port1 = 19.2 [Gbit/s] context\n" + key + ".msg_rate_port1 = 2.4 [Mpps] context\n" + key +
                ".bw_port2 = 19.2 [Gbit/s] context\n" + key + ".msg_rate_port2 = 2.4 [Mpps] context\n" + last +
                ".iterations = 5000 context\n" + last + ".bw_peak = 80 [Gbit/s] context\n" + last +
                ".bw_average = 76.8 [Gbit/s] higher-is-better\n" + last + ".msg_rate = 4.8 [Mpps] context\n" + last +
                ".bw_port1 = 38.4 [Gbit/s] context\n" + last + ".msg_rate_port1 = 2.4 [Mpps] context\n" + last +
                ".bw_port2 = 38.4 [Gbit/s] context\n" + last + ".msg_rate_port2 = 2.4 [Mpps] context\n" +
                "Atomic_FETCH_AND_ADD_BW.limits_met = 0 gate higher-is-better\n"
                "context hardware.nic = mlx5_0\n"
                "context hardware.transport = IB\n"
                "context workload.qps = 1\n"
                "headline " +
                last + ".bw_average\n");
  const std::string broken =
      replaced(fixture("perftest_sweep.txt"), "Error: BW result is below bw limit", "Completion with error at client");
  EXPECT_TRUE(has(listing_of(broken), "Atomic_FETCH_AND_ADD_BW.passed = 0 gate higher-is-better\n"));
  EXPECT_EQ(warning_of(broken, "run_incomplete"), "1 run has no end: line 12 says \"Completion with error at client\"");
}

TEST(PerftestVariants, a_server_and_its_client_may_begin_at_once) {
  const std::string one = fixture("perftest_sweep.txt");
  const std::size_t table = one.find(" #bytes"), row = one.find("Conflicting");
  const std::string begin = one.substr(0, table), header = one.substr(table, row - table);
  const std::string rows_of_both = one.substr(row, one.find("Error: ") - row);
  const std::string last =
      " 2000       5000           80.00              76.80		   4.800000        38.40              2.400000    "
      "          38.40              2.400000\n";
  const std::string text = listing_of(begin + begin + header + header + rows_of_both + last);
  EXPECT_TRUE(has_line(text, "Atomic_FETCH_AND_ADD_BW[size=1000].bw_average = 38.4 [Gbit/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "Atomic_FETCH_AND_ADD_BW[size=2000].bw_average = 76.8 [Gbit/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "Atomic_FETCH_AND_ADD_BW[size=2000,end=2].bw_average = 76.8 [Gbit/s] higher-is-better")) << text;
  EXPECT_FALSE(has(text, "! ")) << text;
}

TEST(PerftestVariants, json_of_a_run_that_prints_one_figure) {
  const std::string info = R"({"test_info":{"test":"RDMA_Write_Latency_Test","Transport_type":"IB"},"results":{)";
  EXPECT_EQ(listing_of(info + R"("avg_lat": 1.25}})"),
            "perftest-json\n"
            "RDMA_Write_Latency.t_avg = 1.25 [us] lower-is-better\n"
            "context hardware.transport = IB\n"
            "headline RDMA_Write_Latency.t_avg\n");
}

TEST(RcclVariants, a_table_of_one_half_says_which_and_the_floor_is_a_gate) {
  const std::string key = "reduce[size=1048576,dtype=float,redop=sum,root=0,ranks=2,place=in]";
  EXPECT_EQ(rows("rccl_in_place.txt"), "nccl-tests\n" + key + ".time = 20 [us] context\n" + key +
                                           ".algbw = 52.43 [GB/s] context\n" + key + ".busbw = 52.43 [GB/s] higher-is-better\n" +
                                           key +
                                           ".#wrong = 0 gate lower-is-better\n"
                                           "reduce[ranks=2].out_of_bounds = 0 gate lower-is-better\n"
                                           "reduce[ranks=2].avg_bus_bandwidth = 52.43 [GB/s] context\n"
                                           "reduce[ranks=2].min_bandwidth_met = 0 gate higher-is-better\n"
                                           "context environment.hostname = node7\n"
                                           "context hardware.gpu = AMD Instinct MI300X\n"
                                           "context parallelism.nodes = 1\n"
                                           "context parallelism.ranks = 2\n"
                                           "context regime.cuda_graph = 0\n"
                                           "context regime.iterations = 20\n"
                                           "context regime.warmup = 5\n"
                                           "context stack.nccl = 2.22.3\n"
                                           "context workload.collective = reduce\n"
                                           "context workload.dtype = float\n"
                                           "context workload.redop = sum\n"
                                           "headline " +
                                           key + ".busbw\n");
}

TEST(RcclVariants, an_error_above_its_bound_is_marked_and_leaves_no_numbers) {
  const std::string text =
      listing_of(replaced(replaced(fixture("rccl_in_place.txt"), "#wrong\n", " error\n"), "     0\n#", " 1e+00*\n#"));
  EXPECT_TRUE(has(text, "place=in].busbw = [GB/s] higher-is-better failed '52.43'\n")) << text;
  EXPECT_TRUE(has(text, "place=in].error = context failed '1e+00*'\n")) << text;
}

TEST(NcclVariants, of_two_tasks_in_one_log_the_worse_check_counts) {
  const std::string one = fixture("rccl_in_place.txt"), row = "     1048576        262144";
  const std::size_t at = one.find("#       size"), end = one.find(row), next = one.find("# Errors");
  const std::string header = one.substr(at, end - at), line = one.substr(end, next - end);
  const std::string both =
      one.substr(0, at) + header + header + line + line + "# Out of bounds values : 3 FAILED\n" + one.substr(next);
  const std::string text = listing_of(both);
  EXPECT_TRUE(has(text, ".busbw = 52.43 52.43 [GB/s] higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "].out_of_bounds = 3 gate lower-is-better\n")) << text;
}

TEST(NcclVariants, tags_of_mpirun_stand_wherever_a_piece_was_flushed) {
  const std::string text = fixture("rccl_in_place.txt");
  for (const std::string& label :
       {std::string("[1,0]<stdout>:"), std::string("[prterun-a-long-host-name-of-a-pod-0-worker-12@1,0]<stdout>:"),
        std::string("(head, rank=0, pid=3808) [1,0]<stdout>:")}) {
    const std::string piece = label.substr(label.find('['));
    std::string log;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      std::string line = text.substr(at, end - at);
      at = end;
      if (const std::size_t figures = line.find("    20.00   52.43"); figures != std::string::npos) line.insert(figures, piece);
      log += label + line;
    }
    EXPECT_EQ(listing_of(log), listing_of(text)) << label;
  }
}

TEST(NcclVariants, what_ranks_say_of_setting_up_is_no_result_of_theirs) {
  std::string log;
  for (const char* rank : {"0", "1", "2"}) {
    for (const char* line : {"NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>", "NCCL INFO Connected all rings"})
      log += "[1," + std::string(rank) + "]<stdout>:worker-0:2" + rank + ":10" + rank + " [" + rank + "] " + line + "\n";
  }
  const std::string text = fixture("rccl_in_place.txt");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    log += "[1,0]<stdout>:" + text.substr(at, end - at);
    at = end;
  }
  EXPECT_EQ(listing_of(log), listing_of(text));
}

TEST(CudaSamplesVariants, reads_are_not_trials_of_writes) {
  const std::string text = listing_of(
      "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1 \n     0 800.00 200.00 \n     1 "
      "200.50 800.00 \n"
      "Unidirectional P2P=Enabled Bandwidth (P2P Reads) Matrix (GB/s)\n   D\\D     0      1 \n     0 800.00 150.00 \n     1 "
      "150.50 800.00 \n"
      "NOTE: The CUDA Samples are not meant for performance measurements.\n");
  EXPECT_TRUE(has_line(text, "unidirectional[p2p=enabled,row=0,col=1].bandwidth = 200 [GB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "unidirectional[p2p=enabled,access=reads,row=0,col=1].bandwidth = 150 [GB/s] higher-is-better"))
      << text;
  EXPECT_TRUE(has_line(text, "headline unidirectional[p2p=enabled,derived=slowest,cells=2].bandwidth")) << text;
}

TEST(CudaSamplesVariants, write_combined_memory_is_said_on_the_line_of_the_header) {
  const std::string text = listing_of(
      "[CUDA Bandwidth Test] - Starting...\n Device 0: NVIDIA H200\n Quick Mode\n\n Host to Device Bandwidth, 2 Device(s)\n"
      " PINNED Memory Transfers\n Write-Combined Memory Writes are Enabled   Transfer Size (Bytes)\tBandwidth(GB/s)\n"
      "   32000000\t\t\t55.3\n\nResult = PASS\n");
  EXPECT_TRUE(has_line(text, "H2D[size=32000000,memory=write-combined].bandwidth = 55.3 [GB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "context hardware.gpu_count = 2")) << text;
}

TEST(NvbenchVariants, summaries_without_tags_are_no_results) {
  const std::string old = R"~({"devices": [{"id": 0, "name": "NVIDIA H200", "sm_version": 900}],
    "benchmarks": [{"name": "copy", "states": [{"name": "Device=0", "device": 0, "is_skipped": false, "axis_values": [],
     "summaries": [{"name": "Average GPU Time (Cold)", "hint": "duration",
                    "value": {"type": "float64", "value": "1e-3"}}]}]}]})~";
  EXPECT_EQ(problem(old, "old.json"),
            "old.json:2: no state has a mean time that is understood | nvbench names its summaries by tags as "
            "\"nv/cold/time/gpu/mean\" since 2022: run it again with a later release");
}

TEST(DcgmVariants, results_name_one_gpu_each) {
  const std::string diagnostic = R"({"DCGM GPU Diagnostic": {"version": "3.3.1", "test_categories": [{"category": "Integration",
    "tests": [{"name": "PCIe", "results": [{"gpu_id": "0", "status": "Pass"}, {"gpu_id": "1", "status": "Fail"}]}]}]}})";
  const std::string text = listing_of(diagnostic);
  EXPECT_TRUE(has_line(text, "PCIe[category=Integration,gpu=0].passed = 1 gate higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "PCIe[category=Integration,gpu=1].passed = 0 gate higher-is-better")) << text;
}

TEST(StreamVariants, of_fortran_has_another_banner) {
  const std::string text = listing_of(
      " STREAM Version $Revision: 5.6 $\n Array size =     2000000\n You are running each test  10 times\n"
      "Function     Rate (MB/s)  Avg time   Min time  Max time\nCopy:      12000.5000      0.0027      0.0026      0.0028\n"
      "Triad:     12500.2500      0.0039      0.0038      0.0040\n Solution Validates!\n");
  EXPECT_TRUE(has_line(text, "Triad[array_size=2000000].best_rate = 12500.25 [MB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "stream[array_size=2000000].validates = 1 gate higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "context regime.repetitions = 10")) << text;
  EXPECT_TRUE(has_line(text, "context stack.stream = 5.6")) << text;
}

TEST(Babelstream, best_rates_and_a_check_that_speaks_when_it_fails) {
  const std::string of = "[precision=double,array_size=268.4 MB].";
  const std::string text = rows("babelstream.txt");
  EXPECT_TRUE(has_line(text, "Copy" + of + "best_rate = 3900000.5 [MB/s] higher-is-better")) << text;
  EXPECT_TRUE(has_line(text, "Triad" + of + "avg_time = 0.0002 [s] context")) << text;
  EXPECT_TRUE(has_line(text, "babelstream" + of + "validates = 1 gate higher-is-better")) << text;
  EXPECT_TRUE(has(text,
                  "context hardware.driver = 12080\ncontext hardware.gpu = NVIDIA H200\ncontext regime.repetitions = 100\n"
                  "context stack.babelstream = 5.0\ncontext stack.implementation = CUDA\n"
                  "context workload.array_size = 268.4 MB\ncontext workload.dtype = double\n"
                  "context workload.memory = DEFAULT\nheadline Triad" +
                      of + "best_rate\n"))
      << text;
  const std::string failed =
      listing_of(replaced(fixture("babelstream.txt"), "Function ", "Validation failed on sum. Error 3.5e-06\nFunction "));
  EXPECT_TRUE(has_line(failed, "babelstream" + of + "validates = 0 gate higher-is-better")) << failed;
  EXPECT_TRUE(has(failed, "best_rate = [MB/s] higher-is-better failed '4000000.250'\n")) << failed;
  EXPECT_EQ(
      problem(first_lines(fixture("babelstream.txt"), 9)),
      "run.log:1: no table of rates | the run ended before \"Function    MBytes/sec\"; run it again and look at what it says");
}

TEST(Hpcg, the_rating_stands_behind_a_valid_run_and_checks_are_gates) {
  const std::string size = "hpcg[nx=208,ny=208,nz=104,ranks=4", key = size + "].";
  EXPECT_EQ(rows("hpcg.txt"), "hpcg\n" + key + "gflops = 80.125 [GFLOP/s] higher-is-better\n" + key +
                                  "valid = 1 gate higher-is-better\n" + key + "time = 1800.5 [s] context\n" + size +
                                  ",phase=Spectral Convergence Tests].passed = 1 gate higher-is-better\n" + size +
                                  ",phase=Departure from Symmetry].passed = 0 gate higher-is-better\n" + size +
                                  ",phase=SpMV].time = 12.5 [s] context\n" + size +
                                  ",phase=Raw Total B/W].bandwidth = 640.5 [GB/s] context\n" + size +
                                  ",phase=Raw SpMV].gflops = 85.25 [GFLOP/s] context\n"
                                  "context parallelism.ranks = 4\n"
                                  "context parallelism.threads = 8\n"
                                  "context workload.nx = 208\n"
                                  "context workload.ny = 208\n"
                                  "context workload.nz = 104\n"
                                  "headline " +
                                  key + "gflops\n");
  const std::string invalid = listing_of(
      replaced(fixture("hpcg.txt"), "HPCG result is VALID with a GFLOP/s rating of=80.125", "HPCG result is=INVALID."));
  EXPECT_TRUE(has_line(invalid, key + "valid = 0 gate higher-is-better")) << invalid;
  EXPECT_TRUE(has_line(invalid, key + "gflops = [GFLOP/s] higher-is-better failed 'INVALID.'")) << invalid;
  EXPECT_EQ(
      problem(first_lines(fixture("hpcg.txt"), 12)),
      "run.log:1: no rating | HPCG writes \"Final Summary::HPCG result is VALID with a GFLOP/s rating of=…\" when it is done: "
      "run it again and look at what it says");
}

TEST(HardwareVariants, cut_anywhere_give_an_error_or_rows) {
  for (const auto& [name, format] :
       std::initializer_list<std::pair<const char*, const char*>>{{"hpl_nvidia.txt", "hpl"},
                                                                  {"nvbandwidth_bidirectional.txt", "nvbandwidth"},
                                                                  {"nvbandwidth_bidirectional.json", "nvbandwidth-json"},
                                                                  {"osu_variants.txt", "osu"},
                                                                  {"perftest_sweep.txt", "perftest"},
                                                                  {"rccl_in_place.txt", "nccl-tests"}}) {
    cut_anywhere(name, format);
  }
}

TEST(Perftest, a_server_and_its_client_in_one_log_are_two_ends_and_no_trials) {
  const std::string banner = "                    RDMA_Write BW Test\n";
  const std::string header = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";
  const std::string server = " 65536      5000             46010.50            45980.25            0.735684\n";
  const std::string client = " 65536      5000             46000.50            45970.25            0.735524\n";
  const std::string both = listing_of(banner + banner + header + header + server + client);
  EXPECT_TRUE(has(both, "[size=65536].bw_average = 45980.25")) << both;
  EXPECT_TRUE(has(both, "[size=65536,end=2].bw_average = 45970.25")) << both;
  EXPECT_TRUE(has(listing_of(banner + header + server + client), "[size=65536].bw_average = 45980.25 45970.25")) << "trials";
}

}  // namespace
}  // namespace plumbline::formats
