// Which capture a path is, by the forms of readers/list.inc: asked by whoever opens paths (intake/).
#pragma once

#include <string>
#include <string_view>

#include "profiles/profile.hpp"

namespace plumbline::profiles {

inline constexpr std::string_view kRanks = "ranks";

// The form as the table calls it ("sqlite", "json-trace"), kRanks for a folder of captures; "" for what is none.
[[nodiscard]] std::string_view capture_form(const std::string& path, const Opener& open = {});
// The same of bytes that lie in no file, such as a member of an archive: of the first 64 MiB of them.
[[nodiscard]] std::string_view capture_form_of(std::string_view bytes);

}  // namespace plumbline::profiles
