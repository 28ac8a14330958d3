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

// `tier`: which part of plumbline.yaml holds besides (verbs/resolving/project_file.hpp).
[[nodiscard]] inline Param tier_param() {
  return {.name = "tier",
          .value_name = "NAME",
          .help = "the tier of plumbline.yaml, e.g. nightly; default PLUMBLINE_TIER, else none",
          .page =
              "the [tier](../project-file.md#tiers) of `plumbline.yaml` whose rules, waivers and cases also apply; default "
              "`PLUMBLINE_TIER`, else none",
          .cli_only = true};
}

// `response_format`: how much a result holds; the value of `--json` is the same whoever asks.
[[nodiscard]] inline Param response_format_param() {
  return {.name = "response_format",
          .kind = ParamKind::choice,
          .value_name = "FORMAT",
          .doc = "8 or 40 KB",
          .help = "of the JSON: concise, at most 8 KB (default), or detailed, at most 40 KB",
          .choices = {"concise", "detailed"}};
}
// A picture beside the result, for models and clients that look at images: about 900 tokens.
[[nodiscard]] inline Param chart_param() {
  return {.name = "chart", .kind = ParamKind::boolean, .doc = "add a PNG picture", .mcp_only = true};
}
[[nodiscard]] inline reports::ResponseFormat response_format(const Arguments& arguments) {
  return arguments.text("response_format") == "detailed" ? reports::ResponseFormat::detailed : reports::ResponseFormat::concise;
}

}  // namespace plumbline::verbs
