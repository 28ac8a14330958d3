// A capture's text line by line through one reused buffer, and the small things around it: all of a file whose size is bounded,
// and the head that says what a file is, both through gzip. One thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

// `bytes` (which outlive the source), inflated where they are gzip.
[[nodiscard]] std::unique_ptr<ByteSource> unpacked_bytes(std::string_view bytes);

// Everything, when it is no more than `at_most` bytes: more is the error limit_exceeded, which names the bound. Packed data that
// end too early are an error: half a profile is a profile of something else.
[[nodiscard]] core::Expected<std::string> read_all(ByteSource& source, std::uint64_t at_most, const std::string& name,
                                                   const std::function<bool()>& stop);
// The first bytes of a file's text, inflated: what there is, "" where it cannot be read.
struct TextHead {
  std::string text;
  bool whole = false;  // there is nothing behind it
};
[[nodiscard]] TextHead text_head(const OpenFile& file, std::size_t at_most);

// Lines without their line feeds; a line that is longer than any honest one is left out and counted.
class TextLines {
 public:
  static constexpr std::size_t kLongest = std::size_t{4} << 20;
  static constexpr std::size_t kBlock = std::size_t{1} << 20;
  // All three outlive this; `name` stands for the file in errors.
  TextLines(ByteSource& source, const std::function<bool()>& stop, const std::string& name);
  // The next line, valid until the call after; false at the end and on an error, which status() then holds.
  bool next(std::string_view& line) {
    const char* found =
        at_ == end_ ? nullptr : static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    if (found == nullptr) return refill(line);
    line = {at_, static_cast<std::size_t>(found - at_)};
    at_ = found + 1;
    return true;
  }
  [[nodiscard]] const core::Status& status() const { return status_; }
  [[nodiscard]] std::uint64_t overlong() const { return overlong_; }
  // Changes when lines given before have gone: views kept from an earlier block are no longer good.
  [[nodiscard]] std::uint64_t block() const { return block_; }

 private:
  bool refill(std::string_view& line);
  bool read_more(std::size_t kept);

  ByteSource& source_;
  const std::function<bool()>& stop_;
  const std::string& name_;
  std::unique_ptr<char[]> buffer_;
  std::size_t room_ = kBlock;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool ended_ = false;
  std::uint64_t overlong_ = 0, block_ = 0;
  core::Status status_;
};

}  // namespace plumbline::profiles
