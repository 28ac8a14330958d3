// divan (Rust): a tree of benchmarks, whose paths are their names, with a time a column. Lines of counters and of allocations
// stand below a benchmark without a branch of their own and are left out.
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/harness/time_cells.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kBar = "│", kBranch = "├─ ", kLastBranch = "╰─ ";

bool is_root(std::string_view line) {
  return line.find(" fastest ") != std::string_view::npos && line.find("│ slowest") != std::string_view::npos &&
         line.find("│ median") != std::string_view::npos;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t bar = line.find(kBar);
    cells.push_back(core::trim(line.substr(0, bar)));
    if (bar == std::string_view::npos) return cells;
    line.remove_prefix(bar + kBar.size());
  }
}

// How many characters, of which a byte of UTF-8 is a part.
std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return width;
}

class Tree {
 public:
  explicit Tree(DeclaredRows& rows) : rows_(rows) {}

  void root(std::string_view line) {
    indent_ = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view name = core::trim(line);
    names_ = {std::string(name.substr(0, name.find(' ')))};
  }
  void branch(std::string_view line) {
    const std::size_t at = std::min(line.find(kBranch), line.find(kLastBranch));
    if (names_.empty() || at == std::string_view::npos) return;
    constexpr std::size_t kStep = 3;  // characters a level
    const std::size_t width = width_of(line.substr(0, at));
    const std::size_t depth = (width < indent_ ? 0 : width - indent_) / kStep + 1;
    std::vector<std::string_view> cells = cells_of(line.substr(at + kBranch.size()));
    // The name and the first time share a cell.
    std::vector<std::string_view> words;
    split_blanks(cells[0], words);
    const auto fastest = words.size() > 2 ? nanoseconds(words[words.size() - 2], words.back()) : std::nullopt;
    const std::string_view name =
        fastest ? core::trim(cells[0].substr(0, static_cast<std::size_t>(words[words.size() - 2].data() - cells[0].data())))
                : cells[0];
    names_.resize(std::min(depth, names_.size()));
    names_.emplace_back(name);
    if (fastest) benchmark(*fastest, cells);
  }

 private:
  void benchmark(double fastest, const std::vector<std::string_view>& cells) {
    std::string path;
    for (const std::string& name : names_) path += (path.empty() ? "" : "/") + name;
    const std::uint32_t dims = rows_.dims({{"benchmark", path}});
    rows_.add(path, "fastest", dims, for_context("ns"), fastest);
    constexpr std::string_view kTimes[] = {"slowest", "median", "mean"};
    for (std::size_t i = 0; i < std::size(kTimes) && i + 1 < cells.size(); ++i) {
      if (const auto time = nanoseconds(cells[i + 1]))
        rows_.add(path, kTimes[i], dims, i == 0 ? for_context("ns") : lower_is_better("ns"), *time);
    }
    constexpr std::string_view kCounts[] = {"samples", "iters"};
    for (std::size_t i = 0; i < std::size(kCounts) && i + 4 < cells.size(); ++i) {
      if (const auto count = core::parse_double(cells[i + 4])) rows_.add(path, kCounts[i], dims, for_context(), *count);
    }
  }

  DeclaredRows& rows_;
  std::vector<std::string> names_;  // from the root to the branch that was read last
  std::size_t indent_ = 0;
};

}  // namespace

Detection detect_divan(const Input& input) { return detect_line(input, 0.96, is_root); }

core::Expected<core::Measurement> read_divan(const Input& input, const ReadOptions& options) {
  RowWriter writer(options);
  DeclaredRows rows(writer, "divan");
  rows.repeats_are_sections();
  Tree tree(rows);
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line) && !writer.halted()) {
    if (is_root(line)) {
      tree.root(line);
    } else {
      tree.branch(line);
    }
  }
  if (writer.out.rows().empty()) {
    return core::fail(core::ErrorCode::invalid_input, "no benchmark in the tree of divan", "`cargo bench` prints it", input.name);
  }
  rows.warn_of_repeats();
  return writer.finish(input.name);
}

extern const Format divan_format = {
    .name = "divan",
    .title = "divan (Rust)",
    .replication = core::Replication::in_process,
    .detect = detect_divan,
    .read = read_divan,
    .about = {.group = Group::harness,
              .file = "text",
              .produce = "cargo bench | tee result.txt",
              .judged = "median and mean time in ns (lower)",
              .key = "the path in the tree: `example/fibonacci/8.median`",
              .trials = "one value a key: it prints statistics of its samples",
              .context = "none",
              .limits = "fastest, slowest, samples and iterations are context; counters and allocations are left out",
              .recognised = "a heading with `fastest`, `│ slowest` and `│ median`"},
};

}  // namespace plumbline::formats
