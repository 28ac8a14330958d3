// HPCG: one "Section::Name=value" a line. The rating is the result, and stands only behind a run that says it is VALID; the rates
// of its phases and the bandwidths that follow from them are context. Every check of a section is a gate.
#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kRating{"gflops", "GFLOP/s", Direction::higher, Role::judged};
constexpr ToolMetric kValid{"valid", "", Direction::higher, Role::gate};
constexpr ToolMetric kPassed{"passed", "", Direction::higher, Role::gate};
constexpr ToolMetric kTime{"time", "s", Direction::lower, Role::context};
constexpr ToolMetric kPhaseRate{"gflops", "GFLOP/s", Direction::higher, Role::context};
constexpr ToolMetric kPhaseBandwidth{"bandwidth", "GB/s", Direction::higher, Role::context};
constexpr std::string_view kResult = "HPCG result is ";

struct Setting {
  std::string_view name, context;
};
constexpr Setting kSettings[] = {{"Distributed Processes", "parallelism.ranks"},
                                 {"Threads per processes", "parallelism.threads"},
                                 {"Global nx", "workload.nx"},
                                 {"Global ny", "workload.ny"},
                                 {"Global nz", "workload.nz"}};

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : lines_(input.bytes), rows_(input, options, "HPCG") {}

  core::Expected<core::Measurement> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (rows_.halted()) break;
      const std::string_view text = core::trim(line);
      if (text == "HPCG-Benchmark") {
        begin(lines_.number());
        continue;
      }
      const std::size_t value = text.rfind('='), section = text.find("::");
      if (value == std::string_view::npos || section == std::string_view::npos || section > value) continue;
      take(text.substr(0, section), text.substr(section + 2, value - section - 2), core::trim(text.substr(value + 1)));
    }
    if (lines_.cut() && !run_.closed) {
      return core::fail(rows_.error("the file ends before HPCG's last line",
                                    "the copy is incomplete or the run was stopped; copy it again or run it again",
                                    lines_.number()));
    }
    const std::size_t begun = run_.line;
    end();
    if (!rated_) {
      return core::fail(
          rows_.error("no rating",
                      "HPCG writes \"Final Summary::HPCG result is VALID with a GFLOP/s rating of=…\" when it is done: "
                      "run it again and look at what it says",
                      begun));
    }
    headlines_.put(rows_);
    return rows_.finish();
  }

 private:
  struct Phase {
    const ToolMetric* metric = nullptr;
    std::string_view name, value;
  };
  struct Run {
    std::size_t line = 0;
    std::string_view nx, ny, nz, ranks, rating, time;
    std::vector<Phase> checks, phases;
    bool finished = false, valid = false;  // it said whether its result is valid
    bool closed = false;                   // one of the lines behind that was read
  };

  void begin(std::size_t line) {
    end();
    run_ = Run();
    run_.line = line;
  }

  void take(std::string_view section, std::string_view name, std::string_view value) {
    for (const Setting& one : kSettings) {
      if (name == one.name) rows_.note(one.context, value);
    }
    if (name == "Global nx") run_.nx = value;
    if (name == "Global ny") run_.ny = value;
    if (name == "Global nz") run_.nz = value;
    if (name == "Distributed Processes") run_.ranks = value;
    if (name == "Result" || name.ends_with("::Result")) {
      run_.checks.push_back({&kPassed, section.substr(0, section.find(" |")), value});
    } else if (section == "GFLOP/s Summary" && cell(value)) {
      run_.phases.push_back({&kPhaseRate, name, value});
    } else if (section == "GB/s Summary" && cell(value)) {
      run_.phases.push_back({&kPhaseBandwidth, name, value});
    } else if (section == "Benchmark Time Summary" && cell(value)) {
      run_.phases.push_back({&kTime, name, value});
    } else if (section == "Final Summary") {
      run_.closed = run_.finished;
      if (name.starts_with(kResult) || name == "HPCG result is") {  // "…=INVALID." has it behind the sign
        if (run_.finished) begin(0);                                // summaries of several runs without the rest of them
        run_.finished = true;
        run_.valid = name.substr(std::min(kResult.size(), name.size())).starts_with("VALID") && cell(value);
        run_.rating = value;
        if (run_.line == 0) run_.line = lines_.number();
      } else if (name.ends_with("execution time (sec) is")) {
        run_.time = value;
      }
    }
  }

  void end() {
    if (run_.line == 0) return;
    const auto point = [&](std::string_view phase) {
      rows_.point("hpcg", {{"nx", run_.nx}, {"ny", run_.ny}, {"nz", run_.nz}, {"ranks", run_.ranks}, {"phase", phase}});
    };
    if (!run_.finished) {
      rows_.incomplete("the run at line " + std::to_string(run_.line) + " has no rating");
      return;
    }
    rated_ = true;
    point({});
    if (run_.valid) {
      rows_.add(kRating, *cell(run_.rating));
    } else {
      rows_.add(kRating, failed_value(run_.rating));
    }
    if (std::string key = rows_.key(kRating.name); key != headline_) {  // a run that is repeated has its trials there
      headline_ = key;
      headlines_.take(std::move(key));
    }
    rows_.add(kValid, run_.valid ? 1 : 0);
    if (!run_.time.empty()) rows_.add(kTime, run_.time);
    for (const Phase& check : run_.checks) {
      point(check.name);
      rows_.add(kPassed, check.value == "PASSED" ? 1 : 0);
    }
    for (const Phase& phase : run_.phases) {
      point(phase.name);
      rows_.add(*phase.metric, phase.value);
    }
  }

  LogLines lines_;
  ToolRows rows_;
  Run run_;
  Headlines headlines_;
  bool rated_ = false;
  std::string headline_;
};

}  // namespace

Detection detect_hpcg(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (head.find("HPCG-Benchmark\n") != std::string_view::npos || head.find("HPCG-Benchmark\r\n") != std::string_view::npos) {
    detection.score = 0.97;
    detection.evidence.emplace_back("names itself: HPCG-Benchmark");
  } else if (head.find("Final Summary::HPCG result is") != std::string_view::npos) {
    detection.score = 0.95;
    detection.evidence.emplace_back("a line \"Final Summary::HPCG result is\"");
  }
  return detection;
}

extern const Format hpcg_format = {
    .name = "hpcg",
    .title = "High-Performance Conjugate Gradients (HPCG)",
    .replication = core::Replication::in_process,
    .detect = detect_hpcg,
    .read = read_with<Reader>,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 8 ./xhpcg  # writes HPCG-Benchmark_*.txt",
              .judged = "HPCG: the rating in Gflops; validity and the checks of its sections are gates",
              .key = "problem size, ranks, phase",
              .trials = "one value a key; a later run in the log is another trial",
              .context = "processes, threads, problem size",
              .limits = "rates, bandwidths and times of the phases are context",
              .recognised = "`HPCG-Benchmark`; `Final Summary::HPCG result is`"},
};

}  // namespace plumbline::formats
