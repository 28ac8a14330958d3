// The pages of table.cpp, each in the file of its name.
#pragma once

#include "server/site/page.hpp"

namespace plumbline::server::site {

[[nodiscard]] Answer families_page(const Visit& visit);
[[nodiscard]] Answer family_page(const Visit& visit);
[[nodiscard]] Answer measurement_page(const Visit& visit);
[[nodiscard]] Answer entry_page(const Visit& visit);
[[nodiscard]] Answer entry_file_page(const Visit& visit);
[[nodiscard]] Answer diffs_page(const Visit& visit);
[[nodiscard]] Answer diff_page(const Visit& visit);
[[nodiscard]] Answer diff_file_page(const Visit& visit);
[[nodiscard]] Answer compare_page(const Visit& visit);
[[nodiscard]] Answer compare_report(const Visit& visit);
[[nodiscard]] Answer search_page(const Visit& visit);
[[nodiscard]] Answer verify_entry_page(const Visit& visit);
[[nodiscard]] Answer verify_diff_page(const Visit& visit);

}  // namespace plumbline::server::site
