// SuperBench's gpu_copy and gpu_stream: a name and a bandwidth in GB/s a line. gpu_stream's second number is its own share of the
// peak. The names are taken apart into their dimensions where they have them.
#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
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

// "gpu0_to_gpu1_write_by_sm_under_numa0" -> "gpu_to_gpu_write_by_sm_under_numa": the copies of one kind.
std::string kind_of(std::string_view copy) {
  std::string out;
  for (const char c : copy) {
    if (c < '0' || c > '9') out.push_back(c);
  }
  return out;
}

// Between two places before both ways at once, by the copy engines before kernels.
int rank_of(std::string_view copy) {
  return (copy.find("_by_dma") == std::string_view::npos ? 2 : 0) + (copy.find("_to_") == std::string_view::npos ? 1 : 0);
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
  // Of each kind of copy the slowest; of the triad the fastest setting of each GPU.
  Headlines headlines;
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
    const std::string_view name = fields[0], kernel = name.substr(0, name.find("_gpu_")), gpu = part(name, "_gpu_");
    const std::uint32_t point =
        copy ? rows.point(name)
             : rows.point(kernel, {{"gpu", gpu}, {"buffer", part(name, "_buffer_")}, {"block", part(name, "_block_")}});
    const Leaf leaf = *cell(fields[1]);
    rows.add(kBandwidth, leaf);
    if (stream) rows.add(kOfPeak, fields[2]);
    if (leaf.state != core::ValueState::number) continue;
    if (copy) {
      headlines.cells(kind_of(name), {}, rank_of(name)).take(rows, point, kBandwidth, leaf.value);
    } else if (kernel.starts_with("STREAM_TRIAD")) {
      headlines.cells(kernel, {{"gpu", gpu}}, 0, Outermost::End::fastest).take(rows, point, kBandwidth, leaf.value);
    }
  }
  if (rows.empty()) {
    return core::fail(
        rows.error("no bandwidth in it",
                   "gpu_copy prints a line \"gpu0_to_gpu1_write_by_sm 258.4\" per copy; run it again and look at what it says"));
  }
  headlines.put(rows);
  return rows.finish();
}

extern const Format superbench_gpu_format = {
    .name = "superbench-gpu",
    .title = "gpu_copy and gpu_stream of SuperBench",
    .replication = core::Replication::in_process,
    .detect = detect_superbench_gpu,
    .read = read_superbench_gpu,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "gpu_copy --size 1073741824 --num_warm_up 20 --num_loops 100 --htod --dtoh \\\n"
                         "  --sm_copy --dma_copy | tee result.txt\n"
                         "gpu_stream --size 4294967296 --num_warm_up 20 --num_loops 100 | tee result.txt",
              .judged = "SuperBench gpu_copy and gpu_stream: GB/s by copy",
              .key = "the copy, buffer and block size",
              .trials = "a copy that is run again",
              .context = "none",
              .limits =
                  "the tool's own percentage of the peak is context; the headlines are the slowest copy of each kind and the "
                  "fastest triad of each GPU, derived rows, at most eight",
              .recognised = "lines `gpu0_to_gpu1_write_by_sm 258.4`, `STREAM_COPY_…`"},
};

}  // namespace plumbline::formats
