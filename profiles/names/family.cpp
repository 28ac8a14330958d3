#include "profiles/names/family.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "configs/kernel_categories.hpp"
#include "core/text.hpp"
#include "profiles/names/canonical.hpp"
#include "profiles/names/family_parts.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kJudged = std::size_t{16} << 10U;

// at::native's templates for one operation on every element, by which arguments they are called with.
std::optional<KernelFamily> elementwise(const NameWords& words) {
  const std::string_view base = base_name(words.canonical);
  if (base.find("elementwise_kernel") == std::string_view::npos) return std::nullopt;
  KernelFamily family;
  family.operation = "elementwise";
  std::string functor, numbers;
  for (std::string_view argument : split_arguments(template_arguments(words.canonical))) {
    if (is_number(argument)) {
      numbers.append(numbers.empty() ? "" : ",").append(argument);
    } else if (functor.empty()) {
      // The operation is inside the wrapper that walks over strides.
      if (argument.starts_with("at::native::gpu_kernel_impl")) argument = template_arguments(argument);
      functor = argument;
    }
  }
  if (functor.empty()) return std::nullopt;
  const bool contiguous = base.find("vectorized") != std::string_view::npos;
  family.keys = {"elementwise|" + std::string(contiguous ? "contiguous|" : "strided|") + functor, "elementwise|" + functor};
  family.variant = {{"kernel", std::string(base) + (numbers.empty() ? "" : "<" + numbers + ">")}};
  return family;
}

std::optional<KernelFamily> reduction(const NameWords& words) {
  if (base_name(words.canonical) != "reduce_kernel" || words.canonical.find("ReduceOp<") == std::string_view::npos)
    return std::nullopt;
  KernelFamily family;
  family.operation = "reduction";
  const auto arguments = split_arguments(template_arguments(words.canonical));
  for (const std::string_view argument : arguments) {
    if (argument.find("ReduceOp<") == std::string_view::npos) continue;
    const auto inner = split_arguments(template_arguments(argument));
    if (inner.size() < 2) return std::nullopt;
    family.keys = {"reduce|" + std::string(inner[0]) + "|" + std::string(inner[1]), "reduce|" + std::string(inner[1])};
  }
  if (family.keys.empty()) return std::nullopt;
  if (arguments.size() >= 2) family.variant = {{"block", std::string(arguments[0]) + "x" + std::string(arguments[1])}};
  return family;
}

bool is_hash(std::string_view token) {
  if (token.size() < 6) return false;
  const bool hex =
      std::all_of(token.begin(), token.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return hex && std::any_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "0d1d2de3": which arguments the compiler specialised on.
bool is_specialisation(std::string_view token) {
  return token.size() >= 2 && is_digit(token.front()) && token.find('d') != std::string_view::npos &&
         std::all_of(token.begin(), token.end(), [](char c) { return is_digit(c) || c == 'd' || c == 'e' || c == 'c'; });
}

// triton_poi_fused_add_mul_3 does what triton_poi_fused_add_mul_0 does: Inductor numbers kernels in the order it makes them.
std::optional<KernelFamily> triton(const NameWords& words) {
  const bool inductor = words.lower.starts_with("triton_");
  std::string_view name = words.canonical;
  std::size_t cut = 0;
  for (; cut < 3; ++cut) {
    const std::size_t at = name.rfind('_');
    if (at == std::string_view::npos || at == 0) break;
    const std::string_view last = name.substr(at + 1);
    const bool goes = is_specialisation(last) || is_hash(last) || (inductor && is_number(last));
    if (!goes) break;
    name = name.substr(0, at);
  }
  if (!inductor && (cut == 0 || words.canonical.find_first_of("<(:") != std::string_view::npos)) return std::nullopt;
  KernelFamily family;
  family.operation = std::string(name);
  family.library = "Triton";
  family.keys = {std::string(name)};
  if (!inductor) return family;
  // Fused in another order, or as another kind of loop, it is the same work.
  std::vector<std::string_view> parts = core::split(name, '_');
  if (parts.size() > 2) {
    family.variant = {{"kind", std::string(parts[1])}};
    parts.erase(parts.begin(), parts.begin() + 2);
    std::sort(parts.begin(), parts.end());
    std::string key = "triton";
    for (const std::string_view part : parts) key.append("|").append(part);
    family.keys.push_back(std::move(key));
  }
  return family;
}

// Any other name: by its template, then by its name, then without its numbers.
KernelFamily by_template(const NameWords& words) {
  KernelFamily family;
  const std::string_view text = words.canonical;
  const std::string head(text.substr(0, std::min(text.find_first_of("<{("), text.size())));
  family.operation = std::string(base_name(text));
  std::string types, numbers;
  for (const std::string_view argument : split_arguments(template_arguments(text))) {
    std::string& list = is_number(argument) ? numbers : types;
    list.append(list.empty() ? "" : ",").append(argument);
  }
  if (!types.empty()) family.keys.push_back(head + "<" + types + ">");
  family.keys.push_back(head);
  if (!types.empty()) family.variant.emplace_back("types", types);
  if (!numbers.empty()) family.variant.emplace_back("template arguments", numbers);
  std::string plain;
  for (const char c : family.operation) {
    if (!is_digit(c)) {
      plain += c;
    } else if (!plain.ends_with('#')) {
      plain += '#';
    }
  }
  if (plain != family.operation) family.keys.push_back(plain);
  return family;
}

// Matrix products, attention and convolutions that nobody's library names: their own name says more than what they are.
KernelFamily own_name_first(KernelFamily family, const NameWords& words) {
  if (!family.library.empty()) return family;
  auto compiled = triton(words);
  KernelFamily own = compiled ? std::move(*compiled) : by_template(words);
  family.library = own.library;
  for (std::string& key : family.keys) own.keys.push_back(std::move(key));
  family.keys = std::move(own.keys);
  for (auto& variant : own.variant) family.variant.push_back(std::move(variant));
  return family;
}

KernelFamily family_of(const NameWords& words, const configs::KernelCategory& category) {
  if (category.communication) return collective_family(words);
  if (auto found = elementwise(words)) return *found;
  if (auto found = reduction(words)) return *found;
  if (category.name.starts_with("Attention")) return own_name_first(attention_family(words), words);
  if (category.name == "Convolution") return own_name_first(convolution_family(words), words);
  if (category.name.starts_with("GEMM") && category.name != "GEMM epilogue") return own_name_first(gemm_family(words), words);
  if (category.name == "GEMV") return gemv_family(words);
  if (auto found = triton(words)) return *found;
  return by_template(words);
}

}  // namespace

NameWords::NameWords(std::string_view canonical_name)
    : canonical(canonical_name.substr(0, kJudged)), lower(core::to_lower(canonical)) {
  const std::string_view text = lower;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && ((text[i] >= 'a' && text[i] <= 'z') || is_digit(text[i]))) continue;
    if (i > begin) tokens.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

KernelFamily kernel_family(std::string_view name) { return kernel_family(name, canonical_kernel(name)); }

KernelFamily kernel_family(std::string_view name, std::string_view canonical) {
  const auto table = configs::KernelCategories::builtin();
  NameWords words(canonical);
  words.precision = table->precision(name);
  const configs::KernelCategory& category = table->of(name);
  KernelFamily family = family_of(words, category);
  if (family.precision.empty() && !category.communication) family.precision = words.precision;
  return family;
}

std::string change_between(const KernelFamily& baseline, const KernelFamily& candidate) {
  std::string text;
  const auto say = [&](std::string_view what, const std::string& before, const std::string& after) {
    if (before == after || before.empty() || after.empty()) return;
    constexpr std::size_t kLongest = 80;
    if (before.size() > kLongest || after.size() > kLongest) {
      text.append(text.empty() ? "" : ", ").append("other ").append(what);
    } else {
      text.append(text.empty() ? "" : ", ").append(what).append(" ").append(before).append(" -> ").append(after);
    }
  };
  say("library", baseline.library, candidate.library);
  if (baseline.operation == candidate.operation && baseline.operation != "elementwise" && baseline.operation != "reduction")
    say("precision", baseline.precision, candidate.precision);
  if (baseline.operation != candidate.operation) say("kernel", baseline.operation, candidate.operation);
  for (const auto& [what, before] : baseline.variant) {
    for (const auto& [other, after] : candidate.variant) {
      if (what == other) say(what, before, after);
    }
  }
  return text;
}

}  // namespace plumbline::profiles
