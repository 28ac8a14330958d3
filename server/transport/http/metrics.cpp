#include "server/transport/http/metrics.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace plumbline::server::transport::http {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"};

void write_calls(MetricsPage& page, const mcp::Counters& calls) {
  page.counter("plumbline_tool_calls_total", "Tool calls by tool and outcome.");
  for (const auto& [key, count] : calls.calls()) {
    page.sample(std::to_string(count), {{"tool", key.first}, {"outcome", key.second}});
  }
  page.histogram("plumbline_tool_call_duration_seconds", "Time from a call's coming to its end, waiting for a thread included.",
                 "seconds");
  const std::vector<double> bounds(mcp::Counters::kBounds.begin(), mcp::Counters::kBounds.end());
  for (const auto& [tool, durations] : calls.durations()) {
    page.buckets(bounds, {durations.counts.begin(), durations.counts.end()}, durations.sum, {{"tool", tool}});
  }
}

}  // namespace

void Metrics::answered(std::string_view method, int status) {
  const auto* known = std::find(kMethods.begin(), kMethods.end(), method);
  const std::lock_guard lock(mutex_);
  ++answers_[{known == kMethods.end() ? "other" : *known, status}];
}

void Metrics::upload_ended(std::string_view outcome, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  ++uploads_[std::string(outcome)];
  uploaded_ += bytes;
}

std::string Metrics::text(Exposition form, std::string_view version, std::chrono::steady_clock::time_point now,
                          std::size_t sessions, const mcp::Counters* calls, const std::vector<Reading>& readings) const {
  MetricsPage page(form);
  page.info("plumbline_build_info", "The version that runs.");
  page.sample("1", {{"version", version}});
  page.gauge("plumbline_uptime_seconds", "Seconds since the start.", "seconds");
  page.sample(core::number_text(std::chrono::duration<double>(now - started_).count()));
  page.counter("plumbline_http_requests_total", "Requests by method and status of the answer.");
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, count] : answers_) {
      const std::string status = std::to_string(key.second);
      page.sample(std::to_string(count), {{"method", key.first}, {"status", status}});
    }
  }
  {
    const std::lock_guard lock(mutex_);
    page.counter("plumbline_uploads_total", "Uploads by outcome.");
    for (const auto& [outcome, count] : uploads_) page.sample(std::to_string(count), {{"outcome", outcome}});
    page.counter("plumbline_uploaded_bytes_total", "Bytes of uploads received.", "bytes");
    page.sample(std::to_string(uploaded_));
  }
  page.gauge("plumbline_sessions", "Legacy sessions that are open.");
  page.sample(std::to_string(sessions));
  page.counter("plumbline_sessions_opened_total", "Legacy sessions ever opened.");
  page.sample(std::to_string(sessions_opened));
  page.counter("plumbline_sessions_expired_total", "Legacy sessions closed because nobody used them.");
  page.sample(std::to_string(sessions_expired));
  page.gauge("plumbline_event_streams", "Event streams that are open.");
  page.sample(std::to_string(streams));
  page.counter("plumbline_messages_dropped_total", "Messages that no event stream could take.");
  page.sample(std::to_string(dropped));
  if (calls != nullptr) write_calls(page, *calls);
  for (const Reading& reading : readings) {
    if (reading.name.ends_with("_total")) {
      page.counter(reading.name, reading.help, reading.unit);
    } else {
      page.gauge(reading.name, reading.help, reading.unit);
    }
    page.sample(std::to_string(reading.value));
  }
  return std::move(page).finished();
}

}  // namespace plumbline::server::transport::http
