#include "profiles/names/names.hpp"

#include <array>
#include <utility>

#include "configs/kernel_categories.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::array<std::string_view, 19> kInteresting = {
    "forward",        "backward",  "optimizer",  "tp_comm", "comm_overlap", "split_overlap", "all_gather",
    "reduce_scatter", "alltoall",  "all_reduce", "mla",     "moe",          "routing",       "expert",
    "rope",           "attention", "fp8",        "mxfp8",   "nvfp4"};

// CUPTI's CUpti_ActivityMemcpyKind, labelled as ENUM_CUDA_MEMCPY_OPER of current exports.
constexpr std::array<std::string_view, 14> kCopyKinds = {
    "Unknown",        "Host-to-Device",         "Device-to-Host",         "Host-to-Array",           "Array-to-Host",
    "Array-to-Array", "Array-to-Device",        "Device-to-Array",        "Device-to-Device",        "Host-to-Host",
    "Peer-to-Peer",   "Unified Host-to-Device", "Unified Device-to-Host", "Unified Device-to-Device"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kOldCopies = {
    {{"htod", "Host-to-Device"},
     {"dtoh", "Device-to-Host"},
     {"htoa", "Host-to-Array"},
     {"atoh", "Array-to-Host"},
     {"atoa", "Array-to-Array"},
     {"atod", "Array-to-Device"},
     {"dtoa", "Device-to-Array"},
     {"dtod", "Device-to-Device"},
     {"htoh", "Host-to-Host"},
     {"ptop", "Peer-to-Peer"},
     {"unified htod", "Unified Host-to-Device"},
     {"unified dtoh", "Unified Device-to-Host"},
     {"unified dtod", "Unified Device-to-Device"}}};

}  // namespace

bool is_collective(std::string_view kernel_name) { return configs::KernelCategories::builtin()->of(kernel_name).communication; }

bool interesting_range(std::string_view name) {
  const std::string lower = core::to_lower(name);
  for (const std::string_view word : kInteresting) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string_view api_name(std::string_view name) {
  if (name.size() > 6 && name.substr(name.size() - 6, 2) == "_v") name.remove_suffix(6);
  return name;
}

std::string copy_label(std::int64_t kind) {
  std::string label = "[CUDA memcpy ";
  if (kind >= 0 && static_cast<std::size_t>(kind) < kCopyKinds.size()) {
    label += kCopyKinds[static_cast<std::size_t>(kind)];
  } else {
    label += "kind " + std::to_string(kind);
  }
  return label += ']';
}

std::string canonical_operation(std::string_view name) {
  constexpr std::string_view kPrefix = "[CUDA memcpy ";
  if (core::starts_with_no_case(name, kPrefix) && name.ends_with(']')) {
    const std::string kind = core::to_lower(core::trim(name.substr(kPrefix.size(), name.size() - kPrefix.size() - 1)));
    for (const auto& [old, current] : kOldCopies) {
      if (kind == old || kind == core::to_lower(current)) return std::string(kPrefix) + std::string(current) + "]";
    }
  }
  if (core::starts_with_no_case(name, kMemsetLabel) && name.size() == kMemsetLabel.size()) return std::string(kMemsetLabel);
  return std::string(name);
}

}  // namespace plumbline::profiles
