// The rows of a SQLite table read from the leaves of its b-tree, without SQLite: five to ten times the rows per second, since
// only the wanted columns are decoded and the rest is stepped over. Source of the format: sqlite.org/fileformat2.html, sections
// 1.3 (header), 1.6 (b-tree pages), 2.1 (records). Blocks of pages are read by descriptor into buffers that are used again, so
// the file never counts as memory of ours. Strict where SQLite is patient: whatever is not plainly as the format says ends the
// scan as `unusual`, and the caller asks SQLite instead; nothing here reports damage.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "profiles/readers/sqlite/sqlite_batch.hpp"

namespace plumbline::profiles {

struct PageFormat {
  std::uint32_t page_size = 0;
  std::uint32_t pages = 0;  // in the database
};
// From the first 100 bytes of a file of `file_size` bytes; nullopt for what only SQLite should read: bytes reserved on every
// page, text that is not UTF-8, an unknown version, a size that does not fit the header.
[[nodiscard]] std::optional<PageFormat> page_format(std::string_view header, std::uint64_t file_size);

struct PageColumn {
  std::uint32_t index = 0;  // in the record; ascending over a list of columns
  std::uint32_t slot = 0;   // in the batch
  bool is_rowid = false;    // INTEGER PRIMARY KEY: the record holds NULL, the value is the row's id
};

// Reads `length` bytes at `offset`: false when they are not there.
using PageReader = std::function<bool(std::uint64_t offset, char* to, std::size_t length)>;

// How many readable bytes must follow a page that is decoded in place.
inline constexpr std::size_t kPagePadding = 16;

// Rows of one table mostly repeat a few layouts: the same columns in the same numbers of bytes. What a layout means is worked out
// once and kept. For that reason a decoder belongs to one thread; copy it for another.
class PageDecoder {
 public:
  PageDecoder(PageFormat format, std::vector<PageColumn> columns, PageReader read);
  // Appends the rows of one leaf; texts point into `page`, which has kPagePadding readable bytes behind its end. False: unusual.
  [[nodiscard]] bool leaf(const char* page, RowBatch& batch);
  // The leaves under a root page, in order of row ids; nullopt: unusual.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> leaves(std::uint32_t root, const std::function<bool()>& stop) const;
  [[nodiscard]] const PageFormat& format() const { return format_; }

 private:
  // An integer column in a known layout: the eight bytes at `at`, most significant first, shifted down with their sign, masked
  // and added to. Constants have a mask of 0. No decision is made per row.
  struct Field {
    std::uint32_t slot = 0, at = 0;
    std::int64_t mask = 0, plus = 0;
    unsigned shift = 0;
  };
  static constexpr std::size_t kWords = 8, kLayouts = 64;
  struct Layout {
    std::array<std::uint64_t, kWords> header = {};  // the record's first bytes, up to the last wanted column's type
    std::uint32_t end = 0;                          // where the last wanted column ends; 0: an empty place
    bool to_the_end = false;                        // that column is the record's last
    std::vector<Field> fields;
    std::vector<std::uint32_t> rowids;  // slots
  };
  [[nodiscard]] bool cell(const char* page, std::uint32_t at, RowBatch& batch);
  // The row by a layout that is known; false where none is.
  [[nodiscard]] bool by_layout(const char* record, std::uint64_t length, std::int64_t rowid, RowBatch& batch) const;
  [[nodiscard]] bool by_header(const char* record, const char* end, std::int64_t rowid, RowBatch& batch);
  [[nodiscard]] std::size_t header_words(const char* record, std::array<std::uint64_t, kWords>& words) const;
  void learn(const char* record, const char* end);
  // The whole payload of a cell that goes on in overflow pages.
  [[nodiscard]] bool payload(std::string& bytes, std::uint64_t length, std::uint32_t next) const;
  PageFormat format_;
  std::vector<PageColumn> columns_;
  PageReader read_;
  std::uint32_t largest_local_, smallest_local_;
  std::size_t header_bytes_ = 0;  // of a record whose types take one byte each; 0: too many for a layout
  std::vector<Layout> layouts_;
};

// Bytes of leaves that make up a batch: they stay in the second-level cache while they are decoded.
inline constexpr std::uint64_t kPageBlock = 256U << 10U;

enum class PageScanEnd : std::uint8_t { complete, unusual, stopped, refused };  // refused: by the caller's own Status
struct PageScanResult {
  PageScanEnd end = PageScanEnd::complete;
  core::Error error;  // refused
  std::uint64_t rows = 0;
};

struct PageScan {
  int threads = 2;
  // Each batch in the table's order, one at a time: from the calling thread or from the one beside it, never from both at once.
  std::function<core::Status(const RowBatch&)> rows;
  std::function<bool()> stop;            // asked now and then, on the calling thread only; may be empty
  std::function<void(double)> progress;  // 0..1, on the calling thread only; may be empty
};
// Batches have `columns` columns, those that no PageColumn names stay empty.
[[nodiscard]] PageScanResult scan_pages(const PageDecoder& decoder, const std::vector<std::uint32_t>& leaves,
                                        const PageReader& read, std::size_t columns, const PageScan& scan);

}  // namespace plumbline::profiles
