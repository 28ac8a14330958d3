// What every reader that has no table of its own for names uses to build rows: interned keys, one class per kind of metric
// (name rules are asked once per shape of name, not per row), duplicate keys found without a second hash, and the
// findings that become warnings, each with its count and first example. One writer per read; not thread-safe.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "configs/configs.hpp"
#include "core/large_block.hpp"
#include "core/measurement.hpp"
#include "formats/format.hpp"
#include "formats/name_memo.hpp"

namespace plumbline::formats {

enum class Finding : std::uint8_t {
  duplicate_key,
  boolean_values,
  null_values,
  numeric_strings,
  big_integers,
  non_finite,
  trailing_comma,
  byte_order_mark,
  json_lines,
  control_characters,
  invalid_utf8,
  environment_in_source,
  index_keyed_records,
  mixed_units,
  empty_containers,
  mixed_array,
  extra_members,
  nulls_in_trials,
  grouped_digits,
  unread_numbers,
  ragged_lines,
  unnamed_columns,
  comment_lines,
  unequal_repeats,
  unread_file,
  count_
};

// What stands in the place of a number.
struct Leaf {
  core::ValueState state = core::ValueState::number;
  double value = 0;
  bool has_value = true;       // a finite number is there
  std::string_view text;       // as written
  std::string_view unit = {};  // written beside the number ("10 ms"), one that core::parse_unit knows
};
// A string: a number in quotes with or without a unit, NaN or infinity in quotes, an integer beyond 2^53 in quotes, or text.
[[nodiscard]] Leaf leaf_of_text(std::string_view text);
// Whether a true or false of this name is a check that must hold: "valid", "all_passed", "isCorrect".
[[nodiscard]] bool is_check(std::string_view name);

// What the file itself says about one row.
struct Explicit {
  std::string_view unit;
  core::Direction direction = core::Direction::unknown;
  bool context = false;  // never judged, whatever the name says
};

class RowWriter {
 public:
  explicit RowWriter(const ReadOptions& options);

  core::Measurement out;
  // At most so many rows are to come: saves growing, costs address space only.
  void reserve(std::size_t rows) {
    constexpr std::size_t kNames = 1000;  // of metrics, units, classes: what is not a key
    out.reserve(rows, rows);
    if (pool_->size() < rows) pool_->reserve(pool_->size() + rows + kNames);
  }
  // This key will come in a moment. Costs next to nothing where keys repeat the order of a file read before.
  void expect(std::string_view key) const {
    if (!repeats_) pool_->prefetch(key);
  }
  [[nodiscard]] bool expects() const { return !repeats_; }  // whether that is worth anything now
  [[nodiscard]] core::StringPool& pool() { return *pool_; }
  [[nodiscard]] const configs::MetricNames& names() const { return *names_; }

  // The shape of a container on the way to a row: names below it are judged by path, and equal shapes share their guess.
  [[nodiscard]] std::uint32_t shape(std::uint32_t parent, std::string_view name);
  static constexpr std::uint32_t kRootShape = 0;

  // Adds a row, or marks the first row of that key as a duplicate. The value's own unit is the row's where the file says no
  // other; where it does, the value is converted, or invalid when that is impossible.
  void add(std::string_view key, std::string_view name, std::uint32_t shape, std::uint32_t dims, const Leaf& given,
           const Explicit& said = {});
  void add_trials(std::string_view key, std::string_view name, std::uint32_t shape, std::uint32_t dims,
                  std::span<const double> values, core::ValueState state, std::string_view text, const Explicit& said = {});
  // A metric whose rows only differ in their points: what add_trials() would find out about each of them, asked once.
  struct Metric {
    core::Id name = 0;
    std::uint32_t metric_class = 0;
  };
  [[nodiscard]] Metric metric(std::string_view name, std::uint32_t shape, const Explicit& said = {}) {
    return {pool_->intern(name), class_of(name, shape, {}, said)};
  }
  // A row of finite numbers of such a metric.
  void add_known(std::string_view key, const Metric& metric, std::uint32_t dims, std::span<const double> values) {
    ++numbers_;
    place_known(intern_key(key), metric.name, metric.metric_class, dims, values);
  }
  // A row of finite numbers whose key and metric are interned and whose class the format declares.
  void add_known(core::Id key, core::Id metric, std::uint32_t metric_class, std::uint32_t dims, std::span<const double> values) {
    ++numbers_;
    last_key_ = key;
    place_known(key, metric, metric_class, dims, values);
  }

  // The same for a handful of rows of one number each, which is cheaper than one after the other. keys is as long as rows. The
  // first key is likely to be at `guess`. Gives where the last one is.
  struct Number {
    Metric metric;  // its name may be kNoId: the key itself
    std::uint32_t dims = 0;
    double value = 0;
  };
  core::Id add_known(std::span<const std::string_view> keys, std::span<const Number> rows, core::Id guess);
  // As if no row had been added and nothing been found yet but `before`: for a reader that tried the quick way in vain. Texts
  // stay in the pool.
  struct Findings;
  [[nodiscard]] Findings findings() const;
  void start_again(const Findings& before);

  // The parts of such a metric, of a name that says all there is to say about it.
  [[nodiscard]] std::uint32_t class_of_number(std::string_view name, std::uint32_t shape) {
    return guessed_class(name, shape, {});
  }
  // Metrics come in turn: the last of each length and first letter is nearly always the one.
  [[nodiscard]] core::Id metric_id(std::string_view name) {
    core::Id& recent =
        recent_[(name.size() * 3 + (name.empty() ? 0 : static_cast<unsigned char>(name.front()))) % recent_.size()];
    if (pool_->view(recent) != name) recent = pool_->intern(name, last_metric_ + 1);
    return recent;
  }

  // An object member that is a container stands twice: everything in both is duplicate.
  void open_container(std::string_view path);
  void close_container(std::string_view path);

  void find(Finding finding, std::string_view example, std::uint64_t count = 1);
  [[nodiscard]] std::uint64_t found(Finding finding) const { return findings_[static_cast<std::size_t>(finding)].count; }

  // Asked between rows: a bound is exceeded, or the caller wants to stop.
  [[nodiscard]] bool halted() {
    if (halted_) return true;
    const std::size_t rows = out.rows().size();
    if (rows > options_.max_rows || (++asked_ % 65536 == 0 && options_.stop && options_.stop())) halted_ = true;
    return halted_;
  }
  // Turns findings into warnings, and refuses a measurement without a number. `what` says what was found instead.
  [[nodiscard]] core::Expected<core::Measurement> finish(std::string_view name);

 private:
  struct Count {
    std::uint64_t count = 0;
    std::string example;
  };
  using Counts = std::array<Count, static_cast<std::size_t>(Finding::count_)>;
  struct Range {
    std::uint32_t first = 0, end = 0;
    bool repeated = false;
  };

  std::uint32_t class_of(std::string_view name, std::uint32_t shape, const Leaf& leaf, const Explicit& said);
  std::uint32_t guessed_class(std::string_view name, std::uint32_t shape, const Explicit& said);
  std::uint32_t scope_of(std::uint32_t shape, const Explicit& said);
  void note_unit(std::string_view name, std::uint32_t shape, core::Id unit);
  void judge_text(Leaf& leaf, std::string_view key, std::string_view name, const Explicit& said);
  void put(std::string_view key, std::string_view name, std::uint32_t metric_class, std::uint32_t dims, core::ValueState state,
           std::string_view text, std::span<const double> values);
  core::Id intern_key(std::string_view key);
  bool is_taken(core::Id key);
  void place(core::Id key, core::Id metric, std::uint32_t metric_class, std::uint32_t dims, core::ValueState state, core::Id text,
             std::span<const double> values);
  void place_number(core::Id key, core::Id metric, std::uint32_t metric_class, std::uint32_t dims, double value);
  void place_known(core::Id key, core::Id metric, std::uint32_t metric_class, std::uint32_t dims,
                   std::span<const double> values) {
    if (values.size() == 1) {
      place_number(key, metric, metric_class, dims, values.front());
    } else {
      place(key, metric, metric_class, dims, core::ValueState::number, 0, values);
    }
  }
  core::Id metric_id(std::string_view name, std::string_view key, core::Id key_id) {
    return name.data() == key.data() && name.size() == key.size() ? key_id : metric_id(name);
  }
  std::uint32_t& slot(core::Id key);
  void map_rows();
  void mark_duplicate(std::uint32_t row, core::Id key);

  const ReadOptions& options_;
  std::shared_ptr<core::StringPool> pool_;
  std::shared_ptr<const configs::MetricNames> names_;
  // Ids of keys mostly rise: those of new texts do, and those of a file whose like was read before. A key above all that were
  // there is no duplicate, and rows are entered here only when another kind of key asks.
  std::vector<std::uint32_t> row_of_key_;  // by pool id: row, or kContainer | index into containers_
  std::size_t mapped_ = 0;                 // so many rows are entered
  core::Id highest_key_ = 0;
  std::vector<Range> containers_;
  NameMemo classes_, child_shapes_;  // under a scope (a shape, or a shape with what the file says), under a parent's shape
  std::vector<std::string> shapes_;  // a path that stands for all of the shape
  std::unordered_map<std::string, std::uint32_t> scopes_;  // of a shape with what the file says about a row
  struct UnitSeen {
    core::Id unit = 0;
    bool mixed = false;
  };
  std::unordered_map<std::string, UnitSeen> units_;  // by metric: what the file called its unit first
  std::string scratch_;
  Counts findings_;
  std::vector<core::Id> key_ids_;
  core::Id last_key_ = 0, last_metric_ = 0;
  std::array<core::Id, 32> recent_{};  // names of metrics
  std::uint32_t text_class_ = 0, boolean_class_ = 0, boolean_gate_ = 0;
  std::uint32_t duplicate_depth_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t numbers_ = 0, texts_ = 0, nulls_ = 0, empties_ = 0;
  bool halted_ = false;
  bool repeats_ = false;  // the last key was where the file read before had it
};

struct RowWriter::Findings {
  Counts counts;
};

}  // namespace plumbline::formats
