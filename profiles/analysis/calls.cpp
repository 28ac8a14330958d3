#include "profiles/analysis/calls.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/characters.hpp"

namespace plumbline::profiles {
namespace {

using base::is_digit;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) { return text.starts_with(word); });
}

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

CallKind cuda_call(std::string_view what) {
  if (what.starts_with("GraphLaunch")) return CallKind::graph_launch;
  if (starts_with_any(what, {"Launch", "ExtLaunch"}) || contains(what, "ModuleLaunch"))
    return contains(what, "HostFunc") ? CallKind::other : CallKind::launch;
  if (contains(what, "Synchronize")) return CallKind::wait;
  if (what.starts_with("Memcpy") && !contains(what, "Async")) return CallKind::wait;
  if (starts_with_any(what, {"Malloc", "MemAlloc", "MemHostAlloc", "HostAlloc", "HostMalloc", "ExtMalloc", "MemCreate"}))
    return CallKind::allocate;
  if (starts_with_any(what, {"Free", "MemFree", "HostFree", "MemRelease"})) return CallKind::free;
  return CallKind::other;
}

// SYCL's: Unified Runtime, the plugin interface before it ("piext" for what it added) and Level Zero. What is appended to a
// command buffer runs when the buffer is enqueued; a wait that is enqueued makes the queue wait, not the caller.
CallKind sycl_call(std::string_view what) {
  if (what.starts_with("ext")) what.remove_prefix(3);
  if (starts_with_any(what, {"EnqueueCommandBuffer", "CommandBufferEnqueue"})) return CallKind::graph_launch;
  if (what.starts_with("CommandBuffer")) return CallKind::other;
  if (contains(what, "KernelLaunch") || contains(what, "AppendLaunch")) return CallKind::launch;
  if (what.starts_with("Enqueue")) return CallKind::other;
  if (starts_with_any(what, {"QueueFinish", "EventWait", "EventsWait"}) || contains(what, "Synchronize")) return CallKind::wait;
  if ((what.starts_with("USM") && what.ends_with("Alloc")) || starts_with_any(what, {"MemAlloc", "MemBufferCreate"}))
    return CallKind::allocate;
  if (starts_with_any(what, {"USMFree", "MemFree"})) return CallKind::free;
  return CallKind::other;
}

}  // namespace

std::string_view call_name(std::string_view name) {
  for (;;) {
    const std::size_t cut = name.rfind('_');
    if (cut == std::string_view::npos || cut == 0) return name;
    const std::string_view tail = name.substr(cut + 1);
    const bool version = tail.size() > 1 && tail[0] == 'v' && std::all_of(tail.begin() + 1, tail.end(), is_digit);
    if (!version && tail != "ptsz" && tail != "ptds") return name;
    name.remove_suffix(name.size() - cut);
  }
}

CallKind call_kind(std::string_view name) {
  name = call_name(name);
  for (const std::string_view library : {"cuda", "hip", "cu"}) {
    if (name.starts_with(library)) return cuda_call(name.substr(library.size()));
  }
  for (const std::string_view library : {"ur", "pi", "ze"}) {
    if (name.starts_with(library)) return sycl_call(name.substr(library.size()));
  }
  return CallKind::other;
}

std::vector<bool> blocking_copies(const Capture& capture) {
  std::vector<bool> blocks;
  const GpuOps& ops = capture.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops.kind[i] != OpKind::copy || ops.launch[i] == kNone || ops.detail[i] == kNone) continue;
    const CopyShape& shape = capture.copy_shapes[ops.detail[i]];
    if (shape.from != MemoryKind::pageable && shape.to != MemoryKind::pageable) continue;
    if (blocks.empty()) blocks.resize(capture.calls.size(), false);
    blocks[ops.launch[i]] = true;
  }
  return blocks;
}

std::vector<CallKind> call_kinds(const Capture& capture) {
  std::vector<CallKind> kinds(capture.names.size(), CallKind::other);
  std::vector<bool> asked(capture.names.size(), false);
  for (const std::uint32_t id : capture.calls.name) {
    if (asked[id]) continue;
    asked[id] = true;
    kinds[id] = call_kind(capture.names.text(id));
  }
  return kinds;
}

}  // namespace plumbline::profiles
