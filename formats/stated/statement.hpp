// A text format that is stated, not coded: which lines, tables and JSON records a tool writes, and what stands in their holes.
// One statement is data: a reader of ours is a table of them (formats/<group>/<tool>.cpp), a team's own is read from its project
// file (mapping.hpp). Both go through the same two functions, detect() and read() of stated.hpp.
//
// A line is written as the tool prints it, with a hole for each thing that varies: "Requests per second: {rps} [#/sec] (mean)".
//   - A hole reaches to the first place where the text behind it fits; the last one reaches to the end of the line.
//   - One blank stands for any run of blanks and tabs. Blanks around the line do not count.
//   - "{}" is a hole that nobody looks at. It may be empty. "{#}" is a number that nobody looks at, or a bar.
//   - A hole that is a metric fits a number alone, also one with its unit or with grouped digits, "N/A", "-", NaN or infinity.
//   - The first line of the statement that fits is taken. Where a metric would be no number, the first hole reaches further: the
//     name in "{name} {value}" may be of several words.
//   - A time may be one of Go, "1m30.5s". A unit may be a hole of the same line, of one word: "{value} {unit}".
// A path of JSON is that of JsonOutline, "results/latency/p99": arrays on the way are passed through. "{op}" is any one key,
// bound to that hole, "4{code}" one that begins with 4; ".." is the object around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/measurement.hpp"
#include "formats/declared.hpp"

namespace plumbline::formats::stated {

enum class Holds : std::uint8_t { metric, dimension, context };
// "27.5k" is 27,500, or 28,160. Where the declared unit has a prefix itself, "27.5k" of "kB/s" is 27.5.
enum class Prefixes : std::uint8_t { none, decimal, binary };

// What several values of one metric at one point of a run are.
enum class Several : std::uint8_t {
  trials,  // repetitions that the tool made
  last,    // a course, or counts that grow: the last one says it
  mean,    // readings of a monitor
  sum,     // counts of several kinds
  first,   // what is printed once more elsewhere
  most,    // readings of which the greatest counts: errors so far, a peak
};

// What a hole, a column or a member of JSON holds.
struct Field {
  std::string_view name;     // as the lines, columns and paths below call it
  std::string_view as = {};  // name of the metric or dimension, path of the descriptor; may have holes; empty: `name`
  Holds holds = Holds::metric;
  Declared declared = {};
  double times = 1;  // what is printed, times this, is in the declared unit
  Prefixes prefixes = Prefixes::none;
  bool headline = false;  // what users look at first; where more than eight are, the first eight of the file
  bool load = false;      // follows from the load that was offered: context where a line says that this was fixed
  Several several = Several::trials;
  std::string_view point = {};   // what it is of, where a line holds metrics of several things; empty: the line's point
  std::string_view beside = {};  // where this field has a value and the count has none, the count is `otherwise`
  double otherwise = 0;
  std::string_view of_point = {};  // a headline of the metrics of this point alone
  bool told = false;               // a dimension that the point's name holds already: rows have it, keys do not say it twice
  std::string_view note = {};      // a dimension of a run that is context as well: its path
  bool percentiles = false;        // many of them by one hole or heading: those that nobody compares are context
};
constexpr Field lower(std::string_view name, std::string_view unit, std::string_view as = {}) {
  return {.name = name, .as = as, .declared = {unit, core::Direction::lower}};
}
constexpr Field higher(std::string_view name, std::string_view unit, std::string_view as = {}) {
  return {.name = name, .as = as, .declared = {unit, core::Direction::higher}};
}
// Kept, never judged: settings that are numbers, counts, sums, best cases.
constexpr Field shown(std::string_view name, std::string_view unit = {}, std::string_view as = {}) {
  return {.name = name, .as = as, .declared = {unit, core::Direction::unknown, core::Role::context}};
}
constexpr Field noise(std::string_view name, std::string_view unit = {}, std::string_view as = {}) {
  return {.name = name, .as = as, .declared = {unit, core::Direction::unknown, core::Role::noise}};
}
// A count that must not grow, or (higher) a check that must not fail. "true", "yes", "pass" and the like are 1, their opposites
// 0.
constexpr Field gate(std::string_view name, std::string_view as = {}, core::Direction direction = core::Direction::lower) {
  return {.name = name, .as = as, .declared = {{}, direction, core::Role::gate, true}};
}
// What a tool says only where there is something to count, on a line for each kind of it.
constexpr Field counted(Field field, std::string_view beside) {
  field.beside = beside;
  field.several = Several::sum;
  return field;
}
// Part of the key. On a line with metrics it is theirs; on a line without it holds until it is said again or the run ends.
constexpr Field dimension(std::string_view name, std::string_view as = {}) {
  return {.name = name, .as = as, .holds = Holds::dimension};
}
// The name of the point itself.
constexpr Field named(std::string_view name) { return {.name = name, .holds = Holds::dimension, .told = true}; }
constexpr Field noted(std::string_view path, Field field) {
  field.note = path;
  return field;
}
constexpr Field context(std::string_view name, std::string_view path) {
  return {.name = name, .as = path, .holds = Holds::context};
}
// Judged where its name ends in p50, p90, p95 or p99, else context; of those that are a headline p99 is it.
constexpr Field percentile(std::string_view name, std::string_view unit, std::string_view as) {
  Field field = lower(name, unit, as);
  field.percentiles = true;
  return field;
}
constexpr Field headline(Field field) {
  field.headline = true;
  return field;
}
constexpr Field headline_of(std::string_view point, Field field) {
  field.headline = true;
  field.of_point = point;
  return field;
}
constexpr Field load(Field field) {
  field.load = true;
  return field;
}
constexpr Field times(double factor, Field field) {
  field.times = factor;
  return field;
}
constexpr Field taken_as(Several several, Field field) {
  field.several = several;
  return field;
}
constexpr Field of(std::string_view point, Field field) {
  field.point = point;
  return field;
}
constexpr Field with_prefixes(Prefixes prefixes, Field field) {
  field.prefixes = prefixes;
  return field;
}

// What a line does besides holding values.
enum class Turn : std::uint8_t {
  none,
  begins,  // another run: points of before may come again and have a section of their own
  ends,    // the run is complete; where a statement has such a line, a run without it is told as incomplete
  fails,   // the run's judged numbers mean nothing
  paces,   // the load was fixed: fields marked `load` are context
};

struct Line {
  std::string_view text;
  std::string_view point = {};  // what its metrics are of: "latency", "{op}"; empty: the statement's subject
  Turn turn = Turn::none;
  std::string_view within = {};  // tried only behind a line that fits this, until a blank line ends the block
  bool row = false;              // of a table: where some of its metrics are numbers, another is failed and a bar is none
  std::string_view says = {}, value = {};  // a field that the line has without a hole: "PASSED" is 1
  bool of_last = false;                    // its metrics are of the point that was measured last: percentiles below a result
};

// A column by its heading, or a member by its path, and the field that it holds. A hole in a heading is a number that varies:
// "p{p} Latency".
struct Column {
  std::string_view heading;
  std::string_view field;
};
// A heading line that holds the first two columns, then a row a line until one has another number of cells. Rules ("-----",
// "+---+") are passed over, and blank lines where commas separate. The first column takes the blanks that are too many. Of two
// columns of one heading the first counts.
struct Table {
  std::span<const Column> columns;
  std::string_view point = {};
  std::string_view within = {};      // as of a line
  char separator = ' ';              // ' ' any blanks, else this character: '|', ',', '\t', ';'
  std::string_view fills_down = {};  // the heading of a column whose empty cells mean what is above
  std::string_view busy = {};        // a field: a row where it is 0 says that nothing of the kind was done, and is left out
  Turn turn = Turn::none;            // begins: another run, where the one before has rows
  bool as_stated = false;            // rows come in the order of `columns`, whatever that of the heading
  // Every line below the heading whose second word is a number is a row of it: one that lost cells is warned of, and a file that
  // ends inside one is refused.
  bool rows_only = false;
};
// A line that fits `heading`, then a line of column names, then a line for each row: its name and a number a column. Names may
// be of several words, those of columns of as many each ("16 bytes  64 bytes").
struct Matrix {
  std::string_view heading;
  std::string_view row, column;  // dimensions
  std::string_view field;
  std::string_view point = {};
  std::size_t names_at = 1;  // lines behind the heading, 0: the heading itself
};
// Records of JSON at a path. A column's path begins at the record; an array of numbers, or the numbers of all elements on the
// way, are trials.
struct Records {
  std::string_view at = {};
  std::span<const Column> columns = {};
  std::string_view point = {};
  Turn turn = Turn::none;      // where a value is at the path that is not null
  std::string_view busy = {};  // as of a table
};

// Where `failures` are not fewer than `all`, or `all` is 0, the run's judged numbers mean nothing. Both are fields.
struct Spoiled {
  std::string_view failures, all;
  std::string_view why;  // "every request failed"
};

// All of these are in the head or at the end of the file: lines as above, or paths where the statement has records.
struct Recognised {
  std::span<const std::string_view> all;
  double score = 0.95;
};

struct Statement {
  std::string_view tool;                   // as its users call it
  std::string_view subject = {};           // of metrics that have dimensions and no point
  std::string_view together = {};          // a point of this name is the others together: it has no point and is the headline
  std::span<const Recognised> recognised;  // any of them
  std::span<const Field> fields;
  std::span<const Line> lines = {};
  std::span<const Table> tables = {};
  std::span<const Matrix> matrices = {};
  std::span<const Records> records = {};
  std::span<const Spoiled> spoiled = {};
  std::span<const std::string_view> dims = {};       // in the order in which keys spell them; those not named come behind
  std::span<const std::string_view> headlines = {};  // keys or patterns of them, in place of fields that are headlines
  bool again_is_another_run = false;                 // for tools that print nothing between runs: what a point has already
  std::string_view no_rows = {};                     // what is said of a run that began and has none: "has no table"
  std::string_view no_end = {};                      // of one without a line that ends or fails it: "does not say whether …"
  std::string_view nothing = {};                     // the error where no row was found, and what to do
  std::string_view hint = {};
};

}  // namespace plumbline::formats::stated
