#include "verbs/run/confirm.hpp"

#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/experiment/confirmation.hpp"
#include "verbs/environment.hpp"
#include "verbs/run/doubts.hpp"
#include "verbs/run/filters.hpp"

namespace plumbline::verbs {
namespace {

tl::unexpected<Error> wrong(std::string message, std::string hint) {
  return core::fail(ErrorCode::usage, std::move(message), std::move(hint));
}

Status check_together(const RunRequest& request, const Arguments& arguments) {
  if (!arguments.has("confirm_diff"))
    return arguments.has("filter_flag")
               ? Status(wrong("--filter-flag says how the cases of --confirm are named, and there is none",
                              "give --confirm DIFF with it"))
               : Status();
  if (!request.record.empty() || !request.auto_baseline.empty())
    return wrong("--confirm judges the rows in doubt alone, which are no whole baseline", "record without --confirm");
  if (request.sides.size() > 2)
    return wrong("--confirm compares two commands, and there are " + std::to_string(request.sides.size()),
                 "confirm one diff at a time: --ab 'CMD A' 'CMD B' --confirm DIFF");
  return {};
}

// Of one command alone the diff's own baseline.
Status take_baseline(RunRequest& request, const Doubts& doubts, const std::string& given) {
  if (request.sides.size() > 1 || !request.against.empty()) return {};
  if (doubts.baseline.empty())
    return wrong(
        "--confirm " + core::cited_path(given) + " holds no copy of its baseline",
        "measure both sides anew, which is the stronger test: `--ab 'CMD A' 'CMD B'`; or name the baseline: --against REF");
  request.against = doubts.baseline.front();
  request.against_trials.assign(doubts.baseline.begin() + 1, doubts.baseline.end());
  return {};
}

bool is_shell(const std::string& program) {
  constexpr std::array<std::string_view, 3> kShells = {"sh", "bash", "dash"};
  return std::ranges::find(kShells, std::string_view(program).substr(program.rfind('/') + 1)) != kShells.end();
}

// A line of shell that is only split and unquoted is a command whose words can be told: `-run=^$` alone needs no shell.
std::vector<std::string> words_of(const RunRequest::Side& side, const Context& context) {
  const std::vector<std::string>& argv = side.start.argv;
  if (argv.size() != 3 || argv[1] != "-c" || !is_shell(argv[0])) return argv;
  auto words = plain_words(argv[2]);
  if (!words) return argv;
  if (words->front().find('/') != std::string::npos) return *words;
  const auto program = find_program(words->front(), context);
  if (!program) return argv;
  words->front() = *program;
  return *words;
}

Status check_alpha(const Arguments& arguments) {
  const auto alpha = arguments.number("alpha");
  if (!alpha || (*alpha > 0 && *alpha < 0.5)) return {};
  return wrong("--alpha must lie between 0 and 0.5", "default 0.02 with --confirm, for all rows in doubt together");
}

}  // namespace

Status take_confirm(RunRequest& request, const Arguments& arguments, const Context& context) {
  if (auto ok = check_together(request, arguments); !ok) return ok;
  if (!arguments.has("confirm_diff")) return {};
  if (auto ok = check_alpha(arguments); !ok) return ok;
  const std::string given = arguments.text("confirm_diff");
  auto doubts = read_doubts(given, context);
  if (!doubts) return core::fail(doubts.error());

  core::RunConfirm confirm;
  core::SecondLook& look = doubts->look;
  // Other contexts, runs that failed: no row can be measured again for that.
  if (look.rows.empty() && !look.verdict.empty() && look.verdict != "GREEN") {
    return wrong("--confirm " + core::cited_path(given) + " is " + core::cited_word(look.verdict) +
                     ", and no row is in doubt: " + core::cited_list(doubts->reasons),
                 "measure both sides anew: `plumbline run --ab 'CMD A' 'CMD B'`");
  }
  const bool fresh_on_both_sides = request.sides.size() > 1;
  look.family = fresh_on_both_sides ? look.rows.size() : std::max<std::uint64_t>(look.judged, look.rows.size());
  look.alpha = arguments.number("alpha").value_or(core::kConfirmAlpha) / (look.classes ? 2 : 1);
  if (!look.rows.empty()) {
    if (auto ok = take_baseline(request, *doubts, given); !ok) return ok;
    std::vector<std::vector<std::string>> commands;
    for (const RunRequest::Side& side : request.sides) commands.push_back(words_of(side, context));
    auto told = filtered(*doubts, std::move(commands), arguments.text("filter_flag"));
    if (!told) return core::fail(told.error());
    for (std::size_t i = 0; i < request.sides.size() && !told->filter.empty(); ++i)
      request.sides[i].start.argv = std::move(told->commands[i]);
    confirm.harness = std::move(told->harness);
    confirm.filter = std::move(told->filter);
    confirm.why_whole = std::move(told->why_whole);
    confirm.cases = std::move(told->cases);
  }
  confirm.look = std::make_shared<const core::SecondLook>(std::move(look));
  request.confirm = std::move(confirm);
  return {};
}

}  // namespace plumbline::verbs
