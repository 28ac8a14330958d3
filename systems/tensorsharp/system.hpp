// TensorSharp: the results of its test matrix, one file a cell, and its regression analysis of them against the baseline file of
// a host.
#pragma once

#include "formats/format.hpp"
#include "systems/exporter.hpp"
#include "systems/system.hpp"

namespace plumbline::systems::tensorsharp {

extern const formats::Format kBaselineFormat, kResultsFormat;
extern const core::NativePrinter kPrinter;
extern const Exporter kExporter;
extern const System kSystem;

}  // namespace plumbline::systems::tensorsharp
