#include "verdict/culprits/table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/large_block.hpp"
#include "core/text.hpp"
#include "verdict/culprits/endpoints.hpp"
#include "verdict/culprits/name_parts.hpp"
#include "verdict/evidence_of_rows.hpp"

namespace plumbline::verdict::culprits {

namespace {

using core::Comparison;
using core::Delta;
using core::Id;

constexpr double kMostTolerances = 20;      // a change beyond that says no more than that
constexpr std::size_t kWordRows = 200'000;  // flat files above this are not taken apart by their words
constexpr std::size_t kMostWords = 8;

// Ids to codes: a small table of open addressing, since every row asks once a column.
class CodeOfId {
 public:
  // 0 once there are too many.
  Code of(Id id) {
    if (full_) return 0;
    std::size_t at = place(id);
    while (slots_[at].code != 0 && slots_[at].id != id) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].code != 0) return slots_[at].code;
    if (ids_.size() == kMostValues) {
      full_ = true;
      return 0;
    }
    ids_.push_back(id);
    slots_[at] = {id, static_cast<Code>(ids_.size())};
    if (2 * ids_.size() > slots_.size()) grow();
    return static_cast<Code>(ids_.size());
  }
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] const std::vector<Id>& ids() const { return ids_; }

 private:
  struct Slot {
    Id id = 0;
    Code code = 0;
  };
  [[nodiscard]] std::size_t place(Id id) const { return std::size_t{static_cast<Id>(id * 0x9E3779B1U)} & (slots_.size() - 1); }
  void grow() {
    slots_.assign(4 * slots_.size(), {});
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      std::size_t at = place(ids_[i]);
      while (slots_[at].code != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {ids_[i], static_cast<Code>(i + 1)};
    }
  }
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::vector<Id> ids_;
  bool full_ = false;
};

struct Draft {
  Column column;
  CodeOfId codes;
  const core::StringPool* texts = nullptr;  // what the ids stand for
};

bool is_collective(std::string_view text) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"all_reduce", "allreduce", "all_gather", "allgather", "reduce_scatter", "reducescatter", "all_to_all", "alltoall",
       "broadcast", "reduce", "gather", "scatter", "sendrecv", "hypercube", "all_gather_v", "alltoallv"});
  return std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

class Tabling {
 public:
  Tabling(const Comparison& c, const core::RowMarks& marks) : c_(c), marks_(marks), pool_(c.baseline->pool()) {}

  Table run() {
    choose_rows();
    if (tells_no_parts()) return std::move(out_);
    measure_rows();
    add_dimensions();
    add_tests();
    add_metrics();
    if (flat_ <= kWordRows) add_words();
    for (Draft& draft : drafts_) finish(draft);
    add_name_parts(out_.columns);
    add_endpoints(out_.columns);
    std::erase_if(out_.columns, [](const Column& column) { return column.too_fine; });
    return std::move(out_);
  }

 private:
  void choose_rows() {
    derived_ = pool_.find("derived");
    core::reserve_large(out_.deltas, c_.deltas.size());
    for (std::uint32_t i = 0; i < c_.deltas.size(); ++i) {
      const Delta& d = c_.deltas[i];
      if (!is_decided(d) || d.gate || d.baseline_row == core::kNoRow || d.current_row == core::kNoRow || is_derived(d)) continue;
      if (marks_.waived(i)) continue;  // it is known, and hides what is new
      out_.deltas.push_back(i);
      see(row_of(d));
      out_.regressed.push_back(d.state == core::State::regressed ? 1 : 0);
    }
  }
  void measure_rows() {
    core::reserve_large(out_.changes, out_.rows());
    for (const std::uint32_t i : out_.deltas) {
      const Delta& d = c_.deltas[i];
      out_.changes.push_back(static_cast<float>(std::min(d.used, kMostTolerances) * (d.adverse ? 1 : -1)));
      out_.sound.push_back(d.state == core::State::regressed && !marks_.suspect(i) ? 1 : 0);
    }
  }
  void see(const core::Row& row) {
    any_dims_ = any_dims_ || row.dims != 0;
    if (!any_dims_ && metrics_.size() <= kMostValues) metrics_.insert(row.metric);
  }
  // A million flat keys, each its own metric: known before columns are made of them.
  [[nodiscard]] bool tells_no_parts() const { return out_.rows() > kWordRows && !any_dims_ && metrics_.size() > kMostValues; }
  [[nodiscard]] bool is_derived(const Delta& d) const {
    if (derived_ == core::kNoId) return false;
    const auto dims = c_.baseline->dims(row_of(d));
    return std::any_of(dims.begin(), dims.end(), [&](const auto& dim) { return dim.first == derived_; });
  }
  [[nodiscard]] const core::Row& row_of(const Delta& d) const { return c_.baseline->rows()[d.baseline_row]; }
  [[nodiscard]] const core::Row& row(std::size_t i) const { return row_of(c_.deltas[out_.deltas[i]]); }

  Draft& draft(Column::Kind kind, std::string name) {
    Draft& made = drafts_.emplace_back();
    made.texts = kind == Column::Kind::test || kind == Column::Kind::word ? &parts_ : &pool_;
    made.column.kind = kind;
    made.column.name = std::move(name);
    made.column.codes.resize(out_.rows());
    return made;
  }

  void add_dimensions() {
    std::unordered_map<Id, std::size_t> of_name;
    std::vector<std::pair<Id, std::size_t>> last;  // the row before has mostly the same names in the same order
    for (std::size_t i = 0; i < out_.rows(); ++i) {
      const auto dims = c_.baseline->dims(row(i));
      if (dims.empty()) ++flat_;
      for (std::size_t k = 0; k < dims.size(); ++k) {
        if (k >= last.size()) last.resize(k + 1, {core::kNoId, 0});
        if (last[k].first != dims[k].first) {
          const auto [at, fresh] = of_name.try_emplace(dims[k].first, drafts_.size());
          if (fresh) draft(Column::Kind::dimension, std::string(pool_.view(dims[k].first)));
          last[k] = {dims[k].first, at->second};
        }
        Draft& its = drafts_[last[k].second];
        its.column.codes[i] = its.codes.of(dims[k].second);
      }
    }
  }

  // What stands before a key's brackets: "all_reduce[size=8,place=in].busbw".
  void add_tests() {
    Draft& tests = draft(Column::Kind::test, "test");
    std::string_view last;
    Code code = 0;
    for (std::size_t i = 0; i < out_.rows(); ++i) {
      if (row(i).dims == 0) continue;
      const std::string_view key = pool_.view(row(i).key);
      const std::size_t end = key.find('[');
      if (end == std::string_view::npos || end == 0) continue;
      if (key.substr(0, end) != last) {
        last = key.substr(0, end);
        code = tests.codes.of(parts_.intern(last));
      }
      tests.column.codes[i] = code;
    }
  }

  void add_metrics() {
    Draft& metrics = draft(Column::Kind::metric, "metric");
    std::unordered_map<Id, std::uint32_t> numbers;
    core::reserve_large(out_.metrics, out_.rows());
    for (std::size_t i = 0; i < out_.rows(); ++i) {
      const Id metric = row(i).metric;
      metrics.column.codes[i] = metrics.codes.of(metric);
      const std::uint32_t number =
          metrics.column.codes[i] != 0
              ? metrics.column.codes[i] - 1U
              : static_cast<std::uint32_t>(kMostValues) +
                    numbers.try_emplace(metric, static_cast<std::uint32_t>(numbers.size())).first->second;
      out_.metrics.push_back(number);
      out_.metric_count = std::max<std::size_t>(out_.metric_count, number + 1U);
    }
  }

  // Rows without dimensions have the words of their path, by place.
  void add_words() {
    const std::size_t first = drafts_.size();
    std::vector<std::string_view> words;
    for (std::size_t i = 0; i < out_.rows(); ++i) {
      if (row(i).dims != 0) continue;
      words_of(row(i), words);
      for (std::size_t k = 0; k < std::min(words.size(), kMostWords); ++k) {
        if (first + k == drafts_.size()) draft(Column::Kind::word, "part " + std::to_string(k + 1));
        Draft& its = drafts_[first + k];
        its.column.codes[i] = its.codes.of(parts_.intern(words[k]));
      }
    }
  }
  void words_of(const core::Row& row, std::vector<std::string_view>& words) const {
    words.clear();
    const std::string_view key = pool_.view(row.key);
    const std::string_view metric = pool_.view(row.metric);
    std::size_t start = 0;
    for (std::size_t i = 0; i <= key.size(); ++i) {
      const bool word = i < key.size() && (std::isalnum(static_cast<unsigned char>(key[i])) != 0 || key[i] == '_');
      if (word) continue;
      if (i > start && key.substr(start, i - start) != metric) words.push_back(key.substr(start, i - start));
      start = i + 1;
    }
  }

  // A column that tells no two rows apart describes no part; one that tells nearly every row from every other may yet be taken
  // apart into its ends.
  void finish(Draft& draft) {
    Column& column = draft.column;
    const std::size_t values = draft.codes.ids().size();
    const bool missing = std::any_of(column.codes.begin(), column.codes.end(), [](Code code) { return code == 0; });
    if (draft.codes.full() || values + (missing ? 1 : 0) < 2) return;
    for (const Id id : draft.codes.ids()) column.values.emplace_back(draft.texts->view(id));
    set_order(column);
    column.too_fine = !column.ordered() && 3 * values > 2 * out_.rows();
    const auto all_collectives = [](const Column& one) {
      return std::all_of(one.values.begin(), one.values.end(), [](const std::string& value) { return is_collective(value); });
    };
    if (column.kind == Column::Kind::test && all_collectives(column)) column.name = "collective";
    if (column.kind == Column::Kind::word && column.ordered()) column.name = "size";
    out_.columns.push_back(std::move(column));
  }

  const Comparison& c_;
  const core::RowMarks& marks_;
  const core::StringPool& pool_;
  core::StringPool parts_;  // of keys
  Table out_;
  std::vector<Draft> drafts_;
  Id derived_ = core::kNoId;
  bool any_dims_ = false;
  std::unordered_set<Id> metrics_;  // of rows without dimensions, until there are too many
  std::size_t flat_ = 0;            // rows without dimensions
};

}  // namespace

void set_order(Column& column) {
  constexpr std::size_t kFewest = 3;
  if (column.values.size() < kFewest || column.kind == Column::Kind::metric || names_an_end(column.name)) return;
  std::vector<double> magnitudes;
  for (const std::string& value : column.values) {
    magnitudes.push_back(magnitude(value));
    if (std::isnan(magnitudes.back())) return;
  }
  column.magnitudes = std::move(magnitudes);
}

double magnitude(std::string_view text) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.')) ++digits;
  if (digits == 0) return kNone;
  const auto number = core::parse_double(text.substr(0, digits));
  if (!number) return kNone;
  std::string unit = core::to_lower(text.substr(digits));
  if (unit.empty()) return *number;
  if (unit.back() == 'b') unit.pop_back();
  const bool binary = !unit.empty() && unit.back() == 'i';
  if (binary) unit.pop_back();
  if (unit.empty()) return binary ? kNone : *number;
  static constexpr std::string_view kPrefixes = "kmgt";
  const std::size_t power = unit.size() == 1 ? kPrefixes.find(unit.front()) : std::string_view::npos;
  if (power == std::string_view::npos) return kNone;
  return *number * std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

Table table_of(const Comparison& comparison, const core::RowMarks& marks) { return Tabling(comparison, marks).run(); }

}  // namespace plumbline::verdict::culprits
