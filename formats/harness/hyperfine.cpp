// hyperfine's JSON: each command is a point, its `times` are trials, each a process of its own. Commands that carry a secret
// ("--token=…") are keyed without it.
#include "core/privacy.hpp"
#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

std::vector<double> numbers_of(const Value& array) {
  std::vector<double> out;
  if (!array.is_array()) return out;
  for (const Value& one : array.elements()) {
    if (!one.is_null()) out.push_back(one.is_number() ? one.number() : std::nan(""));
  }
  return out;
}

}  // namespace

core::Status read_hyperfine(const json::Value& root, RowWriter& writer) {
  const Value results = root.find("results");
  if (!results.is_array()) {
    return core::fail(kOtherStructure, "no \"results\" array: this is not hyperfine's JSON",
                      "hyperfine --export-json FILE writes it");
  }
  DeclaredRows rows(writer, "hyperfine");
  for (const Value& result : results.elements()) {
    if (writer.halted()) break;
    // Without its secrets before it is cut, so that no half of one is left that nothing tells.
    const std::string command = core::without_secrets(result.find_string("command")).substr(0, 400);
    std::vector<std::pair<std::string_view, std::string>> dims{{"command", command}};
    std::string label = command;
    if (const Value parameters = result.find("parameters"); parameters.is_object()) {
      for (const auto [name, valid, value] : parameters.members()) {
        if (value.is_container() || core::sounds_secret(name)) continue;
        dims.emplace_back(name, core::without_secrets(value.text()).substr(0, 100));
        // A command of --command-name is called the same at every setting.
        label += (dims.size() == 2 ? " [" : ",") + std::string(name) + "=" + dims.back().second;
      }
      if (dims.size() > 1) label += "]";
    }
    const std::uint32_t point = rows.dims(dims);
    const std::size_t first = writer.out.rows().size();
    const std::vector<double> times = numbers_of(result.find("times"));
    rows.add(label, "time", point, lower_is_better("s"), times);
    // Of the times themselves; judged only where they were not exported.
    const Declared summary = times.empty() ? lower_is_better("s") : for_context("s");
    for (const auto& [name, declared] :
         std::initializer_list<std::pair<std::string_view, Declared>>{{"mean", summary},
                                                                      {"median", summary},
                                                                      {"stddev", own_noise("s")},
                                                                      {"min", for_context("s")},
                                                                      {"max", for_context("s")},
                                                                      {"user", lower_is_better("s")},
                                                                      {"system", lower_is_better("s")}}) {
      if (const Value value = result.find(name); value && !value.is_container()) {
        rows.add(label, name, point, declared, leaf_of(value));
      }
    }
    rows.add(label, "memory_usage_byte", point, lower_is_better("B"), numbers_of(result.find("memory_usage_byte")));
    if (const Value codes = result.find("exit_codes"); codes.is_array()) {
      std::uint64_t failures = 0;
      for (const Value& code : codes.elements()) failures += code.is_number() && code.number() == 0 ? 0U : 1U;
      if (failures > 0 && failures == codes.size()) rows.fail_from(first, "every run of the command failed");
      rows.add(label, "failed_runs", point, gate(), static_cast<double>(failures));
    }
  }
  writer.out.declared.headlines = {"*.time"};
  return {};
}

extern const Format hyperfine_format = {
    .name = "hyperfine",
    .title = "hyperfine timings of commands",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::object, 0.95, {"results/command", "results/mean", "results/user", "results/system"}}}},
    .read = read_document<read_hyperfine>,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "hyperfine --runs 10 --export-json result.json 'COMMAND'",
              .judged = "hyperfine JSON; `times` are trials, exit codes a gate",
              .key = "command, parameters",
              .trials = "`times`",
              .context = "none: the file holds none",
              .limits = "secrets in a command are blanked in its key",
              .recognised = "`results` with `command`, `mean`, `user`, `system`"},
};

}  // namespace plumbline::formats
