#include "formats/generic/repeats.hpp"

#include <algorithm>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using core::ValueState;

// "startTime", "start_time", "config.start-time" -> "start time"
std::string words_of(std::string_view name) {
  std::string out;
  for (std::size_t i = name.rfind('.') + 1; i < name.size(); ++i) {
    const char c = name[i];
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool begins = upper && i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if ((!kept || begins) && !out.empty() && out.back() != ' ') out.push_back(' ');
    if (kept) out.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

// What differs between runs of one thing: when they ran, how they are called, what they printed, their own error bars.
bool is_stamp(std::string_view name) {
  const std::string words = words_of(name);
  constexpr std::string_view kWhole[] = {"date",   "datetime", "time",   "t",     "ts",     "uuid",  "guid",
                                         "id",     "user",     "pid",    "log",   "logs",   "range", "extra",
                                         "stderr", "stdout",   "output", "index", "idx",    "i",     "created",
                                         "number", "updated",  "rep",    "reps",  "repeat", "sample"};
  if (std::find(std::begin(kWhole), std::end(kWhole), words) != std::end(kWhole)) return true;
  constexpr std::string_view kFirst[] = {"run ",        "trial ",   "iter ",    "iteration ", "rep ",     "repeat ",
                                         "repetition ", "attempt ", "round ",   "start ",     "started ", "end ",
                                         "finished ",   "created ", "updated ", "sample "};
  constexpr std::string_view kLast[] = {" id", " ts", " time", " timestamp", " date", " at", " index", " idx"};
  constexpr std::string_view kAlone[] = {"timestamp", "time stamp", "run",     "trial", "iter",
                                         "iteration", "repetition", "attempt", "round"};
  return std::any_of(std::begin(kFirst), std::end(kFirst), [&](std::string_view one) { return words.starts_with(one); }) ||
         std::any_of(std::begin(kLast), std::end(kLast), [&](std::string_view one) { return words.ends_with(one); }) ||
         std::find(std::begin(kAlone), std::end(kAlone), words) != std::end(kAlone);
}

bool is_number(const Leaf& leaf) {
  return leaf.has_value &&
         (leaf.state == ValueState::number || leaf.state == ValueState::numeric_string || leaf.state == ValueState::big_integer);
}

// What people choose and measurements seldom are: 1, 50, 4096, 384, 2500.
bool is_round(double value) {
  if (value < 0 || value > 1e15 || value != std::floor(value)) return false;
  auto rest = static_cast<std::uint64_t>(value);
  if (rest == 0) return true;
  while (rest % 10 == 0) rest /= 10;
  if (rest < 10 || (rest < 100 && rest % 10 == 5)) return true;
  rest = static_cast<std::uint64_t>(value);
  while (rest % 2 == 0) rest /= 2;
  return rest == 1 || rest == 3;
}

}  // namespace

void Repeats::field(std::string_view name, std::size_t point, std::span<const Leaf> held, bool missing) {
  if (!text_.empty() || held.empty()) return;
  const bool some_text = std::any_of(held.begin(), held.end(), [](const Leaf& leaf) {
    return leaf.state == ValueState::text || leaf.state == ValueState::boolean;
  });
  const auto known = numbers_.find(name);
  if (!some_text) {
    if (known == numbers_.end() && is_stamp(name)) return;
    Numbers& seen = known == numbers_.end() ? numbers_[std::string(name)] : known->second;
    if (known == numbers_.end()) {
      const configs::MetricGuess guess = names_.guess(name);
      seen.setting = guess.role != core::Role::gate && guess.role != core::Role::noise;
      seen.steps = guess.direction == core::Direction::unknown;
    }
    seen.everywhere = seen.everywhere && seen.points == point;  // else a point before had none
    numbers(seen, held, missing);
    return;
  }
  const bool same = !missing && std::all_of(held.begin(), held.end(), [&](const Leaf& leaf) {
    return leaf.state == held.front().state && leaf.text == held.front().text && leaf.value == held.front().value;
  });
  if (!same && !is_stamp(name)) text_ = std::string(name);
}

void Repeats::numbers(Numbers& seen, std::span<const Leaf> held, bool missing) {
  ++seen.points;
  std::vector<double> values;
  for (const Leaf& leaf : held) {
    if (is_number(leaf)) values.push_back(leaf.value);
  }
  seen.everywhere = seen.everywhere && !missing && values.size() == held.size();
  if (!seen.everywhere || !seen.setting || !seen.distinct) return;
  const bool rises = std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  const bool falls = std::adjacent_find(values.begin(), values.end(), std::less_equal<>()) == values.end();
  seen.steps = seen.steps && (rises || falls) && std::all_of(values.begin(), values.end(), is_round);
  std::sort(values.begin(), values.end());
  seen.distinct = std::adjacent_find(values.begin(), values.end()) == values.end();
  if (seen.points == 1) {
    seen.first = std::move(values);
  } else {
    seen.same_sets = seen.same_sets && seen.first == values;
  }
}

std::string Repeats::different() const {
  if (!text_.empty()) return text_;
  // Something must have been measured beside it.
  if (numbers_.size() < 2) return {};
  for (const auto& [name, seen] : numbers_) {
    if (!seen.everywhere || !seen.setting || !seen.distinct) continue;
    // The same values at every point, each once; or round ones in their order.
    if ((seen.points > 1 && seen.same_sets) || seen.steps) return name;
  }
  return {};
}

void DifferentRecords::add(std::string_view field, std::string_view point) {
  if (lists_++ > 0) return;
  field_ = std::string(field.substr(0, 100));
  point_ = std::string(point.substr(0, 200));
}

void DifferentRecords::warn(RowWriter& writer) const {
  if (lists_ == 0) return;
  writer.out.warn("different_records", "records of one point differ in " + core::cited(field_) +
                                           ", so they are not its trials: these rows are invalid as duplicates" +
                                           (point_.empty() ? std::string() : ": " + core::cited(point_)) +
                                           (lists_ > 1 ? ", the first of " + std::to_string(lists_) + " such lists" : ""));
}

}  // namespace plumbline::formats
