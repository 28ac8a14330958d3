// A SQLite file that somebody else wrote, opened so that nothing in it can do harm and nothing is written beside it:
// read-only and immutable, defensive, no trusted schema, no views, no triggers, cells checked. Every error becomes a
// core::Error; a damaged file is invalid_input and a stop asked for is cancelled. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace plumbline::profiles {

class Statement {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  Statement(Statement&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;
  ~Statement();
  [[nodiscard]] sqlite3_stmt* get() const { return statement_; }
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;  // nullopt for anything that is not an integer
  [[nodiscard]] std::string_view text(int column) const;                // "" for NULL; valid until the next step

 private:
  sqlite3_stmt* statement_;
};

class Database {
 public:
  // `stop` is asked now and then by every step.
  [[nodiscard]] static core::Expected<Database> open(const std::string& path, const Opener& opener, std::function<bool()> stop);
  Database(Database&&) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database& operator=(Database&&) = delete;
  ~Database();

  // Ordinary tables only (no views, no virtual tables), by exact name.
  [[nodiscard]] core::Expected<std::vector<std::string>> tables();
  [[nodiscard]] core::Expected<std::vector<std::string>> columns(std::string_view table);
  // Whether rows can be found by `column` without reading them all: it is the table's primary key.
  [[nodiscard]] core::Expected<bool> has_key(std::string_view table, std::string_view column);
  [[nodiscard]] core::Expected<Statement> prepare(const std::string& sql);
  // The next row: true, the end: false.
  [[nodiscard]] core::Expected<bool> step(const Statement& statement);
  [[nodiscard]] const std::string& name() const;
  // A write-ahead log or a rollback journal lies beside the file; neither is ever read.
  [[nodiscard]] bool has_log() const;
  // The file itself, open for reading as long as this is.
  [[nodiscard]] int descriptor() const;
  [[nodiscard]] std::uint64_t file_size() const;
  [[nodiscard]] bool stop_asked() const;
  // The error that a step ends in when a stop was asked for.
  [[nodiscard]] core::Error stopped() const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  [[nodiscard]] core::Error failure(int code) const;
  core::Expected<std::vector<std::string>> texts(const Statement& statement, int column);  // of every row
  std::unique_ptr<State> state_;
};

// An SQL identifier in double quotes.
[[nodiscard]] std::string quoted_identifier(std::string_view name);

}  // namespace plumbline::profiles
