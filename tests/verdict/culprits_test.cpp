// Which part of a measurement is named, and when none is. How often, and with noise, is bench_culprit_points' to show.
#include "verdict/culprits/culprits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "tests/support/tables.hpp"
#include "verdict/culprits/chance.hpp"
#include "verdict/culprits/endpoints.hpp"

namespace plumbline::verdict {
namespace {

using testing::Point;
using testing::Table;

struct Named {
  Judgement judgement;
  std::vector<std::string> predicates;
};

// Rows of 100 each, worse by `loss` where the part holds and by a ripple of tenths of a percent everywhere.
class Parts {
 public:
  void add(const Point& point, bool slow, double loss = 0.12) {
    const double ripple = 0.001 * static_cast<double>((7 * count_++) % 5);
    table_.add(point, {100}, {100 * (1 - ripple) * (slow ? 1 - loss : 1)});
  }
  void gate(const Point& point, double before, double after) {
    table_.add(point, {before}, {after}, core::Direction::lower, core::Role::gate);
  }
  Named judge() {
    Named out{table_.judge(), {}};
    for (const core::Culprit& one : out.judgement.parts.culprits) out.predicates.push_back(one.predicate);
    return out;
  }

 private:
  Table table_;
  std::size_t count_ = 0;
};

using Texts = std::vector<std::string>;

Named of_collectives(const std::function<bool(const std::string& name, std::uint64_t size, const std::string& place)>& slow) {
  Parts parts;
  for (const char* name : {"all_reduce", "all_gather", "reduce_scatter", "alltoall"}) {
    for (std::uint64_t size = 1 << 20; size <= std::uint64_t{16} << 30; size *= 2) {
      for (const char* place : {"out", "in"}) {
        const Point point{name, {{"size", std::to_string(size)}, {"dtype", "float"}, {"place", place}}, "busbw"};
        parts.add(point, slow(name, size, place));
      }
    }
  }
  return parts.judge();
}

TEST(Culprits, NameOneValueARangeAndTwoTermsTogether) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(of_collectives([](auto& name, auto, auto&) { return name == "alltoall"; }).predicates, Texts{"collective=alltoall"});
  EXPECT_EQ(of_collectives([&](auto&, auto size, auto&) { return size >= gib; }).predicates, Texts{"size >= 1 GiB"});
  EXPECT_EQ(of_collectives([&](auto&, auto size, auto&) { return size <= gib / 128; }).predicates, Texts{"size <= 8 MiB"});
  EXPECT_EQ(of_collectives([&](auto&, auto size, auto&) { return size >= gib / 64 && size <= gib / 4; }).predicates,
            Texts{"16 MiB <= size <= 256 MiB"});
  EXPECT_EQ(of_collectives([&](auto& name, auto size, auto&) { return name == "alltoall" && size >= gib / 16; }).predicates,
            Texts{"collective=alltoall and size >= 64 MiB"});
  EXPECT_EQ(of_collectives([&](auto&, auto size, auto& place) { return place == "in" && size >= gib / 16; }).predicates,
            Texts{"place=in and size >= 64 MiB"});
}

TEST(Culprits, SayWhatTheyCoverAndWhatIsNotAffected) {
  const Named found =
      of_collectives([](auto& name, auto size, auto&) { return name == "alltoall" && size >= std::uint64_t{64} << 20; });
  ASSERT_EQ(found.judgement.parts.culprits.size(), 1U);
  const core::Culprit& one = found.judgement.parts.culprits.front();
  EXPECT_EQ(one.regressed_in, 18U);
  EXPECT_EQ(one.regressed_total, 18U);
  EXPECT_EQ(one.others_in, 0U);
  EXPECT_EQ(one.others_total, 102U);
  EXPECT_EQ(one.precision(), 1);
  EXPECT_EQ(one.recall(), 1);
  EXPECT_LT(one.p, 1e-9);
  EXPECT_NEAR(one.effect_pct, -12, 0.5);
  EXPECT_EQ(one.rows.size(), 18U);
  ASSERT_EQ(one.terms.size(), 2U);
  EXPECT_EQ(one.terms[0].dimension, "collective");
  EXPECT_EQ(one.terms[0].op, "=");
  EXPECT_EQ(one.terms[1].dimension, "size");
  EXPECT_EQ(one.terms[1].op, ">=");
  EXPECT_EQ(one.terms[1].values, Texts{"67108864"});
  ASSERT_EQ(one.not_affected.size(), 2U);
  EXPECT_EQ(one.not_affected[0].predicate, "not collective=alltoall and size >= 64 MiB");
  EXPECT_EQ(one.not_affected[0].rows, 54U);
  EXPECT_EQ(one.not_affected[0].regressed, 0U);
  EXPECT_EQ(one.not_affected[1].predicate, "collective=alltoall and size < 64 MiB");
  EXPECT_EQ(one.not_affected[1].rows, 12U);
  ASSERT_TRUE(one.runner_up);
  EXPECT_EQ(one.runner_up->predicate, "collective=alltoall");
  EXPECT_EQ(one.runner_up->regressed, 18U);
  EXPECT_EQ(one.runner_up->rows, 30U);
  EXPECT_EQ(found.judgement.recommendation.suspects, Texts{"collective=alltoall and size >= 64 MiB"});
}

TEST(Culprits, NameAnEndInEitherRole) {
  Parts gpus;
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) {
      if (row == col) continue;
      gpus.add({"read", {{"row", std::to_string(row)}, {"col", std::to_string(col)}}, "bandwidth"}, row == 5 || col == 5, 0.28);
    }
  }
  gpus.add({"read", {{"derived", "slowest"}, {"cells", "56"}}, "bandwidth"}, true, 0.28);
  const Named found = gpus.judge();
  ASSERT_EQ(found.predicates, Texts{"GPU 5, as source or as destination"});
  const core::Culprit& one = found.judgement.parts.culprits.front();
  EXPECT_EQ(one.regressed_in, 14U);
  EXPECT_EQ(one.regressed_total, 14U);  // the slowest of all is one of them, not a further row
  EXPECT_EQ(one.terms.front().dimension, "row or col");
  EXPECT_EQ(one.terms.front().op, "either");

  Parts nodes, texts;
  for (int a = 0; a < 10; ++a) {
    for (int b = a + 1; b < 10; ++b) {
      const std::string first = "c3-00" + std::to_string(a), second = "c3-00" + std::to_string(b);
      nodes.add({"", {{"client", first}, {"server", second}}, "bandwidth"}, a == 7 || b == 7);
      texts.add({"", {{"pair", first + "-" + second}}, "bandwidth"}, a == 7 || b == 7);
    }
  }
  EXPECT_EQ(nodes.judge().predicates, Texts{"c3-007, as client or as server"});
  EXPECT_EQ(texts.judge().predicates, Texts{"c3-007 in any pair"});
}

TEST(Culprits, NameFewValuesAndThoseOfOnePrefix) {
  const auto judged = [](const std::function<std::string(int)>& name, const std::function<bool(int)>& slow) {
    Parts parts;
    for (int node = 0; node < 32; ++node) {
      for (int gpu = 0; gpu < 8; ++gpu) {
        parts.add({"stream", {{"node", name(node)}, {"gpu", std::to_string(gpu)}}, "bandwidth"}, slow(node));
      }
    }
    return parts.judge();
  };
  const auto on_switch = [](int n) { return "sw" + std::to_string(n / 4) + "-n" + std::to_string(n); };
  EXPECT_EQ(judged(on_switch, [](int n) { return n / 4 == 3; }).predicates, Texts{"node=sw3-n1*"});
  const auto plain = [](int n) { return "n" + std::to_string(100 + n); };
  const Named few = judged(plain, [](int n) { return n == 3 || n == 11 || n == 20; });
  EXPECT_EQ(few.predicates, Texts{"node=n103, n111 or n120"});
  EXPECT_EQ(few.judgement.parts.culprits.front().terms.front().values, (Texts{"n103", "n111", "n120"}));
}

TEST(Culprits, ReadTheDimensionsThatStandInNames) {
  Parts parts;
  for (const char* poly : {"IEEE", "Castagnoli", "Koopman"}) {
    for (const char* size : {"15", "40", "512", "1kB", "4kB", "32kB"}) {
      for (const char* align : {"0", "1"}) {
        const std::string name = std::string("CRC32/poly=") + poly + "/size=" + size + "/align=" + align;
        parts.add({"", {{"benchmark", name}}, "time"}, std::string(poly) == "IEEE");
      }
    }
  }
  const Named found = parts.judge();
  ASSERT_EQ(found.predicates, Texts{"poly=IEEE"});
  EXPECT_EQ(found.judgement.parts.culprits.front().terms.front().dimension, "poly");
}

TEST(Culprits, NameTwoPartsThatHaveNothingToDoWithEachOther) {
  const Named found = of_collectives([](auto& name, auto size, auto&) {
    return name == "alltoall" || (name == "all_gather" && size >= std::uint64_t{1} << 30);
  });
  EXPECT_EQ(found.predicates, (Texts{"collective=alltoall", "collective=all_gather and size >= 1 GiB"}));
}

TEST(Culprits, AreNoneWhereAllRegressedOrNothingDid) {
  const Named all = of_collectives([](auto&, auto, auto&) { return true; });
  EXPECT_TRUE(all.judgement.parts.all_rows);
  EXPECT_EQ(all.predicates, Texts{});
  EXPECT_TRUE(all.judgement.recommendation.message.starts_with("all rows regressed alike"))
      << all.judgement.recommendation.message;
  const Named none = of_collectives([](auto&, auto, auto&) { return false; });
  EXPECT_FALSE(none.judgement.parts.all_rows);
  EXPECT_EQ(none.predicates, Texts{});
}

// Rows drawn by lot have nothing in common, however many of them regressed.
TEST(Culprits, AreNoneWhereTheRowsWereDrawnByLot) {
  std::mt19937_64 random(5);
  std::size_t named = 0;
  for (int round = 0; round < 100; ++round) {
    named += of_collectives([&](auto&, auto, auto&) { return random() % 5 == 0; }).predicates.empty() ? 0 : 1;
  }
  EXPECT_LE(named, 2U);
}

TEST(Culprits, LeaveOutGatesAndContext) {
  Parts parts;
  for (int i = 0; i < 20; ++i) {
    parts.add({"t", {{"size", std::to_string(1 << i)}}, "busbw"}, false);
    parts.gate({"t", {{"size", std::to_string(1 << i)}}, "#wrong"}, 0, i >= 10 ? 1 : 0);
  }
  const Named found = parts.judge();
  EXPECT_EQ(found.judgement.counts.regressed, 10U);
  EXPECT_EQ(found.predicates, Texts{});
  EXPECT_FALSE(found.judgement.parts.all_rows);
}

// ISL and OSL have values in common and are no two ends of anything.
TEST(Culprits, TakeNumbersForEndsByTheirNamesOnly) {
  culprits::Column isl, osl;
  isl.name = "isl";
  osl.name = "osl";
  isl.values = osl.values = {"128", "1024", "2048"};
  isl.codes = {1, 2, 3};
  osl.codes = {3, 2, 1};
  std::vector<culprits::Column> columns = {isl, osl};
  culprits::add_endpoints(columns);
  EXPECT_EQ(columns.size(), 2U);
  columns[0].name = "src";
  columns[1].name = "dst";
  culprits::add_endpoints(columns);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[2].seconds, (std::vector<culprits::Code>{3, 2, 1}));
}

TEST(Chance, IsTheHypergeometricTail) {
  // All 2 of 2 in a part of 2 of 20: 1 / C(20, 2).
  EXPECT_NEAR(std::exp(culprits::log_hypergeometric_tail(2, 2, 2, 20)), 1.0 / 190, 1e-12);
  // At least one of 3 in a part of 5 of 10: 1 - C(7, 5) / C(10, 5).
  EXPECT_NEAR(std::exp(culprits::log_hypergeometric_tail(1, 5, 3, 10)), 1 - 21.0 / 252, 1e-12);
  EXPECT_EQ(culprits::log_hypergeometric_tail(0, 5, 3, 10), 0);
  EXPECT_NEAR(culprits::surprise(9, 1, 1.0 / 5), 9 * std::log(5.0), 1e-12);
  EXPECT_EQ(culprits::surprise(9, 0.1, 0.2), 0);
  EXPECT_NEAR(culprits::log_choose(32, 4), std::log(35960.0), 1e-9);
}

TEST(Magnitude, ReadsSizesAndPlainNumbers) {
  EXPECT_EQ(culprits::magnitude("1048576"), 1048576);
  EXPECT_EQ(culprits::magnitude("64MiB"), 64.0 * 1024 * 1024);
  EXPECT_EQ(culprits::magnitude("4K"), 4000);
  EXPECT_EQ(culprits::magnitude("2GB"), 2e9);
  EXPECT_TRUE(std::isnan(culprits::magnitude("float")));
  EXPECT_TRUE(std::isnan(culprits::magnitude("3x")));
}

}  // namespace
}  // namespace plumbline::verdict
