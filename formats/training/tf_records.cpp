#include "formats/training/tf_records.hpp"

#include <array>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

constexpr std::size_t kSum = 4, kLength = 8;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 31U;  // no message of protocol buffers is longer

// Eight bytes at once: what byte `i` of a value adds when `row` bytes follow it.
using SumTable = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr SumTable made_table() {
  constexpr std::uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, its bits the other way round
  SumTable table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? kPolynomial : 0);
    table[0][i] = sum;
  }
  for (std::size_t row = 1; row < table.size(); ++row) {
    for (std::size_t i = 0; i < 256; ++i) table[row][i] = (table[row - 1][i] >> 8U) ^ table[0][table[row - 1][i] & 0xFFU];
  }
  return table;
}
constexpr SumTable kTable = made_table();

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  while (bytes.size() >= kLength) {
    const std::uint64_t eight = little_endian(bytes.substr(0, kLength)) ^ sum;
    sum = 0;
    for (std::size_t i = 0; i < kLength; ++i) sum ^= kTable[kLength - 1 - i][(eight >> (8 * i)) & 0xFFU];
    bytes.remove_prefix(kLength);
  }
  for (const char c : bytes) sum = (sum >> 8U) ^ kTable[0][(sum ^ static_cast<unsigned char>(c)) & 0xFFU];
  return ~sum;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t sum = crc32c(bytes);
  return ((sum >> 15U) | (sum << 17U)) + 0xA282EAD8U;
}

bool TfRecords::damaged(std::string what) {
  damage_ = "record " + std::to_string(count_ + 1) + ", at byte " + std::to_string(at_) + ", " + std::move(what);
  return false;
}

bool TfRecords::next(std::string_view& record) {
  const std::string_view rest = bytes_.substr(at_);
  if (rest.empty() || cut_ || !damage_.empty()) return false;
  // A machine that went down may leave zeros where a file was to grow.
  cut_ = rest.size() < kLength + kSum || rest.find_first_not_of('\0') == std::string_view::npos;
  if (cut_) return false;
  const std::string_view header = rest.substr(0, kLength);
  const std::uint64_t length = little_endian(header);
  if (masked_crc32c(header) != little_endian(rest.substr(kLength, kSum)))
    return damaged("has a length that its checksum is not of");
  if (length > kLargest) return damaged("says that it is " + std::to_string(length) + " bytes long");
  cut_ = length + kLength + 2 * kSum > rest.size();
  if (cut_) return false;
  record = rest.substr(kLength + kSum, static_cast<std::size_t>(length));
  if (masked_crc32c(record) != little_endian(rest.substr(kLength + kSum + record.size(), kSum)))
    return damaged("is not what its checksum is of");
  at_ += record.size() + kLength + 2 * kSum;
  ++count_;
  return true;
}

}  // namespace plumbline::formats
