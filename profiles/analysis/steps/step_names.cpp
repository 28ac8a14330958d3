#include "profiles/analysis/steps/step_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::array<std::string_view, 6> kStepWords = {"step", "iter", "iteration", "batch", "microbatch", "micro_batch"};

using base::is_digit;
using base::is_letter;

// "domain:text" as nsys exports name ranges; ":text" in the default domain. "Step: 12" has no domain.
std::string_view without_domain(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon + 1 < name.size() && colon != std::string_view::npos && is_letter(name[colon + 1]) ? name.substr(colon + 1) : name;
}

// Numbers, punctuation, "to" and "of": "#1009", "_15", " 0 to 10", " 3/100".
bool only_numbers(std::string_view rest) {
  std::size_t at = 0;
  while (at < rest.size()) {
    if (!is_letter(rest[at])) {
      if (static_cast<unsigned char>(rest[at]) >= 0x80) return false;
      ++at;
      continue;
    }
    const std::size_t from = at;
    while (at < rest.size() && is_letter(rest[at])) ++at;
    const std::string_view word = rest.substr(from, at - from);
    if (word != "to" && word != "of") return false;
  }
  return true;
}

std::optional<std::uint64_t> first_number(std::string_view text) {
  const auto from = std::find_if(text.begin(), text.end(), is_digit);
  std::uint64_t value = 0;
  if (from == text.end()) return std::nullopt;
  for (auto at = from; at != text.end() && is_digit(*at); ++at) {
    if (value > (std::uint64_t{1} << 58)) return std::nullopt;  // no step is counted so far
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  return value;
}

std::string_view trouble(std::regex_constants::error_type code) {
  using namespace std::regex_constants;
  if (code == error_paren) return "a parenthesis without its partner, or a repetition of nothing";
  if (code == error_brack) return "a bracket without its partner";
  if (code == error_brace || code == error_badbrace) return "a brace that does not belong";
  if (code == error_range) return "a range that runs backwards";
  if (code == error_badrepeat) return "a repetition of nothing";
  if (code == error_escape) return "an escape that does not exist";
  if (code == error_ctype) return "a character class that does not exist";
  if (code == error_collate) return "a collating element that does not exist";
  if (code == error_backref || code == error_complexity) return "a back reference, which is not supported";
  return "more than is supported";
}

std::regex compiled(const std::string& text) {
  // __polynomial: libstdc++ walks all alternatives side by side instead of trying one after the other.
  return std::regex(text, std::regex_constants::ECMAScript | std::regex_constants::__polynomial);
}

std::optional<std::string> refusal(const std::string& text) {
  if (text.size() > kStepPatternLength) return "longer than " + std::to_string(kStepPatternLength) + " bytes";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      return "counted repetition {…}, which is not supported";
    }
  }
  try {
    static_cast<void>(compiled(text));
    return std::nullopt;
  } catch (const std::regex_error& error) {
    return std::string(trouble(error.code()));
  }
}

}  // namespace

core::Status check_steps(std::string_view steps) {
  if (steps == "auto" || steps == "none") return {};
  constexpr std::string_view kHint =
      "give auto, none, a range's name (train_step) or a regular expression; \\ takes a character's meaning away";
  if (steps.empty()) return core::fail(core::ErrorCode::usage, "steps is empty", std::string(kHint), "steps");
  if (const auto why = refusal(std::string(steps))) {
    return core::fail(
        core::ErrorCode::usage,
        "--steps is not a usable regular expression: " + core::cited(steps.substr(0, kStepPatternLength)) + ": " + *why,
        std::string(kHint), "steps");
  }
  return {};
}

std::optional<StepName> numbered_name(std::string_view name) {
  name = without_domain(name.substr(0, kStepNameLength));
  const auto digit = std::find_if(name.begin(), name.end(), is_digit);
  std::string_view stem = name.substr(0, static_cast<std::size_t>(digit - name.begin()));
  const std::string_view rest = name.substr(stem.size());
  while (!stem.empty() && !is_letter(stem.back())) stem.remove_suffix(1);
  if (stem.empty() || !only_numbers(rest)) return std::nullopt;
  StepName result{stem, first_number(rest)};
  result.marker = stem == "ProfilerStep" && name.substr(stem.size()).starts_with('#') && result.number;
  return result;
}

bool names_step(std::string_view stem) {
  const std::string lower = core::to_lower(stem);
  for (const std::string_view word : kStepWords) {
    if (!lower.ends_with(word)) continue;
    const std::size_t at = lower.size() - word.size();
    if (at == 0 || !is_letter(lower[at - 1])) return true;
    if (std::isupper(static_cast<unsigned char>(stem[at])) != 0 && std::islower(static_cast<unsigned char>(stem[at - 1])) != 0)
      return true;  // TrainStep
  }
  return false;
}

struct StepPattern::Expression {
  std::regex regex;
};

StepPattern::StepPattern(std::string_view steps) : text_(steps) {
  if (!refusal(text_)) expression_.reset(new Expression{compiled(text_)});
}
StepPattern::~StepPattern() = default;

bool StepPattern::names(std::string_view range) const {
  if (range == text_ || without_domain(range) == text_) return true;
  const auto numbered = numbered_name(range);
  return numbered && numbered->stem == text_;
}

bool StepPattern::finds(std::string_view range) const {
  if (!expression_) return false;
  range = range.substr(0, kStepNameLength);
  try {
    return std::regex_search(range.begin(), range.end(), expression_->regex);
  } catch (const std::regex_error&) {  // its own bounds on the work
    return false;
  }
}

}  // namespace plumbline::profiles
