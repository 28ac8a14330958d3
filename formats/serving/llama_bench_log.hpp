// What stands around the tables of llama-bench in a log: whose run they are, and on which devices. Private to formats/serving/.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace plumbline::formats::llama_bench {

// Devices, as many of them as one line holds: a log may name any number.
class Devices {
 public:
  void add(std::string_view device) {
    if (names_.size() >= kLongest) return;
    if (!names_.empty()) names_ += ", ";
    names_ += device;
    names_.resize(std::min(names_.size(), kLongest));
  }
  void clear() { names_.clear(); }
  [[nodiscard]] const std::string& names() const { return names_; }

 private:
  static constexpr std::size_t kLongest = 500;
  std::string names_;
};

// What a log says between its tables: a heading ("### GPU 1 ONLY ###") and the devices that the backend found.
class Surroundings {
 public:
  // Not for lines of a table.
  void line(std::string_view text) {
    text = core::trim(text);
    if (text.starts_with('#')) {
      while (text.starts_with('#')) text.remove_prefix(1);
      while (text.ends_with('#')) text.remove_suffix(1);
      text = core::trim(text);
      if (!text.empty() && text.size() <= kLongestHeading) heading_ = text;
    } else if (const std::string_view device = device_of(text); !device.empty()) {
      if (read_) devices_.clear();
      read_ = false;
      devices_.add(device);
      if (seen_.size() < kMostDevices && seen_.emplace(device).second) all_.add(device);
    }
  }
  // A table was read: devices named after it are those of the next run.
  void table() {
    if (!read_ && !devices_.names().empty()) {
      if (first_run_.empty()) first_run_ = devices_.names();
      same_ = same_ && devices_.names() == first_run_;
    }
    read_ = true;
  }
  [[nodiscard]] const std::string& run() const { return heading_.empty() ? devices_.names() : heading_; }
  // Of the whole log: what every run found, or else each device once.
  [[nodiscard]] const std::string& devices() const { return !first_run_.empty() && same_ ? first_run_ : all_.names(); }

 private:
  static constexpr std::size_t kLongestHeading = 80;
  static constexpr std::size_t kMostDevices = 1000;  // that are told apart; the names of fewer fill the line

  // "ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | …" names the driver last;
  // "  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes".
  static std::string_view device_of(std::string_view line) {
    const auto numbered = [&](std::string_view mark, std::string_view after) -> std::string_view {
      if (!line.starts_with(mark)) return {};
      const std::size_t at = line.find(after, mark.size());
      if (at == std::string_view::npos || !core::parse_int(line.substr(mark.size(), at - mark.size()))) return {};
      return core::trim(line.substr(at + after.size()));
    };
    if (std::string_view device = numbered("ggml_vulkan: ", " = "); !device.empty()) {
      device = core::trim(device.substr(0, device.find(" | ")));
      if (const std::size_t driver = device.rfind(" ("); driver != std::string_view::npos && device.ends_with(')')) {
        device = device.substr(0, driver);
      }
      return device.substr(0, 200);
    }
    const std::string_view device = numbered("Device ", ": ");
    return device.substr(0, std::min<std::size_t>(device.find(", "), 200));
  }

  std::string heading_, first_run_;  // first_run_: the devices of the first run
  Devices devices_, all_;
  std::set<std::string, std::less<>> seen_;  // in all_
  bool read_ = false, same_ = true;
};

}  // namespace plumbline::formats::llama_bench
