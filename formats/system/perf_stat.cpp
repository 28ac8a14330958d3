// perf stat: the report for people, the fields of -x and the objects of -j, as one format with one set of keys. Counts are of one
// command's work and fewer of them are better; of a machine, a process that ran already or a span of time (-a, -p, -I) they say
// how much was going on, and only the rates among them are judged.
#include "formats/system/perf_stat.hpp"

#include <map>
#include <set>

#include "core/privacy.hpp"
#include "formats/line_reader.hpp"

namespace plumbline::formats {
namespace {

constexpr std::string_view kBanner = "Performance counter stats for ";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// "cycles" of "cycles:u", "cpu_core/cycles/u", "cpu_core/cycles/".
std::string_view base_of(std::string_view event) {
  if (const std::size_t slash = event.find('/'); slash != std::string_view::npos) {
    event.remove_prefix(slash + 1);
    return event.substr(0, event.find('/'));
  }
  const std::size_t colon = event.rfind(':');
  const bool modifier =
      colon != std::string_view::npos && event.find_first_not_of("ukhvGHIpPSDWebRX", colon + 1) == std::string_view::npos;
  return modifier ? event.substr(0, colon) : event;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

// As core::parse_unit knows it; perf's own spelling otherwise.
std::string_view unit_of(const PerfCounter& counter, std::string_view base) {
  if (is_one_of(base, {"task-clock", "cpu-clock"}) && counter.unit.empty()) return "ms";  // before 4.16 unsaid
  if (is_one_of(base, {"duration_time", "user_time", "system_time"})) return "ns";
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"msec", "ms"},  {"usec", "us"}, {"nsec", "ns"},
                                                                      {"Joules", "J"}, {"Watts", "W"}, {"Bytes", "B"}};
  for (const auto& [printed, unit] : kUnits) {
    if (counter.unit == printed) return unit;
  }
  return counter.unit;
}

// Of the counts of one command's work. What nobody knows the better way of, raw and vendors' events, is said to be that.
Declared count_declared(std::string_view base, std::string_view unit) {
  if (is_one_of(base, {"task-clock", "cpu-clock", "duration_time", "user_time", "system_time", "cycles", "cpu-cycles",
                       "ref-cycles", "instructions", "page-faults", "faults", "minor-faults", "major-faults",
                       "idle-cycles-frontend", "idle-cycles-backend", "stalled-cycles-frontend", "stalled-cycles-backend"}) ||
      has(base, "misses")) {
    return lower_is_better(unit);
  }
  // How often something was asked for, or what the scheduler did meanwhile.
  if (unit == "J" || unit == "W" || base.ends_with("-loads") || base.ends_with("-stores") || base.ends_with("-prefetches") ||
      is_one_of(base, {"context-switches", "cs", "cpu-migrations", "migrations", "branches", "branch-instructions",
                       "cache-references", "bus-cycles", "alignment-faults", "emulation-faults", "dummy", "slots"})) {
    return for_context(unit);
  }
  return {unit, core::Direction::unknown};
}

struct Rate {
  std::string name;
  Declared declared;
  double factor = 1;
};
// What stands behind the mark of a count: "insn per cycle", "4.65% of all branches", "52.744 K/sec".
Rate rate_of(const PerfCounter& counter, std::string_view base) {
  std::string_view printed = counter.metric_name;
  // "M/sec  branch_frequency", "%  tma_retiring": the newer metrics say their unit and then their name.
  const std::size_t gap = printed.find("  ");
  std::string_view unit = gap == std::string_view::npos ? std::string_view() : printed.substr(0, gap);
  if (gap != std::string_view::npos) printed = core::trim(printed.substr(gap));
  constexpr std::pair<std::string_view, double> kPerSecond[] = {{"/sec", 1}, {"K/sec", 1e3}, {"M/sec", 1e6}, {"G/sec", 1e9}};
  for (const auto& [prefixed, factor] : kPerSecond) {
    if (printed == prefixed) return {"per_second", for_context("/s"), factor};
    if (unit == prefixed) return {std::string(printed), for_context("/s"), factor};
  }
  std::string name(printed);
  std::replace(name.begin(), name.end(), ' ', '_');
  if (is_one_of(name, {"insn_per_cycle", "insns_per_cycle"})) return {"insn_per_cycle", higher_is_better("")};
  if (name == "stalled_cycles_per_insn") return {name, lower_is_better("")};
  if (name.ends_with("_cycles_idle") || name.ends_with("_miss_rate")) return {name, lower_is_better("%")};
  if (name.starts_with("of_all_")) return {name, has(base, "misses") ? lower_is_better("%") : for_context("%")};
  if (name == "GHz" || unit == "GHz") return {"frequency", for_context("GHz")};
  return {name, for_context(unit == "%" ? unit : std::string_view())};
}

class Reader {
 public:
  static constexpr std::string_view kNothing = "no count of perf stat";
  static constexpr std::string_view kHint =
      "perf stat prints lines of a count and an event, also with -x and -j; --metric-only is not read, nor is another language "
      "than LC_ALL=C";
  Reader(RowWriter& writer, std::uint32_t section) : writer_(writer), rows_(writer, "perf-stat", section) {}

  // The fields and objects of a run have no beginning: an event that was counted already is another run's.
  [[nodiscard]] bool begins(std::string_view line) const {
    if (line.find(kBanner) != std::string_view::npos) return !series_.empty();
    const auto counter = parsed(line);
    return counter && !counter->interval && !counter->event.empty() && counted_.contains(point_of(*counter) + counter->event);
  }

  void line(std::string_view line) {
    const std::string_view text = core::trim(line);
    if (const std::size_t at = text.find(kBanner); at != std::string_view::npos) {
      banner(text.substr(at + kBanner.size()));
    } else if (text.starts_with('#') && has(text, "time ") && has(text, "counts ") && text.ends_with("events")) {
      in_report_ = true;
    } else if (in_report_ && has(text, " seconds ")) {
      seconds(text);
    } else if (in_report_ && has(text, "(") && text.find_first_of("+-", text.find('(')) == text.find('(') + 1) {
      run_of_table(text);
    } else if (auto found = parsed(line)) {
      counter(*found);
    }
  }
  void end() {
    // A point may be a comma there and a group of thousands a point: no number of the report is sure.
    if (other_language_) return;
    for (const Series& one : series_) {
      Declared declared = one.declared;
      declared.unit = one.unit;
      if (one.values.empty()) {
        rows_.add(one.point, one.name, one.dims, declared, one.none);
      } else {
        rows_.add(one.point, one.name, one.dims, declared, one.values);
      }
    }
    for (const std::string_view name : {"elapsed", "duration_time", "task-clock", "cpu-clock", "instructions", "cycles"}) {
      const auto known = index_.find(std::string(name));
      if (known == index_.end() || series_[known->second].values.empty()) continue;
      if (series_[known->second].declared.role != core::Role::judged) continue;
      writer_.out.declared.headlines.emplace_back(rows_.key({}, name));
      break;
    }
  }

 private:
  struct Series {
    std::string point, name, unit;
    std::uint32_t dims = 0;
    Declared declared;
    std::vector<double> values;
    Leaf none;  // where no value was ever counted
  };

  [[nodiscard]] std::optional<PerfCounter> parsed(std::string_view line) const {
    if (core::trim(line).starts_with('{')) return perf_object_line(core::trim(line));
    if (auto fields = perf_fields_line(line)) return fields;
    return in_report_ ? perf_report_line(line) : std::nullopt;
  }
  static std::string point_of(const PerfCounter& counter) {
    std::string point = counter.scope.empty() ? "" : counter.scope + "[" + counter.id + "]";
    if (!counter.cgroup.empty()) point += (point.empty() ? "cgroup[" : ".cgroup[") + counter.cgroup + "]";
    return point;
  }
  static std::string key_of(const std::string& point, std::string_view name) {
    return (point.empty() ? "" : point + ".") + std::string(name);
  }

  // "'make -j8' (5 runs):", "'system wide':", "process id '4711':"
  void banner(std::string_view target) {
    in_report_ = true;
    const std::size_t end = target.rfind('\'');
    own_work_ = target.starts_with('\'') && !target.starts_with("'system wide") && !target.starts_with("'CPU(s) ") &&
                !target.starts_with("'BPF program");
    attached_ = target.starts_with("process id") || target.starts_with("thread id");
    if (own_work_ && end != std::string_view::npos && end > 0) {
      rows_.context("workload.command", core::without_secrets(target.substr(1, end - 1)));
    }
    if (const std::size_t runs = target.rfind('('); runs != std::string_view::npos && target.ends_with("runs):")) {
      if (const auto count = perf_number(core::trim(target.substr(runs + 1, target.rfind(" runs") - runs - 1)))) {
        add({}, "runs", 0, for_context(), *count);
      }
    }
  }
  // "1.250340 seconds time elapsed ( +- 1.10% )", "0.01349 +- 0.00119 seconds time elapsed", "0.84 seconds user"
  void seconds(std::string_view text) {
    const std::size_t at = text.find(" seconds ");
    const std::string_view kind = text.substr(at + 9);
    const std::string_view name = kind.starts_with("time elapsed")              ? "elapsed"
                                  : kind == "user" || kind.starts_with("user ") ? "user"
                                  : kind == "sys" || kind.starts_with("sys ")   ? "sys"
                                                                                : "";
    const auto value = perf_number(text.substr(0, text.find(' ')));
    if (name.empty()) return;
    if (!value) {
      other_language_ = true;
      return;
    }
    const Declared declared = attached_ ? for_context("s") : lower_is_better("s");
    // The runs by themselves say more than their mean (--table).
    if (name != "elapsed" || table_.empty()) {
      add({}, name, 0, declared, *value);
    } else {
      for (const double run : table_) add({}, name, 0, declared, run);
    }
    const std::size_t sign = kind.find("+-"), percent = kind.find('%');
    if (sign == std::string_view::npos || percent == std::string_view::npos || percent < sign) return;
    if (const auto error = perf_number(core::trim(kind.substr(sign + 2, percent - sign - 2)))) {
      add({}, std::string(name) + ".error", 0, own_noise("%"), *error);
    }
  }
  // "0.02384 (+0.00707) ######"
  void run_of_table(std::string_view text) {
    if (const auto run = perf_number(text.substr(0, text.find(' ')))) table_.push_back(*run);
  }

  void counter(const PerfCounter& counter) {
    if (!counter.event.empty()) event_ = counter.event;
    if (event_.empty()) return;
    const std::string point = point_of(counter);
    const std::string_view base = base_of(event_);
    const std::uint32_t dims = rows_.dims({{counter.scope, counter.id}, {"cgroup", counter.cgroup}});
    const bool of_the_work = own_work_ && counter.scope.empty() && !counter.interval;
    if (counter.count) {
      counted_.insert(point + event_);
      const std::string_view unit = unit_of(counter, base);
      add(point, event_, dims, of_the_work ? count_declared(base, unit) : for_context(unit), *counter.count);
    }
    // Printed once more behind the further rates of a count, and as zero where there is none.
    const bool counted = !counter.count || counter.count->has_value;
    if (counter.error && counted && !index_.contains(key_of(point, event_ + ".error")))
      add(point, event_ + ".error", dims, own_noise("%"), *counter.error);
    if (!counter.metric || counter.metric_name.empty()) return;
    const Rate rate = rate_of(counter, base);
    if (!rate.name.empty()) add(point, event_ + "." + rate.name, dims, rate.declared, *counter.metric * rate.factor);
  }

  void add(const std::string& point, std::string_view name, std::uint32_t dims, const Declared& declared, double value) {
    add(point, name, dims, declared, Leaf{core::ValueState::number, value, true, {}});
  }
  // Spans of time (-I) and the runs of a table are values of one row.
  void add(const std::string& point, std::string_view name, std::uint32_t dims, const Declared& declared, const Leaf& leaf) {
    const auto [known, fresh] = index_.emplace(key_of(point, name), series_.size());
    if (fresh) series_.push_back({point, std::string(name), std::string(declared.unit), dims, declared, {}, leaf});
    if (leaf.state == core::ValueState::number) series_[known->second].values.push_back(leaf.value);
  }

  RowWriter& writer_;
  DeclaredRows rows_;
  std::vector<Series> series_;
  std::map<std::string, std::size_t> index_;  // by key
  std::set<std::string> counted_;             // point and event
  std::vector<double> table_;                 // seconds of single runs
  std::string event_;                         // the last one counted
  bool in_report_ = false, own_work_ = true, attached_ = false, other_language_ = false;
};

// Half of the lines of the head are fields of -x: what a program printed meanwhile may stand between.
bool has_fields(std::string_view head, std::string& example) {
  std::size_t fields = 0, others = 0;
  LogLines lines(head);
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = core::trim(line);
    if (text.empty() || text.starts_with('#')) continue;
    const bool is_fields = perf_fields_line(line).has_value();
    (is_fields ? fields : others) += 1;
    if (is_fields && example.empty()) example = text.substr(0, 60);
  }
  return fields > 0 && fields >= others;
}

Detection detect_perf_stat(const Input& input) {
  const std::string_view head = head_of(input);
  Detection detection;
  std::string example;
  if (head.find(kBanner) != std::string_view::npos) {
    detection.evidence.push_back("has \"" + std::string(core::trim(kBanner)) + "\"");
    detection.score = 0.96;
  } else if (head.find("\"counter-value\"") != std::string_view::npos && head.find("\"event\"") != std::string_view::npos) {
    detection.evidence.emplace_back("has objects with counter-value and event");
    detection.score = 0.97;
  } else if (has_all(head, {"#           time ", " counts unit events"}, detection)) {
    detection.score = 0.96;
  } else if (has_fields(head, example)) {
    detection.evidence.push_back("has the line " + core::cited(example));
    detection.score = 0.95;
  }
  return detection;
}

}  // namespace

extern const Format perf_stat_format = {
    .name = "perf-stat",
    .title = "perf stat: counters of the processor",
    .replication = core::Replication::run,
    .detect = detect_perf_stat,
    .read = read_lines<Reader>,
    .about = {.group = Group::system,
              .file = "text, CSV, JSON lines",
              .produce = "perf stat -r 5 --table -o result.txt COMMAND\n"
                         "perf stat -x, -o result.csv COMMAND  # or -j -o result.json",
              .judged =
                  "`elapsed`, `user`, `sys`, `task-clock`, cycles, instructions, faults, misses and stalled cycles (lower), "
                  "`insn_per_cycle` (higher), shares of misses and idle cycles in % (lower); no way is known of raw events",
              .key = "the event, before it core, socket, CPU, thread or cgroup; of a later run in one log its section",
              .trials = "`elapsed` with --table; the spans of -I",
              .context = "the command",
              .limits = "counts of a machine, a CPU, a process that ran already or a span of time (-a, -A, --per-…, -p, -I) are "
                        "context, which "
                        "-x and -j say of -a and -p only by their CPUs; a count of part of the time is perf's estimate; the "
                        "error of the mean "
                        "(-r) is noise",
              .recognised = "`Performance counter stats for`; fields or objects of a count, an event and the time it ran"},
};

}  // namespace plumbline::formats
