// links: formats
// Events of TensorBoard. Behind checksums no changed byte is ever looked at, so the bytes here are messages, each behind its
// length in two bytes, which are framed as records before they are read; tests/fuzz/format_readers gives the reader the bytes as
// they are.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/format.hpp"
#include "formats/training/tf_records.hpp"

namespace {

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

void append_record(std::string& out, std::string_view message) {
  std::string length;
  append_little_endian(length, message.size(), 8);
  out += length;
  append_little_endian(out, plumbline::formats::masked_crc32c(length), 4);
  out += message;
  append_little_endian(out, plumbline::formats::masked_crc32c(message), 4);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string file;
  append_record(file,
                "\x1A\x0D"
                "brain.Event:2");
  while (rest.size() > 2) {
    const std::size_t length = static_cast<unsigned char>(rest[0]) + 256U * static_cast<unsigned char>(rest[1]);
    append_record(file, rest.substr(2, length));
    rest.remove_prefix(std::min(rest.size(), length + 2));
  }
  plumbline::formats::Input input;
  input.name = "fuzz";
  input.bytes = file;
  plumbline::formats::ReadOptions options;
  options.format = "tensorboard";
  options.max_rows = 100000;
  (void)plumbline::formats::read(input, options);
  return 0;
}
