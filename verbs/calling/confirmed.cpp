#include "verbs/verb.hpp"

namespace plumbline::verbs {

Status confirmed(const Context& context, std::string_view question) {
  switch (context.confirm ? context.confirm(question) : Consent::yes) {
    case Consent::yes:
      return {};
    case Consent::no:
      return core::fail(ErrorCode::not_confirmed, "not confirmed: nothing was written",
                        "the question was: " + std::string(question));
    case Consent::pending:
      return core::fail(ErrorCode::not_confirmed, "waiting for the answer to: " + std::string(question));
    case Consent::unasked:
      break;
  }
  return core::fail(ErrorCode::not_confirmed, "this wants a person's yes and the client cannot ask: nothing was written",
                    "ask the person who is responsible for these baselines, in their own words and not on their behalf: " +
                        std::string(question) +
                        " Only after their yes, repeat the call with confirm: \"no\"; it is recorded as their decision, with the "
                        "account that this server runs under and the time");
}

}  // namespace plumbline::verbs
