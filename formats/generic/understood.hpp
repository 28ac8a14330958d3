// How much of a text its lines of a name and a value are: a reader that understands only the settings of a report must not have
// them compared for its results. Lines are told apart by whether they hold numbers, and by where those numbers went. Private to
// formats/. One use per text; not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.hpp"

namespace plumbline::formats {

class Understood {
 public:
  // A line of a name and this value.
  void pair(std::string_view value, std::string_view line, std::size_t number);
  // A line of another kind.
  void left(std::string_view line, std::size_t number);
  // Whether half of the lines with numbers were understood, and a result is among them where lines with results were not.
  [[nodiscard]] bool enough(const core::Measurement& read) const;
  // Why it is not enough.
  [[nodiscard]] std::string what_was_not() const;
  // How many lines are no pairs and which of them hold numbers; "" where there are none.
  [[nodiscard]] std::string unread() const;

 private:
  void not_understood(std::string_view line, std::size_t number);
  [[nodiscard]] std::string examples() const;

  std::uint64_t unread_ = 0, read_numbers_ = 0, left_numbers_ = 0, left_results_ = 0;
  std::size_t first_unread_ = 0;
  std::vector<std::string> examples_;
  std::string odd_;  // the first value that begins like a number and is none  // of lines with numbers that were not understood
};

}  // namespace plumbline::formats
