// The files of one side of a suite: each read by itself, what it says of itself, and which of them are cases at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/suite/pairing.hpp"
#include "verbs/suite/suite.hpp"

namespace plumbline::verbs {

struct SuiteFile {
  intake::Opened source;  // views into the folder's bytes
  std::string relative;
  std::shared_ptr<const core::Measurement> measurement;  // null: it could not be read
  Error error;
};

[[nodiscard]] Expected<std::vector<SuiteFile>> read_suite_files(const intake::Opened& folder, const SuiteTools& tools);
// A slice of a folder again: its views stay valid as long as the folder's bytes.
[[nodiscard]] intake::Opened again(const intake::Opened& slice);
[[nodiscard]] SuiteItem suite_item(const SuiteFile& file);

// What the other side says of a name: a file that nothing reads on either side is no case.
struct OtherSide {
  std::string name;
  bool readable = true;
  std::string problem;  // why not
  bool entry = false;
};
// Files that nothing reads are part of the suite only where their name meets one of the other side's that is a measurement: a
// folder may hold a README and logs. The indices of the others.
[[nodiscard]] std::vector<std::size_t> cases_among(const std::vector<SuiteFile>& files, const std::vector<OtherSide>& others);
[[nodiscard]] OtherSide other_side(const SuiteFile& file);
void warn_unread(const std::vector<SuiteFile>& files, const std::vector<std::size_t>& cases, std::string_view side,
                 std::vector<core::Warning>& warnings);

}  // namespace plumbline::verbs
