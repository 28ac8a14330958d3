// The bytes of a capture from front to back, whatever they are packed in: a file read by position through reused buffers (so
// that a file of gigabytes never counts as memory of ours), and gzip of any number of members through ISA-L, which inflates
// as a stream. A source belongs to one thread at a time; read_ahead() moves the work of one onto a thread of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

#include "core/error.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // Up to `most` bytes (not 0) into `to`; 0 at the end. An error ends the source.
  [[nodiscard]] virtual core::Expected<std::size_t> read(char* to, std::size_t most) = 0;

  struct Ending {           // to be asked after the end
    bool cut = false;       // packed data end before they say they do
    bool trailing = false;  // bytes stand behind the packed data
  };
  [[nodiscard]] virtual Ending ending() const { return {}; }
  // Bytes of the file taken so far: for progress. Any thread.
  [[nodiscard]] virtual std::uint64_t taken() const = 0;
};

// `file` must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> file_bytes(const OpenFile& file);
// `text` must outlive the source. Delivers at most `piece` bytes a time: the cuts of small pieces are a test's.
[[nodiscard]] std::unique_ptr<ByteSource> memory_bytes(std::string_view text, std::size_t piece = SIZE_MAX);

[[nodiscard]] inline bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b\x08"); }
// What `packed` holds, member after member. Errors: data that are no gzip or whose check sum differs, and more than
// 250 times the packed size beyond the first 64 MiB (a few kilobytes may claim to be terabytes).
[[nodiscard]] std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> packed);

// The same bytes, fetched by a second thread up to 2 MiB ahead of the reader.
[[nodiscard]] std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source);

// A file as text: unpacked and read ahead where it is gzip.
[[nodiscard]] std::unique_ptr<ByteSource> text_bytes(const OpenFile& file);

}  // namespace plumbline::profiles
