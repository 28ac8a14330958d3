// A hint for large blocks that are filled densely: the system may back them with large pages, so that filling a hundred
// megabytes takes dozens of page faults rather than tens of thousands. Contents and results never depend on it; small
// blocks, and systems that know no such hint, are left alone. May be called from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace plumbline::core {

// Of fresh memory, before it is filled.
void prefer_large_pages(void* data, std::size_t bytes);

// Fresh memory for std::free, null where there is none. Of many bytes it begins and ends with a large page: a block that begins
// between two has hundreds of small ones at its ends.
[[nodiscard]] void* large_block(std::size_t bytes);

// Gives the large pages wholly inside the block back to the system. Their contents are lost: nobody may read them again.
// Only for blocks that own their pages (from malloc or new, not mapped files).
void give_back_pages(void* data, std::size_t bytes);

// Room for `count` elements, nearly all of which will be used. Asked again and again for a little more, it grows by half.
template <class T>
void reserve_large(std::vector<T>& into, std::size_t count) {
  if (count <= into.capacity()) return;
  std::vector<T> larger;
  larger.reserve(std::max(count, into.capacity() + into.capacity() / 2));
  prefer_large_pages(larger.data(), larger.capacity() * sizeof(T));  // before what there is moves in
  larger.insert(larger.end(), std::make_move_iterator(into.begin()), std::make_move_iterator(into.end()));
  into = std::move(larger);
}

}  // namespace plumbline::core
