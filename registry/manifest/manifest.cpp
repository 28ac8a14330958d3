#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/store.hpp"

namespace plumbline::registry {
namespace {

bool is_relative_name(std::string_view name) {
  if (name.empty() || name.size() > 4096) return false;
  std::size_t start = 0;
  while (start <= name.size()) {
    auto end = name.find('/', start);
    if (end == std::string_view::npos) end = name.size();
    const auto part = name.substr(start, end - start);
    if (part.empty() || part == "." || part == "..") return false;
    start = end + 1;
  }
  return std::none_of(name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r' || c == '\\' || c == '\0'; });
}

}  // namespace

core::Status check_relative_name(std::string_view name) {
  if (is_relative_name(name)) return {};
  return core::fail(core::ErrorCode::invalid_input, "the file name " + core::cited(name) + " cannot be listed in SHA256SUMS",
                    "names are relative, without \"..\", line breaks and backslashes");
}

core::Expected<std::vector<ManifestLine>> parse_manifest(std::string_view text, const std::string& where) {
  std::vector<ManifestLine> lines;
  const auto bad = [&](const std::string& what) {
    return core::fail(core::ErrorCode::provenance_mismatch, "line " + std::to_string(lines.size() + 1) + " of SHA256SUMS " + what,
                      {}, where + ":" + std::to_string(lines.size() + 1));
  };
  if (text.empty()) return core::fail(core::ErrorCode::provenance_mismatch, "SHA256SUMS is empty", {}, where);
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return bad("does not end in a line break");
    const auto line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.size() < 67 || !is_sha256_hex(line.substr(0, 64)) || line.substr(64, 2) != "  ") {
      return bad("is not \"<sha256>  <name>\"");
    }
    const auto name = line.substr(66);
    if (!is_relative_name(name)) return bad("names " + core::cited(name) + ", which is not a safe relative name");
    if (name == "SHA256SUMS" || name == "attest" || name.substr(0, 7) == "attest/")
      return bad("names " + std::string(name) + ", which is never listed");
    if (!lines.empty() && std::string_view(lines.back().name) >= name) return bad("is out of order: " + core::cited(name));
    lines.push_back({std::string(line.substr(0, 64)), std::string(name)});
  }
  return lines;
}

std::string manifest_text(std::vector<ManifestLine> lines) {
  std::sort(lines.begin(), lines.end(), [](const ManifestLine& a, const ManifestLine& b) { return a.name < b.name; });
  std::string text;
  for (const auto& line : lines) {
    text += line.sha256;
    text += "  ";
    text += line.name;
    text += '\n';
  }
  return text;
}

}  // namespace plumbline::registry
