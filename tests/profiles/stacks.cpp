// Folded stacks and perf script: what a line means, what is counted once, what is refused. The figures are worked out by hand.
#include "profiles/readers/host/stacks.hpp"

#include <gtest/gtest.h>

#include "profiles/names/frames.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "tests/profiles/fixture.hpp"

namespace plumbline::profiles::test {
namespace {

struct Cost {
  std::int64_t self = 0, total = 0;
  bool operator==(const Cost&) const = default;
};
void PrintTo(const Cost& cost, std::ostream* out) { *out << cost.self << " of " << cost.total; }

Cost cost(const Profile& profile, std::string_view name) {
  Cost found{-1, -1};
  for (const Frame& frame : profile.frames) {
    if (frame.name != name) continue;
    EXPECT_EQ(found.total, -1) << "two frames are called " << name;
    found = {frame.self, frame.total};
  }
  return found;
}
std::string warning(const Profile& profile, core::WarningCode code) {
  for (const core::Warning& each : profile.warnings) {
    if (each.code == code) return each.message;
  }
  return {};
}

TEST(Folded, OwnCostIsTheLeafsAndTotalEveryFunctions) {
  const auto profile = read_folded_text("main;run;work 7\nmain;run 2\nmain;idle loop 5\n", "x.folded");
  ASSERT_TRUE(profile);
  EXPECT_EQ(cost(*profile, "main"), (Cost{0, 14}));
  EXPECT_EQ(cost(*profile, "run"), (Cost{2, 9}));
  EXPECT_EQ(cost(*profile, "work"), (Cost{7, 7}));
  EXPECT_EQ(cost(*profile, "idle loop"), (Cost{5, 5}));
  EXPECT_EQ(profile->info.format, "folded");
  EXPECT_EQ(profile->frames_unit, "counts");
  EXPECT_EQ(profile->info.kernels, 0U);
  EXPECT_FALSE(profile->frames_duration_ns);
  EXPECT_TRUE(profile->warnings.empty());
}

TEST(Folded, RecursionCountsOnceInTheTotal) {
  const auto profile = read_folded_text("main;f;g;f;g;f 3\n", "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(cost(*profile, "f"), (Cost{3, 3}));
  EXPECT_EQ(cost(*profile, "g"), (Cost{0, 3}));
}

TEST(Folded, ClonesOfAFunctionAreTheFunction) {
  const auto profile = read_folded_text("main;f;f.part.0 3\nmain;f.cold 2\nmain;f_[k] 1\n", "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(cost(*profile, "f"), (Cost{6, 6}));
  EXPECT_EQ(profile->frames.size(), 2U);
}

TEST(Folded, LinesThatShareABeginningAreReadAsIfAlone) {
  // Every prefix relation there is: a stack inside the next, around it, equal, and names that begin alike.
  const std::string text = "a;b;c 1\na;b 2\na;b;c;d 4\na;b;c 8\na;bb 16\na 32\na;b;cc 64\nab;b 128\n";
  const auto together = read_folded_text(text, "x");
  ASSERT_TRUE(together);
  EXPECT_EQ(cost(*together, "a"), (Cost{32, 127}));
  EXPECT_EQ(cost(*together, "b"), (Cost{130, 207}));
  EXPECT_EQ(cost(*together, "bb"), (Cost{16, 16}));
  EXPECT_EQ(cost(*together, "c"), (Cost{9, 13}));
  EXPECT_EQ(cost(*together, "cc"), (Cost{64, 64}));
  EXPECT_EQ(cost(*together, "d"), (Cost{4, 4}));
  EXPECT_EQ(cost(*together, "ab"), (Cost{0, 128}));
}

TEST(Folded, OddLinesAreCountedAndTheRestRead) {
  const auto profile =
      read_folded_text("# a comment\r\n\r\na;b 1\r\nnot a stack\n 5\na;;c 2\na;b 1.5\na;b 9999999999999999999\na;d 4", "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(cost(*profile, "a"), (Cost{0, 7}));
  EXPECT_EQ(cost(*profile, "b"), (Cost{1, 1}));
  EXPECT_EQ(cost(*profile, "[unknown]"), (Cost{0, 2}));
  EXPECT_EQ(warning(*profile, "unread_lines"), "4 lines are no stack with a count and not read, the first: \"not a stack\"");
}

TEST(Folded, BothSidesInOneFileAreRefused) {
  const auto profile = read_folded_text("a;b 1 2\na;c 3 4\n", "both.folded");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message,
            "every line has two counts: the file holds both sides of a comparison, as difffolded.pl writes it");
  EXPECT_EQ(profile.error().hint,
            "give the two folded files it was made from, or part it: sed -E 's/ [0-9]+$//' FILE > baseline.folded and sed -E 's/ "
            "[0-9]+( [0-9]+)$/\\1/' FILE > candidate.folded");
  EXPECT_EQ(profile.error().where, "both.folded");
  // A name may end in a number.
  const auto one = read_folded_text("a;thread 1 2\na;c 3\n", "x");
  ASSERT_TRUE(one);
  EXPECT_EQ(cost(*one, "thread 1"), (Cost{2, 2}));
}

TEST(Folded, NothingInItIsABugOfTheCapture) {
  for (const char* text : {"", "a;b 0\n", "no stacks here\n"}) {
    const auto profile = read_folded_text(text, "x");
    ASSERT_FALSE(profile) << text;
    EXPECT_NE(profile.error().message.find("a capture bug until proven otherwise"), std::string::npos);
  }
  EXPECT_EQ(read_folded_text("a;b 0\n", "x").error().message,
            "the profile holds no samples: a capture bug until proven otherwise; it holds 1 stack that cost nothing");
}

TEST(Folded, CostsBeyondAnInt64AreDamage) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "a;b 999999999999999999\n";
  const auto profile = read_folded_text(text, "x");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "the costs of the stacks add up to more than 2^63: the profile is damaged");
}

TEST(Folded, ALineOfTenMillionFramesIsLeftOut) {
  std::string text = "a;b 1\n";
  for (int i = 0; i < 10'000'000; ++i) text += "f;";
  text += "f 1\na;c 2\n";
  const auto profile = read_folded_text(text, "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(cost(*profile, "a"), (Cost{0, 3}));
  EXPECT_EQ(cost(*profile, "f"), (Cost{-1, -1}));
  EXPECT_EQ(warning(*profile, "overlong_lines"), "1 line longer than 4 MiB left out");
}

TEST(FrameNames, BeyondTheBoundFunctionsAreOneAndCounted) {
  FrameNames names(10'000);
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 10'000; ++i) ids.push_back(names.id("f" + std::to_string(i)));
  const std::uint32_t other = names.id("one more");
  EXPECT_EQ(names.text(other), "[further functions]");
  EXPECT_EQ(names.id("and another"), other);
  EXPECT_EQ(names.refused(), 2U);
  StackSums sums;
  sums.add(std::vector<std::uint32_t>{ids[0], other}, other, 5);
  const auto profile = stack_profile(names, sums, "folded", "counts", "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(cost(*profile, "[further functions]"), (Cost{5, 5}));
  EXPECT_EQ(warning(*profile, "frames_lumped"),
            "2 frames beyond 2000000 different names count as one function, [further functions]");
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(names.text(names.id("f" + std::to_string(i))), "f" + std::to_string(i));
}

TEST(TextLines, BlocksCutLinesAnywhere) {
  // Lines around the block's size, each longer than the one before by one byte, with and without a line feed at the end.
  for (const std::string& end : {std::string(), std::string("\n")}) {
    std::string text;
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < 40; ++i) {
      expected.emplace_back(TextLines::kBlock / 8 - 20 + i, static_cast<char>('a' + i % 26));
      text += (i == 0 ? "" : "\n") + expected.back();
    }
    text += end;
    const auto source = unpacked_bytes(text);
    const std::function<bool()> never;
    const std::string name = "x";
    TextLines lines(*source, never, name);
    std::vector<std::string> got;
    for (std::string_view line; lines.next(line);) got.emplace_back(line);
    EXPECT_TRUE(lines.status());
    EXPECT_EQ(got, expected);
  }
}

constexpr const char* kPerf =
    "# cmdline : perf record -g\n"
    "V8 Worker 4242/4243 [001]   100.000100:     250000 cpu-clock:pppH: \n"
    "\tffffffff8157a642 clear_page_erms+0x7 ([kernel.kallsyms])\n"
    "\t    7f6d13cf2ad7 work(int, char const*)+0x1f (/usr/lib/libwork.so.1)\n"
    "\t    7f6d13cf2b00 main+0x10 (/opt/app (deleted))\n"
    "\n"
    "V8 Worker 4242/4243 [001]   100.500100:     250000 cpu-clock:pppH: \n"
    "\t    7f6d13cf2ad9 [unknown] (/usr/lib/libwork.so.1)\n"
    "\t    7f6d13cf2ada [unknown] (/tmp/perf-4242.map)\n"
    "\t           55aa1 leaf (inlined)\n"
    "\t    7f6d13cf2b00 main+0x20 (/opt/app)\n"
    "\n"
    "swapper     0 [000]   101.000100:      10000 cycles: \n"
    "\tffffffff8103ce3b native_safe_halt ([kernel.kallsyms])\n"
    "\n";

TEST(PerfScript, SamplesOfTheEventWithMostOfThem) {
  const auto profile = read_perf_script_text(kPerf, "perf.txt");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "perf-script");
  EXPECT_EQ(profile->frames_unit, "ns");
  EXPECT_EQ(profile->frames_kind, "cpu");
  EXPECT_EQ(profile->frames_samples, 2U);
  EXPECT_EQ(profile->frames_duration_ns, 500'000'000);
  EXPECT_EQ(cost(*profile, "clear_page_erms"), (Cost{250000, 250000}));
  EXPECT_EQ(cost(*profile, "work(int, char const*)"), (Cost{0, 250000}));
  EXPECT_EQ(cost(*profile, "[libwork.so.1]"), (Cost{250000, 250000}));
  EXPECT_EQ(cost(*profile, "[perf.map]"), (Cost{0, 250000}));
  EXPECT_EQ(cost(*profile, "leaf"), (Cost{0, 250000}));
  EXPECT_EQ(cost(*profile, "main"), (Cost{0, 500000}));
  EXPECT_EQ(cost(*profile, "native_safe_halt"), (Cost{-1, -1}));
  EXPECT_EQ(warning(*profile, "event_chosen"),
            "of several events the one with most samples was read, cpu-clock (2); left out: cycles (1)");
}

TEST(PerfScript, WithoutPeriodsSamplesAreCounted) {
  const auto profile = read_perf_script_text(
      "java 19983 cycles:\n\tffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])\n\t7fff0001 run (/tmp/a)\n\n"
      "java 19983 cycles:\n\t7fff0001 run (/tmp/a)\n\njava 19983 cycles:\n\n",
      "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->frames_unit, "samples");
  EXPECT_EQ(profile->frames_kind, "cycles");
  EXPECT_FALSE(profile->frames_duration_ns);
  EXPECT_EQ(cost(*profile, "run"), (Cost{1, 2}));
  EXPECT_EQ(cost(*profile, "[unknown]"), (Cost{1, 1}));
}

TEST(PerfScript, OneLinePerSampleAndOtherEvents) {
  const auto profile = read_perf_script_text(
      "python3 12 [000] 5.000001:     100 cycles:u:  55d5c2 _Py_Eval+0x3a (/usr/bin/python3.11)\n"
      "python3 12 [000] 5.000002:     150 cycles:u:  55d5c2 _Py_Eval+0x3c (/usr/bin/python3.11)\n",
      "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->frames_unit, "cycles");
  EXPECT_EQ(cost(*profile, "_Py_Eval"), (Cost{250, 250}));
}

TEST(PerfScript, PeriodsOfSomeSamplesOnlyDoNotAddUp) {
  const auto profile = read_perf_script_text(
      "a 1 [000] 1.000001: 100 cycles: \n\t1234 f (/a)\n\na 1 [000] 1.000002: cycles: \n\t1234 f (/a)\n\n", "x");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "some samples of cycles have a period and some have none: their costs do not add up");
  EXPECT_EQ(profile.error().hint, "write the text in one go: perf script -F comm,tid,time,period,event,ip,sym,dso");
}

TEST(PerfScript, NoSamplesIsABugOfTheCapture) {
  const auto profile = read_perf_script_text("# nothing\n", "x");
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().message, "the text holds no samples of perf script: a capture bug until proven otherwise");
  EXPECT_EQ(profile.error().hint, "record with perf record -g and write the text with perf script");
}

TEST(PerfScript, TheSameCostsAsItsFoldedText) {
  // What stackcollapse-perf.pl makes of the samples above that have cpu-clock's event, comm as the outermost frame.
  const auto text = read_perf_script_text(kPerf, "x");
  const auto folded = read_folded_text(
      "V8 Worker;main;leaf;[perf.map];[libwork.so.1] 250000\nV8 Worker;main;work(int, char const*);clear_page_erms 250000\n",
      "x");
  ASSERT_TRUE(text && folded);
  for (const Frame& frame : text->frames) EXPECT_EQ(cost(*folded, frame.name), (Cost{frame.self, frame.total})) << frame.name;
  EXPECT_EQ(folded->frames.size(), text->frames.size() + 1);
}

TEST(PerfScript, EveryBeginningIsReadOrRefused) {
  const std::string text = kPerf;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto profile = read_perf_script_text(std::string_view(text).substr(0, length), "x");
    EXPECT_TRUE(profile || !profile.error().message.empty());
  }
}

TEST(StackTexts, AreRecognisedByContentAndOtherTextIsNot) {
  EXPECT_TRUE(is_folded_text("a;b;c 123\n", true));
  EXPECT_TRUE(is_folded_text("main;f 1\nmain;g 2\nmain 3\n", true));
  EXPECT_TRUE(is_folded_text("a;b 1 2\n", true));  // to be refused with a reason
  EXPECT_TRUE(is_perf_script_text(kPerf, true));
  EXPECT_FALSE(is_folded_text(kPerf, true));
  for (const char* other : {
           "", "{\"a;b\": 1}\n",
           "name;value\na;1\nb;2\n",                       // a CSV of semicolons
           "Time (%),Total Time (ns),Instances\n1,2,3\n",  // of commas
           "epoch 1; loss: 3\nepoch 2; loss: 4\n",         // a log
           "tokens = 4; steps = 5\n",
           "GPU 0 12\nGPU 1 13\n",  // numbers, no stacks
           "latency 12\n", "a;b c d\na;b e f\n", "BenchmarkFoo-8   1000   123 ns/op\n",
           "java 12 cycles:\n",                                                       // no frame
           "test_a  26.5 (1.0)  12;40  10  100\ntest_b  27.5 (1.1)  1;3  10  100\n",  // a table with outliers
       }) {
    EXPECT_FALSE(is_folded_text(other, true)) << other;
    EXPECT_FALSE(is_perf_script_text(other, true)) << other;
  }
  EXPECT_FALSE(is_perf_script_text("a;b;c 123\n", true));
}

TEST(StackTexts, AreReadFromFilesAndOutOfGzip) {
  const Scratch scratch;
  const std::string plain = scratch.write("x.folded", "main;f 1\nmain;g 2\n");
  ASSERT_TRUE(is_capture(plain));
  const auto profile = read(plain, {});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.format, "folded");
  EXPECT_EQ(profile->info.bytes, 18U);
  // printf 'main;f 1\nmain;g 2\n' | gzip -n
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x4d\xcc\xcc\xb3\x4e\x53\x30\xe4\xca\x05\x31\xd2\x15"
      "\x8c\xb8\x00\x2b\x33\x15\xb8\x12\x00\x00\x00",
      35);
  const std::string zipped = scratch.write("x.folded.gz", packed);
  EXPECT_TRUE(is_capture(zipped));
  const auto inflated = read(zipped, {});
  ASSERT_TRUE(inflated) << inflated.error().message;
  EXPECT_EQ(inflated->frames.size(), 3U);
  const auto cut = read_folded(scratch.write("cut.gz", packed.substr(0, 25)), {});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "the gzip data ends before its end");
}

TEST(FrameNames, OfClonesPartsAndMarks) {
  const std::pair<const char*, const char*> cases[] = {
      {"f", "f"},
      {"f.cold", "f"},
      {"f.cold.12", "f"},
      {"f.part.0.isra.3.constprop.1", "f"},
      {"f(int) [clone .isra.0]", "f(int)"},
      {"f(int) [clone .part.0] [clone .cold]", "f(int)"},
      {"f.llvm.1234567890", "f"},
      {"f+0x1f", "f"},
      {"core::ptr::write::h0123456789abcdef", "core::ptr::write"},
      {"memcpy@@GLIBC_2.14", "memcpy"},
      {"do_sys_open_[k]", "do_sys_open"},
      {"0x7f3a12", "[unknown]"},
      {"00007f3a12000010", "[unknown]"},
      {"", "[unknown]"},
      {"  ", "[unknown]"},
      {"deadbeef", "deadbeef"},
      {"Foo$$Lambda$14/0x0000000800c03000.apply", "Foo$$Lambda.apply"},
      {"Foo$$Lambda/0x00007f0012345678.apply", "Foo$$Lambda.apply"},
      {"/0x0000000800c03000", "[unknown]"},
      {"operator+", "operator+"},
      {".cold", ".cold"},
      {"runtime.mcall", "runtime.mcall"},
      {"main.run.func1.2", "main.run.func1.2"},
  };
  for (const auto& [written, canonical] : cases) {
    EXPECT_EQ(canonical_frame(written), canonical);
    EXPECT_EQ(canonical_frame(canonical), canonical) << "once is enough";
  }
}

TEST(FrameNames, WithoutTheNumbersOfLambdas) {
  const std::pair<const char*, const char*> cases[] = {
      {"main.run.func2.1", "main.run.func#.#"},
      {"f()::{lambda(int)#3}::operator()(int) const", "f()::{lambda(int)#}::operator()(int) const"},
      {"app::run::{closure#0}", "app::run::{closure#}"},
      {"f()::'lambda2'(int)", "f()::'lambda#'(int)"},
      {"f()::$_4::operator()", "f()::$_#::operator()"},
      {"Foo.lambda$run$7", "Foo.lambda$run$#"},
      {"sha256", "sha256"},
      {"std::array<int, 3>", "std::array<int, 3>"},
      {"a.function1", "a.function1"},
  };
  for (const auto& [name, bare] : cases) EXPECT_EQ(frame_without_numbers(name), bare);
}

}  // namespace
}  // namespace plumbline::profiles::test
