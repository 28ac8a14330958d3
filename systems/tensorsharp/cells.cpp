#include "systems/tensorsharp/cells.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/text.hpp"
#include "systems/tensorsharp/model.hpp"

namespace plumbline::systems::tensorsharp {

namespace {

using core::CaseState;
using core::Delta;
using core::SuiteCase;

bool breaks(const Delta& delta, bool suspect) {
  if (delta.gate)
    return delta.state == core::State::regressed || delta.state == core::State::missing || delta.state == core::State::invalid;
  return delta.state == core::State::regressed && !suspect;
}

// Decode throughput where either side decodes, else prefill: the number that its users look at.
bool is_headline(std::string_view metric, bool decodes) { return metric == (decodes ? "decode_tps" : "prefill_tps"); }

core::CaseHeadline headline_of(const core::Comparison& comparison, const Delta& delta, std::string_view metric) {
  core::CaseHeadline out;
  out.key = metric;
  out.state = core::to_string(delta.state);
  const bool baseline = delta.baseline_row != core::kNoRow && comparison.baseline->rows()[delta.baseline_row].value_count > 0;
  const bool current = delta.current_row != core::kNoRow && comparison.current->rows()[delta.current_row].value_count > 0 &&
                       delta.state != core::State::invalid;
  if (const core::Row* row = comparison.row(delta)) out.unit = comparison.side(delta).unit(*row);
  if (baseline) out.baseline = delta.baseline;
  if (current) out.current = delta.current;
  if (baseline && current && std::isfinite(delta.delta_pct)) out.delta_pct = delta.delta_pct;
  return out;
}

// Why a cell is no run to expect anything of: "exit 124", "wrong output: …". "" for one that passed, and for a skipped one.
std::string cell_problem(const Cell& cell) {
  if (cell.skipped) return {};
  // A run that says of its output that it is wrong has not passed, whatever else it says.
  if (cell.entry.correctness_ok == false)
    return "wrong output" + (cell.correctness_error && !cell.correctness_error->empty() ? ": " + *cell.correctness_error : "");
  if (cell.entry.ok) return {};
  return cell.error && !cell.error->empty() ? *cell.error : "it did not run to its end";
}

}  // namespace

std::shared_ptr<const core::SuiteReport> cells_as_cases(const core::Comparison& comparison, const core::RowMarks& marks,
                                                        const core::NativeReport* native) {
  const File* baseline = core::native_file<File>(*comparison.baseline);
  const File* current = core::native_file<File>(*comparison.current);
  if (baseline == nullptr || current == nullptr || !baseline->baseline || current->baseline) return nullptr;

  struct Both {
    const Entry* entry = nullptr;
    const Cell* cell = nullptr;
  };
  std::map<std::string, Both> ids;
  for (const Entry& entry : baseline->baseline->entries) ids[entry.case_id].entry = &entry;
  for (const Cell& cell : current->cells) {
    if (!cell.entry.case_id.empty()) ids[cell.entry.case_id].cell = &cell;
  }
  std::unordered_map<std::string_view, std::vector<const Delta*>> rows;
  for (const Delta& delta : comparison.deltas) {
    const std::string_view key = comparison.baseline->pool().view(delta.key);
    const std::size_t dot = key.rfind('.');
    if (dot != std::string_view::npos) rows[key.substr(0, dot)].push_back(&delta);
  }
  std::unordered_map<std::string_view, std::string> said;
  if (native != nullptr) {
    if (const auto* report = core::native_detail<Report>(*native)) {
      for (const Finding& finding : report->findings) {
        said.emplace(finding.case_id, std::string(to_string(finding.kind)) + ": " + finding.description);
      }
    }
  }

  auto out = std::make_shared<core::SuiteReport>();
  for (const auto& [id, both] : ids) {
    SuiteCase one;
    one.id = id;
    if (both.entry != nullptr) one.baseline_files = {id};
    if (both.cell != nullptr) {
      one.current_files = {both.cell->file.empty() ? id : both.cell->file};
      one.run_problem = cell_problem(*both.cell);
    }
    one.paired_by = both.entry != nullptr && both.cell != nullptr ? "case id" : "";
    if (const auto it = said.find(id); it != said.end()) one.reason = it->second;
    const double before_decode = both.entry == nullptr ? 0 : both.entry->decode_tps;
    const double before_prefill = both.entry == nullptr ? 0 : both.entry->prefill_tps;
    const bool decodes = before_decode > 0 || (both.cell != nullptr && both.cell->entry.decode_tps > 0);
    bool broken = false;
    for (const Delta* delta : rows[id]) {
      const std::string_view key = comparison.baseline->pool().view(delta->key);
      broken = broken || breaks(*delta, marks.suspect(comparison.index(*delta)));
      if (delta->state == core::State::regressed) ++one.counts.regressed;
      if (delta->state == core::State::missing) ++one.counts.missing;
      if (delta->baseline_row != core::kNoRow && delta->current_row != core::kNoRow) ++one.counts.compared;
      if (const std::string_view metric = key.substr(id.size() + 1); is_headline(metric, decodes)) {
        one.headline = headline_of(comparison, *delta, metric);
      }
    }
    if (both.cell == nullptr) {
      one.state = CaseState::stale;
    } else if (both.cell->skipped) {
      one.state = CaseState::skipped;
      if (one.reason.empty()) one.reason = both.cell->skip_reason;
    } else if (both.entry == nullptr) {
      one.state = CaseState::untracked;
    } else {
      one.verdict = broken ? core::Verdict::red : core::Verdict::green;
      one.state = broken ? CaseState::failed : CaseState::passed;
      if (!broken && both.entry->ok && before_decode <= 0 && before_prefill <= 0) one.state = CaseState::no_baseline;
    }
    ++out->totals[static_cast<std::size_t>(one.state)];
    out->cases.push_back(std::move(one));
  }
  std::stable_sort(out->cases.begin(), out->cases.end(), [](const SuiteCase& a, const SuiteCase& b) {
    return core::case_rank(a.state, a.verdict.value_or(core::Verdict::green)) <
           core::case_rank(b.state, b.verdict.value_or(core::Verdict::green));
  });
  return out;
}

std::optional<RunProblem> run_problem(const core::Measurement& run) {
  const File* file = core::native_file<File>(run);
  if (file == nullptr || file->baseline) return std::nullopt;
  for (const Cell& cell : file->cells) {
    if (std::string why = cell_problem(cell); !why.empty())
      return RunProblem{file->cells.size() > 1 ? cell.entry.case_id : std::string(), std::move(why)};
  }
  return std::nullopt;
}

std::optional<std::string> skipped(const core::Measurement& result) {
  const File* file = core::native_file<File>(result);
  if (file == nullptr || file->baseline || file->cells.empty()) return std::nullopt;
  const bool all = std::all_of(file->cells.begin(), file->cells.end(), [](const Cell& cell) { return cell.skipped; });
  if (!all) return std::nullopt;
  return file->cells.front().error.value_or("");
}

}  // namespace plumbline::systems::tensorsharp
