#include "registry/pgindex/migrations.hpp"

#include <array>

namespace plumbline::migrations {
std::string_view embedded_file(std::string_view name);  // built in from registry/pgindex/migrations/
}

namespace plumbline::registry::pgindex {

std::string_view migration(int version) {
  static constexpr std::array<std::string_view, 8> kFiles = {
      "0001_tables.sql", "0002_search.sql",      "0003_views.sql",        "0004_extension_home.sql",
      "0005_months.sql", "0006_add_entries.sql", "0007_records_anew.sql", "0008_followed.sql"};
  if (version < 1 || static_cast<std::size_t>(version) > kFiles.size()) return {};
  return migrations::embedded_file(kFiles[static_cast<std::size_t>(version) - 1]);
}

}  // namespace plumbline::registry::pgindex
