// Facts that a redacted copy may keep as they are: made of numbers and of words known here, so nothing else can hide in them.
// "NVIDIA H100 80GB HBM3", "Ubuntu 22.04.4 LTS", "#1 SMP PREEMPT_DYNAMIC Sun Mar 30 16:01:29 UTC 2025", "550.54.15", "stream 7",
// "default_pg". A fact with a word of somebody's own is left out whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline::profiles {

[[nodiscard]] bool is_plain_fact(std::string_view text);
// "12", "-0.5", "1e6", "1,024", "0x7f00": no words at all.
[[nodiscard]] bool is_plain_number(std::string_view text);

}  // namespace plumbline::profiles
