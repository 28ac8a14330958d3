#include "core/results/sol_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

constexpr double kNear = 80;       // percent of the ceiling: what is lost here can hardly be won elsewhere
constexpr double kFar = 50;        // below: tuning usually finds more than such a loss
constexpr double kOtherBound = 5;  // below: something else is the limit, not this ceiling
constexpr double kSlack = 1e-9;

std::string_view last_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

std::string one_decimal(double value) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 1).ptr;
  const std::string text(buffer.data(), end);
  return text == "-0.0" ? "0.0" : text;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// 2 when a one-direction rate is held against the sum of both directions, else 1.
double ways(const FrozenSol& frozen, std::string_view key, std::string_view unit) {
  return duplex_warning(frozen, key, 1, unit) ? 2 : 1;
}

double ways(const SolLine& line) {
  FrozenSol frozen;
  frozen.row_key = line.row_key;
  frozen.ceiling_key = line.ceiling_key;
  frozen.ceiling_value = line.ceiling_value;
  frozen.ceiling_unit = line.ceiling_unit;
  return ways(frozen, line.row_key, line.ceiling_unit);
}

// What may explain a share above 100 %, by what the ceiling is of and what the key says was measured.
std::string explanation(std::string_view ceiling_key, std::string_view key) {
  const std::string ceiling = to_lower(last_part(ceiling_key));
  const std::string name = to_lower(key);
  const bool switched = ceiling.starts_with("nvlink4") || ceiling.starts_with("nvlink5");  // NVSwitch of generation 3 or later
  const bool pairwise = has_any(name, {"sendrecv", "alltoall", "all_to_all", "gather_perf", "scatter_perf"});
  const bool collective =
      has_any(name, {"all_reduce", "allreduce", "reduce_scatter", "reducescatter", "all_gather", "allgather", "broadcast"});
  const bool busbw = has_any(name, {"busbw", "bus_bw"});
  if (switched && (collective || busbw) && !pairwise) {
    return "exceeds the ring ceiling (in-network reduction): busbw is computed as for a ring, and NVSwitch reduces and copies "
           "inside the switch (NVLink SHARP), which such a ceiling does not bound" +
           std::string(collective ? "" : "; that holds for all_reduce and its parts, not for sendrecv or alltoall") +
           "; which algorithm ran, NCCL_DEBUG=INFO says";
  }
  if (ceiling.starts_with("nvlink") || ceiling.starts_with("infinity") || ceiling.starts_with("ici") ||
      ceiling.starts_with("neuronlink") || ceiling.starts_with("hccs") || ceiling.starts_with("ethernet")) {
    return "a link does not carry more than its rate: the figure counts both directions or several links, or the board is "
           "another "
           "one than the ceiling's";
  }
  if (ceiling.starts_with("pcie") || ceiling.find("c2c") != std::string::npos) {
    return "the link was trained faster than the ceiling's, or the figure counts both directions or comes from a cache";
  }
  if (ceiling.starts_with("hbm") || ceiling.starts_with("gddr") || ceiling.starts_with("ddr") || ceiling.starts_with("unified")) {
    return "the data sat in a cache (buffers should be several times the last-level cache), or the board has faster memory than "
           "the ceiling's";
  }
  if (has_any(ceiling, {"fp", "bf16", "tf32", "int8"})) {
    return "the arithmetic was of another precision or sparse, operations were counted that were not done, or the clock was "
           "above "
           "the data sheet's";
  }
  return "the ceiling is not the limit of this measurement";
}

}  // namespace

double headroom_pp(const SolLine& line) { return 100 / ways(line) - line.current_pct; }

std::string sol_note(const SolLine& line) {
  const double factor = ways(line);
  const double before = line.baseline_pct * factor, now = line.current_pct * factor;
  const std::string of = factor > 1 ? " of one direction" : "";
  if (before > 100 * (1 + kSlack) || now > 100 * (1 + kSlack)) {
    return one_decimal(std::max(before, now)) + " % of the ceiling" + of + ": " + explanation(line.ceiling_key, line.row_key);
  }
  if (!(line.delta_pp < 0) || !(before > 0)) return {};
  const std::string lost = one_decimal(100 * (before - now) / before) + " % lost";
  if (now < kOtherBound) {
    return lost + " at " + one_decimal(now) + " % of the ceiling" + of +
           ": something else is the limit here (latency, size), so points "
           "say little";
  }
  if (before >= kNear) {
    return lost + " near the limit: only " + one_decimal(100 - before) + " points" + of +
           " stood above the baseline, so other tuning "
           "can hardly win it back";
  }
  const std::string room = one_decimal(100 - now) + " points" + of + " of headroom are left";
  if (before < kFar) return lost + " far from the limit: " + room + ", much more than the loss";
  return lost + " at some distance from the limit: " + room;
}

std::optional<Warning> above_ceiling(const FrozenSol& frozen, std::string_view key, double value, std::string_view unit) {
  const std::string_view ceiling_unit = frozen.ceiling_unit.empty() ? unit : std::string_view(frozen.ceiling_unit);
  const double factor = ways(frozen, key, unit);
  const auto pct = sol_percent(value, unit, frozen.ceiling_value / factor, ceiling_unit);
  if (!pct || !(*pct > 100 * (1 + kSlack))) return std::nullopt;
  const std::string figure = short_number(frozen.ceiling_value / factor) + " " + std::string(ceiling_unit);
  return Warning{"above_ceiling", std::string(key) + " is " + one_decimal(*pct) + " % of " + frozen.ceiling_key + " (" + figure +
                                      (factor > 1 ? ", one direction" : "") + "): " + explanation(frozen.ceiling_key, key)};
}

}  // namespace plumbline::core
