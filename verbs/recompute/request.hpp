// request.json of a bundle (schemas/plumbline.request.v1.json): what was asked, and which files of the bundle hold what the
// answer was made from. With it a verdict can be made again where neither the registry nor the sources are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/profile_diff/profile_run.hpp"
#include "verbs/resolving/inputs.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

inline constexpr std::string_view kRequestName = "request.json";

struct KeptEntry {
  std::string family, measurement, slug;
  bool accepted = false;
  std::string at;  // folder in the bundle; "" = not kept
};
struct KeptFile {
  std::string parameter;  // "baseline", "current", "initial"; "rules"
  std::string path;       // absolute, where it was
  std::string at;         // file or folder in the bundle; "" = not kept
  std::uint64_t bytes = 0;
};
struct MissingInput {
  std::string what, why;
};

struct KeptRequest {
  std::string tool_version;
  std::string verb;  // "diff", "profile-diff"
  std::string root;  // of the registry and the rules; "" = there was none
  Arguments arguments;
  std::vector<KeptEntry> entries;
  std::vector<KeptFile> files;
  std::map<std::string, std::string> embedded;  // rules of the program by name: sha256
  std::map<std::string, UsedHistory> history;   // by "family/measurement@slug"
  std::string day;                              // on which waivers held or not, "2026-11-23"; "" where nobody asked
  std::optional<ProfileRequest> captures;       // as resolved; its paths are those of digests in the bundle
  std::vector<MissingInput> not_recomputable;
};

[[nodiscard]] std::string request_json(const KeptRequest& request);
// Errors (invalid_input) name what is wrong; every path in it is checked to stay inside the bundle.
[[nodiscard]] Expected<KeptRequest> parse_request(std::string_view text, const std::string& where);

// The rules that this program carries, by name: sha256.
[[nodiscard]] std::map<std::string, std::string> embedded_rules();

}  // namespace plumbline::verbs
