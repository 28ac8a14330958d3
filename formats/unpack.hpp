// What is compressed (gzip, zstd, xz, bzip2) or an archive (tar, zip) is read through: one file becomes that file, several
// become a folder. Everything happens in memory, nothing is written anywhere, and what comes out is bounded before it is there:
// a few kilobytes may claim to be terabytes. What it takes in memory is drawn from a budget of the process. gzip goes through
// zlib, which checks each member's sum and length; the rest through libarchive. Private to formats/. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_budget.hpp"
#include "core/error.hpp"
#include "core/measurement.hpp"
#include "formats/format.hpp"

namespace plumbline::formats {

struct UnpackBounds {
  std::uint64_t bytes = std::uint64_t{2} << 30;            // of everything that comes out, layers between included
  std::uint64_t ratio = 250;                               // times the packed size ...
  std::uint64_t ratio_from = std::uint64_t{64} << 20;      // ... asked for beyond these bytes
  std::uint64_t files = 20'000;                            // members of archives
  std::uint32_t levels = 4;                                // gzip in tar in zip is three
  base::MemoryBudget* budget = &base::unpacking_budget();  // what all that unpack at the same time share
  std::function<bool()> stop;
};

struct Unpacked {
  Input input;                        // views into `own`
  std::vector<std::string> evidence;  // "gzip-compressed", "a tar archive of 3 files", from the outside in
  std::vector<core::Warning> warnings;
  std::string command;               // what a person would type to unpack it: "gzip -dk run.json.gz"
  base::MemoryBudget::Lease memory;  // of `own`
  std::deque<std::string> own;
};

[[nodiscard]] bool is_packed(std::string_view bytes);
[[nodiscard]] core::Expected<Unpacked> unpack(const Input& input, const UnpackBounds& bounds = {});

}  // namespace plumbline::formats
