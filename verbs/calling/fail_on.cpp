#include "verbs/calling/fail_on.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "verbs/calling/wording.hpp"
#include "verdict/policy.hpp"
#include "verdict/rows/waiving.hpp"

namespace plumbline::verbs {

namespace {

constexpr std::array<std::string_view, 4> kWords = {"red", "yellow", "draft", "never"};
constexpr std::array<core::State, 8> kStates = {core::State::regressed,    core::State::improved,    core::State::unchanged,
                                                core::State::inconclusive, core::State::missing,     core::State::added,
                                                core::State::invalid,      core::State::unclassified};

std::uint64_t count_of(const core::Counts& counts, std::string_view state) {
  if (state == "regressed") return counts.regressed;
  if (state == "improved") return counts.improved;
  if (state == "unchanged") return counts.unchanged;
  if (state == "inconclusive") return counts.inconclusive;
  if (state == "missing") return counts.missing;
  if (state == "added") return counts.added;
  if (state == "invalid") return counts.invalid;
  if (state == "unclassified") return counts.unclassified;
  return 0;
}

// Rows of the state that a waiver excuses: they trip nothing.
std::uint64_t waived_of(const core::DiffResult& result, std::string_view word) {
  if (result.comparison() == nullptr) return 0;
  for (const core::State state : kStates) {
    if (core::to_string(state) == word) return verdict::waived_rows(*result.comparison(), result.marks(), state);
  }
  return 0;
}

std::optional<std::string> general(const std::string& word, core::Verdict verdict, core::Tier tier,
                                   const std::vector<core::Reason>& reasons) {
  if (word == "red" && verdict == core::Verdict::red) return "verdict RED (--fail-on red)";
  if (word == "yellow" && verdict != core::Verdict::green)
    return "verdict " + std::string(core::to_string(verdict)) + " (--fail-on yellow)";
  if (word == "draft" && tier == core::Tier::draft) return std::string("tier DRAFT (--fail-on draft)");
  for (const core::Reason& reason : reasons) {
    if (reason.code.text() == word) return word + ": " + reason.message;
  }
  return std::nullopt;
}

}  // namespace

Expected<std::vector<std::string>> fail_words(const std::vector<std::string>& given, bool strict) {
  std::vector<std::string_view> known(kWords.begin(), kWords.end());
  for (const core::State state : kStates) known.push_back(core::to_string(state));
  for (const core::ReasonEntry& reason : core::kReasons) known.push_back(reason.text);
  std::vector<std::string> words;
  for (const std::string& list : given) {
    for (const std::string_view piece : core::split(list, ',')) {
      const std::string word = core::to_lower(core::trim(piece));
      if (word.empty()) continue;
      if (std::find(known.begin(), known.end(), word) == known.end()) {
        const std::string_view near = core::nearest(word, known);
        return core::fail(ErrorCode::usage, "--fail-on does not know " + cited(word),
                          near.empty()
                              ? "known are red, yellow, draft, never, row states like regressed or missing, and the codes "
                                "that stand in reasons"
                              : "did you mean " + cited(near) + "?");
      }
      if (word != "never") words.push_back(word);
    }
  }
  if (strict) words.insert(words.end(), {"red", "regressed", "missing", "invalid", "gate_failed"});
  return words;
}

std::optional<std::string> tripped(const std::vector<std::string>& words, const core::DiffResult& result) {
  for (const std::string& word : words) {
    if (auto hit = general(word, result.verdict, result.tier, result.reasons)) return hit;
    if (const std::uint64_t n = count_of(result.counts, word) - waived_of(result, word); n > 0)
      return core::counted(n, word + " row") + " (--fail-on " + word + ")";
  }
  if (words.empty()) return std::nullopt;
  // A gate that heeded a waiver until yesterday does not stay quiet about it today.
  for (const core::Reason& reason : result.reasons) {
    if (reason.code == "waiver_expired") return "waiver_expired: " + reason.message;
  }
  return std::nullopt;
}

std::optional<std::string> tripped(const std::vector<std::string>& words, const core::ProfileDiff& result) {
  for (const std::string& word : words) {
    if (auto hit = general(word, result.verdict, result.tier, result.reasons)) return hit;
  }
  return std::nullopt;
}

std::optional<std::string> tripped(const std::vector<std::string>& words, const core::OutliersResult& result) {
  for (const std::string& word : words) {
    if (auto hit = general(word, result.verdict, result.tier, result.reasons)) return hit;
  }
  return std::nullopt;
}

}  // namespace plumbline::verbs
