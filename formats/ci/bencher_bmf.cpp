// Bencher's Metric Format, {benchmark: {measure: {value, lower_value, upper_value}}}, and what harnesses that know plumbline
// print: the same, one object a line if they like, where a metric may say its trials, unit, direction and role besides, and where
// the benchmark "plumbline" is no benchmark but says the schema and the context (schemas/plumbline.lines.v1.json,
// docs/harness-output.md). What `plumbline run` measured of a command that prints no numbers is written the same way, and says
// so: then the format is called command-times.
#include <algorithm>
#include <map>
#include <span>

#include "core/citing.hpp"
#include "formats/declared_rows.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// Bencher's own measures, by name or slug ("Total bytes" and "total-bytes" are one); every other one is judged by name.
struct Measure {
  std::string_view slug;
  Declared declared;
};
constexpr Declared counted_lower(std::string_view unit = {}) { return {unit, core::Direction::lower, core::Role::judged, true}; }
constexpr Measure kMeasures[] = {{"latency", lower_is_better("ns")},
                                 {"throughput", higher_is_better("ops/s")},
                                 {"build-time", lower_is_better("s")},
                                 {"file-size", lower_is_better("B")},
                                 {"allocated", lower_is_better("B")},
                                 {"gen0-collects", lower_is_better("")},
                                 {"gen1-collects", lower_is_better("")},
                                 {"gen2-collects", lower_is_better("")},
                                 {"total-operations", for_context()},
                                 {"instructions", lower_is_better("")},
                                 {"estimated-cycles", lower_is_better("")},
                                 {"l1-accesses", for_context()},
                                 {"l1-hits", for_context()},
                                 {"l2-accesses", lower_is_better("")},
                                 {"l2-hits", lower_is_better("")},
                                 {"ll-hits", lower_is_better("")},
                                 {"ram-accesses", lower_is_better("")},
                                 {"ram-hits", lower_is_better("")},
                                 {"total-read-write", lower_is_better("")},
                                 {"total-bytes", counted_lower("B")},
                                 {"total-blocks", counted_lower()},
                                 {"at-t-gmax-bytes", counted_lower("B")},
                                 {"at-t-gmax-blocks", counted_lower()},
                                 {"at-t-end-bytes", counted_lower("B")},
                                 {"at-t-end-blocks", counted_lower()},
                                 {"max-bytes", counted_lower("B")},
                                 {"max-blocks", counted_lower()},
                                 {"final-bytes", counted_lower("B")},
                                 {"final-blocks", counted_lower()},
                                 // What the machine did beside the benchmark.
                                 {"compute-jitter", for_context("%")},
                                 {"cache-jitter", for_context("%")},
                                 {"i-o-jitter", for_context("%")},
                                 {"io-jitter", for_context("%")},
                                 {"cpu-steal", for_context("%")},
                                 {"noise-score", for_context()}};

std::optional<Declared> measure_of(std::string_view measure) {
  std::string slug;
  for (const char c : core::to_lower(measure)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (kept || (!slug.empty() && slug.back() != '-')) slug.push_back(kept ? c : '-');
  }
  for (const Measure& one : kMeasures) {
    if (one.slug == slug) return one.declared;
  }
  return std::nullopt;
}

constexpr std::string_view kOurs = "plumbline", kSchema = "plumbline.lines.v1";
constexpr std::string_view kLinesFormat = "bencher-bmf", kTimesFormat = "command-times";
constexpr std::string_view kMembers[] = {"value", "lower_value", "upper_value"};  // Bencher's own; ours name the schema

bool is_member(std::string_view name) { return std::find(std::begin(kMembers), std::end(kMembers), name) != std::end(kMembers); }

// "decode[batch=8,dtype=fp8]" as pairs; the whole name where it has none.
std::vector<std::pair<std::string_view, std::string>> dims_of(std::string_view benchmark) {
  std::vector<std::pair<std::string_view, std::string>> out;
  const std::size_t open = benchmark.find('[');
  if (open == std::string_view::npos || !benchmark.ends_with(']')) return {{"benchmark", std::string(benchmark)}};
  if (open > 0) out.emplace_back("benchmark", benchmark.substr(0, open));
  for (const std::string_view pair : core::split(benchmark.substr(open + 1, benchmark.size() - open - 2), ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals == 0) return {{"benchmark", std::string(benchmark)}};
    out.emplace_back(core::trim(pair.substr(0, equals)), core::trim(pair.substr(equals + 1)));
  }
  return out;
}

// What was measured under one key: lines that say it again are its trials.
struct Measured {
  std::string benchmark, measure;
  std::optional<Declared> declared;  // by Bencher's list, or by the metric's own words
  std::string unit;
  std::vector<double> trials;
  std::optional<Leaf> odd;  // in the place of a number
  std::vector<std::pair<std::string_view, Leaf>> bounds;
  bool headline = false;
};

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options, std::string_view format = kLinesFormat)
      : input_(input), options_(options), format_(format), writer_(options) {}

  core::Expected<core::Measurement> read() {
    auto document = parse_json(input_, options_);
    if (!document) return core::fail(document.error());
    take_notes(*document, writer_);
    for (const Value& one : documents_of(*document)) {
      for (const auto [benchmark, valid, measures] : one.members()) {
        if (writer_.halted()) break;
        if (benchmark == kOurs && measures.find("schema")) {
          if (auto ok = header(measures); !ok) return core::fail(ok.error());
          continue;
        }
        for (const auto [measure, measure_valid, metric] : measures.members()) {
          if (auto ok = take(benchmark, measure, metric); !ok) return core::fail(ok.error());
        }
      }
    }
    write();
    writer_.out.replication = core::Replication::run;
    return writer_.finish(input_.name);
  }

 private:
  core::Error wrong(const Value& at, std::string message, std::string hint) const {
    const json::Place place = at.place();
    return {core::ErrorCode::invalid_input, std::move(message), std::move(hint),
            input_.name + ":" + std::to_string(place.line) + ":" + std::to_string(place.column)};
  }

  core::Status header(const Value& ours) {
    const std::string_view schema = ours.find_string("schema");
    if (schema != kSchema) {
      return core::fail(wrong(ours.find("schema"), "the schema " + core::cited(schema) + " is not known here",
                              "this program reads " + std::string(kSchema)));
    }
    for (const auto [name, valid, value] : ours.find("context").members()) {
      const std::size_t dot = name.find('.');
      if (value.is_object()) {
        (void)take_context_group(value, name, writer_);
      } else if (dot != std::string_view::npos) {
        (void)take_context_field(name.substr(0, dot), name.substr(dot + 1), value, writer_);
      }
    }
    return {};
  }

  core::Status take(std::string_view benchmark, std::string_view measure, const Value& metric) {
    const Value value = metric.find("value"), values = metric.find("values");
    if ((!value || value.is_container()) && !values.is_array()) return {};
    const std::string key = std::string(benchmark) + "." + std::string(measure);
    const auto [known, fresh] = index_.try_emplace(key, measured_.size());
    if (fresh) measured_.push_back({std::string(benchmark), std::string(measure), measure_of(measure), {}, {}, {}, {}, false});
    Measured& one = measured_[known->second];
    if (auto ok = declare(metric, one); !ok) return ok;
    const auto trial = [&](const Value& number) {
      const Leaf leaf = leaf_of(number);
      if (leaf.has_value) {
        one.trials.push_back(leaf.value);
      } else {
        one.odd = leaf;
      }
    };
    if (values.is_array()) {
      for (const Value& number : values.elements()) trial(number);
    } else {
      trial(value);
    }
    for (const std::string_view bound : {"lower_value", "upper_value"}) {
      if (const Value edge = metric.find(bound); edge.is_number() && fresh) one.bounds.emplace_back(bound, leaf_of(edge));
    }
    return {};
  }

  // What the metric says of itself; else what Bencher's measures and the names say.
  core::Status declare(const Value& metric, Measured& one) {
    if (const std::string_view unit = metric.find_string("unit"); !unit.empty()) one.unit = unit;
    one.headline = one.headline || metric.find("headline").boolean();
    const Value direction = metric.find("direction"), role = metric.find("role");
    if (!direction && !role) return {};
    if (!one.declared) one.declared = Declared{.direction = writer_.names().guess(one.measure, one.unit).direction};
    if (direction) {
      const auto said = core::parse_direction(direction.string());
      if (!said) {
        return core::fail(wrong(direction, "direction " + core::cited(direction.text()) + " is not one",
                                "directions are higher-is-better, lower-is-better and two-sided"));
      }
      one.declared->direction = *said;
    }
    const std::string_view word = role.string();
    if (word == "gate") one.declared->role = core::Role::gate;
    if (word == "context") one.declared->role = core::Role::context;
    if (word == "noise") one.declared->role = core::Role::noise;
    if (role && word != "gate" && word != "context" && word != "noise" && word != "judged")
      return core::fail(
          wrong(role, "role " + core::cited(role.text()) + " is not one", "roles are judged, gate, context and noise"));
    return {};
  }

  void write() {
    DeclaredRows rows(writer_, format_);
    for (Measured& one : measured_) {
      const std::uint32_t dims = rows.dims(dims_of(one.benchmark));
      const std::string key = one.benchmark + "." + one.measure;
      if (one.declared && !one.unit.empty()) one.declared->unit = one.unit;
      if (one.odd) {
        if (one.declared) {
          rows.add(one.benchmark, one.measure, dims, *one.declared, *one.odd);
        } else {
          writer_.add(key, one.measure, RowWriter::kRootShape, dims, *one.odd, {.unit = one.unit});
        }
      } else if (one.declared) {
        rows.add(one.benchmark, one.measure, dims, *one.declared, one.trials);
      } else {
        writer_.add_trials(key, one.measure, RowWriter::kRootShape, dims, one.trials, core::ValueState::number, {},
                           {.unit = one.unit});
      }
      for (const auto& [bound, leaf] : one.bounds) {
        rows.add(key, bound, dims, for_context(one.declared ? one.declared->unit : std::string_view(one.unit)), leaf);
      }
      if (one.headline) writer_.out.declared.headlines.push_back(key);
    }
    // Whatever is in such a file was put there to be watched, unless it says itself what is looked at first.
    if (writer_.out.declared.headlines.empty()) writer_.out.declared.headlines = {"*"};
  }

  const Input& input_;
  const ReadOptions& options_;
  std::string_view format_;
  RowWriter writer_;
  std::vector<Measured> measured_;
  std::map<std::string, std::size_t, std::less<>> index_;  // by key
};

class TimesReader : public Reader {
 public:
  TimesReader(const Input& input, const ReadOptions& options) : Reader(input, options, kTimesFormat) {}
};

// Three objects inside each other, each under one name, the innermost with nothing but what a metric may have.
bool is_bmf(std::string_view head, bool& bounds) {
  const std::size_t inner = head.find('{', std::min(head.find('{', 1), head.size() - 1) + 1);
  if (inner == std::string_view::npos) return false;
  const std::string_view before = head.substr(0, inner);
  if (std::count(before.begin(), before.end(), '{') != 2 || before.find_first_of("[],}") != std::string_view::npos) return false;
  const std::string_view metric = head.substr(inner + 1, std::min(head.find('}', inner), head.size()) - inner - 1);
  bool value = false;
  for (const std::string_view member : core::split(metric, ',')) {
    const std::string_view text = core::trim(member);
    const std::size_t end = text.find('"', 1);
    if (!text.starts_with('"') || end == std::string_view::npos || !is_member(text.substr(1, end - 1))) return false;
    value = value || text.substr(1, end - 1) == "value";
    bounds = bounds || text.substr(1, end - 1).ends_with("_value");
  }
  return value || bounds;
}

}  // namespace

Detection detect_bencher_bmf(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with('{') || head.size() < 3) return detection;
  if (has_keys(input, {"plumbline/schema"}, detection) && head.find("plumbline.lines.") != std::string_view::npos) {
    detection.score = 0.98;
    return detection;
  }
  bool bounds = false;
  if (!is_bmf(head, bounds)) return detection;
  // Without bounds it could be somebody's own JSON, though hardly.
  detection.score = bounds ? 0.92 : 0.86;
  detection.evidence.emplace_back(bounds ? "objects in objects that hold value, lower_value and upper_value"
                                         : "objects in objects that hold a value and nothing else");
  return detection;
}

Detection detect_command_times(const Input& input) {
  const std::string_view head = json_head(input);
  Detection detection;
  if (!head.starts_with('{') || head.find("plumbline.lines.") == std::string_view::npos) return detection;
  if (has_keys(input, {"plumbline/schema", "plumbline/measured", "run/wall_time"}, detection)) detection.score = 0.99;
  return detection;
}

extern const Format command_times_format = {
    .name = kTimesFormat,
    .title = "times of a command, as `plumbline run` measured them",
    .replication = core::Replication::run,
    .detect = detect_command_times,
    .read = read_with<TimesReader>,
    .about =
        {.group = Group::ci,
         .file = "JSON",
         .produce = "plumbline run --measure time -n 5 --keep trials -- CMD",
         .judged =
             "wall time (the headline), processor time, and peak memory where it is well above that of `plumbline` itself, all "
             "lower-is-better",
         .key = "`run`",
         .trials = "one value a key: each file is a trial",
         .context = "none in the file: the journal beside it has the machine",
         .limits = "what the command does within its time is not told",
         .recognised = "`plumbline/measured` and `run/wall_time` in `plumbline.lines.v1`"},
};

extern const Format bencher_bmf_format = {
    .name = kLinesFormat,
    .title = "Bencher Metric Format, and lines printed for Plumbline",
    .replication = core::Replication::unknown,
    .detect = detect_bencher_bmf,
    .read = read_with<Reader>,
    .about = {.group = Group::ci,
              .file = "JSON, JSON lines",
              .produce = "# print it from your own harness, as docs/harness-output.md says",
              .judged = "every measure; unit, direction and role as the metric says, else as Bencher's own measures have them, "
                        "else by name",
              .key = "benchmark, and what its name has in brackets: `decode[batch=8]`",
              .trials = "`values`; a measure that comes again on a later line",
              .context = "what the line of `plumbline` says",
              .limits = "bounds without a sample are context",
              .recognised = "`value`, with or without `lower_value` and `upper_value`, two names deep; `plumbline.lines.v1`"},
};

}  // namespace plumbline::formats
