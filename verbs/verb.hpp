// What can be asked. A verb is one entry of one table: its parameters are data, from which argv flags, help, JSON input
// schema, completion and validation are all made. It runs the same whoever asks: the Context carries everything impure
// (progress, cancellation, limits, allowed roots, clock, user), and the outcome is one JSON value, the same for
// `--json` on the command line and `structuredContent` over MCP.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"

namespace plumbline::verbs {

using core::Error;
using core::ErrorCode;
using core::Expected;
using core::Status;

enum class ParamKind : std::uint8_t { string, path, number, integer, boolean, string_list, path_list, choice };

struct Param {
  std::string_view name;  // "tolerance_percent"; the flag is "--tolerance-percent"
  ParamKind kind = ParamKind::string;
  std::string_view value_name = {};  // in help: "N", "PATH", "KEY=SPEC"
  std::string_view doc = {};         // one line; every client pays for it in every session
  std::string_view help = {};        // what --help says instead, where there is more room
  std::string_view page = {};        // what docs/verbs/ says instead, as Markdown, where there is more room still
  bool required = false;             // checked by the verb, not by the schema (CONTRACT section 6)
  int positional = 0;                // 1, 2 … : may stand without its flag in that order; a list takes the rest
  std::vector<std::string_view> choices = {};
  std::vector<std::string_view> aliases = {};  // further flag names without dashes ("baseline-csv-dir")
  bool cli_only = false;                       // not offered over MCP
  bool mcp_only = false;                       // not a flag of the command line
  bool mostly_one = false;                     // a list, and not the first: most calls give one, so schemas list it as a text
};

using Value = std::variant<std::string, double, std::int64_t, bool, std::vector<std::string>>;

// Typed parameters of one call, by parameter name. Getters give the default when absent.
class Arguments {
 public:
  void set(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
  [[nodiscard]] bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = {}) const;
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& list(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

struct Limits {
  std::uint64_t input_bytes = 8ULL << 30;
  std::uint64_t rows = 50'000'000;
  std::uint32_t json_depth = 512;
  std::uint32_t files = 100'000;
};

// What became of a question that a verb asks before it writes. `pending`: it is on its way to a person; the verb unwinds,
// writes nothing, and is called again from its beginning once there is an answer.
enum class Consent : std::uint8_t { yes, no, pending, unasked /* nobody can be asked */ };

class Inputs;  // verbs/resolving/inputs.hpp

// Everything impure that a verb may touch. One per call; callable from the verb's thread only, except `cancelled`.
struct Context {
  std::string cwd;                         // relative paths are taken from here
  std::optional<std::string> repo_root;    // --repo-root or the server's root, else resolved from the environment
  std::vector<std::string> allowed_roots;  // empty: no confinement
  std::function<std::optional<std::string>(std::string_view)> environment;  // by name; only allow-listed names are asked for
  std::function<std::chrono::system_clock::time_point()> now;
  std::function<void(double fraction, std::string_view message)> progress;  // may be empty
  std::function<void(const Error& passing)> tell;  // what is survived, said at once and not with the outcome; may be empty
  const std::atomic<bool>* cancelled = nullptr;
  // Asks whether to go on; the question says in one sentence what is about to be written and on what grounds. Empty: nobody
  // wants to be asked, which is a yes. Verbs ask through confirmed().
  std::function<Consent(std::string_view question)> confirm;
  Limits limits;
  std::string command;  // as asked, for provenance
  int width = 100;      // columns for tables; texts always carry colour marks, cli/ takes them out
  bool read_only = false;
  bool runs_hooks = false;   // the command line; a hook that somebody else asks for is an error
  Inputs* inputs = nullptr;  // gets what the verdict is made from; null: nobody keeps it
  [[nodiscard]] bool stop_asked() const { return cancelled != nullptr && cancelled->load(std::memory_order_relaxed); }
};

struct ResourceLink {
  std::string uri, name, mime_type, description;
  std::uint64_t size = 0;
};

// A command of the caller's own, run by the command line once the answer is out (cli/hook.hpp); a server runs none.
struct Hook {
  std::string command;  // for `sh -c`
  std::vector<std::pair<std::string, std::string>> environment;
};

struct Outcome {
  std::string json;         // one JSON object: the result (CONTRACT section 5)
  std::string text;         // what a person sees (--report, default table); may hold colour marks, see cli/terminal
  std::string report_text;  // set when --report asked for another rendering: replaces `text`
  std::string picture;      // PNG: what moved, where `chart` asked for it
  std::string report_json;  // set when that rendering has a JSON of its own (--report native): what --json prints then
  std::vector<ResourceLink> links;
  bool gate_tripped = false;          // exit 1
  std::string gate_message;           // which word of --fail-on tripped, on which key
  std::vector<std::string> warnings;  // one line each, for stderr
  std::optional<int> exit_status;     // where another program gives statuses a meaning (bisect --step); else by what came out
  bool text_has_warnings = false;     // `text` says them itself: where it is printed, stderr does not repeat them
  std::optional<Hook> hook;
};

struct Verb {
  std::string_view name;                       // "diff"
  std::string_view tool;                       // "perf_baseline_diff"; "" = not offered over MCP
  std::vector<std::string_view> tool_aliases;  // "profile_profile_diff"
  std::string_view library;                    // of the reference tool's envelope: "perf_baseline", "profile"
  std::string_view title;
  std::string_view summary;  // what it does, when to use it; first sentence is the CLI's one-liner
  std::string_view safety;   // "writes_artifacts" | "read_only"
  bool destructive = false, idempotent = false;
  bool asks = false;  // over MCP the default of `confirm` is "ask"
  std::vector<Param> params;
  std::string_view output_schema;          // JSON text
  std::vector<std::string_view> examples;  // command lines, executed by a test
  Expected<Outcome> (*run)(const Arguments&, const Context&) = nullptr;
};

// The one pause of a verb that writes: an error not_confirmed unless the answer is yes.
[[nodiscard]] Status confirmed(const Context& context, std::string_view question);

// The table, in the order help shows. docs/architecture.md says what a new verb takes.
[[nodiscard]] std::span<const std::reference_wrapper<const Verb>> table();
// By CLI name, MCP tool name or alias; nullptr when unknown.
[[nodiscard]] const Verb* find(std::string_view name);

// JSON Schema (object, flat, no combinators) of a verb's typed parameters plus the reference tool's two forms (`args`, `params`).
[[nodiscard]] std::string input_schema(const Verb& verb);
// The verb's output schema for the list of tools: only the top level's names, types and choices; "" when it has none.
[[nodiscard]] std::string listed_output_schema(const Verb& verb);

// argv (after the verb's name) -> Arguments. `--flag value`, `--flag=value`, unambiguous prefixes, repeated list flags,
// positionals. `--json`, `--color` and `--help` are consumed here: see CommandLine. Errors carry the nearest flag as the hint.
enum class Color : std::uint8_t { automatic, always, never };  // --color: `automatic` leaves it to the terminal
struct CommandLine {
  Arguments arguments;
  bool json = false, help = false;
  Color color = Color::automatic;
};
[[nodiscard]] Expected<CommandLine> parse_command_line(const Verb& verb, std::span<const std::string> argv);
// A JSON object's text (MCP `arguments`) -> Arguments; every error names the parameter and what would be right.
[[nodiscard]] Expected<Arguments> parse_json_arguments(const Verb& verb, std::string_view json_object);
[[nodiscard]] std::string help_text(const Verb& verb);

// The same call as a command line would make, caught whole: what cli/main prints and what the reference tool's MCP
// envelope carries. Never throws.
struct CommandOutcome {
  int exit_status = 0;
  std::string out, err;  // as printed
  std::string json;      // the result document, "" when none (help, errors)
  Color color = Color::automatic;
  std::optional<Hook> hook;
};
[[nodiscard]] CommandOutcome run_command(const Verb& verb, std::span<const std::string> argv, const Context& context);

// Exit status of an error: 2, 3 or 70 (CONTRACT section 3).
[[nodiscard]] int exit_status(ErrorCode code);
// "plumbline: error: MESSAGE\nhint: …\n"
[[nodiscard]] std::string error_text(const Error& error);
// The same error for a caller of tools: flags become parameters, `plumbline VERB …` becomes the call of its tool, an error
// without a hint gets the next step of its code. One line each, together at most 8 KiB as JSON.
[[nodiscard]] Error in_agent_words(const Error& error);

[[nodiscard]] std::string_view version();  // "0.2.0"

}  // namespace plumbline::verbs
