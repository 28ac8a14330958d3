#include <exception>
#include <new>

#include "verbs/calling/wording.hpp"
#include "verbs/resolving/index_address.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

Expected<Outcome> run_caught(const Verb& verb, const Arguments& arguments, const Context& context) {
  constexpr std::string_view kReport = "this is a fault in plumbline: please report it (plumbline bug-report -- COMMAND)";
  try {
    return verb.run(arguments, context);
  } catch (const std::bad_alloc&) {
    return core::fail(ErrorCode::limit_exceeded, "not enough memory for this input");
  } catch (const std::exception& exception) {
    return core::fail(ErrorCode::internal, std::string("internal error: ") + exception.what(), std::string(kReport));
  } catch (...) {
    return core::fail(ErrorCode::internal, "internal error: an unknown exception", std::string(kReport));
  }
}

}  // namespace

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::invalid_input:
    case ErrorCode::not_found:
    case ErrorCode::shape_mismatch:
    case ErrorCode::no_matching_baseline:
    case ErrorCode::path_not_allowed:
    case ErrorCode::provenance_mismatch:
    case ErrorCode::already_exists:
    case ErrorCode::limit_exceeded:
    case ErrorCode::cancelled:
    case ErrorCode::not_confirmed:
      return 2;
    case ErrorCode::environment:
    case ErrorCode::missing_helper:
      return 3;
    case ErrorCode::internal:
      return 70;
  }
  return 70;
}

std::string error_text(const Error& error) {
  std::string text = "plumbline: error: ";
  if (!error.where.empty() && error.message.find(error.where) == std::string::npos) text += core::cited_path(error.where) + ": ";
  text += one_line(core::with_cited_path(error.message, error.where)) + "\n";
  if (!error.hint.empty()) text += "hint: " + one_line(core::with_cited_path(error.hint, error.where)) + "\n";
  return text;
}

CommandOutcome run_command(const Verb& verb, std::span<const std::string> argv, const Context& context) {
  CommandOutcome command;
  const auto failed = [&](const Error& error) {
    command.exit_status = exit_status(error.code);
    command.err += error_text(error);
    return command;
  };
  auto line = parse_command_line(verb, argv);
  if (!line) return failed(line.error());
  command.color = line->color;
  if (line->help) {
    command.out = help_text(verb);
    return command;
  }
  Context asked = context;
  if (line->arguments.has("index")) asked.environment = with_index(context.environment, line->arguments.text("index"));
  auto outcome = run_caught(verb, line->arguments, asked);
  // Whichever room noticed the request to stop, the answer to it is one.
  if (!outcome) {
    // A verb that has published some of its work says so itself.
    const Error& error = outcome.error();
    return failed(error.code == ErrorCode::cancelled && !error.message.starts_with("cancelled") ? cancelled_error() : error);
  }
  const bool prints_text = !line->json && outcome->report_text.empty();
  if (!prints_text || !outcome->text_has_warnings) {
    for (const auto& warning : outcome->warnings) command.err += "plumbline: warning: " + one_line(warning) + "\n";
  }
  if (line->json) {
    command.out = outcome->report_json.empty() ? outcome->json : std::move(outcome->report_json);
  } else {
    command.out = outcome->report_text.empty() ? std::move(outcome->text) : std::move(outcome->report_text);
  }
  if (!command.out.empty() && command.out.back() != '\n') command.out += '\n';
  command.json = std::move(outcome->json);
  if (outcome->gate_tripped) {
    command.exit_status = 1;
    command.err += "plumbline: gate: " + one_line(outcome->gate_message) + "\n";
  }
  command.hook = std::move(outcome->hook);
  if (outcome->exit_status) command.exit_status = *outcome->exit_status;
  return command;
}

std::string_view version() { return PLUMBLINE_VERSION; }

}  // namespace plumbline::verbs
