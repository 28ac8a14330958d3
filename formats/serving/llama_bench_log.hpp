// What stands around the tables of llama-bench in a log: whose run they are, and on which devices. Private to formats/serving/.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"

namespace plumbline::formats::llama_bench {

[[nodiscard]] inline std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out.substr(0, 500);
}

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
      devices_.emplace_back(device);
      if (std::find(all_.begin(), all_.end(), device) == all_.end()) all_.emplace_back(device);
    }
  }
  // A table was read: devices named after it are those of the next run.
  void table() {
    if (!read_ && !devices_.empty()) sets_.push_back(joined(devices_));
    read_ = true;
  }
  [[nodiscard]] std::string run() const { return heading_.empty() ? joined(devices_) : heading_; }
  // Of the whole log: what every run found, or else each device once.
  [[nodiscard]] std::string devices() const {
    const bool same = std::all_of(sets_.begin(), sets_.end(), [&](const std::string& one) { return one == sets_.front(); });
    return !sets_.empty() && same ? sets_.front() : joined(all_);
  }

 private:
  static constexpr std::size_t kLongestHeading = 80;

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

  std::string heading_;
  std::vector<std::string> devices_, all_, sets_;
  bool read_ = false;
};

}  // namespace plumbline::formats::llama_bench
