#include "systems/tensorsharp/model.hpp"

#include <array>
#include <cstdio>

namespace plumbline::systems::tensorsharp {

namespace {

// Takes a fixed number of digits off the front; -1 when they are not there.
int digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
}

// "Z", "+02:00", "-02"; what stands behind it is a mistake.
bool take_offset(std::string_view text, int& offset) {
  if (text.empty() || text == "Z") return true;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return false;
  const int hours = digits(text, 2);
  int minutes = 0;
  if (!text.empty()) minutes = take(text, ':') ? digits(text, 2) : -1;
  if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59 || hours * 60 + minutes > 14 * 60 || !text.empty()) return false;
  offset = sign * (hours * 60 + minutes);
  return true;
}

std::string text_of(const Time& time, const std::string& fraction) {
  std::array<char, 64> text{};
  const int offset = time.offset < 0 ? -time.offset : time.offset;
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d", time.year, time.month, time.day, time.hour,
                time.minute, time.second);
  std::string out = text.data() + fraction;
  std::snprintf(text.data(), text.size(), "%c%02d:%02d", time.offset < 0 ? '-' : '+', offset / 60, offset % 60);
  return out + text.data();
}

std::string fraction_text(int ticks) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), ".%07d", ticks);
  return text.data();
}

}  // namespace

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::runtime_failure:
      return "NewRuntimeFailure";
    case FindingKind::correctness_failure:
      return "NewCorrectnessFailure";
    case FindingKind::throughput_regression:
      return "ThroughputRegression";
    case FindingKind::improvement:
      return "NewImprovement";
    case FindingKind::untracked:
      return "UntrackedNewCase";
  }
  return "UntrackedNewCase";
}

std::optional<Time> read_time(std::string_view text) {
  Time time;
  time.year = digits(text, 4);
  if (time.year < 1 || !take(text, '-')) return std::nullopt;
  time.month = digits(text, 2);
  if (time.month < 1 || time.month > 12 || !take(text, '-')) return std::nullopt;
  time.day = digits(text, 2);
  if (time.day < 1 || time.day > days_in(time.year, time.month)) return std::nullopt;
  if (text.empty()) return time;
  if (!take(text, 'T')) return std::nullopt;
  time.hour = digits(text, 2);
  if (time.hour < 0 || time.hour > 23 || !take(text, ':')) return std::nullopt;
  time.minute = digits(text, 2);
  if (time.minute < 0 || time.minute > 59) return std::nullopt;
  if (take(text, ':')) {
    time.second = digits(text, 2);
    if (time.second < 0 || time.second > 59) return std::nullopt;
    if (take(text, '.')) {
      std::size_t count = 0;
      int unit = 1'000'000;
      while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        time.ticks += (text.front() - '0') * unit;  // digits past the seventh are cut off
        unit /= 10;
        ++count;
        text.remove_prefix(1);
      }
      if (count == 0 || count > 16) return std::nullopt;
    }
  }
  if (!take_offset(text, time.offset)) return std::nullopt;
  return time;
}

std::string written_time(const Time& time) {
  std::string fraction;
  if (time.ticks > 0) {
    fraction = fraction_text(time.ticks);
    while (fraction.back() == '0') fraction.pop_back();
  }
  return text_of(time, fraction);
}

std::string round_trip_time(const Time& time) { return text_of(time, fraction_text(time.ticks)); }

}  // namespace plumbline::systems::tensorsharp
