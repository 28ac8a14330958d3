// Gatling's results: js/stats.json (all requests, and each in "contents"), js/global_stats.json (all requests alone), and what is
// printed at the end of a test. Times are judged of the requests that succeeded (OK): how fast errors are answered says nothing
// of the answers.
#include <cmath>

#include "formats/line_reader.hpp"
#include "formats/read_document.hpp"

namespace plumbline::formats {
namespace {

using json::Value;

// A figure of all requests, of those that succeeded and of those that did not. "-" is no value.
struct Figure {
  std::string_view total, ok, failed;
};

Leaf leaf_of_figure(std::string_view text) {
  const auto number = core::parse_double(text);
  if (!number) return {core::ValueState::null, 0, false, text};
  if (!std::isfinite(*number)) return {core::ValueState::not_finite, 0, false, text};
  return {core::ValueState::number, *number, true, {}};
}
double count_of(std::string_view text) { return core::parse_double(text).value_or(0); }

// The rows of one request, of one group of them, or of all together (no point).
class Rows {
 public:
  Rows(RowWriter& writer, std::uint32_t section) : writer_(writer), rows_(writer, "gatling", section) {}

  void begin(std::string point, std::string_view kind) {
    point_ = std::move(point);
    dims_ = point_.empty() ? 0 : rows_.dims({{kind, point_}});
  }
  void requests(const Figure& figure) {
    rows_.add(point_, "requests", dims_, for_context(), leaf_of_figure(figure.total));
    rows_.add(point_, "failed", dims_, gate(), count_of(figure.failed));
    all_failed_ = count_of(figure.total) > 0 && count_of(figure.ok) <= 0;
  }
  void time(std::string_view statistic, const Figure& figure) {
    const bool extreme = statistic == "min" || statistic == "max";
    const Declared declared = extreme ? for_context("ms") : statistic == "stddev" ? own_noise("ms") : lower_is_better("ms");
    rows_.add(point_, "response_time." + std::string(statistic), dims_, declared, result(figure));
  }
  void throughput(const Figure& figure) {
    rows_.add(point_, "requests_per_second", dims_, higher_is_better("req/s"), result(figure));
  }
  // How many answers came within bounds that the test's configuration sets.
  void band(std::string_view name, double count) {
    rows_.add(point_, "responses[" + std::string(name.substr(0, 100)) + "]", dims_, for_context(), count);
  }
  void headlines(std::string_view tail) {
    writer_.out.declared.headlines.emplace_back(rows_.key({}, "response_time." + std::string(tail)));
    writer_.out.declared.headlines.emplace_back(rows_.key({}, "requests_per_second"));
  }

 private:
  [[nodiscard]] Leaf result(const Figure& figure) const {
    return all_failed_ ? failed_value("every request failed") : leaf_of_figure(figure.ok);
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::string point_;
  std::uint32_t dims_ = 0;
  bool all_failed_ = false;
};

constexpr std::pair<std::string_view, std::string_view> kTimes[] = {
    {"minResponseTime", "min"},      {"maxResponseTime", "max"},      {"meanResponseTime", "mean"},
    {"standardDeviation", "stddev"}, {"percentiles1", "percentile1"}, {"percentiles2", "percentile2"},
    {"percentiles3", "percentile3"}, {"percentiles4", "percentile4"}};

Figure figure_of(const Value& object) {
  const auto text = [&](std::string_view key) {
    const Value value = object.find(key);
    return value ? value.text() : std::string_view("-");
  };
  return {text("total"), text("ok"), text("ko")};
}

void add_stats(Rows& rows, const Value& stats) {
  rows.requests(figure_of(stats.find("numberOfRequests")));
  for (const auto& [member, statistic] : kTimes) {
    if (const Value figure = stats.find(member); figure.is_object()) rows.time(statistic, figure_of(figure));
  }
  if (const Value figure = stats.find("meanNumberOfRequestsPerSecond"); figure.is_object()) rows.throughput(figure_of(figure));
  for (const std::string_view group : {"group1", "group2", "group3"}) {
    const Value band = stats.find(group);
    if (const auto count = band.find_number("count")) rows.band(band.find_string("name"), *count);
  }
}

// Groups hold groups and requests; a name is said with those it stands in.
void add_contents(Rows& rows, const Value& contents, const std::string& path, int depth) {
  constexpr int kDeepest = 50;
  if (depth > kDeepest) return;
  for (const auto [key, valid, one] : contents.members()) {
    const std::string name = (path.empty() ? "" : path + " / ") + std::string(one.find_string("name").substr(0, 300));
    if (const Value stats = one.find("stats"); stats.find("numberOfRequests").is_object()) {
      rows.begin(name, one.find_string("type") == "GROUP" ? "group" : "request");
      add_stats(rows, stats);
    }
    add_contents(rows, one.find("contents"), name, depth + 1);
  }
}

core::Status read_gatling(const json::Value& root, RowWriter& writer) {
  const Value nested = root.find("stats");
  const Value stats = nested.is_object() ? nested : root;
  if (!stats.find("numberOfRequests").is_object()) {
    return core::fail(kOtherStructure, "no \"numberOfRequests\" object: these are not Gatling's statistics",
                      "Gatling writes js/stats.json and js/global_stats.json into the folder of its report");
  }
  Rows rows(writer, 1);
  rows.begin({}, {});
  add_stats(rows, stats);
  add_contents(rows, root.find("contents"), {}, 0);
  rows.headlines("percentile3");
  return {};
}

// "2000 (OK=1999   KO=1     )", or in the newer layout "|  2000 |  1999 |  1".
std::optional<Figure> printed_figure(std::string_view text) {
  if (const std::size_t ok = text.find("(OK="), ko = text.find("KO=");
      ok != std::string_view::npos && ko != std::string_view::npos) {
    const std::string_view failed = text.substr(ko + 3);
    return Figure{core::trim(text.substr(0, ok)), core::trim(text.substr(ok + 4, ko - ok - 4)),
                  core::trim(failed.substr(0, failed.find(')')))};
  }
  const std::vector<std::string_view> cells = core::split(text, '|');
  if (cells.size() != 4) return std::nullopt;
  return Figure{core::trim(cells[1]), core::trim(cells[2]), core::trim(cells[3])};
}
// Thousands are grouped in the newer layout.
std::string ungrouped(std::string_view text) {
  std::string out(text);
  std::erase(out, ',');
  return out;
}

class TextReader {
 public:
  static constexpr std::string_view kNothing = "no figure under \"---- Global Information\"";
  static constexpr std::string_view kHint = "Gatling prints them at the end of a test";
  TextReader(RowWriter& writer, std::uint32_t section) : rows_(writer, section) {}

  [[nodiscard]] bool begins(std::string_view line) const { return any_ && is_title(line); }
  void line(std::string_view line) {
    std::string_view text = core::trim(line);
    if (text.starts_with("----") || text.starts_with("====")) {
      inside_ = is_title(line);
      return;
    }
    if (!inside_ || !text.starts_with("> ")) return;
    text = core::trim(text.substr(2));
    const std::size_t figures = text.find('|');
    const std::size_t number = figures == std::string_view::npos ? last_number(text) : figures;
    const auto figure = printed_figure(text.substr(number));
    if (figure) named(core::trim(text.substr(0, number)), *figure);
  }
  void end() {
    if (any_) rows_.headlines("p95");
  }

 private:
  static bool is_title(std::string_view line) { return core::trim(line).starts_with("---- Global Information ---"); }
  // Where the total stands before "(OK=".
  static std::size_t last_number(std::string_view text) {
    const std::size_t ok = std::min(text.find("(OK="), text.size());
    const std::string_view before = core::trim(text.substr(0, ok));
    return before.empty() ? 0 : before.rfind(' ') + 1;
  }
  void named(std::string_view name, const Figure& printed) {
    const std::string total = ungrouped(printed.total), ok = ungrouped(printed.ok), failed = ungrouped(printed.failed);
    const Figure figure{total, ok, failed};
    if (name.ends_with(" (ms)")) name.remove_suffix(5);
    if (name == "request count") {
      rows_.begin({}, {});
      rows_.requests(figure);
    } else if (name == "min response time" || name == "max response time" || name == "mean response time") {
      rows_.time(name.substr(0, name.find(' ')), figure);
    } else if (name == "std deviation" || name == "response time std deviation") {
      rows_.time("stddev", figure);
    } else if (name.starts_with("response time ") && name.ends_with("th percentile")) {
      rows_.time("p" + std::string(name.substr(14, name.size() - 14 - 13)), figure);
    } else if (name == "mean requests/sec" || name == "mean throughput (rps)") {
      rows_.throughput(figure);
    } else {
      return;
    }
    any_ = true;
  }

  Rows rows_;
  bool inside_ = false, any_ = false;
};

}  // namespace

extern const Format gatling_format = {
    .name = "gatling",
    .title = "Gatling load test: `stats.json` and `global_stats.json`",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::object, 0.97, {"numberOfRequests/ok", "numberOfRequests/ko", "meanNumberOfRequestsPerSecond/ok"}},
               {Sign::In::object, 0.97, {"stats/numberOfRequests/ok", "stats/numberOfRequests/ko", "contents"}}}},
    .read = read_document<read_gatling>,
    .about =
        {.group = Group::load,
         .file = "JSON",
         .produce = "mvn gatling:test  # writes target/gatling/*/js/stats.json, global_stats.json",
         .judged =
             "response times in ms of what succeeded (lower), such requests per second (higher), failed requests as a gate, of "
             "`requests`; where every request failed the times are failed",
         .key = "group and request, statistic; all requests together have the statistic alone",
         .trials = "one value a key",
         .context = "none: the files hold none",
         .limits = "the four percentiles are called by their place, since the test's configuration says which they are (50, 75, "
                   "95 and 99 "
                   "unless it does); at a fixed rate of arrivals requests per second are the offered load",
         .recognised = "`numberOfRequests` with `ok` and `ko`"},
};

extern const Format gatling_text_format = {
    .name = "gatling-text",
    .title = "Gatling load test: printed summary",
    .replication = core::Replication::run,
    .signs = {{{Sign::In::head, 0.96, {"---- Global Information ---", "> request count", "> mean response time"}}}},
    .read = read_lines<TextReader>,
    .about =
        {.group = Group::load,
         .file = "text",
         .produce = "mvn gatling:test | tee result.txt",
         .judged =
             "response times in ms of what succeeded (lower), such requests per second (higher), failed requests as a gate, of "
             "`requests`",
         .key = "the statistic, and of a later run in one log its section",
         .trials = "one value a key",
         .context = "none: the text holds none",
         .limits = "all requests together; the distribution and the errors are left out",
         .recognised = "`---- Global Information ---`, `> request count`"},
};

}  // namespace plumbline::formats
