#include "core/units.hpp"

#include <array>
#include <cmath>
#include <string>

#include "core/text.hpp"

namespace plumbline::core {
namespace {

// What a unit text was taken to mean. The noun keeps "tok/s" from being converted to "req/s" and "ms/step" to "ms".
struct Meaning {
  Unit unit;
  std::string noun;  // what is counted, rated or paid per; "" for plain physical units
};

struct Word {
  std::string_view text;
  double factor;
};

constexpr auto kTimes = std::to_array<Word>({
    {"s", 1},
    {"sec", 1},
    {"secs", 1},
    {"second", 1},
    {"seconds", 1},
    {"ms", 1e-3},
    {"msec", 1e-3},
    {"msecs", 1e-3},
    {"millisecond", 1e-3},
    {"milliseconds", 1e-3},
    {"us", 1e-6},
    {"usec", 1e-6},
    {"usecs", 1e-6},
    {"\xC2\xB5s", 1e-6},
    {"\xCE\xBCs", 1e-6},
    {"microsecond", 1e-6},
    {"microseconds", 1e-6},
    {"ns", 1e-9},
    {"nsec", 1e-9},
    {"nsecs", 1e-9},
    {"nanosecond", 1e-9},
    {"nanoseconds", 1e-9},
    {"ps", 1e-12},
    {"min", 60},
    {"mins", 60},
    {"minute", 60},
    {"minutes", 60},
    {"h", 3600},
    {"hr", 3600},
    {"hour", 3600},
    {"hours", 3600},
    {"d", 86400},
    {"day", 86400},
    {"days", 86400},
});

// Singular name of what is counted, by each way of writing it.
struct Noun {
  std::string_view text, name;
};
constexpr auto kNouns = std::to_array<Noun>({
    {"tok", "token"},
    {"toks", "token"},
    {"token", "token"},
    {"tokens", "token"},

    {"req", "request"},
    {"reqs", "request"},
    {"request", "request"},
    {"requests", "request"},
    {"img", "image"},
    {"imgs", "image"},
    {"image", "image"},
    {"images", "image"},
    {"sample", "sample"},
    {"samples", "sample"},
    {"seq", "sequence"},
    {"seqs", "sequence"},
    {"sequence", "sequence"},
    {"sequences", "sequence"},
    {"op", "operation"},
    {"ops", "operation"},
    {"operation", "operation"},
    {"operations", "operation"},
    {"step", "step"},
    {"steps", "step"},
    {"it", "iteration"},
    {"iter", "iteration"},
    {"iters", "iteration"},
    {"iteration", "iteration"},
    {"iterations", "iteration"},
    {"query", "query"},
    {"queries", "query"},
    {"batch", "batch"},
    {"batches", "batch"},
    {"item", "item"},
    {"items", "item"},
    {"example", "example"},
    {"examples", "example"},
    {"frame", "frame"},
    {"frames", "frame"},
    {"call", "call"},
    {"calls", "call"},
    {"packet", "packet"},
    {"packets", "packet"},
    {"msg", "message"},
    {"message", "message"},
    {"messages", "message"},
    {"epoch", "epoch"},
    {"epochs", "epoch"},
    {"row", "row"},
    {"rows", "row"},
    {"error", "error"},
    {"errors", "error"},
    {"run", "run"},
    {"runs", "run"},
});

// The short names that carry no slash.
struct Short {
  std::string_view text, noun;
};
constexpr auto kRates = std::to_array<Short>({{"QPS", "query"},
                                              {"qps", "query"},
                                              {"RPS", "request"},
                                              {"rps", "request"},
                                              {"IOPS", "operation"},
                                              {"iops", "operation"},
                                              {"fps", "frame"},
                                              {"FPS", "frame"}});

// Longest prefix first, so that "Ki" is not read as "K". Lower-case g, m, t are not prefixes here: "gbps" says neither bits
// nor bytes, and m would be milli.
constexpr auto kPrefixes = std::to_array<Word>({
    {"Ki", 1024.0},
    {"Mi", 1048576.0},
    {"Gi", 1073741824.0},
    {"Ti", 1099511627776.0},
    {"Pi", 1125899906842624.0},
    {"k", 1e3},
    {"K", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
    {"P", 1e15},
    {"E", 1e18},
    {"", 1.0},
});

bool strip_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::optional<double> time_factor(std::string_view text) {
  for (const Word& word : kTimes) {
    if (word.text == text) return word.factor;
  }
  return std::nullopt;
}

std::string_view noun_name(std::string_view text) {
  const std::string lowered = to_lower(text);
  for (const Noun& noun : kNouns) {
    if (noun.text == lowered) return noun.name;
  }
  return {};
}

// A prefix followed by one of `words`.
template <std::size_t N>
std::optional<double> prefixed(std::string_view text, const std::array<Word, N>& words) {
  for (const Word& prefix : kPrefixes) {
    if (!text.starts_with(prefix.text)) continue;
    const std::string_view rest = text.substr(prefix.text.size());
    for (const Word& word : words) {
      if (word.text == rest) return prefix.factor * word.factor;
    }
  }
  return std::nullopt;
}

constexpr auto kDataWords = std::to_array<Word>({{"B", 1},
                                                 {"Byte", 1},
                                                 {"Bytes", 1},
                                                 {"byte", 1},
                                                 {"bytes", 1},
                                                 {"bit", 0.125},
                                                 {"bits", 0.125},
                                                 {"Bit", 0.125},
                                                 {"Bits", 0.125}});
std::optional<double> data_factor(std::string_view text) {
  if (const auto factor = prefixed(text, kDataWords)) return factor;
  if (text.size() > 1 && prefixed(text, std::to_array<Word>({{"b", 1}})))
    return *prefixed(text, std::to_array<Word>({{"b", 1}})) / 8;
  return std::nullopt;
}

// "TFLOPS", "TFLOP/s", "tflops", "GFlop/s": the word is unmistakable, so the prefix may be in either case.
std::optional<double> flops_factor(std::string_view text) {
  const std::string lowered = to_lower(text);
  std::string_view rest = lowered;
  if (!strip_suffix(rest, "flops/s") && !strip_suffix(rest, "flop/s") && !strip_suffix(rest, "flops")) return std::nullopt;
  constexpr auto kFlopsPrefixes =
      std::to_array<Word>({{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}, {"p", 1e15}, {"e", 1e18}});
  for (const Word& prefix : kFlopsPrefixes) {
    if (prefix.text == rest) return prefix.factor;
  }
  return std::nullopt;
}

constexpr auto kPlain = std::to_array<std::pair<std::string_view, Unit>>({
    {"%", {Quantity::ratio, 0.01}},
    {"percent", {Quantity::ratio, 0.01}},
    {"pct", {Quantity::ratio, 0.01}},
    {"ratio", {Quantity::ratio, 1}},
    {"fraction", {Quantity::ratio, 1}},
    {"x", {Quantity::ratio, 1}},
    {"count", {Quantity::count, 1}},
    {"mW", {Quantity::power, 1e-3}},
    {"W", {Quantity::power, 1}},
    {"watt", {Quantity::power, 1}},
    {"watts", {Quantity::power, 1}},
    {"kW", {Quantity::power, 1e3}},
    {"MW", {Quantity::power, 1e6}},
    {"uJ", {Quantity::energy, 1e-6}},
    {"mJ", {Quantity::energy, 1e-3}},
    {"J", {Quantity::energy, 1}},
    {"joule", {Quantity::energy, 1}},
    {"joules", {Quantity::energy, 1}},
    {"kJ", {Quantity::energy, 1e3}},
    {"MJ", {Quantity::energy, 1e6}},
    {"Wh", {Quantity::energy, 3600}},
    {"kWh", {Quantity::energy, 3.6e6}},
    {"C", {Quantity::temperature, 1}},
    {"degC", {Quantity::temperature, 1}},
    {"\xC2\xB0"
     "C",
     {Quantity::temperature, 1}},
    {"celsius", {Quantity::temperature, 1}},
    {"Hz", {Quantity::frequency, 1}},
    {"kHz", {Quantity::frequency, 1e3}},
    {"MHz", {Quantity::frequency, 1e6}},
    {"GHz", {Quantity::frequency, 1e9}},
    {"$", {Quantity::money, 1}},
    {"USD", {Quantity::money, 1}},
    {"usd", {Quantity::money, 1}},
});

// What can stand before the first slash, or alone.
std::optional<Meaning> whole(std::string_view text) {
  if (const auto factor = time_factor(text)) return Meaning{{Quantity::time, *factor}, {}};
  for (const auto& [name, unit] : kPlain) {
    if (name == text) return Meaning{unit, {}};
  }
  if (const auto factor = flops_factor(text)) return Meaning{{Quantity::flops, *factor}, {}};
  if (const auto factor = data_factor(text)) return Meaning{{Quantity::bytes, *factor}, {}};
  if (text.size() > 3 && text.ends_with("ps")) {  // "GBps", "Gbps"; too short or without a prefix it says nothing
    if (const auto factor = data_factor(text.substr(0, text.size() - 2)))
      return Meaning{{Quantity::bytes_per_second, *factor}, {}};
  }
  for (const Short& rate : kRates) {
    if (rate.text == text) return Meaning{{Quantity::operations_per_second, 1}, std::string(rate.noun)};
  }
  if (const auto factor = prefixed(text, std::to_array<Word>({{"OPS", 1}, {"OP/s", 1}}))) {
    return Meaning{{Quantity::operations_per_second, *factor}, "operation"};  // "TOPS"
  }
  return std::nullopt;
}

// "tokens", "ktok", "M tokens": a noun with or without a prefix.
std::optional<Meaning> counted_noun(std::string_view text) {
  if (const std::string_view noun = noun_name(text); !noun.empty()) return Meaning{{Quantity::count, 1}, std::string(noun)};
  for (const Word& prefix : kPrefixes) {
    if (prefix.text.empty() || !text.starts_with(prefix.text)) continue;
    const std::string_view rest = trim(text.substr(prefix.text.size()));
    if (rest.size() < 2) continue;
    if (const std::string_view noun = noun_name(rest); !noun.empty())
      return Meaning{{Quantity::count, prefix.factor}, std::string(noun)};
  }
  return std::nullopt;
}

Meaning meaning(std::string_view text) {
  text = trim(text);
  if (const auto plain = whole(text)) return *plain;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    const auto counted = counted_noun(text);
    return counted ? *counted : Meaning{};
  }
  const std::string_view top = trim(text.substr(0, slash));
  std::string_view per = trim(text.substr(slash + 1));
  std::string_view share;  // "tok/s/gpu"
  if (const std::size_t second = per.find('/'); second != std::string_view::npos) {
    share = trim(per.substr(second + 1));
    per = trim(per.substr(0, second));
  }
  std::optional<Meaning> result;
  if (const auto seconds = time_factor(per)) {
    if (const auto data = data_factor(top)) {
      result = Meaning{{Quantity::bytes_per_second, *data / *seconds}, {}};
    } else if (const auto noun = counted_noun(top)) {
      result = Meaning{{Quantity::operations_per_second, noun->unit.factor / *seconds}, noun->noun};
    } else if (top == "t") {
      result = Meaning{{Quantity::operations_per_second, 1 / *seconds}, "token"};  // llama.cpp's "t/s"
    } else if (top == "1") {
      result = Meaning{{Quantity::operations_per_second, 1 / *seconds}, "1"};
    }
  } else if (const auto part = whole(top)) {  // "ms/step", "J/token", "$/M tokens", "B/op"
    if (const auto noun = counted_noun(per)) {
      result = Meaning{{part->unit.quantity, part->unit.factor / noun->unit.factor}, "per " + noun->noun};
    } else if (!per.empty() && part->unit.quantity != Quantity::unknown) {
      result = Meaning{part->unit, "per " + to_lower(per)};  // "GB/gpu"
    }
  }
  if (!result) return Meaning{};
  if (!share.empty()) result->noun += "/" + to_lower(share);
  return *result;
}

}  // namespace

Unit parse_unit(std::string_view text) { return meaning(text).unit; }

std::optional<double> conversion_factor(std::string_view from, std::string_view to) {
  if (from == to) return 1.0;
  const Meaning source = meaning(from), target = meaning(to);
  if (source.unit.quantity == Quantity::unknown || source.unit.quantity != target.unit.quantity || source.noun != target.noun) {
    return std::nullopt;
  }
  // Factors such as 1e-6 are a last bit off, and so is their quotient: between decimal units it is meant to be whole.
  const double from_factor = source.unit.factor, to_factor = target.unit.factor;
  double quotient = from_factor >= to_factor ? from_factor / to_factor : to_factor / from_factor;
  if (std::abs(quotient - std::round(quotient)) <= 1e-12 * quotient) quotient = std::round(quotient);
  return from_factor >= to_factor ? quotient : 1 / quotient;
}

}  // namespace plumbline::core
