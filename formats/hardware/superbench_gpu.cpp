// SuperBench's gpu_copy and gpu_stream: a name and a bandwidth in GB/s a line. gpu_stream's second number is its own share of the
// peak. The names are taken apart into their dimensions where they have them.
#include "core/text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kBandwidth{"bandwidth", "GB/s", Direction::higher, Role::judged};
constexpr ToolMetric kOfPeak{"of_peak", "%", Direction::higher, Role::context};

// "gpu0_to_gpu1_write_by_sm_under_numa0"
bool is_copy(std::string_view name) {
  return (name.starts_with("cpu_") || name.starts_with("gpu")) &&
         (name.find("_to_") != std::string_view::npos || name.find("_and_") != std::string_view::npos) &&
         (name.find("_by_sm") != std::string_view::npos || name.find("_by_dma") != std::string_view::npos);
}
// "STREAM_COPY_double_gpu_0_buffer_4294967296_block_128"
bool is_stream(std::string_view name) { return name.starts_with("STREAM_") && name.find("_gpu_") != std::string_view::npos; }

std::string_view part(std::string_view name, std::string_view label) {
  const std::size_t at = name.find(label);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = name.substr(at + label.size());
  return rest.substr(0, rest.find('_'));
}

}  // namespace

Detection detect_superbench_gpu(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  std::vector<std::string_view> fields;
  std::size_t seen = 0, first = 0, others = 0;
  while (lines.next(line) && lines.number() < 200) {
    split_blanks(line, fields);
    if (fields.empty()) continue;
    const bool ours = fields.size() >= 2 && fields.size() <= 3 && (is_copy(fields[0]) || is_stream(fields[0])) && cell(fields[1]);
    if (ours && seen++ == 0) first = lines.number();
    others += ours ? 0 : 1;
  }
  if (seen > 0 && seen * 2 > others) {
    detection.score = 0.95;
    detection.evidence.push_back("line " + std::to_string(first) + " and " + std::to_string(seen - 1) +
                                 " more are a copy or stream of SuperBench and its bandwidth");
  }
  return detection;
}

core::Expected<core::Measurement> read_superbench_gpu(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "SuperBench");
  LogLines lines(input.bytes);
  std::string_view line;
  std::vector<std::string_view> fields;
  while (lines.next(line)) {
    if (rows.halted()) break;
    split_blanks(line, fields);
    if (fields.empty()) continue;
    const bool copy = is_copy(fields[0]), stream = is_stream(fields[0]);
    if (!copy && !stream) continue;
    if (fields.size() != (copy ? 2U : 3U) || !cell(fields[1])) {
      if (lines.cut()) {
        return core::fail(rows.error("the file ends inside a row of results",
                                     "the copy is incomplete or the run was stopped; copy it again or run it again",
                                     lines.number()));
      }
      rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
      continue;
    }
    if (copy) {
      rows.point(fields[0]);
    } else {
      const std::string_view name = fields[0];
      rows.point(name.substr(0, name.find("_gpu_")),
                 {{"gpu", part(name, "_gpu_")}, {"buffer", part(name, "_buffer_")}, {"block", part(name, "_block_")}});
    }
    rows.add(kBandwidth, fields[1]);
    if (stream) rows.add(kOfPeak, fields[2]);
  }
  if (rows.empty()) {
    return core::fail(
        rows.error("no bandwidth in it",
                   "gpu_copy prints a line \"gpu0_to_gpu1_write_by_sm 258.4\" per copy; run it again and look at what it says"));
  }
  rows.writer.out.replication = core::Replication::in_process;
  return rows.finish();
}

extern const Format superbench_gpu_format = {
    .name = "superbench-gpu",
    .title = "gpu_copy and gpu_stream of SuperBench",
    .replication = core::Replication::in_process,
    .detect = detect_superbench_gpu,
    .read = read_superbench_gpu,
    .about = {.judged = "SuperBench gpu_copy and gpu_stream: GB/s by copy",
              .key = "the copy, buffer and block size",
              .trials = "a copy that is run again",
              .context = "none",
              .limits = "the tool's own percentage of the peak is context",
              .recognised = "lines `gpu0_to_gpu1_write_by_sm 258.4`, `STREAM_COPY_…`"},
};

}  // namespace plumbline::formats
