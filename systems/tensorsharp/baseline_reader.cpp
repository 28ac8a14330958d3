// TensorSharp's baseline of one host: what each cell of its test matrix is expected to give. Rows carry the keys of the results
// (results_reader.cpp). Two entries of one case id stop that tool altogether, so they are an error; what its deserialiser
// would refuse makes it go on as if there were no baseline, which is a warning here and a reason beside its verdict.
#include "core/citing.hpp"
#include "core/native.hpp"
#include "systems/tensorsharp/reading.hpp"
#include "systems/tensorsharp/system.hpp"

namespace plumbline::systems::tensorsharp {
namespace {

using namespace formats;  // the readers' kit
using json::Value;

constexpr const char* kShape =
    "a baseline is {\"host_label\": …, \"captured_at\": …, \"commit\": …, \"notes\": …, \"entries\": [{\"case_id\": …, \"ok\": "
    "true, \"correctness_ok\": null, \"prefill_tps\": 0, \"decode_tps\": 0, \"model_load_ms\": 0}]}";

std::string place_of(const Input& input, const Value& value) {
  const json::Place at = value.place();
  return input.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

core::Status read_entries(const Input& input, const Value& list, Baseline& out) {
  std::unordered_map<std::string, std::size_t> seen;
  std::size_t number = 0;
  for (const Value& one : list.elements()) {
    ++number;
    if (!one.is_object()) {
      return core::fail(core::ErrorCode::invalid_input, "entry " + std::to_string(number) + " is no object", kShape,
                        place_of(input, one));
    }
    Fields fields(one, "entry " + std::to_string(number) + ": ");
    Entry entry = read_entry(fields);
    if (entry.case_id.empty()) {
      return core::fail(core::ErrorCode::invalid_input, "entry " + std::to_string(number) + " has no \"case_id\"", kShape,
                        place_of(input, one));
    }
    const auto [it, fresh] = seen.emplace(entry.case_id, number);
    if (!fresh) {
      return core::fail(core::ErrorCode::invalid_input,
                        "the case " + core::cited(entry.case_id) + " appears twice: entries " + std::to_string(it->second) +
                            " and " + std::to_string(number),
                        "TensorSharp itself stops on this with exit status 1: take one of them out", place_of(input, one));
    }
    if (out.unreadable.empty()) out.unreadable = fields.refused();
    out.entries.push_back(std::move(entry));
  }
  return {};
}

}  // namespace

Detection detect_tensorsharp_baseline(const Input& input) {
  Detection detection;
  const std::string_view start = json_head(input);
  if (!start.starts_with('{') && !start.starts_with('/')) return detection;
  const JsonOutline outline(core::to_lower(start));
  constexpr std::string_view kNamed[] = {"host_label", "entries", "captured_at"};
  constexpr std::string_view kCases[] = {"entries/case_id", "entries/prefill_tps", "entries/decode_tps"};
  if (has_keys(outline, kNamed, detection)) {
    detection.score = 0.97;
  } else if (has_keys(outline, kCases, detection)) {
    detection.score = 0.96;
  }
  return detection;
}

core::Expected<core::Measurement> read_tensorsharp_baseline(const Input& input, const ReadOptions& options) {
  const Text text(input.bytes);
  Input plain = input;
  plain.bytes = text.view();
  auto document = parse_json(plain, options);
  if (!document) return core::fail(document.error());
  const Value root = document->root();
  if (!root.is_object())
    return core::fail(kOtherStructure, "the document is no object: this is no baseline of TensorSharp", kShape, input.name);
  Fields fields(root, "");
  Baseline out;
  out.host_label = fields.text("host_label");
  out.captured_at = fields.time("captured_at");
  out.commit = fields.optional_text("commit");
  out.notes = fields.optional_text("notes");
  const Value entries = fields.find("entries");
  if (!entries.is_array()) {
    return core::fail(core::ErrorCode::invalid_input, entries ? "\"entries\" is no array" : "the baseline has no \"entries\"",
                      kShape, entries ? place_of(input, entries) : input.name);
  }
  out.unreadable = fields.refused();
  if (auto ok = read_entries(input, entries, out); !ok) return core::fail(ok.error());
  if (document->notes().non_finite_literals.count > 0 && out.unreadable.empty()) {
    out.unreadable = "a number that is not finite";
  }
  ReadOptions own = options;
  own.allow_no_numbers = own.allow_no_numbers || entries.size() == 0;  // of a host that nothing was captured on yet
  RowWriter writer(own);
  take_notes(*document, writer);
  DeclaredRows rows(writer, "tensorsharp");
  Agreement agreement;
  for (const Entry& entry : out.entries) {
    if (writer.halted()) break;
    agreement.see(entry.case_id);
    add_cell(entry, false, "recorded as failing", rows);
  }
  agreement.declare(rows);
  rows.context("environment.host_label", out.host_label);
  if (out.commit) rows.context("stack.commit", *out.commit);
  if (!out.unreadable.empty()) {
    writer.out.warn("native_unreadable", "TensorSharp cannot read this baseline and would pass every cell: " + out.unreadable);
  }
  core::NativeFile native;
  native.system = "tensorsharp";
  native.path = input.name;
  File file;
  file.baseline = std::move(out);
  native.content = std::move(file);
  writer.out.native = std::make_shared<const core::NativeFile>(std::move(native));
  return writer.finish(input.name);
}

const Format kBaselineFormat = {
    .name = "tensorsharp-baseline",
    .title = "TensorSharp test matrix baseline",
    .detect = detect_tensorsharp_baseline,
    .read = read_tensorsharp_baseline,
    .about = {.group = formats::Group::other_systems,
              .file = "JSON",
              .produce = "dotnet TensorSharp.TestMatrix.dll --update-baseline --model-dir DIR",
              .judged =
                  "decode and prefill throughput of each case in tok/s, higher is better; `ok` and `correctness_ok` are gates",
              .key = "case id (model, backend, feature, variant)",
              .trials = "one value a key",
              .context = "host label, commit; model and backend where all cases share them",
              .limits = "comments, trailing commas and names in any case are read; load times are context",
              .recognised = "`host_label`, `captured_at` and `entries`, or `entries` with `case_id` and `decode_tps`"},
};

}  // namespace plumbline::systems::tensorsharp
