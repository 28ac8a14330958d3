// `plumbline bug-report`: one Markdown file with what a maintainer asks for first: version, machine, what a command said when it
// was run once more, and how its files are read. Nothing is sent anywhere. Secrets, the home folder, the account and the host's
// name do not go into it; the contents of files only where that was asked for.
#pragma once

#include <span>
#include <string>

#include "verbs/verb.hpp"

namespace plumbline::cli {

[[nodiscard]] const verbs::Verb& bug_report_command();
[[nodiscard]] verbs::CommandOutcome run_bug_report(std::span<const std::string> words, const verbs::Context& context);

}  // namespace plumbline::cli
