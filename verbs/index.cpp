// index: the derived index in a database, where one is named; else the cache of what large measurements hold. No verb needs
// either.
#include "core/results/index.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "core/text.hpp"
#include "registry/cache/check.hpp"
#include "registry/cache/database.hpp"
#include "registry/cache/place.hpp"
#include "registry/store.hpp"
#include "reports/verbs/upkeep.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/environment.hpp"
#include "verbs/indexing/derived.hpp"
#include "verbs/resolving/index_address.hpp"

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

constexpr std::int64_t kLongestPause = 86'400;

IndexAction action_of(const std::string& text) {
  if (text == "check") return IndexAction::check;
  if (text == "follow") return IndexAction::follow;
  return text == "rebuild" ? IndexAction::rebuild : IndexAction::drop;
}

// Until somebody stops it; then what was done so far is the answer. Once it has gone well, a database that is away for a while is
// asked again.
Expected<core::IndexResult> follow_on(const registry::Store& store, const std::string& root, IndexWish wish, std::int64_t seconds,
                                      const Context& context) {
  core::IndexResult all;
  std::string told;
  for (bool first = true;;) {
    auto result = derived_index(store, root, wish, context);
    const bool cancelled = !result && result.error().code == ErrorCode::cancelled;
    if (!result && (first || (!cancelled && result.error().code != ErrorCode::environment))) return result;
    if (result) {
      result->added += all.added;
      result->removed += all.removed;
      all = std::move(*result);
      told.clear();
      first = wish.whole = false;
    } else if (!cancelled && result.error().message != std::exchange(told, result.error().message) && context.tell) {
      Error error = std::move(result.error());
      error.message += "; asked again every " + core::counted(static_cast<std::uint64_t>(seconds), "second");
      context.tell(error);
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!context.stop_asked() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (context.stop_asked()) return all;
  }
}

Expected<Outcome> run_derived(const std::string& root, IndexAction action, const Arguments& arguments, const Context& context) {
  const auto every = arguments.integer("every");
  if (every && (action != IndexAction::follow || *every < 1 || *every > kLongestPause))
    return core::fail(ErrorCode::usage, "--every goes with `index follow` and is a number of seconds from 1 to 86400",
                      "leave it out to follow once");
  const IndexWish wish{action, arguments.flag("force"), arguments.flag("whole")};
  if (wish.whole && action != IndexAction::follow)
    return core::fail(ErrorCode::usage, "--whole goes with `index follow`", "leave it out: all else looks at everything anyway");
  const auto store = open_store(root, context);
  const std::string place = registry::absolute_path(root, "", path_limits(context));
  auto result = every ? follow_on(*store, place, wish, *every, context) : derived_index(*store, place, wish, context);
  if (!result) return core::fail(result.error());
  Outcome outcome;
  outcome.json = reports::index_json(*result);
  outcome.text = reports::index_text(*result);
  outcome.gate_tripped = result->differences != 0;
  if (outcome.gate_tripped) {
    outcome.gate_message = "the index and the store differ in " + core::counted(result->differences, "publication") +
                           ": `plumbline index follow` adds what is missing, `plumbline index rebuild` makes it anew";
  }
  return outcome;
}

Expected<Outcome> run_index(const Arguments& arguments, const Context& context) {
  auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const std::string action = arguments.text("action", "check");
  if (arguments.flag("force") && action != "rebuild" && action != "drop")
    return core::fail(ErrorCode::usage, "--force goes with `index rebuild` and `index drop`", "leave it out: nothing is dropped");
  if (!index_address(*root, context).empty()) return run_derived(*root, action_of(action), arguments, context);
  if (action == "follow" || arguments.has("every") || arguments.flag("whole")) {
    return core::fail(
        ErrorCode::usage, "no index is named that could follow",
        "`plumbline index follow --index postgresql://HOST/DATABASE`, PLUMBLINE_INDEX, or `index` in plumbline.yaml");
  }
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
    .title = "Check, follow, rebuild or drop the index",
    .summary =
        "Check whether the index of a registry is right, bring it up to date, rebuild it, or drop it. The index only makes "
        "answers faster. Use this when you doubt that it is right.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "action",
             .kind = choice,
             .help = "check (default), follow, rebuild or drop",
             .positional = 1,
             .choices = {"check", "follow", "rebuild", "drop"}},
            index_param(),
            {.name = "every",
             .kind = integer,
             .value_name = "SECONDS",
             .help = "keep following, with this many seconds in between, until it is stopped"},
            {.name = "whole",
             .kind = boolean,
             .help = "with follow: compare all that the store lists, even where its journal would do"},
            {.name = "force", .kind = boolean, .help = "with rebuild or drop: also an index of another registry"},
            {.name = "repo_root", .kind = path, .value_name = "DIR", .help = "folder of the registry"},
        },
    .output_schema = schemas::text("plumbline.result.index.v1"),
    .examples = {"plumbline index", "plumbline index rebuild"},
    .run = &run_index,
};

}  // namespace plumbline::verbs
