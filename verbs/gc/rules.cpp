#include "verbs/gc/rules.hpp"

#include <array>
#include <utility>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::verbs {
namespace {

using Time = std::chrono::system_clock::time_point;

struct Word {
  std::string_view name;
  std::uint64_t KeepRules::*number;
};
constexpr std::array<Word, 8> kWords = {{{"last", &KeepRules::last},
                                         {"newest", &KeepRules::last},
                                         {"daily", &KeepRules::daily},
                                         {"weekly", &KeepRules::weekly},
                                         {"monthly", &KeepRules::monthly},
                                         {"yearly", &KeepRules::yearly},
                                         {"within", &KeepRules::within_days},
                                         {"days", &KeepRules::within_days}}};

std::string two_digits(unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::chrono::year_month_day date_of(Time time) { return std::chrono::floor<std::chrono::days>(time); }

std::string day_of(Time time) {
  const auto date = date_of(time);
  return std::to_string(static_cast<int>(date.year())) + "-" + two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day()));
}
std::string month_of(Time time) { return day_of(time).substr(0, 7); }
std::string year_of(Time time) { return day_of(time).substr(0, 4); }
// ISO 8601: the week that has the day's Thursday.
std::string week_of(Time time) {
  using namespace std::chrono;
  const sys_days day = floor<days>(time);
  const sys_days thursday = day - (weekday(day) - Monday) + days(3);
  const year_month_day date(thursday);
  const auto number = (thursday - sys_days(date.year() / January / 1)).count() / 7 + 1;
  return std::to_string(static_cast<int>(date.year())) + "-W" + two_digits(static_cast<unsigned>(number));
}

struct Bucket {
  const char* name;
  std::uint64_t left;
  std::string (*of)(Time);
  std::string last;
};

Expected<std::pair<std::string, std::uint64_t>> parse_rule(const std::string& text) {
  const auto at = text.find_first_of(" =:");
  const std::string word = core::to_lower(text.substr(0, at));
  std::string_view rest = at == std::string::npos ? std::string_view() : core::trim(std::string_view(text).substr(at + 1));
  const bool days = word == "within" || word == "days";
  if (days && rest.ends_with('d')) rest.remove_suffix(1);
  const auto number = core::parse_int(rest);
  bool known = false;
  for (const Word& one : kWords) known = known || one.name == word;
  if (known && number && *number > 0) return std::pair(word, static_cast<std::uint64_t>(*number));
  return core::fail(ErrorCode::usage, "--keep is no rule: " + core::cited(text),
                    "`newest 10`, `days 90`, `daily 14`, `weekly 8`, `monthly 24`, `yearly 10`; several may be given");
}

}  // namespace

std::string KeepRules::text() const {
  std::vector<std::string> parts;
  for (const auto& [name, number] :
       {std::pair{"last", last}, std::pair{"daily", daily}, std::pair{"weekly", weekly}, std::pair{"monthly", monthly},
        std::pair{"yearly", yearly}, std::pair{"within days", within_days}}) {
    if (number != 0) parts.push_back(std::string(name) + " " + std::to_string(number));
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return "keep " + out;
}

Expected<KeepRules> keep_rules(const Arguments& arguments) {
  KeepRules rules;
  for (const std::string& text : arguments.list("keep")) {
    const auto rule = parse_rule(text);
    if (!rule) return core::fail(rule.error());
    for (const Word& word : kWords) {
      if (word.name == rule->first) rules.*word.number = rule->second;
    }
  }
  for (const Word& word : kWords) {
    const std::string name = "keep_" + std::string(word.name);
    const auto number = arguments.integer(name);
    if (!number) continue;
    if (*number < 1) {
      return core::fail(ErrorCode::usage,
                        "--keep-" + std::string(word.name) + " must be 1 or more, not " + std::to_string(*number),
                        "leave a rule out that is to keep nothing");
    }
    rules.*word.number = static_cast<std::uint64_t>(*number);
  }
  if (rules.empty()) {
    return core::fail(ErrorCode::usage, "gc needs a rule of what to keep",
                      "for instance `plumbline gc --keep-last 20 --keep-monthly 24`; nothing is removed without --yes");
  }
  return rules;
}

std::vector<std::vector<std::string>> reasons_to_keep(const std::vector<Time>& times, const KeepRules& rules, Time now) {
  std::vector<std::vector<std::string>> out(times.size());
  std::array<Bucket, 4> buckets = {{{"daily", rules.daily, day_of, {}},
                                    {"weekly", rules.weekly, week_of, {}},
                                    {"monthly", rules.monthly, month_of, {}},
                                    {"yearly", rules.yearly, year_of, {}}}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i < rules.last) out[i].push_back("last " + std::to_string(i + 1));
    if (rules.within_days != 0 && now - times[i] <= std::chrono::days(rules.within_days))
      out[i].push_back("within " + std::to_string(rules.within_days) + " days");
    for (Bucket& bucket : buckets) {
      std::string name = bucket.of(times[i]);
      if (bucket.left == 0 || name == bucket.last) continue;
      bucket.last = name;
      --bucket.left;
      out[i].push_back(std::string(bucket.name) + " " + name);
    }
  }
  return out;
}

}  // namespace plumbline::verbs
