#include "verdict/culprits/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/results/dimension_words.hpp"
#include "core/text.hpp"
#include "verdict/culprits/families.hpp"

namespace plumbline::verdict::culprits {

namespace {

// Those that hold, by magnitude where they have one, else by name.
std::vector<std::string> held_values(const Column& column, const Term& term) {
  std::vector<std::string> out;
  if (column.ordered()) {
    for (const std::size_t code : by_magnitude(column)) {
      if (term.holds[code] != 0) out.push_back(column.values[code - 1]);
    }
    return out;
  }
  for (std::size_t code = 1; code < term.holds.size(); ++code) {
    if (term.holds[code] != 0) out.push_back(column.values[code - 1]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string listed_or(const std::vector<std::string>& values) {
  std::string out = values.front();
  for (std::size_t i = 1; i < values.size(); ++i) out += (i + 1 == values.size() ? " or " : ", ") + values[i];
  return out;
}

// How the two ends of a pair are called.
std::string roles(const Column& column) {
  if (column.name == "row" || column.name == "col") return ", as source or as destination";
  if (column.second_name.empty()) return " in any pair";
  if (column.kind == Column::Kind::word) return " on either side";
  return ", as " + column.name + " or as " + column.second_name;
}

std::string term_text(const Column& column, const Term& term) {
  std::vector<std::string> values = held_values(column, term);
  for (std::string& value : values) value = core::dimension_value_text(column.name, value);
  if (term.op == Term::Op::at_least) return column.name + " >= " + values.front();
  if (term.op == Term::Op::at_most) return column.name + " <= " + values.back();
  if (term.op == Term::Op::range) return values.front() + " <= " + column.name + " <= " + values.back();
  const std::string what = term.op == Term::Op::prefix ? common_prefix(column, term.holds) + "*" : listed_or(values);
  if (column.either()) {
    const bool matrix = column.name == "row" || column.name == "col";
    return (matrix ? values.size() > 1 ? "GPUs " : "GPU " : "") + what + roles(column);
  }
  return column.kind == Column::Kind::word && !column.ordered() ? what : column.name + "=" + what;
}

// Values as they stand beyond an end of those that hold.
std::string beyond(const Column& column, const Term& term, bool below) {
  const std::vector<std::string> values = held_values(column, term);
  return core::dimension_value_text(column.name, below ? values.front() : values.back());
}

std::string turned_text(const Column& column, const Term& term) {
  switch (term.op) {
    case Term::Op::at_least:
      return column.name + " < " + beyond(column, term, true);
    case Term::Op::at_most:
      return column.name + " > " + beyond(column, term, false);
    case Term::Op::range:
      return column.name + " < " + beyond(column, term, true) + " or > " + beyond(column, term, false);
    default:
      return "not " + term_text(column, term);
  }
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : " and ") + text;
  return out;
}

std::string_view op_text(const Column& column, Term::Op op) {
  if (column.either()) return "either";
  constexpr auto kTexts = std::to_array<std::string_view>({"=", ">=", "<=", "range", "prefix"});
  return kTexts[static_cast<std::size_t>(op)];
}

}  // namespace

std::string predicate(const Table& table, const Description& description) {
  std::vector<std::string> texts;
  for (const Term& term : description.terms) texts.push_back(term_text(table.columns[term.column], term));
  return joined(texts);
}

std::string predicate_turned(const Table& table, const Description& description, std::size_t place) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < description.terms.size(); ++i) {
    const Term& term = description.terms[i];
    const Column& column = table.columns[term.column];
    texts.push_back(i == place ? turned_text(column, term) : term_text(column, term));
  }
  return joined(texts);
}

core::CulpritTerm term_of(const Table& table, const Term& term) {
  const Column& column = table.columns[term.column];
  core::CulpritTerm out;
  out.dimension = column.second_name.empty() ? column.name : column.name + " or " + column.second_name;
  out.op = op_text(column, term.op);
  const std::vector<std::string> values = held_values(column, term);
  if (term.op == Term::Op::at_least) {
    out.values = {values.front()};
  } else if (term.op == Term::Op::at_most) {
    out.values = {values.back()};
  } else if (term.op == Term::Op::range) {
    out.values = {values.front(), values.back()};
  } else if (term.op == Term::Op::prefix && !column.either()) {
    out.values = {common_prefix(column, term.holds)};
  } else {
    out.values = values;
  }
  return out;
}

}  // namespace plumbline::verdict::culprits
