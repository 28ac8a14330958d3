// What a share of the speed of light means: above 100 %, near the limit, far from it.
#include "core/results/sol_words.hpp"

#include <gtest/gtest.h>

namespace plumbline::core {
namespace {

FrozenSol frozen(std::string key, std::string ceiling, double value, std::string unit, std::string duplex) {
  return {.row_key = std::move(key),
          .ceiling_key = std::move(ceiling),
          .ceiling_value = value,
          .ceiling_unit = std::move(unit),
          .duplex = std::move(duplex),
          .pct = 0,
          .rigor = ""};
}

std::string note(const FrozenSol& sol, double baseline, double current, std::string_view unit = "GB/s") {
  const auto line = sol_line(sol, baseline, current, unit);
  return line ? sol_note(*line) : "no line";
}

const FrozenSol kRing = frozen("all_reduce[size=8].busbw", "h200_sxm.nvlink4_uni", 0.45, "TB/s", "uni");

TEST(AboveCeiling, ACollectiveOverASwitchMayPassTheRing) {
  const auto warning = above_ceiling(kRing, kRing.row_key, 480.7, "GB/s");
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->code.text(), "above_ceiling");
  EXPECT_EQ(
      warning->message,
      "all_reduce[size=8].busbw is 106.8 % of h200_sxm.nvlink4_uni (0.45 TB/s): exceeds the ring ceiling (in-network "
      "reduction): busbw is computed as for a ring, and NVSwitch reduces and copies inside the switch (NVLink SHARP), which "
      "such a ceiling does not bound; which algorithm ran, NCCL_DEBUG=INFO says");
  EXPECT_FALSE(above_ceiling(kRing, kRing.row_key, 450, "GB/s"));
  EXPECT_FALSE(above_ceiling(kRing, kRing.row_key, 480.7, "ms"));
}

TEST(AboveCeiling, BothDirectionsAreTakenForOneWhereTheRateIsOfOne) {
  const FrozenSol both = frozen("all_reduce.busbw", "h200_sxm.nvlink4_tbps", 0.9, "TB/s", "bi");
  const auto warning = above_ceiling(both, both.row_key, 480.7, "GB/s");
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->message.substr(0, 82), "all_reduce.busbw is 106.8 % of h200_sxm.nvlink4_tbps (0.45 TB/s, one direction): e");
}

TEST(AboveCeiling, IsExplainedByWhatTheCeilingIsOf) {
  struct Case {
    const char* key;
    const char* ceiling;
    const char* says;
  };
  const Case cases[] = {
      {"sendrecv.busbw", "h200_sxm.nvlink4_uni", "a link does not carry more than its rate"},
      {"alltoall.busbw", "b200_sm100.nvlink5_uni", "a link does not carry more than its rate"},
      {"busbw", "b200_sm100.nvlink5_uni", "that holds for all_reduce and its parts, not for sendrecv or alltoall"},
      {"all_reduce.busbw", "a100_sxm_80.nvlink3_uni", "a link does not carry more than its rate"},
      {"Triad", "h100_sxm.hbm3_tbps", "the data sat in a cache"},
      {"h2d", "host.pcie_gen4_x16_uni", "the link was trained faster than the ceiling's"},
      {"h2d", "gh200.nvlink_c2c_uni", "a link does not carry more"},
      {"gemm", "h100_sxm.bf16_dense_pflops", "another precision or sparse"},
      {"x", "mine.limit", "the ceiling is not the limit of this measurement"},
  };
  for (const Case& c : cases) {
    const auto warning = above_ceiling(frozen(c.key, c.ceiling, 100, "GB/s", "uni"), c.key, 101, "GB/s");
    ASSERT_TRUE(warning) << c.key;
    EXPECT_NE(warning->message.find(c.says), std::string::npos) << c.key << ": " << warning->message;
  }
}

TEST(SolNote, TheSameLossMeansAnotherThingNearTheLimitAndFarFromIt) {
  EXPECT_EQ(note(kRing, 405, 385.56),
            "4.8 % lost near the limit: only 10.0 points stood above the baseline, so other tuning can "
            "hardly win it back");
  EXPECT_EQ(note(kRing, 135, 128.52), "4.8 % lost far from the limit: 71.4 points of headroom are left, much more than the loss");
  EXPECT_EQ(note(kRing, 270, 257.04), "4.8 % lost at some distance from the limit: 42.9 points of headroom are left");
  EXPECT_EQ(note(kRing, 9, 8.568),
            "4.8 % lost at 1.9 % of the ceiling: something else is the limit here (latency, size), so points say little");
  EXPECT_EQ(note(kRing, 405, 410), "");
  EXPECT_EQ(note(kRing, 405, 405), "");
  EXPECT_EQ(note(kRing, 0, 0), "");
}

TEST(SolNote, OneDirectionCountsWhereTheCeilingHasBoth) {
  const FrozenSol both = frozen("nccl_all_reduce_busbw", "b200_sm100.nvlink5_tbps", 1.8, "TB/s", "bi");
  EXPECT_EQ(note(both, 310, 295),
            "4.8 % lost far from the limit: 67.2 points of one direction of headroom are left, much more than the loss");
  EXPECT_NEAR(headroom_pp(*sol_line(both, 310, 295, "GB/s")), 50 - 16.3889, 1e-3);
  EXPECT_NEAR(headroom_pp(*sol_line(kRing, 480.7, 480.7, "GB/s")), -6.8222, 1e-3);
}

}  // namespace
}  // namespace plumbline::core
