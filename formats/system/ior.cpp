// IOR: the table "Results:" of parallel reads and writes, a line for each access and iteration; iterations are trials. The
// options above it are the workload.
#include <algorithm>
#include <array>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

struct Column {
  std::string_view header;
  ToolMetric metric;
};
// What a phase took is what its bandwidth says.
constexpr Column kColumns[] = {
    {"bw(MiB/s)", tool_metric("bw", "MiB/s", Direction::higher)},
    {"IOPS", tool_metric("iops", "ops/s", Direction::higher)},
    {"Latency(s)", tool_metric("latency", "s", Direction::lower)},
    {"open(s)", tool_metric("open", "s", Direction::lower, Role::context)},
    {"wr/rd(s)", tool_metric("transfer", "s", Direction::lower, Role::context)},
    {"close(s)", tool_metric("close", "s", Direction::lower, Role::context)},
    {"total(s)", tool_metric("total", "s", Direction::lower, Role::context)},
};
constexpr std::pair<std::string_view, std::string_view> kOptions[] = {{"api", "workload.api"},
                                                                      {"access", "workload.access"},
                                                                      {"type", "workload.type"},
                                                                      {"segments", "workload.segments"},
                                                                      {"ordering in a file", "workload.ordering"},
                                                                      {"nodes", "parallelism.nodes"},
                                                                      {"tasks", "parallelism.ranks"},
                                                                      {"clients per node", "parallelism.clients_per_node"},
                                                                      {"xfersize", "workload.xfersize"},
                                                                      {"blocksize", "workload.blocksize"},
                                                                      {"aggregate filesize", "workload.aggregate_filesize"}};
constexpr std::string_view kBanner = "MPI Coordinated Test of Parallel I/O";

bool is_banner(std::string_view text) { return text.starts_with("IOR-") && text.find(kBanner) != std::string_view::npos; }

class Reader {
 public:
  explicit Reader(ToolRows& rows) : rows_(rows) {}

  void line(std::string_view text) {
    if (is_banner(text)) rows_.note("stack.ior", text.substr(4, text.find(':') - 4));
    if (text.starts_with("Options:")) rows_.section();
    split_blanks(text, fields_);
    if (fields_.size() > 2 && fields_[0] == "access" && fields_[1] == kColumns[0].header) {
      header(fields_);
    } else if (!columns_.empty() && fields_.size() == columns_.size()) {
      row(fields_);
    } else {
      option(text);
    }
  }

 private:
  void header(const std::vector<std::string_view>& names) {
    columns_.clear();
    for (const std::string_view name : names) {
      const auto* known =
          std::find_if(std::begin(kColumns), std::end(kColumns), [&](const Column& one) { return one.header == name; });
      columns_.push_back(known == std::end(kColumns) ? nullptr : &known->metric);
    }
  }
  void row(const std::vector<std::string_view>& fields) {
    const std::string_view access = fields[0];
    if (access != "write" && access != "read") return;  // "remove" moves no bytes
    rows_.point(access);
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (columns_[i] == nullptr || fields[i] == "-") continue;
      if (!rows_.add(*columns_[i], fields[i])) rows_.add(*columns_[i], failed_value(fields[i]));
    }
    const std::string bandwidth = rows_.key("bw");
    if (std::find(headlines_.begin(), headlines_.end(), bandwidth) != headlines_.end()) return;
    headlines_.push_back(bandwidth);
    rows_.headline(bandwidth);
  }
  void option(std::string_view text) {
    const std::size_t colon = text.find(" : ");
    if (colon == std::string_view::npos) return;
    const std::string_view name = core::trim(text.substr(0, colon));
    for (const auto& [option, key] : kOptions) {
      if (name == option) rows_.note(key, core::trim(text.substr(colon + 3)));
    }
  }

  ToolRows& rows_;
  std::vector<const ToolMetric*> columns_;  // of the table; null: not taken
  std::vector<std::string_view> fields_;
  std::vector<std::string> headlines_;
};

}  // namespace

Detection detect_ior(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  while (lines.next(line)) {
    if (!is_banner(core::trim(line))) continue;
    detection.score = 0.95;
    detection.evidence.push_back("line " + std::to_string(lines.number()) + " is " + core::cited(core::trim(line)));
    break;
  }
  return detection;
}

core::Expected<core::Measurement> read_ior(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "IOR");
  Reader reader(rows);
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !rows.halted()) reader.line(core::trim(line));
  if (rows.empty()) {
    return core::fail(
        rows.error("no line of a write or a read in the table \"Results:\"", "IOR prints one when an access is done"));
  }
  return rows.finish();
}

extern const Format ior_format = {
    .name = "ior",
    .title = "IOR, parallel file systems",
    .replication = core::Replication::in_process,
    .detect = detect_ior,
    .read = read_ior,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "mpirun -np 16 ior -a POSIX -w -r -i 5 -t 1m -b 1g -o FILE | tee result.txt",
              .judged = "IOR's table of results: bandwidth (MiB/s) and IOPS (higher), latency (s, lower)",
              .key = "write or read; of a later test in one log its section",
              .trials = "iterations",
              .context = "API, access, type, sizes of transfers and blocks, nodes, tasks, version",
              .limits = "times of phases are context; paths, the summary and the removal of files are left out",
              .recognised = "`IOR-…: MPI Coordinated Test of Parallel I/O`"},
};

}  // namespace plumbline::formats
