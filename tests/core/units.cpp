#include "core/units.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plumbline::core {
namespace {

TEST(ParseUnit, knows_what_a_text_measures) {
  struct Case {
    const char* text;
    Quantity quantity;
    double factor;
  };
  const Case cases[] = {
      {"s", Quantity::time, 1},
      {"ms", Quantity::time, 1e-3},
      {"us", Quantity::time, 1e-6},
      {"\xC2\xB5s", Quantity::time, 1e-6},
      {"\xCE\xBCs", Quantity::time, 1e-6},
      {"ns", Quantity::time, 1e-9},
      {"min", Quantity::time, 60},
      {"hours", Quantity::time, 3600},
      {" ms ", Quantity::time, 1e-3},
      {"ms/step", Quantity::time, 1e-3},
      {"B", Quantity::bytes, 1},
      {"KB", Quantity::bytes, 1e3},
      {"KiB", Quantity::bytes, 1024},
      {"GiB", Quantity::bytes, 1073741824},
      {"MBytes", Quantity::bytes, 1e6},
      {"bytes", Quantity::bytes, 1},
      {"Gb", Quantity::bytes, 1e9 / 8},
      {"GB/s", Quantity::bytes_per_second, 1e9},
      {"GBps", Quantity::bytes_per_second, 1e9},
      {"GB/sec", Quantity::bytes_per_second, 1e9},
      {"TB/s", Quantity::bytes_per_second, 1e12},
      {"GiB/s", Quantity::bytes_per_second, 1073741824},
      {"Gb/s", Quantity::bytes_per_second, 1e9 / 8},
      {"Gbit/s", Quantity::bytes_per_second, 1e9 / 8},
      {"Gbps", Quantity::bytes_per_second, 1e9 / 8},
      {"TFLOPS", Quantity::flops, 1e12},
      {"TFLOP/s", Quantity::flops, 1e12},
      {"tflops", Quantity::flops, 1e12},
      {"GFlop/s", Quantity::flops, 1e9},
      {"PFLOPS", Quantity::flops, 1e15},
      {"TOPS", Quantity::operations_per_second, 1e12},
      {"ops/s", Quantity::operations_per_second, 1},
      {"tok/s", Quantity::operations_per_second, 1},
      {"tokens/s", Quantity::operations_per_second, 1},
      {"t/s", Quantity::operations_per_second, 1},
      {"ktok/s", Quantity::operations_per_second, 1e3},
      {"req/min", Quantity::operations_per_second, 1.0 / 60},
      {"QPS", Quantity::operations_per_second, 1},
      {"tok/s/gpu", Quantity::operations_per_second, 1},
      {"%", Quantity::ratio, .01},
      {"ratio", Quantity::ratio, 1},
      {"count", Quantity::count, 1},
      {"tokens", Quantity::count, 1},
      {"W", Quantity::power, 1},
      {"kW", Quantity::power, 1e3},
      {"J", Quantity::energy, 1},
      {"J/token", Quantity::energy, 1},
      {"kWh", Quantity::energy, 3.6e6},
      {"\xC2\xB0"
       "C",
       Quantity::temperature, 1},
      {"MHz", Quantity::frequency, 1e6},
      {"USD", Quantity::money, 1},
      {"$/M tokens", Quantity::money, 1e-6},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(parse_unit(c.text).quantity, c.quantity) << c.text;
    EXPECT_DOUBLE_EQ(parse_unit(c.text).factor, c.factor) << c.text;
  }
}

TEST(ParseUnit, does_not_guess) {
  for (const char* text :
       {"", "gbps", "mbps", "gb/s", "m", "b", "t", "T", "K", "M", "foo", "GB/", "/s", "1", "tps", "foo/s", "MS", "S", "//"}) {
    EXPECT_EQ(parse_unit(text).quantity, Quantity::unknown) << text;
    EXPECT_EQ(parse_unit(text).factor, 1) << text;
  }
}

TEST(ConversionFactor, between_units_of_one_thing) {
  struct Case {
    const char *from, *to;
    double factor;
  };
  const Case cases[] = {{"TB/s", "GB/s", 1000},
                        {"GB/s", "TB/s", .001},
                        {"Gb/s", "GB/s", .125},
                        {"s", "ms", 1000},
                        {"us", "ms", .001},
                        {"tok/s", "tokens/s", 1},
                        {"%", "ratio", .01},
                        {"ms/step", "s/steps", .001},
                        {"GiB", "B", 1073741824},
                        {"PFLOPS", "TFLOPS", 1000},
                        {"ktok/s", "tok/s", 1000},
                        {"same unknown", "same unknown", 1},
                        {"", "", 1},
                        {"ns", "us", .001}};
  for (const Case& c : cases) {
    const auto factor = conversion_factor(c.from, c.to);
    ASSERT_TRUE(factor) << c.from << " to " << c.to;
    EXPECT_EQ(*factor, c.factor) << c.from << " to " << c.to;
  }
}

TEST(ConversionFactor, none_between_different_things) {
  const std::pair<const char*, const char*> cases[] = {
      {"GB/s", "GB"},         {"tok/s", "req/s"},     {"ms", "ms/step"}, {"TOPS", "TFLOPS"}, {"", "ms"}, {"foo", "bar"},
      {"tok/s", "tok/s/gpu"}, {"tokens", "requests"}, {"J", "W"},        {"gbps", "GB/s"},   {"C", "W"}};
  for (const auto& [from, to] : cases) {
    EXPECT_FALSE(conversion_factor(from, to)) << from << " to " << to;
    EXPECT_FALSE(conversion_factor(to, from)) << to << " to " << from;
  }
}

TEST(ConversionFactor, there_and_back_is_one) {
  const char* const units[] = {"GB/s", "TB/s", "Gb/s", "GiB/s", "MB/s"};
  for (const char* from : units) {
    for (const char* to : units) EXPECT_DOUBLE_EQ(*conversion_factor(from, to) * *conversion_factor(to, from), 1);
  }
}

}  // namespace
}  // namespace plumbline::core
