// TensorSharp's regression analysis: its five kinds on their edges, their order, what ends its program with which status, and
// what is said beside its verdict.
#include <gtest/gtest.h>

#include "systems/table.hpp"
#include "systems/tensorsharp/rule.hpp"
#include "tests/support/measurements.hpp"

namespace plumbline::systems::tensorsharp {
namespace {

Entry entry(std::string id, double decode, double prefill = 0, bool ok = true) {
  Entry out;
  out.case_id = std::move(id);
  out.ok = ok;
  out.decode_tps = decode;
  out.prefill_tps = prefill;
  return out;
}
Cell cell(Entry entry) {
  Cell out;
  out.entry = std::move(entry);
  return out;
}
Baseline baseline_of(std::vector<Entry> entries) {
  Baseline out;
  out.host_label = "linux-cuda";
  out.entries = std::move(entries);
  return out;
}

std::string told(const Report& report) {
  std::string out;
  for (const Finding& finding : report.findings) {
    out += std::string(to_string(finding.kind)) + " " + finding.case_id + ": " + finding.description + "\n";
  }
  return out;
}
std::string told(Entry before, Entry after, double threshold = 10) {
  const Baseline baseline = baseline_of({std::move(before)});
  const Cell now = cell(std::move(after));
  return told(analyze(&baseline, std::span(&now, 1), threshold));
}

core::Measurement with(File file) {
  core::Measurement m(std::make_shared<core::StringPool>());
  core::NativeFile native;
  native.system = "tensorsharp";
  native.path = "baseline-linux-cuda.json";
  native.content = std::move(file);
  m.native = std::make_shared<const core::NativeFile>(std::move(native));
  return m;
}
core::NativeReport report_of(Baseline baseline, std::vector<Cell> cells, const Options& options = {}) {
  File before, after;
  before.baseline = std::move(baseline);
  after.cells = std::move(cells);
  auto report = systems::report_of(with(std::move(before)), with(std::move(after)), options);
  EXPECT_TRUE(report && *report);
  return report && *report ? std::move(**report) : core::NativeReport();
}

TEST(TensorSharp, ADropBeyondTheThresholdIsARegressionAndOneAtItIsNot) {
  EXPECT_EQ(told(entry("c", 100), entry("c", 89)), "ThroughputRegression c: decode TPS dropped 11.0% (threshold 10.0%)\n");
  EXPECT_EQ(told(entry("c", 100), entry("c", 90)), "") << "exactly at the threshold";
  EXPECT_EQ(told(entry("c", 100), entry("c", 300)), "") << "faster is never a finding";
  EXPECT_EQ(told(entry("c", 100), entry("c", 97), 2.5), "ThroughputRegression c: decode TPS dropped 3.0% (threshold 2.5%)\n");
}

TEST(TensorSharp, PrefillCountsWhereNeitherSideDecodes) {
  EXPECT_EQ(told(entry("c", 0, 1000), entry("c", 0, 800)),
            "ThroughputRegression c: prefill TPS dropped 20.0% (threshold 10.0%)\n");
  EXPECT_EQ(told(entry("c", 50, 1000), entry("c", 50, 100)), "");
  EXPECT_EQ(told(entry("c", 0, 1000), entry("c", 50, 100)), "") << "a baseline of 0 is not compared";
  EXPECT_EQ(told(entry("c", 50, 1000), entry("c", 0, 1000)),
            "ThroughputRegression c: decode TPS dropped 100.0% (threshold 10.0%)\n");
}

TEST(TensorSharp, FailuresAreOfTheOutputOrOfTheRun) {
  Cell wrong = cell(entry("a", 0, 0, false)), crashed = cell(entry("b", 0, 0, false));
  wrong.entry.correctness_ok = false;
  crashed.error = "exit 124";
  const Baseline baseline = baseline_of({entry("a", 10), entry("b", 10)});
  const Cell cells[] = {wrong, crashed};
  EXPECT_EQ(told(analyze(&baseline, cells, 10)),
            "NewRuntimeFailure b: exit 124\nNewCorrectnessFailure a: output did not match expected substrings\n");
  EXPECT_EQ(told(entry("a", 0, 0, false), entry("a", 10)), "NewImprovement a: case previously failing, now passing\n");
  EXPECT_EQ(told(entry("a", 0, 0, false), entry("a", 0, 0, false)), "") << "failing as before";
}

TEST(TensorSharp, FindingsAreSortedByKindAndCase) {
  const Baseline baseline = baseline_of({entry("d", 10), entry("b", 10), entry("was", 0, 0, false)});
  const Cell cells[] = {cell(entry("new", 5)), cell(entry("was", 9)), cell(entry("d", 1)), cell(entry("b", 1))};
  const Report report = analyze(&baseline, cells, 10);
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings) ids.push_back(finding.case_id);
  EXPECT_EQ(ids, (std::vector<std::string>{"b", "d", "was", "new"}));
  EXPECT_EQ(report.findings.back().current_value, 5);
  EXPECT_TRUE(report.blocking);
}

TEST(TensorSharp, WithoutABaselineEverythingIsUntrackedAndNothingBlocks) {
  const Cell cells[] = {cell(entry("b", 5)), cell(entry("a", 7, 0, false))};
  const Report report = analyze(nullptr, cells, 10);
  EXPECT_EQ(told(report),
            "UntrackedNewCase a: no baseline entry for this case\nUntrackedNewCase b: no baseline entry for this case\n");
  EXPECT_FALSE(report.blocking);
}

TEST(TensorSharp, ExitStatusIsThatOfItsGates) {
  EXPECT_EQ(report_of(baseline_of({entry("c", 100)}), {cell(entry("c", 50))}).exit_code, 4);
  EXPECT_EQ(report_of(baseline_of({entry("c", 100)}), {cell(entry("c", 99))}).exit_code, 0);
  const Baseline failing = baseline_of({entry("c", 0, 0, false)});
  EXPECT_EQ(report_of(failing, {cell(entry("c", 0, 0, false))}).exit_code, 0);
  Options strict;
  strict.strict = true;
  EXPECT_EQ(report_of(failing, {cell(entry("c", 0, 0, false))}, strict).exit_code, 3) << "--fail-on-error";
}

TEST(TensorSharp, TheThresholdIsTheCalls) {
  Options options;
  options.tolerance_percent = 60;
  EXPECT_EQ(report_of(baseline_of({entry("c", 100)}), {cell(entry("c", 50))}, options).verdict, "passing");
}

std::string misses(const core::NativeReport& report) {
  std::string out;
  for (const core::Reason& reason : report.misses) out += std::string(reason.code.text()) + ": " + reason.message + "\n";
  return out;
}

TEST(TensorSharp, SkippedAndAbsentCasesAreNotSeen) {
  Cell skipped = cell(entry("b", 0, 0, false));
  skipped.skipped = true;
  const auto report = report_of(baseline_of({entry("a", 10), entry("b", 10)}), {skipped});
  EXPECT_EQ(report.verdict, "passing");
  EXPECT_EQ(misses(report),
            "native_vanished_passes: 1 case of the baseline not among the results: it looks at results only\n"
            "native_vanished_passes: 1 case of the baseline skipped in this run: it does not look at skipped cells\n");
  EXPECT_EQ(report.misses[1].keys, std::vector<std::string>{"b.ok"});
}

TEST(TensorSharp, PrefillBehindDecodeAndANewDecodeAreNotSeen) {
  const auto report =
      report_of(baseline_of({entry("a", 10, 100), entry("b", 0, 100)}), {cell(entry("a", 10, 50)), cell(entry("b", 10, 100))});
  EXPECT_EQ(misses(report),
            "native_unchecked: 1 prefill throughput lower by more than the threshold: it compares decode alone where a cell "
            "decodes\n"
            "native_unchecked: 1 case with a decode throughput that the baseline has none of: neither decode nor prefill is "
            "compared\n");
}

TEST(TensorSharp, ABaselineThatItCannotReadPasses) {
  Baseline broken = baseline_of({entry("c", 100)});
  broken.unreadable = "entry 1: decode_tps is not a number (line 3)";
  const auto report = report_of(std::move(broken), {cell(entry("c", 1))});
  EXPECT_EQ(report.verdict, "passing");
  EXPECT_EQ(
      misses(report),
      "native_vanished_passes: it cannot read the baseline (entry 1: decode_tps is not a number (line 3)) and goes on as if "
      "there were none: every cell is untracked, and its gate passes\n");
}

TEST(TensorSharpTime, IsReadAndWrittenAsDotNetDoes) {
  const auto written = [](std::string_view text) {
    const auto time = read_time(text);
    return time ? written_time(*time) : std::string("refused");
  };
  EXPECT_EQ(written("2026-05-26T00:00:00.000Z"), "2026-05-26T00:00:00+00:00");
  EXPECT_EQ(written("2026-05-26T01:02:03.1200000+02:30"), "2026-05-26T01:02:03.12+02:30");
  EXPECT_EQ(written("2026-05-26"), "2026-05-26T00:00:00+00:00");
  EXPECT_EQ(written("2024-02-29T10:00-05"), "2024-02-29T10:00:00-05:00");
  for (const char* wrong : {"", "yesterday", "2026-02-29", "2026-13-01", "2026-05-26T24:00:00", "2026-05-26T00:00:00+15:00",
                            "2026-05-26T00:00:00.Z", "2026-05-26T00:00:00Zx", "2026-05-26 00:00:00"})
    EXPECT_EQ(written(wrong), "refused") << wrong;
  EXPECT_EQ(round_trip_time(*read_time("2026-05-26T00:00:00.5Z")), "2026-05-26T00:00:00.5000000+00:00");
}

TEST(TensorSharp, AnotherHostsBaselineIsComparedAllTheSameAndSaid) {
  const auto said = [](const char* before_host, const char* now_host) {
    File before, after;
    before.baseline = baseline_of({entry("a", 100)});
    after.cells = {cell(entry("a", 100))};
    core::Measurement base = with(std::move(before)), now = with(std::move(after));
    base.context.emplace("environment.host_label", before_host);
    if (now_host != nullptr) now.context.emplace("environment.host_label", now_host);
    const auto report = systems::report_of(base, now, {});
    EXPECT_TRUE(report && *report);
    EXPECT_EQ((*report)->verdict, "passing");
    return (*report)->misses.empty()
               ? std::string()
               : std::string((*report)->misses.front().code.text()) + ": " + (*report)->misses.front().message;
  };
  EXPECT_EQ(
      said("windows-cuda", "linux-cuda"),
      "native_hidden_context: the baseline is of the host windows-cuda, and backend and commands of the results are those of "
      "linux-cuda: it compares them all the same");
  EXPECT_EQ(said("linux-cuda", "linux-cuda"), "");
  EXPECT_EQ(said("linux-cuda", nullptr), "");
  // A label of a user's own says nothing of backend and command.
  EXPECT_EQ(said("windows-vulkan", "windows-cuda"), "");
}

}  // namespace
}  // namespace plumbline::systems::tensorsharp
