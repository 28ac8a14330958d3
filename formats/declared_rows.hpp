// Rows of a format that knows its own metrics: unit, direction and role come from the reader (source `format`), not from the
// metric's name. What a reader does not know goes through RowWriter::add and is judged by name. Used by the readers of tool
// output (formats/, systems/). As long-lived as the writer it is given; not thread-safe. A log may hold several runs of one tool:
// the points of later ones are called "latency[section=2]" and have the dimension section, as those of ToolRows.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/declared.hpp"
#include "formats/row_writer.hpp"

namespace plumbline::formats {

[[nodiscard]] constexpr Declared lower_is_better(std::string_view unit) { return {unit, core::Direction::lower}; }
[[nodiscard]] constexpr Declared higher_is_better(std::string_view unit) { return {unit, core::Direction::higher}; }
// Never judged: settings, counts, best cases, sums.
[[nodiscard]] constexpr Declared for_context(std::string_view unit = {}) {
  return {unit, core::Direction::unknown, core::Role::context};
}
[[nodiscard]] constexpr Declared own_noise(std::string_view unit = {}) {
  return {unit, core::Direction::unknown, core::Role::noise};
}
// A count that must not get worse at all.
[[nodiscard]] constexpr Declared gate(core::Direction direction = core::Direction::lower) {
  return {{}, direction, core::Role::gate, true};
}

class DeclaredRows {
 public:
  // `section`: of which run of a log these are the rows, counted from 1.
  DeclaredRows(RowWriter& writer, std::string_view format, std::uint32_t section = 1)
      : writer_(writer), note_(writer.pool().intern(format)), section_(section) {}

  [[nodiscard]] RowWriter& writer() { return writer_; }
  // For tools that print nothing between runs: what a point has already is a later section's when it comes again.
  void repeats_are_sections() { by_repeats_ = true; }
  // Points that came again; 0 unless repeats are sections.
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }
  void warn_of_repeats() {
    if (repeated_ == 0) return;
    writer_.out.warn("repeated_sections",
                     core::counted(repeated_, "point was", "points were") +
                         " measured again further down in the file, which has rows of its own (section=2, …): " +
                         core::cited(repeated_example_));
  }
  // The point's own shape. Pairs without a value are left out.
  [[nodiscard]] std::uint32_t dims(std::span<const std::pair<std::string_view, std::string>> pairs) {
    std::vector<std::pair<core::Id, core::Id>> ids;
    for (const auto& [name, value] : pairs) {
      if (!value.empty()) ids.emplace_back(writer_.pool().intern(name), writer_.pool().intern(value));
    }
    if (section_ > 1) ids.push_back(section_dim(section_));
    return writer_.out.add_dims(ids);
  }
  [[nodiscard]] std::uint32_t dims(std::initializer_list<std::pair<std::string_view, std::string>> pairs) {
    return dims(std::span(pairs.begin(), pairs.size()));
  }
  // One value: "<point>.<name>", or the bare name where the file is one point.
  void add(std::string_view point, std::string_view name, std::uint32_t dims, const Declared& declared, const Leaf& leaf) {
    const auto before = writer_.out.rows().size();
    const std::uint32_t section = section_of(point, name);
    dims = in_section(dims, section);
    // Only a value with a unit of its own needs to be told the declared one.
    writer_.add(key_of(point, name, section), name, RowWriter::kRootShape, dims, leaf,
                {.unit = leaf.unit.empty() ? std::string_view() : declared.unit});
    if (leaf.state != core::ValueState::text && leaf.state != core::ValueState::boolean) declare(before, declared);
  }
  void add(std::string_view point, std::string_view name, std::uint32_t dims, const Declared& declared, double value) {
    add(point, name, dims, declared, std::span<const double>(&value, 1));
  }
  // Trials. One that is not finite makes the row invalid; none at all makes no row.
  void add(std::string_view point, std::string_view name, std::uint32_t dims, const Declared& declared,
           std::span<const double> trials) {
    const auto before = writer_.out.rows().size();
    add_by_name(point, name, dims, trials);
    if (!trials.empty()) declare(before, declared);
  }
  // The same of a metric that the tool's user named: its name has to say what it is.
  void add_by_name(std::string_view point, std::string_view name, std::uint32_t dims, std::span<const double> trials) {
    if (trials.empty()) return;
    const bool finite = std::all_of(trials.begin(), trials.end(), [](double value) { return std::isfinite(value); });
    const std::uint32_t section = section_of(point, name);
    dims = in_section(dims, section);
    writer_.add_trials(key_of(point, name, section), name, RowWriter::kRootShape, dims,
                       finite ? trials : std::span<const double>(),
                       finite ? core::ValueState::number : core::ValueState::not_finite, finite ? "" : "NaN or infinite");
  }
  // Rows from this one on mean nothing as results: every request failed, the run was aborted.
  void fail_from(std::size_t first, std::string_view why) {
    const core::Id text = writer_.pool().intern(why);
    auto& rows = writer_.out.rows();
    for (std::size_t i = first; i < rows.size(); ++i) {
      if (rows[i].state != core::ValueState::number || writer_.out.metric_class(rows[i]).role != core::Role::judged) continue;
      rows[i].state = core::ValueState::failed;
      rows[i].text = text;
    }
  }
  // A field of the context descriptor; the caller's list of keys is the allow-list. One that a later run says differently is
  // emptied, and left out by drop_disputed().
  void context(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    const auto [known, fresh] = writer_.out.context.emplace(key, text.substr(0, 500));
    if (!fresh && section_ > 1 && known->second != text.substr(0, 500)) known->second.clear();
  }
  static void drop_disputed(core::Measurement& out) {
    std::erase_if(out.context, [](const auto& entry) { return entry.second.empty(); });
  }
  // The key of this run's point.
  [[nodiscard]] std::string_view key(std::string_view point, std::string_view name) { return key_of(point, name, section_); }
  // Rows without a shape of their own belong to their run.
  [[nodiscard]] std::uint32_t run_dims(std::uint32_t dims) { return in_section(dims, section_); }

 private:
  struct Seen {
    std::uint32_t section = 1;
    std::set<std::string, std::less<>> names;  // of that section
  };
  std::uint32_t section_of(std::string_view point, std::string_view name) {
    if (!by_repeats_) return section_;
    Seen& seen = seen_[std::string(point)];
    if (!seen.names.emplace(name).second) {
      ++seen.section;
      seen.names = {std::string(name)};
      if (repeated_++ == 0) repeated_example_ = std::string(point.substr(0, 200));
    }
    return seen.section;
  }
  std::pair<core::Id, core::Id> section_dim(std::uint32_t section) {
    return {writer_.pool().intern("section"), writer_.pool().intern(std::to_string(section))};
  }
  std::uint32_t in_section(std::uint32_t dims, std::uint32_t section) {
    if (section == 1 || (!by_repeats_ && dims != 0)) return dims;
    core::Row row;
    row.dims = dims;
    const auto given = writer_.out.dims(row);
    std::vector<std::pair<core::Id, core::Id>> ids(given.begin(), given.end());
    ids.push_back(section_dim(section));
    return writer_.out.add_dims(ids);
  }
  std::string_view key_of(std::string_view point, std::string_view name, std::uint32_t section) {
    if (point.empty() && section == 1) return name;
    key_.assign(point);
    if (section > 1) {
      const bool bracket = key_.ends_with(']');
      if (bracket) key_.pop_back();
      key_.append(bracket ? ",section=" : "[section=").append(std::to_string(section)).push_back(']');
    }
    key_.push_back('.');
    key_.append(name);
    return key_;
  }
  void declare(std::size_t before, const Declared& declared) {
    if (writer_.out.rows().size() == before) return;  // a duplicate key: the first row was marked
    core::Row& row = writer_.out.rows().back();
    const core::Share by_name = writer_.out.metric_class(row).share;
    row.metric_class = writer_.out.intern_class(class_of_declared(declared, writer_.pool(), note_, by_name));
  }

  RowWriter& writer_;
  core::Id note_;
  std::uint32_t section_;
  bool by_repeats_ = false;
  std::uint64_t repeated_ = 0;
  std::string key_, repeated_example_;
  std::unordered_map<std::string, Seen> seen_;  // where repeats are sections
};

}  // namespace plumbline::formats
