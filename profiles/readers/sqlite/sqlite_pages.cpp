#include "profiles/readers/sqlite/sqlite_pages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace plumbline::profiles {
namespace {

constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::uint8_t kInteriorTable = 0x05, kLeafTable = 0x0D;
constexpr std::uint32_t kLeafHeader = 8, kInteriorHeader = 12;
constexpr int kDeepest = 20;                           // as SQLite's own bound
constexpr std::uint64_t kLongestPayload = 16U << 20U;  // of one row; SQLite is asked about longer ones
constexpr std::uint64_t kLockByte = 0x40000000;        // the page that holds it is never used

std::uint32_t two(const char* at) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(at[0]) << 8U | static_cast<unsigned char>(at[1]));
}
std::uint32_t four(const char* at) { return two(at) << 16U | two(at + 2); }

// The bytes of an integer of 1 to 8 bytes, most significant first, with its sign. Eight bytes are read.
std::int64_t signed_integer(const char* at, unsigned size) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return static_cast<std::int64_t>(__builtin_bswap64(bytes)) >> (64U - 8U * size);
}

// One to nine bytes, seven bits of each and all of the ninth. Nine bytes may be read.
const char* varint(const char* at, std::uint64_t& value) {
  auto byte = static_cast<unsigned char>(*at++);
  value = byte & 0x7FU;
  if (byte < 0x80) return at;
  for (int i = 1; i < 8; ++i) {
    byte = static_cast<unsigned char>(*at++);
    value = value << 7U | (byte & 0x7FU);
    if (byte < 0x80) return at;
  }
  value = value << 8U | static_cast<unsigned char>(*at++);
  return at;
}

// Bytes of a value by its serial type, 0 to 11; 10 and 11 are reserved.
constexpr std::array<std::uint8_t, 12> kSizes = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0xFF, 0xFF};

}  // namespace

std::optional<PageFormat> page_format(std::string_view header, std::uint64_t file_size) {
  if (header.size() < 100 || !header.starts_with(kMagic)) return std::nullopt;
  const char* const at = header.data();
  PageFormat format;
  format.page_size = two(at + 16) == 1 ? 65536 : two(at + 16);
  const bool power = (format.page_size & (format.page_size - 1)) == 0;
  if (!power || format.page_size < 512) return std::nullopt;
  const bool versions = (at[18] == 1 || at[18] == 2) && (at[19] == 1 || at[19] == 2);
  const bool fractions = at[21] == 64 && at[22] == 32 && at[23] == 32;
  if (!versions || !fractions || at[20] != 0) return std::nullopt;
  if (four(at + 44) > 4 || four(at + 56) != 1) return std::nullopt;
  // The header's count of pages is valid only when the last writer kept it.
  if (four(at + 24) != four(at + 92)) return std::nullopt;
  format.pages = four(at + 28);
  if (format.pages == 0 || std::uint64_t{format.pages} * format.page_size > file_size) return std::nullopt;
  return format;
}

PageDecoder::PageDecoder(PageFormat format, std::vector<PageColumn> columns, PageReader read)
    : format_(format),
      columns_(std::move(columns)),
      read_(std::move(read)),
      largest_local_(format.page_size - 35),
      smallest_local_((format.page_size - 12) * 32 / 255 - 23) {
  const std::size_t bytes = columns_.empty() ? 0 : columns_.back().index + std::size_t{2};
  if (bytes > kWords * 8) return;
  header_bytes_ = bytes;
  layouts_.resize(kLayouts);
}

bool PageDecoder::payload(std::string& bytes, std::uint64_t length, std::uint32_t next) const {
  if (length > kLongestPayload) return false;
  const std::uint32_t room = format_.page_size - 4;
  std::string page(format_.page_size, '\0');
  bytes.reserve(length + kPagePadding);
  while (bytes.size() < length) {
    if (next < 2 || next > format_.pages) return false;
    if (!read_((std::uint64_t{next} - 1) * format_.page_size, page.data(), page.size())) return false;
    next = four(page.data());
    bytes.append(page, 4, std::min<std::uint64_t>(room, length - bytes.size()));
  }
  return next == 0;  // a chain that goes on does not belong to this row alone
}

// The first header_bytes_ bytes of a record as words, and the place of their layout. Reads up to seven bytes more.
std::size_t PageDecoder::header_words(const char* record, std::array<std::uint64_t, kWords>& words) const {
  std::uint64_t mixed = 0;
  const std::size_t count = (header_bytes_ + 7) / 8;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&words[i], record + 8 * i, 8);
    if (i + 1 == count && header_bytes_ % 8 != 0) words[i] &= (std::uint64_t{1} << (header_bytes_ % 8 * 8)) - 1;
    mixed = (mixed ^ words[i]) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 32U;
  }
  return mixed % kLayouts;
}

bool PageDecoder::by_layout(const char* record, std::uint64_t length, std::int64_t rowid, RowBatch& batch) const {
  std::array<std::uint64_t, kWords> words;
  const Layout& layout = layouts_[header_words(record, words)];
  if (layout.end == 0 || length < layout.end || (layout.to_the_end && length != layout.end)) return false;
  for (std::size_t i = 0; 8 * i < header_bytes_; ++i) {
    if (words[i] != layout.header[i]) return false;
  }
  batch.add_row(rowid);
  for (const Field& field : layout.fields) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, record + field.at, sizeof bytes);
    const std::int64_t value = static_cast<std::int64_t>(__builtin_bswap64(bytes)) >> field.shift;
    batch.set_integer(field.slot, (value & field.mask) + field.plus);
  }
  for (const std::uint32_t slot : layout.rowids) batch.set_integer(slot, rowid);
  return true;
}

// Keeps the layout of a sound record, when all its wanted columns are integers or nothing.
void PageDecoder::learn(const char* record, const char* end) {
  const auto header = static_cast<unsigned char>(record[0]);
  if (header >= 0x80 || header < header_bytes_) return;
  Layout layout;
  std::uint32_t at = header;
  std::size_t column = 0;
  for (std::size_t i = 1; i < header_bytes_; ++i) {
    const auto type = static_cast<unsigned char>(record[i]);
    if (type >= 0x80) return;
    const std::uint32_t size = type < kSizes.size() ? kSizes[type] : (type - 12U) / 2;
    if (columns_[column].index == i - 1) {
      const std::uint32_t slot = columns_[column].slot;
      if (columns_[column].is_rowid) {
        layout.rowids.push_back(slot);
      } else if (type >= 12) {
        return;
      } else if (type >= 8) {
        layout.fields.push_back({slot, 0, 0, type - 8, 0});
      } else if (type != 0 && type != 7) {
        layout.fields.push_back({slot, at, -1, 0, 64 - 8 * size});
      }
      ++column;
    }
    at += size;
  }
  layout.end = at;
  layout.to_the_end = header == header_bytes_;
  if (end - record < at) return;
  Layout& place = layouts_[header_words(record, layout.header)];
  place = std::move(layout);
}

bool PageDecoder::cell(const char* page, std::uint32_t at, RowBatch& batch) {
  const char* const page_end = page + format_.page_size;
  std::uint64_t length = 0;
  std::uint64_t id = 0;
  const char* record = varint(page + at, length);
  record = varint(record, id);
  if (record > page_end) return false;
  const auto rowid = static_cast<std::int64_t>(id);
  const auto room = static_cast<std::uint64_t>(page_end - record);
  if (length <= largest_local_) {
    if (length > room) return false;
    // A record near the page's end may have fewer bytes behind its start than a look at its header reads.
    const bool short_of_room = header_bytes_ == 0 || room < header_bytes_;
    if (!short_of_room && by_layout(record, length, rowid, batch)) return true;
    if (!by_header(record, record + length, rowid, batch)) return false;
    if (!short_of_room) learn(record, record + length);
    return true;
  }
  std::uint64_t local = smallest_local_ + (length - smallest_local_) % (format_.page_size - 4);
  if (local > largest_local_) local = smallest_local_;
  if (local + 4 > room) return false;
  std::string whole(record, local);
  if (!payload(whole, length, four(record + local))) return false;
  whole.append(kPagePadding, '\0');
  record = batch.keep(std::move(whole)).data();
  return by_header(record, record + length, rowid, batch);
}

bool PageDecoder::by_header(const char* record, const char* end, std::int64_t rowid, RowBatch& batch) {
  batch.add_row(rowid);
  std::uint64_t header = 0;
  const char* type_at = varint(record, header);
  if (header > static_cast<std::uint64_t>(end - record) || header < static_cast<std::uint64_t>(type_at - record)) return false;
  const char* const types_end = record + header;
  const char* value = types_end;
  std::uint32_t index = 0;
  for (const PageColumn& wanted : columns_) {
    std::uint64_t type = 0;
    std::uint64_t size = 0;
    do {
      if (type_at >= types_end) return false;  // a short record: the column came later, SQLite knows its default
      value += size;
      type = static_cast<unsigned char>(*type_at);
      if (type < 0x80) {
        ++type_at;
      } else {
        type_at = varint(type_at, type);
        if (type_at > types_end) return false;
      }
      size = type < kSizes.size() ? kSizes[type] : (type - 12) / 2;
      if (size > static_cast<std::uint64_t>(end - value) || type == 10 || type == 11) return false;
    } while (index++ < wanted.index);
    if (wanted.is_rowid) {
      if (type != 0) return false;  // an INTEGER PRIMARY KEY that is a column of its own after all
      batch.set_integer(wanted.slot, rowid);
    } else if (type >= 12) {
      batch.set_text(wanted.slot, {value, size});
    } else if (type >= 8) {
      batch.set_integer(wanted.slot, static_cast<std::int64_t>(type) - 8);
    } else if (type != 0 && type != 7) {
      batch.set_integer(wanted.slot, signed_integer(value, static_cast<unsigned>(size)));
    }
    value += size;
  }
  return type_at < types_end || value == end;
}

bool PageDecoder::leaf(const char* page, RowBatch& batch) {
  if (static_cast<std::uint8_t>(page[0]) != kLeafTable) return false;
  const std::uint32_t cells = two(page + 3);
  if (cells > (format_.page_size - kLeafHeader) / 6) return false;
  const std::uint32_t first = kLeafHeader + 2 * cells;
  for (std::uint32_t i = 0; i < cells; ++i) {
    const std::uint32_t at = two(page + kLeafHeader + 2 * std::size_t{i});
    if (at < first || at > format_.page_size - 4) return false;
    if (!cell(page, at, batch)) return false;
  }
  return true;
}

std::optional<std::vector<std::uint32_t>> PageDecoder::leaves(std::uint32_t root, const std::function<bool()>& stop) const {
  const auto lock_page = static_cast<std::uint32_t>(kLockByte / format_.page_size + 1);
  const auto usable = [&](std::uint32_t page) { return page >= 2 && page <= format_.pages && page != lock_page; };
  struct Level {
    std::vector<std::uint32_t> children;
    std::size_t next = 0;
  };
  std::vector<Level> path;
  std::vector<std::uint32_t> found;
  std::vector<char> page(format_.page_size + kPagePadding);
  std::uint64_t seen = 0;
  // Whether the tree goes on below `number`; its children are the new last level.
  const auto interior = [&](std::uint32_t number, bool& leaf) {
    if (!usable(number) || ++seen > format_.pages) return false;
    if (!read_((std::uint64_t{number} - 1) * format_.page_size, page.data(), format_.page_size)) return false;
    const auto flags = static_cast<std::uint8_t>(page[0]);
    leaf = flags == kLeafTable;
    if (leaf) return true;
    const std::uint32_t cells = two(page.data() + 3);
    if (flags != kInteriorTable || cells == 0 || cells > (format_.page_size - kLeafHeader) / 6) return false;
    Level& level = path.emplace_back();
    level.children.reserve(cells + std::size_t{1});
    for (std::uint32_t i = 0; i < cells; ++i) {
      const std::uint32_t at = two(page.data() + kInteriorHeader + 2 * std::size_t{i});
      if (at < kInteriorHeader + 2 * cells || at > format_.page_size - 5) return false;
      level.children.push_back(four(page.data() + at));
    }
    level.children.push_back(four(page.data() + 8));
    return true;
  };
  bool leaf = false;
  if (!interior(root, leaf)) return std::nullopt;
  if (leaf) return std::vector<std::uint32_t>{root};
  // Leaves are all at one depth, found by the first way down; pages there are not looked at a second time.
  std::size_t depth = 0;
  while (!path.empty()) {
    if (stop && stop()) return found;
    Level& level = path.back();
    if (depth == path.size()) {
      for (const std::uint32_t child : level.children) {
        if (!usable(child)) return std::nullopt;
      }
      seen += level.children.size();
      if (seen > format_.pages) return std::nullopt;
      found.insert(found.end(), level.children.begin(), level.children.end());
      path.pop_back();
      continue;
    }
    if (level.next == level.children.size()) {
      path.pop_back();
      continue;
    }
    const std::uint32_t child = level.children[level.next++];
    if (path.size() > kDeepest || !interior(child, leaf)) return std::nullopt;
    if (!leaf) continue;
    if (depth != 0) return std::nullopt;  // leaves at two depths
    depth = path.size();
    path.back().next = 0;
    --seen;
  }
  return found;
}

}  // namespace plumbline::profiles
