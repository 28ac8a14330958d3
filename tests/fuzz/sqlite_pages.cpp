// links: profiles core
// Any bytes as one leaf of a table, with wanted columns drawn from them too: decoding stays inside the page and gives rows, or
// says that the page is unusual. Decoded again by a decoder that has learnt the page's layouts, the rows are the same.
#include "profiles/readers/sqlite/sqlite_pages.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::profiles;
  constexpr std::size_t kColumns = 4, kPage = 512;
  if (size < kColumns) return 0;
  std::vector<PageColumn> columns;
  std::uint32_t index = 0;
  for (std::uint32_t i = 0; i < kColumns; ++i) {
    index += data[i] % 16U + (i > 0 ? 1U : 0U);
    columns.push_back({index, i, data[i] >= 240});
  }
  // Exactly the bytes that a decoder may look at, so that a step too far is seen.
  std::vector<char> page(kPage + kPagePadding);
  std::memcpy(page.data(), data + kColumns, std::min(size - kColumns, kPage));
  PageDecoder decoder({kPage, 16}, columns, [&](std::uint64_t offset, char* to, std::size_t length) {
    if (offset % kPage != 0 || length != kPage) std::abort();
    std::memcpy(to, page.data(), length);
    return offset / kPage < 8;
  });
  RowBatch first(kColumns);
  RowBatch second(kColumns);
  const bool sound = decoder.leaf(page.data(), first);
  if (sound != decoder.leaf(page.data(), second) || first.size() != second.size()) std::abort();
  for (std::size_t row = 0; sound && row < first.size(); ++row) {
    if (first.rowid(row) != second.rowid(row)) std::abort();
    for (std::size_t column = 0; column < kColumns; ++column) {
      const RowBatch::Row a = first[row];
      const RowBatch::Row b = second[row];
      if (a.integer(column) != b.integer(column) || a.text(column) != b.text(column) || a.has(column) != b.has(column))
        std::abort();
    }
  }
  (void)decoder.leaves(2 + data[0] % 8U, {});
  return 0;
}
