// High-Performance Linpack, also those of NVIDIA, Intel and AMD: one row per configuration, its residual checks below it (three
// in HPL 1, one since). A configuration one of whose checks failed has no result. Time says the same as Gflops for one N, so
// Gflops are judged; what NVIDIA prints per GPU is the same once more.
#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kGflops{"gflops", "GFLOP/s", Direction::higher, Role::judged};
constexpr ToolMetric kPerGpu{"gflops_per_gpu", "GFLOP/s", Direction::higher, Role::context};
constexpr ToolMetric kTime{"time", "s", Direction::lower, Role::context};
constexpr ToolMetric kResidual{"residual", "", Direction::unknown, Role::context};
constexpr ToolMetric kPassed{"residual_passed", "", Direction::higher, Role::gate};
constexpr ToolMetric kFailedTests{"failed_tests", "", Direction::lower, Role::gate};
constexpr ToolMetric kSkippedTests{"skipped_tests", "", Direction::lower, Role::gate};

struct Run {
  std::size_t line = 0;
  std::string_view variant, n, nb, p, q, time, gflops, per_gpu, residual;
  std::optional<bool> passed;
};

// "WR11C2R4", and of NVIDIA's "WC0": wall time, the order of the process grid, the depth of the lookahead.
bool is_variant(std::string_view text) {
  return (text.starts_with("WR") || text.starts_with("WC")) && text.size() > 2 && text[2] >= '0' && text[2] <= '9';
}

bool is_row(const std::vector<std::string_view>& fields) {
  if (fields.size() < 7 || !is_variant(fields[0])) return false;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!core::parse_int(fields[i])) return false;
  }
  return cell(fields[5]) && cell(fields[6]);
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : lines_(input.bytes), rows_(input, options, "HPL") {}

  core::Expected<core::Measurement> read() {
    std::string_view line;
    std::vector<std::string_view> fields;
    std::size_t last_row = 0;
    while (lines_.next(line)) {
      if (rows_.halted()) break;
      const std::string_view text = core::trim(line);
      if (text.starts_with("HPLinpack ") || text.starts_with("HPL-NVIDIA ") || text.starts_with("HPL-MxP")) {
        put();
        rows_.section();
        split_blanks(text, fields);
        if (fields.size() > 1) rows_.note("stack.hpl", fields[1]);
        continue;
      }
      if (text.starts_with("||")) {
        check(text);
        continue;
      }
      if (text.starts_with("Finished ") && text.ends_with("tests with the following results:")) {
        split_blanks(text, fields);
        if (const auto count = core::parse_int(fields[1]); count && *count > 0 && *count < 1000000)
          finished_ += static_cast<std::uint64_t>(*count);
        continue;
      }
      if (text.ends_with("tests completed and failed residual checks,")) {
        summary(kFailedTests, text);
        continue;
      }
      if (text.ends_with("tests skipped because of illegal input values.")) {
        summary(kSkippedTests, text);
        continue;
      }
      split_blanks(text, fields);
      if (!is_row(fields)) {
        if (fields.size() > 1 && is_variant(fields[0]) && core::parse_int(fields[1])) last_row = lines_.number();
        continue;
      }
      put();
      last_row = lines_.number();
      run_ = {lines_.number(), fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], {}, {}, {}};
      // "1.698e+04 ( 1.698e+04)"
      if (fields.size() > 7 && fields[7].starts_with('(') && fields.back().ends_with(')')) {
        std::string_view per_gpu = fields.back().substr(fields.size() == 8 ? 1 : 0);
        per_gpu.remove_suffix(1);
        if (cell(per_gpu)) run_.per_gpu = per_gpu;
      }
    }
    if (lines_.cut() && last_row == lines_.number()) {
      return core::fail(rows_.error("the file ends inside a row of results",
                                    "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
    }
    put();
    if (configurations_ == 0 && !gate_fails_) {
      return core::fail(rows_.error("no finished configuration",
                                    "HPL prints a row \"WR…  N  NB  P  Q  Time  Gflops\" when one is done: the run ended before; "
                                    "run it again and look at what it says"));
    }
    if (finished_ > configurations_) {
      rows_.incomplete("the log says that " + std::to_string(finished_) + (finished_ == 1 ? " test" : " tests") +
                       " finished and has the rows of " + std::to_string(configurations_));
    }
    if (!best_.empty()) headlines_.take(best_);
    headlines_.put(rows_);
    return rows_.finish();
  }

 private:
  // "||Ax-b||_oo/(eps*(…)*N)=   3.1e-03 ...... PASSED"; the norms that some print below are no checks.
  void check(std::string_view text) {
    const bool passed = text.ends_with("PASSED");
    if (run_.line == 0 || (!passed && !text.ends_with("FAILED"))) return;
    std::vector<std::string_view> fields;
    split_blanks(text.substr(std::min(text.rfind('=') + 1, text.size())), fields);
    if (!fields.empty() && (run_.passed.value_or(true) || !passed)) run_.residual = fields[0];
    run_.passed = run_.passed.value_or(true) && passed;
  }

  void put() {
    if (run_.line == 0) return;
    ++configurations_;
    rows_.point("hpl", {{"variant", run_.variant}, {"n", run_.n}, {"nb", run_.nb}, {"p", run_.p}, {"q", run_.q}});
    const bool failed = run_.passed && !*run_.passed;
    rows_.add(kGflops, failed ? failed_value(run_.gflops) : *cell(run_.gflops));
    if (!run_.per_gpu.empty()) rows_.add(kPerGpu, failed ? failed_value(run_.per_gpu) : *cell(run_.per_gpu));
    rows_.add(kTime, failed ? failed_value(run_.time) : *cell(run_.time));
    if (!run_.residual.empty()) rows_.add(kResidual, run_.residual);
    if (run_.passed) {
      rows_.add(kPassed, *run_.passed ? 1 : 0);
    } else {
      rows_.incomplete("the configuration at line " + std::to_string(run_.line) + " has no residual check");
    }
    const Leaf rate = *cell(run_.gflops);
    if (failed || rate.state != core::ValueState::number) {
      headlines_.take(rows_.key(kGflops.name), 1);  // a result that died is looked at as well
    } else if (best_.empty() || rate.value > best_rate_) {
      best_rate_ = rate.value;
      best_ = rows_.key(kGflops.name);
    }
    rows_.note("workload.n", run_.n);
    rows_.note("workload.nb", run_.nb);
    rows_.note("parallelism.p", run_.p);
    rows_.note("parallelism.q", run_.q);
    run_ = Run();
  }

  void summary(const ToolMetric& metric, std::string_view text) {
    put();
    rows_.point("hpl");
    const std::string_view count = text.substr(0, text.find(' '));
    rows_.add(metric, count);
    gate_fails_ = gate_fails_ || core::parse_int(count).value_or(0) > 0;
  }

  LogLines lines_;
  ToolRows rows_;
  Run run_;
  Headlines headlines_;
  std::string best_;
  double best_rate_ = 0;
  std::uint64_t configurations_ = 0, finished_ = 0;  // finished_: as the summaries say
  bool gate_fails_ = false;
};

}  // namespace

Detection detect_hpl(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (head.find("HPC Challenge Benchmark") != std::string_view::npos) return detection;  // one of its tests
  if (head.find("HPLinpack ") != std::string_view::npos && head.find("Gflops") != std::string_view::npos) {
    detection.score = 0.97;
    detection.evidence.emplace_back("names itself: HPLinpack");
  } else if (head.find("T/V") != std::string_view::npos && head.find("Gflops") != std::string_view::npos &&
             head.find("NB") != std::string_view::npos) {
    detection.score = 0.95;
    detection.evidence.emplace_back("a table T/V, N, NB, P, Q, Time, Gflops");
  }
  return detection;
}

extern const Format hpl_format = {
    .name = "hpl",
    .title = "High-Performance Linpack (HPL)",
    .replication = core::Replication::in_process,
    .detect = detect_hpl,
    .read = read_with<Reader>,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 8 ./xhpl | tee result.txt",
              .judged = "High-Performance Linpack, also NVIDIA's: Gflops by configuration; the residual checks are gates",
              .key = "variant, N, NB, P, Q",
              .trials = "a configuration that is run again",
              .context = "N, NB, P, Q and version, where all runs agree",
              .recognised = "`HPLinpack`; `T/V N NB P Q Time Gflops`"},
};

}  // namespace plumbline::formats
