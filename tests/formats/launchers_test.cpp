// What launchers and log collectors put before every line of a tool's output is taken off, whichever it is; the lines of several
// tasks are never mixed without a word. Labels are as mpiexec -prepend-rank (Hydra), mpiexec -l, aprun, torchrun --tee, kubectl
// logs
// --prefix, Jenkins, Ray, pdsh, clush, docker compose, stern and ts print them.
#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

// Every line with a label before it; of two labels each line comes twice, with other numbers behind the second.
std::string labelled(const std::string& text, const std::string& label) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    out += label + text.substr(at, end - at);
    at = end;
  }
  return out;
}
std::string interleaved(const std::string& one, const std::string& other) {
  std::string out;
  std::size_t b = 0;
  for (std::size_t a = 0; a < one.size();) {
    const std::size_t end = one.find('\n', a) + 1, behind = other.find('\n', b) + 1;
    out += one.substr(a, end - a) + other.substr(b, behind - b);
    a = end;
    b = behind;
  }
  return out;
}

const char* const kOsu =
    "# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
    "1                       1.5\n2                       1.75\n4                       2.25\n";
const char* const kStream =
    "STREAM version $Revision: 5.10 $\nArray size = 10000000 (elements), Offset = 0 (elements)\n"
    "Number of Threads requested = 8\nFunction    Best Rate MB/s  Avg time     Min time     Max time\n"
    "Copy:           20000.5     0.008100     0.008000     0.008300\n"
    "Scale:          15000.5     0.010700     0.010600     0.010900\n"
    "Add:            17000.5     0.014200     0.014100     0.014300\n"
    "Triad:          17100.5     0.014100     0.014000     0.014400\n"
    "Solution Validates: avg error less than 1.000000e-13 on all three arrays\n";

const std::string kLabels[] = {"[0] ",
                               "[0]",
                               "[0]: ",
                               "[default0]:",
                               "[rank3]:",
                               "[pod/nccl-test-launcher/main] ",
                               "[2026-01-31T10:00:00.123Z] ",
                               "(Worker pid=1234, ip=10.0.0.1) ",
                               "node001: ",
                               "worker-0: ",
                               "0: ",
                               "[1,0]<stdout>:",
                               "2026-01-31T10:00:00.123456789Z 0: ",
                               "[2026-01-31T10:00:00.123Z] [0] ",
                               "node001: [1,0]<stdout>:",
                               "bench-1  | ",
                               "nccl-launcher-7f5c main ",
                               "Nov 24 16:00:00 ",
                               "2026-11-24T16:00:00.123 "};

TEST(Launchers, a_label_of_every_line_is_taken_off) {
  for (const char* const text : {kOsu, kStream}) {
    const std::string plain = listing_of(text, "run.log");
    for (const std::string& label : kLabels) {
      EXPECT_EQ(listing_of(labelled(text, label), "run.log"), plain) << core::quoted(label);
    }
    for (const char* const name : {"nccl_tests.txt", "hpl.txt"}) {
      for (const std::string label : {"[0] ", "[default0]:", "node001: "}) {
        EXPECT_EQ(listing_of(labelled(fixture(name), label), name), listing_of(fixture(name), name)) << name << label;
      }
    }
  }
}

TEST(Launchers, two_tasks_are_never_mixed_without_a_word) {
  const std::pair<std::string, std::string> both[] = {{"[0] ", "[1] "},
                                                      {"[default0]:", "[default1]:"},
                                                      {"0: ", "1: "},
                                                      {"[1,0]<stdout>:", "[1,1]<stdout>:"},
                                                      {"node1: ", "node2: "},
                                                      {"[pod/a-0/main] ", "[pod/a-1/main] "},
                                                      {"bench-1  | ", "bench-2  | "},
                                                      {"bench-0 main ", "bench-1 main "},
                                                      {"2026-01-31T10:00:00.1Z 0: ", "2026-01-31T10:00:00.1Z 1: "}};
  for (const auto& [one, other] : both) {
    for (const std::string& text : {std::string(kOsu), std::string(kStream), fixture("nccl_tests.txt"), fixture("hpl.txt")}) {
      const std::string mixed = interleaved(labelled(text, one), labelled(text, other));
      EXPECT_NE(warning_of(mixed, "several_tasks"), "") << one << text.substr(0, 40);
    }
  }
  EXPECT_EQ(warning_of(interleaved(labelled(kOsu, "[0] "), labelled(kOsu, "[1] ")), "several_tasks"),
            "2 tasks of a launcher print the same results ([0] and [1]): what they say of one point are its trials, or sections; "
            "give one task's lines to compare that one");
}

TEST(Launchers, a_go_benchmark_behind_compose_stern_and_ts_is_read) {
  const std::string go =
      "goos: linux\ngoarch: amd64\nBenchmarkFib10-8   \t 5000000\t 325 ns/op\nBenchmarkFib20-8   \t 30000\t 40537 ns/op\nPASS\n"
      "ok  \texample.com/fib\t3.614s\n";
  const std::string plain = listing_of(go, "run.log");
  for (const std::string label :
       {"bench-1  | ", "bench-7f5c main ", "Nov 24 16:00:00 ", "2026-11-24 16:00:00 ", "Nov 24 16:00:00.123456 "}) {
    EXPECT_EQ(listing_of(labelled(go, label), "run.log"), plain) << label;
  }
}

TEST(Launchers, what_only_looks_like_a_label_stays) {
  // Words that are names.
  const auto sorts = measured("quick-sort time 5 ms\nmerge-sort time 6 ms\nheap-sort time 7 ms\n");
  const auto plain_sorts = measured("quick_sort time 5 ms\nmerge_sort time 6 ms\nheap_sort time 7 ms\n");
  EXPECT_EQ(bool(sorts), bool(plain_sorts));
  // Names and their values, a table of one column, an array over several lines.
  EXPECT_EQ(listing_of("gpu0: 12.5\ngpu1: 13.5\ngpu2: 14.5\n", "run.log"),
            listing_of("gpu0=12.5\ngpu1=13.5\ngpu2=14.5\n", "run.log"));
  const auto m = measured("[\n[0],\n[1],\n[2]\n]\n", "values.json");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->rows().size(), 3U);
  EXPECT_EQ(warning_of("node1: 12.5\nnode1: 13.5\nnode1: 14.5\n", "several_tasks"), "");
  std::string parts;
  for (const char* const gpu : {"gpu0", "gpu1"}) {
    for (const char* const line : {": power = 300\n", ": clock = 1980\n", ": memory = 12\n"}) parts += std::string(gpu) + line;
  }
  EXPECT_FALSE(measured(parts)) << "parts of one machine are no tasks, whose numbers would be trials";
  const auto arrays = measured("[5]\n[5]\n[6]\n", "values.jsonl");
  ASSERT_TRUE(arrays);
  EXPECT_EQ(arrays->rows().size(), 3U);
}

}  // namespace
}  // namespace plumbline::formats
