#include "formats/examples.hpp"

namespace plumbline::formats {

// Made by cmake/EmbedFiles.cmake.
std::string_view embedded_file(std::string_view name);
std::string_view embedded_name(unsigned index);

Example example(std::string_view format) {
  for (unsigned i = 0;; ++i) {
    const std::string_view name = embedded_name(i);
    if (name.empty()) return {};
    if (name.substr(0, name.find('.')) == format) return {name, embedded_file(name)};
  }
}

}  // namespace plumbline::formats
