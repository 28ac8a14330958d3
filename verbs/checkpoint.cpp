// checkpoint: the heads of the chains, to be kept where the registry's writers cannot change them. No MCP tool: it is for CI jobs
// and for people, and every tool more costs each session.
#include "core/citing.hpp"
#include "registry/verification.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/reference.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

Expected<registry::Lines> lines_asked(const Arguments& arguments, const std::string& root, const Context& context) {
  const registry::PathLimits limits = path_limits(context);
  const auto store = open_store(root, context);
  if (!arguments.has("measurement")) {
    if (auto ok = store->bring({.kind = {}, .family = {}, .measurement = {}, .slug = {}, .anew = true}); !ok)
      return core::fail(ok.error());
    auto lines = registry::lines_in(store->root(), limits);
    if (!lines) return core::fail(lines.error());
    if (*lines) return std::move(**lines);
    return core::fail(ErrorCode::not_found, "nothing is published under " + core::cited_path(store->address_of(store->root())),
                      "`--repo-root DIR` names the registry");
  }
  const std::string text = arguments.text("measurement");
  const auto name = parse_named_reference(text);
  if (!name || !name->selector.empty()) {
    return core::fail(ErrorCode::usage, "a line is called FAMILY/MEASUREMENT, not " + core::cited(text),
                      "for instance `plumbline checkpoint inference/decode`");
  }
  if (auto ok = store->bring({std::nullopt, name->family, name->measurement, {}, true}); !ok) return core::fail(ok.error());
  auto lines = registry::lines_of(store->root(), name->family, name->measurement, limits);
  if (lines && lines->lines.empty()) return core::fail(unknown_baseline(*store, *name));
  return lines;
}

Expected<Outcome> run_checkpoint(const Arguments& arguments, const Context& context) {
  const auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto lines = lines_asked(arguments, *root, context);
  if (!lines) return core::fail(lines.error());
  auto result = registry::chain_heads(*lines, path_limits(context));
  if (!result) return core::fail(result.error());
  result->root = *root;
  Outcome outcome;
  outcome.json = reports::checkpoint_json(*result, response_format(arguments));
  outcome.text = reports::checkpoint_text(*result);
  return outcome;
}

}  // namespace

const Verb kCheckpoint{
    .name = "checkpoint",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Print the heads of the chains",
    .summary =
        "Print the newest signed publication (the head) of each chain, one per line. Use it to keep the heads in git or in a CI "
        "job: `verify --checkpoint FILE` then notices if the newest publications were removed, or replaced by another history.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "measurement",
             .value_name = "FAMILY/MEASUREMENT",
             .doc = "entries and diffs of one measurement; default all",
             .positional = 1},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "where the registry is"},
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.checkpoint.v1"),
    .examples = {"plumbline checkpoint", "plumbline checkpoint inference/decode"},
    .run = &run_checkpoint,
};

}  // namespace plumbline::verbs
