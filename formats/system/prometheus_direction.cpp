// Which way a counter's rate is better. Names of counters say what is counted ("requests", "tokens"), labels how it ended
// (code="500", result="error"). Where either speaks of time, size or waiting, a higher rate may be load as well as harm: unknown.
#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.hpp"
#include "formats/system/prometheus.hpp"

namespace plumbline::formats::prometheus {
namespace {

constexpr std::string_view kBad[] = {"error",    "errors",    "failed",   "failure",   "failures",  "aborted",
                                     "aborts",   "retried",   "retries",  "retry",     "evicted",   "dropped",
                                     "rejected", "cancelled", "killed",   "canceled",  "discarded", "throttled",
                                     "timeout",  "lost",      "timeouts", "preempted", "expired",   "shed"};
// Sums of time and size, what waits, and what was proposed or spared rather than done.
constexpr std::string_view kNoWork[] = {
    "duration", "time",   "seconds",    "milliseconds", "microseconds", "nanoseconds", "ms",      "us",      "ns",     "latency",
    "bytes",    "wait",   "waiting",    "waited",       "queue",        "queued",      "pending", "size",    "length", "draft",
    "drafted",  "cached", "recomputed", "cost",         "energy",       "padding",     "padded",  "skipped", "blocked"};
constexpr std::string_view kWork[] = {"request",   "requests", "token",   "tokens",     "transaction", "transactions",
                                      "query",     "queries",  "message", "messages",   "sample",      "samples",
                                      "image",     "images",   "record",  "records",    "operation",   "operations",
                                      "iteration", "success",  "job",     "iterations", "jobs"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// "500", "5xx", "404"
bool is_failure_code(std::string_view value) {
  return value.size() == 3 && (value[0] == '4' || value[0] == '5') &&
         std::all_of(value.begin() + 1, value.end(), [](char c) { return (c >= '0' && c <= '9') || c == 'x' || c == 'X'; });
}

bool says_failure(std::string_view label, std::string_view value) {
  const std::string name = core::to_lower(label), text = core::to_lower(value);
  const bool of_code = name == "code" || name == "status" || name == "status_code" || name == "http_status" ||
                       name == "response_code" || name == "http_status_code" || name == "http_response_status_code";
  if (of_code && is_failure_code(text)) return true;
  if (name == "grpc_code" || name == "grpc_status") return text != "ok" && text != "0";
  if (!of_code && name != "result" && name != "outcome" && name != "state" && name != "finished_reason" &&
      name != "finish_reason") {
    return false;
  }
  for (const std::string_view bad : {"error", "fail", "abort", "timeout", "timed_out", "reject", "cancel", "drop"}) {
    if (text.find(bad) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

core::Direction rate_direction(std::string_view noun, std::string_view labels) {
  for (const std::string_view pair : core::split(labels, ',')) {
    const std::size_t sign = pair.find('=');
    if (sign != std::string_view::npos && says_failure(pair.substr(0, sign), pair.substr(sign + 1))) {
      return core::Direction::lower;
    }
  }
  bool work = false, no_work = false;
  std::string word;
  for (std::size_t at = 0; at <= noun.size(); ++at) {
    if (at < noun.size() && noun[at] != '_' && noun[at] != ':' && noun[at] != '.') {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(noun[at]))));
      continue;
    }
    no_work |= is_one_of(word, kNoWork);
    if (is_one_of(word, kBad) && !no_work) return core::Direction::lower;
    work |= is_one_of(word, kWork);
    word.clear();
  }
  return work && !no_work ? core::Direction::higher : core::Direction::unknown;
}

}  // namespace plumbline::formats::prometheus
