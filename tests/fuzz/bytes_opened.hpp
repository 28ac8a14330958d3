// Bytes as the one file that there is, and a text of several as a folder on disk: what a reader is given to open.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "profiles/readers/open_file.hpp"
#include "tests/support/folder_text.hpp"

namespace plumbline::profiles::fuzz {

// `file` outlives the opener.
inline Opener opener_of(const MemoryFile& file, std::string name) {
  return [&file, name = std::move(name)](const std::string& path) {
    if (path == name) return file.open();
    errno = ENOENT;
    return -1;
  };
}

// Goes away with this.
class FolderOfText {
 public:
  explicit FolderOfText(std::string_view text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "plumbline-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::_Exit(0);
    path_ = pattern;
    for (const auto& [name, bytes] : testing::files_of_folder(text)) {
      if (is_file_name(name)) std::ofstream(path_ / name, std::ios::binary) << bytes;
    }
  }
  FolderOfText(const FolderOfText&) = delete;
  FolderOfText& operator=(const FolderOfText&) = delete;
  ~FolderOfText() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static bool is_file_name(const std::string& name) {
    constexpr std::size_t kLongest = 100;
    return !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
  }
  std::filesystem::path path_;
};

}  // namespace plumbline::profiles::fuzz
