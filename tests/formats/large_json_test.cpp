// What only large files show: nodes that are forgotten once they are rows, names that share an answer, rules from outside.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "formats/format.hpp"
#include "formats/name_memo.hpp"

namespace plumbline::formats {
namespace {

core::Expected<core::Measurement> read_text(std::string_view text, ReadOptions options = {}) {
  Input input;
  input.name = "r.json";
  input.bytes = text;
  return read(input, options);
}

std::string warnings_of(const core::Measurement& m) {
  std::string out;
  for (const core::Warning& warning : m.warnings) out += std::string(warning.code.text()) + ": " + warning.message + "\n";
  return out;
}

constexpr int kMany = 400'000;  // members: nodes for several times what is forgotten at once

TEST(LargeJson, every_member_of_a_flat_object_is_a_row_in_its_order) {
  std::string text = "{";
  for (int i = 0; i < kMany; ++i) text += (i > 0 ? ",\"k_" : "\"k_") + std::to_string(i) + "\":" + std::to_string(i) + ".5";
  text += ",\"k_7\":1}";
  const auto m = read_text(text);
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), static_cast<std::size_t>(kMany));
  for (int i = 0; i < kMany; ++i) {
    const core::Row& row = m->rows()[static_cast<std::size_t>(i)];
    ASSERT_EQ(m->key(row), "k_" + std::to_string(i));
    ASSERT_EQ(m->values(row)[0], i + 0.5);
    ASSERT_EQ(row.state, i == 7 ? core::ValueState::duplicate : core::ValueState::number);
  }
}

TEST(LargeJson, records_and_the_object_under_an_empty_key_are_read_to_their_end) {
  std::string records = "[";
  for (int i = 0; i < kMany / 4; ++i) {
    records += (i > 0 ? ",{\"size\":" : "{\"size\":") + std::to_string(i) + ",\"latency_ms\":{\"mean\":" + std::to_string(i) +
               ",\"samples\":[1,2,3]}}";
  }
  records += "]";
  const auto m = read_text(records);
  ASSERT_TRUE(m);
  ASSERT_EQ(m->rows().size(), static_cast<std::size_t>(kMany / 2));
  EXPECT_EQ(m->key(m->rows().back()), "[size=99999].latency_ms.samples");
  EXPECT_EQ(m->values(m->rows().back()).size(), 3U);
  EXPECT_EQ(m->values(m->rows()[m->rows().size() - 2])[0], 99999);

  std::string nested = "{\"\":{";
  for (int i = 0; i < kMany; ++i) nested += (i > 0 ? ",\"k_" : "\"k_") + std::to_string(i) + "\":1";
  const auto inner = read_text(nested + "},\"last\":2}");
  ASSERT_TRUE(inner);
  ASSERT_EQ(inner->rows().size(), kMany + 1U);
  EXPECT_EQ(inner->key(inner->rows().back()), "last");
}

TEST(LargeJson, the_second_file_of_a_pair_shares_ids_whatever_its_order) {
  std::string forward = "{", backward = "{";
  for (int i = 0; i < 5000; ++i) {
    forward += (i > 0 ? ",\"k_" : "\"k_") + std::to_string(i) + "\":1";
    backward += (i > 0 ? ",\"k_" : "\"k_") + std::to_string(4999 - i) + "\":1";
  }
  ReadOptions options;
  options.pool = std::make_shared<core::StringPool>();
  const auto first = read_text(forward + "}", options);
  const auto same = read_text(forward + "}", options);
  const auto reversed = read_text(backward + "}", options);
  ASSERT_TRUE(first && same && reversed);
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(first->rows()[i].key, same->rows()[i].key);
    EXPECT_EQ(first->rows()[i].key, reversed->rows()[4999 - i].key);
  }
}

TEST(NameMemo, runs_of_three_digits_are_one_shape_and_shorter_ones_are_not) {
  struct Case {
    const char *known, *asked;
    bool same;
  };
  const Case cases[] = {
      {"metric_0001", "metric_0002", true},
      {"metric_0001", "metric_000002", true},
      {"metric_0001", "metric_01", false},
      {"metric_0001", "metric_000a", false},
      {"metric_0001", "metrics_001", false},
      {"p99", "p95", false},
      {"a1b_2048_ms", "a1b_4096_ms", true},
      {"a1b_2048_ms", "a2b_4096_ms", false},
      {"123", "999", true},
      {"12", "13", false},
      {"", "1", false},
      {"a_long_name_that_goes_on_beyond_what_is_kept_at_hand_0001", "a_long_name_that_goes_on_beyond_what_is_kept_at_hand_0002",
       true},
      {"x\xFF_111111", "x\xFE_111111", false},
      {"key_111:1111", "key_111:11:1", false},
  };
  for (const Case& one : cases) {
    NameMemo memo;
    ASSERT_EQ(memo.find(3, one.known), nullptr);
    memo.put(3, one.known, 42);
    for (int again = 0; again < 2; ++again) {
      const std::uint32_t* answer = memo.find(3, one.asked);
      EXPECT_EQ(answer != nullptr && *answer == 42, one.same) << one.known << " " << one.asked;
      EXPECT_EQ(memo.find(4, one.asked), nullptr) << "another scope";
    }
  }
}

TEST(MixedUnits, one_metric_in_two_units_is_said_and_two_spellings_are_one_unit) {
  const auto mixed =
      read_text(R"([{"size": 1, "latency": {"p50": 5, "unit": "us"}}, {"size": 2, "latency": {"p50": 5, "unit": "ms"}},
                                   {"size": 3, "latency": {"p50": 5, "unit": "s"}}])");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(warnings_of(*mixed), "mixed_units: 1 metric has more than one unit within the file: \"p50\"\n");
  const auto plain =
      read_text(R"([{"size": 1, "latency": {"p50": 5, "unit": "us"}}, {"size": 2, "latency": {"p50": 5, "unit": "usec"}},
                                   {"size": 3, "rate": {"p50": 5, "unit": "GB/s"}}])");
  ASSERT_TRUE(plain);
  EXPECT_EQ(warnings_of(*plain), "");
}

TEST(Names, rules_given_by_the_caller_replace_the_embedded_ones) {
  const auto rules = configs::MetricNames::parse(R"(version: 1
groups:
  - name: ours
    strength: 90
    direction: lower
    words: [wobble]
)",
                                                 "configs/metric-names.yaml");
  ASSERT_TRUE(rules);
  ReadOptions options;
  options.names = *rules;
  const auto m = read_text(R"({"wobble": 1, "throughput": 2})", options);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->metric_class(m->rows()[0]).direction, core::Direction::lower);
  EXPECT_EQ(m->metric_class(m->rows()[1]).direction, core::Direction::unknown);
}

// As Google Benchmark and its kin write: statistics and the samples they were taken from, side by side.
TEST(Samples, beside_their_statistics_are_trials_of_their_own_row) {
  const auto m = read_text(R"({"step": {"mean": 5, "stddev": 0.5, "n": 3, "samples_ms": [4.5, 5, 5.5], "unit": "ms"}})");
  ASSERT_TRUE(m);
  std::string seen;
  for (const core::Row& row : m->rows()) {
    seen += std::string(m->key(row)) + " " + std::to_string(m->values(row).size()) + " [" + std::string(m->unit(row)) + "] " +
            std::string(core::to_string(m->metric_class(row).role)) + "\n";
  }
  EXPECT_EQ(seen,
            "step.mean 1 [ms] context\n"
            "step.stddev 1 [ms] noise\n"
            "step.n 1 [ms] context\n"
            "step.samples_ms 3 [ms] judged\n");
}

}  // namespace
}  // namespace plumbline::formats
