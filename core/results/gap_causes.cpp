#include "core/results/gap_causes.hpp"

#include <algorithm>
#include <array>

namespace plumbline::core {
namespace {

constexpr std::string_view kNoFaster = "the host launches no faster than kernels end";
constexpr std::string_view kFeed = "feed the GPU: CUDA graphs, fewer and larger kernels";

constexpr GapCause kUnknown = {"unknown",
                               "idle",
                               "cause unknown",
                               "the GPU is idle",
                               "",
                               "the capture does not say what the host does",
                               "find what the GPU waits for: capture the API calls (--trace=cuda,nvtx) to split its idle time"};

constexpr std::array<GapCause, 10> kCauses = {{
    {"data_loading", "data loading", "waits for data loading", "the GPU waits", "for data loading", "the host loads data",
     "load data beside the step: more loader workers, pinned memory, batches fetched ahead"},
    {"synchronisation", "synchronisation", "waits for a synchronising call", "the GPU waits", "for a synchronising call",
     "the host waits in a synchronising call", "take synchronising calls out of the step"},
    {"allocation", "allocation", "waits for memory to be allocated", "the GPU waits", "for memory to be allocated",
     "the host allocates or frees memory", "allocate once: keep buffers, or let an allocator cache them"},
    {"lock", "lock", "waits while the host waits for another thread", "the GPU waits", "while the host waits for another thread",
     "the host waits for another of its threads",
     "let no other thread hold up the one that launches: shorter locks, work handed over without waiting"},
    {"io", "io", "waits while the host reads or writes", "the GPU waits", "while the host reads or writes",
     "the host reads or writes files or the network", "read and write on a thread of its own, ahead of the step"},
    {"launches", "launches", "short gaps between launches", "short gaps between launches take", "", kNoFaster, kFeed},
    {"host", "host", "waits for the host", "the GPU waits", "for the host to launch",
     "the host does something else between launches", "do less on the host between launches"},
    {"queue", "launched, not started", "launched, not yet started", "launched work waits", "before it starts",
     "launched work has not started",
     "shorten the queue between launch and start: fewer dependencies between streams, CUDA graphs"},
    kUnknown,
    {"", "short gaps", "short gaps", "short gaps between kernels take", "", kNoFaster, kFeed},
}};

}  // namespace

std::span<const GapCause> gap_causes() { return kCauses; }

const GapCause& gap_cause(std::string_view name) {
  const auto* const at = std::find_if(kCauses.begin(), kCauses.end(), [name](const GapCause& each) { return each.name == name; });
  return at == kCauses.end() ? kUnknown : *at;
}

}  // namespace plumbline::core
