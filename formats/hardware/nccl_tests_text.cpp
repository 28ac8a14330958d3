// nccl-tests and rccl-tests, what they print: one table per collective, out of place and in place side by side. The columns are
// found by the header's names, so that releases with and without root, "error" or "#wrong", -C, -I and -S are all read.
// GB = 1e9 bytes; busbw is what the tool derives from algbw, so only one of the three figures of a point is judged: the
// time below 64 KiB, where latency rules and the printed bandwidth has two digits, busbw from there on.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/large_block.hpp"
#include "core/text.hpp"
#include "formats/decimal.hpp"
#include "formats/hardware/nccl_tests.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kUnknown = "collective";

// What stands before the figures of a line. A table that is printed again (-N) has each of them many times.
struct Head {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::string_view size, dtype, redop, root;
  std::string_view text;                  // all of it, where the same text can only mean the same
  std::uint32_t next = kNone;             // the head of the line that followed
  std::uint32_t out = kNone, in = kNone;  // points
  double bytes = 0;                       // the size, once a point was made
};

struct Line {
  std::uint32_t head = 0;
  std::uint32_t first = 0;     // cell, among the numbers or, of an odd line, among the texts
  bool odd = false;            // a cell is no plain number, or something was wrong
  bool in_place_only = false;  // a replayed trace leaves the first half blank
};

struct Table {
  std::string collective;
  std::size_t header_line = 0;  // 0: no table yet
  bool has_root = false;
  std::vector<std::string_view> half;  // columns of one half
  std::vector<bool> is_wrong;          // by cell: a count of wrong values
  int halves = 1;
  std::vector<Head> heads;
  std::vector<Line> lines;
  std::vector<double> numbers;
  std::vector<std::string_view> texts;
  std::set<std::string, std::less<>> hosts, devices;
  std::size_t ranks = 0;
  std::string_view out_of_bounds, average, floor;  // floor: whether the mean reached what NCCL_TESTS_MIN_BW asks for
  bool in_place = false;                           // the only half is that in place
};

bool is_name(std::string_view text) {
  return !text.empty() && ((text.front() >= 'a' && text.front() <= 'z') || (text.front() >= 'A' && text.front() <= 'Z'));
}

// "all_reduce_perf" anywhere in a line: a command that a script echoed, or the tool's own words.
std::string_view program_in(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && ((line[begin - 1] >= 'a' && line[begin - 1] <= 'z') || line[begin - 1] == '_')) --begin;
  return line.substr(begin, end - begin);
}

// "minBytes 8 maxBytes 128" -> the word after a name.
std::string_view after(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  std::string_view rest = core::trim(line.substr(at + name.size()));
  return rest.substr(0, rest.find_first_of(" \t,"));
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options)
      : input_(input), lines_(input.bytes), rows_(input, options, "nccl-tests") {}

  core::Expected<core::Measurement> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (rows_.halted()) break;
      const std::string_view text = core::trim(line);
      if (text.starts_with('#')) {
        comment(text);
      } else if (!text.empty()) {
        data(text);
      }
    }
    if (auto problem = cut_line()) return core::fail(std::move(*problem));
    end_table();
    if (rows_.empty() && unmeasured_) return core::fail(std::move(*unmeasured_));
    if (rows_.empty()) {
      return core::fail(
          rows_.error("no table of results", "nccl-tests prints a line \"#  size  count  type …\" above its results"));
    }
    if (!rows_.writer.out.declared.headlines.empty()) {
      auto& headlines = rows_.writer.out.declared.headlines;
      headlines.resize(std::min<std::size_t>(headlines.size(), 16));
    }
    return rows_.finish();
  }

 private:
  void comment(std::string_view text) {
    if (text.starts_with("# nThread")) {
      banner();
      rows_.note("regime.warmup", after(text, "warmup iters:"));
      if (const std::size_t warmup = text.find("warmup iters:"); warmup != std::string_view::npos) {
        rows_.note("regime.iterations", after(text.substr(warmup + 13), " iters:"));
      }
      rows_.note("regime.cuda_graph", after(text, "graph:"));
    } else if (text.starts_with("# nccl-tests version") || text.starts_with("# rccl-tests version")) {
      rows_.note("stack.nccl_tests", after(text, "version"));
      rows_.note("stack.nccl", nccl_version(after(text, "library=")));
    } else if (text.find("Collective test starting:") != std::string_view::npos) {
      banner();
      named_ = program_in(text);
    } else if (text.find("Rank ") != std::string_view::npos && text.find(" device ") != std::string_view::npos) {
      device(text);
    } else if (text.find(" Out of bounds values") != std::string_view::npos) {
      // Of several tasks in one log each says its own: the worst counts.
      const std::string_view count = after(text, ":");
      if (!table_.out_of_bounds.empty() && core::parse_double(count).value_or(1) <= 0) return;
      table_.out_of_bounds = count;
    } else if (text.find(" Avg bus bandwidth") != std::string_view::npos) {
      table_.average = after(text, ":");
      table_.floor = text.ends_with(" FAILED") ? "0" : text.ends_with(" OK") && table_.floor != "0" ? "1" : table_.floor;
    } else if (text.find("in-place") != std::string_view::npos) {
      in_place_only_ = text.find("out-of-place") == std::string_view::npos;
    } else {
      header(text);
    }
  }

  // A new run in the same log.
  void banner() {
    if (table_.header_line != 0) end_table();
  }

  void device(std::string_view text) {
    banner();
    ++table_.ranks;
    const std::size_t host = text.find(" on ");
    const std::size_t at = text.find(" device ");
    if (host != std::string_view::npos && host < at) table_.hosts.emplace(core::trim(text.substr(host + 4, at - host - 4)));
    const std::size_t bracket = text.find("] ", at);
    if (bracket != std::string_view::npos) table_.devices.emplace(core::trim(text.substr(bracket + 2)));
  }

  void header(std::string_view text) {
    std::vector<std::string_view> names;
    split_blanks(text.substr(1), names);
    if (names.size() < 6 || names[0] != "size" || names[1] != "count") return;
    // Two headers at once: two tasks in one log, whose rows follow.
    if (table_.header_line != 0 && !(table_.lines.empty() && table_.header_line + 6 > lines_.number())) banner();
    std::size_t first = 2;
    while (first < names.size() && names[first] != "time" && names[first] != "cputime") ++first;
    if (first == names.size()) return;
    table_.has_root = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(first), "root") !=
                      names.begin() + static_cast<std::ptrdiff_t>(first);
    const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
    const auto second = std::find(begin + 1, names.end(), names[first]);
    table_.half.assign(begin, second);
    table_.halves = second == names.end() ? 1 : 2;
    table_.is_wrong.clear();
    for (int i = 0; i < 2; ++i) {
      for (const std::string_view name : table_.half) table_.is_wrong.push_back(name == "#wrong");
    }
    table_.header_line = lines_.number();
    table_.in_place = in_place_only_;
    last_head_ = Head::kNone;
  }

  void data(std::string_view text) {
    Line line;
    std::size_t at = 0;
    if (known_head(text, line)) {
      split_blanks(text.substr(table_.heads[line.head].text.size()), fields_);
    } else if (!new_head(text, line, at)) {
      return;
    }
    const std::size_t half = table_.half.size(), left = fields_.size() - at;
    const std::size_t whole = half * static_cast<std::size_t>(table_.halves);
    const auto stamped = [&](std::size_t cells) {  // -S: a date and a time at the end
      return left == cells || (left == cells + 2 && fields_[at + cells].find('-') != std::string_view::npos);
    };
    line.in_place_only = !stamped(whole) && stamped(half) && table_.halves == 2;
    if (!is_name(table_.heads[line.head].dtype) || (!stamped(whole) && !line.in_place_only)) {
      unread();
      return;
    }
    const std::span cells = std::span(fields_).subspan(at, line.in_place_only ? half : whole);
    if (!take_numbers(cells, line) && !take_texts(cells, line)) {
      unread();
      return;
    }
    if (table_.lines.size() == table_.lines.capacity()) core::reserve_large(table_.lines, 2 * table_.lines.size() + 128);
    table_.lines.push_back(line);
    last_head_ = line.head;
    last_row_ = lines_.number();
  }

  // The line after this one was seen before, and begins as it did then.
  bool known_head(std::string_view text, Line& line) {
    if (last_head_ == Head::kNone || table_.heads[last_head_].next == Head::kNone) return false;
    line.head = table_.heads[last_head_].next;
    const std::string_view head = table_.heads[line.head].text;
    return !head.empty() && text.size() > head.size() && text[head.size()] == ' ' && text.starts_with(head);
  }

  // Splits the line; its figures begin at field `at`.
  bool new_head(std::string_view text, Line& line, std::size_t& at) {
    // Most of what stands around tables starts with a word.
    const char begin = text.front();
    const bool may_be_size = (begin >= '0' && begin <= '9') || begin == '+' || begin == '-';
    fields_.clear();
    if (may_be_size) split_blanks(text, fields_);
    if (table_.header_line == 0 || fields_.size() < 4 || !core::parse_int(fields_[0]) || !core::parse_int(fields_[1])) {
      if (const std::string_view program = program_in(text); !program.empty() && table_.lines.empty()) named_ = program;
      if (text.find("CCL version ") != std::string_view::npos) {
        std::string_view said = after(text, "CCL version ");
        if (said == ":") said = after(text, "CCL version :");  // RCCL
        if (!said.empty() && said.front() >= '0' && said.front() <= '9') rows_.note("stack.nccl", nccl_version(said));
      }
      if (table_.header_line != 0 && !fields_.empty() && core::parse_int(fields_[0])) unread();
      return false;
    }
    Head head;
    head.size = fields_[0];
    at = 2;
    head.dtype = fields_[at++];
    if (at < fields_.size() && is_name(fields_[at]) && fields_[at] != "N/A") head.redop = fields_[at++];
    if (table_.has_root && at < fields_.size() && core::parse_int(fields_[at])) head.root = fields_[at++];
    if (!head.redop.empty() && head.root.empty() != table_.has_root) {
      head.text = text.substr(0, static_cast<std::size_t>(fields_[at - 1].data() + fields_[at - 1].size() - text.data()));
      const auto [known, fresh] = head_of_text_.try_emplace(head.text, static_cast<std::uint32_t>(table_.heads.size()));
      line.head = known->second;
      if (fresh) table_.heads.push_back(head);
    } else {
      line.head = static_cast<std::uint32_t>(table_.heads.size());
      table_.heads.push_back(head);
    }
    if (last_head_ != Head::kNone) table_.heads[last_head_].next = line.head;
    return true;
  }

  bool take_numbers(std::span<const std::string_view> cells, Line& line) {
    const std::size_t before = table_.numbers.size();
    line.first = static_cast<std::uint32_t>(before);
    if (table_.numbers.capacity() < before + cells.size()) core::reserve_large(table_.numbers, 2 * before + 1024);
    table_.numbers.resize(before + cells.size());
    double* number = table_.numbers.data() + before;
    bool plain = true;
    for (std::size_t i = 0; i < cells.size() && plain; ++i) {
      plain = plain_decimal(cells[i], number[i]) && (number[i] == 0 || !table_.is_wrong[i]);
    }
    if (!plain) table_.numbers.resize(before);
    return plain;
  }

  bool take_texts(std::span<const std::string_view> cells, Line& line) {
    for (const std::string_view one : cells) {
      if (!cell(one) && !is_marked(one)) return false;
    }
    line.odd = true;
    line.first = static_cast<std::uint32_t>(table_.texts.size());
    table_.texts.insert(table_.texts.end(), cells.begin(), cells.end());
    return true;
  }

  void unread() {
    rows_.writer.find(Finding::ragged_lines, "line " + std::to_string(lines_.number()));
    last_row_ = lines_.number();
  }

  std::optional<core::Error> cut_line() {
    if (!lines_.cut() || last_row_ != lines_.number()) return std::nullopt;
    return rows_.error("the file ends inside a row of results",
                       "the copy is incomplete or the run was stopped; copy it again or run it again", last_row_);
  }

  // What was measured: said by the tool or a command in the log; else what the figures alone tell; else the file's name.
  std::string collective() {
    if (!named_.empty()) return std::string(named_);
    const auto known = figures();
    if (!known.empty()) return std::string(known);
    const std::string name = core::to_lower(input_.name);
    for (const auto& [word, collective] : std::initializer_list<Dim>{{"all_reduce", "all_reduce"},
                                                                     {"allreduce", "all_reduce"},
                                                                     {"all_gather", "all_gather"},
                                                                     {"allgather", "all_gather"},
                                                                     {"reduce_scatter", "reduce_scatter"},
                                                                     {"reducescatter", "reduce_scatter"},
                                                                     {"alltoall", "alltoall"},
                                                                     {"all_to_all", "alltoall"},
                                                                     {"broadcast", "broadcast"},
                                                                     {"sendrecv", "sendrecv"},
                                                                     {"hypercube", "hypercube"},
                                                                     {"scatter", "scatter"},
                                                                     {"gather", "gather"},
                                                                     {"reduce", "reduce"}}) {
      if (name.find(word) == std::string::npos) continue;
      warn_guessed("the text does not say which collective it measured; taken from the file's name: " + std::string(collective));
      return std::string(collective);
    }
    warn_guessed("the text does not say which collective it measured: say it with --context workload.collective=NAME");
    return std::string(kUnknown);
  }

  // Once a file, however many tables it has.
  void warn_guessed(std::string message) {
    if (!guess_told_) rows_.writer.out.warn("name_guessed", std::move(message));
    guess_told_ = true;
  }

  // What is reduced to a root is a reduce. busbw / algbw is 2(n-1)/n for an all-reduce and (n-1)/n for a reduce-scatter; the
  // others share their factors.
  std::string_view figures() {
    if (!table_.lines.empty()) {
      const Head& head = table_.heads[table_.lines.back().head];
      if (!head.redop.empty() && head.redop != "none" && core::parse_int(head.root).value_or(-1) >= 0) return "reduce";
    }
    const double n = static_cast<double>(table_.ranks);
    const auto alg = std::find(table_.half.begin(), table_.half.end(), "algbw");
    const auto bus = std::find(table_.half.begin(), table_.half.end(), "busbw");
    if (n < 3 || alg == table_.half.end() || bus == table_.half.end() || table_.lines.empty()) return {};
    const Line& last = table_.lines.back();
    const auto value = [&](auto column) {
      const std::size_t at = last.first + static_cast<std::size_t>(column - table_.half.begin());
      return last.odd ? core::parse_double(table_.texts[at]).value_or(0) : table_.numbers[at];
    };
    const std::string_view redop = table_.heads[last.head].redop;
    if (redop.empty() || redop == "none" || value(alg) < 1) return {};
    const double factor = value(bus) / value(alg);
    const auto near = [&](double expected) { return factor > expected * 0.98 && factor < expected * 1.02; };
    return near(2 * (n - 1) / n) ? "all_reduce" : near((n - 1) / n) ? "reduce_scatter" : "";
  }

  void end_table() {
    Table table = std::move(table_);
    table_ = Table();
    last_head_ = Head::kNone;
    head_of_text_.clear();
    if (table.header_line == 0) {
      table_ = std::move(table);  // a banner without a table yet
      return;
    }
    if (table.lines.empty()) {  // one collective that failed takes nothing from the others of its log
      const std::string what = "the table has a header and no results";
      rows_.incomplete("line " + std::to_string(table.header_line) + ": " + what);
      if (!unmeasured_)
        unmeasured_ =
            rows_.error(what, "the run ended before its first result: see the log for why, and run it again", table.header_line);
      return;
    }
    std::swap(table_, table);
    const std::string name = collective();
    std::swap(table_, table);
    named_ = {};
    rows_.section();
    NcclPoints points(rows_, name, table.ranks);
    const NcclPoints::Columns columns = NcclPoints::columns(table.half);
    const std::size_t half = table.half.size();
    for (const Line& line : table.lines) {
      Head& head = table.heads[line.head];
      for (std::size_t i = 0; i < (line.in_place_only ? 1U : static_cast<unsigned>(table.halves)); ++i) {
        const bool in_place = i == 1 || line.in_place_only || table.in_place;
        std::uint32_t& point = in_place ? head.in : head.out;
        if (point == Head::kNone) {
          point = points.begin(head.size, head.dtype, head.redop, head.root, in_place);
          head.bytes = core::parse_double(head.size).value_or(0);
        } else {
          points.again(point, head.bytes, in_place);
        }
        const std::size_t first = line.first + i * half;
        if (line.odd) {
          points.add(table.half, std::span(table.texts).subspan(first, half));
        } else {
          points.add(columns, std::span(table.numbers).subspan(first, half));
        }
      }
    }
    points.end(table.out_of_bounds, table.average, table.floor);
    if (table.average.empty() && table.out_of_bounds.empty()) {
      rows_.incomplete("the table at line " + std::to_string(table.header_line) +
                       " is not followed by \"# Out of bounds values\"");
    }
    if (table.ranks > 0) {
      rows_.note("parallelism.ranks", std::to_string(table.ranks));
      rows_.note("parallelism.nodes", std::to_string(table.hosts.size()));
    }
    if (table.devices.size() == 1) rows_.note("hardware.gpu", *table.devices.begin());
    if (table.hosts.size() == 1) rows_.note("environment.hostname", *table.hosts.begin());
    if (name != kUnknown) rows_.note("workload.collective", name);
  }

  const Input& input_;
  LogLines lines_;
  ToolRows rows_;
  Table table_;
  std::unordered_map<std::string_view, std::uint32_t> head_of_text_;  // of the table's heads
  std::uint32_t last_head_ = Head::kNone;
  std::string_view named_;
  bool in_place_only_ = false;  // as the line above a header says
  bool guess_told_ = false;
  std::vector<std::string_view> fields_;
  std::size_t last_row_ = 0;
  std::optional<core::Error> unmeasured_;  // of the first table without a result
};

}  // namespace

Detection detect_nccl_tests(const Input& input) {
  Detection detection;
  LogLines lines(head_of(input));
  std::string_view line;
  std::vector<std::string_view> names;
  while (lines.next(line)) {
    const std::string_view text = core::trim(line);
    if (!text.starts_with('#')) continue;
    split_blanks(text.substr(1), names);
    if (names.size() >= 6 && names[0] == "size" && names[1] == "count" && text.find("busbw") != std::string_view::npos) {
      detection.score = 0.98;
      detection.evidence.push_back("line " + std::to_string(lines.number()) +
                                   " is the header of a table with size, count, type and busbw");
      return detection;
    }
    if (detection.score == 0 && (text.starts_with("# nThread ") && text.find("minBytes") != std::string_view::npos)) {
      detection.score = 0.95;
      detection.evidence.push_back("line " + std::to_string(lines.number()) + " starts with \"# nThread\" and names minBytes");
    }
  }
  return detection;
}

extern const Format nccl_tests_format = {
    .name = "nccl-tests",
    .title = "collectives of nccl-tests and rccl-tests, printed",
    .replication = core::Replication::in_process,
    .detect = detect_nccl_tests,
    .read = read_with<Reader>,
    .about = {.group = Group::hardware,
              .file = "text",
              .produce = "./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8 | tee result.txt",
              .judged = "the tables of nccl-tests and rccl-tests: time below 64 KiB, busbw from there on; `#wrong`, out of "
                        "bounds and the floor of NCCL_TESTS_MIN_BW are gates",
              .key = "collective, size, dtype, redop, root, ranks, in or out of place, section",
              .trials = "lines of one table that repeat a point; a later table has a section of its own",
              .context = "GPU, ranks, nodes, host, NCCL, warm-up, iterations, CUDA graph, where the log says them",
              .limits = "old logs name no collective: the file's name is asked; environment settings are not in the text",
              .recognised = "the header `# size count type … busbw`"},
};

}  // namespace plumbline::formats
