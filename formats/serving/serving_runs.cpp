#include "formats/serving/serving_runs.hpp"

#include <array>
#include <map>
#include <unordered_map>

#include "formats/serving/impossible_times.hpp"
#include "formats/serving/run_name.hpp"

namespace plumbline::formats {
namespace {

std::optional<double> number_of(const Run& run, std::string_view name) {
  const RunField* field = field_of(run, name);
  if (field == nullptr || !field->leaf.has_value || field->leaf.state == core::ValueState::boolean) return std::nullopt;
  return field->leaf.value;
}

// As people write it: 16, inf, false, a text.
std::string text_of(const Leaf& leaf) {
  if (leaf.state == core::ValueState::null) return {};
  if (leaf.state == core::ValueState::not_finite) return leaf.text.starts_with('-') ? "-inf" : "inf";
  if (leaf.state == core::ValueState::boolean) return leaf.value != 0 ? "true" : "false";
  if (leaf.has_value) return core::number_text(leaf.value);
  const std::string lower = core::to_lower(leaf.text);
  return std::string(lower == "infinity" || lower == "inf" ? "inf" : leaf.text.substr(0, 100));
}

// At a fixed rate, at one that rises while the run lasts (vLLM's ramp-up), or at the times of a recorded trace (SGLang).
bool is_paced(const Run& run) {
  if (const RunField* ramp = field_of(run, "ramp_up_strategy"); ramp != nullptr && !text_of(ramp->leaf).empty()) return true;
  const RunField* rate = field_of(run, "request_rate");
  if (rate == nullptr) return false;
  if (!rate->leaf.has_value) return rate->leaf.text == "trace";
  return std::isfinite(rate->leaf.value) && rate->leaf.value > 0;
}

// Prompts that were answered: requests, or what they held where one request brings several (embeddings).
std::optional<double> answered(const Run& run) {
  const auto completed = number_of(run, "completed");
  if (!completed) return completed;
  return std::max(*completed, number_of(run, "total_input_sequences").value_or(0));
}

// No request came through: the zeros beside it are no measurements. Older files do not count requests; there latencies that are
// all zero say it.
bool is_failed(const Run& run) {
  const auto completed = number_of(run, "completed");
  const auto failed = number_of(run, "failed");
  const auto asked = number_of(run, "num_prompts");
  if ((completed && *completed == 0) || (failed && asked && *asked > 0 && *failed >= *asked)) return true;
  bool latencies = false;
  for (const RunField& field : run) {
    const auto metric = latency_metric(field.name);
    if (!metric || metric->role != core::Role::judged || !field.leaf.has_value) continue;
    if (field.leaf.value != 0) return false;
    latencies = true;
  }
  return latencies && !completed;
}

// Requests that neither came through nor failed.
constexpr std::string_view kUnaccounted = "unaccounted_requests";

using Dims = std::vector<std::pair<std::string_view, std::string>>;

Dims point_of(const Run& run, std::span<const std::string_view> names) {
  Dims out;
  for (const std::string_view name : names) {
    const RunField* field = field_of(run, name);
    if (field == nullptr) continue;
    if (std::string text = text_of(field->leaf); !text.empty()) out.emplace_back(name, std::move(text));
  }
  return out;
}

// Lengths that are the same for every request: only where the totals divide.
void add_lengths(const Run& run, Dims& dims) {
  const auto completed = number_of(run, "completed");
  if (!completed || *completed < 1) return;
  const auto take = [&](std::string_view dim, std::initializer_list<std::string_view> names) {
    if (std::any_of(dims.begin(), dims.end(), [&](const auto& one) { return one.first == dim; })) return;
    for (const std::string_view name : names) {
      const auto total = number_of(run, name);
      if (total && *total > 0 && std::fmod(*total, *completed) == 0) {
        dims.emplace_back(dim, core::number_text(*total / *completed));
        return;
      }
    }
  };
  take("isl", {"total_input_tokens", "total_input"});
  take("osl", {"total_output_tokens", "total_output"});
}

// The context's key of a setting; "" for what the format knows to be measured (SGLang's concurrency, say).
std::string_view context_key_of(const RunField& field, const ServingFormat& format, const RowWriter& writer) {
  for (const RunSetting& setting : format.settings) {
    if (setting.field == field.name) return setting.context;
  }
  return format.metric(field.name, false) ? std::string_view() : writer.names().context_key(field.name);
}

// `dims` knows lengths that no field says.
core::Context context_of(const Run& run, const Dims& dims, const ServingFormat& format, const RowWriter& writer) {
  core::Context context;
  for (const RunField& field : run) {
    const std::string_view key = context_key_of(field, format, writer);
    if (key.empty()) continue;
    std::string text = text_of(field.leaf);
    // A null here is a setting like any other: no bound on the requests in flight.
    if (text.empty() && field.name == "max_concurrency") text = "none";
    if (!text.empty()) context.emplace(key, text.substr(0, 500));
  }
  for (const auto& [name, text] : dims) {
    if (name == "isl" || name == "osl") context.emplace("workload." + std::string(name), text);
  }
  return context;
}

// What only the file's name says. A field that a run has speaks for itself, also where it is another in each.
void take_name(std::span<const Run> runs, const ServingFormat& format, std::string_view file, RowWriter& writer) {
  for (const auto& [key, value] : context_of_run_name(file)) {
    const bool said = std::any_of(runs.begin(), runs.end(), [&, &key = key](const Run& run) {
      return std::any_of(run.begin(), run.end(), [&](const RunField& field) {
        return context_key_of(field, format, writer) == key && !text_of(field.leaf).empty();
      });
    });
    if (!said) writer.out.context.emplace(key, value);
  }
}

constexpr std::string_view kInputLength = "input_tokens_per_request";
constexpr std::string_view kOutputLength = "output_tokens_per_request";

// How much work a request was. Neither way is better; that it changed has to be seen, also where lengths scatter.
void add_tokens_per_request(Run& run) {
  const auto completed = number_of(run, "completed");
  if (!completed || *completed < 1) return;
  const auto add = [&](std::string_view name, std::initializer_list<std::string_view> totals) {
    for (const std::string_view total : totals) {
      const auto tokens = number_of(run, total);
      if (!tokens || !(*tokens > 0)) continue;
      run.push_back({std::string(name), Leaf{core::ValueState::number, *tokens / *completed, true, {}}});
      return;
    }
  };
  add(kInputLength, {"total_input_tokens", "total_input"});
  add(kOutputLength, {"total_output_tokens", "total_output"});
}

std::string label_of(const Dims& dims) {
  std::string label;
  for (const auto& [field, value] : dims) label += (label.empty() ? "[" : ",") + std::string(field) + "=" + value;
  if (!label.empty()) label.push_back(']');
  return label;
}

// Lengths of which files with several of them tell their points apart, by ten preferred numbers a decade (ISO 3, R10): answers
// are rarely equally long, and a finer step would soon give two runs of the same point two names. Powers of two lie well inside.
std::string rounded(double tokens) {
  constexpr std::array<double, 10> kSteps{100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
  const double step = std::round(10 * std::log10(tokens)), decade = std::floor(step / 10);
  const double hundreds = kSteps[static_cast<std::size_t>(step - 10 * decade) % kSteps.size()];
  return core::number_text(decade < 2 ? hundreds / std::pow(10.0, 2 - decade) : hundreds * std::pow(10.0, decade - 2));
}

// What tells apart runs that the settings of a point do not: they are other measurements then, no trials and no history.
struct Distinction {
  std::vector<std::string_view> fields;
  bool input = false, output = false;  // lengths

  [[nodiscard]] Dims dims(const Run& run) const {
    Dims out;
    const auto add = [&](const char* dim, std::optional<double> tokens) {
      if (tokens && *tokens > 0 && std::isfinite(*tokens)) out.emplace_back(dim, rounded(*tokens));
    };
    if (input) add("isl", number_of(run, kInputLength));
    if (output) add("osl", number_of(run, kOutputLength));
    return out;
  }
};

Distinction distinction_of(std::span<const Run> runs, const ServingFormat& format) {
  constexpr double kOther = 1.26;  // times as long, more than a step: other requests, not the scatter of random ones
  Distinction out;
  struct Seen {
    const Run* first = nullptr;
    std::array<double, 2> least{}, most{};
  };
  std::map<std::string, Seen> seen;
  for (const Run& run : runs) {
    Seen& point = seen[label_of(point_of(run, format.point))];
    if (point.first == nullptr) point.first = &run;
    for (const std::string_view name : format.identity) {
      const RunField *one = field_of(*point.first, name), *other = field_of(run, name);
      if (one == nullptr || other == nullptr || text_of(one->leaf) == text_of(other->leaf)) continue;
      if (std::find(out.fields.begin(), out.fields.end(), name) == out.fields.end()) out.fields.push_back(name);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const double tokens = number_of(run, i == 0 ? kInputLength : kOutputLength).value_or(0);
      if (!(tokens > 0) || !std::isfinite(tokens)) continue;
      point.least[i] = point.least[i] > 0 ? std::min(point.least[i], tokens) : tokens;
      point.most[i] = std::max(point.most[i], tokens);
      if (point.most[i] > kOther * point.least[i]) (i == 0 ? out.input : out.output) = true;
    }
  }
  return out;
}

// All runs of one point.
class RunsOfPoint {
 public:
  RunsOfPoint(DeclaredRows& rows, const ServingFormat& format) : rows_(rows), format_(format) {}

  void write(std::string_view point, std::uint32_t dims, std::span<const Run* const> runs) {
    const std::size_t first = rows_.writer().out.rows().size();
    const bool paced = std::any_of(runs.begin(), runs.end(), [](const Run* run) { return is_paced(*run); });
    columns_.clear();
    std::vector<std::pair<const RunField*, const Column*>> written;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (const RunField& field : *runs[i]) {
        const auto [at, fresh] = columns_.try_emplace(field.name);
        Column& column = at->second;
        // A name is written where it stands first, and again where that run repeats it; in later runs only names that are new.
        if (fresh) column.first_run = i;
        if (column.first_run == i) written.emplace_back(&field, &column);
        if (!fresh && column.last_run == i) continue;
        column.last_run = i;
        column.fields.push_back(&field);
      }
    }
    for (const auto& [field, column] : written) {
      if (!is_setting(*field)) metric(point, dims, *field, column->fields, runs, paced);
    }
    if (std::any_of(runs.begin(), runs.end(), [](const Run* run) { return is_failed(*run); })) {
      rows_.fail_from(first, "no request completed");
    }
    reject_impossible_times(rows_.writer(), first);
  }

 private:
  // The fields of one name, at most one a run.
  struct Column {
    std::size_t first_run = 0, last_run = 0;
    std::vector<const RunField*> fields;
  };

  // Told by the point or by the context; or the tool writes it whether or not there is anything to say (vLLM's label).
  [[nodiscard]] bool is_setting(const RunField& field) const {
    if (field.leaf.state == core::ValueState::null && std::ranges::find(format_.identity, field.name) != format_.identity.end())
      return true;
    return std::find(format_.point.begin(), format_.point.end(), field.name) != format_.point.end() ||
           !context_key_of(field, format_, rows_.writer()).empty();
  }

  // `column`: what the runs have under the field's name.
  void metric(std::string_view point, std::uint32_t dims, const RunField& field, std::span<const RunField* const> column,
              std::span<const Run* const> runs, bool paced) {
    std::optional<Declared> known = format_.metric(field.name, paced);
    // Beside the number of prompts `failed` says what went wrong, whatever the size of the run.
    const bool sized = number_of(*runs.front(), "num_prompts") || number_of(*runs.front(), kCompletedRequests);
    if (field.name == "completed" && sized) known = for_context();
    if (field.name == "failed" || field.name == kUnaccounted) known = gate();
    if (field.name == kInputLength || field.name == kOutputLength) known = Declared{"tok"};
    for (const RunField* one : column) {
      if (one->leaf.state != core::ValueState::failed) continue;
      rows_.add(point, field.name, dims, known ? *known : for_context(), one->leaf);
      return;
    }
    trials_.clear();
    for (const RunField* one : column) {
      if (one->leaf.state == core::ValueState::number) trials_.push_back(one->leaf.value);
    }
    if (runs.size() > 1 && trials_.size() == runs.size()) {
      rows_.add(point, field.name, dims, known ? *known : for_context(), trials_);
      return;
    }
    if (runs.size() > 1 && !trials_.empty()) {
      rows_.writer().find(Finding::unequal_repeats, field.name);
      rows_.add(point, field.name, dims, for_context(), trials_);
      return;
    }
    if (known || field.leaf.state == core::ValueState::null) {
      rows_.add(point, field.name, dims, known ? *known : for_context(), field.leaf);
    } else {
      const std::string key = point.empty() ? field.name : std::string(point) + "." + field.name;
      rows_.writer().add(key, field.name, RowWriter::kRootShape, dims, field.leaf);
    }
  }

  DeclaredRows& rows_;
  const ServingFormat& format_;
  std::unordered_map<std::string_view, Column> columns_;  // by name, of the point that is being written
  std::vector<double> trials_;
};

}  // namespace

std::optional<Declared> latency_metric(std::string_view name) {
  const std::size_t cut = name.find('_');
  if (cut == std::string_view::npos) return std::nullopt;
  const std::string_view statistic = name.substr(0, cut);
  std::string_view what = name.substr(cut + 1);
  std::string_view unit = "s";
  if (what.ends_with("_ms")) {
    unit = "ms";
    what.remove_suffix(3);
  }
  constexpr std::string_view kWhat[] = {"ttft",        "tpot",  "itl", "e2el", "e2el_including_client_queue",
                                        "e2e_latency", "ttfot", "ttfp"};
  if (std::find(std::begin(kWhat), std::end(kWhat), what) == std::end(kWhat)) return std::nullopt;
  if (statistic == "std") return own_noise(unit);
  if (statistic == "min" || statistic == "max") return for_context(unit);
  const bool percentile = statistic.starts_with('p') && core::parse_double(statistic.substr(1));
  if (statistic == "mean" || statistic == "median" || percentile) return lower_is_better(unit);
  return std::nullopt;
}

const RunField* field_of(const Run& run, std::string_view name) {
  const auto it = std::find_if(run.begin(), run.end(), [&](const RunField& field) { return field.name == name; });
  return it == run.end() ? nullptr : &*it;
}

void account_for_requests(Run& run) {
  const auto asked = number_of(run, "num_prompts"), done = answered(run);
  if (!asked || !done) return;
  const auto put = [&](std::string_view name, double count) {
    if (field_of(run, name) == nullptr)
      run.push_back({std::string(name), Leaf{core::ValueState::number, std::max(0.0, count), true, {}}});
  };
  put("failed", *asked - *done);  // older releases leave it to the reader
  put(kUnaccounted, *asked - *done - number_of(run, "failed").value_or(0));
}

Run run_of(const json::Value& record) {
  Run run;
  for (const auto [key, valid, value] : record.members()) {
    std::string name(core::trim(key));
    while (!name.empty() && name.back() == ':') name.pop_back();
    if (!value.is_container()) {
      run.push_back({std::move(name), leaf_of(value)});
    } else if (name == "spec_decode_per_position_acceptance_rates") {
      std::size_t position = 0;
      for (const json::Value& rate : value.elements()) {
        if (!rate.is_container()) run.push_back({name + "." + std::to_string(position), leaf_of(rate)});
        ++position;
      }
    }
  }
  account_for_requests(run);
  return run;
}

bool is_per_request(std::string_view key) {
  constexpr std::string_view kKeys[] = {"input_lens", "output_lens", "ttfts",     "itls",       "generated_texts",
                                        "errors",     "start_times", "latencies", "queue_times"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

core::Expected<std::vector<Run>> runs_of(const json::Value& root, std::string_view name) {
  std::vector<Run> runs;
  if (root.is_object()) {
    runs.push_back(run_of(root));
    return runs;
  }
  for (const json::Value& record : root.elements()) {
    if (!record.is_object()) {
      const json::Place at = record.place();
      return core::fail(core::ErrorCode::invalid_input, "a run is not an object", "each run is one JSON object",
                        std::string(name) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column));
    }
    runs.push_back(run_of(record));
  }
  if (runs.empty()) return core::fail(core::ErrorCode::invalid_input, "no run in it", {}, std::string(name));
  return runs;
}

core::Expected<core::Measurement> rows_of_runs(RowWriter& writer, std::vector<Run> runs, const ServingFormat& given,
                                               std::string_view name) {
  DeclaredRows rows(writer, given.name);
  struct Point {
    std::string label;
    Dims dims;
    std::vector<const Run*> runs;
  };
  std::vector<Point> points;
  std::map<std::string, std::size_t> index;
  std::uint64_t superseded = 0;
  for (Run& run : runs) add_tokens_per_request(run);
  const Distinction distinction = distinction_of(runs, given);
  std::vector<std::string_view> fields(distinction.fields);
  fields.insert(fields.end(), given.point.begin(), given.point.end());
  ServingFormat format = given;
  format.point = fields;
  for (Run& run : runs) {
    Dims dims = point_of(run, format.point);
    for (auto& length : distinction.dims(run)) {
      if (std::none_of(dims.begin(), dims.end(), [&](const auto& one) { return one.first == length.first; })) {
        dims.push_back(std::move(length));
      }
    }
    const std::string label = label_of(dims);
    add_lengths(run, dims);
    const auto [at, is_new] = index.try_emplace(label, points.size());
    if (is_new) points.push_back({label, {}, {}});
    Point& point = points[at->second];
    if (is_new || format.history) point.dims = std::move(dims);
    if (format.history && !point.runs.empty()) {
      superseded += point.runs.size();
      point.runs.clear();
    }
    point.runs.push_back(&run);
  }
  // What all runs agree on describes the file; where they differ, the points tell them apart.
  bool first = true;
  for (const Point& point : points) {
    for (const Run* run : point.runs) {
      core::Context context = context_of(*run, point.dims, format, writer);
      if (first) writer.out.context = context;
      first = false;
      std::erase_if(writer.out.context, [&](const auto& entry) {
        const auto it = context.find(entry.first);
        return it == context.end() || it->second != entry.second;
      });
    }
  }
  take_name(runs, format, name, writer);
  const bool keyed = points.size() > 1;
  RunsOfPoint group(rows, format);
  for (const Point& point : points) {
    if (writer.halted()) break;
    group.write(keyed ? std::string_view(point.label) : std::string_view(), rows.dims(point.dims), point.runs);
  }
  if (superseded > 0) {
    writer.out.warn("earlier_runs",
                    core::counted(superseded, "earlier run") +
                        " of a point measured again later in the file left out: the tool appends to its file, and "
                        "the last run counts; runs that are to be trials go into a file each");
  }
  // Latencies carry "_ms" where they are in milliseconds; paced throughput is no result, so no headline.
  for (std::string_view headline : format.headlines) {
    const auto is_judged = [&](std::string_view metric) {
      return std::any_of(writer.out.rows().begin(), writer.out.rows().end(), [&](const core::Row& row) {
        return writer.out.metric(row) == metric && writer.out.metric_class(row).role == core::Role::judged;
      });
    };
    if (!is_judged(headline) && headline.ends_with("_ms")) headline.remove_suffix(3);
    if (is_judged(headline)) writer.out.declared.headlines.push_back((keyed ? "*." : "") + std::string(headline));
  }
  writer.out.replication = core::Replication::run;
  return writer.finish(name);
}

}  // namespace plumbline::formats
