#include "server/transport/transport.hpp"

namespace plumbline::server::transport {
namespace {
constexpr std::size_t kKeepBytes = 64U << 10;  // what the buffer may keep between lines
}

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    const bool ends = newline != std::string_view::npos;
    bytes = ends ? bytes.substr(newline + 1) : std::string_view{};
    if (!skipping_ && partial_.size() + piece.size() > bound_) skip();
    if (skipping_) {
      skipping_ = !ends;
    } else if (!ends) {
      partial_.append(piece);
    } else if (partial_.empty()) {
      emit(piece);
    } else {
      partial_.append(piece);
      emit(partial_);
      partial_.clear();
      if (partial_.capacity() > kKeepBytes) partial_ = std::string();
    }
  }
}

void LineSplitter::skip() {
  skipping_ = true;
  partial_ = std::string();
  sink_.oversized(bound_);
}

void LineSplitter::finish() {
  if (!partial_.empty()) emit(partial_);
  partial_ = std::string();
  skipping_ = false;
}

void LineSplitter::emit(std::string_view line) {
  if (line.find_first_not_of(" \t\r") != std::string_view::npos) sink_.line(line);
}

}  // namespace plumbline::server::transport
