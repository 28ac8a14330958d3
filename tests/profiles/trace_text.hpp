// Small traces written by hand: events of the Trace Event Format as Kineto writes them.
#pragma once

#include <string>
#include <string_view>

#include "profiles/readers/readers.hpp"

namespace plumbline::profiles::test {

inline std::string event(std::string_view category, std::string_view name, std::string_view start, std::string_view length,
                         std::string_view args = "", std::string_view process = "100", std::string_view thread = "200") {
  std::string text = R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + std::string(name) + R"(", "pid": )" +
                     std::string(process) + R"(, "tid": )" + std::string(thread) + R"(, "ts": )" + std::string(start) +
                     R"(, "dur": )" + std::string(length);
  if (!args.empty()) text += R"(, "args": {)" + std::string(args) + "}";
  return text + "}";
}
inline std::string kernel_event(std::string_view name, std::string_view start, std::string_view length,
                                std::string_view more = R"("correlation": 7)") {
  return event(
      "kernel", name, start, length,
      R"("queued": 0, "device": 0, "context": 1, "stream": 7, "grid": [200, 2, 1], "block": [128, 1, 1], )" + std::string(more),
      "0", "7");
}
inline std::string trace(std::initializer_list<std::string> events, std::string_view head = "") {
  std::string text = "{\n  " + std::string(head) + (head.empty() ? "" : ",\n  ") + "\"traceEvents\": [\n";
  bool first = true;
  for (const std::string& each : events) {
    text += (first ? "  " : ",\n  ") + each;
    first = false;
  }
  return text + "\n  ]\n}\n";
}
inline core::Expected<Profile> read_trace(std::string_view text, const ReadOptions& options = {}) {
  return read_json_trace_text(text, "trace.json", options);
}

}  // namespace plumbline::profiles::test
