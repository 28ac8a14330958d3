// Many slugs, packed: 22 characters each, sorted by bytes, which is by time. A hundred thousand are 2 MB and one block of
// memory, as they are kept and as they are listed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::registry::cache {

class SlugList {
 public:
  static constexpr std::size_t kWidth = 22;
  SlugList() = default;
  // Empty when `packed` is no list of sorted slugs.
  [[nodiscard]] static SlugList checked(std::string packed);

  [[nodiscard]] std::size_t size() const { return packed_.size() / kWidth; }
  [[nodiscard]] bool empty() const { return packed_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return std::string_view(packed_).substr(i * kWidth, kWidth); }
  [[nodiscard]] std::string_view newest() const { return empty() ? std::string_view() : (*this)[size() - 1]; }
  [[nodiscard]] const std::string& packed() const { return packed_; }
  void add(std::string_view slug) { packed_ += slug; }
  void sort();
  // The last `n`, or all when there are fewer.
  [[nodiscard]] SlugList last(std::size_t n) const;
  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  std::string packed_;
};

// What one reading of a line's folder gives.
struct Listing {
  SlugList slugs;
  std::uint64_t folders = 0;             // subfolders that are no publication: accepted/, removed/, what somebody put there
  std::uint64_t hidden_folders = 0;      // whose names begin with a dot: publications on their way in or out
  std::vector<std::string> temporaries;  // names that begin with ".tmp-" or ".gc-", whatever they are
};
[[nodiscard]] core::Expected<Listing> list_line(int folder, const std::string& path);

}  // namespace plumbline::registry::cache
