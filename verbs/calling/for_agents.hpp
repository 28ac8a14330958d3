// What callers of tools need to know of a verb beside its table, and people at a command line do not: who is answered without
// writing, which parameters the list of tools leaves out, and by which wrong names parameters are called.
#pragma once

#include <string_view>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Whether a call of it changes anything, for callers that may write.
[[nodiscard]] bool writes(const Verb& verb);
// What it writes is evidence beside its answer: who may only read gets the answer alone.
[[nodiscard]] bool answers_without_writing(const Verb& verb);
// Whether callers that may only read are answered.
[[nodiscard]] bool answers_readers(const Verb& verb);

// Understood like all others, and not in the list that every session pays for.
[[nodiscard]] bool is_rare(const Verb& verb, const Param& param);

// The parameter that callers call `word` by mistake; null for a word that nobody is known to use.
[[nodiscard]] const Param* mistaken_for(const Verb& verb, std::string_view word);

}  // namespace plumbline::verbs
