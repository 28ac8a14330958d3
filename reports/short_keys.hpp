// Keys as a narrow table shows them: without what all of them share, which is said once, and with sizes as people say them.
// Internal to reports/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::reports {

class ShortKeys {
 public:
  explicit ShortKeys(const std::vector<std::string_view>& keys);
  // One of the keys: "[size=1 GiB].busbw" for "nccl.all_reduce[dtype=bf16,size=1073741824].busbw".
  [[nodiscard]] std::string of(std::string_view key) const;
  // "nccl.all_reduce, dtype=bf16"; "" where they share nothing.
  [[nodiscard]] std::string shared() const;

 private:
  std::size_t path_parts_ = 0;  // leading parts of the path that all keys have
  std::string path_;
  std::vector<std::pair<std::string, std::string>> dims_;  // that all keys have
};

}  // namespace plumbline::reports
