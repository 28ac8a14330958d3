// What argv and JSON have in common when they become Arguments: how a parameter is called in messages, how one text
// becomes a typed value, and what is said when it cannot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

// "tolerance_percent" -> "--tolerance-percent"
[[nodiscard]] std::string flag_of(std::string_view name);
[[nodiscard]] bool is_list(ParamKind kind);
// Several clients know no schema of more than one type: a list of which most calls give one, like the one that comes first, is
// listed as a text. An array is read all the same.
[[nodiscard]] bool is_listed_as_text(const Param& param);
[[nodiscard]] const Param* find_param(const Verb& verb, std::string_view name);

// Those that may stand without their flag, in their order.
[[nodiscard]] std::vector<const Param*> positional_params(const Verb& verb);

// A single text as the parameter's kind (lists give a list of one). `shown` is the parameter's name in messages:
// "--tolerance-percent" on a command line, "tolerance_percent" in JSON.
[[nodiscard]] Expected<Value> value_from_text(const Param& param, std::string_view shown, std::string_view text);

// The words that stood without a flag where two lists could have taken them, as Arguments::list has them: a verb to which it
// matters which list they belong to asks for them by this name, which no parameter has.
inline constexpr std::string_view kWordsWithoutFlag = "words without flag";

// `did you mean "X"?`, or "" when nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace plumbline::verbs
