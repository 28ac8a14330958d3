#include <sys/stat.h>

#include "core/text.hpp"
#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/environment.hpp"
#include "verbs/reference.hpp"
#include "verbs/warnings.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

// A path as it stands; else a name in the registry. A path needs no registry.
Expected<std::string> directory_of(const Arguments& arguments, const Context& context) {
  const std::string text = arguments.text("path");
  const std::string path = registry::absolute_path(text, context.cwd);
  struct stat info {};
  const auto name = parse_named_reference(text);
  if (::stat(path.c_str(), &info) == 0 || !name) return path;
  const auto root = root_of(arguments, context);
  if (!root) return path;  // then verify says that there is no such folder
  return locate_entry(*name, *registry::posix_store(*root));
}

Expected<Outcome> run_verify(const Arguments& arguments, const Context& context) {
  if (!arguments.has("path"))
    return core::fail(ErrorCode::usage, "--path is missing", "plumbline verify ENTRY-OR-BUNDLE-DIRECTORY");
  const auto directory = directory_of(arguments, context);
  if (!directory) return core::fail(directory.error());
  const auto limits = path_limits(context);
  if (auto allowed = registry::check_allowed(*directory, limits); !allowed) return core::fail(std::move(allowed.error()));
  const auto result = registry::verify(*directory, limits);
  if (!result) return core::fail(result.error());
  Outcome outcome;
  outcome.json = reports::verify_json(*result);
  outcome.text = reports::verify_table(*result, true);
  outcome.warnings = warning_lines(result->warnings);
  if (!result->ok) {
    outcome.gate_tripped = true;
    outcome.gate_message = result->problems.empty() ? "verify found a mismatch" : "verify: " + result->problems.front().message;
    if (result->problems.size() > 1)
      outcome.gate_message += " (and " + core::counted(result->problems.size() - 1, "more problem") + ")";
  }
  return outcome;
}

}  // namespace

const Verb kVerify{
    .name = "verify",
    .tool = "bundle_verify",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Verify an entry or a bundle",
    .summary =
        "Check that every file of an entry or bundle is what was published: digests, missing and extra files. Use it before "
        "relying "
        "on a bundle that somebody sent; it works wherever the bundle was copied to.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "path",
             .kind = path,
             .value_name = "PATH",
             .doc = "entry or bundle directory, or family/measurement[@slug]",
             .required = true,
             .positional = 1},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .doc = "registry of a name; a path needs none"},
        },
    .output_schema = schemas::text("plumbline.result.verify.v1"),
    .examples = {"plumbline verify inference/decode"},
    .run = &run_verify,
};

}  // namespace plumbline::verbs
