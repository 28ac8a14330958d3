// Rows of a format that knows its own metrics: unit, direction and role come from the reader (source `format`), not from the
// metric's name. What a reader does not know goes through RowWriter::add and is judged by name. Used by the readers of tool
// output; private to formats/. As long-lived as the writer it is given; not thread-safe.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  DeclaredRows(RowWriter& writer, std::string_view format) : writer_(writer), note_(writer.pool().intern(format)) {}

  [[nodiscard]] RowWriter& writer() { return writer_; }
  // The point's own shape. Pairs without a value are left out.
  [[nodiscard]] std::uint32_t dims(std::span<const std::pair<std::string_view, std::string>> pairs) {
    std::vector<std::pair<core::Id, core::Id>> ids;
    for (const auto& [name, value] : pairs) {
      if (!value.empty()) ids.emplace_back(writer_.pool().intern(name), writer_.pool().intern(value));
    }
    return writer_.out.add_dims(ids);
  }
  [[nodiscard]] std::uint32_t dims(std::initializer_list<std::pair<std::string_view, std::string>> pairs) {
    return dims(std::span(pairs.begin(), pairs.size()));
  }
  // One value: "<point>.<name>", or the bare name where the file is one point.
  void add(std::string_view point, std::string_view name, std::uint32_t dims, const Declared& declared, const Leaf& leaf) {
    const auto before = writer_.out.rows().size();
    // Only a value with a unit of its own needs to be told the declared one.
    writer_.add(key_of(point, name), name, RowWriter::kRootShape, dims, leaf,
                {.unit = leaf.unit.empty() ? std::string_view() : declared.unit});
    if (leaf.state != core::ValueState::text && leaf.state != core::ValueState::boolean) declare(before, declared);
  }
  void add(std::string_view point, std::string_view name, std::uint32_t dims, const Declared& declared, double value) {
    add(point, name, dims, declared, std::span<const double>(&value, 1));
  }
  // Trials. One that is not finite makes the row invalid; none at all makes no row.
  void add(std::string_view point, std::string_view name, std::uint32_t dims, const Declared& declared,
           std::span<const double> trials) {
    if (trials.empty()) return;
    const bool finite = std::all_of(trials.begin(), trials.end(), [](double value) { return std::isfinite(value); });
    const auto before = writer_.out.rows().size();
    writer_.add_trials(key_of(point, name), name, RowWriter::kRootShape, dims, finite ? trials : std::span<const double>(),
                       finite ? core::ValueState::number : core::ValueState::not_finite, finite ? "" : "NaN or infinite");
    declare(before, declared);
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
  // A field of the context descriptor; the caller's list of keys is the allow-list.
  void context(std::string_view key, std::string_view text) {
    if (!text.empty()) writer_.out.context.emplace(key, text.substr(0, 500));
  }

 private:
  std::string_view key_of(std::string_view point, std::string_view name) {
    if (point.empty()) return name;
    key_.assign(point);
    key_.push_back('.');
    key_.append(name);
    return key_;
  }
  void declare(std::size_t before, const Declared& declared) {
    if (writer_.out.rows().size() == before) return;  // a duplicate key: the first row was marked
    writer_.out.rows().back().metric_class = writer_.out.intern_class(class_of_declared(declared, writer_.pool(), note_));
  }

  RowWriter& writer_;
  core::Id note_;
  std::string key_;
};

// Whether the text holds every one of these; each becomes a line of evidence.
[[nodiscard]] inline bool has_all(std::string_view text, std::initializer_list<std::string_view> wanted, Detection& detection) {
  for (const std::string_view one : wanted) {
    if (text.find(one) == std::string_view::npos) return false;
  }
  for (const std::string_view one : wanted) detection.evidence.push_back("has " + std::string(one));
  return true;
}
// The same of the keys of a JSON text's head.
[[nodiscard]] inline bool has_keys(std::string_view head, std::initializer_list<std::string_view> keys, Detection& detection) {
  std::vector<std::string> quoted;
  for (const std::string_view key : keys) {
    quoted.push_back(core::quoted(key));
    if (head.find(quoted.back()) == std::string_view::npos) return false;
  }
  for (const std::string& key : quoted) detection.evidence.push_back("has the key " + key);
  return true;
}

}  // namespace plumbline::formats
