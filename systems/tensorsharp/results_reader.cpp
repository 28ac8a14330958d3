// What a run of TensorSharp's test matrix left: a folder with one JSON file a cell, or one such file. A file that its
// deserialiser cannot read is passed over, as there; it is counted. Commands, prompts and environments are not taken: of the
// command only the system that it was written for, to tell which host's baseline the run belongs to.
#include "core/native.hpp"
#include "core/privacy.hpp"
#include "systems/tensorsharp/reading.hpp"
#include "systems/tensorsharp/system.hpp"

namespace plumbline::systems::tensorsharp {
namespace {

using namespace formats;  // the readers' kit
using json::Value;

bool is_result(std::string_view head) {
  const JsonOutline outline(core::to_lower(head));
  return outline.has("case_id") && outline.has("skipped") && outline.has("prefill_tps") && outline.has("decode_tps") &&
         !outline.has("entries");
}

// The host labels that the tool itself gives, by what ran: its own choice is the machine that it runs on.
std::string label_of(std::string_view backend, std::string_view command) {
  if (backend == "mlx" || backend == "ggml_metal") return "macos-mlx";
  const bool windows = command.find(".exe") != std::string_view::npos || command.find(":\\") != std::string_view::npos;
  if (windows) return "windows-cuda";
  if (command.find("/Users/") != std::string_view::npos) return "macos-mlx";
  if (backend == "cuda" || backend == "ggml_cuda" || command.find("/home/") != std::string_view::npos) return "linux-cuda";
  return {};
}

class ResultsReader {
 public:
  ResultsReader(const ReadOptions& options, RowWriter& writer)
      : options_(options), writer_(writer), rows_(writer, "tensorsharp") {}

  // An error of a single file; of a folder's file, the reason why it is passed over.
  core::Status take(const Input& input) {
    const Text text(input.bytes);
    Input plain = input;
    plain.bytes = text.view();
    auto document = parse_json(plain, options_);
    if (!document) {
      ++file_.unread_files;
      return core::fail(document.error());
    }
    const Value root = document->root();
    if (!root.is_object() || document->notes().lines) {
      ++file_.unread_files;
      return core::fail(core::ErrorCode::invalid_input, "the document is no object: this is no result of TensorSharp",
                        "a result is {\"case_id\": …, \"ok\": true, \"decode_tps\": …, …}", input.name);
    }
    take_notes(*document, writer_);
    Fields fields(root, "");
    Cell cell = read_cell(fields);
    cell.file = input.name;
    const std::string command = fields.text("command");
    // Further fields that its deserialiser reads, and stops on.
    for (const std::string_view name : {"model_family", "feature", "env_var", "env_value", "output_preview", "stdout_tail"})
      static_cast<void>(fields.optional_text(name));
    for (const std::string_view name :
         {"exit_code", "prefill_tokens", "prefill_ms", "decode_tokens", "decode_ms", "total_wall_ms", "duration_seconds"})
      static_cast<void>(fields.number(name));
    if (!fields.refused().empty()) {
      ++file_.unread_files;
      writer_.out.warn("native_unreadable", "TensorSharp passes this file over: " + fields.refused() + ": " + input.name);
    }
    const bool named = !cell.entry.case_id.empty();
    if (named) add(cell, fields, command);
    if (fields.refused().empty()) file_.cells.push_back(std::move(cell));
    if (named) return {};
    return core::fail(core::ErrorCode::invalid_input, "the result has no \"case_id\"",
                      "a result is {\"case_id\": …, \"ok\": true, \"decode_tps\": …, …}", input.name);
  }

  core::Expected<core::Measurement> finish(const std::string& name) {
    agreement_.declare(rows_);
    rows_.context("environment.host_label", label_);
    core::NativeFile native;
    native.system = "tensorsharp";
    native.path = name;
    native.content = std::move(file_);
    writer_.out.native = std::make_shared<const core::NativeFile>(std::move(native));
    return writer_.finish(name);
  }

 private:
  // What a program says when it stops may hold the command that it was called with.
  std::string clean(std::string text) { return secrets_.scrubbed(text).value_or(std::move(text)); }
  std::optional<std::string> clean(std::optional<std::string> text) {
    if (text) text = clean(std::move(*text));
    return text;
  }

  Cell read_cell(Fields& fields) {
    Cell cell;
    cell.entry = read_entry(fields);
    cell.skipped = fields.flag("skipped");
    cell.skip_reason = clean(fields.text("skip_reason"));
    cell.error = clean(fields.optional_text("error"));
    cell.correctness_error = clean(fields.optional_text("correctness_error"));
    cell.model = fields.text("model");
    cell.backend = fields.text("backend");
    cell.started_at = fields.time("started_at");
    return cell;
  }

  void add(const Cell& cell, const Fields& fields, std::string_view command) {
    std::string why;
    if (cell.skipped) {
      why = "skipped" + (cell.skip_reason.empty() ? "" : ": " + cell.skip_reason);
    } else if (!cell.entry.ok) {
      why = cell.entry.correctness_ok == false ? cell.correctness_error.value_or("wrong output") : cell.error.value_or("failed");
    }
    add_cell(cell.entry, cell.skipped, why.substr(0, 300), rows_);
    agreement_.see(cell.entry.case_id);
    const std::string label = label_of(cell.backend, command);
    if (!label.empty()) label_ = label_.empty() || label_ == label ? label : "";
    if (cell.skipped) return;
    for (const auto& [name, unit] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {"prefill_tokens", ""}, {"decode_tokens", ""}, {"total_wall_ms", "ms"}, {"exit_code", ""}}) {
      if (const Value value = fields.find(name); value.is_number())
        rows_.add(cell.entry.case_id, name, 0, for_context(unit), leaf_of(value));
    }
  }

  const ReadOptions& options_;
  RowWriter& writer_;
  DeclaredRows rows_;
  File file_;
  Agreement agreement_;
  std::string label_;
  core::SecretFinder secrets_;
};

core::Expected<core::Measurement> read_folder(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  ResultsReader reader(options, writer);
  std::vector<std::string> unread;
  core::Error first;
  std::size_t taken = 0;
  for (const Input::File& file : input.files) {
    if (options.stop && options.stop()) return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input.name);
    if (writer.halted()) break;
    Input one;
    one.name = file.name;
    one.bytes = file.bytes;
    // It lists *.json of the folder itself.
    const bool listed = has_extension(file.name, ".json") && file.name.find('/') == std::string::npos;
    core::Status status =
        listed ? reader.take(one) : core::Status(core::fail(core::ErrorCode::invalid_input, "not a .json of the folder itself"));
    if (status) {
      ++taken;
      continue;
    }
    if (status.error().code == core::ErrorCode::cancelled || status.error().code == core::ErrorCode::limit_exceeded)
      return core::fail(status.error());
    if (unread.empty()) first = status.error();
    unread.push_back(file.name);
  }
  if (taken == 0) {
    return core::fail(core::ErrorCode::invalid_input,
                      "none of the " + core::counted(input.files.size(), "file") +
                          " in the folder is a result of TensorSharp; the first: " + first.message,
                      first.hint, input.name);
  }
  if (!unread.empty()) {
    writer.out.warn("unread_file", core::counted(unread.size(), "file") + " of " + std::to_string(input.files.size()) +
                                       " could not be read: " + core::listed(unread) + " (" + first.message + ")");
  }
  return reader.finish(input.name);
}

}  // namespace

Detection detect_tensorsharp_results(const Input& input) {
  Detection detection;
  if (input.files.empty()) {
    const std::string_view start = json_head(input);
    if ((start.starts_with('{') || start.starts_with('/')) && is_result(start)) {
      detection.score = 0.96;
      detection.evidence = {"a cell of a test matrix: case_id, skipped, prefill_tps, decode_tps"};
    }
    return detection;
  }
  std::size_t seen = 0, results = 0;
  for (const Input::File& file : input.files) {
    if (!has_extension(file.name, ".json") || file.name.find('/') != std::string::npos) continue;
    if (is_result(file.bytes.substr(0, kHead))) ++results;
    if (++seen == 16) break;
  }
  if (results > 0 && results * 2 >= seen) {
    detection.score = 1.06;  // more than any folder
    detection.evidence = {"a folder of cells of a test matrix: case_id, skipped, prefill_tps, decode_tps"};
  }
  return detection;
}

core::Expected<core::Measurement> read_tensorsharp_results(const Input& input, const ReadOptions& options) {
  if (!input.files.empty()) return read_folder(input, options);
  RowWriter writer(options);
  ResultsReader reader(options, writer);
  if (auto ok = reader.take(input); !ok) return core::fail(ok.error());
  return reader.finish(input.name);
}

const Format kResultsFormat = {
    .name = "tensorsharp-results",
    .title = "TensorSharp test matrix results",
    .replication = core::Replication::run,
    .detect = detect_tensorsharp_results,
    .read = read_tensorsharp_results,
    .about = {.group = formats::Group::other_systems,
              .file = "folder, JSON",
              .produce = "dotnet TensorSharp.TestMatrix.dll --model-dir DIR  # writes results/*.json",
              .judged = "decode and prefill throughput of each case in tok/s, higher is better; `ok` and `correctness_ok` are "
                        "gates; a skipped case has no values",
              .key = "case id (model, backend, feature, variant)",
              .trials = "one value a key",
              .context = "host label by backend and command; model and backend where all cases share them",
              .limits = "commands, prompts, outputs and environments are not taken",
              .recognised = "a folder of, or one JSON object with `case_id`, `skipped`, `prefill_tps`, `decode_tps`"},
};

}  // namespace plumbline::systems::tensorsharp
