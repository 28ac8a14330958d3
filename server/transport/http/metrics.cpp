#include "server/transport/http/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace plumbline::server::transport::http {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"};

void describe(std::string& page, std::string_view name, std::string_view type, std::string_view help) {
  page += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void single(std::string& page, std::string_view name, std::string_view type, std::string_view help, std::string_view value) {
  describe(page, name, type, help);
  page += fmt::format("{} {}\n", name, value);
}

}  // namespace

void Metrics::answered(std::string_view method, int status) {
  const auto* known = std::find(kMethods.begin(), kMethods.end(), method);
  const std::lock_guard lock(mutex_);
  ++answers_[{known == kMethods.end() ? "other" : *known, status}];
}

std::string Metrics::text(std::string_view version, std::chrono::steady_clock::time_point now, std::size_t sessions,
                          const mcp::Counters* calls, const std::vector<Reading>& readings) const {
  std::string page;
  describe(page, "plumbline_build_info", "gauge", "The version that runs.");
  page += fmt::format("plumbline_build_info{{version={}}} 1\n", core::quoted(version));
  const double uptime = std::chrono::duration<double>(now - started_).count();
  single(page, "plumbline_uptime_seconds", "gauge", "Seconds since the start.", core::number_text(uptime));
  describe(page, "plumbline_http_requests_total", "counter", "Requests by method and status of the answer.");
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, count] : answers_) {
      page += fmt::format("plumbline_http_requests_total{{method=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
    }
  }
  single(page, "plumbline_sessions", "gauge", "Legacy sessions that are open.", std::to_string(sessions));
  single(page, "plumbline_sessions_opened_total", "counter", "Legacy sessions ever opened.", std::to_string(sessions_opened));
  single(page, "plumbline_sessions_expired_total", "counter", "Legacy sessions closed because nobody used them.",
         std::to_string(sessions_expired));
  single(page, "plumbline_event_streams", "gauge", "Event streams that are open.", std::to_string(streams));
  single(page, "plumbline_messages_dropped_total", "counter", "Messages that no event stream could take.",
         std::to_string(dropped));
  if (calls != nullptr) {
    describe(page, "plumbline_tool_calls_total", "counter", "Tool calls by tool and outcome.");
    for (const auto& [key, count] : calls->calls()) {
      page += fmt::format("plumbline_tool_calls_total{{tool={},outcome={}}} {}\n", core::quoted(key.first),
                          core::quoted(key.second), count);
    }
  }
  for (const Reading& reading : readings) single(page, reading.name, reading.type, reading.help, std::to_string(reading.value));
  return page;
}

}  // namespace plumbline::server::transport::http
