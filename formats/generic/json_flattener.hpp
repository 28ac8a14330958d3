// A JSON value of any depth as rows: objects flatten to dotted keys, an array of numbers is trials, arrays of records get rows
// keyed by the fields that tell the records apart (json_records.cpp). As long-lived as its writer and the document; not
// thread-safe. Private to formats/generic.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/generic/repeats.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {

// "direction" or "better" of an object, as far as it says one.
[[nodiscard]] core::Direction direction_in(const json::Value& object);

[[nodiscard]] Detection detect_generic_json(const Input& input);

class JsonFlattener {
 public:
  JsonFlattener(RowWriter& writer, const FlattenOptions& options) : writer_(writer), options_(options) {}

  void root(const json::Value& value, std::string_view path) {
    path_ = path;
    root_ = value.index();
    const std::uint32_t shape = path.empty() ? RowWriter::kRootShape : writer_.shape(RowWriter::kRootShape, path);
    if (value.is_object()) {
      object(value, shape, 0, path.empty() && options_.harvest_context);
    } else if (value.is_array()) {
      array(value, "value", shape, 0);
    } else {
      leaf("value", value, shape, 0, {});
    }
    different_.warn(writer_);
  }
  bool scalar(const json::Value& root);

 private:
  void object(const json::Value& value, std::uint32_t shape, std::uint32_t dims, bool top);
  void array(const json::Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims);
  bool plain_numbers(const json::Value& value);
  using Member = json::Value::Members::Iterator;
  Member numbers(const json::Value& object, Member at, std::uint32_t shape, std::uint32_t dims, bool top);
  bool trials(const json::Value& value, std::string_view name, std::uint32_t shape, std::uint32_t dims, const Explicit& said);
  void records(const json::Value& value, std::uint32_t shape, std::uint32_t dims);
  // A field that tells records apart, and its name in the pool.
  struct Field {
    std::string_view name;
    core::Id id = 0;
  };
  using Identity = std::vector<Field>;
  // `again`: records that measured the same point once more.
  void record(const json::Value& value, std::uint32_t shape, std::uint32_t dims, std::size_t index, const Identity& identity,
              std::span<const json::Value> again = {});
  bool repeated(const json::Value& value, std::uint32_t shape, std::uint32_t dims, const Identity& identity);
  void record_again(const json::Value& value, std::span<const json::Value> again, std::uint32_t shape, std::uint32_t dims,
                    const Identity& identity, std::string_view name_field);
  void members_again(std::string_view name, std::span<const json::Value> found, bool twice, std::uint32_t shape,
                     std::uint32_t dims, const Explicit& said);
  void expect(const json::Value& record, const Identity& identity);
  // "[concurrency=8,isl=128" without what comes before it: the identity's fields but for `but`.
  static void append_label(std::string& into, const json::Value& record, const Identity& identity, std::string_view but);
  void harvest(const json::Value& value, std::string_view name, bool top);
  void leaf(std::string_view name, const json::Value& value, std::uint32_t shape, std::uint32_t dims, const Explicit& said);
  void member(std::string_view name, const json::Value& value, std::uint32_t shape, std::uint32_t dims, bool top);

  // Appends ".name" to the path (the name alone at the root) and gives the length to go back to.
  std::size_t enter(std::string_view name) {
    const std::size_t before = path_.size();
    if (before > 0) path_.push_back('.');
    path_.append(name);
    return before;
  }
  // Everything before this member or element has become rows: when it is the root's, nobody will look there again.
  void passed(const json::Value& container, const json::Value& member) {
    if (options_.consumed != nullptr && container.index() == root_) options_.consumed->forget_before(member.index() - 1);
  }
  std::uint32_t child_shape(std::uint32_t shape, std::string_view name) { return writer_.shape(shape, name); }

  RowWriter& writer_;
  const FlattenOptions& options_;
  std::string path_, ahead_;
  std::uint32_t root_ = 0xFFFFFFFFU;  // node of the value that is flattened
  std::vector<double> values_;
  DifferentRecords different_;
  std::vector<std::pair<core::Id, core::Id>> dims_;  // of the records around
  // Members that are numbers, a handful at a time.
  std::string keys_;
  std::vector<std::string_view> key_texts_;
  std::vector<RowWriter::Number> numbers_;
  core::Id next_key_ = core::kNoId;  // of the handful that follows, where it follows
};

}  // namespace plumbline::formats
