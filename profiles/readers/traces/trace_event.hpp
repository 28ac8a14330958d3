// One event of the Trace Event Format (Chrome's JSON, which PyTorch's Kineto and XLA's profiler write), taken apart. Views stay
// good as long as the text. `ts` and `dur` are microseconds whatever displayTimeUnit says; here they are nanoseconds, exact to
// the last decimal the file gives.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profiles/capture.hpp"
#include "profiles/readers/bytes/json_text.hpp"

namespace plumbline::profiles {

enum class TraceCategory : std::uint8_t {
  none,  // the event has no category
  kernel,
  copy,
  set,
  call,
  op,
  annotation,
  gpu_annotation,
  frame,  // a function of Python, or a module of a model
  other,
};

struct TraceEvent {
  char phase = 0;  // 'X' complete, 'B' and 'E' begin and end, 'M' metadata; 0: of no interest
  TraceCategory category = TraceCategory::none;
  std::string_view name;
  JsonValue process, thread;
  std::optional<std::int64_t> start, length;
  // Where the objects of its arguments begin: writers have been seen to write the key twice.
  [[nodiscard]] std::span<const std::size_t> args() const { return {args_at.data(), args_count}; }
  std::array<std::size_t, 2> args_at{};
  std::size_t args_count = 0;
};

// By Kineto's name of it ("cuda_runtime"), which other accelerators and older versions spell differently; other for the rest.
[[nodiscard]] TraceCategory trace_category(std::string_view name);
// What an event of the host is among ranges, by its category and name; nothing for calls and what is not on the host.
[[nodiscard]] std::optional<RangeKind> range_kind(TraceCategory category, std::string_view name);
// The name that the range gets: "Linear_3" for "nn.Module: Linear_3".
[[nodiscard]] std::string_view range_text(TraceCategory category, std::string_view name);

// Nothing for what is no JSON object inside.
[[nodiscard]] std::optional<TraceEvent> read_trace_event(const JsonText& text, const JsonValue& value);
// A process or thread: its number, or one made from its text.
[[nodiscard]] std::int64_t trace_id(const JsonValue& value);

// What the arguments of an event say, as far as anything is made of it.
struct TraceArgs {
  std::optional<std::int64_t> device, context, stream, correlation, external, bytes;
  std::optional<LaunchShape> shape;
  MemoryKind from = MemoryKind::unknown, to = MemoryKind::unknown;
  // Collectives, of kernels and of record_param_comms.
  std::string_view collective, dtype, group;
  std::optional<std::int64_t> elements_in, elements_out, group_size, sequence;
};
[[nodiscard]] TraceArgs read_trace_args(const JsonText& text, const TraceEvent& event);
// Of a host call's arguments only that.
[[nodiscard]] std::optional<std::int64_t> trace_correlation(const JsonText& text, const TraceEvent& event);
// Dimensions, types and values of an operator's arguments as the file has them, a line each; "" where there are no dimensions.
[[nodiscard]] std::string trace_operands(const JsonText& text, const TraceEvent& event);
// The string under `key` in the arguments, "" where there is none.
[[nodiscard]] std::string_view trace_text(const JsonText& text, const TraceEvent& event, std::string_view key);

}  // namespace plumbline::profiles
