#include <array>

#include "formats/format.hpp"

namespace plumbline::formats {

std::span<const GroupAbout> groups() {
  static constexpr std::array<GroupAbout, 9> kGroups = {{
      {Group::generic, "generic", "any JSON, CSV, Markdown table or lines of numbers"},
      {Group::serving, "serving", "serving of models"},
      {Group::training, "training", "training of models and their operators"},
      {Group::harness, "harness", "benchmark harnesses of programming languages"},
      {Group::hardware, "hardware", "GPUs, memory and interconnects"},
      {Group::load, "load", "load tests of servers"},
      {Group::system, "system", "databases, disks, networks, processors, counters"},
      {Group::ci, "ci", "records of continuous integration"},
      {Group::other_systems, "other-systems", "baselines and results of other systems"},
  }};
  return kGroups;
}

const GroupAbout& about(Group group) { return groups()[static_cast<std::size_t>(group)]; }

}  // namespace plumbline::formats
