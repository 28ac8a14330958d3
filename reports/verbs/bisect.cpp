#include "reports/verbs/bisect.hpp"

#include "core/json_writer.hpp"
#include "core/text.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

using core::BisectCommit;
using core::BisectResult;
using core::JsonWriter;

constexpr std::size_t kShortSha = 12;

std::string short_sha(const BisectCommit& commit) { return commit.sha.substr(0, kShortSha); }

std::string percent_text(double share) { return core::short_number(100 * share, share > 0.995 ? 4 : 3) + " %"; }

void write_commit(JsonWriter& out, const BisectCommit& commit) {
  out.begin_object().place("sha", commit.sha).field("subject", commit.subject).field("merge", commit.merge);
  out.field("pairs", commit.pairs).field_or_null("change_pct", commit.change_pct).field("probability", commit.probability);
  if (!commit.problem.empty()) out.field("problem", commit.problem);
  out.end_object();
}

// The sentence that matters.
std::string answer(const BisectResult& result) {
  const std::string range = result.good + ".." + result.bad;
  if (!result.searched) {
    const std::string told = std::string(to_string(result.verdict)) + " (" + std::string(to_string(result.tier)) + ")";
    if (result.verdict == core::Verdict::green) return "no regression between " + range + ": " + told;
    return "it is not decided that " + result.bad + " is worse than " + result.good + ": " + told + " after " +
           core::counted(result.runs, "run") +
           "; give more by --max-runs or --budget, make the benchmark steadier, or say by --tolerance-percent how small a change "
           "matters";
  }
  const BisectCommit& last = result.commits[result.last];
  std::string out;
  if (result.first == result.last) {
    out = short_sha(last) + " \"" + last.subject + "\"";
  } else {
    out = "one of " + core::counted(result.last - result.first + 1, "commit") + " that cannot be told apart, " +
          short_sha(result.commits[result.first]) + " to " + short_sha(last);
  }
  out += result.found ? " made it worse" : " is the likeliest, and it is not decided";
  out += ": probability " + percent_text(result.probability);
  return result.found ? out : out + " after " + core::counted(result.runs, "run") + "; --max-runs and --budget give more";
}

std::string next_step(const BisectResult& result) {
  if (!result.searched || !result.found || result.first != result.last || !result.commits[result.last].merge) return {};
  const std::string sha = short_sha(result.commits[result.last]);
  return "it is a merge: `plumbline bisect --good " + sha + "^1 --bad " + sha + "^2 …` searches what it brought in";
}

std::string state_of(const BisectCommit& commit) {
  if (!commit.problem.empty()) return commit.problem;
  if (commit.pairs == 0) return "";
  return signed_percent(*commit.change_pct) + " in " + core::counted(commit.pairs, "pair");
}

}  // namespace

std::string bisect_json(const BisectResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.bisect.v1");
  json.field("tool", "").field("verb", "bisect").field("safety", "writes_artifacts");
  json.field("good", result.good).field("bad", result.bad);
  json.field("verdict", to_string(result.verdict)).field("tier", to_string(result.tier));
  json.field("key", result.key).field_or_null("change_pct", result.change_pct);
  json.field("searched", result.searched).field("found", result.found).field("probability", result.probability);
  json.key("culprits").begin_array();
  for (std::size_t i = result.first; result.searched && i <= result.last; ++i)
    core::compact(json, [&](JsonWriter& out) { write_commit(out, result.commits[i]); });
  json.end_array();
  json.field("message", answer(result)).field("runs", result.runs).field("elapsed_s", result.elapsed_s);
  json.field("commits_between", static_cast<std::uint64_t>(result.commits.size()));
  json.key("tried").begin_array();
  for (const BisectCommit& commit : result.commits) {
    if (commit.pairs == 0 && commit.problem.empty()) continue;
    core::compact(json, [&](JsonWriter& out) { write_commit(out, commit); });
  }
  json.end_array();
  json.key("warnings").begin_array();
  for (const core::Warning& warning : result.warnings) {
    core::compact(json, [&](JsonWriter& out) {
      out.begin_object().field("code", warning.code.text()).field("message", warning.message).end_object();
    });
  }
  json.end_array().end_object();
  return text + "\n";
}

std::string bisect_step_json(int status, const std::string& message) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.bisect.v1");
  json.field("tool", "").field("verb", "bisect").field("safety", "writes_artifacts");
  json.field("exit_status", status).field("message", core::trim(message)).end_object();
  return text + "\n";
}

std::string bisect_text(const BisectResult& result, bool colour, int width) {
  const Terminal terminal(colour);
  std::string out = Terminal::wrap("", answer(result), width);
  if (!result.key.empty()) {
    out += Terminal::wrap("",
                          "\"" + result.key + "\": " + (result.change_pct ? signed_percent(*result.change_pct) + " from " : "") +
                              result.good + " to " + result.bad + ", " + core::counted(result.commits.size(), "commit") +
                              " between, " + core::counted(result.runs, "run"),
                          width);
  }
  if (!result.searched) return out;
  Table table({"commit", "probability", "measured"}, {true, false, true});
  for (const BisectCommit& commit : result.commits) {
    if (commit.pairs == 0 && commit.problem.empty() && commit.probability < 0.005) continue;
    table.add(
        {{short_sha(commit) + " " + one_line(commit.subject)}, {percent_text(commit.probability)}, {one_line(state_of(commit))}});
  }
  out += "\n" + table.text(terminal, width);
  if (const std::string next = next_step(result); !next.empty()) out += Terminal::wrap("next  ", next, width);
  return out;
}

std::string bisect_markdown(const BisectResult& result) {
  std::string out = "# Bisection: " + markdown_text(answer(result)) + "\n\n";
  if (!result.key.empty()) {
    out += markdown_code(result.key) + " changed by " +
           (result.change_pct ? signed_percent(*result.change_pct) : "an unknown amount") + " from " +
           markdown_code(result.good) + " to " + markdown_code(result.bad) + ". " +
           core::counted(result.commits.size(), "commit") + " between them, " + core::counted(result.runs, "run") +
           " of the benchmark.\n\n";
  }
  if (result.searched) {
    out += "| Commit | Subject | Probability | Measured against the good revision |\n|---|---|---:|---|\n";
    for (const BisectCommit& commit : result.commits) {
      if (commit.pairs == 0 && commit.problem.empty() && commit.probability < 0.005) continue;
      out += "| `" + short_sha(commit) + "` | " + markdown_text(commit.subject) + " | " + percent_text(commit.probability) +
             " | " + markdown_text(state_of(commit)) + " |\n";
    }
  }
  if (const std::string next = next_step(result); !next.empty()) out += "\n" + next + "\n";
  return out;
}

}  // namespace plumbline::reports
