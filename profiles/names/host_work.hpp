// What a range of the host says that the program is doing, where the GPU may have to wait for it. Pure; thread-safe.
#pragma once

#include <string_view>

namespace plumbline::profiles {

// Fetching the next batch: PyTorch's "enumerate(DataLoader)#…", tf.data's iterators, DALI, and ranges that users call so.
[[nodiscard]] bool loads_data(std::string_view range);

}  // namespace plumbline::profiles
