#include "registry/s3/ini.hpp"

#include "core/text.hpp"

namespace plumbline::registry::s3 {

std::map<std::string, Section, std::less<>> read_ini(std::string_view text) {
  std::map<std::string, Section, std::less<>> sections;
  Section* section = nullptr;
  for (std::string_view line : core::split(text, '\n')) {
    const bool nested = line.starts_with(' ') || line.starts_with('\t');
    line = core::trim(line);
    if (line.empty() || line.front() == '#' || line.front() == ';' || nested) continue;
    if (line.front() == '[') {
      std::string_view name = core::trim(line.substr(1, line.find(']') - 1));
      if (name.starts_with("profile ")) name = core::trim(name.substr(8));
      section = &sections[std::string(name)];
      continue;
    }
    const auto equals = line.find('=');
    if (section == nullptr || equals == std::string_view::npos) continue;
    (*section)[core::to_lower(core::trim(line.substr(0, equals)))] = std::string(core::trim(line.substr(equals + 1)));
  }
  return sections;
}

}  // namespace plumbline::registry::s3
