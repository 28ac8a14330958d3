#include "core/speed_of_light.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"

namespace plumbline::core {
namespace {

std::string_view last_part(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? key : key.substr(dot + 1);
}

// One decimal, with a sign when asked; never "-0.0".
std::string one_decimal(double value, bool with_sign) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 1).ptr;
  std::string text(buffer.data(), end);
  if (text == "-0.0") text = "0.0";
  if (with_sign && value > 0 && text != "0.0") text.insert(text.begin(), '+');
  return text;
}

std::string with_unit(std::string number, std::string_view unit) {
  if (!unit.empty()) {
    number += ' ';
    number += unit;
  }
  return number;
}

std::string side_text(std::string_view side, double value, std::string_view unit, double pct, std::string_view ceiling) {
  return std::string(side) + ": " + with_unit(short_number(value), unit) + " (" + one_decimal(pct, false) + "% of " +
         std::string(ceiling) + " SoL)";
}

// Rates of one direction: NCCL's bus and algorithm bandwidth, one-way copies.
bool is_one_direction(std::string_view metric) {
  const std::string name = to_lower(metric);
  if (name.find("bidir") != std::string::npos) return false;
  constexpr auto kWords = std::to_array<std::string_view>(
      {"busbw", "bus_bw", "algbw", "h2d", "d2h", "host_to_device", "device_to_host", "cpu_to_gpu", "_to_cpu"});
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

// Vendors print NVLink as the sum of both directions. A reference that does not say its duplex is known by its figure:
// 300, 600, 900 and 1800 GB/s for generations 2 to 5. (900 is also generation 5's one-way rate: the key's digit decides.)
// PCIe headlines are both directions too: 32, 64, 128 and 256 GB/s for generations 3 to 6.
bool is_known_both_ways(std::string_view ceiling_name, double gigabytes_per_second) {
  if (ceiling_name.ends_with("_bi")) return true;
  if (starts_with_no_case(ceiling_name, "pcie_gen") && ceiling_name.size() > 8) {
    const int generation = ceiling_name[8] - '0';
    return generation >= 3 && generation <= 6 && std::abs(gigabytes_per_second - (4 << generation)) < 1e-9;
  }
  constexpr std::string_view kPrefix = "nvlink";
  if (!starts_with_no_case(ceiling_name, kPrefix)) return false;
  struct Generation {
    char digit;
    double figure;
  };
  constexpr auto kGenerations = std::to_array<Generation>({{'2', 300}, {'3', 600}, {'4', 900}, {'5', 1800}});
  const char digit = ceiling_name.size() > kPrefix.size() ? ceiling_name[kPrefix.size()] : '\0';
  const bool says_generation = digit >= '0' && digit <= '9';
  return std::any_of(kGenerations.begin(), kGenerations.end(), [&](const Generation& one) {
    return (!says_generation || one.digit == digit) && std::abs(gigabytes_per_second - one.figure) <= 1e-9 * one.figure;
  });
}

}  // namespace

std::optional<double> sol_percent(double value, std::string_view unit, double ceiling, std::string_view ceiling_unit) {
  if (!(ceiling > 0) || !std::isfinite(ceiling) || !std::isfinite(value)) return std::nullopt;
  const std::optional<double> factor = ceiling_unit.empty() ? 1.0 : conversion_factor(ceiling_unit, unit);
  if (!factor) return std::nullopt;
  const double pct = value / (ceiling * *factor) * 100;
  if (!std::isfinite(pct)) return std::nullopt;
  return pct;
}

std::optional<SolLine> sol_line(const FrozenSol& frozen, double baseline, double current, std::string_view unit) {
  const std::string_view ceiling_unit = frozen.ceiling_unit.empty() ? unit : std::string_view(frozen.ceiling_unit);
  const auto baseline_pct = sol_percent(baseline, unit, frozen.ceiling_value, ceiling_unit);
  const auto current_pct = sol_percent(current, unit, frozen.ceiling_value, ceiling_unit);
  if (!baseline_pct || !current_pct) return std::nullopt;
  SolLine line;
  line.row_key = frozen.row_key;
  line.ceiling_key = frozen.ceiling_key;
  line.ceiling_value = frozen.ceiling_value;
  line.ceiling_unit = ceiling_unit;
  line.baseline_pct = *baseline_pct;
  line.current_pct = *current_pct;
  line.delta_pp = *current_pct - *baseline_pct;
  const std::string_view ceiling = last_part(frozen.ceiling_key);
  const double delta = current - baseline;
  const std::string change = baseline == 0 ? "n/a" : one_decimal(delta / std::abs(baseline) * 100, true) + "%";
  line.text = side_text("baseline", baseline, unit, *baseline_pct, ceiling) + "\n" +
              side_text("current", current, unit, *current_pct, ceiling) + "\n" +
              "delta: " + with_unit(signed_number(delta), unit) + " (" + change + " absolute, " +
              one_decimal(line.delta_pp, true) + " pp SoL)";
  return line;
}

std::optional<Warning> duplex_warning(const FrozenSol& frozen, std::string_view metric, double value, std::string_view unit) {
  if (!is_one_direction(metric)) return std::nullopt;
  const std::string_view ceiling_unit = frozen.ceiling_unit.empty() ? unit : std::string_view(frozen.ceiling_unit);
  const std::string_view name = last_part(frozen.ceiling_key);
  const auto to_gigabytes = conversion_factor(ceiling_unit, "GB/s");
  const bool both_ways = frozen.duplex.empty() ? to_gigabytes && is_known_both_ways(name, frozen.ceiling_value * *to_gigabytes)
                                               : frozen.duplex == "bi";
  if (!both_ways) return std::nullopt;
  const auto to_unit = conversion_factor(ceiling_unit, unit);
  const auto pct = sol_percent(value, unit, frozen.ceiling_value / 2, ceiling_unit);
  if (!to_unit || !pct) return std::nullopt;
  return Warning{"duplex_mismatch", std::string(metric) + " is a one-direction rate, but " + std::string(name) + " (" +
                                        with_unit(short_number(frozen.ceiling_value), ceiling_unit) +
                                        ") counts both directions: " + with_unit(short_number(value), unit) + " is " +
                                        one_decimal(*pct, false) + "% of " +
                                        with_unit(short_number(frozen.ceiling_value / 2 * *to_unit), unit)};
}

}  // namespace plumbline::core
