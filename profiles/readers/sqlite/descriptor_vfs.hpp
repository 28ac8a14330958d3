// SQLite over an open descriptor. SQLite opens by name and looks for a journal and a log beside it; this way of opening
// (a VFS, sqlite.org/vfs.html) reads the one file that is open already, says that it never changes, and so touches nothing
// beside it. Temporary files of large sorts are the default VFS's.
#pragma once

struct sqlite3;

namespace plumbline::profiles {

// As sqlite3_open_v2, read-only; the descriptor stays the caller's and may be closed afterwards.
[[nodiscard]] int open_descriptor(int fd, sqlite3** database);

}  // namespace plumbline::profiles
