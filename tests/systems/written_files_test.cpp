// Other systems' files, byte for byte: numbers and texts as .NET writes them, a case file as Python does.
#include <gtest/gtest.h>

#include "systems/msmodeling/case_file.hpp"
#include "systems/tensorsharp/baseline_file.hpp"

namespace plumbline::systems {
namespace {

TEST(DotNetNumber, IsTheShortestInItsOwnLayout) {
  EXPECT_EQ(tensorsharp::dotnet_number(1850.0), "1850");
  EXPECT_EQ(tensorsharp::dotnet_number(95.3), "95.3");
  EXPECT_EQ(tensorsharp::dotnet_number(-0.5), "-0.5");
  EXPECT_EQ(tensorsharp::dotnet_number(0), "0");
  EXPECT_EQ(tensorsharp::dotnet_number(-0.0), "-0");
  EXPECT_EQ(tensorsharp::dotnet_number(58.473000000000006), "58.473000000000006");
  EXPECT_EQ(tensorsharp::dotnet_number(0.0001), "0.0001");
  EXPECT_EQ(tensorsharp::dotnet_number(0.00001), "1E-05");
  EXPECT_EQ(tensorsharp::dotnet_number(1.5e-7), "1.5E-07");
  EXPECT_EQ(tensorsharp::dotnet_number(123456789012345.0), "123456789012345");
  EXPECT_EQ(tensorsharp::dotnet_number(1e15), "1E+15");
  EXPECT_EQ(tensorsharp::dotnet_number(1234567890123456.0), "1234567890123456");
  EXPECT_EQ(tensorsharp::dotnet_number(1e16), "1E+16");
  EXPECT_EQ(tensorsharp::dotnet_number(1.5e300), "1.5E+300");
}

TEST(TensorSharpFile, IsWhatItsStoreWrites) {
  tensorsharp::Baseline baseline;
  baseline.host_label = "linux-cuda";
  baseline.captured_at = "2026-05-26T00:00:00+00:00";
  baseline.notes = "a \"quote\", a\ttab, <html> & \xC3\xA9";
  tensorsharp::Entry entry;
  entry.case_id = "m__cuda__tg128__KV=q8";
  entry.ok = true;
  entry.decode_tps = 95.3;
  entry.model_load_ms = 1850;
  baseline.entries.push_back(entry);
  entry.correctness_ok = false;
  baseline.entries.push_back(entry);
  EXPECT_EQ(text_of(baseline), R"({
  "host_label": "linux-cuda",
  "captured_at": "2026-05-26T00:00:00+00:00",
  "commit": null,
  "notes": "a \"quote\", a\ttab, <html> & )"
                               "\xC3\xA9"
                               R"(",
  "entries": [
    {
      "case_id": "m__cuda__tg128__KV=q8",
      "ok": true,
      "correctness_ok": null,
      "prefill_tps": 0,
      "decode_tps": 95.3,
      "model_load_ms": 1850
    },
    {
      "case_id": "m__cuda__tg128__KV=q8",
      "ok": true,
      "correctness_ok": false,
      "prefill_tps": 0,
      "decode_tps": 95.3,
      "model_load_ms": 1850
    }
  ]
})");
  baseline.entries.clear();
  EXPECT_NE(text_of(baseline).find("\"entries\": []\n}"), std::string::npos);
}

TEST(MsmodelingFile, KeepsWhatDidNotChangeAndRefillsTheRest) {
  msmodeling::Case expected;
  expected.fields = {{"name", "\"decode\""}, {"initial_time_s", "0"}, {"baseline_time_s", "0.05"}, {"operators", "[]"}};
  expected.baseline_time_s = 0.05;
  EXPECT_EQ(text_of(expected),
            "{\n  \"name\": \"decode\",\n  \"initial_time_s\": 0,\n  \"baseline_time_s\": 0.05,\n  \"operators\": []\n}");
  expected.refreshed = true;
  expected.baseline_time_s = 1.0;
  expected.operators = {{"aten.mm.default", 25.0 * 1e-3, 8}};
  EXPECT_EQ(text_of(expected), R"({
  "name": "decode",
  "initial_time_s": 0,
  "baseline_time_s": 1.0,
  "operators": [
    {
      "name": "aten.mm.default",
      "total_time_s": 0.025,
      "num_calls": 8
    }
  ]
})");
}

}  // namespace
}  // namespace plumbline::systems
