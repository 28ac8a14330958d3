// What BenchmarkTools.save of Julia writes: [{versions}, [objects]], an object being ["Type", {fields}] and groups nested in
// groups. The times of a trial are nanoseconds per evaluation; memory and allocations are counted, not sampled.
#include "core/citing.hpp"
#include "formats/declared_rows.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

constexpr Declared kMemory = {"B", core::Direction::lower, core::Role::judged, true};
constexpr Declared kAllocations = {{}, core::Direction::lower, core::Role::judged, true};

// ["BenchmarkTools.Trial", {…}] -> "Trial" and its fields.
std::string_view type_of(const Value& object, Value& fields) {
  if (!object.is_array() || object.size() != 2) return {};
  auto element = object.elements().begin();
  std::string_view type = (*element).string();
  fields = *++element;
  if (!fields.is_object()) return {};
  return type.substr(type.rfind('.') == std::string_view::npos ? 0 : type.rfind('.') + 1);
}

class Reader {
 public:
  explicit Reader(RowWriter& writer) : writer_(writer), rows_(writer, "BenchmarkTools.jl") {}

  void object(const Value& object, const std::string& path) {
    if (writer_.halted()) return;
    Value fields;
    const std::string_view type = type_of(object, fields);
    if (type == "BenchmarkGroup") {
      for (const auto [name, valid, value] : fields.find("data").members()) {
        this->object(value, path.empty() ? std::string(name) : path + "/" + std::string(name));
      }
    } else if (type == "Trial") {
      trial(fields, path);
    } else if (type == "TrialEstimate") {
      estimate(fields, path);
    } else if (!type.empty() && type != "Parameters") {
      // A ratio or a judgement of two others is no measurement.
      ++others_;
      if (other_.empty()) other_ = std::string(type) + " " + core::cited(path);
    }
  }
  void context(const Value& versions) {
    rows_.context("stack.julia", versions.find_string("Julia"));
    rows_.context("stack.benchmarktools", versions.find_string("BenchmarkTools"));
  }
  void end() {
    if (others_ > 0) {
      writer_.out.warn("relative_results", core::counted(others_, "object is", "objects are") +
                                               " a comparison and no measurement, and left out; the first is " + other_);
    }
  }
  [[nodiscard]] std::uint64_t others() const { return others_; }

 private:
  void trial(const Value& fields, const std::string& path) {
    const std::uint32_t dims = rows_.dims({{"benchmark", path}});
    std::vector<double> times, collecting;
    for (const Value one : fields.find("times").elements()) times.push_back(one.number());
    for (const Value one : fields.find("gctimes").elements()) collecting.push_back(one.number());
    if (times.empty()) {
      rows_.add(path, "time", dims, lower_is_better("ns"), Leaf{core::ValueState::failed, 0, false, "a trial without a sample"});
      return;
    }
    rows_.add(path, "time", dims, lower_is_better("ns"), times);
    rows_.add(path, "gctime", dims, for_context("ns"), collecting);
    counts(fields, path, dims);
  }
  void estimate(const Value& fields, const std::string& path) {
    const std::uint32_t dims = rows_.dims({{"benchmark", path}});
    if (const Value time = fields.find("time")) rows_.add(path, "time", dims, lower_is_better("ns"), leaf_of(time));
    if (const Value time = fields.find("gctime")) rows_.add(path, "gctime", dims, for_context("ns"), leaf_of(time));
    counts(fields, path, dims);
  }
  void counts(const Value& fields, const std::string& path, std::uint32_t dims) {
    if (const Value value = fields.find("memory"); value.is_number()) rows_.add(path, "memory", dims, kMemory, leaf_of(value));
    if (const Value value = fields.find("allocs"); value.is_number())
      rows_.add(path, "allocs", dims, kAllocations, leaf_of(value));
    Value parameters;
    (void)type_of(fields.find("params"), parameters);
    if (!parameters) return;
    for (const std::string_view name : {"evals", "samples", "seconds"}) {
      if (const Value value = parameters.find(name); value.is_number()) {
        rows_.add(path, std::string("params.") + std::string(name), dims, for_context(name == "seconds" ? "s" : ""),
                  leaf_of(value));
      }
    }
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::uint64_t others_ = 0;
  std::string other_;
};

core::Status read_benchmarktools_jl(const json::Value& root, RowWriter& writer) {
  Value versions, objects;
  if (root.is_array() && root.size() == 2) {
    auto element = root.elements().begin();
    versions = *element;
    objects = *++element;
  }
  if (!versions.is_object() || !objects.is_array()) {
    return core::fail(kOtherStructure, "not the two parts [versions, objects] that BenchmarkTools.save writes",
                      "BenchmarkTools.save(\"FILE.json\", results) writes them");
  }
  Reader reader(writer);
  reader.context(versions);
  std::size_t place = 0;
  for (const Value object : objects.elements()) {
    ++place;
    reader.object(object, objects.size() > 1 ? std::to_string(place) : std::string());
  }
  reader.end();
  if (writer.out.rows().empty() && reader.others() > 0) {
    return core::fail(core::ErrorCode::invalid_input, "it holds comparisons (ratios or judgements) and no measurement",
                      "save the trials or their estimates themselves");
  }
  writer.out.declared.headlines = {"time", "*.time"};
  return {};
}

}  // namespace

extern const Format benchmarktools_jl_format = {
    .name = "benchmarktools-jl",
    .title = "BenchmarkTools.jl (Julia)",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::array, 0.96, {"Julia", "BenchmarkTools"}}}},
    .read = read_document<read_benchmarktools_jl>,
    .about = {.group = Group::harness,
              .file = "JSON",
              .produce = "julia -e 'include(\"benchmarks.jl\"); BenchmarkTools.save(\"result.json\", run(SUITE))'",
              .judged = "`time` in ns, `memory` in bytes and `allocs` (lower; the last two exact)",
              .key = "the path through the groups",
              .trials = "the times of a `Trial`; a `TrialEstimate` is one value",
              .context = "versions of Julia and BenchmarkTools",
              .limits = "time of garbage collection and parameters are context; `TrialRatio` and `TrialJudgement` are left out, "
                        "with a count",
              .recognised = "an array that starts with `Julia` and `BenchmarkTools`"},
};

}  // namespace plumbline::formats
