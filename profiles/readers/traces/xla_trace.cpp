#include "profiles/readers/traces/xla_trace.hpp"

#include <charconv>

namespace plumbline::profiles {
namespace {

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view prefix) {
  const std::size_t at = text.find(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + at + prefix.size(), end, number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

void XlaRows::process_name(std::int64_t process, std::string_view name) {
  Process& known = processes_[process];
  known.device = number_behind(name, "/device:GPU:");
  known.host = name.find("/host:") != std::string_view::npos;
  any_device_ = any_device_ || known.device;
}

void XlaRows::thread_name(std::int64_t process, std::int64_t thread, std::string_view name) {
  Place& known = threads_[{process, thread}];
  const auto stream = number_behind(name, "Stream #");
  if (stream && name.starts_with("Stream #")) {
    known.row = XlaRow::stream;
    known.stream = *stream;
  } else {
    known.row = name == "Steps" ? XlaRow::steps : XlaRow::derived;
  }
}

XlaRows::Place XlaRows::place(std::int64_t process, std::int64_t thread) const {
  const auto known = processes_.find(process);
  if (known == processes_.end()) return {};
  if (!known->second.device) return {known->second.host ? XlaRow::host : XlaRow::unknown, 0, 0};
  const auto row = threads_.find({process, thread});
  Place place = row == threads_.end() ? Place{XlaRow::derived, 0, 0} : row->second;
  place.device = *known->second.device;
  return place;
}

}  // namespace plumbline::profiles
