// One connection to PostgreSQL. Nothing here waits longer than it is told to, whatever the server does: a server that accepts and
// then says nothing is as good as none. Errors are `environment`, or `invalid_input` where a value is what
// the server does not take; what the server's own code of an error was stands beside it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "registry/pgindex/libpq.hpp"
#include "registry/pgindex/parameters.hpp"

namespace plumbline::registry::pgindex {

using Stop = std::function<bool()>;

// What a statement gave, row by row.
class Rows {
 public:
  Rows(const Libpq& pq, PgResult* result) : pq_(&pq), result_(result, pq.clear) {}
  [[nodiscard]] int size() const { return pq_->tuples(result_.get()); }
  [[nodiscard]] bool is_null(int row, int column) const { return pq_->is_null(result_.get(), row, column) != 0; }
  [[nodiscard]] std::string_view text(int row, int column) const {
    return {pq_->value(result_.get(), row, column), static_cast<std::size_t>(pq_->length(result_.get(), row, column))};
  }
  [[nodiscard]] std::int64_t integer(int row, int column) const;  // 0 for what is none
  [[nodiscard]] double number(int row, int column) const;
  [[nodiscard]] std::string bytes(int row, int column) const;

 private:
  const Libpq* pq_;
  std::unique_ptr<PgResult, void (*)(PgResult*)> result_;
};

class Connection {
 public:
  [[nodiscard]] static core::Expected<std::unique_ptr<Connection>> open(const std::string& address,
                                                                        std::chrono::milliseconds wait, const Stop& stop);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One statement with its parameters, or several without any.
  [[nodiscard]] core::Expected<Rows> run(const char* sql, const Parameters& parameters, std::chrono::milliseconds wait,
                                         const Stop& stop);
  [[nodiscard]] core::Status run_script(std::string_view sql, std::chrono::milliseconds wait, const Stop& stop);
  // Of the last error of run(): "23505"; "" where the server said none.
  [[nodiscard]] const std::string& sql_state() const { return sql_state_; }
  // Nothing more can be asked of it: the server went away, or was given up waiting for.
  [[nodiscard]] bool is_broken() const { return broken_; }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  Connection(const Libpq& pq, PgConnection* handle, std::string address)
      : pq_(pq), handle_(handle), address_(std::move(address)) {}
  [[nodiscard]] core::Status connect(Deadline deadline, const Stop& stop);
  [[nodiscard]] core::Status wait_for(bool writing, Deadline deadline, const Stop& stop);
  [[nodiscard]] core::Expected<Rows> results(Deadline deadline, const Stop& stop);
  [[nodiscard]] tl::unexpected<core::Error> lost();
  [[nodiscard]] tl::unexpected<core::Error> refused(const PgResult* result);

  const Libpq& pq_;
  PgConnection* handle_;
  std::string address_;
  std::string sql_state_;
  bool broken_ = false;
};

}  // namespace plumbline::registry::pgindex
