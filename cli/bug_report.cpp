#include "cli/bug_report.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "cli/guide/guide.hpp"
#include "cli/guide/parts.hpp"
#include "cli/install.hpp"
#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "machine/command.hpp"
#include "machine/gpus.hpp"
#include "machine/state.hpp"
#include "registry/files.hpp"
#include "verbs/environment.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;

constexpr std::size_t kShownOutput = 16 << 10;  // of each stream
constexpr std::size_t kShownInput = 64 << 10;   // of each file
constexpr double kLongest = 300;                // seconds, of each command that is run
constexpr std::size_t kInputsAtMost = 20;

// Name and home folder of the account, as the machine's own file has them, or nothing. getpwuid would ask plugins of the C
// library, which a static program must not open.
std::pair<std::string, std::string> own_account() {
  constexpr std::size_t kMost = 1 << 20;
  std::string text(kMost, '\0');
  std::ifstream file("/etc/passwd", std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(kMost));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const std::string user = std::to_string(::getuid());
  for (const std::string_view line : core::split(text, '\n')) {
    const auto fields = core::split(line, ':');  // name, password, user, group, comment, home, shell
    if (fields.size() == 7 && fields[2] == user) return {std::string(fields[0]), std::string(fields[5])};
  }
  return {};
}

// What names this person, account and host, each with the word that stands in its place. The longest first: a home folder holds
// the account's name.
class Private {
 public:
  explicit Private(const verbs::Context& context) {
    hide(context.environment("HOME").value_or(""), "~", 4);
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) hide(host.data(), "HOST", 3);
    for (const char* name : {"USER", "LOGNAME"}) hide_account(context.environment(name).value_or(""));
    const auto [name, home] = own_account();
    hide_account(name);
    if (name != "root") hide(home, "~", 4);
    std::sort(hidden_.begin(), hidden_.end(), [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  }

  [[nodiscard]] std::string without(std::string_view text) const {
    std::string out = core::without_secrets(text);
    for (const auto& [what, instead] : hidden_) {
      for (std::size_t at = out.find(what); at != std::string::npos;) {
        const bool whole = is_whole(out, at, what.size());
        if (whole) out.replace(at, what.size(), instead);
        at = out.find(what, at + (whole ? instead.size() : 1));
      }
    }
    return out;
  }

 private:
  // Not a part of another word, as "ada" is of "adaptive". A path begins and a name ends wherever something else does.
  static bool is_whole(std::string_view text, std::size_t at, std::size_t size) {
    const auto in_word = [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte >= 0x80;
    };
    const std::size_t end = at + size;
    const bool goes_before = at > 0 && in_word(text[at - 1]) && in_word(text[at]);
    return !goes_before && (end == text.size() || !in_word(text[end - 1]) || !in_word(text[end]));
  }
  void hide_account(const std::string& name) {
    if (name != "root") hide(name, "USER", 3);
  }
  // Short words are parts of others: "jo" of "job".
  void hide(std::string what, std::string instead, std::size_t least) {
    if (what.size() >= least) hidden_.emplace_back(std::move(what), std::move(instead));
  }
  std::vector<std::pair<std::string, std::string>> hidden_;
};

Expected<machine::CommandRun> run_self(std::vector<std::string> words, const verbs::Context& context) {
  auto program = own_program();
  if (!program) return core::fail(std::move(program.error()));
  machine::Command command;
  command.argv = {std::move(*program)};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.folder = context.cwd;
  command.timeout_s = kLongest;
  return machine::run_command(command, nullptr);
}

// Of a long text its beginning and its end.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t half = most / 2;
  const auto between = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t first = half;
  std::size_t last = text.size() - half;
  while (first > 0 && between(first)) --first;
  while (last < text.size() && between(last)) ++last;
  return text.substr(0, first) + "\n… " + std::to_string(last - first) + " bytes are left out …\n" + text.substr(last);
}

// In a fence that nothing inside can close.
std::string fenced(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string out = fence + "text\n" + std::string(text);
  if (!out.ends_with('\n')) out += '\n';
  return out + fence + "\n";
}

// On one line, without quotes.
std::string plain(std::string_view text) {
  std::string out = core::cited(text);
  if (out.size() >= 2 && out.front() == '"' && out.back() == '"') out = out.substr(1, out.size() - 2);
  return out;
}

std::string system_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kName = "PRETTY_NAME=";
    if (!line.starts_with(kName)) continue;
    std::string name = line.substr(kName.size());
    std::erase(name, '"');
    return name;
  }
  return "a system without /etc/os-release";
}

std::string machine_section() {
  const auto gpus = machine::open_gpus();
  std::string out = "## Machine\n\n";
  out += "- system: " + plain(system_name()) + "\n";
  for (const auto& [name, value] : machine::facts(*gpus)) out += "- " + name + ": " + plain(value) + "\n";
  return out;
}

// Their names alone: values may be secrets or places.
std::string variables_section() {
  std::string names;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text(*one);
    const std::string_view name = text.substr(0, text.find('='));
    const bool ours = name.starts_with("PLUMBLINE_") || name.starts_with("PROFILE_AND_OPTIMIZE_");
    if (ours || name == "NO_COLOR" || name == "COLUMNS") names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return "- variables that are set: " + (names.empty() ? "none of Plumbline's" : names) + "\n";
}

struct Input {
  std::string path, name;  // as given; its last part
  std::uint64_t bytes = 0;
};

std::vector<Input> inputs_among(const std::vector<std::string>& words, const verbs::Context& context) {
  std::vector<Input> found;
  for (const std::string& word : words) {
    const std::size_t equals = word.starts_with('-') ? word.find('=') : std::string::npos;
    const std::string text = equals == std::string::npos ? word : word.substr(equals + 1);
    const std::string path = text.starts_with('/') ? text : context.cwd + "/" + text;
    struct stat info {};
    if (text.empty() || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const std::size_t slash = text.rfind('/');
    found.push_back({path, slash == std::string::npos ? text : text.substr(slash + 1), static_cast<std::uint64_t>(info.st_size)});
    if (found.size() == kInputsAtMost) break;
  }
  return found;
}

// How it is read, by a process of its own: what is wrong with a file may end it.
std::string reading_of(const Input& input, const verbs::Context& context) {
  const auto run = run_self({"inspect", input.path, "--json"}, context);
  if (!run) return run.error().message;
  if (!run->ok()) {
    const std::string first = run->error_tail.substr(0, run->error_tail.find('\n'));
    return "inspect ended with " + std::to_string(run->status) + ": " + first;
  }
  const auto said = nlohmann::json::parse(run->output, nullptr, false);
  if (!said.is_object()) return "inspect printed no JSON";
  const auto text_of = [&said](const char* pointer) {
    const auto found =
        said.contains(nlohmann::json::json_pointer(pointer)) ? said.at(nlohmann::json::json_pointer(pointer)) : nlohmann::json();
    return found.is_string() ? found.get<std::string>() : std::string();
  };
  std::string out = text_of("/format/name");
  if (out.empty()) out = "a format without a name";
  if (const std::string shape = text_of("/shape"); !shape.empty()) out += ", " + shape;
  if (const auto rows = said.find("row_count"); rows != said.end() && rows->is_number_unsigned())
    out += ", " + core::counted(rows->get<std::size_t>(), "row");
  return out;
}

std::string contents_of(const Input& input, const Private& hidden) {
  const auto bytes = registry::read_file(input.path, {});
  if (!bytes) return bytes.error().message + "\n";
  const std::string_view text = bytes->view();
  if (text.find('\0') != std::string_view::npos || !core::is_valid_utf8(text)) return "It is no text and is left out.\n";
  return fenced(shortened(hidden.without(text), kShownInput));
}

std::string inputs_section(const std::vector<Input>& inputs, bool contents, const verbs::Context& context,
                           const Private& hidden) {
  if (inputs.empty()) return "";
  std::string out = "\n## Files\n\n| file | bytes | SHA-256 | read as |\n|---|---|---|---|\n";
  for (const Input& input : inputs) {
    const auto bytes = registry::read_file(input.path, {});
    const std::string digest = bytes ? registry::sha256_hex(bytes->view()) : "unread";
    std::string reading = hidden.without(reading_of(input, context));
    std::replace(reading.begin(), reading.end(), '|', '/');
    out += "| " + plain(hidden.without(input.name)) + " | " + std::to_string(input.bytes) + " | " + digest + " | " +
           plain(reading) + " |\n";
  }
  if (!contents)
    return out + "\nTheir contents are not here. `--with-inputs` adds those that are texts, without what looks like a secret.\n";
  for (const Input& input : inputs) out += "\n### " + plain(hidden.without(input.name)) + "\n\n" + contents_of(input, hidden);
  return out;
}

std::string command_section(const std::vector<std::string>& words, const verbs::Context& context, const Private& hidden) {
  if (words.empty())
    return "\n## Command\n\nNone was named: `plumbline bug-report -- diff A B` runs it once more and tells what it says.\n";
  std::string line = "plumbline";
  for (const std::string& word : words) line += " " + word;
  std::string out = "\n## Command\n\n" + fenced(hidden.without(line));
  const auto run = run_self(words, context);
  if (!run) return out + "\nIt could not be started: " + hidden.without(run.error().message) + "\n";
  machine::Command asked;
  asked.timeout_s = kLongest;
  out += "\nIt " + machine::ending_text(*run, asked) + " after " +
         core::short_number(static_cast<double>(run->wall_ns) / 1e9, 3) + " s, with " +
         core::short_number(static_cast<double>(run->peak_bytes) / (1 << 20), 3) + " MiB at most.\n";
  out += "\n### Standard output\n\n" + fenced(shortened(hidden.without(run->output), kShownOutput));
  out += "\n### Standard error\n\n" + fenced(shortened(hidden.without(run->error_tail), kShownOutput));
  return out;
}

// The word of a line that says the command, behind the program's own flags and their values; "" where there is none.
std::string command_of(const std::vector<std::string>& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!words[at].starts_with('-')) return words[at];
    std::string flag = words[at];
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (find_program_flag(flag) != nullptr) ++at;
  }
  return {};
}

std::string version_lines() {
  std::string out = "- version: plumbline " + std::string(verbs::version()) + "\n";
  out += "- commit: " + (commit().empty() ? std::string("not known") : std::string(commit())) + "\n";
  return out + "- built by: " + std::string(compiler()) + " for " + std::string(target()) + ", " + std::string(build_type()) +
         ", " + std::string(linking()) + "\n";
}

// A new file: what is there is never replaced.
core::Status write_new(const std::string& path, const std::string& text) {
  const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) {
    const int error = errno;
    return core::fail(error == EEXIST ? ErrorCode::usage : ErrorCode::environment,
                      "cannot write " + core::cited_path(path) + ": " + std::strerror(error),
                      error == EEXIST ? "name another file: --out FILE" : "name a file that can be written: --out FILE", path);
  }
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t wrote = ::write(file.get(), left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      const int error = errno;
      ::unlink(path.c_str());
      return core::fail(ErrorCode::environment, "cannot write " + core::cited_path(path) + ": " + std::strerror(error),
                        "make room, or name another file: --out FILE", path);
    }
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

}  // namespace

const verbs::Verb& bug_report_command() {
  using enum verbs::ParamKind;
  static const verbs::Verb kBugReport{
      .name = "bug-report",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Collect what a maintainer needs for a bug report",
      .summary =
          "Collect what a maintainer needs in one Markdown file: the version, the machine, what a Plumbline command prints when "
          "it is run again, and how its files are read. Nothing is sent: read the file, then attach it. The command goes behind "
          "--.",
      .safety = "",
      .destructive = false,
      .idempotent = false,
      .params =
          {
              {.name = "out", .kind = path, .value_name = "FILE", .doc = "the file (default plumbline-bug-report.md)"},
              {.name = "with_inputs",
               .kind = boolean,
               .doc = "add the contents of the text files that the command names; what looks like a secret is taken out"},
          },
      .output_schema = {},
      .examples = {"plumbline bug-report -- diff before.json after.json"},
      .run = nullptr,
  };
  return kBugReport;
}

verbs::CommandOutcome run_bug_report(std::span<const std::string> words, const verbs::Context& context) {
  verbs::CommandOutcome outcome;
  const auto failed = [&outcome](const core::Error& error) {
    outcome.exit_status = verbs::exit_status(error.code);
    outcome.err = verbs::error_text(error);
    return outcome;
  };
  const auto separator = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> command(separator == words.end() ? separator : separator + 1, words.end());
  const auto line = verbs::parse_command_line(bug_report_command(), {words.begin(), separator});
  if (!line) return failed(line.error());
  if (line->help) {
    outcome.out = verbs::help_text(bug_report_command());
    return outcome;
  }
  if (const std::string asked = command_of(command); asked == "bug-report" || asked == "serve")
    return failed({ErrorCode::usage,
                   "a bug report cannot run \"plumbline " + asked + "\"",
                   asked == "serve" ? "plumbline doctor examines a server" : "name the command that went wrong",
                   {}});
  const std::string out = registry::absolute_path(line->arguments.text("out", "plumbline-bug-report.md"), context.cwd);
  const Private hidden(context);
  std::string text = "# Plumbline bug report\n\n" + version_lines() + variables_section() +
                     "\nWhat did you expect, and what happened instead? Write it here.\n\n" + machine_section();
  text += command_section(command, context, hidden);
  text += inputs_section(inputs_among(command, context), line->arguments.flag("with_inputs"), context, hidden);
  if (auto wrote = write_new(out, text); !wrote) return failed(wrote.error());
  core::JsonWriter json(outcome.json, -1);
  json.begin_object().field("verb", "bug-report").field("file", out).field("bytes", text.size()).end_object();
  outcome.out = line->json ? outcome.json + "\n"
                           : out + "\nNothing was sent. Read it, say what you expected, then attach it to your report.\n";
  return outcome;
}

}  // namespace plumbline::cli
