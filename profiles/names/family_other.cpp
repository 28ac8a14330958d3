// Attention and communication: what the names of FlashAttention, cuDNN, TensorRT-LLM, Triton, NCCL and RCCL kernels say.
#include <algorithm>
#include <array>

#include "profiles/names/canonical.hpp"
#include "profiles/names/collectives.hpp"
#include "profiles/names/family_parts.hpp"

namespace plumbline::profiles {
namespace {

bool has(const NameWords& words, std::string_view part) { return words.lower.find(part) != std::string::npos; }

// The value that the first token of a list stands for.
template <std::size_t N>
std::string_view first_of(const NameWords& words, const std::array<std::pair<std::string_view, std::string_view>, N>& list) {
  for (const std::string_view token : words.tokens) {
    for (const auto& [spelling, value] : list) {
      if (token == spelling) return value;
    }
  }
  return {};
}

std::string attention_library(const NameWords& words) {
  if (has(words, "cudnn")) return "cuDNN";
  if (has(words, "flash::") || has(words, "pytorch_flash") || has(words, "flash_fwd") || has(words, "flash_bwd"))
    return "FlashAttention";
  if (has(words, "flashattn")) return "FlashAttention 3";
  if (has(words, "flashinfer")) return "FlashInfer";
  if (has(words, "fmhasm")) return "TensorRT-LLM";
  if (has(words, "fmha_cutlass")) return "CUTLASS FMHA";
  if (has(words, "ck_tile::") || has(words, "ck::")) return "Composable Kernel";
  if (has(words, "aiter")) return "AITER";
  if (words.lower.starts_with("attn_fwd") || words.lower.starts_with("attn_bwd") || words.lower.starts_with("bwd_kernel"))
    return "Triton";
  return {};
}

// Flash_fwd_kernel_traits<head size, rows, columns, warps, …>
void add_flash_traits(const NameWords& words, KernelFamily& family) {
  const std::size_t at = words.canonical.find("_kernel_traits<");
  if (at == std::string_view::npos) return;
  const auto arguments = split_arguments(template_arguments(words.canonical.substr(at)), 4);
  if (arguments.size() < 4 || !std::all_of(arguments.begin(), arguments.end(), is_number)) return;
  family.variant.emplace_back("head size", arguments[0]);
  family.variant.emplace_back("tile", std::string(arguments[1]) + "x" + std::string(arguments[2]));
  family.variant.emplace_back("warps", arguments[3]);
}

}  // namespace

KernelFamily attention_family(const NameWords& words) {
  KernelFamily family;
  const bool backward = has(words, "bwd") || has(words, "backward") || has(words, "bprop");
  const bool combine = has(words, "combine") || has(words, "reduction") || has(words, "paged_attention_v2_reduce");
  const bool split = has(words, "splitkv") || has(words, "flash_decod") || has(words, "multictaskv");
  const bool decode = has(words, "decode") || has(words, "forgen") || has(words, "paged_attention");
  family.operation = backward  ? "attention backward"
                     : combine ? "attention combine"
                     : decode  ? "attention decode"
                               : "attention forward";
  family.precision = words.precision;
  family.library = attention_library(words);
  const std::string base(base_name(words.canonical));
  family.keys = {family.operation + "|" + family.precision + "|" + base, family.operation + "|" + base,
                 family.operation + "|" + family.precision, family.operation};
  family.variant.emplace_back("algorithm", split ? "split KV" : "one pass over KV");
  if (!split && !decode && family.library.empty()) family.variant.clear();
  add_flash_traits(words, family);
  return family;
}

// ncclKernel_AllReduce_RING_LL_Sum_float, ncclDevKernel_AllReduce_Sum_f32_RING_LL, ncclSymkDevKernel_AllReduce_AGxLL_R_sum_bf16
KernelFamily collective_family(const NameWords& words) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOperations = {
      {{"sum", "sum"}, {"prod", "prod"}, {"max", "max"}, {"min", "min"}, {"avg", "avg"}, {"sumpostdiv", "avg"}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAlgorithms = {{{"ring", "ring"},
                                                                                         {"tree", "tree"},
                                                                                         {"nvls", "nvls"},
                                                                                         {"nvlstree", "nvls tree"},
                                                                                         {"collnet", "collnet"},
                                                                                         {"pat", "pat"},
                                                                                         {"multimem", "multimem"}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kProtocols = {
      {{"ll", "LL"}, {"ll128", "LL128"}, {"simple", "simple"}}};
  KernelFamily family;
  const std::string_view named = collective_type(words.lower);
  const std::string_view type = !named.empty()                      ? named
                                : has(words, "cross_device_reduce") ? "all_reduce"
                                : has(words, "deep_ep")             ? "all_to_all"
                                                                    : std::string_view();
  const bool nccl = has(words, "nccl");
  const std::string base(base_name(words.canonical));
  family.operation = !type.empty() ? std::string(type) : nccl ? "collective" : base;
  family.precision = kernel_dtype(words.canonical);
  family.library = nccl                    ? "NCCL"
                   : has(words, "msccl")   ? "MSCCL"
                   : has(words, "nvshmem") ? "NVSHMEM"
                   : has(words, "rccl")    ? "RCCL"
                                           : "";
  if (type == "all_reduce" || type == "reduce_scatter" || type == "reduce") {
    family.keys.push_back(family.operation + "|" + std::string(first_of(words, kOperations)) + "|" +
                          kernel_dtype(words.canonical));
  }
  // What has no arithmetic has no type either: older NCCL names one all the same.
  family.keys.push_back(family.operation);
  if (nccl) family.keys.emplace_back("nccl");
  family.variant.emplace_back("algorithm", std::string(first_of(words, kAlgorithms)));
  family.variant.emplace_back("protocol", std::string(first_of(words, kProtocols)));
  if (!nccl) family.variant.emplace_back("kernel", base);
  return family;
}

}  // namespace plumbline::profiles
