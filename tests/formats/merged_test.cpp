// Files of one result given one by one: what they have together and none of them alone.
#include "formats/merged.hpp"

#include <gtest/gtest.h>

#include "tests/formats/reading.hpp"

namespace plumbline::formats {
namespace {

std::string log_of(std::initializer_list<int> minutes, const char* status = "success") {
  std::string out = ":::MLLOG {\"time_ms\": 1, \"key\": \"submission_benchmark\", \"value\": \"bert\"}\n";
  for (const int one : minutes) {
    out += ":::MLLOG {\"time_ms\": 0, \"key\": \"run_start\"}\n:::MLLOG {\"time_ms\": " + std::to_string(one * 60'000) +
           ", \"key\": \"run_stop\", \"metadata\": {\"status\": \"" + status + "\"}}\n";
  }
  return out;
}

// The files read each by itself and merged as trials, as `diff BASELINE A B C` does.
std::string merged_of(const std::vector<std::string>& logs) {
  ReadOptions options;
  options.pool = std::make_shared<core::StringPool>();
  std::vector<core::Measurement> read_ones;
  for (const std::string& log : logs) {
    Input input;
    input.name = "seed.txt";
    input.bytes = log;
    auto one = read(input, options);
    if (!one) return "error: " + one.error().message;
    read_ones.push_back(std::move(*one));
  }
  core::Measurement first = std::move(read_ones.front());
  read_ones.erase(read_ones.begin());
  if (const auto problem = core::merge_trials(first, read_ones, {})) return "error: " + problem->message;
  finish_merged(first);
  return listing_of(first);
}

TEST(MergedMlperfTraining, seeds_in_files_of_their_own_have_the_score_of_a_folder) {
  // 4 and 9 are left out: (5 + 6) / 2.
  EXPECT_EQ(merged_of({log_of({9}), log_of({4}), log_of({5}), log_of({6})}),
            "mlperf-training\n"
            "bert.time_to_train = 9 4 5 6 [min] lower-is-better\n"
            "bert.time_to_train_olympic_mean = 5.5 [min] context\n"
            "bert.unsuccessful_runs = 0 0 0 0 gate lower-is-better\n"
            "context identity.benchmark = bert\n"
            "headline *time_to_train\n");
}

TEST(MergedMlperfTraining, two_seeds_have_none_and_three_runs_of_a_file_keep_their_own) {
  EXPECT_EQ(merged_of({log_of({9}), log_of({4})}).find("olympic"), std::string::npos);
  EXPECT_TRUE(has_line(merged_of({log_of({9, 4, 5}), log_of({6, 8, 7})}), "bert.time_to_train_olympic_mean = 5 7 [min] context"));
}

TEST(MergedMlperfTraining, a_seed_without_success_leaves_no_score) {
  const std::string rows = merged_of({log_of({9}), log_of({4}, "aborted"), log_of({5})});
  EXPECT_TRUE(has_line(rows, "bert.time_to_train = [min] lower-is-better failed 'a run did not end with the status success'"))
      << rows;
  EXPECT_TRUE(has_line(rows,
                       "bert.time_to_train_olympic_mean = [min] context failed 'a run did not end with the status "
                       "success'"))
      << rows;
  EXPECT_TRUE(has_line(rows, "bert.unsuccessful_runs = 0 1 0 gate lower-is-better")) << rows;
}

}  // namespace
}  // namespace plumbline::formats
