// Which ranges are steps, told by their names, and what a user may say of them (--steps auto|none|NAME|REGEX).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::profiles {

// Longer names are compared by their beginning; longer patterns are refused.
inline constexpr std::size_t kStepNameLength = 200;
inline constexpr std::size_t kStepPatternLength = 128;

// Fine: "auto", "none", and what is a range's name or an ECMAScript regular expression without back references and counted
// repetition (so that matching takes time polynomial in its length). Else a usage error that says where it fails.
[[nodiscard]] core::Status check_steps(std::string_view steps);

// What a range's name says when read as "<what> <number>": "ProfilerStep#1009", ":train_step_15", "Step 0 to 10", "iteration".
// The domain before ':' is no part of it.
struct StepName {
  std::string_view stem;                // "ProfilerStep", "train_step", "Step", "iteration": without separators at its end
  std::optional<std::uint64_t> number;  // the first one after the stem
  bool marker = false;                  // PyTorch's ProfilerStep#N
};
// Nothing when more than numbers, "to", "of" and punctuation follows the stem.
[[nodiscard]] std::optional<StepName> numbered_name(std::string_view name);
// Whether a stem's last word is one that steps are called by: step, iter, iteration, batch, microbatch.
[[nodiscard]] bool names_step(std::string_view stem);

// A user's NAME or REGEX.
class StepPattern {
 public:
  explicit StepPattern(std::string_view steps);
  ~StepPattern();
  StepPattern(const StepPattern&) = delete;
  StepPattern& operator=(const StepPattern&) = delete;
  // The range is called so, with or without domain and number.
  [[nodiscard]] bool names(std::string_view range) const;
  // The expression is found in the range's name; never for one that check_steps refuses.
  [[nodiscard]] bool finds(std::string_view range) const;

 private:
  struct Expression;
  std::string text_;
  std::unique_ptr<Expression> expression_;
};

}  // namespace plumbline::profiles
