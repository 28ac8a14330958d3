#include "core/rules/day.hpp"

#include <array>
#include <cctype>
#include <chrono>
#include <optional>
#include <vector>

#include "core/citing.hpp"

namespace plumbline::core {
namespace {

constexpr std::size_t kMostDigits = 8;

std::string two_digits(int value) { return (value < 10 ? "0" : "") + std::to_string(value); }

std::string written(int year, int month, int day) {
  std::string text = std::to_string(year);
  return std::string(4 - text.size(), '0') + text + "-" + two_digits(month) + "-" + two_digits(day);
}

int last_day(int year, int month) {
  const auto first = std::chrono::year(year) / month;
  return static_cast<int>(static_cast<unsigned>((first / std::chrono::last).day()));
}

// The numbers of a text that is nothing else: digits with one kind of separator between them.
struct Parts {
  std::vector<std::string_view> digits;
  char separator = 0;
};
std::optional<Parts> parts_of(std::string_view text) {
  Parts out;
  while (!text.empty()) {
    std::size_t end = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == 0 || end > kMostDigits || out.digits.size() == 3) return std::nullopt;
    out.digits.push_back(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) break;
    if (out.separator != 0 && text.front() != out.separator) return std::nullopt;
    out.separator = text.front();
    text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
  }
  return out;
}

int number(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = 10 * value + (c - '0');
  return value;
}

struct Day {
  int year = 0, month = 0, day = 0;
};

// What was most likely meant: year first with any separator or none, or day.month.year, which no country writes otherwise.
std::optional<Day> meant(std::string_view text) {
  if (const std::size_t time = text.find_first_of("T "); time != std::string_view::npos) text = text.substr(0, time);
  const auto parts = parts_of(text);
  if (!parts) return std::nullopt;
  const auto& digits = parts->digits;
  if (digits.size() == 1 && digits[0].size() == 8)
    return Day{number(digits[0].substr(0, 4)), number(digits[0].substr(4, 2)), number(digits[0].substr(6, 2))};
  if (digits.size() != 3) return std::nullopt;
  if (digits[0].size() == 4) return Day{number(digits[0]), number(digits[1]), number(digits[2])};
  if (parts->separator == '.' && digits[2].size() == 4) return Day{number(digits[2]), number(digits[1]), number(digits[0])};
  return std::nullopt;
}

bool has_form(std::string_view text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

constexpr std::array<std::string_view, 12> kMonths = {"January", "February", "March",     "April",   "May",      "June",
                                                      "July",    "August",   "September", "October", "November", "December"};

}  // namespace

Expected<std::string> parse_day(std::string_view name, std::string_view text) {
  const std::string is = std::string(name) + " " + cited(text) + " is no day of the calendar";
  const auto wanted = meant(text);
  if (!wanted || wanted->month < 1 || wanted->month > 12 || wanted->day < 1)
    return fail(ErrorCode::invalid_input, is, "write year, month and day, for instance 2026-12-31");
  const int last = last_day(wanted->year, wanted->month);
  if (wanted->day > last) {
    return fail(ErrorCode::invalid_input, is,
                std::string(kMonths[static_cast<std::size_t>(wanted->month - 1)]) + " " + std::to_string(wanted->year) +
                    " ends on " + written(wanted->year, wanted->month, last));
  }
  if (has_form(text)) return std::string(text);
  return fail(ErrorCode::invalid_input, is, "write " + written(wanted->year, wanted->month, wanted->day));
}

int days_between(std::string_view from, std::string_view to) {
  const auto days_of = [](std::string_view text) {
    return std::chrono::sys_days(std::chrono::year(number(text.substr(0, 4))) / number(text.substr(5, 2)) /
                                 number(text.substr(8, 2)));
  };
  return static_cast<int>((days_of(to) - days_of(from)).count());
}

}  // namespace plumbline::core
