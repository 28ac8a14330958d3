// Changes of level: against the same rules written a second time (change_points_golden.py beside this file), and how often they
// are right, over a few hundred seeded series. tests/bench/change_points.cpp prints the operating points of many more.
#include "core/history/change_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <string>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

using Series = std::vector<double>;

Series numbers(std::string_view text) {
  Series out;
  for (const std::string_view part : split(text, ',')) out.push_back(parse_double(part).value());
  return out;
}

std::vector<std::vector<std::string>> goldens(std::string_view kind) {
  std::ifstream file(PLUMBLINE_TESTS "/core/change_points.tsv");
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(file, line);) {
    const auto fields = split(line, '\t');
    if (fields[0] == kind) out.emplace_back(fields.begin(), fields.end());
  }
  return out;
}

std::string text_of(const std::vector<ChangePoint>& points) {
  std::string out;
  for (const ChangePoint& point : points) {
    out += (out.empty() ? "" : ";") + std::to_string(point.at) + ":" + short_number(point.before, 9) + ":" +
           short_number(point.after, 9);
  }
  return out.empty() ? "none" : out;
}

// The golden's numbers in the same digits.
std::string text_of(const std::string& golden) {
  if (golden == "none") return golden;
  std::vector<ChangePoint> points;
  for (const std::string_view part : split(golden, ';')) {
    const auto fields = split(part, ':');
    points.push_back({static_cast<std::size_t>(parse_int(fields[0]).value()), parse_double(fields[1]).value(),
                      parse_double(fields[2]).value(), 0});
  }
  return text_of(points);
}

TEST(ChangePoints, AreThoseOfTheSecondImplementation) {
  const auto series = goldens("series");
  ASSERT_EQ(series.size(), 16U);
  ChangePointFinder finder;  // one for all: what it keeps must not change an answer
  for (const auto& golden : series) {
    ChangePointRules rules;
    rules.least_change = parse_double(golden[1]).value();
    const Series x = numbers(golden[2]);
    const auto points = finder.find(x, rules);
    EXPECT_EQ(text_of(points), text_of(golden[3])) << golden[2].substr(0, 100);
    EXPECT_EQ(text_of(ChangePointFinder().find(x, rules)), text_of(points));
    for (const ChangePoint& point : points) {
      EXPECT_GT(point.p, 0);
      EXPECT_LE(point.p, 1);
    }
  }
}

// The p of a split of few values, where every arrangement can be counted: a series of n is searched with room for nothing else.
TEST(ChangePoints, PIsTheShareOfArrangementsThatSplitAsWell) {
  for (const auto& golden : goldens("p")) {
    const Series x = numbers(golden[1]);
    const double exact = parse_double(golden[2]).value();
    ChangePointRules rules;
    rules.least_points = x.size();
    rules.alpha = 1;  // whatever p is, the first split counts
    const auto points = ChangePointFinder().find(x, rules);
    if (exact == 1 && points.empty()) continue;  // all arrangements split as well, or none does
    ASSERT_EQ(points.size(), 1U) << golden[1];
    // 1999 permutations, fewer where many reach the value: twenty of them know p to a quarter.
    EXPECT_NEAR(points[0].p, exact, std::max(0.05, exact / 2)) << golden[1];
  }
}

TEST(ChangePoints, DoNotDependOnScaleAndTurnWithTheSeries) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise;
  for (int i = 0; i < 50; ++i) {
    Series x(60);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = noise(random) + (j >= 20 + static_cast<std::size_t>(i) % 20 ? 5 : 0);
    ChangePointRules rules;
    rules.least_change = 2;
    const auto points = ChangePointFinder().find(x, rules);
    ASSERT_EQ(points.size(), 1U);
    Series scaled = x;
    for (double& value : scaled) value = -4 * value + 7;  // exact in binary but for the sum's last bit
    rules.least_change = 8;
    const auto mirrored = ChangePointFinder().find(scaled, rules);
    ASSERT_EQ(mirrored.size(), 1U);
    EXPECT_EQ(mirrored[0].at, points[0].at);
    EXPECT_EQ(mirrored[0].p, points[0].p);
    EXPECT_NEAR(mirrored[0].after - mirrored[0].before, -4 * (points[0].after - points[0].before), 1e-9);
  }
}

TEST(ChangePoints, OfTooFewOrImpossibleValuesThereAreNone) {
  ChangePointFinder finder;
  EXPECT_TRUE(finder.find({}, {}).empty());
  EXPECT_TRUE(finder.find(Series(9, 1.0), {}).empty());
  EXPECT_TRUE(finder.find(Series(200, 1.0), {}).empty());
  Series broken(40, 1.0);
  for (std::size_t i = 20; i < 40; ++i) broken[i] = 2;
  EXPECT_EQ(finder.find(broken, {}).size(), 1U);
  broken[7] = std::nan("");
  EXPECT_TRUE(finder.find(broken, {}).empty());
  ChangePointRules none;
  none.least_segment = 0;
  EXPECT_TRUE(finder.find(Series(40, 1.0), none).empty());
}

struct Share {
  int found = 0, of = 0;
};

Share found_in_noise(std::size_t length, int draws) {
  std::mt19937_64 random(length);
  std::normal_distribution<double> noise;
  ChangePointFinder finder;
  Share share;
  for (int i = 0; i < draws; ++i) {
    Series x(length);
    for (double& value : x) value = 0.01 * noise(random);
    share.found += finder.find(x, {}).empty() ? 0 : 1;
    ++share.of;
  }
  return share;
}

Share step_found(std::size_t length, int draws) {
  std::mt19937_64 random(1000 + length);
  std::normal_distribution<double> noise;
  ChangePointFinder finder;
  ChangePointRules rules;
  rules.least_change = std::log1p(0.02);
  Share share;
  for (int i = 0; i < draws; ++i) {
    Series x(length);
    for (std::size_t j = 0; j < length; ++j) x[j] = 0.01 * noise(random) + (j >= length / 2 ? std::log1p(0.03) : 0);
    bool near = false;
    for (const ChangePoint& point : finder.find(x, rules))
      near = near || (point.at + 2 >= length / 2 && point.at <= length / 2 + 2);
    share.found += near ? 1 : 0;
    ++share.of;
  }
  return share;
}

TEST(ChangePoints, NoiseHasNoneInNinetyNineOfAHundredSeries) {
  for (const std::size_t length : {20U, 50U, 100U}) {
    const Share share = found_in_noise(length, 500);
    EXPECT_LE(share.found, share.of / 100) << length << " values of pure noise, no least size";
  }
}

TEST(ChangePoints, AStepOfThreePercentAtOnePercentNoiseIsFound) {
  for (const std::size_t length : {20U, 50U, 100U}) {
    const Share share = step_found(length, 500);
    EXPECT_GE(100 * share.found, 91 * share.of) << length << " values";
  }
}

}  // namespace
}  // namespace plumbline::core
