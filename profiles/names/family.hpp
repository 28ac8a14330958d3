// What a kernel does, apart from how this build of it does it: a family key that survives another tile, another number of
// stages, another algorithm or another vendor's library, and what differs, so that a switch can be told in a sentence. The
// names' grammars are read as their libraries write them: cuBLAS (arch_…gemm_…, nvjet_…), XMMA, CUTLASS 2 and 3, Tensile and
// hipBLASLt (Cijk_…), FlashAttention, NCCL before and after 2.19, Triton as Inductor names it, ATen's elementwise and reduce
// templates; any other name by its template. Pure functions, linear in the name's length (its first 16 KiB); ask once a name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::profiles {

struct KernelFamily {
  std::string operation;  // "gemm" "attention forward" "all_reduce" "elementwise" …, else the function's own name
  // From narrow to wide: kernels that share the first do the same on the same data, those that share the last do the same thing.
  std::vector<std::string> keys;
  std::string library;                                       // "cuBLAS" "CUTLASS" "Tensile" "FlashAttention" …, "" = not told
  std::string precision;                                     // "bf16" …, "" = not told
  std::vector<std::pair<std::string, std::string>> variant;  // {"tile", "128x64"}, {"stages", "3"}, {"layout", "tn"} …
};

[[nodiscard]] KernelFamily kernel_family(std::string_view name);
// The same where the canonical name is at hand.
[[nodiscard]] KernelFamily kernel_family(std::string_view name, std::string_view canonical);

// "tile 128x64 -> 256x64, stages 3 -> 4"; "" when the two do not differ in anything that is told.
[[nodiscard]] std::string change_between(const KernelFamily& baseline, const KernelFamily& candidate);

}  // namespace plumbline::profiles
