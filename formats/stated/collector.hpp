// What the lines, tables and records of a statement gave, until a run of the tool ends: then it is known whether the run failed,
// whether its load was fixed, and its rows are made. Used by log.cpp and records.cpp. Not thread-safe.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "formats/hardware/headlines.hpp"
#include "formats/stated/statement.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::stated {

// What stands in the place of a metric; nothing where the text is no value of that field.
[[nodiscard]] std::optional<Leaf> value_of(const Field& field, std::string_view text);

// One hole, cell or member: its name in the statement, the field of that name (null: nobody looks at it), and what it holds.
struct Given {
  std::string_view name;
  const Field* field = nullptr;
  std::string_view text;
  std::vector<Leaf> values = {};            // of a metric whose values are not to be read from the text: its trials
  std::string_view hole = {}, number = {};  // of its heading: the metric's name may hold it
};
// What a line, table or record says of its rows.
struct Whose {
  std::string_view point = {};
  std::string_view busy = {};
  bool of_last = false;
};

class Collector {
 public:
  Collector(const Statement& statement, const Input& input, const ReadOptions& options);

  [[nodiscard]] const Field* field(std::string_view name) const;
  // One line, row or record. False where a metric's text is no value: then nothing was taken.
  bool take(std::span<const Given> given, const Whose& whose);
  void turn(Turn turn, std::size_t line, std::string_view text);
  // The heading of a table begins another run where the one before has rows.
  void begin_with_table(std::size_t line) {
    const auto is_row = [](const Value& one) { return one.metric->role != core::Role::gate; };
    if (std::any_of(values_.begin(), values_.end(), is_row)) end_run();
    if (begun_ == 0) begun_ = line;
  }
  // A row of a table that lost cells.
  void ragged(std::size_t line) { rows_.writer.find(Finding::ragged_lines, "line " + std::to_string(line)); }
  [[nodiscard]] core::Error error(std::string message, std::string hint, std::size_t line) const {
    return rows_.error(std::move(message), std::move(hint), line);
  }
  [[nodiscard]] bool halted() { return rows_.halted() || values_.size() > most_; }
  // `must_end`: the tool says when it is done.
  [[nodiscard]] core::Expected<core::Measurement> finish(bool must_end, core::ErrorCode nothing);

 private:
  using Dims = std::vector<std::pair<std::string, std::string>>;
  struct Value {
    const ToolMetric* metric = nullptr;
    const Field* field = nullptr;
    std::uint32_t place = 0;  // index into places_
    Leaf leaf;
    std::string printed = {};  // where a check may fail the run
  };
  struct Place {
    std::string subject;
    Dims dims, told;  // told: by the subject
  };
  // Readings of one metric at one place that become one value.
  struct Course {
    std::size_t at = 0;  // index into values_
    double sum = 0;
    std::uint64_t count = 0;
  };
  struct Made {
    std::string name, unit;
    ToolMetric metric;
  };
  [[nodiscard]] bool is_headline(const Field& field, std::string_view metric, const Place& place) const;
  static void set(Dims& dims, std::string name, std::string_view value);
  [[nodiscard]] std::string fill(std::string_view text, std::span<const Given> given, const Given* own = nullptr) const;
  const ToolMetric& metric(const Field& field, const std::string& name, const std::string& unit, bool as_context);
  [[nodiscard]] std::uint32_t place_at(std::string_view point, Dims dims, std::span<const Given> given);
  void put_in_order(Dims& dims) const;
  [[nodiscard]] const Field* dimension_called(std::string_view name) const;
  const ToolMetric& metric_of(const Given& one, std::span<const Given> given);
  [[nodiscard]] bool is_there(std::span<const Given> given, const Whose& whose, const Dims& own);
  void put(const ToolMetric& metric, const Field& field, std::uint32_t place, const Leaf& leaf, std::string_view printed = {});
  [[nodiscard]] Leaf as_result(const Value& one, std::string_view why);
  [[nodiscard]] std::string_view why_spoiled() const;
  void count_nothing();
  void end_run();

  const Statement& statement_;
  ToolRows rows_;
  Headlines headlines_;
  std::size_t most_;
  bool has_checks_;        // a line that fails the run says it as a gate: then nothing else but what was printed is kept
  std::deque<Made> made_;  // ToolRows tells metrics by their addresses
  std::map<std::tuple<const Field*, std::string, std::string, bool>, const ToolMetric*> metrics_;
  std::vector<const ToolMetric*> plain_;  // by field, of those whose names and units have no holes
  // Of the run that is being read.
  Dims held_;
  std::vector<Place> places_;
  std::unordered_map<std::string, std::uint32_t> place_of_;  // by its subject and dimensions: index into places_
  std::vector<Value> values_;
  struct HashOfPair {
    std::size_t operator()(const std::pair<const ToolMetric*, std::uint32_t>& pair) const {
      return std::hash<const ToolMetric*>()(pair.first) * 31 + pair.second;
    }
  };
  std::unordered_map<std::pair<const ToolMetric*, std::uint32_t>, Course, HashOfPair> courses_;  // by metric and place
  std::size_t begun_ = 0;                                                                        // its line
  bool ended_ = false, paced_ = false, any_paced_ = false;
  std::string failed_;
  std::unordered_set<std::string> headline_keys_;
};

}  // namespace plumbline::formats::stated
