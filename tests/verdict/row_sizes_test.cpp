#include "verdict/row_sizes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::verdict {
namespace {

using Dims = std::vector<std::pair<std::string, std::string>>;

// The sizes that rows of one class with these dimensions have; -1 for none.
std::vector<double> sizes_of(const std::vector<Dims>& rows) {
  core::Measurement measurement(std::make_shared<core::StringPool>());
  core::StringPool& pool = measurement.pool();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::pair<core::Id, core::Id>> dims;
    for (const auto& [name, value] : rows[i]) dims.emplace_back(pool.intern(name), pool.intern(value));
    core::Row row;
    row.key = pool.intern("row" + std::to_string(i));
    row.dims = measurement.add_dims(dims);
    const double value = 1;
    measurement.add_row(row, {&value, 1});
  }
  RowSizes sizes(measurement);
  for (const core::Row& row : measurement.rows()) sizes.see(0, row);
  std::vector<double> out;
  for (const core::Row& row : measurement.rows()) {
    const double size = sizes.of(0, row);
    out.push_back(std::isnan(size) ? -1 : std::round(std::exp(size)));
  }
  return out;
}
using Sizes = std::vector<double>;

TEST(RowSizes, AreTheDimensionWithMostNumbers) {
  EXPECT_EQ(sizes_of({{{"size", "8"}, {"ranks", "8"}}, {{"size", "16"}, {"ranks", "8"}}, {{"size", "32"}, {"ranks", "4"}}}),
            (Sizes{8, 16, 32}));
  EXPECT_EQ(sizes_of({{{"isl", "128"}, {"concurrency", "1"}},
                      {{"isl", "128"}, {"concurrency", "2"}},
                      {{"isl", "256"}, {"concurrency", "4"}}}),
            (Sizes{1, 2, 4}));
}

TEST(RowSizes, TakeThreeOrMoreAndPositiveNumbersAlone) {
  EXPECT_EQ(sizes_of({{{"size", "8"}}, {{"size", "16"}}, {{"size", "8"}}}), (Sizes{-1, -1, -1})) << "two sizes are no sweep";
  EXPECT_EQ(sizes_of({{{"op", "sum"}}, {{"op", "min"}}, {{"op", "max"}}}), (Sizes{-1, -1, -1}));
  EXPECT_EQ(sizes_of({{{"n", "1"}}, {{"n", "2"}}, {{"n", "4"}}, {{"n", "0"}}, {{"n", "4x"}}, {}}), (Sizes{1, 2, 4, -1, -1, -1}));
}

}  // namespace
}  // namespace plumbline::verdict
