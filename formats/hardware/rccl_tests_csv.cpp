// rccl-tests -Z csv: one line a size and place, with a header. The columns have the names of its JSON's fields and the rows are
// those of all the other outputs. Cycles of one point (numCycle) are trials.
#include <algorithm>
#include <map>
#include <memory>

#include "core/text.hpp"
#include "formats/generic/lines.hpp"
#include "formats/hardware/nccl_tests.hpp"

namespace plumbline::formats {
namespace {

// By its plain name: the CSV may write "Bus BW" where the JSON has busBw, and quotes where the other has none.
std::string plain(std::string_view header) {
  std::string out;
  for (const char c : core::to_lower(header)) {
    if ((c >= 'a' && c <= 'z') || c == '#') out.push_back(c);
  }
  return out;
}

class Columns {
 public:
  explicit Columns(const std::vector<std::string_view>& header) {
    for (std::size_t i = 0; i < header.size(); ++i) places_.emplace(plain(header[i]), i);
  }
  [[nodiscard]] bool has(std::string_view name) const { return places_.contains(std::string(name)); }
  [[nodiscard]] std::string_view of(const std::vector<std::string_view>& line, std::string_view name) const {
    const auto at = places_.find(std::string(name));
    return at == places_.end() || at->second >= line.size() ? std::string_view() : core::trim(line[at->second]);
  }

 private:
  std::map<std::string, std::size_t> places_;
};

Detection detect_rccl_tests_csv(const Input& input) {
  Detection detection;
  std::string_view head = head_of(input);
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::string_view first = head.substr(0, head.find('\n'));
  if (first.find(',') == std::string_view::npos || first.starts_with('{') || first.starts_with('[')) return detection;
  Lines lines(first, ',');
  std::vector<std::string_view> header;
  if (!lines.next(header)) return detection;
  const Columns columns(header);
  if (columns.has("algbw") && columns.has("busbw") && columns.has("inplace") && columns.has("size")) {
    detection.score = 0.97;
    detection.evidence.emplace_back("has the columns algBw, busBw, inPlace and size");
  }
  return detection;
}

core::Expected<core::Measurement> read_rccl_tests_csv(const Input& input, const ReadOptions& options) {
  ToolRows rows(input, options, "rccl-tests");
  Lines lines(input.bytes, ',');
  std::vector<std::string_view> header, line;
  if (!lines.next(header)) return core::fail(rows.error("there is no header", "rccl-tests -Z csv -x FILE writes one"));
  const Columns columns(header);
  if (!columns.has("algbw") || !columns.has("busbw") || !columns.has("size")) {
    return core::fail(rows.error("the header has no columns size, algBw and busBw: this is no CSV of rccl-tests",
                                 "rccl-tests -Z csv -x FILE writes them", 1));
  }
  std::map<std::string, std::unique_ptr<NcclPoints>> collectives;
  std::uint64_t ragged = 0;
  while (lines.next(line) && !rows.halted()) {
    if (line.size() != header.size()) {
      ++ragged;
      continue;
    }
    const std::string name = columns.has("name") ? rccl_collective(columns.of(line, "name")) : "collective";
    const auto given = [&](std::string_view column) { return core::parse_double(columns.of(line, column)).value_or(0); };
    const double ranks = given("ranks") > 0 ? given("ranks") : given("gpus");
    const auto count = ranks >= 1 && ranks < 1e7 ? static_cast<std::size_t>(ranks) : 0;
    auto& points = collectives[name + "/" + std::to_string(count)];
    if (!points) points = std::make_unique<NcclPoints>(rows, name, count);
    const std::string_view in_place = columns.of(line, "inplace");
    points->begin(columns.of(line, "size"), columns.of(line, "type"), columns.of(line, "redop"), {},
                  in_place == "1" || core::to_lower(in_place) == "true");
    const std::string_view wrong = columns.of(line, columns.has("#wrong") ? "#wrong" : "wrong");
    const std::string_view names[] = {"time", "algbw", "busbw", "#wrong"};
    const std::string_view printed[] = {columns.of(line, "time"), columns.of(line, "algbw"), columns.of(line, "busbw"), wrong};
    points->add(names, printed);
    rows.note("workload.collective", name);
    rows.note("parallelism.nodes", columns.of(line, "nodes"));
    if (count > 0) rows.note("parallelism.ranks", std::to_string(count));
  }
  if (lines.broken()) return core::fail(rows.error("a quote that is never closed", "the file is cut off: run the test again"));
  if (ragged > 0) rows.incomplete(core::counted(ragged, "line has", "lines have") + " not the header's number of fields");
  for (const auto& [name, points] : collectives) points->end({}, {});
  return rows.finish();
}

}  // namespace

extern const Format rccl_tests_csv_format = {
    .name = "rccl-tests-csv",
    .title = "collectives of rccl-tests -Z csv",
    .replication = core::Replication::in_process,
    .detect = detect_rccl_tests_csv,
    .read = read_rccl_tests_csv,
    .about = {.group = Group::hardware,
              .file = "CSV",
              .produce = "./build/all_reduce_perf -b 8 -e 8G -f 2 -g 8 -Z csv -x result.csv",
              .judged = "`time` in us (lower) below 64 KiB, `busbw` in GB/s (higher) from there on; `#wrong` as a gate",
              .key = "collective, size, dtype, redop, ranks, in or out of place",
              .trials = "the cycles of one point",
              .context = "collective, dtype, redop, ranks, nodes",
              .limits = "`algbw` is context; the file says nothing of hardware, versions and environment",
              .recognised = "a header with `algBw`, `busBw`, `inPlace` and `size`"},
};

}  // namespace plumbline::formats
