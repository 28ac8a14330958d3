// inferencebench: signed envelopes (v1) of one run each, and `diff`, which compares two of them.
#pragma once

#include "formats/format.hpp"
#include "systems/system.hpp"

namespace plumbline::systems::inferencebench {

extern const formats::Format kEnvelopeFormat;
extern const core::NativePrinter kPrinter;
extern const System kSystem;

}  // namespace plumbline::systems::inferencebench
