#include "registry/pgindex/connection.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/pgindex/address.hpp"

namespace plumbline::registry::pgindex {

using core::ErrorCode;
using core::fail;
using std::chrono::steady_clock;

namespace {

// How long a request to stop may go unheard.
constexpr std::chrono::milliseconds kPiece{100};

void ignore_notice(void* /*unused*/, const PgResult* /*unused*/) {}

std::string first_line(std::string_view text, std::string_view address) {
  text = core::trim(text);
  return core::one_line(without_password(std::string(text.substr(0, text.find('\n'))), address), 300);
}

}  // namespace

std::int64_t Rows::integer(int row, int column) const { return core::parse_int(text(row, column)).value_or(0); }
double Rows::number(int row, int column) const { return core::parse_double(text(row, column)).value_or(0); }
std::string Rows::bytes(int row, int column) const { return bytes_of(text(row, column)).value_or(std::string()); }

core::Expected<std::unique_ptr<Connection>> Connection::open(const std::string& address, std::chrono::milliseconds wait,
                                                             const Stop& stop) {
  const auto pq = Libpq::open();
  if (!pq) return fail(pq.error());
  // What stands behind `dbname` is stronger than what the address says, what stands before it weaker.
  const std::array<const char*, 5> keywords = {"fallback_application_name", "dbname", "client_encoding", nullptr, nullptr};
  const std::array<const char*, 5> values = {"plumbline", address.c_str(), "UTF8", nullptr, nullptr};
  PgConnection* const handle = (*pq)->connect_start(keywords.data(), values.data(), 1);
  if (handle == nullptr) return fail(ErrorCode::limit_exceeded, "not enough memory for a connection");
  std::unique_ptr<Connection> connection(new Connection(**pq, handle, address));
  if (auto ok = connection->connect(steady_clock::now() + wait, stop); !ok) return fail(ok.error());
  return connection;
}

Connection::~Connection() { pq_.finish(handle_); }

tl::unexpected<core::Error> Connection::lost() {
  broken_ = true;
  const std::string said = first_line(pq_.error_message(handle_), address_);
  return fail(ErrorCode::environment, said.empty() ? "the connection was lost" : said);
}

tl::unexpected<core::Error> Connection::refused(const PgResult* result) {
  const char* const state = pq_.result_error_field(result, Libpq::kFieldSqlState);
  sql_state_ = state != nullptr ? state : "";
  const char* const message = pq_.result_error_field(result, Libpq::kFieldMessage);
  std::string said = first_line(message != nullptr ? message : pq_.result_error_message(result), address_);
  if (pq_.status(handle_) == Libpq::kConnectionBad) broken_ = true;
  // Of class 22 and 54 is what one row says, or how large it is: no other row is concerned.
  const bool of_a_row = sql_state_.starts_with("22") || sql_state_.starts_with("54");
  return fail(of_a_row ? ErrorCode::invalid_input : ErrorCode::environment,
              said.empty() ? "the server refused without a word" : said);
}

core::Status Connection::wait_for(bool writing, Deadline deadline, const Stop& stop) {
  for (;;) {
    if (stop && stop()) {
      broken_ = true;
      return fail(ErrorCode::cancelled, "cancelled");
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) {
      broken_ = true;
      return fail(ErrorCode::environment, "no answer in time");
    }
    const int events = POLLIN | (writing ? POLLOUT : 0);
    pollfd waiting{pq_.socket(handle_), static_cast<short>(events), 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(left, kPiece).count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return lost();
  }
}

core::Status Connection::connect(Deadline deadline, const Stop& stop) {
  if (pq_.status(handle_) == Libpq::kConnectionBad) return lost();
  pq_.set_notice_receiver(handle_, ignore_notice, nullptr);
  // Asked for writing first, as its manual says.
  for (int state = Libpq::kPollingWriting; state != Libpq::kPollingOk; state = pq_.connect_poll(handle_)) {
    if (state == Libpq::kPollingFailed) return lost();
    const bool writing = state == Libpq::kPollingWriting;
    if (auto ok = wait_for(writing, deadline, stop); !ok) return ok;
  }
  if (pq_.set_nonblocking(handle_, 1) != 0) return lost();
  return {};
}

core::Expected<Rows> Connection::results(Deadline deadline, const Stop& stop) {
  for (int left = pq_.flush(handle_); left != 0; left = pq_.flush(handle_)) {
    if (left < 0) return lost();
    if (auto ok = wait_for(true, deadline, stop); !ok) return fail(ok.error());
    if (pq_.consume_input(handle_) != 1) return lost();
  }
  std::optional<Rows> last;
  std::optional<core::Error> error;
  for (;;) {
    while (pq_.is_busy(handle_) != 0) {
      if (auto ok = wait_for(false, deadline, stop); !ok) return fail(ok.error());
      if (pq_.consume_input(handle_) != 1) return lost();
    }
    PgResult* const result = pq_.get_result(handle_);
    if (result == nullptr) break;
    Rows rows(pq_, result);
    const int status = pq_.result_status(result);
    if (status != Libpq::kCommandOk && status != Libpq::kTuplesOk && !error) error = refused(result).value();
    last.emplace(std::move(rows));
  }
  if (error) return fail(std::move(*error));
  if (!last) return lost();
  return std::move(*last);
}

core::Expected<Rows> Connection::run(const char* sql, const Parameters& parameters, std::chrono::milliseconds wait,
                                     const Stop& stop) {
  sql_state_.clear();
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto& parameter : parameters) values.push_back(parameter ? parameter->c_str() : nullptr);
  const int count = static_cast<int>(values.size());
  if (pq_.send_query(handle_, sql, count, nullptr, values.data(), nullptr, nullptr, 0) != 1) return lost();
  return results(steady_clock::now() + wait, stop);
}

core::Status Connection::run_script(std::string_view sql, std::chrono::milliseconds wait, const Stop& stop) {
  sql_state_.clear();
  if (pq_.send_simple_query(handle_, std::string(sql).c_str()) != 1) return lost();
  auto done = results(steady_clock::now() + wait, stop);
  return done ? core::Status() : fail(done.error());
}

}  // namespace plumbline::registry::pgindex
