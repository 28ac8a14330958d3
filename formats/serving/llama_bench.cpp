// llama-bench of llama.cpp: JSON, JSON lines, CSV and the Markdown table (also inside a log). A test (pp512, tg128,
// pp512+tg128, "@ d4096") under its settings is a point; samples_ts are trials inside one process. The table leaves out settings
// that have their defaults, so a JSON and a Markdown of one run have other keys.
#include <map>

#include "formats/declared_rows.hpp"
#include "formats/generic/lines.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;
using Settings = std::vector<std::pair<std::string_view, std::string>>;

// Settings that make a point, in the order they are written into the key.
constexpr std::string_view kSettings[] = {
    "n_batch",  "n_ubatch",      "n_threads",  "type_k",       "type_v",   "n_gpu_layers", "split_mode",
    "main_gpu", "no_kv_offload", "flash_attn", "tensor_split", "use_mmap", "embeddings",   "ngl",
    "fa",       "threads",       "sm",         "mmap",         "ts",       "nkvo"};
constexpr std::pair<std::string_view, std::string_view> kContext[] = {{"build_commit", "stack.llama_cpp"},
                                                                      {"cpu_info", "hardware.cpu"},
                                                                      {"gpu_info", "hardware.gpu"},
                                                                      {"backends", "serving.backend"},
                                                                      {"backend", "serving.backend"}};

std::string test_name(double prompt, double generated, double depth) {
  std::string out;
  if (prompt > 0) out = "pp" + core::number_text(prompt);
  if (generated > 0) out += (out.empty() ? "tg" : "+tg") + core::number_text(generated);
  if (depth > 0) out += "@d" + core::number_text(depth);
  return out;
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "llama-bench") {}

  // "llama 7B Q4_0[ngl=99].pp512": the model, the settings, the test.
  void point(std::string_view model, const Settings& settings, const std::string& test) {
    point_.assign(model);
    std::string inner;
    for (const auto& [name, value] : settings) inner += (inner.empty() ? "" : ",") + std::string(name) + "=" + value;
    if (!inner.empty()) point_ += "[" + inner + "]";
    // A log of several runs (one per GPU, say) repeats its points: the later ones are other measurements, not trials.
    if (const int seen = ++seen_[point_ + "." + test]; seen > 1) point_ += "#" + std::to_string(seen);
    point_ += "." + test;
    Settings dims{{"model", std::string(model)}, {"test", test}};
    dims.insert(dims.end(), settings.begin(), settings.end());
    dims_ = rows_.dims(dims);
  }
  void speed(std::span<const double> trials) { rows_.add(point_, "t/s", dims_, higher_is_better("tok/s"), trials); }
  void spread(double value) { rows_.add(point_, "stddev", dims_, own_noise("tok/s"), value); }
  // What all points agree on; where they differ nothing is said.
  void context(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    const auto [at, is_new] = context_.try_emplace(std::string(key), text.substr(0, 500));
    if (!is_new && at->second != text.substr(0, 500)) at->second.clear();
  }
  core::Expected<core::Measurement> finish(std::string_view name) {
    for (const auto& [key, text] : context_) rows_.context(key, text);
    writer_.out.declared.headlines = {"*.t/s"};
    writer_.out.replication = core::Replication::in_process;
    return writer_.finish(name);
  }

 private:
  RowWriter& writer_;
  DeclaredRows rows_;
  std::string point_;
  std::uint32_t dims_ = 0;
  std::map<std::string, std::string> context_;
  std::map<std::string, int> seen_;
};

// The text of a field, by name: a JSON member or a CSV cell.
template <class Field>
void read_record(Reader& reader, const Field& field, std::span<const double> samples) {
  const auto number = [&](std::string_view name) { return core::parse_double(field(name)).value_or(0); };
  std::string model(field("model_type"));
  if (model.empty()) model = std::string(field("model_filename"));
  Settings settings;
  for (const std::string_view name : kSettings) {
    if (const std::string_view value = field(name); !value.empty()) settings.emplace_back(name, std::string(value));
  }
  for (const auto& [name, key] : kContext) reader.context(key, field(name));
  reader.context("identity.model", model);
  reader.point(model, settings, test_name(number("n_prompt"), number("n_gen"), number("n_depth")));
  const auto average = core::parse_double(field("avg_ts"));
  if (!samples.empty()) {
    reader.speed(samples);
  } else if (average) {
    reader.speed(std::span(&*average, 1));
  }
  if (const auto spread = core::parse_double(field("stddev_ts"))) reader.spread(*spread);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = core::trim(line);
  if (!line.starts_with('|') || !line.ends_with('|') || line.size() < 2) return cells;
  for (const std::string_view cell : core::split(line.substr(1, line.size() - 2), '|')) cells.push_back(core::trim(cell));
  return cells;
}

bool is_header(const std::vector<std::string_view>& cells) {
  const auto has = [&](std::string_view name) { return std::find(cells.begin(), cells.end(), name) != cells.end(); };
  return has("model") && has("test") && has("t/s");
}

core::Expected<core::Measurement> read_json(const Input& input, const ReadOptions& options) {
  auto document = parse_json(input, options);
  if (!document) return core::fail(document.error());
  RowWriter writer(options);
  take_notes(*document, writer);
  Reader reader(writer);
  const auto record = [&](const Value& entry) {
    std::vector<double> samples;
    if (const Value trials = entry.find("samples_ts"); trials.is_array()) {
      for (const Value& one : trials.elements()) samples.push_back(one.is_number() ? one.number() : std::nan(""));
    }
    read_record(
        reader,
        [&](std::string_view name) {
          const Value value = entry.find(name);
          return value && !value.is_container() && !value.is_null() ? value.text() : std::string_view();
        },
        samples);
  };
  if (document->root().is_object()) record(document->root());
  if (document->root().is_array()) {
    for (const Value& entry : document->root().elements()) {
      if (writer.halted()) break;
      if (entry.is_object()) record(entry);
    }
  }
  return reader.finish(input.name);
}

core::Expected<core::Measurement> read_csv(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Reader reader(writer);
  Lines lines(input.bytes, ',');
  std::vector<std::string_view> header, fields;
  std::uint64_t ragged = 0;
  bool more = lines.next(header);
  while (more && !writer.halted() && (more = lines.next(fields))) {
    if (fields.size() != header.size()) {
      ++ragged;
      continue;
    }
    read_record(reader,
                [&](std::string_view name) {
                  const auto at = std::find(header.begin(), header.end(), name);
                  return at == header.end() ? std::string_view() : fields[static_cast<std::size_t>(at - header.begin())];
                },
                {});
  }
  writer.find(Finding::ragged_lines, {}, ragged);
  return reader.finish(input.name);
}

core::Expected<core::Measurement> read_markdown(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Reader reader(writer);
  std::vector<std::string_view> header;
  for (const std::string_view line : core::split(input.bytes, '\n')) {
    if (writer.halted()) break;
    if (line.starts_with("build: ")) {
      reader.context("stack.llama_cpp", line.substr(7, std::min(line.find_first_of(" \r", 7), line.size()) - 7));
      continue;
    }
    const std::vector<std::string_view> cells = cells_of(line);
    if (is_header(cells)) {
      header = cells;
      continue;
    }
    if (header.empty() || cells.size() != header.size()) continue;
    Settings settings;
    std::string test;
    std::string_view model, backend, cell;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (header[i] == "model") {
        model = cells[i];
      } else if (header[i] == "test") {  // older builds wrote "pp 512"
        for (const char c : cells[i]) {
          if (c != ' ') test.push_back(c);
        }
      } else if (header[i] == "t/s") {
        cell = cells[i];
      } else if (header[i] == "backend") {
        backend = cells[i];
      } else if (header[i] != "size" && header[i] != "params") {
        settings.emplace_back(header[i], std::string(cells[i]));
      }
    }
    constexpr std::string_view kPlusMinus = "\xC2\xB1";
    const std::size_t cut = cell.find(kPlusMinus);
    const auto speed = core::parse_double(core::trim(cell.substr(0, cut)));
    if (!speed) continue;  // the rule under the header
    reader.context("identity.model", model);
    reader.context("serving.backend", backend);
    reader.point(model, settings, test);
    reader.speed(std::span(&*speed, 1));
    if (cut == std::string_view::npos) continue;
    if (const auto spread = core::parse_double(core::trim(cell.substr(cut + kPlusMinus.size())))) reader.spread(*spread);
  }
  return reader.finish(input.name);
}

bool is_json(const Input& input) { return json_head(input).starts_with("{") || json_head(input).starts_with("["); }
bool is_csv(std::string_view head) {
  const std::string_view first = head.substr(0, head.find('\n'));
  return first.find("build_commit") != std::string_view::npos && first.find("avg_ts") != std::string_view::npos;
}

}  // namespace

Detection detect_llama_bench(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (is_json(input)) {
    if (has_keys(head, {"build_commit", "n_prompt", "n_gen", "avg_ts"}, detection)) detection.score = 0.96;
  } else if (is_csv(head)) {
    detection.score = 0.95;
    detection.evidence.emplace_back("has the columns build_commit and avg_ts");
  } else if (head.find("t/s") != std::string_view::npos) {
    for (const std::string_view line : core::split(head, '\n')) {
      if (!is_header(cells_of(line))) continue;
      detection.score = 0.93;
      detection.evidence.emplace_back("has a Markdown table with the columns model, test and t/s");
      break;
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_llama_bench(const Input& input, const ReadOptions& options) {
  if (is_json(input)) return read_json(input, options);
  return is_csv(json_head(input)) ? read_csv(input, options) : read_markdown(input, options);
}

extern const Format llama_bench_format = {
    .name = "llama-bench",
    .title = "llama-bench of llama.cpp",
    .replication = core::Replication::in_process,
    .detect = detect_llama_bench,
    .read = read_llama_bench,
    .about = {.judged = "llama-bench JSON, JSON lines, CSV and Markdown table; `samples_ts` are trials",
              .key = "model, settings that differ, test (`pp512`, `tg128@d1024`)",
              .trials = "`samples_ts`",
              .context = "model, backend, CPU, GPU, build, where all points agree",
              .limits = "tables hold a mean and its deviation, no samples",
              .recognised = "`build_commit` with `avg_ts`; a table with `model`, `test` and `t/s`"},
};

}  // namespace plumbline::formats
