// Which ceiling fits a metric on a board: words of the metric's key say what is measured, hardware.gpu says the board, and
// the evidence says both. Nothing is guessed: what is missing or ambiguous is an error that says what to pass.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "configs/configs.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::configs {
namespace {

using core::ErrorCode;
using core::fail;

const char* const kNamed = "or name a ceiling with --ceiling KEY";

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

// "cpu_to_gpu0" and "gpu0_to_gpu1" are "cpu to gpu" and "gpu to gpu"; a GPU's copy to itself is "gpu to itself".
std::string without_indices(const std::string& words) {
  std::string out = " ", before;
  for (const std::string_view word : core::split(words, ' ')) {
    if (word.empty()) continue;
    const bool indexed = word.size() > 3 && (word.starts_with("gpu") || word.starts_with("cpu")) &&
                         std::all_of(word.begin() + 3, word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (indexed && word == before && out.ends_with(" to ")) {
      out += "itself ";
    } else {
      out.append(indexed ? word.substr(0, 3) : word).push_back(' ');
    }
    if (word != "to") before = word;
  }
  return out;
}

// What a metric is to be held against: the first of `measures` that the board has.
struct Need {
  std::vector<std::string_view> measures;  // empty: nothing fits, and `why` says so where there is something to say
  std::string precision;
  std::string why;
  std::string hint;
  bool both_ways = false;  // the figure is the sum of both directions
};

Need none(std::string why, std::string hint = {}) {
  return {{}, {}, std::move(why), hint.empty() ? "name a ceiling with --ceiling KEY" : std::move(hint), false};
}

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
                                        {"fp32", {"fp32", "float32", "float", "sgemm"}},
                                        {"fp64", {"fp64", "float64", "double", "dgemm", "hpl"}},
                                        {"int8", {"int8"}}};
  for (const Spelling& spelling : kSpellings) {
    if (has_any(words, spelling.words)) return std::string(spelling.precision);
  }
  return {};
}

Need arithmetic(const std::string& words, const core::Context& context) {
  if (has_any(words, {"whole machine"})) {
    return none("the figure is of several devices together, and a ceiling is of one board");
  }
  const std::string sparsity = words_of(context_value(context, {"identity.sparsity", "workload.sparsity"}));
  if (has_any(words, {"sparse", "sparsity"}) || (sparsity.size() > 1 && !has_any(sparsity, {"dense", "none", "off", "0"}))) {
    return none("the product is sparse, and the peaks are dense", "name a sparse peak of your own with --ceiling KEY");
  }
  std::string precision = precision_in(words);
  std::string from = "the metric's name";
  if (precision.empty()) {
    precision = precision_in(
        words_of(context_value(context, {"identity.dtype", "identity.precision", "identity.quant", "workload.dtype"})));
    from = "the context";
  }
  if (precision == "fp16" && has_any(words, {"acc16", "fp16 accumulate", "accumulate fp16", "fp16acc"})) precision = "fp16_acc16";
  return {{"compute"},
          precision,
          precision.empty() ? "arithmetic of unknown precision" : precision + " arithmetic (" + from + "), dense",
          {},
          false};
}

// Copies within a board, between boards, and between host and board. Two ways at once is a sum only where the tool says so:
// nvbandwidth's bidirectional tests print one direction while the other runs, except for those named "total".
Need transfer(const std::string& words) {
  const bool memcpy_test = words.find(" memcpy ") != std::string::npos;
  const bool two_ways = has_any(words, {"bidirectional", "bidir", "duplex"}) || words.find("gpu and gpu") != std::string::npos ||
                        words.find("cpu and gpu") != std::string::npos || words.find("gpu and cpu") != std::string::npos;
  const bool sum = two_ways && (!memcpy_test || has_words(words, "total"));
  const std::string ways = sum ? ", both directions together" : two_ways ? ", one direction while the other runs too" : "";
  // The slowest of a table whose cells are copies within and between devices could be of either.
  if (has_words(words, "derived") && has_words(words, "gpu to gpu")) return {};
  if (has_any(words, {"device local", "local copy", "local bandwidth", "gpu to itself"})) {
    return {
        {"memory"}, {}, "a copy within the device's memory (reads and writes: bytes counted once reach at most half)", {}, false};
  }
  if (has_any(words, {"h2d", "d2h", "host to device", "device to host", "htod", "dtoh", "cpu to gpu", "gpu to cpu", "cpu and gpu",
                      "gpu and cpu", "all to host", "host to all", "p2p disabled"})) {
    return {{"c2c", "pcie"}, {}, "a copy between host and device" + ways, {}, sum};
  }
  if (has_any(words, {"nvlink", "p2p", "peer to peer", "gpu to gpu", "gpu and gpu", "device to device"})) {
    return {{"link_peer", "link", "link_pair", "pcie"}, {}, "a copy between two devices" + ways, {}, sum};
  }
  if (has_any(words, {"all to one", "one to all"}) && memcpy_test) {
    return {{"link", "pcie"}, {}, "copies between one device and all others", {}, sum};
  }
  return {};
}

Need need_of(const std::string& words, std::string_view unit, const core::Context& context) {
  const core::Quantity quantity = core::parse_unit(unit).quantity;
  if (quantity == core::Quantity::time) return none("a time is held against no ceiling, only a rate is");
  if (has_any(words, {"busbw", "bus bw", "bus bandwidth"})) {
    // In a mesh a pair shares one link; everything else uses all of them.
    if (has_any(words, {"sendrecv", "send recv"})) {
      return {{"link_peer", "link", "link_pair", "pcie"},
              {},
              "busbw of sendrecv is the rate of one direction of a pair's link",
              {},
              false};
    }
    return {{"link", "link_pair", "pcie"}, {}, "busbw is the rate of one direction of the link", {}, false};
  }
  if (has_any(words, {"algbw", "alg bw"})) {
    return none({}, std::string("algbw depends on the number of ranks: compare busbw, ") + kNamed);
  }
  if (has_words(words, "network")) {
    return none("the network's port decides, and the context does not say its rate",
                "name the port with --ceiling KEY, for instance host.ib_ndr_port_uni");
  }
  if (has_words(words, "host memory")) {
    return none("the host's memory has as many channels as the board, and the context does not say how many",
                "add channels x host.ddr5_4800_channel to configs/sol-ceilings.yaml and name it with --ceiling KEY");
  }
  if (Need need = transfer(words); !need.measures.empty()) return need;
  if (has_any(words, {"hbm", "dram", "vram", "memory bandwidth", "mem bw", "memory bw", "triad", "stream copy", "stream scale",
                      "stream add", "stream triad", "gpu stream"})) {
    return {{"memory"}, {}, "memory bandwidth", {}, false};
  }
  if (quantity == core::Quantity::flops || has_any(words, {"tflops", "gflops", "pflops", "flops", "tops"}) ||
      has_any(words_of(unit), {"tops", "gops", "pops"})) {
    return arithmetic(words, context);
  }
  if (quantity == core::Quantity::operations_per_second ||
      has_any(words, {"tok", "toks", "token", "tokens", "tps", "requests", "req", "qps", "throughput"})) {
    return none(
        "work per second has no ceiling of the board alone: it depends on the bytes and operations that each piece of "
        "work needs",
        "name a ceiling with --ceiling KEY only for a rate of bytes or FLOP");
  }
  return {};
}

// The longest alias wins; one that is only assumed counts when nothing certain matches.
const Ceilings::Alias* device_of(const std::vector<Ceilings::Alias>& aliases, const std::string& gpu) {
  const Ceilings::Alias* best = nullptr;
  for (const Ceilings::Alias& alias : aliases) {
    const std::string words = words_of(alias.words);  // " h100 pcie ", spaces included
    if (words.size() < 2 || gpu.find(words) == std::string::npos) continue;
    const bool better = best == nullptr || (best->assumed && !alias.assumed) ||
                        (best->assumed == alias.assumed && alias.words.size() > best->words.size());
    if (better) best = &alias;
  }
  return best;
}

// Boards whose names share words with an unknown one ("rtx 4090" for "RTX 4000 Ada"), the most alike first.
std::string alike(const std::vector<Ceilings::Alias>& aliases, const std::string& gpu) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const Ceilings::Alias& alias : aliases) {
    std::size_t score = 0;
    for (const std::string_view word : core::split(alias.words, ' ')) {
      for (const std::string_view said : core::split(gpu, ' ')) {
        if (said.empty() || word.empty() || said == "nvidia" || said == "amd") continue;
        const auto [a, b] = std::mismatch(said.begin(), said.end(), word.begin(), word.end());
        const auto common = static_cast<std::size_t>(a - said.begin());
        if (a == said.end() && b == word.end()) {
          score += 10;
        } else if (common >= 2) {
          score = std::max(score, common);
        }
      }
    }
    const auto same = std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.second == alias.device; });
    if (score == 0) continue;
    if (same == found.end()) {
      found.emplace_back(score, alias.device);
    } else {
      same->first = std::max(same->first, score);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> names;
  for (const auto& [score, device] : found) {
    if (2 * score >= found.front().first && names.size() < 3) names.push_back(device);
  }
  return core::listed(names, 3);
}

struct Board {
  const Ceilings::Alias* alias;
  std::string said;
};

// The board of hardware.gpu. A list of names is one board only when all of them are.
core::Expected<Board> board_of(const core::Context& context, const std::vector<Ceilings::Alias>& aliases) {
  const std::string said = context_value(context, {"hardware.gpu"});
  if (said.empty()) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: the context does not say hardware.gpu",
                std::string("pass --context hardware.gpu=\"NVIDIA H100 80GB HBM3\", ") + kNamed, "hardware.gpu");
  }
  if (has_words(words_of(said), "mig")) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: " + core::cited(said) + " is a slice of a GPU",
                "name a ceiling that fits the slice with --ceiling KEY", "hardware.gpu");
  }
  const Ceilings::Alias* alias = nullptr;
  for (const std::string_view one : core::split(said, ',')) {
    const Ceilings::Alias* found = device_of(aliases, words_of(one));
    if (found == nullptr) {
      const std::string near = alike(aliases, words_of(one));
      return fail(ErrorCode::usage, "no ceiling can be chosen: no board is known for hardware.gpu " + core::cited(said),
                  (near.empty() ? "" : "the nearest that are known: " + near + "; ") +
                      std::string("add the board to configs/sol-ceilings.yaml, ") + kNamed,
                  "hardware.gpu");
    }
    if (alias != nullptr && alias->device != found->device) {
      return fail(ErrorCode::usage,
                  "no ceiling can be chosen: hardware.gpu " + core::cited(said) + " names two boards, " + alias->device +
                      " and " + found->device,
                  "name the ceiling of the slower one with --ceiling KEY", "hardware.gpu");
    }
    alias = found;
  }
  return Board{alias, said};
}

// A number after "ranks=" in a key ("all_reduce[size=8,ranks=4].busbw"), else what the context says.
double ranks_of(std::string_view metric, const core::Context& context) {
  if (const std::size_t at = metric.find("ranks="); at != std::string_view::npos) {
    const std::string_view rest = metric.substr(at + 6);
    return core::parse_double(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(0);
  }
  return core::parse_double(context_value(context, {"parallelism.ranks"})).value_or(0);
}

core::Status within_reach(const Need& need, const std::string& device, std::string_view measures, std::string_view metric,
                          const core::Context& context) {
  if (!measures.starts_with("link") && !(measures == "pcie" && need.measures.front() != "c2c")) return {};
  const std::string nodes =
      context_value(context, {"parallelism.nodes", "parallelism.nnodes", "hardware.nodes", "workload.nodes"});
  if (core::parse_double(nodes).value_or(1) > 1) {
    const bool domain = device.find("nvl72") != std::string::npos;
    return fail(ErrorCode::usage,
                "no ceiling can be chosen: over " + nodes + " nodes the network is the limit, not the link inside a node",
                domain ? "when all nodes are of one NVLink domain, --ceiling " + device +
                             ".nvlink5_uni is right; else name the network's ceiling"
                       : "name the network's ceiling with --ceiling KEY",
                "nodes");
  }
  if (const double ranks = ranks_of(metric, context); measures == "link_pair" && ranks > 2) {
    return fail(ErrorCode::usage,
                "no ceiling can be chosen: the bridge of " + device + " joins two boards, and " + core::short_number(ranks) +
                    " ranks took part",
                "name what joins the pairs with --ceiling KEY", "parallelism.ranks");
  }
  return {};
}

// "4" of "4", "Gen4", "PCIe 4.0"; "16" of "x16".
std::string first_number(const std::string& text) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_first_not_of("0123456789", first) - first);
}

}  // namespace

core::Expected<Ceilings::Chosen> Ceilings::choose(const core::Context& context, std::string_view metric,
                                                  std::string_view unit) const {
  const std::string words = without_indices(words_of(metric));
  const Need need = need_of(words, unit, context);
  if (need.measures.empty()) {
    return fail(ErrorCode::usage,
                "no ceiling can be chosen for metric " + core::cited(metric) + "" + (need.why.empty() ? "" : ": " + need.why),
                need.hint.empty()
                    ? "rules know busbw, host and peer copies, memory bandwidth and FLOPS; name a ceiling with --ceiling KEY"
                    : need.hint,
                "metric");
  }
  const auto board = board_of(context, aliases_);
  if (!board) return fail(board.error());
  const std::string& device = board->alias->device;
  const bool compute = need.measures.front() == "compute";
  if (compute && need.precision.empty()) {
    return fail(ErrorCode::usage, "no ceiling can be chosen for metric " + core::cited(metric) + ": its precision is not said",
                std::string("pass --context identity.dtype=bf16, ") + kNamed, "identity.dtype");
  }

  const std::string bus = first_number(context_value(context, {"hardware.memory_bus_width"}));
  const core::Ceiling* best = nullptr;
  const core::Ceiling* reported = nullptr;
  std::string_view measured;
  const auto consider = [&](std::string_view measures, std::string_view precision) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].device != device || traits_[i].measures != measures) continue;
      if (all_[i].basis == "device_reported") {
        reported = &all_[i];
        continue;
      }
      if (measures == "compute" && traits_[i].precision != precision) continue;
      const std::string_view wanted = need.both_ways ? "bi" : "uni";
      if (best == nullptr || (best->duplex != wanted && all_[i].duplex == wanted)) best = &all_[i];
    }
    if (best != nullptr && measured.empty()) measured = measures;
  };
  for (const std::string_view measures : need.measures) {
    if (best == nullptr) consider(measures, need.precision);
  }
  if (best == nullptr && need.precision == "fp16") consider("compute", "bf16");  // the same peak on every board listed
  if (best == nullptr) {
    return fail(ErrorCode::usage, "no ceiling can be chosen: " + device + " has none for " + need.why,
                "name a ceiling with --ceiling KEY", "metric");
  }
  if (auto ok = within_reach(need, device, measured, metric, context); !ok) return fail(ok.error());

  std::string evidence = "hardware.gpu " + core::cited(board->said) + " is " + device +
                         (board->alias->assumed ? " (assumed: the name does not say the board)" : "") + "; " + need.why;
  if (measured == "pcie" && need.measures.front() != "c2c") evidence += "; the board has no other link than PCIe";
  // What was negotiated decides, where the context says it.
  const std::string generation = first_number(context_value(context, {"hardware.pcie_gen", "hardware.pcie_generation"}));
  const std::string width = first_number(context_value(context, {"hardware.pcie_width", "hardware.pcie_lanes"}));
  if (measured == "pcie" && !generation.empty()) {
    const std::string key =
        "host.pcie_gen" + generation + "_x" + (width.empty() ? "16" : width) + (need.both_ways ? "_bi" : "_uni");
    const auto negotiated = std::find_if(all_.begin(), all_.end(), [&](const core::Ceiling& c) { return c.key == key; });
    if (negotiated != all_.end()) {
      best = &*negotiated;
      evidence += "; the context says PCIe generation " + generation + (width.empty() ? ", width taken as x16" : ", x" + width);
    } else {
      evidence += "; the context says PCIe generation " + generation + ", for which there is no " + key;
    }
  } else if (measured == "pcie") {
    evidence += "; generation and width are the board's, the context does not say what was negotiated (hardware.pcie_gen)";
  }
  if (reported != nullptr && measured == "memory") {
    // A bus of that width is in the source of the figure: "7680 bit / 8 x …".
    if (!bus.empty() && reported->source.starts_with(bus + " bit")) {
      best = reported;
      evidence += "; the device reports a bus of " + bus + " bit";
    } else if (bus.empty()) {
      evidence += "; boards that report a narrower bus have " + reported->key + " = " + core::short_number(reported->value) +
                  " " + reported->unit;
    }
  }
  if (!unit.empty() && !core::conversion_factor(unit, best->unit)) {
    return fail(ErrorCode::usage,
                "no ceiling can be chosen: the metric's unit " + core::cited(unit) + " does not convert to " + best->unit +
                    " of " + best->key,
                std::string("give the unit with --unit, ") + kNamed, "unit");
  }
  if (!need.both_ways && best->duplex == "bi") evidence += "; the file has both directions only";
  if (need.both_ways && best->duplex == "uni") evidence += "; the file has one direction only";
  return Chosen{*best, std::move(evidence)};
}

}  // namespace plumbline::configs
