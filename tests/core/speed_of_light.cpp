#include "core/speed_of_light.hpp"

#include <gtest/gtest.h>

namespace plumbline::core {
namespace {

FrozenSol nvlink5(double value, std::string unit, std::string duplex) {
  return {.row_key = "all_reduce.busbw",
          .ceiling_key = "b200_sm100.nvlink5_tbps",
          .ceiling_value = value,
          .ceiling_unit = std::move(unit),
          .duplex = std::move(duplex),
          .pct = 0,
          .rigor = ""};
}

TEST(SolPercent, converts_units) {
  EXPECT_DOUBLE_EQ(*sol_percent(450, "GB/s", 1.8, "TB/s"), 25);
  EXPECT_DOUBLE_EQ(*sol_percent(450, "GB/s", 900, ""), 50);
  EXPECT_DOUBLE_EQ(*sol_percent(495, "TFLOPS", .99, "PFLOPS"), 50);
  EXPECT_FALSE(sol_percent(450, "ms", 1.8, "TB/s"));
  EXPECT_FALSE(sol_percent(450, "", 1.8, "TB/s"));
  EXPECT_FALSE(sol_percent(450, "GB/s", 0, "GB/s"));
  EXPECT_FALSE(sol_percent(450, "GB/s", -1, "GB/s"));
  EXPECT_FALSE(sol_percent(1e308, "TB/s", 1e-308, "GB/s"));
}

TEST(SolLine, is_that_of_the_contract) {
  const char* const expected =
      "baseline: 310 GB/s (17.2% of nvlink5_tbps SoL)\ncurrent: 295 GB/s (16.4% of nvlink5_tbps SoL)\n"
      "delta: -15 GB/s (-4.8% absolute, -0.8 pp SoL)";
  const std::pair<double, const char*> ceilings[] = {{1.8, "TB/s"}, {1800, "GB/s"}, {1800, ""}};
  for (const auto& [value, unit] : ceilings) {
    const auto line = sol_line(nvlink5(value, unit, "bi"), 310, 295, "GB/s");
    ASSERT_TRUE(line) << unit;
    EXPECT_EQ(line->text, expected);
    EXPECT_EQ(line->row_key, "all_reduce.busbw");
    EXPECT_EQ(line->ceiling_key, "b200_sm100.nvlink5_tbps");
    EXPECT_EQ(line->ceiling_value, value);
    EXPECT_NEAR(line->baseline_pct, 17.2222, 1e-4);
    EXPECT_NEAR(line->current_pct, 16.3889, 1e-4);
    EXPECT_NEAR(line->delta_pp, -.8333, 1e-4);
  }
  EXPECT_EQ(sol_line(nvlink5(1800, "", ""), 310, 295, "GB/s")->ceiling_unit, "GB/s");  // taken as the row's
}

TEST(SolLine, signs_zeros_and_undefined_percentages) {
  const FrozenSol frozen = nvlink5(1.8, "TB/s", "bi");
  EXPECT_EQ(sol_line(frozen, 295, 310, "GB/s")->text,
            "baseline: 295 GB/s (16.4% of nvlink5_tbps SoL)\ncurrent: 310 GB/s (17.2% of nvlink5_tbps SoL)\n"
            "delta: +15 GB/s (+5.1% absolute, +0.8 pp SoL)");
  EXPECT_EQ(sol_line(frozen, 310, 310, "GB/s")->text,
            "baseline: 310 GB/s (17.2% of nvlink5_tbps SoL)\ncurrent: 310 GB/s (17.2% of nvlink5_tbps SoL)\n"
            "delta: 0 GB/s (0.0% absolute, 0.0 pp SoL)");
  EXPECT_EQ(sol_line(frozen, 0, 90, "GB/s")->text,
            "baseline: 0 GB/s (0.0% of nvlink5_tbps SoL)\ncurrent: 90 GB/s (5.0% of nvlink5_tbps SoL)\n"
            "delta: +90 GB/s (n/a absolute, +5.0 pp SoL)");
  EXPECT_FALSE(sol_line(frozen, 310, 295, "ms"));
}

TEST(SolLine, without_a_unit_prints_bare_numbers) {
  const auto line = sol_line(
      FrozenSol{
          .row_key = "x", .ceiling_key = "peak", .ceiling_value = 200, .ceiling_unit = "", .duplex = "", .pct = 0, .rigor = ""},
      100, 50, "");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text,
            "baseline: 100 (50.0% of peak SoL)\ncurrent: 50 (25.0% of peak SoL)\ndelta: -50 (-50.0% absolute, -25.0 pp SoL)");
}

TEST(DuplexWarning, names_the_one_way_figure) {
  const auto warning = duplex_warning(nvlink5(1.8, "TB/s", "bi"), "busbw", 310, "GB/s");
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->code.text(), "duplex_mismatch");
  EXPECT_EQ(warning->message,
            "busbw is a one-direction rate, but nvlink5_tbps (1.8 TB/s) counts both directions: 310 GB/s is 34.4% of 900 GB/s");
}

TEST(DuplexWarning, knows_one_direction_measures_by_name) {
  const FrozenSol frozen = nvlink5(1800, "GB/s", "bi");
  for (const char* metric :
       {"busbw", "out_of_place_BusBw_GBps", "algbw", "bus_bw", "H2D", "memcpy_d2h", "host_to_device_ce", "Device_To_Host"}) {
    EXPECT_TRUE(duplex_warning(frozen, metric, 310, "GB/s")) << metric;
  }
  for (const char* metric : {"bandwidth", "host_to_device_bidirectional_ce", "time", ""}) {
    EXPECT_FALSE(duplex_warning(frozen, metric, 310, "GB/s")) << metric;
  }
}

TEST(DuplexWarning, keeps_silent_where_the_ceiling_is_one_way_or_does_not_convert) {
  EXPECT_FALSE(duplex_warning(nvlink5(900, "GB/s", "uni"), "busbw", 310, "GB/s"));
  EXPECT_FALSE(duplex_warning(nvlink5(1800, "GB/s", "n/a"), "busbw", 310, "GB/s"));
  EXPECT_FALSE(duplex_warning(nvlink5(1800, "GB/s", "bi"), "busbw", 310, "ms"));
}

TEST(DuplexWarning, a_reference_without_duplex_is_known_by_its_figure) {
  EXPECT_TRUE(duplex_warning(nvlink5(1.8, "TB/s", ""), "busbw", 310, "GB/s"));
  EXPECT_TRUE(duplex_warning(nvlink5(1800, "", ""), "busbw", 310, "GB/s"));
  EXPECT_FALSE(duplex_warning(nvlink5(900, "GB/s", ""), "busbw", 310, "GB/s"));  // generation 5's one-way rate
  EXPECT_FALSE(duplex_warning(nvlink5(1234, "GB/s", ""), "busbw", 310, "GB/s"));
  FrozenSol other = nvlink5(900, "GB/s", "");
  other.ceiling_key = "h100.nvlink4_gbps";
  EXPECT_TRUE(duplex_warning(other, "busbw", 310, "GB/s"));
  other.ceiling_key = "h100.nvlink";
  EXPECT_TRUE(duplex_warning(other, "busbw", 310, "GB/s"));
  other.ceiling_key = "h100.pcie";
  EXPECT_FALSE(duplex_warning(other, "busbw", 310, "GB/s"));
}

}  // namespace
}  // namespace plumbline::core
