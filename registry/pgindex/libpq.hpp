// PostgreSQL's client library, opened when an index is first asked and never before: most calls need none, and the program must
// start, and run, where it is not installed. What is used of it is declared here, as its interface of twenty years has it.
#pragma once

#include "core/error.hpp"

namespace plumbline::registry::pgindex {

struct PgConnection;  // PGconn
struct PgResult;      // PGresult

struct Libpq {
  // Values of its enumerations that are looked at.
  static constexpr int kConnectionOk = 0, kConnectionBad = 1;
  static constexpr int kPollingFailed = 0, kPollingReading = 1, kPollingWriting = 2, kPollingOk = 3;
  static constexpr int kCommandOk = 1, kTuplesOk = 2;
  static constexpr int kFieldSqlState = 'C', kFieldMessage = 'M', kFieldDetail = 'D';

  PgConnection* (*connect_start)(const char* const* keywords, const char* const* values, int expand_dbname) = nullptr;
  int (*connect_poll)(PgConnection*) = nullptr;
  int (*status)(const PgConnection*) = nullptr;
  int (*socket)(const PgConnection*) = nullptr;
  char* (*error_message)(const PgConnection*) = nullptr;
  void (*finish)(PgConnection*) = nullptr;
  void* (*set_notice_receiver)(PgConnection*, void (*)(void*, const PgResult*), void*) = nullptr;
  int (*set_nonblocking)(PgConnection*, int) = nullptr;
  int (*send_query)(PgConnection*, const char*, int, const unsigned*, const char* const*, const int*, const int*, int) = nullptr;
  int (*send_simple_query)(PgConnection*, const char*) = nullptr;
  int (*flush)(PgConnection*) = nullptr;
  int (*consume_input)(PgConnection*) = nullptr;
  int (*is_busy)(PgConnection*) = nullptr;
  PgResult* (*get_result)(PgConnection*) = nullptr;
  int (*result_status)(const PgResult*) = nullptr;
  char* (*result_error_field)(const PgResult*, int) = nullptr;
  char* (*result_error_message)(const PgResult*) = nullptr;
  int (*tuples)(const PgResult*) = nullptr;
  char* (*value)(const PgResult*, int, int) = nullptr;
  int (*length)(const PgResult*, int, int) = nullptr;
  int (*is_null)(const PgResult*, int, int) = nullptr;
  void (*clear)(PgResult*) = nullptr;

  // Opened once in a process. missing_helper, with the package's name, where it is not installed.
  [[nodiscard]] static core::Expected<const Libpq*> open();
};

}  // namespace plumbline::registry::pgindex
