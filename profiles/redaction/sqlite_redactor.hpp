// A capture in SQLite -> a new database without what must not come out. The new one is made from nothing but our own CREATE TABLE
// texts and the values that the rules let pass (sqlite_rules.hpp): no page, index, view, trigger, comment or default of the
// original is in it, nor what it once deleted. It is held in memory, so it is bounded.
#pragma once

#include "core/error.hpp"
#include "profiles/readers/sqlite/sqlite_database.hpp"
#include "profiles/redaction/redaction.hpp"

namespace plumbline::profiles {

// Errors: invalid_input for a database that is neither an export of Nsight Systems nor rocpd, or that is damaged.
[[nodiscard]] core::Expected<Redaction> redacted_sqlite(Database& database);

}  // namespace plumbline::profiles
