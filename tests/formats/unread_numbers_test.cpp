// Numbers that cannot be read are invalid rows, never remarks: a collapse must not pass because it was spelled oddly.
#include <gtest/gtest.h>

#include "tests/formats/listing.hpp"

namespace plumbline::formats {
namespace {

TEST(UnreadNumbers, under_a_name_that_is_judged_are_invalid) {
  EXPECT_EQ(listing_of("latency: 5 ms\nThroughput: 1,567 req/s\nTotal time: 1m30s\nnote: 3 of 4\n", "run.txt"),
            "key-value\n"
            "latency = 5 [ms] lower-is-better\n"
            "Throughput = higher-is-better failed '1,567 req/s'\n"
            "Total time = lower-is-better failed '1m30s'\n"
            "note = context text '3 of 4'\n"
            "! grouped_digits\n"
            "! unread_numbers\n");
  EXPECT_EQ(listing_of(R"({"latency_ms": 5, "throughput": "1,234,567 req/s", "driver": "580.65.06"})", "run.json"),
            "generic-json\n"
            "latency_ms = 5 [ms] lower-is-better\n"
            "throughput = higher-is-better failed '1,234,567 req/s'\n"
            "driver = context text '580.65.06'\n"
            "context hardware.driver = 580.65.06\n"
            "! grouped_digits\n");
}

TEST(UnreadNumbers, remarks_in_brackets_say_nothing_of_the_value) {
  EXPECT_EQ(listing_of("latency: 5 ms\nThroughput: 1234 req/s (avg)\n", "run.txt"),
            "key-value\n"
            "latency = 5 [ms] lower-is-better\n"
            "Throughput = 1234 [req/s] higher-is-better\n");
}

TEST(UnreadNumbers, a_column_that_is_called_a_result_is_no_name) {
  EXPECT_EQ(listing_of("| model | throughput |\n|---|---|\n| a | 1,234.5 |\n| b | 99 |\n", "run.md"),
            "markdown-table\n"
            "[model=a].throughput = higher-is-better failed '1,234.5'\n"
            "[model=b].throughput = 99 higher-is-better\n"
            "! grouped_digits\n");
  EXPECT_EQ(listing_of("op,tok_s\na,12.5\nb,OOM\nc,OOM\n", "run.csv"),
            "csv\n"
            "[op=a].tok_s = 12.5 [tok/s] higher-is-better\n"
            "[op=b].tok_s = [tok/s] higher-is-better failed 'OOM'\n"
            "[op=c].tok_s = [tok/s] higher-is-better failed 'OOM'\n");
}

TEST(UnreadNumbers, a_check_in_quotes_is_a_check) {
  EXPECT_EQ(listing_of(R"({"x_ms": 1, "passed": "false"})", "run.json"),
            "generic-json\n"
            "x_ms = 1 [ms] lower-is-better\n"
            "passed = 0 gate higher-is-better boolean\n"
            "! boolean_values\n");
}

}  // namespace
}  // namespace plumbline::formats
