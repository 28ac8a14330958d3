// Host profiles in JSON: speedscope's format and V8's. Figures of the files of our own come from host_json_golden.py beside this
// file, those of small texts are worked out by hand.
#include <fstream>
#include <iterator>

#include "profiles/capture_form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/packed.hpp"

namespace plumbline::profiles::test {
namespace {

struct Cost {
  std::int64_t self = 0, total = 0;
  bool operator==(const Cost&) const = default;
};
void PrintTo(const Cost& cost, std::ostream* out) { *out << cost.self << " of " << cost.total; }
using Costs = std::map<std::string, Cost>;

Costs costs(const core::Expected<Profile>& profile) {
  Costs found;
  if (!profile) {
    ADD_FAILURE() << profile.error().message;
    return found;
  }
  for (const Frame& frame : profile->frames) found[frame.name] = {frame.self, frame.total};
  return found;
}
std::string warnings(const Profile& profile) {
  std::string all;
  for (const core::Warning& each : profile.warnings) all += std::string(each.code.text()) + ": " + each.message + "\n";
  return all;
}
core::Expected<Profile> own(const std::string& name) { return read(PLUMBLINE_TESTS "/fuzz/corpus/capture_readers/" + name, {}); }

std::string scope(std::string_view profiles, std::string_view frames = R"({"name":"main"},{"name":"f"},{"name":"g"})") {
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[)" + std::string(frames) +
         R"(]},"profiles":[)" + std::string(profiles) + "]}";
}
core::Expected<Profile> read_scope(std::string_view profiles) { return read_speedscope_text(scope(profiles), "x.json"); }

TEST(Speedscope, SamplesCostTheirWeights) {
  const auto profile = own("speedscope/sampled.json");
  const Costs expected = {{"forward (model.py)", {150'000'000, 230'000'000}},
                          {"wait (threading.py)", {150'000'000, 150'000'000}},
                          {"main (train.py)", {100'000'000, 400'000'000}},
                          {"forward (layers.py)", {80'000'000, 170'000'000}},
                          {"_engine_run_backward (graph.py)", {70'000'000, 70'000'000}},
                          {"<module> (train.py)", {50'000'000, 600'000'000}}};
  EXPECT_EQ(costs(profile), expected) << "of both threads; a method by its file, whatever its line; frames behind the profiles";
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.format, "speedscope");
  EXPECT_EQ(profile->info.version, "py-spy@0.3.14");
  EXPECT_EQ(profile->frames_unit, "ns");
  EXPECT_EQ(profile->frames_samples, 60U);
  EXPECT_EQ(profile->frames_duration_ns, 400'000'000) << "the threads ran side by side";
  EXPECT_TRUE(profile->warnings.empty());
}

TEST(Speedscope, EventsOpenAndCloseFunctions) {
  const Costs expected = {{"walk", {12'125'000, 26'625'000}},
                          {"alloc", {6'125'000, 15'500'000}},
                          {"main", {5'500'000, 8'875'000}},
                          {"parse(std::string const&)", {4'000'000, 16'250'000}}};
  const auto profile = own("speedscope/evented.json");
  EXPECT_EQ(costs(profile), expected);
  ASSERT_TRUE(profile);
  EXPECT_FALSE(profile->frames_samples) << "nobody looked: every call was written down";
  EXPECT_EQ(warnings(*profile), "event_chosen: 1 profile of the file counted other things than the first (ns): left out\n");
  EXPECT_EQ(costs(own("speedscope/packed.json.gz")), expected);
}

TEST(Speedscope, TheUnitMayStandBehindWhatItCounts) {
  const auto profile = read_scope(
      R"({"type":"sampled","samples":[[0,1],[0,1],[0],[]],"weights":[2.5,1,1,9],"startValue":0,"endValue":4.5,"unit":"microseconds"})");
  EXPECT_EQ(costs(profile), (Costs{{"main", {1000, 4500}}, {"f", {3500, 3500}}})) << "an empty stack is nobody's time";
  ASSERT_TRUE(profile);
  EXPECT_FALSE(profile->frames_samples) << "samples that weigh unlike amounts were merged";
}

TEST(Speedscope, UnitsAreNanosecondsBytesOrCounts) {
  for (const auto& [unit, weight, cost, counted] :
       std::initializer_list<std::tuple<const char*, const char*, std::int64_t, const char*>>{
           {"nanoseconds", "7", 7, "ns"},
           {"milliseconds", "0.0015", 1500, "ns"},
           {"seconds", "1e-3", 1'000'000, "ns"},
           {"bytes", "4096", 4096, "bytes"},
           {"none", "3", 3, "counts"}}) {
    const auto profile =
        read_scope(R"({"type":"sampled","unit":")" + std::string(unit) + R"(","samples":[[0]],"weights":[)" + weight + "]}");
    EXPECT_EQ(costs(profile), (Costs{{"main", {cost, cost}}})) << unit;
    EXPECT_EQ(profile->frames_unit, counted);
  }
}

TEST(Speedscope, RecursionCountsOnceInTheTotal) {
  const auto profile = read_scope(
      R"({"type":"evented","unit":"nanoseconds","startValue":0,"endValue":10,"events":[{"type":"O","frame":0,"at":0},)"
      R"({"type":"O","frame":1,"at":1},{"type":"O","frame":1,"at":3},{"type":"C","frame":1,"at":6},{"type":"C","frame":1,"at":8},)"
      R"({"type":"C","frame":0,"at":10}]})");
  EXPECT_EQ(costs(profile), (Costs{{"main", {3, 10}}, {"f", {7, 7}}}));
}

TEST(Speedscope, EventsOutOfTurnAreSaid) {
  const auto profile = read_scope(
      R"({"type":"evented","unit":"nanoseconds","startValue":0,"endValue":20,"events":[{"type":"O","frame":0,"at":0},)"
      R"({"type":"O","frame":1,"at":2},{"type":"C","frame":2,"at":4},{"type":"C","frame":0,"at":3},{"type":"O","frame":9,"at":10}]})");
  ASSERT_TRUE(profile);
  EXPECT_EQ(costs(profile), (Costs{{"main", {2, 4}}, {"f", {2, 2}}, {"[unknown]", {10, 10}}}));
  EXPECT_EQ(warnings(*profile),
            "missing_names: 1 reference to frames that the profile does not hold: they count as [unknown]\n"
            "unreadable_times: 2 functions end out of turn; each ends with the one outside it\n"
            "reversed_times: 1 event is before its time; counted as at the same time as the one before\n"
            "open_ranges: 1 function was still open; taken to end with the profile\n");
}

TEST(Speedscope, WhatMakesNoSenseIsRefused) {
  const auto refusal = [](std::string_view profiles) {
    const auto profile = read_scope(profiles);
    return profile ? "(read)" : profile.error().message;
  };
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"seconds","samples":[[0],[1]],"weights":[1]})"),
            "a profile has 2 samples and 1 weight");
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"seconds","samples":[[0]],"weights":[-1]})"),
            "a weight is no number from 0 on: \"-1\"");
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"none","samples":[[0]],"weights":[0.5]})"),
            "weights without a unit are no whole numbers: \"0.5\"");
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"parsecs","samples":[[0]],"weights":[1]})"),
            "a profile has a unit that speedscope does not know: \"parsecs\"");
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"nanoseconds","samples":[[0],[0]],"weights":[3e18,3e18]})"), "(read)");
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"nanoseconds","samples":[[0],[0],[0],[0]],"weights":[3e18,3e18,3e18,3e18]})"),
            "the weights add up to more than 2^63: the profile is damaged");
  EXPECT_EQ(refusal(R"({"type":"sampled","unit":"seconds","samples":[],"weights":[]})"),
            "the profile holds no samples: a capture bug until proven otherwise; it holds 0 stacks that cost nothing");
  const std::string whole = scope(R"({"type":"sampled","unit":"seconds","samples":[[0]],"weights":[1]})");
  const auto cut = read_speedscope_text(std::string_view(whole).substr(0, whole.size() - 2), "x.json");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "the profile ends before its end");
  EXPECT_EQ(cut.error().where, "x.json");
}

TEST(CpuProfile, ANodeCostsTheTimeUntilTheNextLook) {
  const Costs expected = {{"handle (server.js)", {5'520'000, 10'450'000}},
                          {"(anonymous) (server.js:42)", {2'260'000, 6'150'000}},
                          {"parse (url?x=1)", {2'010'000, 2'010'000}},
                          {"(garbage collector)", {915'000, 915'000}}};
  const auto profile = own("cpuprofile/node.cpuprofile");
  EXPECT_EQ(costs(profile), expected) << "without (idle) and (root); garbage is collected inside what was interrupted";
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->info.format, "cpuprofile");
  EXPECT_EQ(profile->frames_unit, "ns");
  EXPECT_EQ(profile->frames_samples, 38U);
  EXPECT_EQ(profile->frames_duration_ns, 18'835'000);
  EXPECT_EQ(costs(own("cpuprofile/times_first.cpuprofile")), expected) << "whatever stands first";
}

std::string v8(std::string_view more) {
  return R"j({"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"hitCount":0,"children":[2,3,4,5]},
{"id":2,"callFrame":{"functionName":"(idle)","url":"","lineNumber":-1},"hitCount":9},
{"id":3,"callFrame":{"functionName":"(garbage collector)","url":"","lineNumber":-1},"hitCount":2},
{"id":4,"callFrame":{"functionName":"work","url":"https://x.y/a/b.js?v=3#top","lineNumber":1},"hitCount":5},
{"id":5,"callFrame":{"functionName":"(program)","url":"","lineNumber":-1},"hitCount":1}])j" +
         std::string(more) + "}";
}

TEST(CpuProfile, IdleIsNoWorkAndGarbageBelongsToWhatWasInterrupted) {
  const auto profile = read_cpuprofile_text(
      v8(R"(,"startTime":100,"endTime":200,"samples":[4,3,2,3,5],"timeDeltas":[10,20,5,-3,30])"), "x.cpuprofile");
  // Looks at 110, 130, 135, 132 (written late) and 162.
  EXPECT_EQ(
      costs(profile),
      (Costs{{"work (b.js)", {20'000, 25'000}}, {"(garbage collector)", {32'000, 32'000}}, {"(program)", {38'000, 38'000}}}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->frames_samples, 4U);
}

TEST(CpuProfile, WithoutTimesHitsOrSamplesAreCounted) {
  const Costs hits = {{"work (b.js)", {5, 5}}, {"(garbage collector)", {2, 2}}, {"(program)", {1, 1}}};
  const auto profile = read_cpuprofile_text(v8(""), "x");
  EXPECT_EQ(costs(profile), hits);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->frames_unit, "samples");
  EXPECT_FALSE(profile->frames_duration_ns);
  EXPECT_EQ(costs(read_cpuprofile_text(v8(R"(,"samples":[4,4,2,5])"), "x")),
            (Costs{{"work (b.js)", {2, 2}}, {"(program)", {1, 1}}}));
}

TEST(CpuProfile, TheOldFormIsATreeOfObjects) {
  const auto profile = own("cpuprofile/old.cpuprofile");
  EXPECT_EQ(costs(profile), (Costs{{"(program)", {1, 1}}, {"render (app.js)", {2, 4}}, {"(anonymous) (app.js:12)", {2, 2}}}));
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->frames_duration_ns, 1'000'000'000) << "its times are seconds";
}

TEST(CpuProfile, AnyShapeOfTreeIsWalked) {
  const auto node = [](int id, std::string_view children) {
    return R"({"id":)" + std::to_string(id) + R"(,"callFrame":{"functionName":"f)" + std::to_string(id % 2) +
           R"(","url":""},"hitCount":1,"children":[)" + std::string(children) + "]}";
  };
  const auto ring = read_cpuprofile_text(R"({"nodes":[)" + node(1, "2") + "," + node(2, "1,2,77") + "]}", "x");
  EXPECT_EQ(costs(ring), (Costs{{"f1", {1, 2}}, {"f0", {1, 1}}}));
  std::string deep = R"({"nodes":[)";
  constexpr int kDeep = 200'000;
  for (int i = 1; i <= kDeep; ++i) deep += (i > 1 ? "," : "") + node(i, std::to_string(i + 1));
  EXPECT_EQ(costs(read_cpuprofile_text(deep + "]}", "x")), (Costs{{"f1", {kDeep / 2, kDeep}}, {"f0", {kDeep / 2, kDeep - 1}}}));
}

TEST(CpuProfile, WhatMakesNoSenseIsRefused) {
  const auto refusal = [](std::string_view more) {
    const auto profile = read_cpuprofile_text(v8(more), "x");
    return profile ? "(read)" : profile.error().message;
  };
  EXPECT_EQ(refusal(R"(,"samples":[4,4,4],"timeDeltas":[1,2])"), "the profile has 3 samples and 2 times");
  EXPECT_EQ(refusal(R"(,"samples":[4,4],"timeDeltas":[1,"soon"])"),
            "the profile has 2 samples and 2 times, not all of which are numbers");
  EXPECT_EQ(refusal(R"(,"samples":[4,4],"timeDeltas":[9e17,9e17])"),
            "the profile has 2 samples and 2 times, not all of which are numbers");
  EXPECT_EQ(refusal(R"(,"samples":[2,2],"timeDeltas":[1,2])"),
            "the profile holds no samples: a capture bug until proven otherwise; it holds 0 stacks that cost nothing");
  const auto strange = read_cpuprofile_text(v8(R"(,"samples":[4,99,4],"timeDeltas":[1,2,3],"startTime":0,"endTime":16)"), "x");
  ASSERT_TRUE(strange);
  EXPECT_EQ(costs(strange), (Costs{{"work (b.js)", {12'000, 12'000}}}));
  EXPECT_EQ(warnings(*strange), "missing_names: 1 sample is of nodes that the profile does not hold; left out\n");
}

TEST(HostJson, FormsAreToldByTheTopLevel) {
  const Scratch scratch;
  const auto form = [&scratch](const std::string& text) { return std::string(capture_form(scratch.write("file.json", text))); };
  EXPECT_EQ(form(scope("")), "speedscope");
  EXPECT_EQ(form("\xEF\xBB\xBF" + scope("")), "speedscope");
  EXPECT_EQ(form(packed(scope(""))), "speedscope");
  EXPECT_EQ(form(v8("")), "cpuprofile");
  EXPECT_EQ(form(R"j({"startTime": 3, "head": {"functionName": "(root)"}})j"), "cpuprofile");
  EXPECT_EQ(form(R"({"$schema": "https://json-schema.org/draft-07/schema", "profiles": []})"), "");
  EXPECT_EQ(form(R"({"inner": {"$schema": "https://www.speedscope.app/file-format-schema.json"}})"), "");
  EXPECT_EQ(form(R"({"nodes": [{"id": 1, "throughput": 3.5}]})"), "");
  EXPECT_EQ(form(R"({"nodes": 7, "latency_ms": 3.5})"), "");
  EXPECT_EQ(form(R"({"head": {"sha": "abc"}, "latency_ms": 3.5})"), "");
}

}  // namespace
}  // namespace plumbline::profiles::test
