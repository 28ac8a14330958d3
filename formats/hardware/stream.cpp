// STREAM (McCalpin): the best rate of each kernel in MB/s of 1e6 bytes. The times beside it say the same less exactly. A run
// whose arrays do not validate has no results.
#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kRate{"best_rate", "MB/s", Direction::higher, Role::judged};
constexpr ToolMetric kTimes[] = {{"avg_time", "s", Direction::lower, Role::context},
                                 {"min_time", "s", Direction::lower, Role::context},
                                 {"max_time", "s", Direction::lower, Role::context}};
constexpr ToolMetric kValidates{"validates", "", Direction::higher, Role::gate};

struct Run {
  std::size_t line = 0;  // of the banner or the table
  std::string_view threads, array_size, times;
  struct Kernel {
    std::string name;
    std::vector<std::string_view> cells;
  };
  std::vector<Kernel> kernels;
  std::optional<bool> validates;
};

std::string_view number_after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = core::trim(text.substr(at + name.size()));
  return rest.substr(0, rest.find_first_not_of("0123456789"));
}

void put(ToolRows& rows, const Run& run) {
  if (run.kernels.empty()) {
    if (run.line != 0) rows.incomplete("the run at line " + std::to_string(run.line) + " has no table");
    return;
  }
  rows.section();
  rows.note("parallelism.threads", run.threads);
  rows.note("workload.array_size", run.array_size);
  rows.note("regime.repetitions", run.times);
  const bool failed = run.validates && !*run.validates;
  const std::initializer_list<Dim> dims{{"threads", run.threads}, {"array_size", run.array_size}};
  for (const Run::Kernel& kernel : run.kernels) {
    rows.point(kernel.name, dims);
    rows.add(kRate, failed ? failed_value(kernel.cells[0]) : *cell(kernel.cells[0]));
    if (kernel.name == "Triad") rows.headline(rows.key(kRate.name));
    for (std::size_t i = 0; i < 3; ++i)
      rows.add(kTimes[i], failed ? failed_value(kernel.cells[i + 1]) : *cell(kernel.cells[i + 1]));
  }
  if (run.validates) {
    rows.point("stream", dims);
    rows.add(kValidates, *run.validates ? 1 : 0);
  } else {
    rows.incomplete("the run at line " + std::to_string(run.line) + " does not say whether its solution validates");
  }
}

}  // namespace

Detection detect_stream(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (head.find("STREAM version $Revision") != std::string_view::npos ||
      head.find("STREAM Version $Revision") != std::string_view::npos) {  // that of Fortran
    detection.score = 0.97;
    detection.evidence.emplace_back("names itself: STREAM version");
  } else if (head.find("Best Rate MB/s") != std::string_view::npos && head.find("Triad:") != std::string_view::npos) {
    detection.score = 0.95;
    detection.evidence.emplace_back("a table with \"Best Rate MB/s\" and a row \"Triad:\"");
  }
  return detection;
}

core::Expected<core::Measurement> read_stream(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "STREAM");
  LogLines lines(input.bytes);
  std::vector<std::string_view> fields;
  std::string_view line;
  Run run;
  bool table = false;
  std::size_t last_row = 0;
  while (lines.next(line)) {
    if (rows.halted()) break;
    const std::string_view text = core::trim(line);
    if (text.starts_with("STREAM version") || text.starts_with("STREAM Version")) {
      put(rows, run);
      run = Run();
      run.line = lines.number();
      const std::size_t at = text.find("Revision: ");
      if (at != std::string_view::npos) rows.note("stack.stream", text.substr(at + 10, text.substr(at + 10).find(' ')));
    } else if (text.starts_with("Array size =")) {
      run.array_size = number_after(text, "=");
    } else if (text.starts_with("Number of Threads counted") ||
               (run.threads.empty() && text.starts_with("Number of Threads requested"))) {
      run.threads = number_after(text, "=");
    } else if (text.starts_with("Each kernel will be executed")) {
      run.times = number_after(text, "executed");
    } else if (text.starts_with("You are running each test")) {
      run.times = number_after(text, "test");
    } else if (text.starts_with("Function") && text.find("MB/s") != std::string_view::npos) {
      if (!run.kernels.empty()) {
        put(rows, run);
        run = Run();
      }
      if (run.line == 0) run.line = lines.number();
      table = true;
    } else if (text.starts_with("Solution Validates")) {
      run.validates = true;
    } else if (text.find("Failed Validation") != std::string_view::npos) {
      run.validates = false;
    } else if (table && !text.empty()) {
      split_blanks(text, fields);
      if (!fields[0].ends_with(':')) {
        table = false;
        continue;
      }
      last_row = lines.number();
      bool numbers = fields.size() == 5;
      for (std::size_t i = 1; i < fields.size(); ++i) numbers = numbers && cell(fields[i]).has_value();
      if (!numbers) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        continue;
      }
      run.kernels.push_back({std::string(fields[0].substr(0, fields[0].size() - 1)), {fields.begin() + 1, fields.end()}});
    }
  }
  if (lines.cut() && last_row == lines.number()) {
    return core::fail(rows.error("the file ends inside a row of results",
                                 "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
  }
  const std::size_t begun = run.line;
  put(rows, run);
  if (rows.empty()) {
    return core::fail(rows.error("no table of rates",
                                 "the run ended before \"Function    Best Rate MB/s\"; run it again and look at what it says",
                                 begun));
  }
  rows.writer.out.replication = core::Replication::in_process;
  return rows.finish();
}

extern const Format stream_format = {
    .name = "stream",
    .title = "STREAM memory bandwidth",
    .replication = core::Replication::in_process,
    .detect = detect_stream,
    .read = read_stream,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "OMP_NUM_THREADS=64 ./stream | tee result.txt",
              .judged = "STREAM: best rate by kernel; the validation is a gate",
              .key = "kernel, threads, array size",
              .trials = "the best of its own repetitions, one a key",
              .context = "threads, array size, repetitions, version",
              .limits = "average and slowest times are context",
              .recognised = "`STREAM version`; `Best Rate MB/s`"},
};

}  // namespace plumbline::formats
