// msmodeling: case files that hold what its simulator is expected to print, and the two checks and the automatic baseline that
// compare a printed table with one.
#pragma once

#include "formats/format.hpp"
#include "systems/exporter.hpp"
#include "systems/system.hpp"

namespace plumbline::systems::msmodeling {

extern const formats::Format kCaseFormat, kTableFormat;
extern const core::NativePrinter kPrinter;
extern const Exporter kExporter;
extern const System kSystem;

}  // namespace plumbline::systems::msmodeling
