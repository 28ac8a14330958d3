#include "profiles/names/work_marks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/characters.hpp"
#include "core/text.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kLooked = 400;  // bytes of a name
constexpr std::array<std::string_view, 5> kBatch = {"bs", "batch_size", "batchsize", "batch", "num_reqs"};
constexpr std::array<std::string_view, 8> kTokens = {"toks",     "tokens",  "num_tokens", "ntokens",
                                                     "n_tokens", "seq_len", "seqlen",     "sequence_length"};
constexpr std::array<std::string_view, 3> kDecode = {"decode", "decode_step", "decoding"};
constexpr std::array<std::string_view, 4> kPrefill = {"prefill", "extend", "prefill_step", "context_phase"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

using base::is_digit;
bool is_word(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

struct Number {
  std::uint64_t value = 0;
  std::size_t end = 0;  // behind its last digit
};
std::optional<Number> number_at(std::string_view text, std::size_t at) {
  Number number;
  const auto [end, error] = std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), number.value);
  if (error != std::errc()) return std::nullopt;
  number.end = static_cast<std::size_t>(end - text.data());
  return number;
}
std::optional<Number> number_behind(std::string_view text, std::string_view prefix, std::size_t from = 0) {
  const std::size_t at = text.find(prefix, from);
  return at == std::string_view::npos ? std::nullopt : number_at(text, at + prefix.size());
}

Phase phase_of(std::uint64_t prefilling, std::uint64_t decoding) {
  if (prefilling > 0) return decoding > 0 ? Phase::mixed : Phase::prefill;
  return decoding > 0 ? Phase::decode : Phase::unknown;
}

// "…context_A(T…)_generation_B(T…)"; T is a number or begins with "sq" (tokens asked for), then a number.
std::optional<WorkMark> vllm(std::string_view text) {
  if (!text.starts_with("execute_")) return std::nullopt;
  const auto context = number_behind(text, "context_");
  const auto generation = context ? number_behind(text, "generation_", context->end) : std::nullopt;
  if (!generation) return std::nullopt;
  const auto tokens_behind = [text](const Number& requests) -> std::optional<Number> {
    if (requests.end >= text.size() || text[requests.end] != '(') return std::nullopt;
    return number_at(text, requests.end + (text.substr(requests.end + 1).starts_with("sq") ? 3 : 1));
  };
  WorkMark mark;
  mark.phase = phase_of(context->value, generation->value);
  mark.batch = context->value + generation->value;
  const auto asked = tokens_behind(*context), generated = tokens_behind(*generation);
  if (asked && generated) mark.tokens = asked->value + generated->value;
  return mark;
}

// "… 1 ctx reqs, 8192 ctx tokens, 3 gen reqs".
std::optional<WorkMark> tensorrt_llm(std::string_view text) {
  const auto before = [text](std::string_view word) -> std::optional<std::uint64_t> {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t from = at;
    while (from > 0 && is_digit(text[from - 1])) --from;
    const auto number = number_at(text, from);
    return number && number->end == at ? std::optional(number->value) : std::nullopt;
  };
  const auto context = before(" ctx reqs"), generation = before(" gen reqs");
  if (!context || !generation) return std::nullopt;
  WorkMark mark;
  mark.phase = phase_of(*context, *generation);
  mark.batch = *context + *generation;
  if (const auto tokens = before(" ctx tokens")) mark.tokens = *tokens + *generation;
  return mark;
}

// Words, those in front of "=" or ":" with the number behind.
std::optional<WorkMark> by_words(std::string_view text) {
  WorkMark mark;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (is_one_of(word, kDecode)) mark.phase = Phase::decode;
    if (is_one_of(word, kPrefill)) mark.phase = Phase::prefill;
    if (word == "mixed") mark.phase = Phase::mixed;
    at = end;
    if (end >= text.size() || (text[end] != '=' && text[end] != ':')) continue;
    at = end + 1;
    while (at < text.size() && text[at] == ' ') ++at;
    const auto number = number_at(text, at);
    if (!number) continue;
    if (is_one_of(word, kBatch)) mark.batch = number->value;
    if (is_one_of(word, kTokens)) mark.tokens = number->value;
    at = number->end;
  }
  if (mark.batch || mark.tokens) return mark;
  // Nothing but the phase, and a number perhaps.
  std::string_view name = text;
  while (!name.empty() && (is_digit(name.back()) || name.back() == '_' || name.back() == ' ' || name.back() == '#'))
    name.remove_suffix(1);
  if (!is_one_of(name, kDecode) && !is_one_of(name, kPrefill)) return std::nullopt;
  mark.phase = is_one_of(name, kDecode) ? Phase::decode : Phase::prefill;
  return mark;
}

}  // namespace

std::optional<WorkMark> work_mark(std::string_view range) {
  while (range.starts_with(':')) range.remove_prefix(1);  // NVTX's default domain
  const std::string text = core::to_lower(range.substr(0, kLooked));
  std::optional<WorkMark> mark = vllm(text);
  if (!mark) mark = tensorrt_llm(text);
  if (!mark) mark = by_words(text);
  if (mark && mark->phase == Phase::decode && mark->batch && !mark->tokens) mark->tokens = mark->batch;
  return mark;
}

}  // namespace plumbline::profiles
