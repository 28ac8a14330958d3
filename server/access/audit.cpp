#include "server/access/audit.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/text.hpp"
#include "registry/files.hpp"
#include "server/line_file.hpp"

namespace plumbline::server::access {
namespace {

using core::ErrorCode;

// Every byte may become six: with these a line stays below kLineBytes.
constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kShortBytes = 128;
constexpr std::size_t kCodeBytes = 64;

std::string time_text(std::chrono::system_clock::time_point at) {
  const auto second = std::chrono::floor<std::chrono::seconds>(at);
  const std::time_t plain = std::chrono::system_clock::to_time_t(second);
  std::tm parts{};
  gmtime_r(&plain, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec,
                     std::chrono::duration_cast<std::chrono::milliseconds>(at - second).count());
}

// A JSON string of ASCII characters, or null for no text.
std::string ascii(std::string_view text, std::size_t at_most) {
  if (text.empty()) return "null";
  return nlohmann::json(text.substr(0, at_most)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

core::Expected<int> open_log(const std::string& path) {
  const auto cannot = [&](const std::string& why) {
    return core::fail(ErrorCode::environment, fmt::format("cannot write the audit log {}: {}", path, why), {}, path);
  };
  // Without O_NONBLOCK a FIFO that nobody reads would keep us here.
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (fd < 0) return cannot(std::generic_category().message(errno));
  struct stat info {};
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
  close(fd);
  return cannot("it is not a regular file");
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::error:
      return "error";
    case Outcome::protocol_error:
      return "protocol_error";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::refused:
      return "refused";
  }
  return "unknown";
}

std::string audit_line(const AuditedCall& call) {
  return fmt::format(
      "{{\"time\":\"{}\",\"who\":{},\"how\":\"{}\",\"peer\":{},\"tool\":{},\"arguments_sha256\":\"{}\",\"outcome\":\"{}\","
      "\"code\":{},"
      "\"duration_ms\":{},\"bytes\":{}}}\n",
      time_text(call.at), ascii(call.who.name, kNameBytes), to_string(call.who.how), ascii(call.peer, kShortBytes),
      ascii(call.tool, kShortBytes), registry::sha256_hex(call.arguments), to_string(call.outcome), ascii(call.code, kCodeBytes),
      core::number_text(static_cast<double>(call.duration.count()) / 1000), call.bytes);
}

core::Expected<std::unique_ptr<Audit>> Audit::open(std::string path) {
  const auto fd = open_log(path);
  if (!fd) return core::fail(fd.error());
  return std::unique_ptr<Audit>(new Audit(std::move(path), *fd));
}

Audit::~Audit() {
  if (!path_.empty()) close(fd_);
}

void Audit::write(const AuditedCall& call) noexcept {
  try {
    std::string line = audit_line(call);
    const std::lock_guard lock(mutex_);
    if (torn_) line.insert(0, 1, '\n');
    const std::size_t written = write_line(fd_, line);
    if (written > 0) torn_ = written < line.size();
    if (written == line.size()) return;
  } catch (const std::exception&) {
    // Out of memory: one line less.
  }
  lost_.fetch_add(1, std::memory_order_relaxed);
}

core::Status Audit::reopen() {
  if (path_.empty()) return {};
  const auto fd = open_log(path_);
  if (!fd) return core::fail(fd.error());
  const std::lock_guard lock(mutex_);
  close(fd_);
  fd_ = *fd;
  torn_ = false;
  return {};
}

}  // namespace plumbline::server::access
