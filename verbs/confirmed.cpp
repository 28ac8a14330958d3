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
                    "ask yourself: " + std::string(question) + " Then repeat the call with confirm: \"no\"");
}

}  // namespace plumbline::verbs
