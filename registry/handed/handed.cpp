#include "registry/handed/handed.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "registry/files.hpp"
#include "registry/io.hpp"

namespace plumbline::registry {

namespace {

thread_local const FindHanded* the_current = nullptr;

std::vector<std::string>& closed_folders() {
  static std::vector<std::string> folders;
  return folders;
}

}  // namespace

HandedScope::HandedScope(const FindHanded* find) : before_(std::exchange(the_current, find)) {}
HandedScope::~HandedScope() { the_current = before_; }
const FindHanded* HandedScope::current() { return the_current; }

void close_folder(std::string real_path) { closed_folders().push_back(std::move(real_path)); }

bool is_closed_folder(const std::string& real_path) {
  const auto& folders = closed_folders();
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) { return path_within(real_path, folder); });
}

bool names_handed(std::string_view path) {
  return path.starts_with(kContentScheme) || path.starts_with(kBlobScheme) || path.starts_with(kClientScheme);
}

std::optional<BlobName> blob_name(std::string_view path) {
  constexpr std::size_t kDigits = 64;
  if (!path.starts_with(kBlobScheme)) return std::nullopt;
  path.remove_prefix(kBlobScheme.size());
  const std::string_view digest = path.substr(0, kDigits);
  if (!is_sha256_hex(digest)) return std::nullopt;
  path.remove_prefix(kDigits);
  if (path.empty()) return BlobName{std::string(digest), {}};
  if (path.front() != '/') return std::nullopt;
  return BlobName{std::string(digest), std::string(path.substr(1))};
}

std::string handed_base_name(std::string_view path) {
  if (path.find('/') != std::string_view::npos) return std::string(io::base_of(path));
  return std::string(path.substr(path.rfind(':') + 1));
}

core::Error not_handed(const std::string& path) {
  if (!path.starts_with(kBlobScheme)) {
    return {core::ErrorCode::not_found, path + " was not handed over with this call",
            path.starts_with(kContentScheme) ? "give its text as content, and its name as content_name" : "", path};
  }
  if (!blob_name(path)) {
    return {core::ErrorCode::not_found, path + " names no upload",
            "blob:sha256: and 64 hexadecimal digits in lower case, then a name if wanted: blob:sha256:HEX/result.json", path};
  }
  return {core::ErrorCode::not_found, path + " is not on this server: it was never uploaded whole, or it has expired",
          "upload it again: PUT /blobs/sha256/HEX", path};
}

}  // namespace plumbline::registry
