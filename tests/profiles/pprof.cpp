// pprof's protobuf: values, inlining, what is missing, and the real profile of Go's that google/pprof tests with.
#include <gtest/gtest.h>

#include "base/protobuf.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "tests/profiles/fixture.hpp"
#include "tests/profiles/protobuf_writer.hpp"

namespace plumbline::profiles::test {
namespace {

using base::ProtobufReader;
using base::Wire;

const Frame* frame(const Profile& profile, std::string_view name) {
  for (const Frame& each : profile.frames) {
    if (each.name == name) return &each;
  }
  return nullptr;
}
void expect_frame(const Profile& profile, std::string_view name, std::int64_t self, std::int64_t total) {
  const Frame* found = frame(profile, name);
  ASSERT_NE(found, nullptr) << name;
  EXPECT_EQ(found->self, self) << name;
  EXPECT_EQ(found->total, total) << name;
}

// Strings: 1 samples 2 count 3 cpu 4 nanoseconds 5 main 6 work 7 inner 8 /usr/lib/libc.so.6
std::string strings() {
  std::string all;
  for (const char* text : {"", "samples", "count", "cpu", "nanoseconds", "main", "work", "inner", "/usr/lib/libc.so.6"})
    all += bytes(6, text);
  return all;
}
std::string types() { return bytes(1, number(1, 1) + number(2, 2)) + bytes(1, number(1, 3) + number(2, 4)); }
// Locations: 1 main; 2 work with inner inlined; 3 an address in libc.
std::string tables() {
  const auto line = [](std::uint64_t function) { return bytes(4, number(1, function) + number(2, 42)); };
  return bytes(3, number(1, 1) + number(5, 8)) + bytes(4, number(1, 1) + line(11)) +
         bytes(4, number(1, 2) + line(13) + line(12)) + bytes(4, number(1, 3) + number(2, 1) + number(3, 0x7F00)) +
         bytes(5, number(1, 11) + number(2, 5)) + bytes(5, number(1, 12) + number(2, 6)) +
         bytes(5, number(1, 13) + number(3, 7)) + strings();
}
std::string sample(std::initializer_list<std::uint64_t> locations, std::initializer_list<std::uint64_t> values) {
  return bytes(2, packed(1, locations) + packed(2, values));
}
std::string good() {
  return types() + sample({2, 1}, {3, 30}) + sample({3, 2, 1}, {1, 10}) +
         bytes(2, number(1, 1) + number(2, 2) + number(2, 20)) +  // not packed
         tables() + number(10, 5'000'000'000) + number(12, 10);
}

TEST(Pprof, InlinedFunctionsAreFramesAndTheLastValueCounts) {
  const auto profile = read_pprof_bytes(good(), "x.pb");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "pprof");
  EXPECT_EQ(profile->frames_unit, "ns");
  EXPECT_EQ(profile->frames_kind, "cpu");
  EXPECT_EQ(profile->frames_samples, 6U);
  EXPECT_EQ(profile->frames_duration_ns, 5'000'000'000);
  EXPECT_EQ(profile->info.kernels, 0U);
  ASSERT_EQ(profile->frames.size(), 4U);
  expect_frame(*profile, "inner", 30, 40);
  expect_frame(*profile, "work", 0, 40);
  expect_frame(*profile, "main", 20, 60);
  expect_frame(*profile, "[libc.so.6]", 10, 10);
  EXPECT_TRUE(profile->warnings.empty());
}

TEST(Pprof, TheDefaultTypeIsTaken) {
  const auto profile = read_pprof_bytes(good() + number(14, 1), "x");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->frames_unit, "samples");
  EXPECT_EQ(profile->frames_kind, "samples");
  expect_frame(*profile, "main", 2, 6);
}

TEST(Pprof, UnitsBecomeNanosecondsAndBytes) {
  const auto one_sample = [](std::string_view type, std::string_view unit) {
    return bytes(1, number(1, 1) + number(2, 2)) + sample({}, {7}) + bytes(6, "") + bytes(6, type) + bytes(6, unit);
  };
  const std::tuple<const char*, const char*, const char*, std::int64_t> cases[] = {
      {"wall", "microseconds", "ns", 7000},      {"contentions", "count", "contentions", 7}, {"alloc_space", "bytes", "bytes", 7},
      {"space", "kilobytes", "bytes", 7 * 1024}, {"samples", "count", "samples", 7},         {"cpu", "cycles", "cycles", 7},
  };
  for (const auto& [type, written, expected, cost] : cases) {
    const auto profile = read_pprof_bytes(one_sample(type, written), "x");
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->frames_unit, expected);
    EXPECT_EQ(profile->frames_kind, type);
    expect_frame(*profile, "[unknown]", cost, cost);
  }
}

TEST(Pprof, WhatIsMissingIsUnknownAndCounted) {
  const auto profile = read_pprof_bytes(types() + sample({99, 1}, {1, 5}) + tables(), "x");
  ASSERT_TRUE(profile);
  expect_frame(*profile, "[unknown]", 5, 5);
  expect_frame(*profile, "main", 0, 5);
  ASSERT_EQ(profile->warnings.size(), 1U);
  EXPECT_EQ(profile->warnings[0].message,
            "1 reference to locations and functions that the profile does not hold: they count as [unknown]");
}

TEST(Pprof, WhatIsWrongIsSaid) {
  const auto message = [](const std::string& bytes) {
    const auto profile = read_pprof_bytes(bytes, "x");
    return profile ? std::string("read") : profile.error().message;
  };
  EXPECT_EQ(message(types() + sample({1}, {1}) + tables()), "a sample has 1 value where the profile declares 2");
  EXPECT_EQ(message(types() + sample({1}, {1, ~std::uint64_t{0}}) + tables()),
            "the profile holds negative values: it is a difference of two profiles");
  EXPECT_EQ(message(types() + tables()),
            "the profile holds no samples: a capture bug until proven otherwise; it holds 0 stacks that cost nothing");
  EXPECT_EQ(message(tables()), "the profile does not say what its samples count (no sample_type)");
  EXPECT_EQ(message(types() + sample({1}, {1, 1})), "the profile ends before its table of names");
  EXPECT_EQ(message(good().substr(0, good().size() - 3)), "the profile is damaged or ends before its end");
  EXPECT_EQ(message(bytes(1, number(1, 1) + number(2, 2)) + sample({}, {std::uint64_t{1} << 62U}) + bytes(6, "") +
                    bytes(6, "cpu") + bytes(6, "seconds")),
            "a sample costs more than 2^63 ns: the profile is damaged");
}

TEST(Pprof, EveryBeginningIsReadOrRefused) {
  const std::string whole = good();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto profile = read_pprof_bytes(std::string_view(whole).substr(0, length), "x");
    EXPECT_TRUE(profile || !profile.error().message.empty());
    EXPECT_EQ(is_pprof_bytes(std::string_view(whole).substr(0, length), false), length >= types().size() + 1) << length;
  }
}

TEST(Pprof, LegacyProfilesNameTheCommandThatConvertsThem) {
  std::string words;
  for (const std::uint64_t word : {0, 3, 0, 10000, 0}) words.append(reinterpret_cast<const char*>(&word), 8);
  for (const std::string& legacy : {words + std::string(64, '\7'), std::string("heap profile:   1:  2 [ 3: 4] @ heapprofile\n"),
                                    std::string("--- contention:\ncycles/second = 1\n")}) {
    EXPECT_TRUE(is_pprof_bytes(legacy, true));
    const auto profile = read_pprof_bytes(legacy, "old.prof");
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().message, "a profile in gperftools' or Go's old format: it does not hold the names of functions");
    EXPECT_EQ(profile.error().hint, "convert it where the program is: pprof -proto PROGRAM FILE > profile.pb.gz");
  }
}

TEST(Pprof, IsRecognisedByItsGrammarAlone) {
  EXPECT_TRUE(is_pprof_bytes(good(), true));
  EXPECT_TRUE(is_pprof_bytes(number(9, 1666107597086748038) + good(), true));  // Go writes the time first
  EXPECT_FALSE(is_xplane_bytes(good(), true));
  for (const std::string& other :
       {std::string(), std::string("\n\n\n"), std::string("\n\x04name: 12\n"), std::string("{\"traceEvents\":[]}"), tables(),
        std::string(4096, '\0'), number(1, 7) + good(), good() + std::string("\xff\xff")}) {
    EXPECT_FALSE(is_pprof_bytes(other, true));
  }
}

// google/pprof's testdata/large.cpu. The figures are of a decoder of the wire format of thirty lines of Python (gzip, a varint
// loop, dictionaries; sets for "once per stack"), which shares nothing with this one.
TEST(PprofSample, CostsAsAnIndependentDecoderHasThem) {
  const std::string folder = samples("profiles/pprof");
  if (folder.empty()) GTEST_SKIP() << "no samples (PLUMBLINE_SAMPLES)";
  ASSERT_TRUE(is_capture(folder + "large.cpu"));
  const auto profile = read(folder + "large.cpu", {});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->info.format, "pprof");
  EXPECT_EQ(profile->frames_unit, "ns");
  EXPECT_EQ(profile->frames_samples, 24029U);
  EXPECT_EQ(profile->frames_duration_ns, 240359136496);
  EXPECT_EQ(profile->frames.size(), 23038U);
  std::int64_t sum = 0, own = 0;
  for (const Frame& each : profile->frames) {
    sum += each.self;
    own += each.self != 0;
  }
  EXPECT_EQ(sum, 240290000000);
  EXPECT_EQ(own, 237);
  expect_frame(*profile, "time.Now", 205170000000, 205170000000);
  expect_frame(*profile, "time.now", 22910000000, 22910000000);
  expect_frame(*profile, "main.next", 8810000000, 217070000000);
  expect_frame(*profile, "runtime.main", 0, 217160000000);
  EXPECT_EQ(frame(*profile, "math/rand.(*lockedSource).Int63")->self, 430000000);
  EXPECT_EQ(frame(*profile, "math/rand.(*Rand).Int")->total, 850000000);
}

TEST(Protobuf, NumbersOfEveryLengthAndNoLonger) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{1} << 35U, ~std::uint64_t{0}}) {
    const std::string message = number(3, value);
    ProtobufReader reader(message);
    ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.is(3, Wire::varint));
    EXPECT_EQ(reader.number(), value);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.damaged());
    for (std::size_t length = 1; length < message.size(); ++length) {
      ProtobufReader cut(std::string_view(message).substr(0, length));
      EXPECT_FALSE(cut.next());
      EXPECT_TRUE(cut.damaged() && cut.cut_off());
    }
  }
  for (const std::string& damaged :
       {std::string("\x18") + std::string(10, '\xFF') + "\x01", std::string("\x18") + std::string(9, '\xFF') + "\x02",
        std::string("\x00\x01", 2), std::string("\x0B"), std::string("\x0F"), bytes(1, "abc").substr(0, 3)}) {
    ProtobufReader reader(damaged);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.damaged());
  }
  // A length of 2^64-1 must not wrap.
  const std::string huge = std::string("\x0A") + std::string(9, '\xFF') + "\x01" + "abc";
  ProtobufReader reader(huge);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.damaged());
  EXPECT_FALSE(reader.cut_off());
}

}  // namespace
}  // namespace plumbline::profiles::test
