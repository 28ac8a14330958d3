#include "verbs/run/nodes.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/verbs/run.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/outliers/request.hpp"
#include "verbs/resolving/session.hpp"
#include "verbs/run/bench.hpp"
#include "verbs/schedulers/hosts.hpp"

namespace plumbline::verbs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNode = "{node}";
constexpr std::string_view kSrun = "srun --nodes=1 --ntasks=1 --overlap --quiet --nodelist={node}";
constexpr std::string_view kMpirun = "mpirun -np 1 --host {node}";
constexpr std::string_view kSsh = "ssh -o BatchMode=yes {node}";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (blank > 0) out.emplace_back(text.substr(0, blank));
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  return out;
}

Expected<std::string> launcher_of(const std::string& launcher, const Context& context) {
  std::string text = launcher;
  if (text.empty() && !scheduler_facts(context).contains("environment.scheduler")) {
    return core::fail(ErrorCode::usage, "--nodes: this is no job of Slurm, so nothing says how a command is started on a node",
                      "say it: `--launcher 'ssh {node}'` or `--launcher 'mpirun -np 1 --host {node}'`");
  }
  if (text.empty()) text = scheduler_facts(context).at("environment.scheduler") == "slurm" ? "srun" : "ssh";
  if (text == "srun") return std::string(kSrun);
  if (text == "mpirun") return std::string(kMpirun);
  if (text == "ssh") return std::string(kSsh);
  if (text.find(kNode) != std::string::npos) return text;
  return core::fail(ErrorCode::usage, "--launcher " + core::cited(text) + " does not say where the node's name goes",
                    "put {node} there: `--launcher 'ssh {node}'`, or take one of srun, mpirun and ssh");
}

class NodeRun {
 public:
  NodeRun(RunRequest request, const Arguments& arguments, const Context& context)
      : request_(std::move(request)), arguments_(arguments), context_(context) {}

  Expected<Outcome> run() {
    if (auto ok = make_folder(); !ok) return core::fail(ok.error());
    Bench bench(request_, context_, folder_);
    if (auto ok = bench.begin(); !ok) return core::fail(ok.error());
    core::RunResult& result = bench.result();
    auto warm = bench.warm_up();
    if (!warm) return core::fail(warm.error());
    if (!*warm) return core::fail(cancelled_error());
    for (std::uint32_t round = 1; round <= request_.runs; ++round) {
      show_progress(context_, static_cast<double>(round - 1) / request_.runs, "round " + std::to_string(round));
      auto through = bench.run_block(round);
      if (!through) return core::fail(through.error());
      if (*through) continue;
      if (bench.asked_to_stop()) return core::fail(cancelled_error());
      result.stop = core::RunStop::budget;
      break;
    }
    result.elapsed_s = bench.elapsed_s();
    return conclude(result);
  }

 private:
  Status make_folder() {
    if (request_.keep.empty()) {
      auto scratch = ScratchFolder::make(context_);
      if (!scratch) return core::fail(scratch.error());
      scratch_.emplace(std::move(*scratch));
      folder_ = scratch_->path();
    } else {
      if (auto ok = registry::check_out_folder(request_.keep, path_limits(context_)); !ok) return ok;
      folder_ = request_.keep;
    }
    std::error_code error;
    fs::create_directories(folder_ + "/nodes", error);
    if (!error) return {};
    return core::fail(ErrorCode::environment, "cannot make a folder below " + core::cited_path(folder_) + ": " + error.message());
  }

  // A node that the budget left no time for is none that failed.
  [[nodiscard]] std::vector<bool> tried_sides(const core::RunResult& result) const {
    std::vector<bool> tried(result.sides.size(), false);
    for (const core::RunTrial& trial : result.trials) {
      if (trial.block > 0) tried[trial.side] = true;
    }
    return tried;
  }

  Status leave_out_untried(core::RunResult& result, const std::vector<bool>& tried) const {
    std::vector<std::string> untried;
    for (std::size_t side = 0; side < tried.size(); ++side) {
      if (!tried[side]) untried.push_back(result.sides[side].label);
    }
    if (untried.empty()) return {};
    const std::size_t ran = tried.size() - untried.size();
    if (ran < 2) {
      return core::fail(ErrorCode::invalid_input,
                        "the budget was over when " + std::to_string(ran) + " of " + core::counted(tried.size(), "node") +
                            " had been run, and one has nobody to be held against",
                        "give it more time: `--budget 10m`, or name fewer nodes");
    }
    result.warnings.push_back(
        {"unread_file", core::counted(untried.size(), "node") + " not run, the budget was over: " + core::cited_list(untried)});
    return {};
  }

  struct NodeFiles {
    std::vector<std::string> paths;
    std::map<std::string, std::string> nodes;  // by path
  };

  // A file a trial. A node that gave nothing has one, too, and is named.
  Expected<NodeFiles> files_of(core::RunResult& result, const std::vector<bool>& tried) {
    NodeFiles out;
    const auto add = [&out](const std::string& path, const std::string& node) {
      out.paths.push_back(path);
      out.nodes.emplace(path, node);
    };
    for (std::size_t side = 0; side < result.sides.size(); ++side) {
      if (!tried[side]) continue;
      const std::string& node = result.sides[side].label;
      const std::string stem = folder_ + "/nodes/" + node;
      std::size_t number = 0;
      for (std::string& file : result.sides[side].files) {
        const std::string named = stem + "_run" + std::to_string(++number) + fs::path(file).extension().string();
        std::error_code error;
        fs::rename(file, named, error);
        if (error) return core::fail(ErrorCode::environment, "cannot move " + core::cited_path(file) + ": " + error.message());
        for (core::RunTrial& trial : result.trials) {
          if (trial.file == file) trial.file = named;
        }
        file = named;
        add(named, node);
      }
      if (number > 0) continue;
      const std::string nothing = stem + "_run1.txt";
      if (auto ok = registry::create_file(nothing, "no result\n", 0644, {}); !ok) return core::fail(ok.error());
      add(nothing, node);
    }
    return out;
  }

  // Most likely the command is at fault, and not the nodes.
  [[nodiscard]] Error no_result(const core::RunResult& result) const {
    const auto failed =
        std::find_if(result.trials.begin(), result.trials.end(), [](const core::RunTrial& trial) { return !trial.ok; });
    const std::size_t side = failed == result.trials.end() ? 0 : failed->side;
    std::string message = "no node gave a result";
    if (failed != result.trials.end())
      message += " (" + core::cited_word(result.sides[side].label) + ": " + failed->problem + ")";
    const std::string line = one_line(shown_command(request_.sides[side].start.argv), 300);
    return {ErrorCode::invalid_input, std::move(message), "start it by hand as it was started there: `" + line + "`", {}};
  }

  void say_failures(core::RunResult& result) {
    for (std::size_t side = 0; side < result.sides.size(); ++side) {
      std::string problem;
      std::size_t failed = 0;
      for (const core::RunTrial& trial : result.trials) {
        if (trial.side != side || trial.ok) continue;
        ++failed;
        problem = trial.problem;
      }
      if (failed == 0) continue;
      result.warnings.push_back({"unread_file", "node " + core::cited_word(result.sides[side].label) + ": " +
                                                    core::counted(failed, "run") + " failed, the command " + problem});
    }
  }

  Expected<Outcome> conclude(core::RunResult& result) {
    const std::vector<bool> tried = tried_sides(result);
    if (auto ok = leave_out_untried(result, tried); !ok) return core::fail(ok.error());
    if (std::all_of(result.sides.begin(), result.sides.end(), [](const core::RunSide& side) { return side.files.empty(); }))
      return core::fail(no_result(result));
    auto files = files_of(result, tried);
    if (!files) return core::fail(files.error());
    say_failures(result);
    Arguments question;
    for (const char* name : {"tolerance", "tolerance_percent", "direction", "varying", "fail_on", "no_bundle", "out", "sign",
                             "repo_root", "format"}) {
      if (const auto at = arguments_.all().find(name); at != arguments_.all().end()) question.set(name, at->second);
    }
    question.set("paths", files->paths);
    Outcome out;
    out.text = reports::run_table(result, true, context_.width);
    auto answer = run_outliers_named(question, std::move(files->nodes), context_);
    if (!answer) return core::fail(answer.error());
    reports::RunAnswers answers;
    answers.comparisons.push_back({"nodes", answer->json});
    out.text += "\n" + answer->text;
    out.links = std::move(answer->links);
    out.gate_tripped = answer->gate_tripped;
    out.gate_message = answer->gate_message;
    for (const core::Warning& warning : result.warnings)
      out.warnings.push_back(std::string(warning.code.text()) + ": " + warning.message);
    out.warnings.insert(out.warnings.end(), answer->warnings.begin(), answer->warnings.end());
    out.json = reports::run_result_json(result, answers);
    return out;
  }

  RunRequest request_;
  const Arguments& arguments_;
  const Context& context_;
  std::optional<ScratchFolder> scratch_;
  std::string folder_;
};

Status check_alone(const Arguments& arguments) {
  for (const char* name : {"ab", "ab_rev", "against", "record", "auto_baseline", "confirm_diff", "max_runs", "strict"}) {
    if (!arguments.has(name)) continue;
    std::string flag(name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return core::fail(ErrorCode::usage, "--nodes holds nodes against one another, and does not go with --" + flag,
                      "leave one of them away; a node against its own past is `plumbline run --against REF` on it");
  }
  if (arguments.text("runs") == "auto")
    return core::fail(ErrorCode::usage, "-n auto stops when a comparison is decided, and --nodes has none",
                      "say how often: `-n 3`");
  return {};
}

}  // namespace

Expected<std::vector<std::string>> launched_on(const std::string& node, const std::string& launcher,
                                               const std::vector<std::string>& command, const Context& context) {
  const auto text = launcher_of(launcher, context);
  if (!text) return core::fail(text.error());
  std::vector<std::string> words = words_of(*text);
  // Wherever it stands: `timeout 60 ssh {node}`.
  const bool by_ssh =
      std::any_of(words.begin(), words.end(), [](const std::string& word) { return fs::path(word).filename() == "ssh"; });
  for (std::string& word : words) {
    for (std::size_t at = word.find(kNode); at != std::string::npos; at = word.find(kNode, at + node.size()))
      word.replace(at, kNode.size(), node);
  }
  if (words.front().find('/') == std::string::npos) {
    const auto path = find_program(words.front(), context);
    if (!path) {
      return core::fail(ErrorCode::missing_helper, "the launcher " + core::cited(words.front()) + " is not on PATH",
                        "give its path: `--launcher '/usr/bin/ssh {node}'`");
    }
    words.front() = *path;
  }
  // ssh hands its words to a shell on the other side as one line.
  if (by_ssh) {
    words.push_back(shown_command(command));
  } else {
    words.insert(words.end(), command.begin(), command.end());
  }
  return words;
}

Expected<Outcome> run_on_nodes(const Arguments& arguments, const Context& context) {
  if (auto ok = check_alone(arguments); !ok) return core::fail(ok.error());
  auto nodes = asked_nodes(arguments.text("nodes"), context);
  if (!nodes) return core::fail(nodes.error());
  if (nodes->size() < 2) {
    return core::fail(ErrorCode::usage, "one node has nobody to be held against: " + core::cited_word(nodes->front()),
                      "name two or more: `--nodes n1,n2`");
  }
  auto request = parse_run(arguments, context);
  if (!request) return core::fail(request.error());
  if (!arguments.has("runs")) request->runs = 1;
  if (!arguments.has("warmup")) request->warmup = 0;
  request->automatic = false;
  request->apart = true;
  request->max_failures = std::numeric_limits<std::uint32_t>::max();
  const RunRequest::Side one = request->sides.front();
  request->sides.clear();
  for (const std::string& node : *nodes) {
    RunRequest::Side side = one;
    side.label = node;
    auto words = launched_on(node, arguments.text("launcher"), one.start.argv, context);
    if (!words) return core::fail(words.error());
    side.start.argv = std::move(*words);
    request->sides.push_back(std::move(side));
  }
  return NodeRun(std::move(*request), arguments, context).run();
}

}  // namespace plumbline::verbs
