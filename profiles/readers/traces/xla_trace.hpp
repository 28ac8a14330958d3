// Traces of XLA's profiler (JAX, TensorFlow: *.trace.json.gz). Events carry no category: what they are follows from the names of
// their process ("/device:GPU:0", "/host:CPU") and thread ("Stream #13(Compute)", "Steps"), which metadata events give, and
// these come first. The profiler writes at most a million events; the .xplane.pb beside it has them all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace plumbline::profiles {

enum class XlaRow : std::uint8_t { unknown, stream, steps, host, derived };  // derived: drawn from the streams' events again

class XlaRows {
 public:
  static constexpr std::uint64_t kMostEvents = 1'000'000;
  void process_name(std::int64_t process, std::string_view name);
  void thread_name(std::int64_t process, std::int64_t thread, std::string_view name);
  struct Place {
    XlaRow row = XlaRow::unknown;
    std::int64_t device = 0, stream = 0;
  };
  [[nodiscard]] Place place(std::int64_t process, std::int64_t thread) const;
  [[nodiscard]] bool any_device() const { return any_device_; }

 private:
  struct Process {
    std::optional<std::int64_t> device;
    bool host = false;
  };
  std::map<std::int64_t, Process> processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, Place> threads_;
  bool any_device_ = false;
};

}  // namespace plumbline::profiles
