#include "registry/cache/database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "registry/io.hpp"

namespace plumbline::registry::cache {
namespace {

constexpr int kVersion = 3;
constexpr int kWaitMilliseconds = 20;
constexpr std::size_t kChunk = 512;                // slugs
constexpr std::int64_t kChunksAtMost = 1'000'000;  // of a line; the chunk's key is line * this + number
constexpr std::uint64_t kFnvStart = 14695981039346656037ULL, kFnvPrime = 1099511628211ULL;

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS line(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, device INTEGER, inode INTEGER,"
    " mtime INTEGER, ctime INTEGER, links INTEGER, folders INTEGER, count INTEGER);"
    "CREATE TABLE IF NOT EXISTS chunk(id INTEGER PRIMARY KEY, slugs BLOB NOT NULL, digest INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS record(line INTEGER, slug TEXT, device INTEGER, inode INTEGER, mtime INTEGER, ctime INTEGER,"
    " size INTEGER, bytes BLOB NOT NULL, digest INTEGER NOT NULL, PRIMARY KEY(line, slug)) WITHOUT ROWID;";

// FNV-1a over the key and the bytes: against rot, not against people.
std::int64_t digest_of(std::int64_t key, std::string_view bytes) {
  std::uint64_t digest = kFnvStart ^ static_cast<std::uint64_t>(key);
  for (const char c : bytes) digest = (digest ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return static_cast<std::int64_t>(digest);
}

std::int64_t key_of(std::int64_t line, std::uint64_t number) { return line * kChunksAtMost + static_cast<std::int64_t>(number); }

// The user's cache folder and ours in it, 0700 as the base directory specification asks.
bool make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || path == "/" || path.empty()) return false;
  return make_folder(std::string(io::parent_of(path))) && (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

}  // namespace

class Database::Statement {
 public:
  Statement(Database& database, const char* sql) : database_(database) {
    good_ = database.handle_ != nullptr && database.note(::sqlite3_prepare_v2(database.handle_, sql, -1, &statement_, nullptr)) &&
            statement_ != nullptr;
  }
  ~Statement() { ::sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& integer(std::int64_t value) {
    if (good_) good_ = ::sqlite3_bind_int64(statement_, ++bound_, value) == SQLITE_OK;
    return *this;
  }
  Statement& integer(std::uint64_t value) { return integer(static_cast<std::int64_t>(value)); }
  Statement& text(const std::string& value) {
    if (good_)
      good_ = ::sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()), nullptr) == SQLITE_OK;
    return *this;
  }
  Statement& blob(const std::string& value) {
    if (good_)
      good_ = ::sqlite3_bind_blob(statement_, ++bound_, value.data(), static_cast<int>(value.size()), nullptr) == SQLITE_OK;
    return *this;
  }
  // For the next values.
  Statement& again() {
    if (statement_ != nullptr) ::sqlite3_reset(statement_);
    bound_ = 0;
    good_ = statement_ != nullptr;
    return *this;
  }
  // True when there is a row.
  bool row() { return good_ && step() == SQLITE_ROW; }
  bool done() { return good_ && step() == SQLITE_DONE; }
  [[nodiscard]] std::int64_t number(int column) { return ::sqlite3_column_int64(statement_, column); }
  [[nodiscard]] std::uint64_t count(int column) { return static_cast<std::uint64_t>(number(column)); }
  [[nodiscard]] std::string bytes(int column) {
    const auto* data = static_cast<const char*>(::sqlite3_column_blob(statement_, column));
    return data == nullptr ? std::string()
                           : std::string(data, static_cast<std::size_t>(::sqlite3_column_bytes(statement_, column)));
  }

 private:
  int step() {
    const int status = ::sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE) good_ = database_.note(status);
    return status;
  }
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  bool good_ = false;
};

// Undone unless committed.
class Database::Transaction {
 public:
  Transaction(Database& database, bool writing)
      : database_(database), open_(database.run(writing ? "BEGIN IMMEDIATE" : "BEGIN")) {}
  ~Transaction() {
    if (open_) (void)database_.run("ROLLBACK");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  [[nodiscard]] bool is_open() const { return open_; }
  void commit() {
    if (open_ && database_.run("COMMIT")) open_ = false;
  }

 private:
  Database& database_;
  bool open_;
};

struct Database::LineRow {
  std::int64_t id = 0;
  Stamp stamp;
  std::uint64_t folders = 0, count = 0;
  [[nodiscard]] std::uint64_t chunks() const { return (count + kChunk - 1) / kChunk; }
};

Database::Database(std::string file, sqlite3* handle) : file_(std::move(file)), handle_(handle) {}

Database::~Database() {
  record_select_.reset();
  ::sqlite3_close(handle_);
}

std::unique_ptr<Database> Database::open(const std::string& file, bool make) {
  struct stat info {};
  const bool there = ::lstat(file.c_str(), &info) == 0;
  if (there && !S_ISREG(info.st_mode)) return nullptr;
  if (!there && (!make || !make_folder(std::string(io::parent_of(file))))) return nullptr;
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (make ? SQLITE_OPEN_CREATE : 0);
  const int status = ::sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
  std::unique_ptr<Database> database(new Database(file, handle));
  if (status != SQLITE_OK || !database->prepare_file()) return nullptr;
  return database;
}

bool Database::prepare_file() {
  ::sqlite3_busy_timeout(handle_, kWaitMilliseconds);
  // Else each process that is the last to close it would wait for the disk. Whoever opens it next reads the journal once, so it
  // is kept short.
  ::sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (!run("PRAGMA synchronous=NORMAL") || !run("PRAGMA wal_autocheckpoint=200")) return false;
  const auto number = [this](const char* sql) -> std::optional<std::int64_t> {
    Statement statement(*this, sql);
    return statement.row() ? std::optional(statement.number(0)) : std::nullopt;
  };
  const auto version = number("PRAGMA user_version");
  if (version == kVersion) return true;
  if (version != 0 || number("SELECT count(*) FROM sqlite_master") != 0) return false;  // not ours
  return run("PRAGMA journal_mode=WAL") && run(kTables) && run("PRAGMA user_version=3");
}

bool Database::run(const char* sql) {
  return handle_ != nullptr && note(::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr));
}

bool Database::note(int status) {
  if (status == SQLITE_OK) return true;
  const int plain = status & 0xFF;
  if ((plain == SQLITE_CORRUPT || plain == SQLITE_NOTADB) && !file_.empty()) {
    drop(file_);
    file_.clear();  // once: the next process makes a new one
  }
  return false;
}

bool Database::drop(const std::string& file) {
  bool any = false;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) any = ::unlink((file + suffix).c_str()) == 0 || any;
  return any;
}

std::optional<Database::LineRow> Database::find(const std::string& line) {
  Statement select(*this, "SELECT id, device, inode, mtime, ctime, links, folders, count FROM line WHERE name = ?");
  if (!select.text(line).row()) return std::nullopt;
  LineRow row;
  row.id = select.number(0);
  row.stamp = {select.count(1), select.count(2), select.number(3), select.number(4), select.count(5)};
  row.folders = select.count(6);
  row.count = select.count(7);
  return row;
}

std::optional<SlugList> Database::chunk(std::int64_t line, std::uint64_t number) {
  Statement select(*this, "SELECT slugs, digest FROM chunk WHERE id = ?");
  if (!select.integer(key_of(line, number)).row()) return std::nullopt;
  std::string packed = select.bytes(0);
  if (digest_of(key_of(line, number), packed) != select.number(1)) return std::nullopt;
  SlugList slugs = SlugList::checked(std::move(packed));
  if (slugs.empty()) return std::nullopt;
  return slugs;
}

bool Database::put_chunk(std::int64_t line, std::uint64_t number, const std::string& packed) {
  const std::int64_t key = key_of(line, number);
  Statement insert(*this, "INSERT OR REPLACE INTO chunk(id, slugs, digest) VALUES(?, ?, ?)");
  return insert.integer(key).blob(packed).integer(digest_of(key, packed)).done();
}

std::optional<KnownLine> Database::read(const std::string& line, const Stamp& stamp, std::size_t at_least) {
  const Transaction reading(*this, false);
  const auto row = find(line);
  if (!row || row->stamp != stamp) return std::nullopt;
  KnownLine known{row->count, row->folders, {}};
  std::uint64_t from = row->chunks();
  std::vector<SlugList> parts;  // newest first
  for (std::size_t have = 0; from > 0 && have < at_least;) {
    auto part = chunk(row->id, --from);
    const std::uint64_t expected = std::min<std::uint64_t>(kChunk, row->count - from * kChunk);
    if (!part || part->size() != expected) return std::nullopt;
    have += part->size();
    parts.push_back(std::move(*part));
  }
  std::string packed;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) packed += part->packed();
  known.newest = SlugList::checked(std::move(packed));
  if (known.newest.empty() && row->count != 0 && at_least != 0) return std::nullopt;
  return known;
}

void Database::write(const std::string& line, const Stamp& stamp, std::uint64_t folders, const SlugList& all) {
  Transaction writing(*this, true);
  if (!writing.is_open()) return;
  if (const auto old = find(line)) {
    Statement remove(*this, "DELETE FROM chunk WHERE id >= ? AND id < ?");
    if (!remove.integer(key_of(old->id, 0)).integer(key_of(old->id + 1, 0)).done()) return;
  }
  Statement insert(*this,
                   "INSERT INTO line(name, device, inode, mtime, ctime, links, folders, count) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
                   " ON CONFLICT(name) DO UPDATE SET device = excluded.device, inode = excluded.inode, mtime = excluded.mtime,"
                   " ctime = excluded.ctime, links = excluded.links, folders = excluded.folders, count = excluded.count");
  insert.text(line).integer(stamp.device).integer(stamp.inode).integer(stamp.mtime_ns).integer(stamp.ctime_ns);
  if (!insert.integer(stamp.links).integer(folders).integer(std::uint64_t{all.size()}).done()) return;
  const auto row = find(line);
  if (!row) return;
  const std::string& packed = all.packed();
  constexpr std::size_t kBytes = kChunk * SlugList::kWidth;
  for (std::size_t at = 0; at < packed.size(); at += kBytes) {
    if (!put_chunk(row->id, at / kBytes, packed.substr(at, kBytes))) return;
  }
  writing.commit();
  (void)run("PRAGMA wal_checkpoint(TRUNCATE)");
}

void Database::append(const std::string& line, const Stamp& was, const Stamp& now, const SlugList& newer) {
  Transaction writing(*this, true);
  if (!writing.is_open()) return;
  const auto row = find(line);
  if (!row || row->stamp != was) return;
  // The last chunk has room, or a new one begins.
  std::uint64_t number = row->count / kChunk;
  std::string packed;
  if (row->count > 0) {
    const auto last = chunk(row->id, row->chunks() - 1);
    if (!last || newer.empty() || last->newest() >= newer[0]) return;
    if (row->count % kChunk != 0) packed = last->packed();
  }
  packed += newer.packed();
  constexpr std::size_t kBytes = kChunk * SlugList::kWidth;
  for (std::size_t at = 0; at < packed.size(); at += kBytes) {
    if (!put_chunk(row->id, number++, packed.substr(at, kBytes))) return;
  }
  Statement update(*this, "UPDATE line SET mtime = ?, ctime = ?, links = ?, count = ? WHERE id = ?");
  update.integer(now.mtime_ns).integer(now.ctime_ns).integer(now.links).integer(row->count + newer.size()).integer(row->id);
  if (update.done()) writing.commit();
}

std::optional<std::string> Database::record(const std::string& line, const std::string& slug, const Stamp& stamp) {
  if (last_line_.first != line) {
    const auto row = find(line);
    last_line_ = {line, row ? row->id : 0};
  }
  if (last_line_.second == 0) return std::nullopt;
  if (!record_select_) {
    record_select_ = std::make_unique<Statement>(
        *this, "SELECT device, inode, mtime, ctime, size, bytes, digest FROM record WHERE line = ? AND slug = ?");
  }
  Statement& select = record_select_->again();
  if (!select.integer(last_line_.second).text(slug).row()) return std::nullopt;
  const Stamp kept{select.count(0), select.count(1), select.number(2), select.number(3), select.count(4)};
  std::string bytes = select.bytes(5);
  if (kept != stamp || digest_of(last_line_.second, bytes) != select.number(6)) return std::nullopt;
  return bytes;
}

void Database::keep_records(const std::string& line, const std::vector<KeptRecord>& records) {
  record_select_.reset();  // it would read on while we write
  Transaction writing(*this, true);
  if (!writing.is_open()) return;
  const auto row = find(line);
  if (!row) return;
  Statement insert(*this,
                   "INSERT OR REPLACE INTO record(line, slug, device, inode, mtime, ctime, size, bytes, digest)"
                   " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const KeptRecord& one : records) {
    Statement& each = insert.again();
    each.integer(row->id).text(one.slug).integer(one.stamp.device).integer(one.stamp.inode).integer(one.stamp.mtime_ns);
    each.integer(one.stamp.ctime_ns).integer(one.stamp.links).blob(one.bytes).integer(digest_of(row->id, one.bytes));
    if (!each.done()) return;
  }
  writing.commit();
  (void)run("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace plumbline::registry::cache
