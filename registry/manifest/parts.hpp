// Files that are larger than what a store takes in one piece. Such a file is kept in parts of equal size, the last one smaller,
// and SHA256SUMS lists them in its place, as "NAME.part-OFFSET": the offset of the part's first byte, in 15 digits. So `sha256sum
// -c` checks what was fetched with any tool, and `cat NAME.part-* > NAME` joins it. On this machine such a file lies joined, and
// is held against SHA256SUMS part by part.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/files.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {

struct FilePart {
  std::uint64_t offset = 0;
  std::string sha256;
};
using FileParts = std::vector<FilePart>;  // sorted; the first has the offset 0, and there are at least two

[[nodiscard]] std::string part_name(std::string_view file, std::uint64_t offset);
// Whether a file of that name could be taken for a part.
[[nodiscard]] bool is_part_name(std::string_view name);
// The files that SHA256SUMS lists in parts, by their own names.
[[nodiscard]] std::map<std::string, FileParts, std::less<>> files_in_parts(const std::vector<ManifestLine>& lines);
// Holds the bytes of a joined file against its parts.
class PartChecker {
 public:
  PartChecker(std::string_view name, const FileParts& parts) : name_(name), parts_(parts) {}
  void update(std::string_view bytes);
  // After the last bytes: the name of each part that is not what is listed, with the digest of what is there.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> wrong();

 private:
  void end_part();
  const std::string name_;
  const FileParts& parts_;
  Sha256 sha_;
  std::size_t at_ = 0;
  std::uint64_t read_ = 0;
  std::vector<std::pair<std::string, std::string>> wrong_;
};

}  // namespace plumbline::registry
