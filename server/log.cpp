#include "server/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <array>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "server/line_file.hpp"

namespace plumbline::server {
namespace {

constexpr std::array<std::string_view, 5> kLevels = {"debug", "info", "warning", "error", "off"};
constexpr std::size_t kTextBytes = 900;  // every byte may become four

// C1 controls (U+0080 to U+009F), line and paragraph separators, and what overrides the direction of text.
std::size_t length_of_hidden(std::string_view at) {
  const auto byte = [&](std::size_t i) { return i < at.size() ? static_cast<unsigned char>(at[i]) : 0U; };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  if (byte(0) != 0xE2) return 0;
  const bool separator_or_override = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  const bool isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return separator_or_override || isolate ? 3 : 0;
}

void append_visible(std::string& out, std::string_view text) {
  const bool utf8 = core::is_valid_utf8(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::size_t hidden = byte < 0x20 || byte == 0x7F || (!utf8 && byte >= 0x80) ? 1 : length_of_hidden(text.substr(i));
    if (hidden == 0) {
      out += text[i];
      continue;
    }
    for (; hidden > 0; --hidden, ++i) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    --i;
  }
}

// Cuts and escapes a text and writes its line at once. It keeps nothing between lines and needs no lock.
class VisibleLines final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit VisibleLines(int fd) : fd_(fd) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::string_view text(message.payload.data(), message.payload.size());
    const bool cut = text.size() > kTextBytes;
    if (cut) {
      std::size_t end = kTextBytes;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
      text = text.substr(0, end);
    }
    std::string line = fmt::format("{}: {}: ", message.logger_name, spdlog::level::to_string_view(message.level));
    append_visible(line, text);
    line += cut ? "…\n" : "\n";
    write_line(fd_, line);
  }
  void flush_() override {}  // nothing waits in it

  const int fd_;
};

std::shared_ptr<spdlog::logger> logger_to(int fd) {
  auto logger = std::make_shared<spdlog::logger>("plumbline", std::make_shared<VisibleLines>(fd));
  logger->set_level(spdlog::level::trace);               // the facade has filtered already
  logger->set_error_handler([](const std::string&) {});  // a line that cannot be written is lost, and nothing else is printed
  return logger;
}

spdlog::level::level_enum of_spdlog(Log::Level level) {
  switch (level) {
    case Log::Level::debug:
      return spdlog::level::debug;
    case Log::Level::info:
      return spdlog::level::info;
    case Log::Level::warning:
      return spdlog::level::warn;
    case Log::Level::error:
      return spdlog::level::err;
    case Log::Level::off:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

Log::Log(Level level, int fd) : level_(level), logger_(logger_to(fd)) {}

core::Expected<Log::Level> Log::parse(std::string_view text) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i] == text) return static_cast<Level>(i);
  }
  const std::string_view near = core::nearest(text, kLevels);
  return core::fail(core::ErrorCode::usage,
                    fmt::format("--log-level must be one of debug, info, warning, error, off: {}", core::cited(text)),
                    near.empty() ? "" : fmt::format("did you mean {}?", near), "log_level");
}

void Log::write(Level level, std::string_view text) const { logger_->log(of_spdlog(level), text); }

}  // namespace plumbline::server
