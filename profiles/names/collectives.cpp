#include "profiles/names/collectives.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kLooked = 512;  // bytes of a name; types stand at its front

// Without anything between the words; the first that occurs counts, so a longer word stands before its part.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTypes = {{{"reducescatter", "reduce_scatter"},
                                                                                   {"allreduce", "all_reduce"},
                                                                                   {"crossdevicereduce", "all_reduce"},
                                                                                   {"allgather", "all_gather"},
                                                                                   {"alltoall", "all_to_all"},
                                                                                   {"sendrecv", "send_recv"},
                                                                                   {"broadcast", "broadcast"},
                                                                                   {"bcast", "broadcast"},
                                                                                   {"barrier", "barrier"},
                                                                                   {"gather", "gather"},
                                                                                   {"scatter", "scatter"},
                                                                                   {"reduce", "reduce"},
                                                                                   {"send", "send_recv"},
                                                                                   {"recv", "send_recv"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kDtypes = {{{"float", "float"},
                                                                                    {"f32", "float"},
                                                                                    {"fp32", "float"},
                                                                                    {"float32", "float"},
                                                                                    {"half", "half"},
                                                                                    {"f16", "half"},
                                                                                    {"fp16", "half"},
                                                                                    {"float16", "half"},
                                                                                    {"__half", "half"},
                                                                                    {"bfloat16", "bfloat16"},
                                                                                    {"bf16", "bfloat16"},
                                                                                    {"__nv_bfloat16", "bfloat16"},
                                                                                    {"hip_bfloat16", "bfloat16"},
                                                                                    {"rccl_bfloat16", "bfloat16"},
                                                                                    {"double", "double"},
                                                                                    {"f64", "double"},
                                                                                    {"float64", "double"},
                                                                                    {"int8", "int8"},
                                                                                    {"i8", "int8"},
                                                                                    {"int8_t", "int8"},
                                                                                    {"char", "int8"},
                                                                                    {"uint8", "uint8"},
                                                                                    {"u8", "uint8"},
                                                                                    {"uint8_t", "uint8"},
                                                                                    {"byte", "uint8"},
                                                                                    {"int32_t", "int32"},
                                                                                    {"i32", "int32"},
                                                                                    {"int", "int32"},
                                                                                    {"uint32_t", "uint32"},
                                                                                    {"u32", "uint32"},
                                                                                    {"int64_t", "int64"},
                                                                                    {"i64", "int64"},
                                                                                    {"long", "int64"},
                                                                                    {"uint64_t", "uint64"},
                                                                                    {"u64", "uint64"},
                                                                                    {"f8e4m3", "fp8_e4m3"},
                                                                                    {"float8_e4m3fn", "fp8_e4m3"},
                                                                                    {"f8e5m2", "fp8_e5m2"},
                                                                                    {"float8_e5m2", "fp8_e5m2"},
                                                                                    {"bool", "bool"}}};

std::string_view known_dtype(std::string_view lower) {
  const auto at = std::find_if(kDtypes.begin(), kDtypes.end(), [lower](const auto& each) { return each.first == lower; });
  return at == kDtypes.end() ? std::string_view() : at->second;
}

}  // namespace

std::string_view collective_type(std::string_view text) {
  std::string letters;
  for (const char c : text.substr(0, kLooked)) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') letters += c;
  }
  for (const auto& [word, type] : kTypes) {
    if (letters.find(word) != std::string::npos) return type;
  }
  return {};
}

std::string collective_dtype(std::string_view text) {
  const std::size_t scope = text.rfind("::");
  if (scope != std::string_view::npos) text.remove_prefix(scope + 2);
  std::string lower = core::to_lower(core::trim(text.substr(0, kLooked)));
  const std::string_view known = known_dtype(lower);
  return known.empty() ? lower : std::string(known);
}

std::string kernel_dtype(std::string_view kernel_name) {
  const std::string_view type = collective_type(kernel_name);
  if (type != "all_reduce" && type != "reduce_scatter" && type != "reduce") return {};
  std::string lower = core::to_lower(kernel_name.substr(0, kLooked));
  lower.resize(std::min(lower.size(), lower.find_first_of("(<")));
  for (std::size_t from = 0; from <= lower.size();) {
    const std::size_t end = std::min(lower.find('_', from), lower.size());
    // The type may itself hold underscores ("uint8_t", "__nv_bfloat16"): longer texts first.
    for (const std::size_t longer : {lower.size(), std::min(lower.find('_', end + 1), lower.size()), end}) {
      if (longer < end) continue;
      const std::string_view known = known_dtype(std::string_view(lower).substr(from, longer - from));
      if (!known.empty()) return std::string(known);
    }
    from = end + 1;
  }
  return {};
}

std::optional<double> busbw_factor(std::string_view type, std::uint32_t group_size) {
  if (type == "broadcast" || type == "reduce" || type == "send_recv") return 1.0;
  const bool once =
      type == "all_gather" || type == "reduce_scatter" || type == "all_to_all" || type == "gather" || type == "scatter";
  if ((!once && type != "all_reduce") || group_size < 2) return std::nullopt;
  const double n = group_size;
  return (once ? 1.0 : 2.0) * (n - 1) / n;
}

}  // namespace plumbline::profiles
