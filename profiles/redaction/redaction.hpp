// What redaction made of a capture: the bytes of a new one, and what did not go into it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::profiles {

// Counts by place ("StringIds.value", "ProcessStreams", "args.Call stack"). A place is named by words of ours only: tables,
// columns and keys that nobody here knows are counted together, for their names may be what must not come out.
class TakenOut {
 public:
  struct Place {
    std::string what;
    std::uint64_t count = 0;
  };
  void add(std::string_view what, std::uint64_t count = 1) {
    if (count > 0) counts_[std::string(what)] += count;
  }
  // Most first.
  [[nodiscard]] std::vector<Place> places() const;

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

struct Redaction {
  std::string bytes;
  std::vector<TakenOut::Place> taken_out;
};

}  // namespace plumbline::profiles
