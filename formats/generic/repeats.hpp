// Records of one point are its trials only where nothing but the measurement differs between them. A size, a file, a status or
// an option that no rule of names knows as one would make one row of different things, and its spread would hide every change.
// Asked before records or lines of a table are taken together, field by field, point by point. As long-lived as the names and
// the texts it is given; not thread-safe. Private to formats/generic.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/row_writer.hpp"

namespace plumbline::formats {

class Repeats {
 public:
  explicit Repeats(const configs::MetricNames& names) : names_(names) {}
  // What the records of a point hold under `name`, in their order; `missing` where some hold nothing. Points are numbered from 0
  // and come in turn.
  void field(std::string_view name, std::size_t point, std::span<const Leaf> held, bool missing);
  // The field by which records of one point differ though they should be its trials; "" where none does.
  [[nodiscard]] std::string different() const;

 private:
  // A number in every record of every point so far.
  struct Numbers {
    std::size_t points = 0;
    std::vector<double> first;  // of the first point, sorted
    bool everywhere = true, distinct = true, same_sets = true, steps = true;
    bool setting = false;  // by its name it could be one
  };
  static void numbers(Numbers& seen, std::span<const Leaf> held, bool missing);

  const configs::MetricNames& names_;
  std::map<std::string, Numbers, std::less<>> numbers_;
  std::string text_;  // a field that is none of numbers
};

// The lists of a file whose records are no trials of each other: told as one warning, `different_records`.
class DifferentRecords {
 public:
  // `field` is what Repeats found, `point` one of the list's.
  void add(std::string_view field, std::string_view point);
  void warn(RowWriter& writer) const;

 private:
  std::uint64_t lists_ = 0;
  std::string field_, point_;  // of the first
};

}  // namespace plumbline::formats
