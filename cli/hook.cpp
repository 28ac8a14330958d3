#include "cli/hook.hpp"

#include "core/citing.hpp"
#include "machine/command.hpp"

namespace plumbline::cli {
namespace {

constexpr double kSeconds = 60;
constexpr std::uint64_t kOutputBytes = 64U << 10U;

}  // namespace

std::string run_hook(const verbs::Hook& hook, const std::atomic<bool>* stop) {
  machine::Command command;
  command.argv = {"/bin/sh", "-c", hook.command};
  for (const auto& [name, value] : hook.environment) command.environment.push_back(name + "=" + value);
  command.timeout_s = kSeconds;
  command.output_bytes = kOutputBytes;
  const auto run = machine::run_command(command, stop);
  const auto warning = [](const std::string& why) {
    return "plumbline: warning: --on-change: " + core::one_line(why, 1000) + "\n";
  };
  if (!run) return warning(run.error().message);
  std::string out = run->output;
  if (!out.empty() && out.back() != '\n') out += '\n';
  if (run->ok()) return out;
  return out + warning("the command " + machine::ending_text(*run, command) +
                       (run->error_tail.empty() ? "" : ": " + core::one_line(run->error_tail, 600)));
}

}  // namespace plumbline::cli
