// nccl-tests -J (one object) and rccl-tests -Z json (one object a line). Rows are those of the text output. The object carries
// the whole environment of the run, of which nothing is read.
#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/text.hpp"
#include "formats/hardware/nccl_tests.hpp"
#include "formats/json/truncated.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

std::string_view collective_of(const Value& root, const Value& result) {
  for (const Value argument : root.find("args").elements()) {
    std::string_view program = argument.string();
    program.remove_prefix(std::min(program.rfind('/') + 1, program.size()));
    if (program.ends_with("_perf")) return program.substr(0, program.size() - 5);
    break;  // only the program's name; the rest is flags
  }
  return result.find_string("experiment_name");
}

bool is_true(const Value& value) { return value.string() == "true" || value.boolean(); }

std::vector<double> numbers(const Value& list) {
  std::vector<double> found;
  found.reserve(list.size());
  for (const Value one : list.elements()) {
    if (one.is_number()) found.push_back(one.number());
  }
  return found;
}

void half(NcclPoints& points, const Value& result, std::string_view place, bool in_place) {
  const Value body = result.find(place);
  if (!body.is_object()) return;
  points.begin(result.find("size").text(), result.find_string("type"), result.find_string("redop"),
               core::trim(result.find("root").text()), in_place);
  points.check(body.find_number("time").value_or(0), body.find_number("alg_bw").value_or(0));
  const bool wrong = body.find_number("nwrong").value_or(0) != 0;
  for (const auto [name, valid, value] : body.members()) {
    if (value.is_container()) continue;
    if (name == "nwrong" && value.is_null()) {
      points.add(name, Leaf{core::ValueState::null, 0, false, "N/A"});  // not checked, as the text output says it
    } else {
      points.add(name, wrong && name != "nwrong" ? failed_value(value.text()) : leaf_of(value));
    }
  }
  const Value iterations = result.find(std::string(place) + "_per_iter");
  for (const auto [name, valid, value] : iterations.members()) {
    if (name == "times_us") {
      if (const auto times = numbers(value); !times.empty()) points.add_times(times);
    } else if (!value.is_container()) {
      points.add(name, leaf_of(value));
    }
  }
}

core::Expected<core::Measurement> read_rccl(const Value& root, ToolRows& rows) {
  std::map<std::string, std::unique_ptr<NcclPoints>> collectives;
  const auto one = [&](const Value& line) {
    const std::string name = rccl_collective(line.find_string("name"));
    const auto ranks = line.find_number("ranks").value_or(line.find_number("gpus").value_or(0));
    const auto count = ranks >= 1 && ranks < 1e7 ? static_cast<std::size_t>(ranks) : 0;
    auto& points = collectives[name + "/" + std::to_string(count)];
    if (!points) points = std::make_unique<NcclPoints>(rows, name, count);
    const Value in_place = line.find("inPlace");
    points->begin(line.find("size").text(), line.find_string("type"), line.find_string("redop"), {},
                  in_place.boolean() || in_place.text() == "1" || in_place.text() == "true");
    points->check(line.find_number("time").value_or(0), line.find_number("algBw").value_or(0));
    const std::string_view printed = (line.find("#wrong") ? line.find("#wrong") : line.find("wrong")).text();
    const bool wrong = core::parse_double(printed).value_or(0) != 0;
    for (const auto& [theirs, ours] : std::initializer_list<Dim>{{"time", "time"}, {"algBw", "algbw"}, {"busBw", "busbw"}}) {
      if (const Value value = line.find(theirs); value && !value.is_container())
        points->add(ours, wrong ? failed_value(value.text()) : leaf_of(value));
    }
    if (const auto leaf = cell(printed); leaf && !printed.empty()) points->add("#wrong", *leaf);
    rows.note("workload.collective", name);
  };
  if (root.is_array()) {
    for (const Value line : root.elements()) {
      if (rows.halted()) break;
      if (line.is_object()) one(line);
    }
  } else {
    one(root);
  }
  for (const auto& [name, points] : collectives) points->end({}, {});
  return rows.finish();
}

}  // namespace

core::Expected<core::Measurement> read_nccl_tests_json(const Input& input, const ReadOptions& options) {
  std::optional<json::Closed> closed;  // the tool writes while it runs: where the run ended early its whole results are there
  auto document = parse_json(input, options);
  if (!document && document.error().code == core::ErrorCode::invalid_input) {
    core::Error error = document.error();
    error.hint =
        "nccl-tests writes its JSON while it runs: where the run ended early the file stays open; run it again, or read its "
        "text output";
    closed = json::close_truncated(input.bytes, 2);
    if (!closed) return core::fail(std::move(error));
    Input whole = input;
    whole.bytes = closed->text;
    document = parse_json(whole, options);
    if (!document || document->root().find("results").size() == 0) return core::fail(std::move(error));
  }
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "nccl-tests");
  take_notes(*document, rows.writer);
  const Value root = document->root();
  if (!root.is_object() || !root.find("results")) {
    const Value first = root.is_array() && root.size() > 0 ? *root.elements().begin() : root;
    if (first.find("busBw")) return read_rccl(root, rows);
    return core::fail(rows.error("no \"results\" array: this is no nccl-tests JSON",
                                 "nccl-tests -J FILE writes one object with a list \"results\""));
  }
  if (root.find("results").size() == 0) {
    return core::fail(rows.error("\"results\" is empty",
                                 "the run ended before its first result: see its text output for why, and run it again",
                                 root.find("results").place().line));
  }
  if (const Value env = root.find("env")) rows.writer.find(Finding::environment_in_source, "env", env.size());
  rows.writer.out.format.version = std::string(root.find("version").text());
  std::set<std::string, std::less<>> hosts;
  for (const Value device : root.find("devices").elements()) {
    rows.note("hardware.gpu", device.find_string("device_info"));
    if (const auto host = device.find_string("hostname"); !host.empty()) hosts.emplace(host);
  }
  const std::size_t ranks = root.find("devices").size();
  if (ranks > 0) {
    rows.note("parallelism.ranks", std::to_string(ranks));
    rows.note("parallelism.nodes", std::to_string(hosts.size()));
  }
  if (hosts.size() == 1) rows.note("environment.hostname", *hosts.begin());
  rows.note("stack.nccl", nccl_version(root.find("nccl_version").text()));
  const Value config = root.find("config");
  rows.note("regime.warmup", config.find("warmup_iters").text());
  rows.note("regime.iterations", config.find("iterations").text());
  rows.note("regime.cuda_graph", config.find("graph").text());
  const Value first = *root.find("results").elements().begin();
  const std::string collective(collective_of(root, first));
  NcclPoints points(rows, collective.empty() ? "collective" : collective, ranks);
  if (collective.empty()) {
    rows.writer.out.warn("name_guessed",
                         "the file does not say which collective it measured: say it with --context workload.collective=NAME");
  }
  rows.note("workload.collective", collective);
  for (const Value result : root.find("results").elements()) {
    if (rows.halted()) break;
    half(points, result, "out_of_place", false);
    half(points, result, "in_place", true);
  }
  const Value bounds = root.find("out_of_bounds"), average = root.find("average_bus_bandwidth");
  const bool checked = bounds && bounds.find_string("okay") != "unchecked";
  std::string_view count = !bounds ? std::string_view() : checked ? bounds.find("count").text() : "N/A";
  // A check that failed without counting anything has failed all the same.
  if (checked && core::parse_double(count).value_or(0) == 0 && bounds.find("okay") && !is_true(bounds.find("okay"))) count = "1";
  const Value floor = average.find("okay");
  const std::string_view met = !floor || floor.string() == "unchecked" ? "" : is_true(floor) ? "1" : "0";
  points.end(count, average.find("bandwidth") ? average.find("bandwidth").text() : std::string_view(), met);
  if (!bounds) {
    points.interrupted("the run ended before its check");
    rows.incomplete(closed ? "the file ends inside the results, behind line " +
                                 std::to_string(json::place_of(input.bytes, closed->cut).line)
                           : std::string("there is no \"out_of_bounds\", which closes the results"));
  }
  return rows.finish();
}

extern const Format nccl_tests_json_format = {
    .name = "nccl-tests-json",
    .title = "collectives of nccl-tests -J and rccl-tests -Z json",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::json, 0.97, {"nccl_version", "args"}},
               {Sign::In::json, 0.97, {"nccl_version", "config"}},
               {Sign::In::json, 0.97, {"nccl_version", "results"}},
               {Sign::In::json, 0.97, {"busBw", "algBw", "inPlace"}}}},
    .read = read_nccl_tests_json,
    .about = {.group = Group::hardware,
              .file = "JSON, JSON lines",
              .produce = "./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8 -J result.json  # nccl-tests\n"
                         "./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8 -Z json -x result.json  # rccl-tests",
              .judged = "nccl-tests `-J` (its iterations are trials) and rccl-tests `-Z json`: the same rows",
              .key = "collective, size, dtype, redop, root, ranks, in or out of place",
              .trials = "the iterations in `times_us`",
              .context = "GPU, ranks, nodes, host, NCCL, warm-up, iterations, CUDA graph, collective, dtype, redop",
              .limits = "of the environment and the arguments nothing but the program's name is read; a file that ends early is "
                        "read as far as its results are whole, and its check fails",
              .recognised = "`nccl_version` with `args`; `algBw`, `busBw`, `inPlace`"},
};

}  // namespace plumbline::formats
