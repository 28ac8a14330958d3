#include "configs/configs.hpp"

namespace plumbline::configs {

std::string_view embedded_file(std::string_view name);  // made by cmake/EmbedFiles.cmake

std::string_view embedded(std::string_view name) { return embedded_file(name); }

}  // namespace plumbline::configs
