// The folder of `vllm bench sweep serve`: below it one folder for each point, "SERVE--max_num_seqs=32-BENCH--max_concurrency=8",
// with a file for each run of it (run=0.json, run=1.json, …) and summary.json, the same runs once more. The folders' names say
// the point, the runs of one are its trials. Private to formats/serving/.
#include <deque>
#include <map>
#include <set>

#include "core/citing.hpp"
#include "core/statistics.hpp"
#include "formats/serving/serving_runs.hpp"

namespace plumbline::formats {
namespace {

std::string_view base_of(std::string_view path) {
  return path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
}
std::string_view folder_of(std::string_view path) {
  const std::size_t at = path.rfind('/');
  return at == std::string_view::npos ? std::string_view() : path.substr(0, at);
}

// "run=3.json" -> 3
std::optional<std::int64_t> run_number(std::string_view path) {
  std::string_view name = base_of(path);
  if (!name.starts_with("run=") || !name.ends_with(".json")) return std::nullopt;
  return core::parse_int(name.substr(4, name.size() - 9));
}

struct Point {
  std::string sweep, serve, bench;  // the folder above, and the two halves of its name
  std::map<std::int64_t, const Input::File*> runs;
  const Input::File* summary = nullptr;
};

void name_point(std::string_view folder, Point& point) {
  const std::string_view name = base_of(folder);
  point.sweep = folder_of(folder);
  constexpr std::string_view kServe = "SERVE--", kBench = "-BENCH--";
  const std::size_t bench = name.find(kBench);
  if (name.starts_with(kServe) && bench != std::string_view::npos) {
    point.serve = name.substr(kServe.size(), bench - kServe.size());
    point.bench = name.substr(bench + kBench.size());
  } else {
    point.bench = name;
  }
}

std::optional<double> value_of(const Run& run, std::string_view name) {
  for (const RunField& field : run) {
    if (field.name == name && field.leaf.state == core::ValueState::number) return field.leaf.value;
  }
  return std::nullopt;
}

// How much slower run 0 was than the median of the runs after it; the metric that shows it most.
struct WarmUp {
  double ratio = 0, first = 0, others = 0;
  std::string metric;
};
WarmUp warm_up_of(const std::vector<const Run*>& runs) {
  WarmUp worst;
  if (runs.size() < 2) return worst;
  for (const RunField& field : *runs.front()) {
    const auto metric = latency_metric(field.name);
    if (!metric || metric->role != core::Role::judged) continue;
    const auto first = value_of(*runs.front(), field.name);
    std::vector<double> others;
    for (std::size_t i = 1; i < runs.size(); ++i) {
      if (const auto value = value_of(*runs[i], field.name)) others.push_back(*value);
    }
    if (!first || others.empty()) continue;
    const double middle = core::median(others);
    if (middle > 0 && *first / middle > worst.ratio) worst = {*first / middle, *first, middle, field.name};
  }
  return worst;
}

constexpr double kWarmUp = 1.5;  // times the others: a cold start, not noise

class Sweep {
 public:
  Sweep(const Input& input, const ReadOptions& options) : input_(input), options_(options), writer_(options) {}

  core::Expected<core::Measurement> read(const ServingFormat& serve) {
    collect();
    bool several_sweeps = false;
    for (const auto& [folder, point] : points_) several_sweeps |= point.sweep != points_.begin()->second.sweep;
    for (const auto& [folder, point] : points_) {
      if (options_.stop && options_.stop())
        return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input_.name);
      read_point(folder, point, several_sweeps);
    }
    if (runs_.empty()) {
      return core::fail(core::ErrorCode::invalid_input,
                        unread_.empty() ? "no run in the folder" : "none of the runs could be read; the first: " + first_problem_,
                        "a sweep holds SERVE--…-BENCH--…/run=0.json", input_.name);
    }
    if (!unread_.empty()) {
      writer_.out.warn("unread_file", core::counted(unread_.size(), "file") + " of the sweep could not be read: " +
                                          core::cited_list(unread_) + " (" + first_problem_ + ")");
    }
    if (cold_ > 0) writer_.out.warn("warm_up", core::counted(cold_, "point") + cold_example_);
    std::vector<std::string_view> dims = {"sweep", "serve", "bench"};
    dims.insert(dims.end(), serve.point.begin(), serve.point.end());
    ServingFormat format = serve;
    format.point = dims;
    // The only point of a folder has bare keys like a file of its own: what it was started with is context then.
    std::vector<RunSetting> settings(serve.settings.begin(), serve.settings.end());
    settings.insert(settings.end(), {{"serve", "serving.sweep_point"}, {"bench", "workload.sweep_point"}});
    format.settings = settings;
    return rows_of_runs(writer_, std::move(runs_), format, input_.name);
  }

 private:
  void collect() {
    for (const Input::File& file : input_.files) {
      const auto number = run_number(file.name);
      if (!number && base_of(file.name) != "summary.json") continue;
      std::string_view folder = folder_of(file.name);
      if (folder.empty()) folder = input_.name;
      Point& point = points_[std::string(folder)];
      name_point(folder, point);
      if (folder_of(file.name).empty()) point.sweep.clear();
      if (number) {
        point.runs[*number] = &file;
      } else {
        point.summary = &file;
      }
    }
  }

  void read_point(const std::string& folder, const Point& point, bool several_sweeps) {
    const std::size_t first = runs_.size();
    for (const auto& [number, file] : point.runs) read_file(*file, point, several_sweeps);
    if (point.runs.empty() && point.summary != nullptr) read_file(*point.summary, point, several_sweeps);
    std::vector<const Run*> runs;
    for (std::size_t i = first; i < runs_.size(); ++i) runs.push_back(&runs_[i]);
    const WarmUp warm_up = warm_up_of(runs);
    if (warm_up.ratio < kWarmUp || point.runs.empty() || point.runs.begin()->first != 0) return;
    if (cold_++ == 0) {
      cold_example_ = ": the first run looks like a warm-up and stays a trial, for instance " + warm_up.metric + " " +
                      core::short_number(warm_up.first) + " in run 0 of " + folder + ", " + core::short_number(warm_up.others) +
                      " in the others (median)";
    }
  }

  void read_file(const Input::File& file, const Point& point, bool several_sweeps) {
    Input one;
    one.name = file.name;
    one.bytes = file.bytes;
    auto document = parse_json(one, options_, is_per_request);
    core::Expected<std::vector<Run>> runs =
        document ? runs_of(document->root(), file.name) : core::Expected<std::vector<Run>>(core::fail(document.error()));
    if (!runs) {
      if (unread_.empty()) {
        first_problem_ = (runs.error().where.empty() ? "" : runs.error().where + ": ") + runs.error().message;
      }
      unread_.push_back(file.name);
      return;
    }
    documents_.push_back(std::move(*document));
    for (Run& run : *runs) {
      const auto text = [&](const char* name, const std::string& value) {
        if (!value.empty()) run.push_back({name, Leaf{core::ValueState::text, 0, false, value}});
      };
      if (several_sweeps) text("sweep", point.sweep);
      text("serve", point.serve);
      text("bench", point.bench);
      runs_.push_back(std::move(run));
    }
  }

  const Input& input_;
  const ReadOptions& options_;
  RowWriter writer_;
  std::map<std::string, Point> points_;
  std::deque<json::Document> documents_;  // runs are views into them
  std::vector<Run> runs_;
  std::vector<std::string> unread_;
  std::string first_problem_, cold_example_;
  std::uint64_t cold_ = 0;
};

}  // namespace

Detection detect_vllm_sweep(const Input& input) {
  Detection detection;
  for (const Input::File& file : input.files) {
    if (!run_number(file.name) || file.bytes.substr(0, kHead).find("\"request_throughput\"") == std::string_view::npos) continue;
    detection.score = 1.06;  // more than any folder
    detection.evidence.push_back("a folder that holds " + file.name + " with \"request_throughput\"");
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_vllm_sweep(const Input& input, const ReadOptions& options, const ServingFormat& serve) {
  return Sweep(input, options).read(serve);
}

}  // namespace plumbline::formats
