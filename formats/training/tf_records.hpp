// Records as TensorFlow frames them in files: the length in 64 bits, little endian, its checksum, the record, and its checksum.
// A checksum is the CRC-32C of RFC 3720, turned by 15 bits and with a constant added ("masked"), so that records may lie within
// records. Total on hostile bytes; a record is a view into them. Private to formats/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumbline::formats {

[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);
[[nodiscard]] std::uint32_t masked_crc32c(std::string_view bytes);

class TfRecords {
 public:
  explicit TfRecords(std::string_view bytes) : bytes_(bytes) {}
  // The next record; false at the end, and where the file is cut off or damaged.
  bool next(std::string_view& record);
  // The last record is not whole, as where its writer was stopped, or has not written on yet.
  [[nodiscard]] bool cut() const { return cut_; }
  // What is wrong with the record where reading stopped; empty at the end and where the file is cut off.
  [[nodiscard]] const std::string& damage() const { return damage_; }
  [[nodiscard]] std::size_t at() const { return at_; }        // the byte where the next record begins
  [[nodiscard]] std::size_t count() const { return count_; }  // records that were whole

 private:
  bool damaged(std::string what);

  std::string_view bytes_;
  std::size_t at_ = 0, count_ = 0;
  bool cut_ = false;
  std::string damage_;
};

}  // namespace plumbline::formats
