// Reads the wire format of protocol buffers (protobuf.dev, "Encoding"), without descriptions and without copies: fields one after
// another, as views into the message. Total on hostile bytes: whatever does not fit the message ends it with damaged(). A message
// inside is a field's bytes in a reader of its own; nothing here recurses. Groups (wire types 3 and 4) count as damage: neither
// pprof nor the XLA profiler writes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace plumbline::profiles {

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  // The next field; false at the end of the message and where it is damaged.
  bool next() {
    if (at_ == end_) return false;
    std::uint64_t tag = 0;
    if (!varint(tag)) return fault();
    constexpr std::uint64_t kLargestField = (1U << 29U) - 1;
    if ((tag >> 3U) == 0 || (tag >> 3U) > kLargestField) return fault();
    field_ = static_cast<std::uint32_t>(tag >> 3U);
    switch (tag & 7U) {
      case 0:
        wire_ = Wire::varint;
        return varint(number_) || fault();
      case 1:
        wire_ = Wire::fixed64;
        return fixed<std::uint64_t>();
      case 2:
        return length_delimited();
      case 5:
        wire_ = Wire::fixed32;
        return fixed<std::uint32_t>();
      default:
        return fault();
    }
  }
  [[nodiscard]] std::uint32_t field() const { return field_; }
  [[nodiscard]] Wire wire() const { return wire_; }
  [[nodiscard]] bool is(std::uint32_t field, Wire wire) const { return field_ == field && wire_ == wire; }
  [[nodiscard]] std::uint64_t number() const { return number_; }  // of a varint or fixed field
  [[nodiscard]] std::int64_t integer() const { return static_cast<std::int64_t>(number_); }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }  // of a length-delimited field
  [[nodiscard]] bool damaged() const { return damaged_; }
  // What is left where reading stopped: a head that was cut off ends inside a field.
  [[nodiscard]] bool cut_off() const { return cut_off_; }

  // The varint at the front of `packed`, which loses it; false at its end and where it is damaged.
  static bool take(std::string_view& packed, std::uint64_t& value) {
    ProtobufReader reader(packed);
    if (packed.empty() || !reader.varint(value)) return false;
    packed.remove_prefix(static_cast<std::size_t>(reader.at_ - packed.data()));
    return true;
  }

 private:
  bool fault() {
    damaged_ = true;
    at_ = end_;
    return false;
  }
  // At most ten bytes, of the tenth one bit.
  bool varint(std::uint64_t& value) {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      value = static_cast<unsigned char>(*at_++);
      return true;
    }
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) {
        cut_off_ = true;
        return false;
      }
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift == 63 && byte > 1) return false;
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  template <class T>
  bool fixed() {
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) {
      cut_off_ = true;
      return fault();
    }
    T value;
    std::memcpy(&value, at_, sizeof value);  // the wire is little-endian, and so is every machine this is built for
    number_ = value;
    at_ += sizeof value;
    return true;
  }
  bool length_delimited() {
    wire_ = Wire::bytes;
    std::uint64_t length = 0;
    if (!varint(length)) return fault();
    if (length > static_cast<std::uint64_t>(end_ - at_)) {
      cut_off_ = length <= std::numeric_limits<std::int32_t>::max();  // longer ones no writer makes
      bytes_ = {at_, static_cast<std::size_t>(end_ - at_)};
      return fault();
    }
    bytes_ = {at_, static_cast<std::size_t>(length)};
    at_ += length;
    return true;
  }

  const char* at_;
  const char* end_;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  std::uint32_t field_ = 0;
  Wire wire_ = Wire::varint;
  bool damaged_ = false, cut_off_ = false;
};

}  // namespace plumbline::profiles
