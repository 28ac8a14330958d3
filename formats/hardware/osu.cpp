// OSU micro-benchmarks: a banner, a header whose columns stand at least two blanks apart, a row per message size. MB = 1e6 bytes.
// How many processes ran is on the command line alone, so it is not known here.
#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/hardware/headlines.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

using core::Direction;
using core::Role;

// Of two that fit a column's words the earlier is meant. Percentiles of a bandwidth are taken from below: its P99 is the best of
// a hundred, so they are context.
struct Column {
  std::string_view word;
  ToolMetric metric;
};
constexpr Column kColumns[] = {
    {"p50 tail bw", {"bandwidth_p50", "MB/s", Direction::higher, Role::context}},
    {"p75 tail bw", {"bandwidth_p75", "MB/s", Direction::higher, Role::context}},
    {"p90 tail bw", {"bandwidth_p90", "MB/s", Direction::higher, Role::context}},
    {"p95 tail bw", {"bandwidth_p95", "MB/s", Direction::higher, Role::context}},
    {"p99 tail bw", {"bandwidth_p99", "MB/s", Direction::higher, Role::context}},
    {"min lat", {"latency_min", "us", Direction::lower, Role::context}},
    {"max lat", {"latency_max", "us", Direction::lower, Role::context}},
    {"p50", {"latency_p50", "us", Direction::lower, Role::context}},
    {"p75", {"latency_p75", "us", Direction::lower, Role::context}},
    {"p90", {"latency_p90", "us", Direction::lower, Role::context}},
    {"p95", {"latency_p95", "us", Direction::lower, Role::context}},
    {"p99", {"latency_p99", "us", Direction::lower, Role::judged}},
    {"lat", {"latency", "us", Direction::lower, Role::judged}},
    {"mb/s", {"bandwidth", "MB/s", Direction::higher, Role::judged}},
    {"messages/s", {"message_rate", "1/s", Direction::higher, Role::judged}},
    {"message rate", {"message_rate", "1/s", Direction::higher, Role::judged}},
    {"million ops/s", {"operation_rate", "Mops/s", Direction::higher, Role::judged}},
    {"overall", {"overall", "us", Direction::lower, Role::judged}},
    {"compute", {"compute", "us", Direction::unknown, Role::context}},
    {"coll. init", {"coll_init", "us", Direction::lower, Role::context}},
    {"mpi_test", {"mpi_test", "us", Direction::lower, Role::context}},
    {"mpi_wait", {"mpi_wait", "us", Direction::lower, Role::context}},
    {"pure comm", {"pure_comm", "us", Direction::lower, Role::context}},
    {"min comm", {"comm_min", "us", Direction::lower, Role::context}},
    {"max comm", {"comm_max", "us", Direction::lower, Role::context}},
    {"overlap", {"overlap", "%", Direction::higher, Role::judged}},
    {"iterations", {"iterations", "", Direction::unknown, Role::context, true}},
    {"transmit size", {"transmit_size", "B", Direction::unknown, Role::context, true}},
};
constexpr ToolMetric kValidation{"validation", "", Direction::higher, Role::gate};
constexpr ToolMetric kInit[] = {{"init_min", "ms", Direction::lower, Role::context},
                                {"init_max", "ms", Direction::lower, Role::context},
                                {"init", "ms", Direction::lower, Role::judged}};

struct Header {
  bool size = false, operation = false;    // what the first column is, if it is no figure
  std::vector<const ToolMetric*> metrics;  // of the other columns; null: not known
  [[nodiscard]] std::size_t first() const { return size || operation ? 1 : 0; }
};

// Columns stand two blanks apart, but for a wide one after a unit: "Bandwidth (MB/s) P50 Tail BW(MB/s)".
std::size_t end_of_column(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool blank = i + 1 < text.size() && text[i + 1] == ' ';
    if (text[i] == '\t' || (text[i] == ' ' && blank)) return i;
    if (text[i] == ')' && blank) return i + 1;
  }
  return text.size();
}

std::optional<Header> header_of(std::string_view text) {
  if (!text.starts_with('#')) return std::nullopt;
  Header header;
  std::string_view rest = core::trim(text.substr(1));
  bool known = false;
  while (!rest.empty()) {
    const std::size_t end = end_of_column(rest);
    const std::string name = core::to_lower(rest.substr(0, end));
    rest = core::trim(rest.substr(end));
    if (name == "size" || name == "operation") {
      (name == "size" ? header.size : header.operation) = true;
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
  if (!known || (header.first() == 0 && text.find("(us)") == std::string_view::npos)) return std::nullopt;
  return header;
}

// A test's own figure is its first column; the one beside it that people ask for is the rate of small messages.
bool is_headline(const ToolMetric& metric, std::size_t column) {
  return metric.role == Role::judged && (column == 0 || metric.name == "message_rate");
}
double size_of_headline(const ToolMetric& metric, double size) { return metric.name == "message_rate" ? -size : size; }

struct Banner {
  std::string_view test, version;  // an empty test: no banner
};

// "# OSU MPI-CUDA Latency Test v7.5", and of old "# OSU MPI Latency Test (Version 2.1)". Anything else that starts so is
// somebody's heading.
Banner banner_of(std::string_view text) {
  if (!text.starts_with("# OSU ")) return {};
  Banner banner;
  banner.test = text.substr(6);
  for (const std::string_view mark : {" (Version ", " v"}) {
    const std::size_t version = banner.test.rfind(mark);
    if (version == std::string_view::npos) continue;
    banner.version = banner.test.substr(version + mark.size());
    if (banner.version.ends_with(')')) banner.version.remove_suffix(1);
    banner.test = banner.test.substr(0, version);
    break;
  }
  banner.test = core::trim(banner.test);
  if (banner.test.ends_with(" Test")) {
    banner.test.remove_suffix(5);
  } else if (banner.version.empty() || banner.version.front() < '0' || banner.version.front() > '9') {
    return {};
  }
  return banner;
}

// The word behind a name: "# [ pairs: 4 ] [ window size: 64 ]" -> "4"
std::string_view word_after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = core::trim(text.substr(at + name.size()));
  return rest.substr(0, rest.find_first_of(" ,]"));
}

// "# Send Buffer on DEVICE (D) and Receive Buffer on MANAGED (MH)" -> "D-MH"
std::string buffers_of(std::string_view text) {
  std::string out;
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    const std::size_t close = text.find(')', open);
    if (close == std::string_view::npos || close > open + 4) return {};
    out.append(out.empty() ? "" : "-").append(text.substr(open + 1, close - open - 1));
  }
  return out;
}

// A run ends with its last row, which a copy may lose a piece of, or just its line feed: every row prints a column with the same
// number of decimals.
bool is_whole(std::string_view last, std::string_view before) {
  const auto decimals = [](std::string_view text) {
    return text.find('.') == std::string_view::npos ? 0 : text.size() - text.find('.');
  };
  return last == before || (decimals(last) > 0 && decimals(last) == decimals(before));
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : lines_(input.bytes), rows_(input, options, "OSU") {}

  core::Expected<core::Measurement> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (rows_.halted()) break;
      const std::string_view text = core::trim(line);
      if (text.starts_with('#')) {
        comment(text);
      } else if (text.starts_with("nprocs: ") && text.find("avg: ") != std::string_view::npos) {
        start_up(text);
      } else if (header_ && !text.empty()) {
        row(text);
      }
    }
    if (lines_.cut() && last_row_ == lines_.number() && !is_whole(last_cell_, cell_before_)) {
      return core::fail(rows_.error("the file ends inside a row of results",
                                    "the copy is incomplete or the run was stopped; copy it again or run it again", last_row_));
    }
    if (rows_.empty()) {
      return core::fail(rows_.error("no results of " + test_,
                                    "the test ended before its first size: see the log for why, and run it again", banner_));
    }
    if (found_ == 0) rows_.incomplete("the test at line " + std::to_string(banner_) + " has no results");
    headlines_.declare(rows_);
    return rows_.finish();
  }

 private:
  // What a test says of itself before its table.
  struct Settings {
    std::string datatype, buffers, window, sync, pairs, window_size;
  };

  void comment(std::string_view text) {
    if (const Banner banner = banner_of(text); !banner.test.empty()) {
      if (banner_ != 0 && found_ == 0) rows_.incomplete("the test at line " + std::to_string(banner_) + " has no results");
      test_ = std::string(banner.test);
      rows_.note("identity.benchmark", banner.test);
      rows_.note("stack.osu", banner.version);
      banner_ = lines_.number();
      found_ = 0;
      settings_ = {};
      header_.reset();
      rows_.section();
    } else if (text.starts_with("# Datatype:")) {
      settings_.datatype = std::string(core::trim(text.substr(11)));
      if (settings_.datatype.ends_with('.')) settings_.datatype.pop_back();
      rows_.note("workload.dtype", settings_.datatype);
    } else if (text.starts_with("# Send Buffer on ") || text.starts_with("# Rank 0 Memory on ")) {
      settings_.buffers = buffers_of(text);
    } else if (text.starts_with("# Window creation:")) {
      settings_.window = std::string(word_after(text, "MPI_Win_"));
    } else if (text.starts_with("# Synchronization:")) {
      settings_.sync = std::string(word_after(text, "MPI_Win_"));
    } else if (text.starts_with("# [ pairs:")) {
      settings_.pairs = std::string(word_after(text, "pairs:"));
      settings_.window_size = std::string(word_after(text, "window size:"));
    } else if (auto columns = header_of(text)) {
      header_ = std::move(columns);
      cell_before_ = last_cell_ = {};
    }
  }

  // osu_init: "nprocs: 16, min: 801 ms, max: 950 ms, avg: 870 ms"
  void start_up(std::string_view text) {
    rows_.point(test_, {{"nprocs", word_after(text, "nprocs:")}});
    const std::string_view printed[] = {word_after(text, "min:"), word_after(text, "max:"), word_after(text, "avg:")};
    for (std::size_t i = 0; i < 3; ++i) {
      if (rows_.add(kInit[i], printed[i])) ++found_;
    }
    last_row_ = lines_.number();
  }

  void row(std::string_view text) {
    split_blanks(text, fields_);
    const std::size_t first = header_->first();
    // What others print between the rows; the name of an operation is a word.
    const std::size_t figure = header_->operation ? 1 : 0;
    if (fields_.size() <= figure || !cell(fields_[figure])) return;
    last_row_ = lines_.number();
    cell_before_ = last_cell_;
    last_cell_ = fields_.back();
    bool good = fields_.size() == header_->metrics.size() + first;
    bool valid = true;
    for (std::size_t i = 0; good && i < header_->metrics.size(); ++i) {
      const std::string_view field = fields_[i + first];
      if (header_->metrics[i] == &kValidation) {
        valid = field == "Pass";
      } else {
        good = cell(field).has_value();
      }
    }
    if (!good) {
      rows_.writer.find(Finding::ragged_lines, "line " + std::to_string(lines_.number()));
      return;
    }
    ++found_;
    rows_.point(test_, {{"size", header_->size ? fields_[0] : std::string_view()},
                        {"operation", header_->operation ? fields_[0] : std::string_view()},
                        {"datatype", settings_.datatype},
                        {"buffers", settings_.buffers},
                        {"window", settings_.window},
                        {"sync", settings_.sync},
                        {"pairs", settings_.pairs},
                        {"window_size", settings_.window_size}});
    for (std::size_t i = 0; i < header_->metrics.size(); ++i) {
      const ToolMetric* metric = header_->metrics[i];
      if (metric == &kValidation) {
        rows_.add(kValidation, valid ? 1 : 0);
      } else if (metric != nullptr) {
        rows_.add(*metric, valid ? *cell(fields_[i + first]) : failed_value(fields_[i + first]));
        const double size = header_->size ? cell(fields_[0])->value : 0;
        if (is_headline(*metric, i)) headlines_.take(rows_, std::to_string(banner_), *metric, size_of_headline(*metric, size));
      }
    }
  }

  LogLines lines_;
  ToolRows rows_;
  SizeHeadlines headlines_;
  std::string test_ = "osu";
  Settings settings_;
  std::optional<Header> header_;
  std::vector<std::string_view> fields_;
  std::size_t banner_ = 0, found_ = 0, last_row_ = 0;
  std::string_view last_cell_, cell_before_;  // of this table
};

}  // namespace

Detection detect_osu(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  while (lines.next(line)) {
    if (!banner_of(core::trim(line)).test.empty()) {
      detection.score = 0.97;
      detection.evidence.push_back("line " + std::to_string(lines.number()) +
                                   " names an OSU test: " + core::cited(core::trim(line)));
      break;
    }
  }
  return detection;
}

extern const Format osu_format = {
    .name = "osu",
    .title = "OSU micro-benchmarks of MPI",
    .replication = core::Replication::in_process,
    .detect = detect_osu,
    .read = read_with<Reader>,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "mpirun -np 2 ./osu_bw | tee result.txt",
              .judged = "OSU micro-benchmarks: latency, bandwidth, message rate by size; validation is a gate",
              .key = "test, size or operation, datatype, buffers, window and synchronization, pairs and window size",
              .trials = "one value a key; a later run in the log has a section of its own",
              .context = "benchmark, version, datatype",
              .limits =
                  "only the command line has the number of processes; the headlines are bandwidth at the largest size, latency "
                  "and message rate at the smallest",
              .recognised = "`# OSU … Test v`"},
};

}  // namespace plumbline::formats
