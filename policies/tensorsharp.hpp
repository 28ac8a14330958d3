// See policies/tensorsharp.cpp; reached through the table (policies/native.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/native/tensorsharp.hpp"
#include "policies/native.hpp"

namespace plumbline::policies {

[[nodiscard]] NativeSystem tensorsharp_system();

// Its regression analysis of a run's cells. Without a baseline (null, or one that it cannot read) every cell is untracked.
[[nodiscard]] core::tensorsharp::Report analyze_tensorsharp(const core::tensorsharp::Baseline* baseline,
                                                            std::span<const core::tensorsharp::Cell> cells, double threshold_pct);

}  // namespace plumbline::policies
