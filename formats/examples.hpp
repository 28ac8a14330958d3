// A short file of each format, embedded from formats/examples/<group>/<format>.<extension>: what `plumbline formats NAME` shows.
// A test reads every one and finds it to be of the format that it is called after.
#pragma once

#include <string_view>

namespace plumbline::formats {

struct Example {
  std::string_view file_name;  // "vllm-serve.json"; "" where a format has none: it is a folder
  std::string_view text;
};
[[nodiscard]] Example example(std::string_view format);

}  // namespace plumbline::formats
