#include "formats/generic/understood.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "formats/generic/measured_text.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats {
namespace {

struct Numbers {
  std::size_t count = 0, fractions = 0;  // free-standing ones; 12.5 is a fraction
  std::size_t measured = 0;              // fractions with a unit behind them
};

bool is_unit(std::string_view word) {
  while (word.ends_with(',') || word.ends_with(';') || word.ends_with(')')) word.remove_suffix(1);
  if (word.size() < 2 || word.front() == '/') return false;
  return word.find('/') != std::string_view::npos ? word.find_first_of("0123456789.:") == std::string_view::npos
                                                  : core::parse_unit(word).quantity != core::Quantity::unknown;
}

Numbers numbers_of(std::string_view line) {
  Numbers found;
  bool after_fraction = false;
  std::vector<std::string_view> words;
  split_blanks(line, words);
  for (std::string_view word : words) {
    if (after_fraction && is_unit(word)) ++found.measured;
    while (word.ends_with(',') || word.ends_with(';')) word.remove_suffix(1);
    const bool number = core::parse_double(word).has_value() && word.find_first_of("0123456789") != std::string_view::npos;
    after_fraction = number && word.find('.') != std::string_view::npos;
    found.count += number ? 1 : 0;
    found.fractions += after_fraction ? 1 : 0;
  }
  return found;
}

// A line of a table, or one that says several things measured; no sentence with a number in it.
bool says_results(const Numbers& numbers) { return numbers.measured > 0 || (numbers.count > 2 && numbers.fractions > 0); }

bool is_result(const core::MetricClass& metric) {
  return metric.role == core::Role::gate || (metric.role == core::Role::judged && metric.direction != core::Direction::unknown);
}

std::string example_of(std::string_view line, std::size_t number) {
  constexpr std::size_t kShown = 60;
  return "line " + std::to_string(number) + " " + core::cited(line.substr(0, kShown));
}

}  // namespace

void Understood::not_understood(std::string_view line, std::size_t number) {
  constexpr std::size_t kExamples = 3;
  ++left_numbers_;
  if (examples_.size() < kExamples) examples_.push_back(example_of(line, number));
}

void Understood::pair(std::string_view value, std::string_view line, std::size_t number) {
  if (const auto measured = measured_text(value, true); measured && measured->leaf.has_value) {
    ++read_numbers_;
  } else if (says_results(numbers_of(value))) {  // "readrandom : 3.457 micros/op 270007 ops/sec"
    ++left_results_;
    not_understood(line, number);
  } else if (!value.empty() && value.front() >= '0' && value.front() <= '9' && odd_.empty()) {
    odd_ = example_of(line, number);
  }
}

void Understood::left(std::string_view line, std::size_t number) {
  if (unread_++ == 0) first_unread_ = number;
  const Numbers numbers = numbers_of(line);
  if (numbers.count == 0) return;
  left_results_ += says_results(numbers) ? 1 : 0;
  not_understood(line, number);
}

bool Understood::enough(const core::Measurement& read) const {
  if (left_numbers_ > read_numbers_) return false;
  const auto& rows = read.rows();
  // "Global Time = 0.125 = 106%" under a name that is judged.
  const bool unread = !odd_.empty() && std::any_of(rows.begin(), rows.end(), [&](const core::Row& row) {
    return row.state == core::ValueState::failed && is_result(read.metric_class(row));
  });
  if (left_results_ == 0 && !unread) return true;
  return std::any_of(rows.begin(), rows.end(),
                     [&](const core::Row& row) { return !read.values(row).empty() && is_result(read.metric_class(row)); });
}

std::string Understood::examples() const {
  if (examples_.empty()) return odd_;
  std::string out;
  for (const std::string& example : examples_) out += (out.empty() ? "" : ", ") + example;
  return out;
}

std::string Understood::what_was_not() const {
  const std::uint64_t all = read_numbers_ + left_numbers_;
  return "of " + core::counted(all, "line") + " with numbers " + std::to_string(read_numbers_) +
         (read_numbers_ == 1 ? " is" : " are") + " a name and a value" +
         (left_numbers_ > read_numbers_ ? "" : ", settings and counts, no result among them") +
         "; not understood: " + examples() + (left_numbers_ > examples_.size() ? ", …" : "");
}

std::string Understood::unread() const {
  if (unread_ == 0 && left_numbers_ == 0) return {};
  std::string out;
  if (unread_ > 0) {
    out = core::counted(unread_, "line is", "lines are") + " no name and value and not read, the first at line " +
          std::to_string(first_unread_);
  }
  if (left_numbers_ > 0) {
    out += std::string(out.empty() ? "" : "; ") + core::counted(left_numbers_, "line holds", "lines hold") +
           " numbers that were not understood: " + examples() + (left_numbers_ > examples_.size() ? ", …" : "");
  }
  return out;
}

}  // namespace plumbline::formats
