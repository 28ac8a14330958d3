#include "verdict/culprits/name_parts.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/text.hpp"

namespace plumbline::verdict::culprits {

namespace {

constexpr std::size_t kMostParts = 6;

// "size=1kB" as size and 1kB, "threads:4" as threads and 4, "fib" as nothing and fib.
std::pair<std::string_view, std::string_view> label_of(std::string_view part) {
  const std::size_t at = part.find_first_of("=:");
  if (at == std::string_view::npos || at == 0) return {{}, part};
  return {part.substr(0, at), part.substr(at + 1)};
}

// Of the part at each place a code by value; values shorter than that lack it.
class Place {
 public:
  Place(const Column& from, std::size_t place) : from_(from), codes_(from.values.size() + 1) {
    out_.kind = Column::Kind::word;
    out_.name = from.name + " part " + std::to_string(place + 1);
  }

  void take(Code code, std::string_view part) {
    const auto [label, text] = label_of(part);
    if (!any_) label_ = label;
    one_label_ = one_label_ && label == label_ && !label.empty();
    any_ = true;
    parts_.emplace_back(code, part);
  }

  // Nothing where all values have the same there.
  void finish(std::vector<Column>& into) {
    std::unordered_map<std::string_view, Code> known;
    for (const auto& [code, part] : parts_) {
      const std::string_view text = one_label_ ? label_of(part).second : part;
      const auto [at, fresh] = known.try_emplace(text, static_cast<Code>(known.size() + 1));
      if (fresh) out_.values.emplace_back(text);
      codes_[code] = at->second;
    }
    if (out_.values.size() + (parts_.size() < from_.values.size() ? 1 : 0) < 2 || out_.values.size() == from_.values.size())
      return;
    if (one_label_) {
      out_.kind = Column::Kind::dimension;
      out_.name = label_;
    }
    for (const Code code : from_.codes) out_.codes.push_back(codes_[code]);
    set_order(out_);
    into.push_back(std::move(out_));
  }

 private:
  const Column& from_;
  std::vector<Code> codes_;  // by the code of the whole name
  std::vector<std::pair<Code, std::string_view>> parts_;
  std::string_view label_;
  bool any_ = false, one_label_ = true;
  Column out_;
};

void add_parts_of(const Column& column, std::vector<Column>& into) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const std::vector<std::string_view> parts = core::split(column.values[i], '/');
    for (std::size_t k = 0; k < std::min(parts.size(), kMostParts); ++k) {
      if (k == places.size()) places.emplace_back(column, k);
      places[k].take(static_cast<Code>(i + 1), parts[k]);
    }
  }
  if (places.size() < 2) return;
  for (Place& place : places) place.finish(into);
}

}  // namespace

void add_name_parts(std::vector<Column>& columns) {
  std::vector<Column> found;
  for (const Column& column : columns) {
    if (column.kind == Column::Kind::dimension && !column.ordered() && !column.either()) add_parts_of(column, found);
  }
  for (Column& column : found) columns.push_back(std::move(column));
}

}  // namespace plumbline::verdict::culprits
