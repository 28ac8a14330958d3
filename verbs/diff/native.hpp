// The other system's side of a diff: its report where both sides are its files.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/measurement.hpp"
#include "core/native.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Null when the two sides are not files of one system. A policy, a report or a setting of another system that is asked for
// without such files is a mistake of the call.
[[nodiscard]] Expected<std::shared_ptr<const core::NativeReport>> native_of(const core::Measurement& baseline,
                                                                            const core::Measurement& current,
                                                                            const DiffRequest& request, std::string_view policy);

// Where the sides are a system's files the other way round, as a baseline file given for the current side.
[[nodiscard]] std::optional<core::Warning> swapped_sides(const core::Measurement& baseline, const core::Measurement& current);

}  // namespace plumbline::verbs
