#include "core/large_block.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace plumbline::core {

namespace {

constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20U;

// Whole large pages only, so that the neighbours of the block keep theirs. Refusal is no error: it is a hint.
void advise(void* data, std::size_t bytes, int advice) {
  const auto start = reinterpret_cast<std::uintptr_t>(data);
  const auto begin = (start + kPage - 1) & ~(kPage - 1);
  const auto end = (start + bytes) & ~(kPage - 1);
  if (begin < end) static_cast<void>(::madvise(static_cast<char*>(data) + (begin - start), end - begin, advice));
}

}  // namespace

void prefer_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  advise(data, bytes, MADV_HUGEPAGE);
#endif
}

void* large_block(std::size_t bytes) {
  constexpr std::size_t kWorthIt = 4 * kPage;  // the last page may be nearly empty
  if (bytes < kWorthIt) return std::malloc(bytes);
  const std::size_t room = (bytes + kPage - 1) & ~(kPage - 1);
  if (room < bytes) return nullptr;
  void* const data = std::aligned_alloc(kPage, room);
  if (data != nullptr) prefer_large_pages(data, room);
  return data;
}

void give_back_pages(void* data, std::size_t bytes) { advise(data, bytes, MADV_DONTNEED); }

}  // namespace plumbline::core
