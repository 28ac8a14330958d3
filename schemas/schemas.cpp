#include "schemas/schemas.hpp"

#include <string>

namespace plumbline::schemas {

// Defined by the file that cmake/EmbedFiles.cmake makes.
std::string_view embedded_file(std::string_view name);
std::string_view embedded_name(unsigned index);

std::string_view text(std::string_view name) { return embedded_file(std::string(name) + ".json"); }

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (unsigned i = 0; !embedded_name(i).empty(); ++i) {
    std::string_view name = embedded_name(i);
    name.remove_suffix(5);
    all.push_back(name);
  }
  return all;
}

}  // namespace plumbline::schemas
