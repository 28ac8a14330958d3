// Names and times of captures in sentences.
#pragma once

#include <map>
#include <span>
#include <string>

#include "core/results/profile_diff.hpp"

namespace plumbline::profiles {

// The function's own name, without return type, template arguments and parameters: for sentences, not for matching. Of a mangled
// name the same, as far as it can be read (names/canonical.hpp).
[[nodiscard]] std::string short_name(std::string name);

// Short names of the kernels of one comparison. Where several kernels have one, it is followed by what is in their angle
// brackets, without namespaces: "elementwise_kernel<128,MulFunctor<float>>".
class ShortNames {
 public:
  explicit ShortNames(std::span<const core::ProfileRow> kernels);
  [[nodiscard]] std::string operator()(const std::string& name) const;

 private:
  std::map<std::string, std::string> first_;  // the short name's first full name, "" where there are several
};

// "26.0 ms", "-13.9 us", for messages.
[[nodiscard]] std::string time_text(double nanoseconds);

}  // namespace plumbline::profiles
