// Parameters that several verbs have, said once.
#pragma once

#include "reports/reports.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// `confirm`: the server reads it (CONTRACT section 6); the verb asks through confirmed() either way.
[[nodiscard]] inline Param confirm_param() {
  return {.name = "confirm",
          .kind = ParamKind::choice,
          .doc = "ask a person before writing",
          .choices = {"ask", "no"},
          .mcp_only = true};
}

// `response_format`: how much a result holds; the value of `--json` is the same whoever asks.
[[nodiscard]] inline Param response_format_param() {
  return {.name = "response_format",
          .kind = ParamKind::choice,
          .value_name = "FORMAT",
          .doc = "at most 8 or 40 KB",
          .help = "of the JSON: concise, at most 8 KB (default), or detailed, at most 40 KB",
          .choices = {"concise", "detailed"}};
}
[[nodiscard]] inline reports::ResponseFormat response_format(const Arguments& arguments) {
  return arguments.text("response_format") == "detailed" ? reports::ResponseFormat::detailed : reports::ResponseFormat::concise;
}

}  // namespace plumbline::verbs
