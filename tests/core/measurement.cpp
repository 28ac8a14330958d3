#include "core/measurement.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plumbline::core {
namespace {

using Values = std::vector<double>;

Measurement measurement(std::shared_ptr<StringPool> pool, const std::vector<std::pair<std::string, Values>>& rows,
                        const std::string& unit = "GB/s") {
  Measurement m(std::move(pool));
  m.format.name = "generic-json";
  for (const auto& [key, values] : rows) {
    Row row;
    row.key = m.pool().intern(key);
    row.metric = row.key;
    row.metric_class = m.intern_class({.unit = m.pool().intern(unit)});
    const std::pair<Id, Id> dim = {m.pool().intern("size"), m.pool().intern(key)};
    row.dims = m.add_dims({&dim, 1});
    row.state = values.empty() ? ValueState::null : ValueState::number;
    m.add_row(row, values);
  }
  return m;
}

Values values_of(const Measurement& m, std::size_t row) {
  const auto values = m.values(m.rows()[row]);
  return {values.begin(), values.end()};
}

const std::vector<std::string> kNames = {"a.json", "b.json", "c.json"};

std::string problem_of(Measurement a, Measurement b) {
  std::vector<Measurement> others;
  others.push_back(std::move(b));
  const auto problem = merge_trials(a, others, kNames);
  if (!problem) return "none";
  EXPECT_EQ(problem->hint, "trials are repeated runs of one measurement; compare different ones one by one");
  return problem->message;
}

TEST(Names, of_the_enumerations) {
  const char* const directions[] = {"unknown", "higher-is-better", "lower-is-better", "two-sided"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(to_string(static_cast<Direction>(i)), directions[i]);
  const char* const roles[] = {"judged", "gate", "context", "noise"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(to_string(static_cast<Role>(i)), roles[i]);
  const char* const sources[] = {"flag", "project", "entry", "file", "format", "name", "unit", "default"};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(to_string(static_cast<Source>(i)), sources[i]);
  const char* const states[] = {"number", "numeric_string", "boolean",   "big_integer", "null",
                                "text",   "not_finite",     "duplicate", "failed"};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(to_string(static_cast<ValueState>(i)), states[i]);
  const char* const shapes[] = {"scalar", "structured", "profile", "suite"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(to_string(static_cast<Shape>(i)), shapes[i]);
  const char* const replications[] = {"run", "in_process", "unknown"};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(to_string(static_cast<Replication>(i)), replications[i]);
}

TEST(ParseDirection, reads_its_own_names_and_nothing_that_decides_nothing) {
  for (const Direction direction : {Direction::higher, Direction::lower, Direction::two_sided}) {
    EXPECT_EQ(parse_direction(to_string(direction)), direction);
  }
  EXPECT_EQ(parse_direction("Higher_Is_Better"), Direction::higher);
  EXPECT_EQ(parse_direction("lower"), Direction::lower);
  for (const char* text : {"auto", "unknown", "", "up", "higher-is-worse"}) EXPECT_FALSE(parse_direction(text)) << text;
}

TEST(Building, equal_classes_are_one) {
  Measurement m(std::make_shared<StringPool>());
  const MetricClass time{.unit = m.pool().intern("ms"), .direction = Direction::lower};
  EXPECT_EQ(m.intern_class(time), 0U);
  for (Id note = 1; note <= 1000; ++note) {
    MetricClass other = time;
    other.direction_note = note;
    EXPECT_EQ(m.intern_class(other), note);
  }
  EXPECT_EQ(m.intern_class(time), 0U);  // found although a thousand lie between
  MetricClass last = time;
  last.direction_note = 1000;
  EXPECT_EQ(m.intern_class(last), 1000U);
  EXPECT_EQ(m.classes().size(), 1001U);
}

TEST(Building, an_edited_class_is_not_mistaken_for_what_it_was) {
  Measurement m(std::make_shared<StringPool>());
  const MetricClass plain{};
  const auto at = m.intern_class(plain);
  m.classes()[at].direction = Direction::higher;
  const auto again = m.intern_class(plain);
  EXPECT_NE(again, at);
  EXPECT_EQ(m.classes()[again], plain);
}

TEST(Building, dims_keep_their_order_and_equal_neighbours_are_shared) {
  Measurement m(std::make_shared<StringPool>());
  const std::vector<std::pair<Id, Id>> a = {{1, 2}, {3, 4}}, b = {{3, 4}};
  EXPECT_EQ(m.add_dims({}), 0U);
  EXPECT_EQ(m.add_dims(a), 1U);
  EXPECT_EQ(m.add_dims(a), 1U);
  EXPECT_EQ(m.add_dims(b), 2U);
  EXPECT_EQ(m.add_dims({}), 0U);
  EXPECT_EQ(m.add_dims(a), 3U);
  Row row;
  row.dims = 1;
  EXPECT_EQ(m.dims(row).size(), 2U);
  EXPECT_EQ(m.dims(row)[1], (std::pair<Id, Id>{3, 4}));
  row.dims = 0;
  EXPECT_TRUE(m.dims(row).empty());
}

TEST(Building, rows_know_their_values) {
  const Measurement m = measurement(std::make_shared<StringPool>(), {{"x", {1, 2}}, {"y", {}}, {"z", {3}}});
  EXPECT_EQ(values_of(m, 0), (Values{1, 2}));
  EXPECT_EQ(values_of(m, 1), Values{});
  EXPECT_EQ(values_of(m, 2), Values{3});
  EXPECT_EQ(m.key(m.rows()[2]), "z");
  EXPECT_EQ(m.unit(m.rows()[2]), "GB/s");
}

// ---- merge_trials -------------------------------------------------------------------------------------------------------

TEST(MergeTrials, lists_the_values_in_the_order_of_the_files_whatever_the_order_of_the_keys) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1, 2}}, {"y", {10}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"y", {20}}, {"x", {3}}}));
  others.push_back(measurement(std::make_shared<StringPool>(), {{"y", {30}}, {"x", {4, 5}}}));  // another pool
  EXPECT_FALSE(merge_trials(a, others, kNames));
  ASSERT_EQ(a.rows().size(), 2U);
  EXPECT_EQ(values_of(a, 0), (Values{1, 2, 3, 4, 5}));
  EXPECT_EQ(values_of(a, 1), (Values{10, 20, 30}));
  EXPECT_EQ(a.key(a.rows()[1]), "y");
  EXPECT_EQ(a.unit(a.rows()[1]), "GB/s");
  EXPECT_EQ(a.pool().view(a.dims(a.rows()[1])[0].second), "y");
  EXPECT_EQ(a.trial_files, 3U);
  EXPECT_EQ(a.replication, Replication::unknown);
}

TEST(MergeTrials, of_one_file_changes_nothing) {
  Measurement a = measurement(std::make_shared<StringPool>(), {{"x", {1, 2}}});
  EXPECT_FALSE(merge_trials(a, {}, kNames));
  EXPECT_EQ(values_of(a, 0), (Values{1, 2}));
  EXPECT_EQ(a.trial_files, 1U);
}

TEST(MergeTrials, iterations_inside_a_process_count_once_per_file) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1, 9, 2}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"x", {3, 4}}}));
  a.replication = others[0].replication = Replication::in_process;
  EXPECT_FALSE(merge_trials(a, others, kNames));
  EXPECT_EQ(values_of(a, 0), (Values{2, 3.5}));
  EXPECT_EQ(a.replication, Replication::run);
}

TEST(MergeTrials, names_the_first_key_that_a_file_lacks) {
  const auto pool = std::make_shared<StringPool>();
  EXPECT_EQ(problem_of(measurement(pool, {{"x", {1}}, {"y", {1}}}), measurement(pool, {{"x", {1}}})),
            "trials must have the same keys: \"y\" is in a.json but not in b.json");
  EXPECT_EQ(problem_of(measurement(pool, {{"x", {1}}}), measurement(pool, {{"x", {1}}, {"y", {1}}})),
            "trials must have the same keys: \"y\" is in b.json but not in a.json");
}

TEST(MergeTrials, a_problem_leaves_the_first_as_it_was) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"x", {2}}}));
  others.push_back(measurement(pool, {{"z", {3}}}));
  const auto problem = merge_trials(a, others, kNames);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message, "trials must have the same keys: \"x\" is in a.json but not in c.json");
  EXPECT_EQ(values_of(a, 0), Values{1});
  EXPECT_EQ(a.trial_files, 1U);
}

TEST(MergeTrials, names_the_context_field_that_differs) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}}), b = measurement(pool, {{"x", {1}}});
  a.context = {{"workload.dtype", "bf16"}};
  b.context = {{"workload.dtype", "fp16"}};
  EXPECT_EQ(problem_of(a, b), "trials must have the same context: workload.dtype is \"bf16\" in a.json and \"fp16\" in b.json");
  b.context = {};
  EXPECT_EQ(problem_of(a, b), "trials must have the same context: workload.dtype is \"bf16\" in a.json and not stated in b.json");
  a.context = {{"hardware.gpu", "B200"}};
  b.context = {{"hardware.gpu", "H100"}};
  EXPECT_EQ(problem_of(a, b), "trials must have the same context: hardware.gpu is \"B200\" in a.json and \"H100\" in b.json");
}

TEST(MergeTrials, another_label_is_nothing_another_driver_a_warning) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"x", {2}}}));
  a.context = {
      {"hardware.driver", "570"}, {"hardware.gpu_uuid", "1"}, {"environment.hostname", "n1"}, {"identity.label", "first"}};
  others[0].context = {
      {"hardware.driver", "580"}, {"hardware.gpu_uuid", "2"}, {"environment.hostname", "n1"}, {"identity.label", "second"}};
  a.warn("ragged_lines", "said by both");
  others[0].warn("ragged_lines", "said by both");
  others[0].warn("comment_lines", "said by the second");
  EXPECT_FALSE(merge_trials(a, others, kNames));
  EXPECT_EQ(a.context.at("hardware.driver"), "570");
  const std::vector<Warning> expected = {
      {"ragged_lines", "said by both"},
      {"comment_lines", "said by the second"},
      {"trial_context_varies", "the trials differ in hardware.driver; the first file's values are kept"}};
  EXPECT_EQ(a.warnings, expected);
}

TEST(MergeTrials, of_different_hosts_are_refused_and_named) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"x", {1}}}));
  others[0].context = {{"environment.hostname", "n2"}};
  Measurement unnamed = a;
  EXPECT_FALSE(merge_trials(unnamed, others, kNames));  // who does not say is not another
  a.context = {{"environment.hostname", "n1"}};
  const auto problem = merge_trials(a, others, kNames);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message, "trials of different hosts: a.json (n1) and b.json (n2)");
  EXPECT_EQ(problem->hint, "compare siblings by themselves, each with its own baseline: trials are repeated runs on one host");
}

TEST(MergeTrials, formats_and_shapes_must_agree) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}}), b = measurement(pool, {{"x", {1}}});
  b.format.name = "csv";
  EXPECT_EQ(problem_of(a, b), "trials must be of one format: a.json is generic-json, b.json is csv");
  b.format.name = "generic-json";
  b.shape = Shape::scalar;
  EXPECT_EQ(problem_of(a, b), "trials must be of one shape: a.json is structured, b.json is scalar");
}

TEST(MergeTrials, units_are_converted_or_refused) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1000}}}, "GB/s");
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"x", {2}}}, "TB/s"));
  EXPECT_FALSE(merge_trials(a, others, kNames));
  EXPECT_EQ(values_of(a, 0), (Values{1000, 2000}));
  EXPECT_EQ(problem_of(measurement(pool, {{"x", {1}}}, "GB/s"), measurement(pool, {{"x", {1}}}, "ms")),
            "trials must have the same units: \"x\" is in \"GB/s\" in a.json and in \"ms\" in b.json");
}

TEST(MergeTrials, one_trial_that_is_no_number_decides_the_state) {
  struct Case {
    ValueState first, second, merged;
    std::size_t values;
  };
  const Case cases[] = {{ValueState::number, ValueState::number, ValueState::number, 2},
                        {ValueState::number, ValueState::numeric_string, ValueState::numeric_string, 2},
                        {ValueState::boolean, ValueState::boolean, ValueState::boolean, 2},
                        {ValueState::number, ValueState::null, ValueState::null, 0},
                        {ValueState::not_finite, ValueState::number, ValueState::not_finite, 0},
                        {ValueState::null, ValueState::text, ValueState::text, 0},
                        {ValueState::number, ValueState::failed, ValueState::failed, 0},
                        {ValueState::duplicate, ValueState::number, ValueState::duplicate, 0}};
  for (const Case& c : cases) {
    const auto pool = std::make_shared<StringPool>();
    Measurement a = measurement(pool, {{"x", {1}}});
    std::vector<Measurement> others;
    others.push_back(measurement(pool, {{"x", {2}}}));
    a.rows()[0].state = c.first;
    others[0].rows()[0].state = c.second;
    others[0].rows()[0].text = pool->intern("as written");
    EXPECT_FALSE(merge_trials(a, others, kNames));
    EXPECT_EQ(a.rows()[0].state, c.merged);
    EXPECT_EQ(values_of(a, 0).size(), c.values) << to_string(c.merged);
    if (c.merged != c.first) {
      EXPECT_EQ(pool->view(a.rows()[0].text), "as written");
    }
  }
}

TEST(MergeTrials, a_key_that_stands_twice_in_a_file_stays_a_duplicate) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}, {"y", {1}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"x", {2}}, {"x", {3}}, {"y", {2}}}));
  EXPECT_FALSE(merge_trials(a, others, kNames));
  ASSERT_EQ(a.rows().size(), 2U);
  EXPECT_EQ(a.rows()[0].state, ValueState::duplicate);
  EXPECT_EQ(a.rows()[1].state, ValueState::number);

  Measurement twice = measurement(pool, {{"x", {1}}, {"x", {2}}});
  std::vector<Measurement> once;
  once.push_back(measurement(pool, {{"x", {3}}}));
  EXPECT_FALSE(merge_trials(twice, once, kNames));
  ASSERT_EQ(twice.rows().size(), 2U);  // nothing disappears
  EXPECT_EQ(twice.rows()[0].state, ValueState::duplicate);
  EXPECT_EQ(twice.rows()[1].state, ValueState::duplicate);
}

TEST(MergeTrials, without_names_the_files_are_counted) {
  const auto pool = std::make_shared<StringPool>();
  Measurement a = measurement(pool, {{"x", {1}}});
  std::vector<Measurement> others;
  others.push_back(measurement(pool, {{"y", {1}}}));
  EXPECT_EQ(merge_trials(a, others, {})->message, "trials must have the same keys: \"x\" is in trial 1 but not in trial 2");
}

}  // namespace
}  // namespace plumbline::core
