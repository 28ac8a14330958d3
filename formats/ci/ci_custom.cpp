// The custom JSON of github-action-benchmark, [{name, unit, value, range, extra}]. Its direction is in the workflow and not in
// the file: name and unit have to say.
#include <unordered_map>

#include "formats/ci/benchmark_entry.hpp"
#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

}  // namespace

Detection detect_custom_benchmark(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with("[")) return detection;
  const std::string_view first = head.substr(0, std::min(head.find('}'), head.size()));
  if (std::count(first.begin(), first.end(), '{') == 1 && has_keys(input, {"name", "unit", "value"}, detection)) {
    detection.score = 0.9;
  }
  return detection;
}

core::Status read_custom_benchmark(const json::Value& root, RowWriter& writer) {
  DeclaredRows rows(writer, "github-action-benchmark");
  std::unordered_map<std::string_view, std::size_t> times;
  for (const Value& entry : root.elements()) ++times[entry.find_string("name")];
  for (const Value& entry : root.elements()) {
    if (writer.halted()) break;
    const std::string_view name = entry.find_string("name"), unit = entry.find_string("unit");
    const Value value = entry.find("value");
    if (name.empty() || !value || value.is_container()) continue;
    std::vector<std::pair<std::string_view, std::string>> pairs{{"benchmark", std::string(name)}};
    std::string point(name);
    // Fields of the writer's own tell entries of one name apart: {"name": "sort", "size": 1024, …}.
    if (times[name] > 1) {
      for (const auto [field, valid, content] : entry.members()) {
        constexpr std::string_view kTheirs[] = {"name", "unit", "value", "range", "extra"};
        if (content.is_container() || std::find(std::begin(kTheirs), std::end(kTheirs), field) != std::end(kTheirs)) continue;
        point += (pairs.size() == 1 ? "[" : ",") + std::string(field) + "=" + std::string(content.text().substr(0, 100));
        pairs.emplace_back(field, std::string(content.text().substr(0, 100)));
      }
      if (pairs.size() > 1) point += "]";
    }
    const std::uint32_t dims = rows.dims(pairs);
    writer.add(point, metric_of(writer.names(), name, unit), RowWriter::kRootShape, dims, leaf_of(value), {.unit = unit});
    const Value range = entry.find("range");
    if (const auto spread = range && !range.is_container() ? range_of(range.text(), value.number()) : std::nullopt) {
      rows.add(point, "range", dims, own_noise(unit), *spread);
    }
  }
  // Whatever is in such a file was put there to be watched.
  writer.out.declared.headlines = {"*"};
  writer.out.replication = core::Replication::run;
  return {};
}

extern const Format github_action_benchmark_format = {
    .name = "github-action-benchmark",
    .title = "custom JSON of github-action-benchmark",
    .replication = core::Replication::unknown,
    .detect = detect_custom_benchmark,
    .read = read_document<read_custom_benchmark>,
    .about = {.group = Group::ci,
              .file = "JSON",
              .produce = "# what your own harness writes for github-action-benchmark with\n"
                         "# `tool: customSmallerIsBetter` or `tool: customBiggerIsBetter`",
              .judged =
                  "custom JSON of github-action-benchmark by name and unit, by the unit of a time or a rate alone where the name "
                  "is a setting's",
              .key = "the name, and of entries of one name the fields of the writer's own (`size`)",
              .trials = "one value a key",
              .context = "none",
              .limits = "the direction is in the workflow, not in the file; `range` is noise",
              .recognised = "an array of `name`, `unit`, `value`"},
};

}  // namespace plumbline::formats
