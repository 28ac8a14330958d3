// nvbandwidth, as text and as JSON: matrices of bandwidths (GB/s, 1e9) or latencies (ns); only a test's description says which.
// The sum over a matrix is context: of latencies it means nothing, of bandwidths it hides the one slow link. A waived test is
// context, a failed one a gate. A bidirectional test between devices has three matrices since release 0.6, one of each direction
// and their total; each is a subject of its own, called as the tool calls it in its sums. What is looked at first is the slowest
// cell of a matrix, of at most eight tests: the copies between two places and the latencies before the rest.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;
using json::Value;

constexpr ToolMetric kBandwidth{"bandwidth", "GB/s", Direction::higher, Role::judged};
constexpr ToolMetric kLatency{"latency", "ns", Direction::lower, Role::judged};
constexpr ToolMetric kBandwidthSum{"sum", "GB/s", Direction::higher, Role::context};
constexpr ToolMetric kLatencySum{"sum", "ns", Direction::lower, Role::context};
constexpr ToolMetric kPassed{"passed", "", Direction::higher, Role::gate};
constexpr ToolMetric kStatus{"status", "", Direction::unknown, Role::context};

// "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", "memory latency SM CPU(row) <-> GPU(column) (ns)"
const ToolMetric* metric_of(std::string_view description) {
  if (description.find("(GB/s)") != std::string_view::npos) return &kBandwidth;
  if (description.find("(ns)") != std::string_view::npos) return &kLatency;
  return nullptr;
}

bool between_devices(std::string_view test) {
  return test.starts_with("device_to_device") || test.starts_with("multinode_device_to_device");
}

// On the diagonal of a device-to-device matrix nothing is copied: older releases print 0.00 there, newer ones N/A.
bool is_no_cell(std::string_view printed, std::string_view row, std::string_view column, std::string_view test) {
  return row == column && between_devices(test) && core::parse_double(printed).value_or(1) == 0;
}

// The matrices of a bidirectional test: "…_read_ce" has "…_read_ce_read1", "…_read_ce_read2" and "…_read_ce_total".
std::string subject_of(const std::string& test, std::string_view part) {
  if (part.empty()) return test;
  const std::string_view direction = part == "total" ? "" : test.find("write") == std::string::npos ? "read" : "write";
  return test + "_" + std::string(direction) + std::string(part);
}
constexpr std::string_view kParts[] = {"1", "2", "total"};
// "memcpy CE GPU(row) <-> GPU(column) Read1 bandwidth (GB/s)"; some releases say Read for a write, so the number alone is taken.
std::string_view part_of(std::string_view description) {
  const auto has = [&](std::string_view words) { return description.find(words) != std::string_view::npos; };
  if (has(" Read1 ") || has(" Write1 ")) return kParts[0];
  if (has(" Read2 ") || has(" Write2 ")) return kParts[1];
  return has(" Total ") ? kParts[2] : std::string_view();
}

int rank_of(std::string_view test) {
  constexpr std::string_view kFirst[] = {
      "host_to_device_memcpy_ce",         "device_to_host_memcpy_ce", "device_to_device_memcpy_read_ce",
      "device_to_device_memcpy_write_ce", "device_local_copy",        "host_device_latency_sm",
      "device_to_device_latency_sm"};
  return std::find(std::begin(kFirst), std::end(kFirst), test) == std::end(kFirst) ? 1 : 0;
}

void put(ToolRows& rows, std::string_view test, std::string_view row, std::string_view column, const ToolMetric& metric,
         std::string_view printed, Outermost& slowest) {
  const auto leaf = cell(printed);
  if (!leaf) {
    rows.writer.find(Finding::ragged_lines, test);
    return;
  }
  const std::uint32_t point = rows.point(test, {{"row", row}, {"col", column}});
  const bool none = is_no_cell(printed, row, column, test);
  rows.add(metric, none ? Leaf{core::ValueState::null, 0, false, "N/A"} : *leaf);
  if (!none && leaf->state == core::ValueState::number) slowest.take(rows, point, metric, leaf->value);
}

bool is_index_row(const std::vector<std::string_view>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] != std::to_string(i)) return false;
  }
  return !fields.empty();
}

// "NVIDIA H200 (00000000:04:00)", in JSON with the host behind it: "NVIDIA H200 (00000000:04:00): (node7)".
void note_device(ToolRows& rows, std::string_view name) {
  for (std::size_t open = name.find(" ("); open != std::string_view::npos; open = name.find(" (", open + 1)) {
    const std::string_view address = name.substr(open + 2, name.substr(open + 2).find(')'));
    if (address.find(':') == std::string_view::npos || address.find_first_not_of("0123456789abcdefABCDEF:.") < address.size())
      continue;
    name = name.substr(0, open);
    break;
  }
  rows.note("hardware.gpu", name);
}
void note_device_of_line(ToolRows& rows, std::string_view line) { note_device(rows, line.substr(line.find(": ") + 2)); }

bool is_error(std::string_view line) {
  return line.starts_with("ERROR") || line.starts_with("Error") || line.find("CUDA_ERROR") != std::string_view::npos ||
         ((line.starts_with('[') || line.starts_with("NVML_ERROR") || line.starts_with("ASSERT")) &&
          line.find(" in expression ") != std::string_view::npos);
}

// The processes of a run over several nodes: "Process  0 (node7): device 0: NVIDIA GB200 (00000008:01:00)".
class Processes {
 public:
  bool take(ToolRows& rows, std::string_view line) {
    const std::size_t device = line.find("): device ");
    const std::size_t host = line.find('(');
    if (!line.starts_with("Process ") || device == std::string_view::npos || host > device) return false;
    ++count_;
    hosts_.emplace(line.substr(host + 1, device - host - 1));
    note_device_of_line(rows, line.substr(device + 3));
    return true;
  }
  void note(ToolRows& rows) const {
    if (count_ == 0) return;
    rows.note("parallelism.ranks", std::to_string(count_));
    rows.note("parallelism.nodes", std::to_string(hosts_.size()));
  }

 private:
  std::size_t count_ = 0;
  std::set<std::string, std::less<>> hosts_;
};

}  // namespace

Detection detect_nvbandwidth(const Input& input) {
  Detection detection;
  const std::string_view head = head_of(input);
  if (json_head(input).starts_with('{')) return detection;
  LogLines lines(head);
  std::string_view line, before;
  while (lines.next(line)) {
    if (line.starts_with("nvbandwidth Version:")) {
      detection.evidence.push_back("line " + std::to_string(lines.number()) + " is \"nvbandwidth Version:\"");
      detection.score = std::max(detection.score, 0.97);
    }
    if (before.starts_with("Running ") && before.ends_with('.') && metric_of(line) != nullptr &&
        line.find("(row)") != std::string_view::npos) {
      detection.evidence.push_back("line " + std::to_string(lines.number()) + " describes a matrix by row and column");
      detection.score = std::max(detection.score, 0.95);
      break;
    }
    before = line;
  }
  return detection;
}

core::Expected<core::Measurement> read_nvbandwidth(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "nvbandwidth");
  LogLines lines(input.bytes);
  std::vector<std::string_view> fields, columns;
  std::string_view line;
  std::string name, subject;  // of the test, of its matrix
  Processes processes;
  const ToolMetric* metric = nullptr;
  std::size_t running = 0, cells = 0, last_row = 0;
  Headlines headlines;
  Outermost* slowest = nullptr;
  const auto end_test = [&] {
    if (running != 0 && cells == 0) rows.incomplete(name + ", started at line " + std::to_string(running) + ", has no matrix");
  };
  while (lines.next(line)) {
    if (rows.halted()) break;
    const std::string_view text = core::trim(line);
    if (text.starts_with("nvbandwidth Version:")) {
      end_test();
      running = 0;
      metric = nullptr;
      headlines.put(rows);
      rows.section();
      rows.note("stack.nvbandwidth", text.substr(20));
    } else if (text.starts_with("CUDA Runtime Version:")) {
      rows.note("stack.cuda", text.substr(21));
    } else if (text.starts_with("Driver Version:")) {
      rows.note("hardware.driver", text.substr(15));
    } else if (text.starts_with("Device ") && text.find(": ") != std::string_view::npos &&
               text.find('(') != std::string_view::npos) {
      note_device_of_line(rows, text);
    } else if (processes.take(rows, text)) {
      continue;
    } else if (text.starts_with("Running ") && text.ends_with('.') && text.find(' ', 8) == std::string_view::npos) {
      end_test();
      name = std::string(text.substr(8, text.size() - 9));
      running = lines.number();
      cells = 0;
      metric = nullptr;
      columns.clear();
    } else if (text.starts_with("Waived:") || text.starts_with("NOTE:")) {
      if (cells == 0) running = 0;  // this test was not run
    } else if (is_error(text)) {
      rows.point(name.empty() ? "run" : name);
      rows.add(kPassed, 0);
      running = 0;
    } else if (text.starts_with("SUM ")) {
      split_blanks(text, fields);
      if (metric != nullptr && fields.size() == 3 && fields[1] == subject) {
        rows.point(subject);
        rows.add(metric == &kLatency ? kLatencySum : kBandwidthSum, fields[2]);
      }
      metric = nullptr;
    } else if (running != 0 && metric_of(text) != nullptr) {
      metric = metric_of(text);
      subject = subject_of(name, part_of(text));
      slowest = &headlines.cells(subject, {}, rank_of(subject));
      columns.clear();
    } else if (metric != nullptr && !text.empty()) {
      split_blanks(text, fields);
      if (columns.empty()) {
        if (is_index_row(fields)) columns.assign(fields.begin(), fields.end());
        continue;
      }
      if (!core::parse_int(fields[0])) {
        if (cells > 0) metric = nullptr;  // prose after the matrix
        continue;
      }
      if (fields.size() != columns.size() + 1) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        last_row = lines.number();
        continue;
      }
      last_row = lines.number();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        put(rows, subject, fields[0], columns[i], *metric, fields[i + 1], *slowest);
      }
      ++cells;
    }
  }
  if (lines.cut() && last_row == lines.number()) {
    return core::fail(rows.error("the file ends inside a row of the matrix of " + name,
                                 "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
  }
  end_test();
  if (rows.empty()) {
    return core::fail(
        rows.error("no matrix of results",
                   "the run ended before its first test was done, or all tests were waived: run nvbandwidth again and "
                   "look at what it says",
                   running));
  }
  processes.note(rows);
  headlines.put(rows);
  return rows.finish();
}

core::Expected<core::Measurement> read_nvbandwidth_json(const Input& input, const ReadOptions& options) {
  const JsonBody body(input);
  const auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  ToolRows rows(input, options, "nvbandwidth");
  take_notes(*document, rows.writer);
  const Value root = document->root().find("nvbandwidth");
  std::string_view error = core::trim(root.find("error").text());
  if (error == "null") error = {};
  bool measured = false;
  for (const Value test : root.find("testcases").elements()) measured = measured || test.find("bandwidth_matrix").size() > 0;
  if (!error.empty() && !measured) {
    return core::fail(
        rows.error("nvbandwidth failed: " + std::string(error.substr(0, 200)), "fix what it names and run it again"));
  }
  if (!root.find("testcases").is_array() || root.find("testcases").size() == 0) {
    return core::fail(
        rows.error("no \"testcases\"", "nvbandwidth -j writes {\"nvbandwidth\": {\"testcases\": […]}}; this run did none"));
  }
  if (!error.empty()) {  // it ended a test, and what was measured before is there
    rows.incomplete("nvbandwidth failed: " + std::string(error.substr(0, 200)));
    rows.point("run");
    rows.add(kPassed, 0);
  }
  rows.note("stack.nvbandwidth", (root.find("version") ? root.find("version") : root.find("git_version")).text());
  rows.note("stack.cuda", root.find("CUDA Runtime Version").text());
  rows.note("hardware.driver", root.find("Driver Version").text());
  for (const Value device : root.find("GPU Device list").elements()) {
    const std::string_view name = device.string(), index = name.substr(0, name.find(": "));
    note_device(rows, core::parse_int(index) && index.size() < name.size() ? name.substr(index.size() + 2) : name);
  }
  Headlines headlines;
  for (const Value test : root.find("testcases").elements()) {
    if (rows.halted()) break;
    const std::string name(test.find_string("name"));
    const std::string_view status = test.find_string("status");
    const Value matrix = test.find("bandwidth_matrix");
    const ToolMetric* metric = metric_of(test.find_string("bandwidth_description"));
    if (metric == nullptr) metric = name.find("latency") == std::string::npos ? &kBandwidth : &kLatency;
    rows.point(name);
    if (status == "Waived" || status == "Not Found") {
      rows.add(kStatus, Leaf{core::ValueState::text, 0, false, status});
    } else {
      rows.add(kPassed, status == "Passed" ? 1 : 0);
    }
    const std::size_t lines = matrix.size(), columns = lines > 0 ? (*matrix.elements().begin()).size() : 0;
    // Three matrices of devices by devices are one list of lines; the sum is that of the last.
    const bool parted = between_devices(name) && columns > 0 && lines == 3 * columns;
    if (const Value sum = test.find("sum"); sum && !sum.is_container()) {
      if (parted) rows.point(subject_of(name, kParts[2]));
      rows.add(metric == &kLatency ? kLatencySum : kBandwidthSum,
               sum.is_number() ? leaf_of(sum) : cell(sum.text()).value_or(Leaf{}));
    }
    std::size_t at = 0;
    std::string subject;
    Outermost* slowest = nullptr;
    for (const Value line : matrix.elements()) {
      const std::size_t row = parted ? at % columns : at;
      if (row == 0) {
        subject = subject_of(name, parted ? kParts[at / columns] : std::string_view());
        slowest = &headlines.cells(subject, {}, rank_of(subject));
      }
      std::size_t column = 0;
      for (const Value one : line.elements()) {
        put(rows, subject, std::to_string(row), std::to_string(column), *metric, one.text(), *slowest);
        ++column;
      }
      ++at;
    }
  }
  headlines.put(rows);
  return rows.finish();
}

extern const Format nvbandwidth_format = {
    .name = "nvbandwidth",
    .title = "nvbandwidth, copies between GPUs and host: printed",
    .replication = core::Replication::in_process,
    .detect = detect_nvbandwidth,
    .read = read_nvbandwidth,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "./nvbandwidth | tee result.txt",
              .judged = "matrices of bandwidths (GB/s) or latencies (ns) by row and column; sums are context, statuses gates",
              .key = "test (of a bidirectional one its matrices, as `…_read1`, `…_total`), row, column",
              .trials = "one value a key: `-i` samples are a median already",
              .context = "GPU, driver, CUDA, version",
              .limits =
                  "devices are numbers; the sum of a matrix is context; the headlines are the slowest cells of at most eight "
                  "tests, derived rows",
              .recognised = "its banner; a description of rows and columns; the key `nvbandwidth`"},
};

extern const Format nvbandwidth_json_format = {
    .name = "nvbandwidth-json",
    .title = "nvbandwidth, copies between GPUs and host",
    .replication = core::Replication::in_process,
    .signs = {{{Sign::In::body, 0.97, {"nvbandwidth"}}}},
    .read = read_nvbandwidth_json,
    .about = {.group = Group::hardware,
              .file = "JSON",
              .produce = "./nvbandwidth -j > result.json",
              .judged = "matrices of bandwidths (GB/s) or latencies (ns) by row and column; sums are context, statuses gates",
              .key = "test (of a bidirectional one its matrices, as `…_read1`, `…_total`), row, column",
              .trials = "one value a key: `-i` samples are a median already",
              .context = "GPU, driver, CUDA, version",
              .limits =
                  "minimum, maximum and average of a matrix are left out; its sum is context; the headlines are the slowest "
                  "cells of at most eight tests, derived rows",
              .recognised = "its banner; a description of rows and columns; the key `nvbandwidth`"},
};

}  // namespace plumbline::formats
