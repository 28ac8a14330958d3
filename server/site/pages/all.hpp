// The pages of table.cpp, each in the file of its name.
#pragma once

#include "server/site/page.hpp"

namespace plumbline::server::site {

[[nodiscard]] Answer families_page(const Visit& visit);

}  // namespace plumbline::server::site
