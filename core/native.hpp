// Other systems that have a baseline and a verdict of their own: what one of their files says in that system's terms (NativeFile,
// beside the rows that every reader makes), and what its rules make of two of them (NativeReport, beside our verdict). What those
// terms are only the system's own room knows (systems/<system>/model.hpp): here the content is a value of an unnamed type.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/measurement.hpp"
#include "core/results/common.hpp"

namespace plumbline::core {

class JsonWriter;

struct NativeFile {
  std::string system;  // "inferencebench" "msmodeling" "tensorsharp" "spec_decode"
  std::string path;    // as the reader was given it
  std::any content;    // of the type that the system's model.hpp has for its files
};

// What a side is in its own system's terms; null where it is no file of that system. Borrowed from the measurement.
template <class File>
[[nodiscard]] const File* native_file(const Measurement& side) {
  return side.native == nullptr ? nullptr : std::any_cast<File>(&side.native->content);
}

// How a policy of that system's name reads it: GREEN, YELLOW or RED.
enum class NativeOutcome : std::uint8_t { pass, warn, fail };

struct NativeReport;

// How one system prints its reports: reports/native.hpp asks it, and knows no system by name.
struct NativePrinter {
  // Fields of our own `native` object after system, verdict, summary and exit_code; of long lists at most `rows` elements, and
  // "<list>_omitted" counts the others.
  void (*fields)(JsonWriter& json, const NativeReport& report, std::size_t rows) = nullptr;
  // What that system's program prints for people, byte for byte where it is known, ending in a newline; "" where it prints
  // nothing.
  std::string (*text)(const NativeReport& report) = nullptr;
  // Its JSON document; null where it has none: then it is our `native` object.
  std::string (*json)(const NativeReport& report) = nullptr;
  // The cases of a suite, where it prints them together; null where it prints one after another.
  std::string (*suite)(std::span<const NativeReport* const> cases) = nullptr;
};

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
  std::any detail;                         // of the type that the system's model.hpp has for its reports
  const NativePrinter* printer = nullptr;  // lives as long as the program
};

// The report in its system's terms; null where it is another system's.
template <class Detail>
[[nodiscard]] const Detail* native_detail(const NativeReport& report) {
  return std::any_cast<Detail>(&report.detail);
}

}  // namespace plumbline::core
