// trainer_state.json of the Hugging Face Trainer: the course of a run. Its steps are no repetitions, so what counts is the last
// value of each name: the last loss, the last evaluation, the speeds of the whole run where it is complete.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/read_document.hpp"
#include "formats/training/logged_names.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

Declared declared_of(std::string_view name) { return declared_of_logged(name).value_or(for_context()); }

}  // namespace

core::Status read_trainer_state(const Value& root, RowWriter& writer) {
  DeclaredRows rows(writer, "Trainer");
  std::vector<std::pair<std::string_view, Value>> last;
  for (const Value entry : root.find("log_history").elements()) {
    for (const auto& member : entry.members()) {
      if (!member.value.is_number() || member.key == "step" || member.key == "epoch") continue;
      const auto known = std::find_if(last.begin(), last.end(), [&](const auto& one) { return one.first == member.key; });
      if (known == last.end()) {
        last.emplace_back(member.key, member.value);
      } else {
        known->second = member.value;
      }
    }
  }
  if (last.empty()) {
    return core::fail(kOtherStructure, "nothing was logged in the state of the Trainer",
                      "--logging_steps says how often it logs; a checkpoint's trainer_state.json holds the log");
  }
  for (const auto& [name, value] : last) rows.add({}, name, 0, declared_of(name), leaf_of(value));
  for (const std::string_view name : {"global_step", "epoch", "best_metric", "total_flos"}) {
    if (const Value value = root.find(name); value.is_number()) rows.add({}, name, 0, for_context(), leaf_of(value));
  }
  for (const std::string_view name : {"max_steps", "num_train_epochs", "train_batch_size"}) {
    if (const Value value = root.find(name); value.is_number()) rows.context("workload." + std::string(name), value.text());
  }
  for (const std::string_view name : {"train_samples_per_second", "train_runtime", "eval_loss", "loss"}) {
    const bool logged = std::any_of(last.begin(), last.end(), [&](const auto& one) { return one.first == name; });
    if (logged) writer.out.declared.headlines.emplace_back(name);
  }
  return {};
}

extern const Format trainer_state_format = {
    .name = "trainer-state",
    .title = "Hugging Face Trainer (trainer_state.json)",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::json, 0.97, {"log_history", "global_step", "is_world_process_zero"}}}},
    .read = read_document<read_trainer_state>,
    .about = {.group = Group::training,
              .file = "JSON",
              .produce = "python run_clm.py --output_dir OUT …  # OUT/checkpoint-N/trainer_state.json",
              .judged = "the last value of each name: losses, error rates and run times (lower), samples, steps and tokens per "
                        "second, accuracy, F1 and BLEU (higher)",
              .key = "the name as logged: `eval_loss`, `train_samples_per_second`",
              .trials = "one value a key: the steps of a run are its course and no repetitions",
              .context = "steps, epochs, batch size",
              .limits = "other names are context; a checkpoint in the middle of a run has no speeds of the whole",
              .recognised = "keys `log_history`, `global_step` and `is_world_process_zero`"},
};

}  // namespace plumbline::formats
