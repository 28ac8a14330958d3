// OSU micro-benchmarks: a banner, a header whose columns stand at least two blanks apart, a row per message size. MB = 1e6 bytes.
// How many processes ran is on the command line alone, so it is not known here.
#include <algorithm>

#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

// Of two that fit a column's words the earlier is meant.
struct Column {
  std::string_view word;
  ToolMetric metric;
};
constexpr Column kColumns[] = {
    {"min lat", {"latency_min", "us", Direction::lower, Role::context}},
    {"max lat", {"latency_max", "us", Direction::lower, Role::context}},
    {"p50", {"latency_p50", "us", Direction::lower, Role::context}},
    {"p90", {"latency_p90", "us", Direction::lower, Role::context}},
    {"p99", {"latency_p99", "us", Direction::lower, Role::judged}},
    {"lat", {"latency", "us", Direction::lower, Role::judged}},
    {"mb/s", {"bandwidth", "MB/s", Direction::higher, Role::judged}},
    {"messages/s", {"message_rate", "1/s", Direction::higher, Role::judged}},
    {"message rate", {"message_rate", "1/s", Direction::higher, Role::judged}},
    {"overall", {"overall", "us", Direction::lower, Role::judged}},
    {"compute", {"compute", "us", Direction::unknown, Role::context}},
    {"pure comm", {"pure_comm", "us", Direction::lower, Role::context}},
    {"overlap", {"overlap", "%", Direction::higher, Role::judged}},
    {"iterations", {"iterations", "", Direction::unknown, Role::context, true}},
};
constexpr ToolMetric kValidation{"validation", "", Direction::higher, Role::gate};

struct Header {
  bool size = false;
  std::vector<const ToolMetric*> metrics;  // of the columns behind the size; null: not known
};

std::optional<Header> header_of(std::string_view text) {
  if (!text.starts_with('#')) return std::nullopt;
  Header header;
  std::string_view rest = core::trim(text.substr(1));
  bool known = false;
  while (!rest.empty()) {
    const std::size_t end = std::min({rest.find("  "), rest.find('\t'), rest.size()});
    const std::string name = core::to_lower(rest.substr(0, end));
    rest = core::trim(rest.substr(end));
    if (name == "size") {
      header.size = true;
      continue;
    }
    const auto* column = std::find_if(std::begin(kColumns), std::end(kColumns),
                                      [&](const Column& one) { return name.find(one.word) != std::string::npos; });
    if (name == "validation") {
      header.metrics.push_back(&kValidation);
    } else {
      header.metrics.push_back(column == std::end(kColumns) ? nullptr : &column->metric);
      known = known || column != std::end(kColumns);
    }
  }
  // A sentence in a comment has words of ours as well: a header starts with the size, or is one bracketed unit after another.
  if (!known || (!header.size && text.find("(us)") == std::string_view::npos)) return std::nullopt;
  return header;
}

// A test's own figure is its first column; the one beside it that people ask for is the rate of small messages.
bool is_headline(const ToolMetric& metric, std::size_t column) {
  return metric.role == Role::judged && (column == 0 || metric.name == "message_rate");
}
double size_of_headline(const ToolMetric& metric, double size) { return metric.name == "message_rate" ? -size : size; }

// "# OSU MPI-CUDA Latency Test v7.5" -> "MPI-CUDA Latency"
std::string_view test_of(std::string_view text) {
  if (!text.starts_with("# OSU ")) return {};
  std::string_view name = text.substr(6);
  if (const std::size_t version = name.rfind(" v"); version != std::string_view::npos) name = name.substr(0, version);
  if (name.ends_with(" Test")) name.remove_suffix(5);
  return core::trim(name);
}

}  // namespace

Detection detect_osu(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  while (lines.next(line)) {
    if (!test_of(core::trim(line)).empty()) {
      detection.score = 0.97;
      detection.evidence.push_back("line " + std::to_string(lines.number()) +
                                   " names an OSU test: " + core::quoted(core::trim(line)));
      break;
    }
  }
  return detection;
}

core::Expected<core::Measurement> read_osu(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "OSU");
  LogLines lines(input.bytes);
  std::vector<std::string_view> fields;
  std::string_view line;
  std::string test = "osu", datatype, buffers;
  std::optional<Header> header;
  SizeHeadlines headlines;
  std::size_t banner = 0, found = 0, last_row = 0;
  while (lines.next(line)) {
    if (rows.halted()) break;
    const std::string_view text = core::trim(line);
    if (const std::string_view name = test_of(text); !name.empty()) {
      if (banner != 0 && found == 0) rows.incomplete("the test at line " + std::to_string(banner) + " has no results");
      test = std::string(name);
      rows.note("identity.benchmark", name);
      if (const std::size_t version = text.rfind(" v"); version != std::string_view::npos)
        rows.note("stack.osu", text.substr(version + 2));
      banner = lines.number();
      found = 0;
      datatype.clear();
      buffers.clear();
      header.reset();
      rows.section();
    } else if (text.starts_with("# Datatype:")) {
      datatype = std::string(core::trim(text.substr(11)));
      if (datatype.ends_with('.')) datatype.pop_back();
      rows.note("workload.dtype", datatype);
    } else if (text.starts_with("# Send Buffer on ")) {
      buffers = text.find("DEVICE (D) and Receive Buffer on DEVICE") != std::string_view::npos
                    ? "D-D"
                    : std::string(text.find("on DEVICE") != std::string_view::npos ? "mixed" : "H-H");
    } else if (auto columns = header_of(text)) {
      header = std::move(columns);
    } else if (header && !text.empty() && !text.starts_with('#')) {
      split_blanks(text, fields);
      if (!cell(fields[0])) continue;
      last_row = lines.number();
      const std::size_t first = header->size ? 1 : 0;
      bool good = fields.size() == header->metrics.size() + first;
      bool valid = true;
      for (std::size_t i = 0; good && i < header->metrics.size(); ++i) {
        const std::string_view field = fields[i + first];
        if (header->metrics[i] == &kValidation) {
          valid = field == "Pass";
        } else {
          good = cell(field).has_value();
        }
      }
      if (!good) {
        rows.writer.find(Finding::ragged_lines, "line " + std::to_string(lines.number()));
        continue;
      }
      ++found;
      rows.point(test, {{"size", header->size ? fields[0] : std::string_view()}, {"datatype", datatype}, {"buffers", buffers}});
      for (std::size_t i = 0; i < header->metrics.size(); ++i) {
        const ToolMetric* metric = header->metrics[i];
        if (metric == &kValidation) {
          rows.add(kValidation, valid ? 1 : 0);
        } else if (metric != nullptr) {
          rows.add(*metric, valid ? *cell(fields[i + first]) : failed_value(fields[i + first]));
          if (is_headline(*metric, i))
            headlines.take(rows, std::to_string(banner), *metric, size_of_headline(*metric, cell(fields[0])->value));
        }
      }
    }
  }
  if (lines.cut() && last_row == lines.number()) {
    return core::fail(rows.error("the file ends inside a row of results",
                                 "the copy is incomplete or the run was stopped; copy it again or run it again", last_row));
  }
  if (rows.empty()) {
    return core::fail(rows.error("no results of " + test,
                                 "the test ended before its first size: see the log for why, and run it again", banner));
  }
  if (found == 0) rows.incomplete("the test at line " + std::to_string(banner) + " has no results");
  headlines.declare(rows);
  rows.writer.out.replication = core::Replication::in_process;
  return rows.finish();
}

extern const Format osu_format = {
    .name = "osu",
    .title = "OSU micro-benchmarks",
    .replication = core::Replication::in_process,
    .detect = detect_osu,
    .read = read_osu,
    .about =
        {.judged = "OSU micro-benchmarks: latency, bandwidth, message rate by size; validation is a gate",
         .key = "test, size, datatype, buffers",
         .trials = "one value a key; a later run in the log has a section of its own",
         .context = "benchmark, version, datatype",
         .limits =
             "the number of processes stands only on the command line; the headlines are bandwidth at the largest size, latency "
             "and message rate at the smallest",
         .recognised = "`# OSU … Test v`"},
};

}  // namespace plumbline::formats
