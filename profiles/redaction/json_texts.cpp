#include "profiles/redaction/json_texts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "profiles/names/collectives.hpp"
#include "profiles/redaction/plain_words.hpp"

namespace plumbline::profiles {
namespace {

std::string redacted() { return std::string(core::kRedacted); }

bool is_memory(std::string_view text) {
  constexpr auto kKinds = std::to_array<std::string_view>({"pageable", "pinned", "device", "array", "managed", "device_static",
                                                           "managed_static", "unknown", "Pageable", "Pinned", "Device", "Array",
                                                           "Managed", "Device Static", "Managed Static", "Unknown"});
  return std::find(kKinds.begin(), kKinds.end(), text) != kKinds.end();
}

// The words of "regs:32 grid:2,1,1 kind_src:pageable" that say numbers or kinds of memory.
std::string details(std::string_view text) {
  constexpr auto kKeys = std::to_array<std::string_view>({"regs", "static_shared", "dynamic_shared", "grid", "block", "occ_pct",
                                                          "size", "dest", "async", "kind_src", "kind_dst", "kind"});
  std::string kept;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || std::find(kKeys.begin(), kKeys.end(), word.substr(0, colon)) == kKeys.end()) continue;
    const std::string_view value = word.substr(colon + 1);
    if (!is_plain_number(value) && !is_memory(value)) continue;
    kept.append(kept.empty() ? "" : " ").append(word);
  }
  return kept;
}

std::optional<std::string> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at + word.size(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return std::string(word) + std::to_string(number);
}

// What XlaRows asks of the name of a process or thread.
std::string row(std::string_view text) {
  std::string kept;
  if (text.starts_with("Stream #")) kept = number_behind(text, "Stream #").value_or("");
  if (const auto device = number_behind(text, "/device:GPU:")) kept += *device;
  if (text.find("/host:") != std::string_view::npos) kept += "/host:CPU";
  return kept.empty() ? redacted() : kept;
}

std::string collective(std::string_view text) {
  constexpr auto kNames = std::to_array<std::string_view>({"allreduce",
                                                           "allreduce_coalesced",
                                                           "_allgather_base",
                                                           "allgather",
                                                           "allgather_into_tensor_coalesced",
                                                           "allgather_coalesced",
                                                           "_reduce_scatter_base",
                                                           "reduce_scatter",
                                                           "reduce_scatter_tensor_coalesced",
                                                           "all_to_all",
                                                           "all_to_allv",
                                                           "alltoall",
                                                           "alltoall_base",
                                                           "broadcast",
                                                           "broadcast_oop",
                                                           "reduce",
                                                           "gather",
                                                           "scatter",
                                                           "barrier",
                                                           "send",
                                                           "recv",
                                                           "send_recv",
                                                           "wait",
                                                           "init",
                                                           "coalesced",
                                                           "pointToPoint"});
  if (std::find(kNames.begin(), kNames.end(), text) != kNames.end()) return std::string(text);
  const std::string_view type = collective_type(text);
  return type.empty() ? redacted() : std::string(type);
}

std::string category(std::string_view text) {
  if (is_known_category(text)) return std::string(text);
  if (text.ends_with("_runtime")) return "cuda_runtime";
  if (text.ends_with("_driver")) return "cuda_driver";
  return redacted();
}

bool is_letter(std::string_view text) {
  return text.size() == 1 && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text == "(" || text == ")");
}

}  // namespace

std::optional<std::string> JsonTexts::clean(JsonRule rule, const std::string& text) {
  const auto stays_if = [](bool stays) { return stays ? std::nullopt : std::optional(redacted()); };
  switch (rule) {
    case JsonRule::number:
      return stays_if(is_plain_number(text));
    case JsonRule::plain:
      return stays_if(is_plain_fact(text));
    case JsonRule::letter:
      return stays_if(is_letter(text));
    case JsonRule::memory:
      return stays_if(is_memory(text));
    case JsonRule::dtype:
      return stays_if(is_known_dtype(text));
    case JsonRule::category:
      return category(text);
    case JsonRule::collective:
      return collective(text);
    case JsonRule::details:
      return details(text);
    case JsonRule::row:
      return text == "Steps" || is_plain_fact(text) ? std::nullopt : std::optional(row(text));
    case JsonRule::id:
      return is_plain_number(text) || is_plain_fact(text) ? std::nullopt : std::optional(ids_.of(text));
    case JsonRule::group:
      return is_plain_fact(text) ? std::nullopt : std::optional(groups_.of(text));
    case JsonRule::name:
      break;
  }
  return redacted();
}

}  // namespace plumbline::profiles
