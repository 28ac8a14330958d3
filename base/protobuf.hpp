// Reads the wire format of protocol buffers (protobuf.dev, "Encoding"), without descriptions and without copies: fields one after
// another, as views into the message. protozero decodes; its exceptions end here, so that a reader is total on hostile bytes:
// whatever does not fit the message ends it with damaged(). A message inside is a field's bytes in a reader of its own; nothing
// here recurses. Groups (wire types 3 and 4) count as damage: neither pprof nor the profilers nor TensorBoard write them.
#pragma once

#include <cstdint>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace plumbline::base {

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : at_(message.data()), end_(message.data() + message.size()) {}

  // The next field; false at the end of the message and where it is damaged.
  bool next() {
    if (at_ == end_) return false;
    try {
      protozero::pbf_reader reader(at_, static_cast<std::size_t>(end_ - at_));
      reader.next();
      if (!fits_a_tag(at_, reader.data().data())) return fault();
      field_ = reader.tag();
      wire_ = static_cast<Wire>(reader.wire_type());
      at_ = reader.data().data();
      if (wire_ == Wire::bytes) return length_delimited();
      if (wire_ == Wire::varint) {
        number_ = varint(at_, end_);
        return true;
      }
      number_ = wire_ == Wire::fixed64 ? reader.get_fixed64() : reader.get_fixed32();
      at_ = reader.data().data();
      return true;
    } catch (const protozero::end_of_buffer_exception&) {
      cut_off_ = true;
    } catch (const protozero::exception&) {  // no field has this number, no type this wire
    }
    return fault();
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
    if (packed.empty()) return false;
    const char* at = packed.data();
    try {
      value = varint(at, at + packed.size());
    } catch (const protozero::exception&) {
      return false;
    }
    packed.remove_prefix(static_cast<std::size_t>(at - packed.data()));
    return true;
  }

 private:
  bool fault() {
    damaged_ = true;
    at_ = end_;
    return false;
  }
  // 32 bits, of which protozero would take the low ones of more.
  static bool fits_a_tag(const char* from, const char* to) {
    return to - from < 5 || (to - from == 5 && static_cast<unsigned char>(to[-1]) <= 0x0F);
  }
  // At most ten bytes, of the tenth one bit: protozero would leave out the others.
  static std::uint64_t varint(const char*& at, const char* end) {
    const char* const from = at;
    const std::uint64_t value = protozero::decode_varint(&at, end);
    if (at - from == protozero::max_varint_length && static_cast<unsigned char>(at[-1]) > 1)
      throw protozero::varint_too_long_exception{};
    return value;
  }
  bool length_delimited() {
    const std::uint64_t length = varint(at_, end_);
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

}  // namespace plumbline::base
