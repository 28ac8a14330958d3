#include "profiles/redact.hpp"

#include <string_view>

#include "profiles/capture_form.hpp"
#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/open_file.hpp"
#include "profiles/readers/readers.hpp"
#include "profiles/redaction/json_redactor.hpp"
#include "profiles/redaction/pprof_redactor.hpp"
#include "profiles/redaction/sqlite_redactor.hpp"

namespace plumbline::profiles {

using core::ErrorCode;

core::Expected<Redaction> redacted_capture(const std::string& path, const Opener& open) {
  constexpr std::uint64_t kMostText = std::uint64_t{1} << 30U;
  const OpenFile file(path, open);
  if (file.is_folder()) {
    return core::fail(
        ErrorCode::invalid_input, path + " cannot be redacted: it is a folder",
        "record the captures in it one by one with --redact (SQLite exports, JSON traces and pprof profiles can be redacted), or "
        "the folder without --redact if all that it holds may be kept",
        path);
  }
  if (!file.is_file()) return core::fail(ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const std::string_view form = capture_form(path, open);
  if (form == "sqlite") {
    auto database = Database::open(path, open, {});
    if (!database) return core::fail(database.error());
    return redacted_sqlite(*database);
  }
  if (form == "nsys-rep") {
    return core::fail(ErrorCode::invalid_input, path + " cannot be redacted: it is a report in Nsight Systems' own form",
                      "export it first (nsys export -t sqlite --lazy=true -o x.sqlite FILE) and record the export with --redact",
                      path);
  }
  if (form == "nsys-stats-json") return redacted_json(*text_bytes(file), JsonCapture::nsys_stats, kMostText, path);
  if (form == "json-trace") {
    const auto kind = json_trace(file) == JsonTrace::rocprof ? JsonCapture::rocprof : JsonCapture::trace_events;
    return redacted_json(*text_bytes(file), kind, kMostText, path);
  }
  if (form == "pprof") return redacted_pprof(*text_bytes(file), path);
  return core::fail(
      ErrorCode::invalid_input,
      path + " cannot be redacted: of captures only SQLite exports, JSON traces and pprof profiles can be",
      "remove what must not be kept yourself and record the cleaned file, or record it without --redact if all that "
      "it holds may be kept",
      path);
}

}  // namespace plumbline::profiles
