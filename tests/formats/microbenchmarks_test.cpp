// GPU, network and storage microbenchmarks, each fixture as the rows that come of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

TEST(Nvbandwidth, a_description_tells_bandwidth_from_latency) {
  EXPECT_EQ(rows("nvbandwidth.txt"),
            "nvbandwidth\n"
            "host_to_device_memcpy_ce[row=0,col=0].bandwidth = 55.1 [GB/s] higher-is-better\n"
            "host_to_device_memcpy_ce[row=0,col=1].bandwidth = 54.9 [GB/s] higher-is-better\n"
            "host_to_device_memcpy_ce.sum = 110 [GB/s] context\n"
            "device_to_device_memcpy_read_ce[row=0,col=0].bandwidth = [GB/s] higher-is-better null 'N/A'\n"
            "device_to_device_memcpy_read_ce[row=0,col=1].bandwidth = 391.2 [GB/s] higher-is-better\n"
            "device_to_device_memcpy_read_ce[row=1,col=0].bandwidth = 390.8 [GB/s] higher-is-better\n"
            "device_to_device_memcpy_read_ce[row=1,col=1].bandwidth = [GB/s] higher-is-better null 'N/A'\n"
            "device_to_device_memcpy_read_ce.sum = 782 [GB/s] context\n"
            "host_device_latency_sm[row=0,col=0].latency = 640.5 [ns] lower-is-better\n"
            "host_device_latency_sm[row=0,col=1].latency = 655.25 [ns] lower-is-better\n"
            "host_device_latency_sm.sum = 1295.75 [ns] context\n"
            "host_to_device_memcpy_ce[derived=slowest,cells=2].bandwidth = 54.9 [GB/s] higher-is-better\n"
            "device_to_device_memcpy_read_ce[derived=slowest,cells=2].bandwidth = 390.8 [GB/s] higher-is-better\n"
            "host_device_latency_sm[derived=slowest,cells=2].latency = 655.25 [ns] lower-is-better\n"
            "context hardware.driver = 570.10.01\n"
            "context hardware.gpu = NVIDIA H200\n"
            "context stack.cuda = 12080\n"
            "context stack.nvbandwidth = v0.8\n"
            "headline host_to_device_memcpy_ce[derived=slowest,cells=2].bandwidth\n"
            "headline device_to_device_memcpy_read_ce[derived=slowest,cells=2].bandwidth\n"
            "headline host_device_latency_sm[derived=slowest,cells=2].latency\n");
}

TEST(Nvbandwidth, json_cells_are_strings_and_statuses_gates) {
  EXPECT_EQ(rows("nvbandwidth.json"),
            "nvbandwidth-json\n"
            "host_to_device_memcpy_ce.passed = 1 gate higher-is-better\n"
            "host_to_device_memcpy_ce.sum = 55.1 [GB/s] context\n"
            "host_to_device_memcpy_ce[row=0,col=0].bandwidth = 55.1 [GB/s] higher-is-better\n"
            "host_to_device_memcpy_ce[row=0,col=1].bandwidth = [GB/s] higher-is-better null 'N/A'\n"
            "host_device_latency_sm.passed = 1 gate higher-is-better\n"
            "host_device_latency_sm.sum = 640.5 [ns] context\n"
            "host_device_latency_sm[row=0,col=0].latency = 640.5 [ns] lower-is-better\n"
            "multinode_device_to_device_memcpy_read_ce.status = context text 'Waived'\n"
            "all_to_host_memcpy_ce.passed = 0 gate higher-is-better\n"
            "context hardware.driver = 570.10.01\n"
            "context hardware.gpu = NVIDIA H200\n"
            "context stack.cuda = 12080\n"
            "context stack.nvbandwidth = v0.8\n"
            "headline host_to_device_memcpy_ce[row=0,col=0].bandwidth\n"
            "headline host_device_latency_sm[row=0,col=0].latency\n");
}

TEST(Nvbench, the_mean_gpu_time_is_judged_and_a_skip_is_said) {
  EXPECT_EQ(rows("nvbench.json"),
            "nvbench\n"
            "copy_sweep[T=I32,Elements=2^20].skipped = 0 gate lower-is-better\n"
            "copy_sweep[T=I32,Elements=2^20].nv/cold/sample_size = 499 context\n"
            "copy_sweep[T=I32,Elements=2^20].nv/cold/time/gpu/mean = 0.00125 [s] lower-is-better\n"
            "copy_sweep[T=I32,Elements=2^20].nv/cold/time/gpu/stdev/relative = 0.02 noise\n"
            "copy_sweep[T=I32,Elements=2^20].nv/cold/bw/global/bytes_per_second = 3200000000000 [B/s] context\n"
            "copy_sweep[T=F64].skipped = 1 gate lower-is-better\n"
            "copy_sweep[T=F64].skip_reason = context text 'Not enough memory.'\n"
            "context hardware.gpu = NVIDIA H200\n"
            "context stack.nvbench = 0.1.0\n"
            "headline copy_sweep[T=I32,Elements=2^20].nv/cold/time/gpu/mean\n");
}

TEST(CudaSamples, the_diagonal_is_local_memory) {
  EXPECT_EQ(rows("p2p.txt"),
            "cuda-p2p\n"
            "connectivity[row=0,col=0].p2p_access = 1 gate two-sided\n"
            "connectivity[row=0,col=1].p2p_access = 1 gate two-sided\n"
            "connectivity[row=1,col=0].p2p_access = 0 gate two-sided\n"
            "connectivity[row=1,col=1].p2p_access = 1 gate two-sided\n"
            "unidirectional[p2p=disabled,row=0,col=0].local_bandwidth = 2841.1 [GB/s] higher-is-better\n"
            "unidirectional[p2p=disabled,row=0,col=1].bandwidth = 37.5 [GB/s] higher-is-better\n"
            "unidirectional[p2p=disabled,row=1,col=0].bandwidth = 37.1 [GB/s] higher-is-better\n"
            "unidirectional[p2p=disabled,row=1,col=1].local_bandwidth = 2888 [GB/s] higher-is-better\n"
            "bidirectional[p2p=enabled,row=0,col=0].local_bandwidth = 2850 [GB/s] higher-is-better\n"
            "bidirectional[p2p=enabled,row=0,col=1].bandwidth = 740.25 [GB/s] higher-is-better\n"
            "bidirectional[p2p=enabled,row=1,col=0].bandwidth = 741.75 [GB/s] higher-is-better\n"
            "bidirectional[p2p=enabled,row=1,col=1].local_bandwidth = 2860 [GB/s] higher-is-better\n"
            "latency[p2p=enabled,by=gpu,row=0,col=0].local_latency = 2.1 [us] lower-is-better\n"
            "latency[p2p=enabled,by=gpu,row=0,col=1].latency = 2.75 [us] lower-is-better\n"
            "latency[p2p=enabled,by=gpu,row=1,col=0].latency = 2.8 [us] lower-is-better\n"
            "latency[p2p=enabled,by=gpu,row=1,col=1].local_latency = 2.05 [us] lower-is-better\n"
            "latency[p2p=enabled,by=cpu,row=0,col=0].local_latency = 2.15 [us] lower-is-better\n"
            "latency[p2p=enabled,by=cpu,row=0,col=1].latency = 1.75 [us] lower-is-better\n"
            "latency[p2p=enabled,by=cpu,row=1,col=0].latency = 1.7 [us] lower-is-better\n"
            "latency[p2p=enabled,by=cpu,row=1,col=1].local_latency = 2.2 [us] lower-is-better\n"
            "bidirectional[p2p=enabled,derived=slowest,cells=2].bandwidth = 740.25 [GB/s] higher-is-better\n"
            "latency[p2p=enabled,by=gpu,derived=slowest,cells=2].latency = 2.8 [us] lower-is-better\n"
            "unidirectional[p2p=disabled,derived=slowest,cells=2].bandwidth = 37.1 [GB/s] higher-is-better\n"
            "context hardware.gpu = NVIDIA H200\n"
            "context hardware.gpu_count = 2\n"
            "headline bidirectional[p2p=enabled,derived=slowest,cells=2].bandwidth\n"
            "headline latency[p2p=enabled,by=gpu,derived=slowest,cells=2].latency\n"
            "headline unidirectional[p2p=disabled,derived=slowest,cells=2].bandwidth\n");
}

TEST(CudaSamples, small_copies_are_overhead) {
  EXPECT_EQ(rows("bandwidthtest.txt"),
            "cuda-bandwidth\n"
            "H2D[size=32000000,memory=pinned].bandwidth = 55.1 [GB/s] higher-is-better\n"
            "D2D[size=4096].bandwidth = 3.5 [GB/s] context\n"
            "D2D[size=32000000].bandwidth = 2510.4 [GB/s] higher-is-better\n"
            "passed = 1 gate higher-is-better\n"
            "context hardware.gpu = NVIDIA H200\n"
            "context hardware.gpu_count = 1\n"
            "headline H2D[size=32000000,memory=pinned].bandwidth\n"
            "headline D2D[size=32000000].bandwidth\n");
}

TEST(CudaSamples, csv_lines_and_a_failed_run) {
  EXPECT_EQ(rows("bandwidthtest_csv.txt"),
            "cuda-bandwidth\n"
            "H2D[size=1000,memory=pinned].bandwidth = 12.4 [GB/s] context\n"
            "H2D[size=1000,memory=pinned].time = 0 [s] context\n"
            "H2D[size=64000000,memory=pinned].bandwidth = 54.8 [GB/s] higher-is-better\n"
            "H2D[size=64000000,memory=pinned].time = 0.00118 [s] context\n"
            "passed = 0 gate higher-is-better\n"
            "context hardware.gpu = NVIDIA H200\n"
            "headline H2D[size=64000000,memory=pinned].bandwidth\n");
}

TEST(DcgmDiag, every_test_of_every_device_is_a_gate) {
  EXPECT_EQ(rows("dcgm_diag.json"),
            "dcgm-diag\n"
            "memory[category=Hardware,entity=GPU,id=0].passed = 1 gate higher-is-better\n"
            "memory[category=Hardware,entity=GPU,id=0].warned = 0 gate lower-is-better\n"
            "memory[category=Hardware,entity=GPU,id=1].passed = 0 gate higher-is-better\n"
            "memory[category=Hardware,entity=GPU,id=1].warned = 0 gate lower-is-better\n"
            "memory[category=Hardware,of=all].passed = 0 gate higher-is-better\n"
            "memory[category=Hardware,of=all].warned = 0 gate lower-is-better\n"
            "pcie[category=Hardware,entity=GPU,id=0].status = context text 'Skip'\n"
            "pcie[category=Hardware,entity=GPU,id=1].passed = 1 gate higher-is-better\n"
            "pcie[category=Hardware,entity=GPU,id=1].warned = 1 gate lower-is-better\n"
            "context hardware.driver = 570.10.01\n"
            "context stack.dcgm = 4.2.3\n");
}

TEST(Perftest, a_log_of_both_sides_has_two_sections) {
  EXPECT_EQ(rows("perftest_bw.txt"),
            "perftest\n"
            "RDMA_Write_BW[size=65536].iterations = 5000 context\n"
            "RDMA_Write_BW[size=65536].bw_peak = 46010.5 [MiB/s] context\n"
            "RDMA_Write_BW[size=65536].bw_average = 45980.25 [MiB/s] higher-is-better\n"
            "RDMA_Write_BW[size=65536].msg_rate = 0.735684 [Mpps] context\n"
            "RDMA_Write_BW[size=8388608].iterations = 5000 context\n"
            "RDMA_Write_BW[size=8388608].bw_peak = 0 [MiB/s] context\n"
            "RDMA_Write_BW[size=8388608].bw_average = 46890.75 [MiB/s] higher-is-better\n"
            "RDMA_Write_BW[size=8388608].msg_rate = 0.005861 [Mpps] context\n"
            "RDMA_Write_BW[size=65536,section=2].iterations = 5000 context\n"
            "RDMA_Write_BW[size=65536,section=2].bw_peak = 46010.5 [MiB/s] context\n"
            "RDMA_Write_BW[size=65536,section=2].bw_average = 45980.25 [MiB/s] higher-is-better\n"
            "RDMA_Write_BW[size=65536,section=2].msg_rate = 0.735684 [Mpps] context\n"
            "context hardware.link = IB\n"
            "context hardware.nic = mlx5_0\n"
            "context hardware.transport = IB\n"
            "context workload.connection = RC\n"
            "context workload.mtu = 4096\n"
            "context workload.qps = 1\n"
            "headline RDMA_Write_BW[size=8388608].bw_average\n"
            "! repeated_sections\n");
}

TEST(Perftest, latencies_have_their_percentiles) {
  EXPECT_EQ(rows("perftest_lat.txt"),
            "perftest\n"
            "RDMA_Write_Latency[size=2].iterations = 1000 context\n"
            "RDMA_Write_Latency[size=2].t_min = 0.98 [us] context\n"
            "RDMA_Write_Latency[size=2].t_max = 3.1 [us] context\n"
            "RDMA_Write_Latency[size=2].t_typical = 1.02 [us] lower-is-better\n"
            "RDMA_Write_Latency[size=2].t_avg = 1.03 [us] lower-is-better\n"
            "RDMA_Write_Latency[size=2].t_stdev = 0.05 [us] noise\n"
            "RDMA_Write_Latency[size=2].p99 = 1.2 [us] lower-is-better\n"
            "RDMA_Write_Latency[size=2].p99.9 = 3.1 [us] context\n"
            "context hardware.nic = mlx5_0\n"
            "headline RDMA_Write_Latency[size=2].t_typical\n");
}

TEST(Perftest, json_has_its_unit_from_the_message_rate) {
  EXPECT_EQ(rows("perftest.json"),
            "perftest-json\n"
            "RDMA_Write_BW[size=65536].iterations = 5000 context\n"
            "RDMA_Write_BW[size=65536].bw_peak = 386.2 [Gbit/s] context\n"
            "RDMA_Write_BW[size=65536].bw_average = 385.9 [Gbit/s] higher-is-better\n"
            "RDMA_Write_BW[size=65536].msg_rate = 0.736046 [Mpps] context\n"
            "context hardware.link = IB\n"
            "context hardware.nic = mlx5_0\n"
            "context workload.mtu = 4096\n"
            "headline RDMA_Write_BW[size=65536].bw_average\n");
}

TEST(Osu, a_failed_validation_leaves_no_numbers) {
  EXPECT_EQ(rows("osu.txt"),
            "osu\n"
            "MPI-CUDA Latency[size=1,datatype=MPI_CHAR,buffers=D-D].latency = 2.15 [us] lower-is-better\n"
            "MPI-CUDA Latency[size=1048576,datatype=MPI_CHAR,buffers=D-D].latency = 12.5 [us] lower-is-better\n"
            "MPI Allreduce Latency[size=4,datatype=MPI_FLOAT].latency = 5.1 [us] lower-is-better\n"
            "MPI Allreduce Latency[size=4,datatype=MPI_FLOAT].latency_min = 4.9 [us] context\n"
            "MPI Allreduce Latency[size=4,datatype=MPI_FLOAT].latency_max = 5.4 [us] context\n"
            "MPI Allreduce Latency[size=4,datatype=MPI_FLOAT].iterations = 1000 context\n"
            "MPI Allreduce Latency[size=4,datatype=MPI_FLOAT].validation = 1 gate higher-is-better\n"
            "MPI Allreduce Latency[size=8,datatype=MPI_FLOAT].latency = [us] lower-is-better failed '5.20'\n"
            "MPI Allreduce Latency[size=8,datatype=MPI_FLOAT].latency_min = [us] context failed '5.00'\n"
            "MPI Allreduce Latency[size=8,datatype=MPI_FLOAT].latency_max = [us] context failed '5.50'\n"
            "MPI Allreduce Latency[size=8,datatype=MPI_FLOAT].iterations = context failed '1000'\n"
            "MPI Allreduce Latency[size=8,datatype=MPI_FLOAT].validation = 0 gate higher-is-better\n"
            "context stack.osu = 7.5\n"
            "headline MPI-CUDA Latency[size=1,datatype=MPI_CHAR,buffers=D-D].latency\n"
            "headline MPI Allreduce Latency[size=4,datatype=MPI_FLOAT].latency\n");
}

TEST(Osu, bandwidth_and_message_rate) {
  EXPECT_EQ(
      rows("osu_mbw.txt"),
      "osu\n"
      "MPI Multiple Bandwidth / Message Rate[size=1,pairs=4,window_size=64].bandwidth = 21.5 [MB/s] higher-is-better\n"
      "MPI Multiple Bandwidth / Message Rate[size=1,pairs=4,window_size=64].message_rate = 21500000 [1/s] higher-is-better\n"
      "context identity.benchmark = MPI Multiple Bandwidth / Message Rate\n"
      "context stack.osu = 7.5\n"
      "headline MPI Multiple Bandwidth / Message Rate[size=1,pairs=4,window_size=64].bandwidth\n"
      "headline MPI Multiple Bandwidth / Message Rate[size=1,pairs=4,window_size=64].message_rate\n");
}

TEST(Stream, best_rates_and_the_validation) {
  EXPECT_EQ(rows("stream.txt"),
            "stream\n"
            "Copy[threads=16,array_size=80000000].best_rate = 180000.5 [MB/s] higher-is-better\n"
            "Copy[threads=16,array_size=80000000].avg_time = 0.0072 [s] context\n"
            "Copy[threads=16,array_size=80000000].min_time = 0.007111 [s] context\n"
            "Copy[threads=16,array_size=80000000].max_time = 0.0074 [s] context\n"
            "Triad[threads=16,array_size=80000000].best_rate = 190000 [MB/s] higher-is-better\n"
            "Triad[threads=16,array_size=80000000].avg_time = 0.0102 [s] context\n"
            "Triad[threads=16,array_size=80000000].min_time = 0.010105 [s] context\n"
            "Triad[threads=16,array_size=80000000].max_time = 0.0104 [s] context\n"
            "stream[threads=16,array_size=80000000].validates = 1 gate higher-is-better\n"
            "context parallelism.threads = 16\n"
            "context regime.repetitions = 10\n"
            "context stack.stream = 5.10\n"
            "context workload.array_size = 80000000\n"
            "headline Triad[threads=16,array_size=80000000].best_rate\n");
}

TEST(Hpl, a_failed_residual_leaves_no_result) {
  EXPECT_EQ(rows("hpl.txt"),
            "hpl\n"
            "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].gflops = 96.625 [GFLOP/s] higher-is-better\n"
            "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].time = 55.2 [s] context\n"
            "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].residual = 0.0031 context\n"
            "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].residual_passed = 1 gate higher-is-better\n"
            "hpl[variant=WR11C2R4,n=40000,nb=192,p=2,q=2].gflops = [GFLOP/s] higher-is-better failed '1.0157e+02'\n"
            "hpl[variant=WR11C2R4,n=40000,nb=192,p=2,q=2].time = [s] context failed '420.10'\n"
            "hpl[variant=WR11C2R4,n=40000,nb=192,p=2,q=2].residual = 420 context\n"
            "hpl[variant=WR11C2R4,n=40000,nb=192,p=2,q=2].residual_passed = 0 gate higher-is-better\n"
            "hpl.failed_tests = 1 gate lower-is-better\n"
            "hpl.skipped_tests = 0 gate lower-is-better\n"
            "context parallelism.p = 2\n"
            "context parallelism.q = 2\n"
            "context stack.hpl = 2.3\n"
            "context workload.nb = 192\n"
            "headline hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].gflops\n"
            "headline hpl[variant=WR11C2R4,n=40000,nb=192,p=2,q=2].gflops\n");
}

TEST(SuperBench, copies_and_streams) {
  EXPECT_EQ(rows("gpu_copy.txt"),
            "superbench-gpu\n"
            "cpu_to_gpu0_by_sm_under_numa0.bandwidth = 26.2 [GB/s] higher-is-better\n"
            "gpu0_to_gpu1_write_by_dma.bandwidth = 279.5 [GB/s] higher-is-better\n"
            "STREAM_COPY_double[gpu=0,buffer=4294967296,block=128].bandwidth = 6711.67 [GB/s] higher-is-better\n"
            "STREAM_COPY_double[gpu=0,buffer=4294967296,block=128].of_peak = 81.93 [%] context\n"
            "headline gpu0_to_gpu1_write_by_dma.bandwidth\n"
            "headline cpu_to_gpu0_by_sm_under_numa0.bandwidth\n");
}

TEST(Fio, iops_of_small_blocks_offered_rates_and_errors) {
  EXPECT_EQ(rows("fio.json"),
            "fio\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].bw = 4096000 [B/s] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].iops = 1000.5 [1/s] higher-is-better\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].total_ios = 30000 context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].bw_dev = 12.5 [KiB/s] noise\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].iops_stddev = 3.5 [1/s] noise\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.mean = 31000.5 [ns] lower-is-better\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.stddev = 400.25 [ns] noise\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.min = 1000 [ns] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.max = 90000 [ns] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.p50 = 30000 [ns] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.p99 = 52000 [ns] lower-is-better\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].lat.p99.9 = 80000 [ns] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].slat.mean = 200.5 [ns] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].slat.stddev = 10 [ns] noise\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].slat.min = 100 [ns] context\n"
            "randread[rw=randread,bs=4k,iodepth=32,way=read].slat.max = 900 [ns] context\n"
            "randread.error = 0 gate lower-is-better\n"
            "randread.usr_cpu = 4.5 [%] context\n"
            "randread.sys_cpu = 20.5 [%] context\n"
            "capped[rw=write,bs=1m,iodepth=32,way=write].bw = 104857600 [B/s] context\n"
            "capped[rw=write,bs=1m,iodepth=32,way=write].iops = 100 [1/s] context\n"
            "capped[rw=write,bs=1m,iodepth=32,way=write].total_ios = 3000 context\n"
            "capped.error = 0 gate lower-is-better\n"
            "broken[rw=read,bs=1m,iodepth=32,way=read].bw = [B/s] higher-is-better failed '900'\n"
            "broken[rw=read,bs=1m,iodepth=32,way=read].iops = [1/s] context failed '9'\n"
            "broken[rw=read,bs=1m,iodepth=32,way=read].total_ios = context failed '9'\n"
            "broken.error = 5 gate lower-is-better\n"
            "context stack.fio = fio-3.36\n"
            "context workload.ioengine = libaio\n"
            "context workload.runtime = 30s\n"
            "headline randread[rw=randread,bs=4k,iodepth=32,way=read].iops\n"
            "headline broken[rw=read,bs=1m,iodepth=32,way=read].bw\n"
            "! offered_load\n");
}

TEST(Iperf3, the_receivers_rate_is_the_result) {
  EXPECT_EQ(rows("iperf3.json"),
            "iperf3\n"
            "tcp.bits_per_second = 9200000000 [bit/s] higher-is-better\n"
            "tcp.sent_bits_per_second = 9250000000 [bit/s] context\n"
            "tcp.retransmits = 12 lower-is-better\n"
            "tcp.interval_bits_per_second = 9100000000 9300000000 [bit/s] context\n"
            "cpu.host_total = 10.5 [%] context\n"
            "cpu.remote_total = 20.5 [%] context\n"
            "context stack.iperf3 = iperf 3.16\n"
            "context workload.block_size = 131072\n"
            "context workload.duration = 3\n"
            "context workload.protocol = TCP\n"
            "context workload.reverse = 0\n"
            "context workload.streams = 4\n"
            "headline tcp.bits_per_second\n");
}

TEST(Iperf3, udp_measures_what_was_offered) {
  EXPECT_EQ(rows("iperf3_udp.json"),
            "iperf3\n"
            "udp.bits_per_second = 1000000000 [bit/s] context\n"
            "udp.jitter = 0.015 [ms] lower-is-better\n"
            "udp.lost_percent = 0.3 [%] lower-is-better\n"
            "context stack.iperf3 = iperf 3.16\n"
            "context workload.block_size = 1460\n"
            "context workload.duration = 3\n"
            "context workload.protocol = UDP\n"
            "context workload.streams = 1\n"
            "! offered_load\n");
}

TEST(Iperf3, an_error_is_no_result) {
  EXPECT_EQ(rows("iperf3_failed.json"),
            "error: iperf3 failed: unable to connect to server: Connection refused (iperf3_failed.json:2)\n");
}

int headlines_of(const std::string& listing) {
  int count = 0;
  for (std::size_t at = listing.find("\nheadline "); at != std::string::npos; at = listing.find("\nheadline ", at + 1)) ++count;
  return count;
}

TEST(Perftest, a_unit_that_nothing_tells_stays_unknown) {
  const std::string text = listing_of(replaced(fixture("perftest.json"), "0.736046", "0.000000"), "perftest.json");
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=65536].bw_average = 385.9 higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "! unit_unknown\n")) << text;
  EXPECT_TRUE(has(listing_of(replaced(replaced(fixture("perftest_bw.txt"), "BW peak[MB/sec]", "BW peak[MiB/sec]"),
                                      "BW average[MB/sec]", "BW average[MiB/sec]")),
                  "RDMA_Write_BW[size=65536].bw_average = 45980.25 [MiB/s] higher-is-better\n"));
  std::string bits = fixture("perftest_lat.txt");
  EXPECT_EQ(problem(first_lines(bits, 3)),
            "run.log:1: no results of RDMA_Write_Latency | the test ended before it printed any: the other side may not have "
            "connected; see the log, and run it again");
}

TEST(Perftest, a_header_that_the_message_rate_refutes_is_corrected) {
  const std::string lie = replaced(replaced(fixture("perftest_bw.txt"), "BW peak[MB/sec]", "BW peak[Gb/sec]"),
                                   "BW average[MB/sec]", "BW average[Gb/sec]");
  const std::string text = listing_of(lie);
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=8388608].bw_average = 46890.75 [MiB/s] higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=65536].bw_peak = 46010.5 [MiB/s] context\n")) << text;
  EXPECT_EQ(warning_of(lie, "unit_mismatch"),
            "the header says Gbit/s, but by size and message rate they are MiB/s: 2 bandwidths were read as that, first "
            "\"RDMA_Write_BW[size=65536].bw_average\"");
  // Old releases count both directions in the bandwidth and one in the rate: twice is no lie.
  EXPECT_EQ(warning_of(replaced(fixture("perftest_bw.txt"), "45980.25", "91960.50"), "unit_mismatch"), "");
}

TEST(Perftest, a_bandwidth_that_is_no_unit_of_its_rate_is_no_result) {
  const std::string wrong = replaced(fixture("perftest_bw.txt"), "46890.75", "468907.5");
  const std::string text = listing_of(wrong);
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=8388608].bw_average = [MiB/s] higher-is-better failed '468907.5'\n")) << text;
  EXPECT_TRUE(has(text, "headline RDMA_Write_BW[size=8388608].bw_average\n")) << text;
  EXPECT_EQ(warning_of(wrong, "unit_mismatch"),
            "1 bandwidth is not size times message rate in any unit and not compared, first "
            "\"RDMA_Write_BW[size=8388608].bw_average\"");
}

TEST(Perftest, a_service_level_without_quotes_is_a_setting_of_the_point) {
  const std::string plain = R"({"MsgSize":65536,"n_iterations":5000,"BW_peak":386.2,"BW_average":385.9,"MsgRate":0.736046})";
  const std::string file = replaced(fixture("perftest.json"), plain,
                                    replaced(plain, "\"n_iter", "sl: 0,\n\"n_iter") + "," +
                                        replaced(replaced(plain, "385.9", "192.9"), "\"n_iter", "sl : 3 , \"n_iter"));
  const std::string text = listing_of(file);
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=65536,sl=0].bw_average = 385.9 [Gbit/s] higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=65536,sl=3].bw_average = 192.9 [Gbit/s] higher-is-better\n")) << text;
  // In test_info as well; what is inside strings stays what it is.
  const std::string info = replaced(fixture("perftest.json"), "\"Device\":\"mlx5_0\"", "sl: 0,\"Device\":\"{a: 1, b: \\\"2\"");
  EXPECT_TRUE(has(listing_of(info), "context hardware.nic = {a: 1, b: \"2\n")) << listing_of(info);
  // What is broken otherwise keeps its own error and place.
  EXPECT_EQ(problem(replaced(fixture("perftest.json"), "\"Device\":\"mlx5_0\"", "sl: @"), "p.json"),
            "p.json:1:43: expected a key in double quotes | JSON strings and keys need double quotes");
}

TEST(Perftest, a_table_of_service_levels_is_no_table_of_trials) {
  const std::string text = listing_of(
      "                    RDMA_Write BW Test\n"
      " #bytes    #sl      #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
      " 65536    0           5000           46010.50            45980.25                  0.735684\n"
      " 65536    1           5000           23005.25            22990.12                  0.367842\n");
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=65536,sl=0].bw_average = 45980.25 [MiB/s] higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "RDMA_Write_BW[size=65536,sl=1].bw_average = 22990.12 [MiB/s] higher-is-better\n")) << text;
}

TEST(Hpl, a_result_that_died_is_looked_at_all_the_same) {
  const std::string text = listing_of(replaced(fixture("hpl.txt"), "9.6625e+01", "       nan"));
  EXPECT_TRUE(has(text, "hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].gflops = [GFLOP/s] higher-is-better not_finite 'nan'\n"))
      << text;
  EXPECT_TRUE(has(text, "headline hpl[variant=WR11C2R4,n=20000,nb=192,p=2,q=2].gflops\n")) << text;
}

std::string state_of(const std::string& elements, const std::string& mean) {
  return R"({"device":0,"axis_values":[{"name":"Elements","type":"int64","value":")" + elements + R"("}],"is_skipped":)" +
         (mean.empty()
              ? R"(true,"skip_reason":"Out of memory.","summaries":null})"
              : R"(false,"summaries":[{"tag":"nv/cold/time/gpu/mean","hint":"duration","data":[{"name":"value","value":")" +
                    mean + R"("}]},{"tag":"nv/batch/time/gpu/mean","hint":"duration","data":[{"name":"value","value":"9"}]}]})");
}
std::string sweep_of(std::size_t states, const std::string& mean) {
  std::string text =
      R"({"meta":{"version":{"nvbench":{"string":"0.1.0"}}},"devices":[{"id":0,"name":"NVIDIA H200","sm_version":900}],)"
      R"("benchmarks":[{"name":"copy","states":[)";
  for (std::size_t i = 0; i < states; ++i) text += (i == 0 ? "" : ",") + state_of(std::to_string(i + 1), mean);
  return text + "]}]}";
}

TEST(Nvbench, few_states_are_headlines_and_many_have_one) {
  const std::string few = listing_of(sweep_of(8, "0.5"));
  EXPECT_EQ(headlines_of(few), 8) << few;
  EXPECT_TRUE(has(few, "headline copy[Elements=8].nv/cold/time/gpu/mean\n")) << few;
  const std::string many = listing_of(sweep_of(9, "0.5"));
  EXPECT_EQ(headlines_of(many), 1) << many;
  EXPECT_TRUE(has(many, "copy[derived=geomean,states=9].nv/cold/time/gpu/mean = 0.5 [s] lower-is-better\n")) << many;
  EXPECT_TRUE(has(many, "headline copy[derived=geomean,states=9].nv/cold/time/gpu/mean\n")) << many;
}

TEST(Nvbench, every_state_says_whether_it_was_skipped) {
  const std::string text = listing_of(sweep_of(2, ""));
  EXPECT_TRUE(has(text, "copy[Elements=1].skipped = 1 gate lower-is-better\n")) << text;
  EXPECT_TRUE(has(text, "copy[Elements=2].skip_reason = context text 'Out of memory.'\n")) << text;
  EXPECT_TRUE(has(listing_of(sweep_of(2, "0.5")), "copy[Elements=2].skipped = 0 gate lower-is-better\n"));
}

TEST(Headlines, a_matrix_is_spoken_for_by_its_slowest_cell) {
  // Run again in the same log, the derived row is of that run.
  const std::string p2p = fixture("p2p.txt");
  const std::string twice = listing_of(p2p + replaced(p2p, "740.25", "370.25"));
  EXPECT_TRUE(has(twice, "bidirectional[p2p=enabled,derived=slowest,cells=2].bandwidth = 740.25 [GB/s] higher-is-better\n"))
      << twice;
  EXPECT_TRUE(
      has(twice, "bidirectional[p2p=enabled,derived=slowest,cells=2,section=2].bandwidth = 370.25 [GB/s] higher-is-better\n"))
      << twice;
  EXPECT_EQ(headlines_of(twice), 6) << twice;
  // A cell that vanishes changes the key: that is a headline missing, not a matrix that got no slower.
  const std::string hole = listing_of(replaced(fixture("nvbandwidth.txt"), "55.10     54.90", "55.10       N/A"));
  EXPECT_TRUE(has(hole, "headline host_to_device_memcpy_ce[row=0,col=0].bandwidth\n")) << hole;
}

TEST(Headlines, there_are_at_most_eight_and_the_plain_copies_come_first) {
  std::string log = "nvbandwidth Version: v0.8\n";
  for (int i = 0; i < 12; ++i) {
    const std::string name = i == 11 ? "device_to_host_memcpy_ce" : "some_copy_" + std::to_string(i);
    log += "Running " + name + ".\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0         1\n 0     5" +
           std::to_string(i % 10) + ".10     54.90\n\n";
  }
  const std::string text = listing_of(log);
  EXPECT_EQ(headlines_of(text), 8) << text;
  EXPECT_TRUE(has(text, "headline device_to_host_memcpy_ce[derived=slowest,cells=2].bandwidth\n")) << text;
  EXPECT_TRUE(has(text, "headline some_copy_6[derived=slowest,cells=2].bandwidth\n")) << text;
  EXPECT_FALSE(has(text, "some_copy_7[derived")) << text;  // what is no headline is not derived
}

TEST(Headlines, copies_of_one_kind_and_the_best_triad_of_each_gpu) {
  const std::string text = listing_of(
      "gpu0_to_gpu1_write_by_dma 279.5\n"
      "gpu1_to_gpu0_write_by_dma 270.5\n"
      "gpu0_to_gpu1_write_by_dma 281.5\n"
      "gpu1_to_gpu0_write_by_dma 283.5\n"
      "STREAM_TRIAD_double_gpu_0_buffer_4096_block_128 6700.5 80.5\n"
      "STREAM_TRIAD_double_gpu_0_buffer_4096_block_256 6800.5 81.5\n");
  // Copies that were run again are trials of the derived row too.
  EXPECT_TRUE(has(text, "gpu_to_gpu_write_by_dma[derived=slowest,cells=2].bandwidth = 270.5 281.5 [GB/s] higher-is-better\n"))
      << text;
  EXPECT_TRUE(has(text, "STREAM_TRIAD_double[gpu=0,derived=fastest,cells=2].bandwidth = 6800.5 [GB/s] higher-is-better\n"))
      << text;
  EXPECT_EQ(headlines_of(text), 2) << text;
}

TEST(Headlines, of_sizes_the_largest_bandwidth_and_the_smallest_latency) {
  const std::string latency = listing_of(
      "# OSU MPI Latency Test v7.5\n# Size          Latency (us)\n0  1.10\n8  1.20\n4194304  210.5\n"
      "# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n1  5.5\n4194304  24500.5\n");
  EXPECT_TRUE(has(latency, "headline MPI Latency[size=0].latency\nheadline MPI Bandwidth[size=4194304].bandwidth\n")) << latency;
  const std::string timed = listing_of(
      "                    RDMA_Write Latency Test\n"
      " #bytes        #iterations       t_avg[usec]    tps average\n"
      " 2       1000            1.03        970873.79\n"
      " 4096    1000            3.03        330033.00\n");
  EXPECT_TRUE(has(timed, "headline RDMA_Write_Latency[size=2].t_avg\n")) << timed;
}

TEST(Stream, arrays_that_do_not_validate_have_no_rates) {
  const std::string text =
      listing_of(replaced(fixture("stream.txt"), "Solution Validates: avg error less than 1.000000e-13 on all three arrays",
                          "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)"));
  EXPECT_TRUE(has(text, "stream[threads=16,array_size=80000000].validates = 0 gate higher-is-better\n")) << text;
  EXPECT_TRUE(has(text, "Triad[threads=16,array_size=80000000].best_rate = [MB/s] higher-is-better failed '190000.0'\n")) << text;
}

TEST(Microbenchmarks, runs_without_results_say_what_is_missing) {
  EXPECT_EQ(problem(first_lines(fixture("stream.txt"), 9)),
            "run.log:2: no table of rates | the run ended before \"Function    Best Rate MB/s\"; run it again and look at what "
            "it says");
  EXPECT_EQ(problem(first_lines(fixture("hpl.txt"), 5)),
            "run.log: no finished configuration | HPL prints a row \"WR…  N  NB  P  Q  Time  Gflops\" when one is done: the run "
            "ended before; run it again and look "
            "at what it says");
  EXPECT_EQ(
      problem(first_lines(fixture("osu.txt"), 4)),
      "run.log:1: no results of MPI-CUDA Latency | the test ended before its first size: see the log for why, and run it again");
  EXPECT_EQ(problem(first_lines(fixture("nvbandwidth.txt"), 12)),
            "run.log:11: no matrix of results | the run ended before its first test was done, or all tests were waived: run "
            "nvbandwidth again and look at what it says");
  EXPECT_EQ(problem(first_lines(fixture("p2p.txt"), 8)),
            "run.log: no matrix of results | the run ended before its first matrix; run it again and look at what it says");
  EXPECT_EQ(problem(R"({"fio version": "fio-3.36", "jobs": []})"),
            "run.log: no \"jobs\" | fio writes them when the run is over: it was stopped before; run it again and look at what "
            "it says");
  EXPECT_EQ(problem(R"({"DCGM GPU Diagnostic": {"version": "3.3.5"}})"),
            "run.log: the diagnostic has no test results | dcgmi refused to run, or was stopped: look at what it said, and run "
            "it again");
}

const std::string kFixtures[] = {
    "nccl_tests.txt",   "nccl_tests_old.txt", "nccl_tests.json",  "rccl_tests.jsonl",  "nvbandwidth.txt",
    "nvbandwidth.json", "nvbench.json",       "p2p.txt",          "bandwidthtest.txt", "bandwidthtest_csv.txt",
    "dcgm_diag.json",   "perftest_bw.txt",    "perftest_lat.txt", "perftest.json",     "osu.txt",
    "osu_mbw.txt",      "stream.txt",         "hpl.txt",          "gpu_copy.txt",      "fio.json",
    "iperf3.json",      "iperf3_udp.json"};

TEST(Microbenchmarks, no_two_formats_claim_one_file) {
  for (const std::string& name : kFixtures) {
    const std::string text = fixture(name);
    Input input;
    input.name = "unnamed";  // by content alone
    input.bytes = text;
    std::string claims;
    for (const Format* format : table()) {
      if (detect_as(*format, input).score >= 0.9) claims += std::string(format->name) + " ";
    }
    EXPECT_EQ(std::count(claims.begin(), claims.end(), ' '), 1) << name << ": " << claims;
    const auto found = detect(input);
    ASSERT_TRUE(found) << name;
    EXPECT_FALSE(found->info.evidence.empty()) << name;
  }
}

// An error with its place or rows; never nothing, never a crash.
TEST(Microbenchmarks, cut_at_every_byte_they_are_errors_or_rows) {
  for (const std::string& name : kFixtures) {
    const std::string whole = fixture(name);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      Input input;
      input.name = name;
      input.bytes = std::string_view(whole).substr(0, length);
      const auto m = read(input, {});
      if (m) {
        ASSERT_FALSE(m->rows().empty()) << name << " cut at " << length;
      } else {
        ASSERT_FALSE(m.error().message.empty()) << name << " cut at " << length;
        ASSERT_TRUE(m.error().where.starts_with(name)) << name << " cut at " << length << ": " << m.error().where;
      }
    }
  }
}

}  // namespace
}  // namespace plumbline::formats
