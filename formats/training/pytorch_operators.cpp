// PyTorch's operator micro-benchmarks as they print themselves: a paragraph "# Benchmarking PyTorch: add / # Mode: … / # Name: …"
// and below it "Forward Execution Time (us) : 6.651", once, or once a run ("Run: 0, …"), which are trials.
#include "formats/declared_rows.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;

constexpr std::string_view kBenchmarking = "# Benchmarking ";
constexpr std::string_view kTime = " Execution Time (us) :";

constexpr ToolMetric kForward{"forward_time", "us", Direction::lower};
constexpr ToolMetric kBackward{"backward_time", "us", Direction::lower};
constexpr ToolMetric kMemory{"peak_memory", "KB", Direction::lower};
constexpr ToolMetric kObserved[] = {{"observed_latency", "us", Direction::lower}, {"observed_latency", "ms", Direction::lower}};

class Text {
 public:
  Text(const Input& input, const ReadOptions& options)
      : input_(input), options_(options), rows_(input, options, "pytorch-operators") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (!rows_.halted() && lines.next(line)) {
      const std::string_view text = core::trim(line);
      if (text.starts_with("# PyTorch") && text.find("Operator Micro-benchmarks") != std::string_view::npos) {
        rows_.section();
      } else if (text.starts_with(kBenchmarking)) {
        framework_ = after(text.substr(0, text.find(':')), kBenchmarking);
        name_ = text.find(':') == std::string_view::npos ? std::string_view() : core::trim(text.substr(text.find(':') + 1));
        mode_ = {};
      } else if (text.starts_with("# Mode:")) {
        mode_ = after(text, "# Mode:");
      } else if (text.starts_with("# Name:")) {
        name_ = after(text, "# Name:");
      } else if (text.starts_with("# Tag :")) {
        rows_.note("identity.tag", after(text, "# Tag :"));
      } else if (const std::size_t time = text.find(kTime); time != std::string_view::npos) {
        if (lines.cut()) {
          rows_.incomplete("the last line is cut off and was left out");
        } else {
          result(text.substr(0, time), core::trim(text.substr(time + kTime.size())));
        }
      } else if (text.starts_with("Peak Memory (KB) :") && !name_.empty() && !lines.cut()) {
        point();
        rows_.add(kMemory, after(text, "Peak Memory (KB) :"));
      } else if (const std::size_t observer = text.find("Observer {"); observer != std::string_view::npos) {
        observed(text.substr(observer + 9));
      }
    }
    if (rows_.empty()) {
      return core::fail(core::ErrorCode::invalid_input, "no execution time in it",
                        "each benchmark ends with a line \"Forward Execution Time (us) : …\"", input_.name);
    }
    if (failed_ > 0) {
      rows_.writer.out.warn("run_incomplete",
                            core::counted(failed_, "line") + " of observers could not be read and were left out");
    }
    rows_.headline("*.forward_time");
    return rows_.finish();
  }

 private:
  static std::string_view after(std::string_view text, std::string_view prefix) {
    return text.size() < prefix.size() ? std::string_view() : core::trim(text.substr(prefix.size()));
  }

  void point() {
    rows_.point(name_, {{"framework", framework_ == "PyTorch" ? std::string_view() : framework_}, {"mode", mode_}});
  }

  // "Forward", "Run: 3, Backward"
  void result(std::string_view label, std::string_view value) {
    point();
    const ToolMetric& metric = label.ends_with("Backward") ? kBackward : kForward;
    if (!rows_.add(metric, value)) rows_.add(metric, Leaf{core::ValueState::failed, 0, false, value});
  }

  // {"type": "PyTorch_add_M8_Eager", "metric": "latency", "unit": "us", "value": "6.651"}
  void observed(std::string_view text) {
    const auto document = json::parse(text, input_.name, {.max_depth = options_.max_depth, .stop = {}});
    const json::Value record = document ? document->root() : json::Value();
    const auto value = document ? record.find_number("value") : std::nullopt;
    const std::string_view type = document ? record.find_string("type") : std::string_view();
    if (!value || type.empty()) {
      ++failed_;
      return;
    }
    rows_.point(type, {});
    rows_.add(kObserved[record.find_string("unit") == "ms" ? 1 : 0], *value);
  }

  const Input& input_;
  const ReadOptions& options_;
  ToolRows rows_;
  std::string_view framework_, mode_, name_;
  std::uint64_t failed_ = 0;
};

}  // namespace

extern const Format pytorch_operators_format = {
    .name = "pytorch-operators",
    .title = "PyTorch operator micro-benchmarks",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::head, 0.96, {kBenchmarking, kTime}},
               {Sign::In::head, 0.9, {"Operator Micro-benchmarks", kBenchmarking}}}},
    .read = read_with<Text>,
    .about = {.group = Group::training,
              .file = "text",
              .produce = "python -m pt.add_test | tee result.txt\n"
                         "# in pytorch/benchmarks/operator_benchmark",
              .judged = "forward and backward time (us, lower), peak memory (KB, lower)",
              .key = "name of the case, mode; another run in the text is `section=2`",
              .trials = "`Run: 0`, `Run: 1`, … of a case",
              .context = "tag",
              .limits = "the text says neither device nor version of PyTorch",
              .recognised = "`# Benchmarking PyTorch:` and `Execution Time (us) :`"},
};

}  // namespace plumbline::formats
