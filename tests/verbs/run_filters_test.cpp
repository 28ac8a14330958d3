// Which words a harness is given so that it runs only some of its cases: one case a harness, and names that try every escape.
#include <gtest/gtest.h>
#include <regex.h>

#include <regex>

#include "verbs/run/filters.hpp"

namespace plumbline::verbs {
namespace {

using Words = std::vector<std::string>;

Doubts of(std::string format, std::string dim, const Words& names, const std::string& metric = "time") {
  Doubts out;
  out.format = std::move(format);
  for (const std::string& name : names) {
    out.cases.push_back({name + "." + metric, metric, {{dim, name}}});
    out.look.rows.push_back({name + "." + metric, "regressed", {}, {}});
  }
  return out;
}

Words told(const Doubts& doubts, Words command, const std::string& flag = {}) {
  const auto out = filtered(doubts, {std::move(command)}, flag);
  EXPECT_TRUE(out) << out.error().message;
  return out->commands.front();
}
std::string why(const Doubts& doubts, Words command, const std::string& flag = {}) {
  const auto out = filtered(doubts, {command}, flag);
  EXPECT_TRUE(out);
  EXPECT_EQ(out->commands.front(), command) << "the whole command runs as it was given";
  EXPECT_EQ(out->filter, "");
  EXPECT_TRUE(out->cases.empty());
  return out->why_whole;
}

bool posix_finds(const std::string& pattern, const std::string& text) {
  regex_t compiled;
  EXPECT_EQ(::regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NOSUB), 0) << pattern;
  const bool out = ::regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return out;
}

TEST(RunFilters, GoTestMatchesLevelByLevel) {
  EXPECT_EQ(told(of("go-bench", "benchmark", {"Decode", "Encode"}),
                 {"/usr/bin/go", "test", "-run=^$", "-bench=.", "-count=1", "./..."}),
            (Words{"/usr/bin/go", "test", "-run=^$", "-bench=^(BenchmarkDecode|BenchmarkEncode)$", "-count=1", "./..."}));
  EXPECT_EQ(told(of("go-bench", "benchmark", {"Encode/size=1k", "Decode/size=4k"}), {"go", "test", "-bench", ".", "."}),
            (Words{"go", "test", "-bench", "^(BenchmarkEncode|BenchmarkDecode)$/^(size=1k|size=4k)$", "."}));
  // A name of fewer levels takes all that is below: a pattern of more would only look for its sub-benchmarks.
  EXPECT_EQ(told(of("go-bench", "benchmark", {"Encode/size=1k", "Sort"}), {"go", "test", "."}),
            (Words{"go", "test", "-bench=^(BenchmarkEncode|BenchmarkSort)$", "."}));
  EXPECT_EQ(told(of("go-bench", "benchmark", {"A"}), {"taskset", "-c", "2", "./codec.test", "-test.bench=.", "-test.v"}),
            (Words{"taskset", "-c", "2", "./codec.test", "-test.bench=^(BenchmarkA)$", "-test.v"}));
  // What stands behind -args is the test's own.
  EXPECT_EQ(told(of("go-bench", "benchmark", {"A"}), {"go", "test", ".", "-args", "-bench=mine"}),
            (Words{"go", "test", "-bench=^(BenchmarkA)$", ".", "-args", "-bench=mine"}));
  // "-16" may be GOMAXPROCS or part of the name.
  Doubts procs = of("go-bench", "benchmark", {"Copy/n"});
  procs.cases.front().dims["gomaxprocs"] = "16";
  EXPECT_EQ(told(procs, {"go", "test"}), (Words{"go", "test", "-bench=^(BenchmarkCopy)$/^(n(-16)?)$"}));
  EXPECT_EQ(why(of("go-bench", "benchmark", {"A"}), {"make", "bench"}),
            "`go test` or a binary NAME.test does not stand in \"make bench\"");
}

TEST(RunFilters, GoogleBenchmarkTakesOneExpression) {
  const Doubts doubts = of("google-benchmark", "benchmark", {"BM_Copy/8/real_time", "BM_Sort<int>/64/threads:2"}, "real_time");
  EXPECT_EQ(
      told(doubts, {"./bench", "--benchmark_format=json"}),
      (Words{"./bench", "--benchmark_format=json", "--benchmark_filter=^(BM_Copy/8/real_time|BM_Sort<int>/64/threads:2)$"}));
  EXPECT_EQ(
      told(doubts, {"./bench", "--benchmark_filter=Copy|Sort", "--benchmark_format=json"}),
      (Words{"./bench", "--benchmark_filter=^(BM_Copy/8/real_time|BM_Sort<int>/64/threads:2)$", "--benchmark_format=json"}));
  EXPECT_EQ(why(doubts, {"sh", "-c", "./bench --benchmark_format=json"}),
            "the benchmark's own program does not stand in \"sh -c './bench --benchmark_format=json'\"");
  EXPECT_EQ(told(doubts, {"bazel", "run", "//:bench", "--", "--benchmark_format=json"}).back().substr(0, 19),
            "--benchmark_filter=");
}

TEST(RunFilters, PytestTakesWordsOfNames) {
  EXPECT_EQ(
      told(of("pytest-benchmark", "benchmark", {"tests/test_io.py::test_read[4k-raw]", "tests/test_io.py::TestNet::test_send"}),
           {"pytest", "-q", "--benchmark-json=/dev/stdout", "tests"}),
      (Words{"pytest", "-k", "test_read[4k-raw] or test_send", "-q", "--benchmark-json=/dev/stdout", "tests"}));
  EXPECT_EQ(told(of("pytest-benchmark", "benchmark", {"t.py::test_a"}), {"python3", "-m", "pytest", "-k", "not slow", "t.py"}),
            (Words{"python3", "-m", "pytest", "-k", "(not slow) and (test_a)", "t.py"}));
  // What -k has no letters for: all parameters of the test.
  EXPECT_EQ(
      told(of("pytest-benchmark", "benchmark", {"t.py::test_a[x y(1)]", "t.py::test_a[a::b]", "t.py::test_a[z=2]"}), {"pytest"}),
      (Words{"pytest", "-k", "test_a or test_a[a::b]"}));
  EXPECT_EQ(why(of("pytest-benchmark", "benchmark", {"t.py::täst"}), {"pytest"}), "-k has no word for the test \"t.py::täst\"");
  EXPECT_EQ(why(of("pytest-benchmark", "benchmark", {"t.py::test_a"}), {"tox", "-e", "bench"}),
            "`pytest` does not stand in \"tox -e bench\"");
}

TEST(RunFilters, CriterionTakesOneExpressionBehindItsDashes) {
  const Doubts doubts = of("rust-bench", "benchmark", {"fib 20", "sort/quick (u64)"});
  EXPECT_EQ(told(doubts, {"cargo", "bench", "--bench", "suite"}),
            (Words{"cargo", "bench", "--bench", "suite", "--", "^(fib 20|sort/quick \\(u64\\))$"}));
  EXPECT_EQ(told(doubts, {"cargo", "+nightly", "bench", "fib", "--", "--sample-size", "20", "sort"}),
            (Words{"cargo", "+nightly", "bench", "--", "--sample-size", "20", "^(fib 20|sort/quick \\(u64\\))$"}));
  EXPECT_EQ(told(doubts, {"target/release/deps/suite-1f", "--bench"}),
            (Words{"target/release/deps/suite-1f", "--bench", "^(fib 20|sort/quick \\(u64\\))$"}));
  Doubts libtest = doubts;
  libtest.libtest = true;
  EXPECT_EQ(why(libtest, {"cargo", "bench"}), "Rust's own harness, whose rows are among these, takes no list of names");
  EXPECT_EQ(told(of("criterion-folder", "function", {"group/a"}), {"cargo", "bench"}),
            (Words{"cargo", "bench", "--", "^(group/a)$"}));
}

TEST(RunFilters, NcclTestsTakeSizesFromOneToAnother) {
  const Doubts doubts = of("nccl-tests", "size", {"1048576", "65536", "262144"}, "busbw");
  EXPECT_EQ(
      told(doubts, {"mpirun", "-np", "8", "-b", "x", "./build/all_reduce_perf", "-b", "8", "-e8G", "-f", "2", "-g", "1"}),
      (Words{"mpirun", "-np", "8", "-b", "x", "./build/all_reduce_perf", "-b", "65536", "-e1048576", "-f", "2", "-g", "1"}));
  EXPECT_EQ(told(doubts, {"alltoall_perf_mpi", "--minbytes=8", "--maxbytes", "1G"}),
            (Words{"alltoall_perf_mpi", "--minbytes=65536", "--maxbytes", "1048576"}));
  EXPECT_EQ(told(doubts, {"all_gather_perf"}), (Words{"all_gather_perf", "-b", "65536", "-e", "1048576"}));
  EXPECT_EQ(why(of("nccl-tests", "place", {"avg"}, "out_of_bounds"), {"all_reduce_perf"}),
            "the row \"avg.out_of_bounds\" is of no one size");
}

TEST(RunFilters, WhatCannotBeToldRunsWhole) {
  EXPECT_EQ(why(of("hyperfine", "command", {"sleep 1"}), {"hyperfine", "sleep 1"}),
            "hyperfine runs every command that it is given");
  EXPECT_EQ(why(of("fio-json", "job", {"read"}), {"fio", "job.fio"}), "no filter is known for what prints fio-json");
  EXPECT_EQ(why(of("", "benchmark", {"a"}), {"./bench"}), "nothing says which harness printed these rows");
  EXPECT_EQ(why(of("google-benchmark", "benchmark", {"a"}), {"./bench"}, "none"), "--filter-flag none");
  EXPECT_EQ(why(of("google-benchmark", "benchmark", {"a\nb"}), {"./bench"}),
            R"(the name of the case "a\nb" fits in no argument)");
  Doubts nameless;
  nameless.format = "google-benchmark";
  nameless.cases.push_back({"total", "total", {}});
  EXPECT_EQ(why(nameless, {"./bench"}), "the row \"total\" names no case");
  Words many;
  for (int i = 0; i < 9000; ++i) many.push_back("BM_a_rather_long_name/" + std::to_string(i));
  const std::string long_why = why(of("google-benchmark", "benchmark", many), {"./bench"});
  EXPECT_EQ(long_why.substr(0, 23), "the filter would take 2") << long_why;
  EXPECT_NE(long_why.find(" bytes of the command line"), std::string::npos) << long_why;
}

TEST(RunFilters, BothSidesAreToldOrNeither) {
  const Doubts doubts = of("google-benchmark", "benchmark", {"BM_a"});
  const auto both = filtered(doubts, {{"./old", "--benchmark_format=json"}, {"./new", "--benchmark_format=json"}}, "");
  EXPECT_EQ(both->commands, (std::vector<Words>{{"./old", "--benchmark_format=json", "--benchmark_filter=^(BM_a)$"},
                                                {"./new", "--benchmark_format=json", "--benchmark_filter=^(BM_a)$"}}));
  EXPECT_EQ(both->filter, "'--benchmark_filter=^(BM_a)$'");
  const auto one = filtered(doubts, {{"./old"}, {"make", "bench"}}, "");
  EXPECT_EQ(one->commands, (std::vector<Words>{{"./old"}, {"make", "bench"}}));
  EXPECT_EQ(one->why_whole, "the benchmark's own program does not stand in \"make bench\"");
}

TEST(RunFilters, AFlagOfOnesOwn) {
  const Doubts doubts = of("generic-json", "case", {"a.b", "c d"});
  EXPECT_EQ(told(doubts, {"./b"}, "--only={}"), (Words{"./b", "--only=^(a\\.b|c d)$"}));
  EXPECT_EQ(told(doubts, {"./b"}, "--case {case}"), (Words{"./b", "--case", "a.b", "--case", "c d"}));
  const auto nothing = filtered(doubts, {{"./b"}}, "--only");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().message, "--filter-flag \"--only\" says nowhere which cases");
  EXPECT_EQ(nothing.error().hint,
            "write --filter-flag='--only={}' for one regular expression, --filter-flag='--case={case}' for a flag a case, or "
            "--filter-flag none for the whole command");
}

TEST(RunFilters, LinesOfShellThatAreOnlySplit) {
  EXPECT_EQ(plain_words("go test -run=^$ -bench . './a b' \"c|d\""),
            (Words{"go", "test", "-run=^$", "-bench", ".", "./a b", "c|d"}));
  EXPECT_EQ(plain_words("bench --x='a{1,2}$HOME'"), (Words{"bench", "--x=a{1,2}$HOME"}));
  for (const char* line : {"a | b", "a; b", "a $HOME", "a \"$HOME\"", "a `b`", "a *", "X=1 a", "a > b", "a {1,2}", "a 'b", "",
                           "a # b", "a ~", "a\\ b"})
    EXPECT_EQ(plain_words(line), std::nullopt) << line;
  EXPECT_EQ(plain_words("--only={}", true), Words{"--only={}"});
}

// Every odd character: the name itself is found, and no other one.
TEST(RunFilters, EscapedNamesMatchThemselvesAlone) {
  const Words odd = {"a.b",          "a+b", "a*b?", "[x]", "{1,2}", "(a|b)", "^a$",  "a\\b", "a b",
                     "BM<int, 4>/8", "}]",  "ä",    "a/b", "a-b",   "#x",    "'q\"", "%d",   "a$b^c"};
  for (const std::string& name : odd) {
    const std::string pattern = "^(" + escaped_for_regex(name) + ")$";
    EXPECT_TRUE(posix_finds(pattern, name)) << pattern;
    EXPECT_TRUE(std::regex_search(name, std::regex(pattern, std::regex::extended))) << pattern;
    for (const std::string& other : odd) EXPECT_EQ(posix_finds(pattern, other), other == name) << pattern << " and " << other;
    EXPECT_FALSE(posix_finds(pattern, name + "x"));
    EXPECT_FALSE(posix_finds(pattern, "x" + name));
  }
}

}  // namespace
}  // namespace plumbline::verbs
