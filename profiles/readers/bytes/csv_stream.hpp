// Records of a CSV file of any size, read a block at a time: traces grow to gigabytes, memory holds one block. The fields
// given are views that stay valid until the next call. A text in memory is read the same way, without copying.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/readers/bytes/csv_text.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

class CsvStream {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;
  static constexpr std::size_t kLargestRecord = std::size_t{1} << 24;

  explicit CsvStream(std::string_view text);  // must outlive this
  explicit CsvStream(const OpenFile& file);   // must outlive this
  // False at the end of the input or at a fault.
  bool next(std::vector<std::string_view>& fields);
  [[nodiscard]] std::uint64_t line() const { return line_; }  // of the record last given, from 1
  // How far the input has been read: 0 to 1.
  [[nodiscard]] double fraction() const;
  enum class Fault : std::uint8_t { none, unterminated, unreadable, oversized };
  [[nodiscard]] Fault fault() const { return fault_; }

 private:
  bool refill();

  const OpenFile* file_ = nullptr;  // null: a text
  std::uint64_t size_ = 0, taken_ = 0;
  std::string buffer_;
  std::unique_ptr<CsvRecords> records_;
  std::size_t begin_ = 0;  // of the record asked for, in the buffer
  std::uint64_t line_ = 1, next_line_ = 1;
  bool last_ = false;  // the buffer ends with the input
  Fault fault_ = Fault::none;
};

}  // namespace plumbline::profiles
