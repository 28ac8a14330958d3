// links: verbs
// Arbitrary text as plumbline.yaml. Every problem has a place and a sentence; rules that are right set something and answer for
// any measurement; a file without problems is parsed, one with problems is refused with its first.
#include "verbs/resolving/project_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace plumbline;

void check(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const verbs::ProjectReading reading = verbs::read_rules(text);
  for (const core::ConfigProblem& problem : reading.problems) check(problem.error && !problem.message.empty());
  const auto parsed = verbs::parse_project_file(text, "plumbline.yaml");
  check(parsed.has_value() == reading.problems.empty());
  if (!parsed) {
    check(parsed.error().message.starts_with("plumbline.yaml:"));
    check(parsed.error().message.find(reading.problems.front().message) != std::string::npos);
    return 0;
  }
  const verbs::ProjectSettings settings = verbs::settings_for(*parsed, "f", "m", "generic-json");
  for (const core::KeyRule& rule : settings.key_rules) {
    check(!rule.glob.empty() && rule.source == core::Source::project && rule.note.starts_with("plumbline.yaml:"));
    check(rule.tolerance || rule.direction || rule.unit || rule.headline || rule.gate);
  }
  return 0;
}
