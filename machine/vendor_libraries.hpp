// The two vendors behind open_gpus(). Not for other rooms.
#pragma once

#include <memory>

#include "machine/gpus.hpp"

namespace plumbline::machine {

// Null where the library is absent or finds no GPU. `file` "" means the usual name.
[[nodiscard]] std::unique_ptr<Gpus> open_nvml(const char* file);
[[nodiscard]] std::unique_ptr<Gpus> open_rocm_smi(const char* file);

}  // namespace plumbline::machine
