#include "registry/pgindex/libpq.hpp"

#include <dlfcn.h>

#include <string>

namespace plumbline::registry::pgindex {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& into, std::string& missing) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  if (into == nullptr && missing.empty()) missing = name;
  return into != nullptr;
}

struct Opened {
  Libpq functions;
  std::string problem;

  Opened() {
    // Never closed: connections of other threads may be in use until the process ends.
    void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      problem = "libpq.so.5 is not installed, which speaks with PostgreSQL";
      return;
    }
    std::string missing;
    Libpq& f = functions;
    bool all = find(library, "PQconnectStartParams", f.connect_start, missing);
    all = find(library, "PQconnectPoll", f.connect_poll, missing) && all;
    all = find(library, "PQstatus", f.status, missing) && all;
    all = find(library, "PQsocket", f.socket, missing) && all;
    all = find(library, "PQerrorMessage", f.error_message, missing) && all;
    all = find(library, "PQfinish", f.finish, missing) && all;
    all = find(library, "PQsetNoticeReceiver", f.set_notice_receiver, missing) && all;
    all = find(library, "PQsetnonblocking", f.set_nonblocking, missing) && all;
    all = find(library, "PQsendQueryParams", f.send_query, missing) && all;
    all = find(library, "PQsendQuery", f.send_simple_query, missing) && all;
    all = find(library, "PQflush", f.flush, missing) && all;
    all = find(library, "PQconsumeInput", f.consume_input, missing) && all;
    all = find(library, "PQisBusy", f.is_busy, missing) && all;
    all = find(library, "PQgetResult", f.get_result, missing) && all;
    all = find(library, "PQresultStatus", f.result_status, missing) && all;
    all = find(library, "PQresultErrorField", f.result_error_field, missing) && all;
    all = find(library, "PQresultErrorMessage", f.result_error_message, missing) && all;
    all = find(library, "PQntuples", f.tuples, missing) && all;
    all = find(library, "PQgetvalue", f.value, missing) && all;
    all = find(library, "PQgetlength", f.length, missing) && all;
    all = find(library, "PQgetisnull", f.is_null, missing) && all;
    all = find(library, "PQclear", f.clear, missing) && all;
    if (!all) problem = "libpq.so.5 has no " + missing;
  }
};

}  // namespace

core::Expected<const Libpq*> Libpq::open() {
  static const Opened kOpened;
  if (kOpened.problem.empty()) return &kOpened.functions;
  return core::fail(core::ErrorCode::missing_helper, kOpened.problem,
                    "install it (Debian and Ubuntu: libpq5, Fedora and RHEL: libpq, Alpine: libpq), or leave the index out");
}

}  // namespace plumbline::registry::pgindex
