#include "formats/json_outline.hpp"

#include <algorithm>
#include <cstring>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

constexpr std::size_t kLookedAt = std::size_t{4} * 1024 * 1024;
constexpr std::size_t kMostPaths = 16384, kLongestKey = 200;

}  // namespace

// One pass with a stack of what is open. `path` is where the next value stands.
JsonOutline::JsonOutline(std::string_view text) {
  struct Open {
    char kind;
    std::size_t path;  // its length outside of this one
  };
  const char* at = text.data();
  const char* const end = at + std::min(text.size(), kLookedAt);
  std::vector<Open> open;
  std::string path, key;
  std::size_t ignored = 0;  // opened deeper than is looked
  bool key_next = false;
  while (at != end) {
    const char c = *at;
    if (c == '"') {
      const char* const start = ++at;
      while (at != end && *at != '"') at += *at == '\\' && at + 1 != end ? 2 : 1;
      if (key_next && ignored == 0 && static_cast<std::size_t>(at - start) <= kLongestKey) {
        key.assign(start, static_cast<std::size_t>(at - start));
        std::replace(key.begin(), key.end(), '\n', ' ');
        path.resize(open.back().path);
        if (!path.empty()) path.push_back('\n');
        path.append(key);
        if (!add(path)) return;
      }
      key_next = false;
      if (at != end) ++at;
      continue;
    }
    ++at;
    switch (c) {
      case '{':
      case '[':
        if (open.empty() && ignored == 0) {
          if (root_ == 0) root_ = c;
          ++values_;
          path.clear();
        }
        if (open.size() == kDeepest || ignored > 0) {
          ++ignored;
        } else {
          open.push_back({c, path.size()});
        }
        key_next = c == '{' && ignored == 0;
        break;
      case '}':
      case ']':
        if (ignored > 0) {
          --ignored;
        } else if (!open.empty()) {
          path.resize(std::min(path.size(), open.back().path));
          open.pop_back();
        }
        key_next = false;
        break;
      case ',':
        key_next = ignored == 0 && !open.empty() && open.back().kind == '{';
        if (!open.empty() && ignored == 0) path.resize(std::min(path.size(), open.back().path));
        break;
      case '/':  // a comment
        if (at != end && *at == '/') {
          const void* const line_end = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
          at = line_end == nullptr ? end : static_cast<const char*>(line_end);
        } else if (at != end && *at == '*') {
          const std::size_t close = std::string_view(at, static_cast<std::size_t>(end - at)).find("*/", 1);
          at = close == std::string_view::npos ? end : at + close + 2;
        }
        break;
      default:
        break;
    }
    if (root_ == 0 && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '/') return;  // no JSON, or a bare value
  }
}

// False once there are as many as are kept.
bool JsonOutline::add(std::string_view path) {
  const std::size_t known = paths_->size();  // the empty path is always there
  if (known > kMostPaths) return false;
  const core::Id id = paths_->intern(path);
  if (id == known) by_depth_[static_cast<std::size_t>(std::count(path.begin(), path.end(), '\n'))].push_back(id);
  return true;
}

bool JsonOutline::has(std::string_view path) const {
  std::string wanted(path);
  std::replace(wanted.begin(), wanted.end(), '/', '\n');
  if (wanted.find('*') == std::string::npos) return paths_->find(wanted) != core::kNoId;
  const std::vector<std::string_view> parts = core::split(wanted, '\n');
  if (parts.size() > kDeepest) return false;
  const auto& of_depth = by_depth_[parts.size() - 1];
  return std::any_of(of_depth.begin(), of_depth.end(), [&](core::Id known) {
    const std::vector<std::string_view> keys = core::split(paths_->view(known), '\n');
    return std::equal(parts.begin(), parts.end(), keys.begin(), keys.end(),
                      [](std::string_view part, std::string_view one) { return part == "*" || part == one; });
  });
}

const JsonOutline& outline_of(const Input& input, std::vector<JsonOutline>& own) {
  if (input.outline != nullptr) return *input.outline;
  const std::string_view head = json_head(input);
  if (head.empty()) return own.emplace_back(head);
  return own.emplace_back(input.bytes.substr(static_cast<std::size_t>(head.data() - input.bytes.data())));
}

bool has_keys(const JsonOutline& outline, std::span<const std::string_view> paths, Detection& detection) {
  for (const std::string_view path : paths) {
    if (!outline.has(path)) return false;
  }
  for (const std::string_view path : paths) detection.evidence.push_back("has the key " + core::cited(path));
  return true;
}

bool has_keys(const Input& input, std::span<const std::string_view> paths, Detection& detection) {
  if (input.is_directory || !input.files.empty()) return false;
  std::vector<JsonOutline> own;
  return has_keys(outline_of(input, own), paths, detection);
}

bool body_has_keys(const Input& input, std::span<const std::string_view> paths, Detection& detection) {
  if (input.is_directory || !input.files.empty()) return false;
  const std::string_view head = JsonBody::head(input);
  if (head.empty()) return false;
  if (head.data() == json_head(input).data()) return has_keys(input, paths, detection);
  const auto start = static_cast<std::size_t>(head.data() - input.bytes.data());
  return has_keys(JsonOutline(input.bytes.substr(start)), paths, detection);
}

}  // namespace plumbline::formats
