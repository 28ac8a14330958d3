// links: profiles core
// Any bytes as a capture to be redacted: refused with a reason, or a copy that holds no token. The input is taken as it is, and
// with a token planted where it says "@": in names, keys, cells, wherever the fuzzer puts one. What is made is itself a capture
// that redaction leaves as it is.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "profiles/readers/bytes/byte_source.hpp"
#include "profiles/redact.hpp"
#include "profiles/redaction/json_redactor.hpp"
#include "profiles/redaction/pprof_redactor.hpp"

namespace {

using namespace plumbline;
using namespace plumbline::profiles;

const std::string kToken = "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY2zA4";

void check(bool holds) {
  if (!holds) std::abort();
}

core::Expected<Redaction> redacted_bytes(const std::string& bytes) {
  const int file = ::memfd_create("capture", MFD_CLOEXEC);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::_Exit(0);
  const Opener open = [file](const std::string& path) {
    if (path == "capture") return ::fcntl(file, F_DUPFD_CLOEXEC, 0);
    errno = ENOENT;
    return -1;
  };
  auto done = redacted_capture("capture", open);
  ::close(file);
  return done;
}

void check_clean(const core::Expected<Redaction>& done) {
  if (!done) {
    check(!done.error().message.empty() && done.error().message.find(kToken) == std::string::npos);
    return;
  }
  check(done->bytes.find(kToken) == std::string::npos);
  for (const auto& place : done->taken_out) check(place.what.find(kToken) == std::string::npos);
}

void check_json(const std::string& text) {
  for (const JsonCapture capture : {JsonCapture::trace_events, JsonCapture::rocprof, JsonCapture::nsys_stats}) {
    const auto whole = redacted_json(*memory_bytes(text), capture, 1U << 20U, "x.json");
    const auto pieces = redacted_json(*memory_bytes(text, 3), capture, 1U << 20U, "x.json");
    check(whole.has_value() == pieces.has_value() && (!whole || whole->bytes == pieces->bytes));
    check_clean(whole);
    if (!whole || whole->bytes.empty()) continue;
    const auto again = redacted_json(*memory_bytes(whole->bytes), capture, 1U << 22U, "x.json");
    check(again && again->bytes == whole->bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string planted;
  for (const char c : bytes) planted += c == '@' ? " " + kToken + " " : std::string(1, c);
  for (const std::string& each : {bytes, planted}) {
    check_clean(redacted_bytes(each));
    check_clean(redacted_pprof_bytes(each, "x.pb"));
    check_json(each);
  }
  return 0;
}
