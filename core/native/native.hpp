// Other systems that have a baseline and a verdict of their own: what their files say (NativeFile, beside the rows that every
// reader makes) and what their rules make of two of them (NativeReport, beside our verdict). One plain header per system;
// policies/native.hpp has the rules, reports/native.hpp prints them as those systems do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/measurement.hpp"
#include "core/native/inferencebench.hpp"
#include "core/native/msmodeling.hpp"
#include "core/native/spec_decode.hpp"
#include "core/native/tensorsharp.hpp"
#include "core/results/common.hpp"

namespace plumbline::core {

struct NativeFile {
  std::string system;  // "inferencebench" "msmodeling" "tensorsharp" "spec_decode"
  std::string path;    // as the reader was given it
  std::variant<inferencebench::Envelope, msmodeling::File, tensorsharp::File, spec_decode::File> content;
};

// What a side is in its own system's terms; null where it is no file of that system. Borrowed from the measurement.
template <class File>
[[nodiscard]] const File* native_file(const Measurement& side) {
  return side.native == nullptr ? nullptr : std::get_if<File>(&side.native->content);
}

// How a policy of that system's name reads it: GREEN, YELLOW or RED.
enum class NativeOutcome : std::uint8_t { pass, warn, fail };

struct NativeReport {
  std::string system;
  std::string verdict;  // in that system's own word or words: "regression", "FAIL(BASE)", "PASSED"
  std::string summary;  // one line in its words, with counts: "9 regressions, 4 improvements, 4 no_change"
  NativeOutcome outcome = NativeOutcome::pass;
  std::optional<int> exit_code;        // of that system's program, under the flags that were asked; null where it has none
  std::vector<std::string> said;       // why, in its own words, worst first: the reasons of the policy of its name
  std::vector<std::string> said_keys;  // the rows they name
  // What it does not see, or calls a failure without being one: codes native_…, added to our reasons.
  std::vector<Reason> misses;
  std::vector<Warning> warnings;
  std::variant<inferencebench::Report, msmodeling::Report, tensorsharp::Report, spec_decode::Report> detail;
};

}  // namespace plumbline::core
