// Commands that an operator lists, and that clients may then have run by name: `serve --allow-run`. The list says everything that
// a shell could be told: program, arguments, folder, where the result is, how long. A caller chooses a name, how many trials, and
// what they are compared with or recorded as.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct ListedCommand {
  std::string name;
  std::vector<std::string> argv;  // the first is an absolute path
  std::string folder;             // absolute
  std::string result, format;     // as --result and --format of run; "" = none
  double timeout_s = 0;           // of a trial
  double budget_s = 0;            // of all of them
};

// YAML: `commands`, a list of maps with `name`, `command`, and perhaps `folder`, `result`, `format`, `timeout`, `budget`. Strict:
// anything else is an error with its place. `path` is the file's, for messages; relative folders and programs are taken from its
// folder.
[[nodiscard]] Expected<std::vector<ListedCommand>> parse_listed_commands(const std::string& text, const std::string& path,
                                                                         const Context& context);

struct ListedRun {
  std::string runs;      // as -n; "" = as run does
  std::string baseline;  // family/measurement[@selector]; "" = none
  std::string record;    // family/measurement; "" = none
};

// Runs it as `run` does. A baseline is a name of the registry, never a path. When it is told to stop, nothing is published.
[[nodiscard]] Expected<Outcome> run_listed(const ListedCommand& command, const ListedRun& asked, const Context& context);

}  // namespace plumbline::verbs
