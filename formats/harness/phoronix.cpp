// Phoronix Test Suite: composite.xml of a result. A test's repetitions are its raw values; which way is better the file says.
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"
#include "formats/tool_rows.hpp"
#include "formats/xml_text.hpp"

namespace plumbline::formats {
namespace {

// "Processor: X, Memory: 32GB": what stands behind a name.
std::string_view described(std::string_view list, std::string_view name) {
  for (const std::string_view one : core::split(list, ',')) {
    const std::string_view text = core::trim(one);
    if (text.starts_with(name) && text.substr(name.size()).starts_with(": ")) return text.substr(name.size() + 2);
  }
  return {};
}

class Reader {
 public:
  Reader(ToolRows& rows, std::string_view text) : rows_(rows) {
    for_each_element(text, "Entry", [&](std::string_view entry) { systems_.insert(text_of_element(entry, "Identifier")); });
  }

  void result(std::string_view result) {
    const std::string title = text_of_element(result, "Title"), description = text_of_element(result, "Description");
    const bool passes = text_of_element(result, "DisplayFormat") == "PASS_FAIL";
    const ToolMetric& metric = this->metric(result, passes);
    for_each_element(result, "Entry", [&](std::string_view entry) {
      const std::string system = systems_.size() > 1 ? text_of_element(entry, "Identifier") : std::string();
      rows_.point(title, {{"description", description}, {"system", system}});
      std::string printed = text_of_element(entry, "RawString");
      if (printed.empty()) printed = text_of_element(entry, "Value");
      if (passes) {
        rows_.add(metric, printed == "PASS" ? 1.0 : 0.0);
      } else if (printed.empty()) {
        rows_.add(metric, failed_value("the test gave no result"));
      } else {
        trials(metric, printed);
      }
    });
  }

 private:
  void trials(const ToolMetric& metric, std::string_view printed) {
    std::vector<double> values;
    for (const std::string_view one : core::split(printed, ':')) {
      if (const auto value = core::parse_double(core::trim(one))) values.push_back(*value);
    }
    if (!values.empty()) rows_.add_trials(metric, values);  // a course over time, "1,2,3", is none
  }
  const ToolMetric& metric(std::string_view result, bool passes) {
    const std::string proportion = text_of_element(result, "Proportion");
    const core::Direction direction = proportion == "HIB"   ? core::Direction::higher
                                      : proportion == "LIB" ? core::Direction::lower
                                                            : core::Direction::unknown;
    // What no test profile stands behind is measured beside it: the time of its installation, sensors.
    const bool beside = text_of_element(result, "Identifier").empty();
    const std::string unit = text_of_element(result, "Scale");
    for (const Made& one : made_) {
      if (one.unit == unit && one.proportion == proportion && one.beside == beside && one.passes == passes) return one.metric;
    }
    Made& made = made_.emplace_back(Made{unit, proportion, beside, passes, {}});
    const core::Role role = beside ? core::Role::context : core::Role::judged;
    made.metric = passes ? tool_metric("passed", "", core::Direction::higher, core::Role::gate)
                         : tool_metric("value", made.unit, direction, role);
    return made.metric;
  }

  struct Made {
    std::string unit, proportion;
    bool beside = false, passes = false;
    ToolMetric metric;
  };
  ToolRows& rows_;
  std::set<std::string> systems_;
  std::deque<Made> made_;  // metrics are told by their addresses
};

}  // namespace

core::Expected<core::Measurement> read_phoronix(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "Phoronix Test Suite");
  Reader reader(rows, input.bytes);
  for_each_element(input.bytes, "Result", [&](std::string_view result) {
    if (!rows.halted()) reader.result(result);
  });
  if (rows.empty()) {
    return core::fail(
        rows.error("no result in the file of the Phoronix Test Suite", "composite.xml of test-results/NAME is read"));
  }
  for_each_element(input.bytes, "System", [&](std::string_view system) {
    const std::string hardware = text_of_element(system, "Hardware"), software = text_of_element(system, "Software");
    rows.note("hardware.cpu", described(hardware, "Processor"));
    rows.note("hardware.memory", described(hardware, "Memory"));
    rows.note("stack.os", described(software, "OS"));
    rows.note("stack.kernel", described(software, "Kernel"));
    rows.note("stack.compiler", described(software, "Compiler"));
  });
  return rows.finish();
}

extern const Format phoronix_format = {
    .name = "phoronix",
    .title = "Phoronix Test Suite (composite.xml)",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.97, {"<PhoronixTestSuite>", "<Result>"}}}},
    .read = read_phoronix,
    .about = {.group = Group::harness,
              .file = "XML",
              .produce = "phoronix-test-suite batch-benchmark TEST  # test-results/NAME/composite.xml",
              .judged =
                  "each test's value in the unit of the test, the way that the file says; a test that passes or fails is a gate",
              .key = "the test's title and description, and the system where the file has several: "
                     "`FFTW[description=Size: 1D FFT Size 32].value`",
              .trials = "the runs of a test",
              .context = "CPU, memory, operating system, kernel, compiler, where all systems are alike",
              .limits = "times and sizes of installation and sensors are context; a course over time is left out",
              .recognised = "`<PhoronixTestSuite>` and `<Result>`"},
};

}  // namespace plumbline::formats
