#include "systems/exporter.hpp"

namespace plumbline::systems {

std::string as_file_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '-';
  }
  if (out.starts_with('.')) out.front() = '-';
  return out;
}

core::Error not_exportable(const Exporter& exporter, const ExportSource& source) {
  return {core::ErrorCode::shape_mismatch,
          "--as " + std::string(exporter.name) + " takes " + std::string(exporter.takes) + "; this is " +
              source.measurement->format.name,
          "`plumbline inspect PATH` shows how a file is read", source.path};
}

}  // namespace plumbline::systems
