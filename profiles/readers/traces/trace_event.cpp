#include "profiles/readers/traces/trace_event.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/traces/trace_fill.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kModule = "nn.Module: ";

// Numbers are also written as strings.
std::string_view number_text(const JsonValue& value) {
  return value.kind == JsonKind::scalar || value.kind == JsonKind::string ? value.text : std::string_view();
}

// 0 for phases of no interest.
char phase_of(const JsonValue& value) {
  if (value.kind != JsonKind::string || value.text.size() != 1) return 0;
  const char phase = value.text.front();
  return phase == 'X' || phase == 'B' || phase == 'E' || phase == 'M' ? phase : '\0';
}

void three(const JsonText& text, const JsonValue& value, std::uint32_t (&out)[3]) {
  if (value.kind != JsonKind::array) return;
  std::size_t i = 0;
  json_elements(text, value.at, [&](const JsonValue& each) {
    const auto number = json_integer(each);
    if (i < 3 && number && *number >= 0 && *number <= UINT32_MAX) out[i] = static_cast<std::uint32_t>(*number);
    return ++i < 3;
  });
}

// Behind "grid:" in "regs:32 static_shared:0 dynamic_shared:0 grid:2,1,1 block:128,1,1 occ_pct:100", as XLA writes it.
bool three_behind(std::string_view text, std::string_view word, std::uint32_t (&out)[3]) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  const char* from = text.data() + at + word.size();
  const char* const end = text.data() + text.size();
  for (std::uint32_t& each : out) {
    const auto [last, error] = std::from_chars(from, end, each);
    if (error != std::errc()) return false;
    from = last != end && *last == ',' ? last + 1 : last;
  }
  return true;
}

std::string_view word_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + word.size());
  return text.substr(0, text.find(' '));
}

MemoryKind xla_memory(std::string_view word) {
  if (word == "pageable") return MemoryKind::pageable;
  if (word == "pinned") return MemoryKind::pinned;
  if (word == "device" || word == "device_static") return MemoryKind::device;
  if (word == "managed" || word == "managed_static") return MemoryKind::managed;
  return word.empty() || word == "unknown" ? MemoryKind::unknown : MemoryKind::other;
}

void xla_details(std::string_view key, std::string_view text, TraceArgs& args) {
  if (key == "kernel_details") {
    LaunchShape shape;
    if (three_behind(text, "grid:", shape.grid) && three_behind(text, "block:", shape.block)) args.shape = shape;
  } else {
    args.from = xla_memory(word_behind(text, "kind_src:"));
    args.to = xla_memory(word_behind(text, "kind_dst:"));
    args.bytes = core::parse_int(word_behind(text, "size:"));
  }
}

void collective_argument(std::string_view key, const JsonValue& value, TraceArgs& args) {
  const auto text = [&value] { return value.kind == JsonKind::string ? value.text : std::string_view(); };
  if (key == "Collective name") {
    args.collective = text();
  } else if (key == "dtype") {
    args.dtype = text();
  } else if (key == "Process Group Name") {
    args.group = value.kind == JsonKind::scalar ? value.text : text();
  } else if (key == "In msg nelems") {
    args.elements_in = json_integer(value);
  } else if (key == "Out msg nelems") {
    args.elements_out = json_integer(value);
  } else if (key == "Group size") {
    args.group_size = json_integer(value);
  } else if (key == "Seq") {
    args.sequence = json_integer(value);
  }
}

void argument(const JsonText& text, std::string_view key, const JsonValue& value, TraceArgs& args) {
  if (key.empty()) return;
  switch (key.front()) {
    case 'd':
      if (key == "device") args.device = json_integer(value);
      if (key == "dtype") collective_argument(key, value, args);
      break;
    case 's':
      if (key == "stream") args.stream = json_integer(value);
      break;
    case 'c':
      if (key == "correlation" || key == "correlation_id") args.correlation = json_integer(value);
      if (key == "context") args.context = json_integer(value);
      break;
    case 'E':
    case 'e':
      if (key == "External id" || key == "external id") args.external = json_integer(value);
      break;
    case 'b':
      if (key == "bytes") args.bytes = json_integer(value);
      if (key == "block") {
        if (!args.shape) args.shape.emplace();
        three(text, value, args.shape->block);
      }
      break;
    case 'g':
      if (key == "grid") {
        if (!args.shape) args.shape.emplace();
        three(text, value, args.shape->grid);
      }
      break;
    case 'k':
    case 'm':
      if ((key == "kernel_details" || key == "memcpy_details" || key == "memset_details") && value.kind == JsonKind::string)
        xla_details(key, value.text, args);
      break;
    case 'C':
    case 'G':
    case 'I':
    case 'O':
    case 'P':
    case 'S':
      collective_argument(key, value, args);
      break;
    default:
      break;
  }
}

}  // namespace

// Those before PyTorch 1.11 begin with a capital.
TraceCategory trace_category(std::string_view name) {
  if (name.empty()) return TraceCategory::none;
  if (name == "kernel" || name == "Kernel" || name == "mtia_ccp_events") return TraceCategory::kernel;
  if (name == "cpu_op" || name == "Operator") return TraceCategory::op;
  if (name.ends_with("_runtime") || name.ends_with("_driver") || name == "Runtime") return TraceCategory::call;
  if (name == "gpu_memcpy" || name == "Memcpy") return TraceCategory::copy;
  if (name == "gpu_memset" || name == "Memset") return TraceCategory::set;
  if (name == "user_annotation") return TraceCategory::annotation;
  if (name == "gpu_user_annotation") return TraceCategory::gpu_annotation;
  if (name == "python_function") return TraceCategory::frame;
  return TraceCategory::other;
}

std::optional<RangeKind> range_kind(TraceCategory category, std::string_view name) {
  switch (category) {
    case TraceCategory::op:
      return RangeKind::op;
    case TraceCategory::annotation:
      return RangeKind::annotation;
    case TraceCategory::frame:
      return name.starts_with(kModule) ? RangeKind::module : RangeKind::frame;
    default:
      return std::nullopt;
  }
}

std::string_view range_text(TraceCategory category, std::string_view name) {
  if (range_kind(category, name) == RangeKind::module) name.remove_prefix(kModule.size());
  return name;
}

std::optional<TraceEvent> read_trace_event(const JsonText& text, const JsonValue& value) {
  std::optional<TraceEvent> result(std::in_place);
  TraceEvent& event = *result;
  std::string_view start, length;
  const JsonWalk walk = json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    switch (key.size()) {
      case 2:
        if (key == "ph") {
          event.phase = phase_of(each);
          return event.phase != 0;
        }
        if (key == "ts") start = number_text(each);
        break;
      case 3:
        if (key == "cat") {
          const TraceCategory category = each.kind == JsonKind::string ? trace_category(each.text) : TraceCategory::other;
          event.category = category;
          return category != TraceCategory::other || event.phase != 'X';
        }
        if (key == "dur") length = number_text(each);
        if (key == "pid") event.process = each;
        if (key == "tid") event.thread = each;
        break;
      case 4:
        if (key == "name" && each.kind == JsonKind::string) event.name = each.text;
        if (key == "args" && each.kind == JsonKind::object && event.args_count < event.args_at.size())
          event.args_at[event.args_count++] = each.at;
        break;
      default:
        break;
    }
    return true;
  });
  if (walk != JsonWalk::done && walk != JsonWalk::stopped) return std::nullopt;
  constexpr int kMicroseconds = 3;  // decimal places to nanoseconds
  if (const auto time = scaled_decimal(start, kMicroseconds)) event.start = *time;
  if (const auto time = scaled_decimal(length, kMicroseconds)) event.length = *time;
  // PyTorch's profiler marked its steps as operators first ("Operator", later "cpu_op"), then as annotations.
  if (event.category == TraceCategory::op && event.name.starts_with("ProfilerStep#")) event.category = TraceCategory::annotation;
  return result;
}

std::int64_t trace_id(const JsonValue& value) {
  if (const auto number = json_id(value)) return *number;
  return value.kind == JsonKind::none || value.text.empty() ? 0 : id_of_text(value.text);
}

TraceArgs read_trace_args(const JsonText& text, const TraceEvent& event) {
  TraceArgs args;
  for (const std::size_t at : event.args()) {
    json_members(text, at, [&](std::string_view key, const JsonValue& value) {
      argument(text, key, value, args);
      return true;
    });
  }
  return args;
}

std::optional<std::int64_t> trace_correlation(const JsonText& text, const TraceEvent& event) {
  std::optional<std::int64_t> id;
  for (const std::size_t at : event.args()) {
    if (id) break;
    json_members(text, at, [&](std::string_view key, const JsonValue& value) {
      if (key != "correlation" && key != "correlation_id") return true;
      id = json_integer(value);
      return false;
    });
  }
  return id;
}

std::string trace_operands(const JsonText& text, const TraceEvent& event) {
  constexpr std::size_t kLongest = 16'384;  // of operators with few arguments
  std::string_view dims, types, values;
  for (const std::size_t at : event.args()) {
    json_members(text, at, [&](std::string_view key, const JsonValue& value) {
      if (value.kind != JsonKind::array) return true;
      if (key == "Input Dims") dims = value.text;
      if (key == "Input type") types = value.text;
      if (key == "Concrete Inputs") values = value.text;
      return true;
    });
  }
  if (dims.empty() || dims.size() + types.size() + values.size() > kLongest) return {};
  std::string lines;
  for (const std::string_view part : {dims, types, values}) {
    for (const char c : part) lines += c == '\n' ? ' ' : c;  // as some writers print arrays
    lines += '\n';
  }
  return lines;
}

std::string_view trace_text(const JsonText& text, const TraceEvent& event, std::string_view key) {
  std::string_view found;
  for (const std::size_t at : event.args()) {
    json_members(text, at, [&](std::string_view name, const JsonValue& value) {
      if (name == key && value.kind == JsonKind::string) found = value.text;
      return true;
    });
  }
  return found;
}

}  // namespace plumbline::profiles
