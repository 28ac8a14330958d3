// The JSON of `vllm bench serve`, which formats/ reads, as a run of the RFC.
#pragma once

#include "formats/format.hpp"

namespace plumbline::systems::spec_decode {

// The run under the names of the RFC, for its rules; nothing where the measurement holds several runs or is another format's.
void retell(core::Measurement& measurement, const formats::Format& format, const formats::Input& input);

}  // namespace plumbline::systems::spec_decode
