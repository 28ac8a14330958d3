// PyTorch's Kineto traces and other traces in Chrome's Trace Event Format -> Capture. What is on a GPU is told by category
// (Kineto, on NVIDIA and AMD alike) or by the names of processes and threads (XLA). Flows, Python frames, counters and instants
// are passed over.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/privacy.hpp"
#include "profiles/readers/traces/trace_event.hpp"
#include "profiles/readers/traces/trace_fill.hpp"
#include "profiles/readers/traces/xla_trace.hpp"

namespace plumbline::profiles {

class KinetoReader final : public JsonReader {
 public:
  KinetoReader(Capture& capture, const ReadOptions& options) : capture_(capture), fill_(capture, options) {}
  Take take(std::span<const std::string> path, JsonKind kind) override;
  Answer value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) override;
  // Behind the last event: what could not be said before, and whether there is anything to compare.
  [[nodiscard]] core::Status finish(const JsonEnd& end);

 private:
  enum Tag : int { event_tag, devices_tag, distributed_tag, version_tag, environment_tag, secret_tag };
  struct Begun {  // a B event, waiting for its E
    TraceCategory category;
    std::optional<std::int64_t> start;
    GpuEvent gpu;
    std::uint32_t name;
    Thread thread;
    std::optional<RangeKind> range;  // what it is on the host, if not a call
  };
  struct GpuAnnotation {
    std::uint32_t name;
    Thread thread;
    std::optional<std::int64_t> start, length;
  };

  static Take look_through(std::span<const std::string> path, JsonKind kind);
  void count_environment(const JsonText& text, const JsonValue& value);
  void count_secret(std::string_view key, const JsonValue& value);
  void event(const JsonText& text, TraceEvent& event);
  void on_gpu(const JsonText& text, const TraceEvent& event);
  void on_host(const JsonText& text, const TraceEvent& event);
  void xla(const JsonText& text, TraceEvent& event);
  void metadata(const JsonText& text, const TraceEvent& event);
  void begin(const JsonText& text, const TraceEvent& event);
  void end(const TraceEvent& event);
  GpuEvent gpu_event(const TraceArgs& args, const TraceEvent& event);
  bool communicates(std::uint32_t name);
  void add_operands(const JsonText& text, const TraceEvent& event, std::uint32_t name);
  void device_properties(const JsonText& text, const JsonValue& value);
  void distributed(const JsonText& text, const JsonValue& value);
  void version(std::string_view key, const JsonValue& value);
  void close_open();
  void add_gpu_annotations();
  void join_collectives();
  void name_devices();

  Capture& capture_;
  core::SecretFinder finder_;
  TraceFill fill_;
  XlaRows xla_rows_;
  std::uint64_t events_ = 0, unmatched_ends_ = 0;
  std::int64_t last_time_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Begun>> open_;
  std::vector<GpuAnnotation> gpu_annotations_;
  std::vector<signed char> communicates_, works_;                             // by name: -1 not asked yet
  std::vector<std::pair<std::uint32_t, std::int64_t>> nameless_collectives_;  // op, external id
  std::unordered_map<std::int64_t, Collective> collective_calls_;             // by external id
};

}  // namespace plumbline::profiles
