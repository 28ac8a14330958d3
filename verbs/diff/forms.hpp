// The forms of a diff's answer that --report names; profile-diff has them, too.
#pragma once

#include "core/results/diff.hpp"
#include "verbs/calling/report_targets.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// GitHub takes a mebibyte of a step; other steps of the job want room as well.
inline constexpr std::size_t kStepSummaryBytes = std::size_t{256} << 10U;

[[nodiscard]] Rendered diff_form(const core::DiffResult& result, ReportKind kind, std::size_t md_limit, const Context& context);

}  // namespace plumbline::verbs
