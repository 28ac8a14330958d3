// Tables of Nsight Compute: the details page, the raw page, and what changed between two of them.
#include <algorithm>

#include "profiles/diff/metrics.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/readers/tables/ncu_values.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

const std::string kDetails =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\","
    "\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\"\n";
std::string detail(const std::string& id, const std::string& section, const std::string& metric, const std::string& unit,
                   const std::string& value, const std::string& kernel = "gemm(int, int)") {
  return "\"" + id + "\",\"7\",\"a.out\",\"127.0.0.1\",\"" + kernel +
         "\",\"1\",\"7\",\"(256, 1, 1)\",\"(1024, 1, 1)\",\"0\",\"9.0\",\"" + section + "\",\"" + metric + "\",\"" + unit +
         "\",\"" + value + "\",\n";
}
const KernelMetric* find(const std::vector<KernelMetric>& metrics, std::string_view name, std::string_view unit = {}) {
  for (const KernelMetric& each : metrics) {
    if (each.metric == name && (unit.empty() || each.unit == unit)) return &each;
  }
  return nullptr;
}
const core::ProfileMetric* find(const std::vector<core::ProfileMetric>& rows, std::string_view name) {
  for (const core::ProfileMetric& each : rows) {
    if (each.metric == name) return &each;
  }
  return nullptr;
}

TEST(NcuUnits, BecomeBaseUnits) {
  struct Case {
    const char *text, *unit;
    double factor;
  };
  for (const Case& each : {Case{"nsecond", "ns", 1},
                           Case{"ns", "ns", 1},
                           Case{"usecond", "ns", 1e3},
                           Case{"us", "ns", 1e3},
                           Case{"msecond", "ns", 1e6},
                           Case{"ms", "ns", 1e6},
                           Case{"second", "ns", 1e9},
                           Case{"s", "ns", 1e9},
                           Case{"byte", "byte", 1},
                           Case{"Kbyte", "byte", 1e3},
                           Case{"Mbyte", "byte", 1e6},
                           Case{"Gbyte/second", "byte/s", 1e9},
                           Case{"Gbyte/s", "byte/s", 1e9},
                           Case{"byte/nsecond", "byte/s", 1e9},
                           Case{"byte/s", "byte/s", 1},
                           Case{"cycle/nsecond", "hz", 1e9},
                           Case{"cycle/usecond", "hz", 1e6},
                           Case{"Ghz", "hz", 1e9},
                           Case{"Mhz", "hz", 1e6},
                           Case{"hz", "hz", 1},
                           Case{"Kbyte/block", "byte/block", 1e3},
                           Case{"register/thread", "register/thread", 1},
                           Case{"%", "%", 1},
                           Case{"", "", 1},
                           Case{"inst/cycle", "inst/cycle", 1},
                           Case{"warp", "warp", 1},
                           Case{"Kinst", "inst", 1e3},
                           Case{"msg", "msg", 1}}) {
    EXPECT_EQ(ncu_unit(each.text).unit, each.unit) << each.text;
    EXPECT_EQ(ncu_unit(each.text).factor, each.factor) << each.text;
  }
}

TEST(NcuNumbers, AreReadInEitherLocale) {
  struct Case {
    const char* text;
    DecimalMark shows, mark;
    NcuNumber::Kind kind;
    double value;
  };
  using Kind = NcuNumber::Kind;
  for (const Case& each : {Case{"4,963,609,951.19", DecimalMark::point, DecimalMark::point, Kind::number, 4963609951.19},
                           Case{"4.963.609.951,19", DecimalMark::comma, DecimalMark::comma, Kind::number, 4963609951.19},
                           Case{"21,058,944", DecimalMark::point, DecimalMark::open, Kind::number, 21058944},
                           Case{"21.058.944", DecimalMark::comma, DecimalMark::comma, Kind::number, 21058944},
                           Case{"61.84", DecimalMark::point, DecimalMark::point, Kind::number, 61.84},
                           Case{"61,84", DecimalMark::comma, DecimalMark::comma, Kind::number, 61.84},
                           Case{"12,319", DecimalMark::open, DecimalMark::open, Kind::number, 12319},
                           Case{"12.319", DecimalMark::open, DecimalMark::comma, Kind::number, 12319},
                           Case{"0.319", DecimalMark::point, DecimalMark::point, Kind::number, 0.319},
                           Case{"1234.567", DecimalMark::point, DecimalMark::point, Kind::number, 1234.567},
                           Case{"4.0e-05", DecimalMark::point, DecimalMark::point, Kind::number, 4.0e-05},
                           Case{"256 (64;64;64;64)", DecimalMark::open, DecimalMark::point, Kind::number, 256},
                           Case{"n/a", DecimalMark::open, DecimalMark::point, Kind::missing, 0},
                           Case{"nan", DecimalMark::open, DecimalMark::point, Kind::missing, 0},
                           Case{"", DecimalMark::open, DecimalMark::point, Kind::missing, 0},
                           Case{"CachePreferNone", DecimalMark::open, DecimalMark::point, Kind::word, 0}}) {
    EXPECT_EQ(decimal_mark(each.text), each.shows) << each.text;
    EXPECT_EQ(ncu_number(each.text, each.mark).kind, each.kind) << each.text;
    EXPECT_EQ(ncu_number(each.text, each.mark).value, each.value) << each.text;
  }
}

TEST(NcuDetails, OneValueALaunch) {
  const auto profile = read_ncu_text(
      "hello from the program\n==PROF== Connected to process 7\n==PROF== Profiling \"gemm\": 0%....100% - 9 passes\n" + kDetails +
          detail("0", "GPU Speed Of Light Throughput", "Duration", "usecond", "2.50") +
          detail("0", "GPU Speed Of Light Throughput", "Memory Throughput", "%", "61.84") +
          detail("0", "Memory Workload Analysis", "Memory Throughput", "Gbyte/second", "196.46") +
          "\"0\",\"7\",\"a.out\",\"127.0.0.1\",\"gemm(int, int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(1024, 1, "
          "1)\",\"0\",\"9.0\",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\"\n" +
          detail("0", "Launch Statistics", "Function Cache Configuration", "", "CachePreferNone") +
          detail("1", "GPU Speed Of Light Throughput", "Duration", "usecond", "3.50") +
          detail("1", "GPU Speed Of Light Throughput", "Memory Throughput", "%", "n/a") +
          detail("1", "GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", "1,000") +
          detail("1", "GPU and Memory Workload Distribution", "Elapsed Cycles", "cycle", "1,000") +
          detail("1", "Other", "Elapsed Cycles", "cycle", "2,000") + "==WARNING== something\n\"2\",\"7\",\"a.out\"\n",
      "x.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "ncu-csv");
  EXPECT_EQ(profile->info.kernels, 2U);
  EXPECT_EQ(profile->info.kernel_ns, 6000);
  ASSERT_EQ(profile->kernels.size(), 1U);
  EXPECT_EQ(profile->kernels[0].name, "gemm(int, int)");
  EXPECT_EQ(profile->kernels[0].aggregate.count, 2U);
  EXPECT_EQ(profile->kernels[0].aggregate.median, 3000);
  EXPECT_EQ(profile->kernels[0].shapes.at(0).name, "(1024,1,1)x(256,1,1)");
  EXPECT_EQ(find(profile->metrics, "Duration")->values, (std::vector<double>{2500, 3500}));
  EXPECT_EQ(find(profile->metrics, "Memory Throughput", "%")->values, std::vector<double>{61.84});
  EXPECT_EQ(find(profile->metrics, "Memory Throughput", "byte/s")->values, std::vector<double>{196460000000});
  EXPECT_EQ(find(profile->metrics, "Elapsed Cycles")->values, std::vector<double>{1000});
  EXPECT_EQ(find(profile->metrics, "Other / Elapsed Cycles")->values, std::vector<double>{2000});
  ASSERT_EQ(profile->warnings.size(), 4U);
  EXPECT_EQ(profile->warnings[0].message,
            "a kernel profiler replays launches one by one with caches flushed and clocks locked: its durations compare kernels, "
            "not the time of a program");
  EXPECT_EQ(profile->warnings[1].message, "1 metric is no numbers and not compared: \"Function Cache Configuration\"");
  EXPECT_EQ(profile->warnings[2].message, "1 cell holds no number (N/A)");
  EXPECT_EQ(profile->warnings[3].message, "1 row is cut short before the metric and left out");
}

const std::string kRaw =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\","
    "\"Device\",\"CC\",\"device__attribute_warp_size\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\","
    "\"launch__registers_per_thread\",\"smsp__inst_executed.sum\",\"launch__func_cache_config\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\",\"register/thread\",\"inst\",\"\"\n"
    "\"0\",\"7\",\"a.out\",\"127.0.0.1\",\"gemm\",\"1\",\"7\",\"(256, 1, 1)\",\"(4, 1, "
    "1)\",\"0\",\"9.0\",\"32\",\"1.5\",\"2.25\",\"64\","
    "\"256 (64;64;64;64)\",\"CachePreferNone\"\n"
    "\"1\",\"7\",\"a.out\",\"127.0.0.1\",\"gemm\",\"1\",\"7\",\"(256, 1, 1)\",\"(8, 1, "
    "1)\",\"0\",\"9.0\",\"32\",\"\",\"4.5\",\"64\",\"n/a\","
    "\"CachePreferNone\"\n";

TEST(NcuRaw, AColumnAMetric) {
  const auto profile = read_ncu_text("==PROF== Connected\n" + kRaw, "x.csv");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.kernels, 2U);
  EXPECT_EQ(profile->info.kernel_ns, 6750);
  EXPECT_EQ(profile->kernels.at(0).shapes.size(), 2U);
  const KernelMetric* bytes = find(profile->metrics, "dram__bytes_read.sum");
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(bytes->shape, "(4,1,1)x(256,1,1)");
  EXPECT_EQ(bytes->unit, "byte");
  EXPECT_EQ(bytes->values, std::vector<double>{1500000});
  EXPECT_EQ(find(profile->metrics, "smsp__inst_executed.sum")->values, std::vector<double>{256});
  EXPECT_EQ(find(profile->metrics, "device__attribute_warp_size"), nullptr);
}

TEST(NcuTables, AreRecognisedAndRefusedWithReasons) {
  Scratch scratch;
  EXPECT_TRUE(is_capture(scratch.write("raw.csv", kRaw)));
  EXPECT_TRUE(is_capture(scratch.write("details.csv", "==PROF== Connected\n" + kDetails)));
  const auto none = read(scratch / "details.csv", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "the table holds no metrics: a capture bug until proven otherwise; it holds nothing that can be compared");
  const auto rules = read_ncu_text(kDetails + detail("0", "s", "", "", ""), "x.csv");
  ASSERT_FALSE(rules);
  EXPECT_EQ(rules.error().message, "the table holds no metrics: a capture bug until proven otherwise; it holds 1 launch");
  const auto mixed = read_ncu_text(kDetails + detail("0", "s", "A", "%", "61.84") + detail("0", "s", "B", "%", "61,84"), "x.csv");
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().message, "the values write decimals in two ways: \"61.84\" and \"61,84\"");
  EXPECT_EQ(mixed.error().where, "x.csv:3");
  const auto negative = read_ncu_text(kDetails + detail("0", "s", "Duration", "ns", "-5"), "x.csv");
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().message, "kernel \"gemm(int, int)\": a duration of -5 ns makes no sense");
  const auto other = read_ncu_text("a,b,c\n", "x.csv");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "no line of the file is the header of a table of Nsight Compute");
  const auto cut = read_ncu_text(kDetails + "\"0\",\"7", "x.csv");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "a quoted field is not closed: the file is cut short");
}

TEST(NcuTables, InAnotherLocaleAreTheSame) {
  const auto point = read_ncu_text(kDetails + detail("0", "s", "A", "%", "61.84") + detail("0", "s", "B", "", "12,319"), "x.csv");
  const auto comma = read_ncu_text(kDetails + detail("0", "s", "A", "%", "61,84") + detail("0", "s", "B", "", "12.319"), "x.csv");
  ASSERT_TRUE(point && comma);
  for (const char* name : {"A", "B"}) EXPECT_EQ(find(point->metrics, name)->values, find(comma->metrics, name)->values);
}

KernelMetric metric(std::string kernel, std::string name, std::string unit, std::vector<double> values,
                    std::string shape = "(4,1,1)x(256,1,1)") {
  return {std::move(kernel), std::move(shape), std::move(name), std::move(unit), std::move(values)};
}

TEST(MetricDiff, MatchesMediansAndSortsByImportance) {
  const std::vector<KernelMetric> before = {metric("k", "Elapsed Cycles", "cycle", {100, 300, 200}),
                                            metric("k", "weird", "", {1}), metric("k", "Duration", "ns", {100, 200}),
                                            metric("k", "gone", "", {1}),
                                            metric("k", "Registers Per Thread", "register/thread", {32})};
  const std::vector<KernelMetric> after = {metric("k", "Registers Per Thread", "register/thread", {64}),
                                           metric("k", "weird", "", {5}), metric("k", "gpu__time_duration.sum", "ns", {300}),
                                           metric("k", "fresh", "", {0}), metric("k", "Elapsed Cycles", "cycle", {200})};
  const auto rows = diff_metrics(before, after);
  std::vector<std::string> order;
  for (const core::ProfileMetric& row : rows) order.push_back(row.metric);
  EXPECT_EQ(order, (std::vector<std::string>{"gpu__time_duration.sum", "Registers Per Thread", "Elapsed Cycles", "weird", "fresh",
                                             "gone"}));
  EXPECT_EQ(rows[0].baseline, 150);
  EXPECT_EQ(rows[0].candidate, 300);
  EXPECT_EQ(rows[0].delta, 150);
  EXPECT_EQ(rows[0].pct, 100);
  EXPECT_EQ(rows[0].baseline_count, 2U);
  EXPECT_EQ(rows[0].state, "matched");
  EXPECT_EQ(rows[2].delta, 0);
  EXPECT_EQ(rows[4].state, "new");
  EXPECT_FALSE(rows[4].pct);
  EXPECT_EQ(rows[5].state, "vanished");
  EXPECT_EQ(duration_change_pct(rows), 100);

  const auto back = diff_metrics(after, before);
  ASSERT_EQ(back.size(), rows.size());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(back[i].metric, rows[i].metric);
    EXPECT_EQ(*back[i].delta, -*rows[i].delta);
    EXPECT_EQ(back[i].baseline, rows[i].candidate);
  }
  EXPECT_EQ(duration_change_pct(back), -50);
  EXPECT_FALSE(duration_change_pct({}));
}

TEST(MetricDiff, FindsKernelsUnderOtherNamesAndInOtherShapes) {
  const auto renamed =
      diff_metrics({metric("void gemm<(int)4>(float*)", "Duration", "ns", {100})}, {metric("gemm<4>", "Duration", "ns", {90})});
  ASSERT_EQ(renamed.size(), 1U);
  EXPECT_EQ(renamed[0].kernel, "gemm<4>");
  EXPECT_EQ(renamed[0].delta, -10);
  const auto reshaped =
      diff_metrics({metric("k", "Duration", "ns", {100}, "(8,1,1)x(64,1,1)")}, {metric("k", "Duration", "ns", {90})});
  ASSERT_EQ(reshaped.size(), 1U);
  EXPECT_EQ(reshaped[0].shape, "(8,1,1)x(64,1,1) -> (4,1,1)x(256,1,1)");
  EXPECT_EQ(reshaped[0].delta, -10);
  const auto several = diff_metrics({metric("k", "Duration", "ns", {100}, "a"), metric("k", "Duration", "ns", {50}, "b")},
                                    {metric("k", "Duration", "ns", {90}, "b")});
  ASSERT_EQ(several.size(), 2U);
  EXPECT_EQ(several[0].shape, "b");
  EXPECT_EQ(several[0].state, "matched");
  EXPECT_EQ(several[1].shape, "a");
  EXPECT_EQ(several[1].state, "vanished");
}

TEST(MetricDiff, SpeedOfLightIsByItsName) {
  EXPECT_TRUE(is_speed_of_light("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"));
  EXPECT_TRUE(is_speed_of_light("DRAM Throughput", "%"));
  EXPECT_TRUE(is_speed_of_light("Memory Throughput", "%"));
  EXPECT_FALSE(is_speed_of_light("Memory Throughput", "byte/s"));
  EXPECT_FALSE(is_speed_of_light("Duration", "ns"));
  EXPECT_EQ(metric_key("Memory Throughput", "byte/s"), "dram__bytes.sum.per_second");
  EXPECT_EQ(metric_key("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", ""),
            "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio");
}

TEST(NcuSample, AgainstItselfAndAgainstASlowerCopy) {
  const std::string folder = samples("profiles/ncu");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  const std::string path = folder + "copy_blocked.ncu.csv";
  const auto profile = read(path, {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "ncu-csv");
  EXPECT_EQ(profile->info.kernel_ns, 21058944);
  EXPECT_EQ(profile->metrics.size(), 71U) << "of 83 rows 11 are rules and one is a word (counted with Python's csv)";
  EXPECT_EQ(find(profile->metrics, "DRAM Frequency")->values, std::vector<double>{4963609951.19});
  EXPECT_EQ(find(profile->metrics, "Memory Throughput", "byte/s")->values, std::vector<double>{196456177859.63});
  EXPECT_EQ(find(profile->metrics, "Registers Per Thread")->values, std::vector<double>{32});
  const auto same = diff_metrics(profile->metrics, profile->metrics);
  ASSERT_EQ(same.size(), profile->metrics.size());
  for (const core::ProfileMetric& row : same) {
    EXPECT_EQ(row.state, "matched");
    EXPECT_EQ(row.delta, 0) << row.metric;
  }
  EXPECT_EQ(same[0].metric, "Duration");
  EXPECT_EQ(same[1].metric, "Compute (SM) Throughput");
  EXPECT_EQ(duration_change_pct(same), 0);

  // A copy that takes a quarter longer, with more registers, and times in another unit.
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto replace = [&text](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("\"Duration\",\"ns\",\"21,058,944\"", "\"Duration\",\"msecond\",\"26.32368\"");
  replace("\"Registers Per Thread\",\"register/thread\",\"32\"", "\"Registers Per Thread\",\"register/thread\",\"40\"");
  const auto slower = read_ncu_text(text, "copy.csv");
  ASSERT_TRUE(slower) << slower.error().message;
  const auto rows = diff_metrics(profile->metrics, slower->metrics);
  EXPECT_EQ(slower->info.kernel_ns, 26323680);
  EXPECT_EQ(rows[0].metric, "Duration");
  EXPECT_NEAR(*rows[0].pct, 25, 1e-9);
  EXPECT_EQ(find(rows, "Registers Per Thread")->delta, 8);
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.delta != 0; }), 2);
}

}  // namespace
}  // namespace plumbline::profiles::test
