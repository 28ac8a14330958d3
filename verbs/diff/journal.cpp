#include "verbs/diff/journal.hpp"

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {
namespace {

std::vector<std::string> digests_of(const std::vector<intake::Opened>& sources) {
  std::vector<std::string> out;
  for (const intake::Opened& source : sources) {
    if (source.is_capture()) return {};
    out.push_back(intake::digest_of(source));
  }
  return out;
}

tl::unexpected<Error> not_its_trials(const std::string& side, const std::string& journal) {
  return core::fail(ErrorCode::usage, "the " + side + " files are not the trials that " + core::cited_path(journal) + " tells of",
                    "give all trials of a side in the order of their numbers, or leave out --journal", journal);
}

}  // namespace

Status take_journal(DiffRun& run) {
  const std::string& path = run.request.journal;
  if (path.empty()) return {};
  const registry::PathLimits limits = path_limits(run.context);
  auto text = registry::read_file(path, limits);
  if (!text) return core::fail(text.error());
  auto journal = parse_run_journal(text->view(), path);
  if (!journal) return core::fail(journal.error());

  run.journal = std::make_shared<const RunJournal>(std::move(*journal));
  run.journal_sides.current = run.journal->side_of(digests_of(run.sources));
  if (run.journal_sides.current == nullptr) return not_its_trials("current", path);
  if (registry::path_kind(absolute(run.context, run.request.baseline.front()), limits) == registry::PathKind::file) {
    auto opened = load_side("baseline", run.request.baseline, run.request.as, run.context);
    if (!opened) return core::fail(opened.error());
    run.journal_sides.baseline = run.journal->side_of(digests_of(*opened));
    if (run.journal_sides.baseline == nullptr && run.journal->sides.size() > 1) return not_its_trials("baseline", path);
  }
  run.request.paired = run.journal->interleaved && run.journal_sides.baseline != nullptr;
  run.request.anytime = run.journal->anytime;
  run.request.last_look = run.journal->max_runs;
  if (run.journal->second_look != nullptr) {
    run.request.second_look = run.journal->second_look;
    run.request.alpha = run.journal->second_look->alpha;
  }
  run.request.context.insert(run.journal->machine.begin(), run.journal->machine.end());  // --context knows better
  return {};
}

}  // namespace plumbline::verbs
