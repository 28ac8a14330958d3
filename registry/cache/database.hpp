// The index of one registry: which publications each large line holds, in SQLite, in the user's cache folder.
//
// It is a cache: it may be deleted at any time, and nothing rests on it. A line is kept with the stamp of its folder
// (stamp.hpp), and what is kept is given only to whoever sees that very stamp. Slugs are kept in packed chunks, each with a
// digest, so that a file that rotted is noticed; such a file is thrown away. Whatever SQLite reports (locked, full, read-only,
// damaged, of another version) means that nothing is known, never an error. It waits 20 ms for another process at most.
// One call's object; not shared by threads. Many processes may have it open: the journal is a WAL, not synced at every write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registry/cache/slug_list.hpp"
#include "registry/cache/stamp.hpp"

struct sqlite3;

namespace plumbline::registry::cache {

// A folder with fewer names is listed faster than any index is opened.
inline constexpr std::uint64_t kWorthKeeping = 1000;

struct KnownLine {
  std::uint64_t count = 0;    // of publications
  std::uint64_t folders = 0;  // other subfolders
  SlugList newest;            // as many as were asked for, or a few more
};

// Of one entry, as record_text.hpp packs it.
struct KeptRecord {
  std::string slug;
  Stamp stamp;  // of its baseline.json
  std::string bytes;
};

class Database {
 public:
  // Null where there is none and `make` does not ask for one, or where it cannot be used.
  [[nodiscard]] static std::unique_ptr<Database> open(const std::string& file, bool make);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // `line` is the path of its folder below the root. nullopt unless it is known as of `stamp`.
  [[nodiscard]] std::optional<KnownLine> read(const std::string& line, const Stamp& stamp, std::size_t at_least);
  void write(const std::string& line, const Stamp& stamp, std::uint64_t folders, const SlugList& all);
  // What was published since: newer slugs than all that are known as of `was`. Else nothing is done.
  void append(const std::string& line, const Stamp& was, const Stamp& now, const SlugList& newer);
  // Of entries of a line that is known, as of any stamp.
  [[nodiscard]] std::optional<std::string> record(const std::string& line, const std::string& slug, const Stamp& stamp);
  void keep_records(const std::string& line, const std::vector<KeptRecord>& records);
  // Removes the files of an index; true when there were any.
  static bool drop(const std::string& file);

 private:
  class Statement;
  class Transaction;
  struct LineRow;
  Database(std::string file, sqlite3* handle);
  [[nodiscard]] bool prepare_file();
  [[nodiscard]] std::optional<LineRow> find(const std::string& line);
  [[nodiscard]] std::optional<SlugList> chunk(std::int64_t line, std::uint64_t number);
  [[nodiscard]] bool put_chunk(std::int64_t line, std::uint64_t number, const std::string& packed);
  [[nodiscard]] bool run(const char* sql);
  // Notes what SQLite said; a damaged file is removed.
  bool note(int status);

  std::string file_;
  sqlite3* handle_;
  std::unique_ptr<Statement> record_select_;  // asked thousands of times
  std::pair<std::string, std::int64_t> last_line_;
};

}  // namespace plumbline::registry::cache
