// What readers of JSON traces fill a Capture through: names, queues and threads interned, times checked and counted, and the
// sentences about what was found in the end. Times are nanoseconds of the trace's clock. One per reading, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/string_pool.hpp"
#include "profiles/capture.hpp"
#include "profiles/profile.hpp"
#include "profiles/readers/bytes/json_stream.hpp"

namespace plumbline::profiles {

struct GpuEvent {
  OpKind kind = OpKind::kernel;
  std::uint32_t name = kNone;
  std::int64_t process = 0, device = 0, context = 0, stream = 0;
  std::optional<LaunchShape> shape;
  std::optional<CopyShape> copy;
  std::optional<std::int64_t> correlation;
};

class TraceFill {
 public:
  TraceFill(Capture& capture, const ReadOptions& options) : capture_(capture), options_(options) {}
  TraceFill(const TraceFill&) = delete;
  TraceFill& operator=(const TraceFill&) = delete;

  // The id of a JSON string's text as it stands in the file; its printable form is what is interned.
  std::uint32_t name(std::string_view raw);
  // Name and memory kinds of a copy, from any spelling: "Memcpy HtoD (Pageable -> Device)", "MemcpyH2D",
  // "MEMORY_COPY_HOST_TO_DEVICE". The name is nsys' ("[CUDA memcpy Host-to-Device]"), so that captures compare across tools.
  void name_copy(std::string_view raw, GpuEvent& event);
  void name_set(GpuEvent& event);

  // Index of the operation in Capture::ops; kNone when it was not taken: on a device that was not asked for, or no times.
  std::uint32_t gpu(const GpuEvent& event, std::optional<std::int64_t> start, std::optional<std::int64_t> length);
  void call(std::uint32_t name, Thread thread, std::optional<std::int64_t> start, std::optional<std::int64_t> length,
            std::optional<std::int64_t> correlation);
  void range(std::uint32_t name, Thread thread, RangeKind kind, std::optional<std::int64_t> start,
             std::optional<std::int64_t> length);

  [[nodiscard]] std::uint64_t kernels() const { return kernels_; }
  // More of anything than the columns can name.
  [[nodiscard]] bool full() const;
  // The same as an error. `what` holds too much: "trace", "capture".
  [[nodiscard]] core::Error too_many(std::string_view what) const;
  // Why a trace without kernels is refused. `hint`: how to record one with kernels.
  [[nodiscard]] core::Error no_kernels(std::string_view hint) const;
  void warn(core::WarningCode code, std::string message) { capture_.warnings.push_back({code, std::move(message)}); }
  // The same where the host launched kernels and nothing of the GPU is there; nullopt where it launched none.
  [[nodiscard]] std::optional<core::Error> lost_kernels(const JsonEnd& end, std::uint64_t events) const;
  // What is to be said of the text and of the events.
  void finish(const JsonEnd& end, std::uint64_t events);
  // The same for a reader of traces, which refuses here what holds too much or no kernels.
  [[nodiscard]] core::Status finish_trace(const JsonEnd& end, std::uint64_t events, std::string_view hint);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
  };
  struct CopyName {
    std::uint32_t name = kNone;
    MemoryKind from = MemoryKind::unknown, to = MemoryKind::unknown;
  };
  // False, and counted, where they are none.
  bool times(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& length);
  std::uint16_t thread(Thread thread);

  Capture& capture_;
  const ReadOptions& options_;
  core::StringPool raw_names_;        // as they stand in the file
  std::vector<std::uint32_t> names_;  // by place in raw_names_: in capture_.names
  std::unordered_map<std::string, CopyName, Hash, std::equal_to<>> copies_;
  std::set<std::int64_t> other_devices_;
  std::uint64_t kernels_ = 0, reversed_ = 0, unreadable_ = 0;
};

// An id for a text that is no number ("Spans"), the same for the same text, negative so that it meets no number.
[[nodiscard]] std::int64_t id_of_text(std::string_view text);

}  // namespace plumbline::profiles
