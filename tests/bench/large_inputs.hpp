// Large inputs in the shape of the real things, made anew in each run from a fixed seed: what the reader benches read.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace plumbline::bench {

inline constexpr std::size_t kMegabyte = 1'000'000;

// A small generator of its own: the same bytes on every machine and standard library.
class Random {
 public:
  double unit() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }
  double near(double value, double share) { return value * (1 + share * (unit() - 0.5)); }

 private:
  std::uint64_t state_ = 42;
};

template <class... Values>
void print(std::string& into, const char* format, Values... values) {
  std::array<char, 1024> line{};
  const int length = std::snprintf(line.data(), line.size(), format, values...);
  into.append(line.data(), static_cast<std::size_t>(length));
}

inline void nccl_banner(std::string& out) {
  out +=
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 "
      "graph: 0\n#\n# Using devices\n";
  for (int rank = 0; rank < 8; ++rank)
    print(out, "#  Rank  %d Group  0 Pid  41%d on node-1 device  %d [0x%d] NVIDIA H100 80GB HBM3\n", rank, rank, rank, rank);
  out +=
      "#\n#                                                              out-of-place                       in-place\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
}
inline void nccl_row(std::string& out, Random& random, int power) {
  const double size = static_cast<double>(8ULL << power);
  const double time = random.near(20 + size / 3e5, 0.02), rate = size / time / 1e3;
  print(out, "%12.0f  %12.0f     float     sum      -1   %6.2f  %6.2f  %6.2f      0   %6.2f  %6.2f  %6.2f      0\n", size,
        size / 4, time, rate, rate * 1.75, time * 1.01, rate / 1.01, rate * 1.75 / 1.01);
}
inline constexpr std::string_view kNcclEnd = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 161.301\n#\n";

// One run whose table is printed over and over (-N): a point has as many trials as there are rounds.
inline std::string nccl_rounds(std::size_t bytes) {
  std::string out;
  out.reserve(bytes + 4096);
  Random random;
  nccl_banner(out);
  while (out.size() < bytes) {
    for (int power = 0; power <= 30; ++power) nccl_row(out, random, power);
  }
  out += kNcclEnd;
  return out;
}
// Runs one after another in one log: every point of every run is a row of its own. The densest text there is.
inline std::string nccl_runs(std::size_t bytes) {
  std::string out;
  out.reserve(bytes + 8192);
  Random random;
  while (out.size() < bytes) {
    nccl_banner(out);
    for (int power = 0; power <= 30; ++power) nccl_row(out, random, power);
    out += kNcclEnd;
  }
  return out;
}
// What a job leaves with NCCL_DEBUG=INFO: a table now and then among what eight ranks say.
inline std::string nccl_debug(std::size_t bytes) {
  std::string out;
  out.reserve(bytes + 65536);
  Random random;
  while (out.size() < bytes) {
    nccl_banner(out);
    for (int channel = 0; channel < 32; ++channel) {
      for (int rank = 0; rank < 8; ++rank) {
        print(out, "node-1:41%d:42%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM/read\n", rank, rank, rank,
              channel, rank, rank, (rank + 1) % 8, (rank + 1) % 8);
      }
    }
    for (int power = 0; power <= 30; ++power) nccl_row(out, random, power);
    out += kNcclEnd;
  }
  return out;
}

inline std::string go_bench(std::size_t bytes, int names) {
  std::string out = "goos: linux\ngoarch: amd64\npkg: example.org/codec\ncpu: AMD EPYC\n";
  out.reserve(bytes + 4096);
  Random random;
  while (out.size() < bytes) {
    for (int name = 0; name < names; ++name) {
      print(out, "BenchmarkDecode/shape=%d/level=%d-8         \t%8d\t%12.1f ns/op\t%8.2f MB/s\t%8d B/op\t%8d allocs/op\n",
            name / 4, name % 4, 1000 + name, random.near(1200 + name, 0.05), random.near(300, 0.05), 2048 + name, 12);
    }
  }
  out += "PASS\nok  \texample.org/codec\t812.411s\n";
  return out;
}

// As --benchmark_format=json --benchmark_repetitions writes it.
inline std::string google_benchmark(std::size_t names, int repetitions) {
  std::string out =
      "{\n  \"context\": {\n    \"date\": \"2026-01-31T10:00:00+00:00\",\n    \"host_name\": \"node-1\",\n    \"num_cpus\": 64,\n"
      "    \"mhz_per_cpu\": 2600,\n    \"library_build_type\": \"release\"\n  },\n  \"benchmarks\": [\n";
  Random random;
  for (std::size_t name = 0; name < names; ++name) {
    const int first = static_cast<int>(name);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      if (name + static_cast<std::size_t>(repetition) > 0) out += ",\n";
      const double time = random.near(100 + static_cast<double>(name), 0.03);
      print(
          out,
          "    {\n      \"name\": \"BM_Case%d/size:%d\",\n      \"family_index\": %d,\n      \"per_family_instance_index\": 0,\n"
          "      \"run_name\": \"BM_Case%d/size:%d\",\n      \"run_type\": \"iteration\",\n      \"repetitions\": %d,\n"
          "      \"repetition_index\": %d,\n      \"threads\": 1,\n      \"iterations\": %d,\n"
          "      \"real_time\": %.16e,\n      \"cpu_time\": %.16e,\n      \"time_unit\": \"ns\"\n    }",
          first / 8, 64 << (first % 8), first, first / 8, 64 << (first % 8), repetitions, repetition, 1000 + first, time,
          time * 0.998);
    }
  }
  return out + "\n  ]\n}\n";
}

// `vllm bench serve --save-detailed`: a few figures, and arrays of every request beside them.
inline std::string vllm_detailed(std::size_t bytes) {
  std::string lengths, ttfts, itls, texts, errors;
  Random random;
  std::size_t requests = 0;
  while (itls.size() + texts.size() < bytes) {
    const char* comma = requests++ == 0 ? "" : ", ";
    print(lengths, "%s%d", comma, 512 + static_cast<int>(random.unit() * 512));
    print(ttfts, "%s%.17g", comma, random.near(0.05, 0.3));
    itls += requests == 1 ? "[" : ", [";
    for (int token = 0; token < 255; ++token) print(itls, "%s%.17g", token == 0 ? "" : ", ", random.near(0.011, 0.2));
    itls += "]";
    texts += comma;
    texts += "\" The scheduler looks at each request in turn.\\n\\nIt weighs \\\"";
    for (int word = 0; word < 220; ++word) print(texts, "%s%d", word % 13 == 0 ? " token" : " of ", word);
    texts += "\\\" and goes on.\"";
    errors += requests == 1 ? "\"\"" : ", \"\"";
  }
  std::string out =
      "{\"date\": \"20260131-100000\", \"endpoint_type\": \"vllm\", \"model_id\": \"example/model\", \"num_prompts\": " +
      std::to_string(requests) +
      ", \"request_rate\": \"inf\", \"burstiness\": 1.0, \"max_concurrency\": 64, \"duration\": 812.25, \"completed\": " +
      std::to_string(requests) + ", \"failed\": 0";
  out +=
      ", \"total_input_tokens\": 4096000, \"total_output_tokens\": 1048576, \"request_throughput\": 12.6, \"output_throughput\": "
      "1290.9, \"total_token_throughput\": 6333.7";
  for (const std::string_view name : {"ttft", "tpot", "itl"}) {
    print(out, ", \"mean_%s_ms\": 52.1, \"median_%s_ms\": 50.3, \"std_%s_ms\": 4.2, \"p99_%s_ms\": 71.9", name.data(),
          name.data(), name.data(), name.data());
  }
  out += ", \"input_lens\": [" + lengths + "], \"output_lens\": [" + lengths + "], \"ttfts\": [" + ttfts + "], \"itls\": [" +
         itls + "], \"generated_texts\": [" + texts + "], \"errors\": [" + errors + "]}\n";
  return out;
}

// Numbers under names of their own: as many rows as a text can hold.
inline std::string flat_json(std::size_t bytes) {
  std::string out = "{";
  out.reserve(bytes + 4096);
  Random random;
  for (int i = 0; out.size() < bytes; ++i)
    print(out, "%s\"metric_%d\": %.3f", i > 0 ? ", " : "", 10'000'000 + i, random.near(500, 1));
  return out + "}";
}
// Records of a sweep with samples: points with trials, as most result files are.
inline std::string record_json(std::size_t bytes) {
  std::string out = "{\"model\": \"example\", \"results\": [";
  out.reserve(bytes + 4096);
  Random random;
  for (int i = 0; out.size() < bytes; ++i) {
    print(out, "%s{\"concurrency\": %d, \"isl\": %d, \"latency_ms\": [", i > 0 ? ", " : "", i, 128 << (i % 4));
    for (int sample = 0; sample < 20; ++sample) print(out, "%s%.6f", sample > 0 ? ", " : "", random.near(12, 0.2));
    print(out, "], \"throughput\": %.4f}", random.near(900, 0.1));
  }
  return out + "]}";
}

inline std::string table_csv(std::size_t bytes) {
  std::string out = "size,concurrency,latency (ms),throughput (req/s),power (W)\n";
  out.reserve(bytes + 4096);
  Random random;
  for (int i = 0; out.size() < bytes; ++i) {
    print(out, "%d,%d,%.4f,%.3f,%.1f\n", i, 1 << (i % 8), random.near(10, 0.3), random.near(900, 0.1), random.near(600, 0.1));
  }
  return out;
}

}  // namespace plumbline::bench
