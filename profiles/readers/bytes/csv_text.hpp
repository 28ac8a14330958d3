// CSV as `nsys stats` and spreadsheets write it: quoted or not, CRLF, a byte order mark, and numbers whose commas may be
// thousands or decimals. Records are views into the text (or into an arena of the reader, for fields with doubled quotes).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::profiles {

class CsvRecords {
 public:
  // `line` is the number of the text's first line; a byte order mark is skipped on line 1 only.
  explicit CsvRecords(std::string_view text, std::uint64_t line = 1);
  // The next record's fields, quotes removed; false at the end. An empty line is a record of one empty field.
  bool next(std::vector<std::string_view>& fields);
  [[nodiscard]] std::uint64_t line() const { return record_line_; }  // of the record last given, from 1
  [[nodiscard]] bool unterminated() const { return unterminated_; }  // the text ended inside quotes
  [[nodiscard]] bool open_end() const { return open_end_; }   // the record last given ends with the text, without a line feed
  [[nodiscard]] std::size_t position() const { return at_; }  // where the next record begins
  [[nodiscard]] std::uint64_t next_line() const { return line_; }

 private:
  [[nodiscard]] std::size_t separator_from(std::size_t at) const;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1, record_line_ = 1;
  bool unterminated_ = false, open_end_ = false;
  std::deque<std::string> unescaped_;
};

// How a column writes its numbers: what the comma means there.
enum class Comma : std::uint8_t { none, thousands, decimal, ambiguous, contradictory };
// What one cell says; `ambiguous` is "482,333", which may be either.
[[nodiscard]] Comma comma_in(std::string_view cell);
// What a column says, from its cells one after another.
[[nodiscard]] Comma merge(Comma column, Comma cell);

enum class NumberFault : std::uint8_t { none, missing, not_finite, not_a_number, too_large };
struct ScaledNumber {
  std::int64_t value = 0;
  NumberFault fault = NumberFault::none;
};
// The number times 10^power as a whole, exactly (beyond 2^53 too), rounded half away from zero. "", "N/A" and "-" are missing.
[[nodiscard]] ScaledNumber parse_scaled(std::string_view cell, int power, bool decimal_comma);

}  // namespace plumbline::profiles
