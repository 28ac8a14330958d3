// The vLLM RFC on speculative decoding (vllm-project/vllm#28135): baselines with a band for each metric, and runs that are to
// stay within them.
#pragma once

#include "formats/format.hpp"
#include "systems/exporter.hpp"
#include "systems/system.hpp"

namespace plumbline::systems::spec_decode {

extern const formats::Format kBaselineFormat, kRunFormat;
extern const core::NativePrinter kPrinter;
extern const Exporter kExporter;
extern const System kSystem;

}  // namespace plumbline::systems::spec_decode
