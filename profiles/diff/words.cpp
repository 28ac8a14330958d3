#include "profiles/diff/words.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/names/canonical.hpp"

namespace plumbline::profiles {

namespace {

constexpr std::size_t kNameShown = 140;  // with what tells it from others

bool is_mangled(std::string_view name) { return name.starts_with("_Z") && name.size() > 3; }

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// "4,at::native::FillFunctor<float>" -> "4,FillFunctor<float>".
std::string without_namespaces(std::string_view text) {
  std::string result;
  std::size_t word = 0;  // where the last word of the result begins
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "::") {
      result.resize(word);
      ++i;
      continue;
    }
    result += text[i];
    if (!is_word(text[i])) word = result.size();
  }
  return result;
}

std::string own_name(std::string name) {
  if (is_mangled(name)) name = canonical_kernel(name);
  for (const std::string_view noise : {"<unnamed>::", "(anonymous namespace)::"}) {
    for (std::size_t at; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  const std::size_t cut = name.find_first_of("<(");
  if (cut != std::string::npos && cut > 0) name.erase(cut);
  return name;
}

}  // namespace

std::string short_name(std::string name) { return core::cited(own_name(std::move(name)), 80); }

ShortNames::ShortNames(std::span<const core::ProfileRow> kernels) {
  for (const core::ProfileRow& row : kernels) {
    for (const std::string* name : {&row.baseline_name, &row.candidate_name}) {
      if (name->empty()) continue;
      const auto [place, added] = first_.try_emplace(own_name(*name), *name);
      if (!added && place->second != *name) place->second.clear();
    }
  }
}

std::string ShortNames::operator()(const std::string& name) const {
  const std::string text = own_name(name);
  const auto found = first_.find(text);
  if (found == first_.end() || !found->second.empty()) return short_name(name);
  const std::string canonical = canonical_kernel(name);
  const std::string arguments = without_namespaces(template_arguments(canonical));
  return arguments.empty() ? short_name(name) : core::cited(text + "<" + arguments + ">", kNameShown);
}

std::string time_text(double nanoseconds) {
  constexpr std::array<std::pair<double, std::string_view>, 3> kUnits = {{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}}};
  for (const auto& [factor, unit] : kUnits) {
    if (std::abs(nanoseconds) >= factor) return core::short_number(nanoseconds / factor, 4) + std::string(unit);
  }
  return core::short_number(nanoseconds, 4) + " ns";
}

}  // namespace plumbline::profiles
