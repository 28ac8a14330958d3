// A second look at rows that a first comparison left in doubt: what is asked of it, which a run's journal carries, and what
// became of each row. The rows were chosen because of what the first trials showed, so those trials say nothing more about them:
// only fresh ones are judged (core/experiment/confirmation.hpp has the arithmetic).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.hpp"
#include "core/tolerance.hpp"

namespace plumbline::core {

struct DoubtfulRow {
  std::string key;
  std::string was;  // "regressed" "suspect" "undecided" "unclassified" "missing" "invalid" "gate" "class_shift"
  // What somebody gave this row at the first look, where it was no default: the second look is held to the same.
  std::optional<Tolerance> tolerance;
  std::optional<Direction> direction;
};

struct SecondLook {
  std::string path, bundle_sha256;  // of the first look; no bundle: ""
  std::string verdict, tier;        // what it said; "" where only its rows were given
  std::uint64_t judged = 0;         // rows that it judged
  std::vector<DoubtfulRow> rows;
  bool classes = false;      // a class was worse as a whole: classes are judged again, too
  std::uint64_t family = 0;  // p are corrected for so many rows
  double alpha = 0;          // of all rows together; of all classes together as much again
};

enum class SecondAnswer : std::uint8_t { confirmed, undecided, gone, not_confirmed };
[[nodiscard]] std::string_view to_string(SecondAnswer answer);

struct SecondAnswers {
  std::shared_ptr<const SecondLook> asked;
  std::vector<SecondAnswer> rows;  // as `asked->rows`
  [[nodiscard]] std::uint64_t count(SecondAnswer answer) const;
};

}  // namespace plumbline::core
