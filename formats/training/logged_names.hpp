// What names mean that a trainer logs its scalars by: "eval_runtime", "eval/runtime" in TensorBoard, and of one of several data
// sets "eval_german_runtime". Private to formats/.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "formats/declared_rows.hpp"

namespace plumbline::formats {

// Nothing for names that say none of these.
[[nodiscard]] inline std::optional<Declared> declared_of_logged(std::string_view name) {
  struct Ending {
    std::string_view word;  // behind "_" or "/"
    Declared declared;
  };
  static constexpr Ending kEndings[] = {
      {"runtime", lower_is_better("s")},
      {"samples_per_second", higher_is_better("samples/s")},
      {"steps_per_second", higher_is_better("steps/s")},
      {"tokens_per_second", higher_is_better("tok/s")},
      {"wer", lower_is_better("")},
      {"cer", lower_is_better("")},
      {"perplexity", lower_is_better("")},
      {"accuracy", higher_is_better("")},
      {"f1", higher_is_better("")},
      {"bleu", higher_is_better("")},
      {"exact_match", higher_is_better("")},
  };
  if (name.ends_with("loss")) return lower_is_better("");
  const auto says = [&](const Ending& one) {
    if (!name.ends_with(one.word) || name.size() == one.word.size()) return false;
    const char before = name[name.size() - one.word.size() - 1];
    return before == '_' || before == '/';
  };
  const auto* const known = std::find_if(std::begin(kEndings), std::end(kEndings), says);
  return known == std::end(kEndings) ? std::nullopt : std::optional(known->declared);
}

}  // namespace plumbline::formats
