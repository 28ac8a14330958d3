// What readers of host profiles in JSON share: how a file is told by its top level, how it is read through one or two passes, and
// what a function is called that is known by its name and its file.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "profiles/profile.hpp"
#include "profiles/readers/bytes/json_stream.hpp"
#include "profiles/readers/open_file.hpp"

namespace plumbline::profiles {

// Reads the first MiB of the file's text, inflated where it is gzip; what it says is the reader's. Not JSON: nothing is read.
void look_at_json(const OpenFile& file, JsonReader& reader);

// "forward (model.py)": functions of scripts have short names, which many files use. Of a path the last part, so that a program
// that lies elsewhere is the same; of a URL without what is asked of it. Without a file the name alone.
[[nodiscard]] std::string function_in_file(std::string_view function, std::string_view file);

using OpenBytes = std::function<std::unique_ptr<ByteSource>()>;  // a text from its beginning, each time it is called

// One pass. Errors name `name`; a text that ends too early is one: half a profile is a profile of something else.
[[nodiscard]] core::Status pass_over_profile(const OpenBytes& open, JsonReader& reader, const std::string& name,
                                             const ReadOptions& options);

}  // namespace plumbline::profiles
