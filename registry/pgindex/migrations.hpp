// The tables of the index, as numbered steps (migrations/*.sql, built in). A step that was released is never changed.
#pragma once

#include <string_view>

namespace plumbline::registry::pgindex {

// SQL of step 1, 2 …; "" past the last.
[[nodiscard]] std::string_view migration(int version);

}  // namespace plumbline::registry::pgindex
