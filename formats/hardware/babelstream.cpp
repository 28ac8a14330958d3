// BabelStream: STREAM's kernels by a programming model of GPUs and CPUs. The rate of each kernel is its best, in MB/s of 1e6
// bytes, or in MiB/s where that was asked for; the times beside it say the same less exactly. Only a check that fails is printed.
#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kRate{"best_rate", "MB/s", Direction::higher, Role::judged};
constexpr ToolMetric kRateBinary{"best_rate", "MiB/s", Direction::higher, Role::judged};
constexpr ToolMetric kTimes[] = {{"min_time", "s", Direction::lower, Role::context},
                                 {"max_time", "s", Direction::lower, Role::context},
                                 {"avg_time", "s", Direction::lower, Role::context}};
constexpr ToolMetric kValidates{"validates", "", Direction::higher, Role::gate};

bool is_header(std::string_view text) {
  return text.starts_with("Function ") &&
         (text.find(" MBytes/sec") != std::string_view::npos || text.find(" MiBytes/sec") != std::string_view::npos);
}

struct Setting {
  std::string_view printed, context;
};
constexpr Setting kSettings[] = {{"Version: ", "stack.babelstream"},
                                 {"Implementation: ", "stack.implementation"},
                                 {"Driver: ", "hardware.driver"},
                                 {"Memory: ", "workload.memory"}};

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : lines_(input.bytes), rows_(input, options, "BabelStream") {}

  core::Expected<core::Measurement> read() {
    std::string_view line;
    std::size_t last_row = 0;
    while (lines_.next(line)) {
      if (rows_.halted()) break;
      const std::string_view text = core::trim(line);
      if (text == "BabelStream") {
        end();
        begun_ = lines_.number();
      } else if (text.starts_with("Validation failed")) {
        failed_ = true;
      } else if (is_header(text)) {
        if (!kernels_.empty()) end();
        if (begun_ == 0) begun_ = lines_.number();
        table_ = true;
        binary_ = text.find("MiBytes") != std::string_view::npos;
      } else if (table_ && !text.empty()) {
        split_blanks(text, fields_);
        bool numbers = fields_.size() == 5;
        for (std::size_t i = 1; i < fields_.size(); ++i) numbers = numbers && cell(fields_[i]).has_value();
        const bool begins = fields_.size() > 1 && cell(fields_[1]);  // a kernel's name and a number
        if (begins) last_row = lines_.number();
        if (numbers) {
          kernels_.push_back({std::string(fields_[0]), {fields_.begin() + 1, fields_.end()}});
        } else if (begins) {
          rows_.writer.find(Finding::ragged_lines, "line " + std::to_string(lines_.number()));
        } else {
          table_ = false;
        }
      } else {
        setting(text);
      }
    }
    if (lines_.cut() && last_row == lines_.number() && !is_whole()) {
      return core::fail(rows_.error("the file ends inside a row of results",
                                    "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
    }
    const std::size_t begun = begun_;
    end();
    if (rows_.empty()) {
      return core::fail(rows_.error(
          "no table of rates", "the run ended before \"Function    MBytes/sec\"; run it again and look at what it says", begun));
    }
    headlines_.put(rows_);
    rows_.writer.out.replication = core::Replication::in_process;
    return rows_.finish();
  }

 private:
  struct Kernel {
    std::string name;
    std::vector<std::string_view> cells;
  };

  void setting(std::string_view text) {
    for (const Setting& one : kSettings) {
      if (text.starts_with(one.printed)) rows_.note(one.context, core::trim(text.substr(one.printed.size())));
    }
    if (text.starts_with("Precision: ")) precision_ = std::string(core::trim(text.substr(11)));
    if (text.starts_with("Array size: ")) {  // "268.4 MB (=0.3 GB)"
      array_ = std::string(core::trim(text.substr(12, text.find('(') - 12)));
    }
    if (text.starts_with("Running ") && text.ends_with(" times")) {
      split_blanks(text, fields_);
      if (fields_.size() > 2) rows_.note("regime.repetitions", fields_[fields_.size() - 2]);
    }
    if (text.starts_with("Using ")) {  // "Using CUDA device NVIDIA H200"
      const std::size_t device = text.find(" device ");
      if (device != std::string_view::npos) rows_.note("hardware.gpu", text.substr(device + 8));
    }
  }

  // Times are printed with five decimals, as in the rows before.
  [[nodiscard]] bool is_whole() const {
    if (kernels_.size() < 2) return false;
    const std::string_view last = kernels_.back().cells.back();
    return last.find('.') != std::string_view::npos && last.size() - last.find('.') == 6;
  }

  void end() {
    if (begun_ == 0) return;
    if (kernels_.empty()) {
      rows_.incomplete("the run at line " + std::to_string(begun_) + " has no table");
    } else {
      rows_.section();
      rows_.note("workload.dtype", precision_);
      rows_.note("workload.array_size", array_);
    }
    const std::initializer_list<Dim> dims{{"precision", precision_}, {"array_size", array_}};
    for (const Kernel& kernel : kernels_) {
      rows_.point(kernel.name, dims);
      const ToolMetric& rate = binary_ ? kRateBinary : kRate;
      rows_.add(rate, failed_ ? failed_value(kernel.cells[0]) : *cell(kernel.cells[0]));
      if (kernel.name == "Triad") headlines_.take(rows_.key(rate.name));
      for (std::size_t i = 0; i < 3; ++i)
        rows_.add(kTimes[i], failed_ ? failed_value(kernel.cells[i + 1]) : *cell(kernel.cells[i + 1]));
    }
    if (!kernels_.empty()) {
      rows_.point("babelstream", dims);
      rows_.add(kValidates, failed_ ? 0 : 1);
    }
    kernels_.clear();
    precision_.clear();
    array_.clear();
    begun_ = 0;
    table_ = failed_ = false;
  }

  LogLines lines_;
  ToolRows rows_;
  Headlines headlines_;
  std::vector<std::string_view> fields_;
  // Of the run that is being read.
  std::size_t begun_ = 0;  // line of its banner or table
  std::vector<Kernel> kernels_;
  std::string precision_, array_;
  bool table_ = false, binary_ = false, failed_ = false;
};

}  // namespace

Detection detect_babelstream(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  std::size_t named = 0;  // the line above says its name: with what every run says next it is no heading of somebody's
  while (lines.next(line)) {
    const std::string_view text = core::trim(line);
    if (text == "BabelStream") {
      named = lines.number();
    } else if (named != 0 && named + 1 == lines.number() &&
               (text.starts_with("Version: ") || text.starts_with("Implementation: "))) {
      detection.score = 0.9;
      detection.evidence.push_back("line " + std::to_string(named) + " names it: BabelStream");
    } else if (is_header(text)) {
      detection.score = 0.97;
      detection.evidence.push_back("line " + std::to_string(lines.number()) + " is the header \"Function    MBytes/sec\"");
      break;
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_babelstream(const Input& input, const ReadOptions& options) {
  return Reader(input, options).read();
}

extern const Format babelstream_format = {
    .name = "babelstream",
    .title = "BabelStream memory bandwidth",
    .replication = core::Replication::in_process,
    .detect = detect_babelstream,
    .read = read_babelstream,
    .about = {.group = Group::hardware,
              .file = "text, CSV",
              .produce = "./cuda-stream | tee result.txt\n"
                         "./cuda-stream --csv > result.csv",
              .judged = "BabelStream: best rate by kernel; a failed validation is a gate",
              .key = "kernel, precision, array size",
              .trials = "the best of its own repetitions, one a key",
              .context = "GPU, driver, implementation, memory, precision, array size, repetitions, version",
              .limits = "the times of the kernels are context, those of setting up are not read; its CSV is read as any CSV",
              .recognised = "`Function    MBytes/sec`; the line `BabelStream`"},
};

}  // namespace plumbline::formats
