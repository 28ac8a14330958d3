// What `formats` says of a project's own formats: their statements, told as those of ours are.
#pragma once

#include <string>
#include <vector>

#include "core/results/formats.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct OwnFormatsKnown {
  std::vector<core::KnownFormat> formats;  // of one name the first holds
  std::vector<std::string> files;          // that state any
};
// Those of plumbline.yaml at the root ("": there is none), and of one in the current folder.
[[nodiscard]] Expected<OwnFormatsKnown> own_formats_known(const std::string& root, const Context& context);

inline constexpr std::string_view kOwnGroup = "project";

}  // namespace plumbline::verbs
