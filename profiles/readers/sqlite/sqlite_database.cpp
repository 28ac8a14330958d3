#include "profiles/readers/sqlite/sqlite_database.hpp"

#include <sqlite3.h>

#include <utility>

#include "profiles/readers/open_file.hpp"
#include "profiles/readers/sqlite/descriptor_vfs.hpp"

namespace plumbline::profiles {

struct Database::State {
  std::optional<OpenFile> file;
  sqlite3* db = nullptr;
  bool log = false;
  std::string name;
  std::function<bool()> stop;
  ~State() {
    if (db == nullptr) return;
    sqlite3_progress_handler(db, 0, nullptr, nullptr);
    sqlite3_close_v2(db);
  }
};

namespace {

constexpr int kStepsBetweenQuestions = 20000;
constexpr int kLongestText = 16 << 20;

int ask(void* stop) { return (*static_cast<std::function<bool()>*>(stop))() ? 1 : 0; }

// What a stranger's file may not do. Each of these exists since SQLite 3.26 or is ignored by an older library.
void harden(sqlite3* db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kLongestText);
  sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON; PRAGMA mmap_size=0;", nullptr, nullptr, nullptr);
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// SQLite reads a file that was cut in its last page without a word, the rest as zeros. The header says how long it was
// (sqlite.org/fileformat2.html, 1.3: page size at 16, pages at 28, valid when the counters at 24 and 92 agree).
bool cut_short(const OpenFile& file) {
  const auto head = file.head(100);
  if (!head || head->size() != 100) return true;
  const std::string_view view(*head);
  if (big_endian(view.substr(24, 4)) != big_endian(view.substr(92, 4))) return false;
  const std::uint32_t written = big_endian(view.substr(16, 2));
  const std::uint64_t page = written == 1 ? 65536 : written;
  return file.size() < page * big_endian(view.substr(28, 4));
}

}  // namespace

Statement::~Statement() { sqlite3_finalize(statement_); }

std::optional<std::int64_t> Statement::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string_view Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string quoted_identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"') out += '"';
  }
  return out += '"';
}

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

const std::string& Database::name() const { return state_->name; }
bool Database::has_log() const { return state_->log; }
int Database::descriptor() const { return state_->file ? state_->file->get() : -1; }
std::uint64_t Database::file_size() const { return state_->file ? state_->file->size() : 0; }
bool Database::stop_asked() const { return state_->stop && state_->stop(); }
core::Error Database::stopped() const { return failure(SQLITE_INTERRUPT); }

core::Expected<Database> Database::open(const std::string& path, const Opener& opener, std::function<bool()> stop) {
  auto state = std::make_unique<State>();
  state->name = path;
  state->stop = std::move(stop);
  const OpenFile& file = state->file.emplace(path, opener);
  const int code = file.is_file() ? open_descriptor(file.get(), &state->db) : SQLITE_CANTOPEN;
  state->log = OpenFile(path + "-wal", opener).size() > 0 || OpenFile(path + "-journal", opener).size() > 0;
  Database database(std::move(state));
  if (code != SQLITE_OK) return core::fail(database.failure(code));
  if (cut_short(file)) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the capture is cut short: its SQLite header names more bytes than the file has",
                      "copy the file again, or export it again from the report", path);
  }
  harden(database.state_->db);
  if (database.state_->stop) sqlite3_progress_handler(database.state_->db, kStepsBetweenQuestions, ask, &database.state_->stop);
  return database;
}

core::Error Database::failure(int code) const {
  const std::string& where = state_->name;
  switch (code & 0xFF) {
    case SQLITE_INTERRUPT:
      return {core::ErrorCode::cancelled, "stopped while reading the capture", {}, where};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {core::ErrorCode::environment, "the capture cannot be opened for reading", {}, where};
    case SQLITE_IOERR:
      // A file cut short reads as an I/O error in the middle of a page.
      if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_READ) break;
      return {core::ErrorCode::environment, "the capture cannot be read: " + std::string(sqlite3_errstr(code)), {}, where};
    case SQLITE_NOMEM:
      return {core::ErrorCode::environment, "not enough memory to read the capture", {}, where};
    default:
      break;
  }
  return {core::ErrorCode::invalid_input,
          "the capture's SQLite database is damaged or not one that can be read: " + std::string(sqlite3_errstr(code)),
          "export it again from the report: nsys export -t sqlite --lazy=true -o x.sqlite x.nsys-rep", where};
}

core::Expected<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v2(state_->db, sql.c_str(), static_cast<int>(sql.size()) + 1, &raw, nullptr);
  Statement statement(raw);
  if (code != SQLITE_OK) return core::fail(failure(sqlite3_extended_errcode(state_->db)));
  return statement;
}

core::Expected<bool> Database::step(const Statement& statement) {
  const int code = sqlite3_step(statement.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return core::fail(failure(sqlite3_extended_errcode(state_->db)));
}

core::Expected<std::vector<std::string>> Database::texts(const Statement& statement, int column) {
  std::vector<std::string> list;
  for (;;) {
    const auto row = step(statement);
    if (!row) return core::fail(row.error());
    if (!*row) return list;
    list.emplace_back(statement.text(column));
  }
}

core::Expected<std::vector<std::string>> Database::tables() {
  auto statement = prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0");
  if (!statement) return core::fail(statement.error());
  return texts(*statement, 0);
}

core::Expected<std::vector<std::string>> Database::columns(std::string_view table) {
  auto statement = prepare("PRAGMA table_info(" + quoted_identifier(table) + ")");
  if (!statement) return core::fail(statement.error());
  return texts(*statement, 1);
}

core::Expected<bool> Database::has_key(std::string_view table, std::string_view column) {
  auto statement = prepare("PRAGMA table_info(" + quoted_identifier(table) + ")");
  if (!statement) return core::fail(statement.error());
  for (;;) {
    auto row = step(*statement);
    if (!row || !*row) return row;
    if (statement->text(1) == column && statement->integer(5) == 1) return true;
  }
}

}  // namespace plumbline::profiles
