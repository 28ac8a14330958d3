// The records of a statement: JSON read by paths. Depth is that of the paths, so recursion is bounded by the statement.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "formats/readers.hpp"
#include "formats/stated/collector.hpp"
#include "formats/stated/log.hpp"

namespace plumbline::formats::stated {
namespace {

using Bound = std::vector<std::pair<std::string_view, std::string_view>>;  // holes of the path and the keys in their place

// "{code}" or "4{code}": a key that begins with what is before the hole.
bool is_hole(std::string_view segment) { return segment.find('{') != std::string_view::npos && segment.ends_with('}'); }

// The first segment of a path and the rest of it.
std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
  const std::size_t slash = path.find('/');
  return {path.substr(0, slash), slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1)};
}

class Reader {
 public:
  Reader(const Statement& statement, const Input& input, const ReadOptions& options, Account* account)
      : statement_(statement), rows_(statement, input, options), account_(account) {}

  core::Expected<core::Measurement> read(const json::Document& document) {
    for (const json::Value& root : documents_of(document)) {
      if (rows_.halted()) break;
      for (const Records& records : statement_.records) {
        around_.clear();
        bound_.clear();
        walk(root, records.at, [&](const json::Value& record) { take(record, records); });
      }
    }
    return rows_.finish(false, kOtherStructure);
  }

 private:
  // Calls `each` for every value at the path; objects on the way are in around_, keys of holes in bound_.
  template <class Each>
  void walk(const json::Value& value, std::string_view path, const Each& each) {  // NOLINT(misc-no-recursion): by segments
    if (rows_.halted()) return;
    if (value.is_array()) {
      for (const json::Value& element : value.elements()) walk(element, path, each);
      return;
    }
    if (path.empty()) {
      each(value);
      return;
    }
    if (!value.is_object()) return;
    const auto [segment, rest] = split_path(path);
    around_.push_back(value);
    if (const json::Value named = rest.empty() ? json::Value() : value.find(path)) {  // a name may hold a slash: "Ops/sec"
      walk(named, {}, each);
    } else if (is_hole(segment)) {
      const std::string_view before = segment.substr(0, segment.find('{'));
      for (const auto& member : value.members()) {
        if (!member.key.starts_with(before)) continue;
        bound_.emplace_back(segment.substr(before.size() + 1, segment.size() - before.size() - 2),
                            member.key.substr(before.size()));
        walk(member.value, rest, each);
        bound_.pop_back();
      }
    } else if (const json::Value member = value.find(segment)) {
      walk(member, rest, each);
    }
    around_.pop_back();
  }

  // The values at a column's path: several where arrays are on the way. "../x" begins at the object around the record.
  void values_at(const json::Value& record, std::string_view path, std::vector<json::Value>& found) {
    std::size_t up = around_.size();
    json::Value from = record;
    while (path.starts_with("../") && up > 0) {
      from = around_[--up];
      path.remove_prefix(3);
    }
    const std::vector<json::Value> around(around_.begin(), around_.begin() + static_cast<std::ptrdiff_t>(up));
    std::vector<json::Value> kept = std::exchange(around_, around);
    walk(from, path, [&](const json::Value& value) { found.push_back(value); });
    around_ = std::move(kept);
  }

  void take(const json::Value& record, const Records& records) {
    given_.clear();
    for (const auto& [name, key] : bound_) given_.push_back({name, rows_.field(name), key, {}});
    bool metric = false;
    for (const Column& column : records.columns) {
      const Field* const field = rows_.field(column.field);
      found_.clear();
      values_at(record, column.heading, found_);
      Given given{column.field, field, {}, {}};
      for (const json::Value& value : found_) {
        if (value.is_container()) continue;
        given.text = value.text();
        if (field != nullptr && field->holds == Holds::metric) {
          if (auto leaf = value_of_json(*field, value)) given.values.push_back(*leaf);
        }
      }
      if (field != nullptr && field->holds == Holds::metric && given.values.empty()) continue;
      if (given.text.empty() && given.values.empty()) continue;
      metric = metric || !given.values.empty();
      if (account_ != nullptr) account_->paths.emplace_back(column.heading);
      given_.push_back(std::move(given));
    }
    if (records.turn != Turn::none && !record.is_null()) {
      rows_.turn(records.turn, 0, record.is_container() ? std::string_view() : record.text());
    }
    // A hole of the path tells the record's own metrics apart, and nothing else.
    if (!metric) given_.erase(given_.begin(), given_.begin() + static_cast<std::ptrdiff_t>(bound_.size()));
    if (metric || has_words()) (void)rows_.take(given_, {records.point, records.busy});
  }
  [[nodiscard]] bool has_words() const {
    return std::any_of(given_.begin(), given_.end(),
                       [](const Given& one) { return one.field != nullptr && one.field->holds != Holds::metric; });
  }
  static std::optional<Leaf> value_of_json(const Field& field, const json::Value& value) {
    if (!value.is_number()) return value_of(field, value.text());
    const Leaf leaf = leaf_of(value);
    if (!leaf.has_value) return leaf;
    return Leaf{core::ValueState::number, leaf.value * field.times, true, {}};
  }

  const Statement& statement_;
  Collector rows_;
  Account* account_;
  std::vector<json::Value> around_, found_;
  Bound bound_;
  std::vector<Given> given_;
};

}  // namespace

core::Expected<core::Measurement> read_records(const Statement& statement, const Input& input, const ReadOptions& options,
                                               Account* account) {
  const JsonBody body(input);
  auto document = body.parse(options);
  if (!document) return core::fail(document.error());
  return Reader(statement, input, options, account).read(*document);
}

}  // namespace plumbline::formats::stated
