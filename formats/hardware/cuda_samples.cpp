// Two of the CUDA samples. p2pBandwidthLatencyTest: matrices in GB/s (1e9) and us; the diagonal is a device's own memory and has
// a metric of its own; which peers reach each other has to stay as it was. bandwidthTest: one table per direction, or lines of
// --csv. Below 1 MB its figures are launch overhead over a time printed with five digits, so they are context.
#include <algorithm>
#include <array>
#include <map>

#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

constexpr ToolMetric kBandwidth{"bandwidth", "GB/s", Direction::higher, Role::judged};
constexpr ToolMetric kLocalBandwidth{"local_bandwidth", "GB/s", Direction::higher, Role::judged};
constexpr ToolMetric kLatency{"latency", "us", Direction::lower, Role::judged};
constexpr ToolMetric kLocalLatency{"local_latency", "us", Direction::lower, Role::judged};
constexpr ToolMetric kAccess{"p2p_access", "", Direction::two_sided, Role::gate};  // 0 is what a board may have, not a failure
constexpr ToolMetric kPassed{"passed", "", Direction::higher, Role::gate};
constexpr ToolMetric kTime{"time", "s", Direction::lower, Role::context};
constexpr double kOverheadRules = 1e6;  // bytes

struct Matrix {
  std::string_view subject, p2p, access;  // access: "reads" where the samples were asked for them; writes are the rule
  const ToolMetric* metric = nullptr;
  const ToolMetric* diagonal = nullptr;
};

std::optional<Matrix> matrix_of(std::string_view line) {
  if (line.find("Matrix") == std::string_view::npos) return std::nullopt;
  if (line == "P2P Connectivity Matrix") return Matrix{"connectivity", {}, {}, &kAccess, &kAccess};
  const std::string_view p2p = line.find("P2P=Enabled") != std::string_view::npos    ? "enabled"
                               : line.find("P2P=Disabled") != std::string_view::npos ? "disabled"
                                                                                     : "";
  if (p2p.empty()) return std::nullopt;
  const std::string_view access = line.find("(P2P Reads)") != std::string_view::npos ? "reads" : "";
  if (line.ends_with("(us)")) return Matrix{"latency", p2p, access, &kLatency, &kLocalLatency};
  if (!line.ends_with("(GB/s)")) return std::nullopt;
  return Matrix{line.starts_with("Bidirectional") ? "bidirectional" : "unidirectional", p2p, access, &kBandwidth,
                &kLocalBandwidth};
}

// What a run of p2pBandwidthLatencyTest is looked at for: the slowest pair of each matrix with P2P, as the GPU sees it; without
// such a matrix the one that does without, and of a single device its own memory.
class P2pHeadlines {
 public:
  void take(const ToolRows& rows, std::uint32_t point, const Matrix& matrix, std::string_view by, bool diagonal, double value) {
    if (matrix.p2p.empty() || by == "cpu") return;
    const int choice = (diagonal ? 2 : 0) + (matrix.p2p == "enabled" ? 0 : 1) + (matrix.access.empty() ? 0 : 4);
    Of& of = matrices_[{matrix.subject, choice}];
    of.p2p = matrix.p2p;
    of.access = matrix.access;
    of.by = by;
    of.cells.take(rows, point, diagonal ? *matrix.diagonal : *matrix.metric, value);
  }
  // At the end of a run.
  void put(ToolRows& rows) {
    std::string_view last;
    for (const auto& [subject_and_choice, of] : matrices_) {
      if (subject_and_choice.first == last) continue;
      last = subject_and_choice.first;
      headlines_.take(of.cells.put(rows, last, {{"p2p", of.p2p}, {"access", of.access}, {"by", of.by}}));
    }
    matrices_.clear();
    headlines_.put(rows);
  }

 private:
  struct Of {
    std::string_view p2p, access, by;
    Outermost cells;
  };
  std::map<std::pair<std::string_view, int>, Of> matrices_;  // by subject and choice, the first is the one
  Headlines headlines_;
};

}  // namespace

core::Expected<core::Measurement> read_cuda_p2p(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "p2pBandwidthLatencyTest");
  LogLines lines(input.bytes);
  std::vector<std::string_view> fields, columns;
  std::string_view line, by;
  std::optional<Matrix> matrix;
  P2pHeadlines headlines;
  std::size_t last_row = 0, title = 0;
  bool any = false;
  while (lines.next(line)) {
    if (rows.halted()) break;
    const std::string_view text = core::trim(line);
    if (text.find("Bandwidth Latency Test]") != std::string_view::npos) {
      headlines.put(rows);
      rows.section();
    }
    if (text.starts_with("Device: ")) {
      const auto parts = core::split(text, ',');
      if (parts.size() > 1) rows.note("hardware.gpu", parts[1]);
      continue;
    }
    if (auto found = matrix_of(text)) {
      if (matrix && !any) rows.incomplete("the matrix at line " + std::to_string(title) + " has no rows");
      matrix = found;
      title = lines.number();
      any = false;
      columns.clear();
      by = {};
      continue;
    }
    if (!matrix || text.empty()) continue;
    split_blanks(text, fields);
    if (fields[0] == "D\\D" || fields[0] == "GPU" || fields[0] == "CPU") {
      by = fields[0] == "GPU" ? "gpu" : fields[0] == "CPU" ? "cpu" : "";
      columns.assign(fields.begin() + 1, fields.end());
      continue;
    }
    if (!core::parse_int(fields[0])) {
      if (any) matrix.reset();  // prose after the last matrix
      continue;
    }
    last_row = lines.number();
    if (columns.empty() || fields.size() != columns.size() + 1) {
      rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
      continue;
    }
    any = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::uint32_t point =
          rows.point(matrix->subject,
                     {{"p2p", matrix->p2p}, {"access", matrix->access}, {"by", by}, {"row", fields[0]}, {"col", columns[i]}});
      const bool diagonal = columns[i] == fields[0];
      const auto leaf = cell(fields[i + 1]);
      if (!leaf) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        continue;
      }
      rows.add(diagonal ? *matrix->diagonal : *matrix->metric, *leaf);
      if (leaf->state == core::ValueState::number) headlines.take(rows, point, *matrix, by, diagonal, leaf->value);
    }
    rows.note("hardware.gpu_count", std::to_string(columns.size()));
  }
  if (lines.cut() && last_row == lines.number()) {
    return core::fail(rows.error("the file ends inside a row of a matrix",
                                 "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
  }
  if (rows.empty()) {
    return core::fail(rows.error("no matrix of results",
                                 "the run ended before its first matrix; run it again and look at what it says", title));
  }
  if (matrix && !any) rows.incomplete("the matrix at line " + std::to_string(title) + " has no rows");
  headlines.put(rows);
  return rows.finish();
}

core::Expected<core::Measurement> read_cuda_bandwidth(const Input& input, const ReadOptions& options) {
  static constexpr std::array<ToolMetric, 4> kBandwidths = {{{"bandwidth", "GB/s", Direction::higher, Role::judged},
                                                             {"bandwidth", "GB/s", Direction::higher, Role::context},
                                                             {"bandwidth", "MB/s", Direction::higher, Role::judged},
                                                             {"bandwidth", "MB/s", Direction::higher, Role::context}}};
  const auto metric = [&](std::string_view size, bool mega) -> const ToolMetric& {
    return kBandwidths[(mega ? 2U : 0U) + (core::parse_double(size).value_or(0) < kOverheadRules ? 1U : 0U)];
  };
  ToolRows rows(input, options, "bandwidthTest");
  LogLines lines(input.bytes);
  std::vector<std::string_view> fields;
  std::string_view line, memory;
  std::string direction;
  SizeHeadlines headlines;
  const auto put = [&](std::string_view of, std::string_view size, std::string_view kind, bool in_mega,
                       std::string_view printed) {
    rows.point(of, {{"size", size}, {"memory", kind}});
    const ToolMetric& known = metric(size, in_mega);
    rows.add(known, printed);
    if (known.role == Role::judged)
      headlines.take(rows, std::string(of).append(kind), known, core::parse_double(size).value_or(0));
  };
  bool table = false, mega = false, ended = false;
  std::size_t last_row = 0, runs = 0;
  const auto value_after = [](std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return std::string_view();
    const std::string_view rest = core::trim(text.substr(at + name.size()));
    return rest.substr(0, rest.find_first_of(" ,"));
  };
  while (lines.next(line)) {
    if (rows.halted()) break;
    const std::string_view text = core::trim(line);
    if (text.starts_with("[CUDA Bandwidth Test]")) {
      rows.section();
      ++runs;
      ended = false;
    } else if (text.starts_with("Device ") && text.find(": ") != std::string_view::npos) {
      rows.note("hardware.gpu", text.substr(text.find(": ") + 2));
    } else if (text.starts_with("bandwidthTest-")) {
      last_row = lines.number();
      const std::string_view size = value_after(text, "Size ="), bandwidth = value_after(text, "Bandwidth =");
      const auto parts = core::split(text.substr(14, text.find(',') - 14), '-');
      if (!core::parse_int(size) || !cell(bandwidth) || parts.empty()) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        continue;
      }
      const std::string kind = parts.size() > 1 ? core::to_lower(parts[1]) : std::string();
      put(parts[0], size, kind, text.find(" MB/s") != std::string_view::npos, bandwidth);
      rows.add(kTime, value_after(text, "Time ="));
    } else if (const std::size_t at = text.find(" Bandwidth, ");
               at != std::string_view::npos && text.find("Device(s)") != std::string_view::npos) {
      const std::string_view words = text.substr(0, at);
      direction = words == "Host to Device"     ? "H2D"
                  : words == "Device to Host"   ? "D2H"
                  : words == "Device to Device" ? "D2D"
                                                : std::string(words);
      const std::string_view count = text.substr(at + 12);
      rows.note("hardware.gpu_count", count.substr(0, count.find(' ')));
      table = false;
    } else if (text.ends_with("Memory Transfers")) {
      memory = text.starts_with("PINNED") ? "pinned" : "pageable";
    } else if (text.find("Transfer Size (Bytes)") != std::string_view::npos) {  // behind a note on write-combined memory, if any
      if (text.starts_with("Write-Combined")) memory = "write-combined";
      table = true;
      mega = text.find("MB/s") != std::string_view::npos;
    } else if (text.starts_with("Result = ")) {
      ended = true;
      rows.point({});
      rows.add(kPassed, text == "Result = PASS" ? 1 : 0);
    } else if (table && !text.empty()) {
      split_blanks(text, fields);
      if (!core::parse_int(fields[0])) {
        table = false;
        continue;
      }
      last_row = lines.number();
      if (fields.size() != 2 || !cell(fields[1])) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        continue;
      }
      put(direction, fields[0], direction == "D2D" ? std::string_view() : memory, mega, fields[1]);
    }
  }
  if (lines.cut() && last_row == lines.number()) {
    return core::fail(rows.error("the file ends inside a row of results",
                                 "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
  }
  if (last_row == 0) {
    return core::fail(
        rows.error("no bandwidth in it", "the run ended before its first result; run it again and look at what it says"));
  }
  if (runs > 0 && !ended) rows.incomplete("there is no line \"Result = PASS\"");
  headlines.declare(rows);
  return rows.finish();
}

extern const Format cuda_p2p_format = {
    .name = "cuda-p2p",
    .title = "p2pBandwidthLatencyTest of the CUDA samples",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::head, 0.97, {"[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]"}},
               {Sign::In::head, 0.95, {"P2P=", "directional P2P=", "D\\D"}}}},
    .read = read_cuda_p2p,
    .about =
        {.group = Group::hardware,
         .file = "text",
         .produce = "./p2pBandwidthLatencyTest | tee result.txt",
         .judged = "p2pBandwidthLatencyTest: matrices with and without P2P; the diagonal is local memory; access has to "
                   "stay as it was",
         .key = "kind of matrix, p2p, reads, gpu or cpu, row, column",
         .trials = "one value a key",
         .context = "GPU",
         .limits =
             "the diagonal is local memory; devices are numbers, not bus addresses; the headlines are the slowest pairs with "
             "P2P, derived rows",
         .recognised = "its banner; a matrix headed `D\\D`"},
};

extern const Format cuda_bandwidth_format = {
    .name = "cuda-bandwidth",
    .title = "bandwidthTest of the CUDA samples",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::head, 0.97, {"[CUDA Bandwidth Test]"}}, {Sign::In::head, 0.96, {"bandwidthTest-", "NumDevsUsed"}}}},
    .read = read_cuda_bandwidth,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "./bandwidthTest | tee result.txt\n"
                         "./bandwidthTest --csv | tee result.txt",
              .judged = "bandwidthTest, tables or CSV lines; below 1 MB context",
              .key = "direction, size, kind of memory",
              .trials = "one value a key",
              .context = "GPU, number of GPUs",
              .limits = "sizes below 1 MB are context; the headlines are the largest sizes",
              .recognised = "its banner; `bandwidthTest-…, NumDevsUsed`"},
};

}  // namespace plumbline::formats
