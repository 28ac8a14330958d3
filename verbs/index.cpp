// index: the cache of what large measurements hold. No verb needs it, and none asks for it by name.
#include "core/results/index.hpp"

#include "registry/cache/check.hpp"
#include "registry/cache/database.hpp"
#include "registry/cache/place.hpp"
#include "registry/store.hpp"
#include "reports/verbs/upkeep.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

// Whoever lists a large line leaves it in the index.
Status list_all(const std::string& root, const Context& context) {
  const auto store = open_store(root, context);
  for (const auto kind : {registry::Kind::entry, registry::Kind::bundle}) {
    const auto names = store->measurements(kind);
    if (!names) return core::fail(names.error());
    for (const auto& [family, measurement] : *names) {
      if (const auto slugs = store->slugs(kind, family, measurement); !slugs) return core::fail(slugs.error());
    }
  }
  return {};
}

Expected<Outcome> run_index(const Arguments& arguments, const Context& context) {
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const std::string action = arguments.text("action", "check");
  const std::string folder = registry::cache::folder(context.environment);
  bool dropped = false;
  if (action != "check" && !folder.empty())
    dropped =
        registry::cache::Database::drop(registry::cache::file(folder, registry::absolute_path(*root, "", path_limits(context))));
  if (action == "rebuild") {
    if (auto ok = list_all(*root, context); !ok) return core::fail(ok.error());
  }
  auto result = registry::cache::check(*root, folder, path_limits(context));
  if (!result) return core::fail(result.error());
  result->action = action;
  result->dropped = dropped;
  Outcome outcome;
  outcome.json = reports::index_json(*result);
  outcome.text = reports::index_text(*result);
  outcome.gate_tripped = !result->wrong.empty();
  if (outcome.gate_tripped) outcome.gate_message = "the index is wrong: `plumbline index rebuild` makes it anew";
  return outcome;
}

}  // namespace

const Verb kIndex{
    .name = "index",
    .tool = "",
    .tool_aliases = {},
    .library = "perf_baseline",
    .title = "Check, rebuild or drop the index",
    .summary =
        "Say whether the index of large measurements is right, make it anew, or remove it. Nothing depends on it but time: use "
        "it "
        "when you doubt it.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "action",
             .kind = choice,
             .help = "check (default), rebuild or drop",
             .positional = 1,
             .choices = {"check", "rebuild", "drop"}},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
        },
    .output_schema = schemas::text("plumbline.result.index.v1"),
    .examples = {"plumbline index", "plumbline index rebuild"},
    .run = &run_index,
};

}  // namespace plumbline::verbs
