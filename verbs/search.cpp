#include "core/text.hpp"
#include "registry/store.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/shared_params.hpp"
#include "verbs/calling/warnings.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/index_address.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::int64_t kMostHits = 1000;

Expected<Outcome> run_search(const Arguments& arguments, const Context& context) {
  registry::SearchQuery query;
  query.text = arguments.text("query");
  query.family = arguments.text("family");
  query.measurement = arguments.text("measurement");
  query.verdict = arguments.text("verdict");
  query.key = arguments.text("key");
  query.since = arguments.text("since");
  query.until = arguments.text("until");
  const std::int64_t limit = arguments.integer("limit").value_or(query.limit);
  if (limit < 1 || limit > kMostHits) {
    return core::fail(ErrorCode::usage,
                      "--limit must be from 1 to " + std::to_string(kMostHits) + ", not " + std::to_string(limit),
                      "narrow a large answer with --family, --measurement, --verdict, --key, --since or --until");
  }
  query.limit = static_cast<std::uint32_t>(limit);
  const auto root = root_of(arguments, context);
  if (!root) return core::fail(root.error());
  const auto limits = path_limits(context);
  const auto store = open_store(*root, context);
  const auto result = registry::search(*store, query, limits);
  if (!result) return core::fail(result.error());
  Outcome outcome;
  outcome.json = reports::search_json(*result, response_format(arguments));
  outcome.text = reports::search_table(*result, true);
  outcome.text_has_warnings = true;
  outcome.warnings = warning_lines(result->warnings);
  return outcome;
}

}  // namespace

const Verb kSearch{
    .name = "search",
    .tool = "search_evidence",
    .tool_aliases = {},
    .library = "mcp_aux",
    .title = "Search entries and bundles",
    .summary =
        "Find entries and diff bundles by text, family, verdict, key or date. Use it to find out whether a regression was seen "
        "before and what was decided then.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "query", .value_name = "TEXT", .doc = "words in names, labels, notes, reasons", .positional = 1},
            {.name = "family", .value_name = "F", .doc = "only of this family", .help = "only of this family"},
            {.name = "measurement", .value_name = "M", .doc = "only of this measurement", .help = "only of this measurement"},
            {.name = "verdict",
             .kind = choice,
             .doc = "only such bundles",
             .help = "only bundles with this verdict",
             .choices = {"GREEN", "YELLOW", "RED"}},
            {.name = "key",
             .value_name = "KEY",
             .doc = "metric that a verdict names",
             .help = "only bundles whose verdict names this metric key"},
            {.name = "since",
             .value_name = "DATE",
             .doc = "from this day on: 2026-11-20",
             .help = "not older than this date, e.g. 2026-11-20"},
            {.name = "until", .value_name = "DATE", .doc = "up to this day", .help = "not newer than this date, e.g. 2026-11-20"},
            {.name = "limit",
             .kind = integer,
             .value_name = "N",
             .doc = "how many, default 20",
             .help = "how many to list, default 20"},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "folder of the registry",
             .help = "folder of the registry"},
            index_param(),
            response_format_param(),
        },
    .output_schema = schemas::text("plumbline.result.search.v1"),
    .examples = {"plumbline search decode --verdict RED"},
    .run = &run_search,
};

}  // namespace plumbline::verbs
