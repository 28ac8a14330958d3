// llama-bench of llama.cpp: JSON, JSON lines, CSV and the Markdown table (also inside a log). A test (pp512, tg128,
// pp512+tg128, "@ d4096") under its settings is a point; samples_ts are trials inside one process. Settings go by one name
// in all of these; those that differ between points are in the key, the others are context, so that two settings can be held
// against each other, and a table (which leaves out what has its default) against a JSON. A log of several runs names each by its
// heading, or by the devices that it found. llama-benchy asks servers instead and prints the same table with times beside the
// speed.
#include <map>
#include <set>

#include "core/context.hpp"
#include "formats/declared_rows.hpp"
#include "formats/generic/lines.hpp"
#include "formats/readers.hpp"
#include "formats/serving/llama_bench_log.hpp"

namespace plumbline::formats {
namespace {

using json::Value;
using Settings = std::vector<std::pair<std::string_view, std::string>>;

// Settings in the order they are written into the key, and what the table calls them.
struct Setting {
  std::string_view name, column;
};
constexpr Setting kSettings[] = {{"n_batch", "n_batch"},
                                 {"n_ubatch", "n_ubatch"},
                                 {"n_threads", "threads"},
                                 {"type_k", "type_k"},
                                 {"type_v", "type_v"},
                                 {"n_gpu_layers", "ngl"},
                                 {"n_cpu_moe", "n_cpu_moe"},
                                 {"split_mode", "sm"},
                                 {"main_gpu", "mg"},
                                 {"no_kv_offload", "nkvo"},
                                 {"flash_attn", "fa"},
                                 {"devices", "dev"},
                                 {"tensor_split", "ts"},
                                 {"use_mmap", "mmap"},
                                 {"use_direct_io", "dio"},
                                 {"embeddings", "embd"},
                                 {"no_op_offload", "nopo"},
                                 {"no_host", "noh"},
                                 {"tensor_buft_overrides", "ot"},
                                 {"load_mode", "lm"},
                                 {"cpu_mask", "cpu_mask"},
                                 {"cpu_strict", "cpu_strict"},
                                 {"poll", "poll"},
                                 {"fit_target", "fitt"},
                                 {"fit_min_ctx", "fitc"}};
std::string_view setting_of_column(std::string_view column) {
  for (const Setting& setting : kSettings) {
    if (setting.column == column) return setting.name;
  }
  return column;
}
// The table says 1 where the JSON says true.
std::string setting_text(std::string_view text) {
  if (text == "true") return "1";
  if (text == "false") return "0";
  return std::string(text.substr(0, 100));
}

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

// One line of a table, one object: what is written when it is known which settings differ.
struct Point {
  struct Other {
    std::string name;  // of the column: "ttfr (ms)"
    double value = 0;
    std::optional<double> spread;
  };
  std::string section, model, test;
  std::string file, size;  // which of the models that are described alike; a table has the size alone
  std::string failure;     // what stands where a speed should
  std::map<std::string, std::string> settings;
  std::vector<double> trials;
  std::optional<double> spread;
  std::vector<Other> others;
};

std::string_view base_of(std::string_view path) {
  const std::size_t cut = path.find_last_of("/\\");
  return path.substr(cut == std::string_view::npos ? 0 : cut + 1);
}

// "132.19 ± 0.55": a mean and its deviation, whatever a console made of the sign between them.
struct Printed {
  double value = 0;
  std::optional<double> spread;
};
std::optional<Printed> printed(std::string_view cell) {
  while (cell.starts_with('*') || cell.starts_with('`')) cell.remove_prefix(1);
  while (cell.ends_with('*') || cell.ends_with('`')) cell.remove_suffix(1);
  cell = core::trim(cell);
  constexpr std::string_view kPlusMinus = "\xC2\xB1";
  const std::size_t sign = cell.find(kPlusMinus);
  const auto value = core::parse_double(core::trim(cell.substr(0, std::min(sign, cell.find(' ')))));
  if (!value) return std::nullopt;
  Printed out{*value, {}};
  if (sign != std::string_view::npos) {  // a table that was set by hand may have no blanks around it
    out.spread = core::parse_double(core::trim(cell.substr(sign + kPlusMinus.size())));
  } else if (const std::size_t last = cell.rfind(' '); last != std::string_view::npos) {
    out.spread = core::parse_double(cell.substr(last + 1));
  }
  return out;
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "llama-bench") {}

  void add(Point point) { points_.push_back(std::move(point)); }
  [[nodiscard]] bool halted() const { return points_.size() > kMostPoints; }
  // What all points agree on; where they differ nothing is said.
  void context(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    const auto [at, is_new] = context_.try_emplace(std::string(key), text.substr(0, 500));
    if (!is_new && at->second != text.substr(0, 500)) at->second.clear();
  }

  core::Expected<core::Measurement> finish(std::string_view name) {
    if (halted()) {
      return core::fail(core::ErrorCode::limit_exceeded, "more than " + std::to_string(kMostPoints) + " points",
                        "llama-bench writes one for each test and setting: split the file", std::string(name));
    }
    shorten_sections();
    tell_files_apart();
    const bool sections =
        std::any_of(points_.begin(), points_.end(), [&](const Point& point) { return point.section != points_.front().section; });
    if (!points_.empty() && !sections) rows_.context("identity.label", points_.front().section);
    const std::vector<std::string> names = look_at_settings();
    for (const Point& point : points_) {
      if (writer_.halted()) break;
      write(point, names, sections);
    }
    for (const auto& [key, text] : context_) rows_.context(key, text);
    writer_.out.declared.headlines = {"*.t/s"};
    return writer_.finish(name);
  }

 private:
  static constexpr std::size_t kMostPoints = 1'000'000;

  // "GPU 0 ONLY (bottom slot)" is GPU 0 ONLY, as long as its note is not what tells it from another run.
  void shorten_sections() {
    std::map<std::string, std::string> full_of_short;
    const auto shortened = [](const std::string& section) {
      const std::size_t note = section.ends_with(')') ? section.rfind(" (") : std::string::npos;
      return section.substr(0, note);
    };
    for (const Point& point : points_) {
      const auto [at, is_new] = full_of_short.try_emplace(shortened(point.section), point.section);
      if (!is_new && at->second != point.section) return;
    }
    for (Point& point : points_) point.section = shortened(point.section);
  }

  // Files that are described alike ("llama 8B Q4_K - Medium") are told apart.
  void tell_files_apart() {
    for (const auto& [name, member] : {std::pair("file", &Point::file), std::pair("size", &Point::size)}) {
      std::map<std::string, std::string> one_of_model;
      std::set<std::string> several;
      for (const Point& point : points_) {
        const auto [at, is_new] = one_of_model.try_emplace(point.model, point.*member);
        if (!is_new && at->second != point.*member) several.insert(point.model);
      }
      for (Point& point : points_) {
        if (several.contains(point.model) && !(point.*member).empty()) point.settings.emplace(name, point.*member);
      }
    }
  }

  // The names of the settings that differ, in the order of the key; the others become context.
  std::vector<std::string> look_at_settings() {
    std::map<std::string, std::string> same;
    std::vector<std::string> differing;
    for (const Point& point : points_) {
      for (const auto& [name, text] : point.settings) same.try_emplace(name, text);
    }
    for (const auto& [name, text] : same) {
      const bool agreed = std::all_of(points_.begin(), points_.end(), [&, name = name, text = text](const Point& point) {
        const auto at = point.settings.find(name);
        return at != point.settings.end() && at->second == text;
      });
      if (agreed) {
        if (core::is_context_key("serving." + name)) rows_.context("serving." + name, text);
      } else {
        differing.push_back(name);
      }
    }
    const auto rank = [](const std::string& name) {
      return std::find_if(std::begin(kSettings), std::end(kSettings), [&](const Setting& one) { return one.name == name; }) -
             std::begin(kSettings);
    };
    std::stable_sort(differing.begin(), differing.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    return differing;
  }

  // "llama 7B Q4_0[run=GPU 1 ONLY,flash_attn=1].pp512": the model, what differs, the test.
  void write(const Point& point, const std::vector<std::string>& names, bool sections) {
    std::vector<std::pair<std::string_view, std::string>> dims{{"model", point.model}, {"test", point.test}};
    std::string inner;
    const auto take = [&](std::string_view name, const std::string& text) {
      inner += (inner.empty() ? "" : ",") + std::string(name) + "=" + text;
      dims.emplace_back(name, text);
    };
    if (sections && !point.section.empty()) take("run", point.section);
    for (const std::string& name : names) {
      if (const auto at = point.settings.find(name); at != point.settings.end()) take(at->first, at->second);
    }
    std::string key = point.model;
    if (!inner.empty()) key += "[" + inner + "]";
    // A log of several runs that nothing tells apart repeats its points: the later ones are other measurements, not trials.
    if (const int seen = ++seen_[key + "." + point.test]; seen > 1) key += "#" + std::to_string(seen);
    key += "." + point.test;
    const std::uint32_t set = rows_.dims(dims);
    if (point.failure.empty()) {
      rows_.add(key, "t/s", set, higher_is_better("tok/s"), point.trials);
    } else {
      rows_.add(key, "t/s", set, higher_is_better("tok/s"), Leaf{core::ValueState::failed, 0, false, point.failure});
    }
    if (point.spread) rows_.add(key, "stddev", set, own_noise("tok/s"), *point.spread);
    for (const Point::Other& other : point.others) {
      // "ttfr (ms)" is a time; other speeds ("peak t/s") are of moments or of single requests.
      const bool time = other.name.ends_with(" (ms)");
      const std::string_view unit = time ? "ms" : "tok/s";
      const std::string name = time ? other.name.substr(0, other.name.size() - 5) : other.name;
      rows_.add(key, name, set, time ? lower_is_better(unit) : for_context(unit), other.value);
      if (other.spread) rows_.add(key, name + ".stddev", set, own_noise(unit), *other.spread);
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::vector<Point> points_;
  std::map<std::string, std::string> context_;
  std::map<std::string, int> seen_;
};

// The text of a field, by name: a JSON member or a CSV cell.
template <class Field>
void read_record(Reader& reader, const Field& field, std::vector<double> samples) {
  const auto number = [&](std::string_view name) { return core::parse_double(field(name)).value_or(0); };
  Point point;
  point.model = std::string(field("model_type"));
  point.file = std::string(base_of(field("model_filename")).substr(0, 200));
  if (point.model.empty()) point.model = point.file;
  for (const Setting& setting : kSettings) {
    if (const std::string_view value = field(setting.name); !value.empty()) {
      point.settings.emplace(setting.name, setting_text(value));
    }
  }
  for (const auto& [name, key] : kContext) reader.context(key, field(name));
  reader.context("identity.model", point.model);
  point.test = test_name(number("n_prompt"), number("n_gen"), number("n_depth"));
  const auto average = core::parse_double(field("avg_ts"));
  point.trials = std::move(samples);
  if (point.trials.empty() && average) point.trials.push_back(*average);
  point.spread = core::parse_double(field("stddev_ts"));
  reader.add(std::move(point));
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
        std::move(samples));
  };
  if (document->root().is_object()) record(document->root());
  if (document->root().is_array()) {
    for (const Value& entry : document->root().elements()) {
      if (reader.halted()) break;
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
  while (more && !reader.halted() && (more = lines.next(fields))) {
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

// A line of a table; nothing for the rule under the header.
std::optional<Point> point_of(const std::vector<std::string_view>& header, const std::vector<std::string_view>& cells,
                              Reader& reader) {
  Point point;
  std::string_view backend, cell;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (header[i] == "model") {
      point.model = cells[i];
    } else if (header[i] == "size") {
      point.size = cells[i];
    } else if (header[i] == "test") {  // older builds wrote "pp 512"
      for (const char c : cells[i]) {
        if (c != ' ') point.test.push_back(c);
      }
    } else if (header[i] == "t/s") {
      cell = cells[i];
    } else if (header[i] == "backend") {
      backend = cells[i];
    } else if (header[i].ends_with(" (ms)") || header[i].ends_with("t/s") || header[i].starts_with("t/s ")) {
      if (const auto other = printed(cells[i])) {
        point.others.push_back({std::string(header[i].substr(0, 50)), other->value, other->spread});
      }
    } else if (header[i] != "params") {
      point.settings.emplace(setting_of_column(header[i]), setting_text(cells[i]));
    }
  }
  const auto speed = printed(cell);
  if (!speed && cell.empty()) return std::nullopt;
  reader.context("identity.model", point.model);
  reader.context("serving.backend", backend);
  if (speed) {
    point.trials.push_back(speed->value);
    point.spread = speed->spread;
  } else {
    point.failure = cell.substr(0, 100);
  }
  return point;
}

// The rule under a header: "| ---: | --- |".
bool is_rule(const std::vector<std::string_view>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string_view::npos;
  });
}

core::Expected<core::Measurement> read_markdown(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  Reader reader(writer);
  llama_bench::Surroundings around;
  std::vector<std::string_view> header;
  for (const std::string_view line : core::split(input.bytes, '\n')) {
    if (reader.halted()) break;
    if (line.starts_with("build: ")) {
      reader.context("stack.llama_cpp", line.substr(7, std::min(line.find_first_of(" \r", 7), line.size()) - 7));
      continue;
    }
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.empty()) around.line(line);
    if (is_header(cells)) {
      header = cells;
      continue;
    }
    if (header.empty() || cells.size() != header.size()) continue;
    if (is_rule(cells)) continue;
    auto point = point_of(header, cells, reader);
    if (!point) {
      writer.find(Finding::ragged_lines, line);
      continue;
    }
    point->section = around.run();
    around.table();
    reader.add(std::move(*point));
  }
  reader.context("hardware.gpu", around.devices());
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
    if (has_keys(input, {"build_commit", "n_prompt", "n_gen", "avg_ts"}, detection)) detection.score = 0.96;
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
    .about = {.group = Group::serving,
              .file = "JSON, CSV, Markdown",
              .produce = "llama-bench -m MODEL.gguf -p 512 -n 128 -r 5 -o json > result.json\n"
                         "llama-bench -m MODEL.gguf -p 512 -n 128 -r 5 -o md > result.md  # or jsonl, csv",
              .judged = "llama-bench JSON, JSON lines, CSV and Markdown table: tokens/s (higher); of llama-benchy's table its "
                        "times (ms, lower) "
                        "besides",
              .key = "model, its file or size where several are described alike, settings that differ, test (`pp512`, "
                     "`tg128@d1024`); in a log of several runs the heading above the "
                     "table, or its devices",
              .trials = "`samples_ts`",
              .context = "model, backend, CPU, GPU, build and settings, where all points agree",
              .limits = "tables hold a mean and its deviation, no samples, and leave out settings that have their defaults",
              .recognised = "`build_commit` with `avg_ts`; a table with `model`, `test` and `t/s`"},
};

}  // namespace plumbline::formats
