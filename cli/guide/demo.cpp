// `plumbline demo`: who has the program alone has no results to try it on. The files of examples/ are in it; they are written
// into a folder, and two of them are compared there with the command that anybody would type.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "cli/guide/guide.hpp"
#include "cli/terminal.hpp"
#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"

namespace plumbline::demo {
std::string_view embedded_file(std::string_view name);
std::string_view embedded_name(unsigned index);
}  // namespace plumbline::demo

namespace plumbline::cli {
namespace {

using core::ErrorCode;

constexpr std::string_view kExamples = "examples";
constexpr std::array<std::string_view, 5> kWords = {"diff", "examples/serving/vllm-before.json",
                                                    "examples/serving/vllm-after.json", "--out", "review"};

core::Status cannot_make(const std::string& path, int error) {
  return core::fail(ErrorCode::environment, "cannot make " + core::cited_path(path) + ": " + std::strerror(error),
                    "name a folder that can be written: plumbline demo --out DIR", path);
}

core::Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return {};
  return cannot_make(path, errno);
}

core::Status make_file(const std::string& path, std::string_view text) {
  const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) return cannot_make(path, errno);
  const Written written = write_all(file.get(), text);
  return written.ok ? core::Status{} : cannot_make(path, written.error);
}

// A folder of nobody else's under TMPDIR; it stays, for what is tried next.
core::Expected<std::string> new_folder(const verbs::Context& context) {
  std::string place = context.environment("TMPDIR").value_or("");
  if (!place.starts_with('/')) place = "/tmp";
  std::string path = place + "/plumbline-demo-XXXXXX";
  if (::mkdtemp(path.data()) != nullptr) return path;
  const int error = errno;
  return core::fail(ErrorCode::environment, "cannot make a folder in " + core::cited_path(place) + ": " + std::strerror(error),
                    "name one that can be written: plumbline demo --out DIR", place);
}

// The folder named by --out. What a demo leaves is never written over.
core::Expected<std::string> named_folder(const std::string& named, const verbs::Context& context) {
  std::string path = registry::absolute_path(named, context.cwd);
  for (const std::string_view part : {kExamples, kWords.back()}) {
    const std::string there = path + "/" + std::string(part);
    if (registry::path_kind(there, {}))
      return core::fail(ErrorCode::already_exists, core::cited_path(there) + " is there already",
                        "name another folder: plumbline demo --out DIR", there);
  }
  if (auto made = make_folder(path); !made) return core::fail(std::move(made.error()));
  return path;
}

// How many files there are.
core::Expected<unsigned> write_examples(const std::string& folder) {
  unsigned count = 0;
  for (; !demo::embedded_name(count).empty(); ++count) {
    const std::string_view name = demo::embedded_name(count);
    std::string path = folder + "/" + std::string(kExamples);
    if (auto made = make_folder(path); !made) return core::fail(std::move(made.error()));
    // They are embedded under names without a slash: "serving@vllm-before.json".
    std::size_t from = 0;
    for (std::size_t slash = name.find('@'); slash != std::string_view::npos; slash = name.find('@', from)) {
      path += "/" + std::string(name.substr(from, slash - from));
      if (auto made = make_folder(path); !made) return core::fail(std::move(made.error()));
      from = slash + 1;
    }
    path += "/" + std::string(name.substr(from));
    if (auto made = make_file(path, demo::embedded_file(name)); !made) return core::fail(std::move(made.error()));
  }
  return count;
}

std::string command_line() {
  std::string line = "plumbline";
  for (const std::string_view word : kWords) line += " " + std::string(word);
  return line;
}

}  // namespace

const verbs::Verb& demo_command() {
  static const verbs::Verb kDemo{
      .name = "demo",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Try Plumbline on results that come with it",
      .summary =
          "Write small results of vLLM, SGLang, nccl-tests, torchtitan, go test and others into a folder, compare two of them "
          "there, and say what to try next.",
      .safety = "",
      .destructive = false,
      .idempotent = false,
      .params = {{.name = "out",
                  .kind = verbs::ParamKind::path,
                  .value_name = "DIR",
                  .doc = "the folder for examples/ and review/ (default a new one under TMPDIR, which stays)"}},
      .output_schema = {},
      .examples = {"plumbline demo", "plumbline demo --out try-it"},
      .run = nullptr,
  };
  return kDemo;
}

verbs::CommandOutcome run_demo(std::span<const std::string> words, const verbs::Context& context) {
  Asked asked = ask(demo_command(), words);
  if (asked.answered) return asked.outcome;
  const std::string named = asked.line.arguments.text("out");
  const auto folder = named.empty() ? new_folder(context) : named_folder(named, context);
  if (!folder) return failed(folder.error());
  const auto files = write_examples(*folder);
  if (!files) return failed(files.error());

  verbs::Context there = context;
  there.cwd = *folder;
  there.command = command_line();
  std::vector<std::string> given(kWords.begin() + 1, kWords.end());
  if (asked.line.json) given.emplace_back("--json");
  verbs::CommandOutcome answer = verbs::run_command(*verbs::find(kWords.front()), given, there);
  answer.color = asked.line.color;
  if (answer.exit_status != 0) return answer;

  if (asked.line.json) {
    std::string text;
    core::JsonWriter json(text);
    json.begin_object().field("verb", "demo").field("folder", *folder).field("files", *files).field("command", there.command);
    json.key("answer").raw(answer.json).end_object();
    answer.out = text + "\n";
    return answer;
  }
  answer.out = core::counted(*files, "small result") +
               " of well-known tools, with made-up numbers, are in examples/ there:\n\n$ cd " + *folder + "\n$ " + there.command +
               "\n" + answer.out + "\nThe page for whoever has to believe it: " + *folder +
               "/review/diff.html\n\nNext, there. Is that folder what it says? Which of eight nodes is slow?\n\n"
               "$ plumbline verify --recompute review\n$ plumbline outliers examples/fleet\n\n"
               "Your own results take the place of these files: plumbline inspect FILE shows what is read of one.\n";
  return answer;
}

}  // namespace plumbline::cli
