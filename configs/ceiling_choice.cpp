// Which ceiling fits a metric on a board: words of the metric's key say what is measured, hardware.gpu says the board, and
// the evidence says both. Nothing is guessed: what is missing or ambiguous is an error that says what to pass.
#include <algorithm>
#include <string>

#include "configs/configs.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::configs {
namespace {

using core::ErrorCode;
using core::fail;

// Lower-case words split at everything that is not a letter or digit, with a space before and after: " h100 80gb hbm3 ".
std::string words_of(std::string_view text) {
  std::string words = " ";
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word) {
      words.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    } else if (words.back() != ' ') {
      words.push_back(' ');
    }
  }
  if (words.back() != ' ') words.push_back(' ');
  return words;
}

bool has_words(const std::string& words, std::string_view phrase) {
  return words.find(" " + std::string(phrase) + " ") != std::string::npos;
}
bool has_any(const std::string& words, std::initializer_list<std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) { return has_words(words, phrase); });
}

std::string context_value(const core::Context& context, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto it = context.find(key); it != context.end() && !it->second.empty()) return it->second;
  }
  return {};
}

struct Need {
  std::string measures;  // "" = no rule fits
  std::string precision;
  std::string why;
};

std::string precision_in(const std::string& words) {
  struct Spelling {
    std::string_view precision;
    std::initializer_list<std::string_view> words;
  };
  static const Spelling kSpellings[] = {{"fp4", {"fp4", "nvfp4", "mxfp4", "e2m1"}},
                                        {"fp8", {"fp8", "e4m3", "e5m2", "mxfp8", "float8"}},
                                        {"bf16", {"bf16", "bfloat16"}},
                                        {"fp16", {"fp16", "float16", "half", "hgemm"}},
                                        {"tf32", {"tf32"}},
                                        {"fp32", {"fp32", "float32", "sgemm"}},
                                        {"fp64", {"fp64", "float64", "dgemm", "hpl"}},
                                        {"int8", {"int8"}}};
  for (const Spelling& spelling : kSpellings) {
    if (has_any(words, spelling.words)) return std::string(spelling.precision);
  }
  return {};
}

Need need_of(const std::string& words, std::string_view unit, const core::Context& context) {
  if (has_any(words, {"busbw", "bus bw", "bus bandwidth"})) return {"link", "", "busbw is the rate of one direction of the link"};
  if (has_any(words, {"h2d", "d2h", "host to device", "device to host", "htod", "dtoh"})) {
    return {"pcie", "", "a copy between host and device"};
  }
  if (has_any(words, {"nvlink", "p2p", "peer to peer"})) return {"link", "", "a copy between devices"};
  if (has_any(words, {"hbm", "dram", "vram", "memory bandwidth", "mem bw", "memory bw", "triad", "stream copy", "stream scale",
                      "stream add", "gpu stream"})) {
    return {"memory", "", "memory bandwidth"};
  }
  const core::Quantity quantity = core::parse_unit(unit).quantity;
  if (quantity == core::Quantity::flops || has_any(words, {"tflops", "gflops", "pflops", "flops", "tops"})) {
    std::string precision = precision_in(words);
    std::string from = "the metric's name";
    if (precision.empty()) {
      const std::string said =
          context_value(context, {"identity.dtype", "identity.precision", "identity.quant", "workload.dtype"});
      precision = precision_in(words_of(said));
      from = "the context";
    }
    return {"compute", precision,
            precision.empty() ? "arithmetic of unknown precision" : precision + " arithmetic (" + from + ")"};
  }
  return {};
}

// The longest alias wins; one that is only assumed counts when nothing certain matches.
const Ceilings::Alias* device_of(const std::vector<Ceilings::Alias>& aliases, const std::string& gpu) {
  const Ceilings::Alias* best = nullptr;
  for (const Ceilings::Alias& alias : aliases) {
    if (!has_words(gpu, alias.words)) continue;
    const bool better = best == nullptr || (best->assumed && !alias.assumed) ||
                        (best->assumed == alias.assumed && alias.words.size() > best->words.size());
    if (better) best = &alias;
  }
  return best;
}

}  // namespace

core::Expected<Ceilings::Chosen> Ceilings::choose(const core::Context& context, std::string_view metric,
                                                  std::string_view unit) const {
  const std::string named = "or name a ceiling with --ceiling KEY";
  const std::string said = context_value(context, {"hardware.gpu"});
  if (said.empty()) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: the context does not say hardware.gpu",
                "pass --context hardware.gpu=\"NVIDIA H100 80GB HBM3\", " + named, "hardware.gpu");
  }
  const std::string gpu = words_of(said);
  if (has_words(gpu, "mig")) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: '" + said + "' is a slice of a GPU",
                "name a ceiling that fits the slice with --ceiling KEY", "hardware.gpu");
  }
  const Alias* alias = device_of(aliases_, gpu);
  if (alias == nullptr) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: no board is known for hardware.gpu '" + said + "'",
                "add it to configs/sol-ceilings.yaml, " + named, "hardware.gpu");
  }
  const std::string words = words_of(metric);
  const Need need = need_of(words, unit, context);
  if (need.measures.empty()) {
    const bool algorithm_rate = has_any(words, {"algbw", "alg bw"});
    return fail(ErrorCode::usage, "no ceiling can be chosen for metric '" + std::string(metric) + "'",
                algorithm_rate
                    ? "algbw depends on the number of ranks: compare busbw, " + named
                    : "rules know busbw, host and peer copies, memory bandwidth and FLOPS; name a ceiling with --ceiling KEY",
                "metric");
  }
  if (need.measures == "compute" && need.precision.empty()) {
    return fail(ErrorCode::usage, "no ceiling can be chosen for metric '" + std::string(metric) + "': its precision is not said",
                "pass --context identity.dtype=bf16, " + named, "identity.dtype");
  }
  if (need.measures == "link") {
    const std::string nodes =
        context_value(context, {"parallelism.nodes", "parallelism.nnodes", "hardware.nodes", "workload.nodes"});
    if (core::parse_double(nodes).value_or(1) > 1) {
      return fail(ErrorCode::usage,
                  "no ceiling can be chosen: over " + nodes + " nodes the network is the limit, not the link inside a node",
                  "name the network's ceiling with --ceiling KEY", "nodes");
    }
  }

  // One direction before both; what the device reports, where it is asked for, has its own key and is never chosen silently.
  const core::Ceiling* best = nullptr;
  const auto consider = [&](std::string_view measures, std::string_view precision) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].device != alias->device || traits_[i].measures != measures || all_[i].basis == "device_reported") continue;
      if (measures == "compute" && traits_[i].precision != precision) continue;
      if (best == nullptr || (best->duplex == "bi" && all_[i].duplex == "uni")) best = &all_[i];
    }
  };
  consider(need.measures, need.precision);
  if (best == nullptr && need.measures == "pcie") consider("c2c", "");           // Grace boards have no PCIe between host and GPU
  if (best == nullptr && need.precision == "fp16") consider("compute", "bf16");  // the same peak on every board listed
  if (best == nullptr) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: " + alias->device + " has none for " + need.why,
                "name a ceiling with --ceiling KEY", "metric");
  }
  if (!unit.empty() && !core::conversion_factor(unit, best->unit)) {
    return fail(ErrorCode::usage,
                "no ceiling can be chosen: the metric's unit '" + std::string(unit) + "' does not convert to " + best->unit +
                    " of " + best->key,
                "give the unit with --unit, " + named, "unit");
  }
  std::string evidence = "hardware.gpu '" + said + "' is " + alias->device +
                         (alias->assumed ? " (assumed: the name does not say the board)" : "") + "; " + need.why;
  if (best->duplex == "bi") evidence += "; the file has both directions only";
  return Chosen{*best, std::move(evidence)};
}

}  // namespace plumbline::configs
