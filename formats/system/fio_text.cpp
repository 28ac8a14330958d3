// fio's text for people (fio 2 and 3) and its terse lines (--minimal, versions 3 to 5). Jobs are announced with their options
// before they run and reported behind; in between is progress. Figures are rounded as printed: "IOPS=14.5k". Where terse lines
// stand beside the text they say the same once more, and are left out.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"
#include "formats/readers.hpp"
#include "formats/system/fio.hpp"

namespace plumbline::formats {
namespace {

using namespace fio;

constexpr std::string_view kResult = ": (groupid=";

// "165491", "14.5k", "756523K": thousands.
std::optional<double> count_of(std::string_view text) {
  text = core::trim(text);
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  const auto number = core::parse_double(text.substr(0, end));
  const std::string suffix = core::to_lower(core::trim(text.substr(end)));
  if (!number || suffix.size() > 1) return std::nullopt;
  const double factor = suffix.empty() ? 1 : suffix == "k" ? 1e3 : suffix == "m" ? 1e6 : suffix == "g" ? 1e9 : 0;
  return factor == 0 ? std::nullopt : std::optional(*number * factor);
}

// "85.1MiB/s", "89.2MB/s", "714Mbit/s" in bytes; fio 2 writes "661966KB/s" and means 1024 by it.
std::optional<double> bytes_of(std::string_view text, bool old) {
  text = core::trim(text);
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789"), text.size());
  const auto number = core::parse_double(text.substr(0, end));
  std::string unit = core::to_lower(core::trim(text.substr(end)));
  std::erase(unit, ' ');
  if (!number) return std::nullopt;
  if (unit.ends_with("/s")) unit.resize(unit.size() - 2);
  double factor = 1;
  if (unit.ends_with("bit")) {
    unit.resize(unit.size() - 3);
    factor = 1.0 / 8;
  } else if (unit.ends_with('b')) {
    unit.pop_back();
  } else {
    return std::nullopt;
  }
  const double base = old || unit.ends_with('i') ? 1024 : 1000;
  if (unit.ends_with('i')) unit.pop_back();
  constexpr std::string_view kPrefixes = "kmgtp";
  if (unit.size() > 1 || (unit.size() == 1 && kPrefixes.find(unit[0]) == std::string_view::npos)) return std::nullopt;
  return *number * factor * (unit.empty() ? 1 : std::pow(base, static_cast<double>(kPrefixes.find(unit[0]) + 1)));
}

double nanoseconds(std::string_view unit) {
  return unit == "nsec" ? 1 : unit == "usec" ? 1e3 : unit == "msec" ? 1e6 : unit == "sec" ? 1e9 : 0;
}

// A product of printed decimals, without what floating point adds to them.
double in_ns(double value, double factor) {
  return std::abs(value) < 1e9 ? std::round(value * factor * 1e3) / 1e3 : value * factor;
}

// The value behind "name=" in "min=369, max=25507, avg=11705.89".
std::string_view value_of(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const std::size_t sign = at + name.size();
    const bool whole = at == 0 || line[at - 1] == ' ' || line[at - 1] == ',' || line[at - 1] == ':';
    if (!whole || sign >= line.size() || line[sign] != '=') continue;
    const std::string_view rest = line.substr(sign + 1);
    return core::trim(rest.substr(0, rest.find(',')));
  }
  return {};
}

// What was announced of a job. A block size is spelled as one would write it: "4096B-4096B" is "4k", a range stays one.
struct Options {
  std::string rw, engine, iodepth;
  std::map<std::string, std::string, std::less<>> bs;  // by direction
};
std::string block_text(std::string_view range) {
  range = core::trim(range);
  const std::size_t dash = range.find('-');
  const std::string_view from = range.substr(0, dash), to = dash == std::string_view::npos ? from : range.substr(dash + 1);
  const auto bytes = bytes_of(from.ends_with('B') ? std::string(from) : std::string(from) + "B", true);
  if (from != to || !bytes) return std::string(range.substr(0, 40));
  const auto size = static_cast<std::uint64_t>(std::clamp(*bytes, 0.0, 1e15));
  if (size != 0 && size % 1048576 == 0) return std::to_string(size / 1048576) + "m";
  return size != 0 && size % 1024 == 0 ? std::to_string(size / 1024) + "k" : std::to_string(size);
}
Options options_of(std::string_view text) {
  Options options;
  options.rw = std::string(value_of(text, "rw").substr(0, 40));
  options.engine = std::string(value_of(text, "ioengine").substr(0, 40));
  options.iodepth = std::string(value_of(text, "iodepth").substr(0, 20));
  const std::size_t at = text.find("bs=");
  if (at == std::string_view::npos) return options;
  const std::string_view rest = text.substr(at + 3, text.substr(at + 3).find(", ioengine="));
  constexpr std::pair<std::string_view, std::string_view> kWays[] = {{"read", "(R) "}, {"write", "(W) "}, {"trim", "(T) "}};
  const std::vector<std::string_view> slashed = core::split(rest, '/');  // fio 2
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    const auto& [way, mark] = kWays[i];
    const std::size_t own = rest.find(mark);
    const std::string_view range = own != std::string_view::npos ? rest.substr(own + 4, rest.substr(own + 4).find(','))
                                   : i < slashed.size()          ? slashed[i]
                                                                 : slashed.back();
    options.bs.emplace(way, block_text(range));
  }
  return options;
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options)
      : input_(input), rows_(input, options, "fio"), terse_(input.bytes.find(kResult) == std::string_view::npos) {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (lines.next(line) && !rows_.halted()) take(core::trim(line));
    check_groups();
    if (rows_.empty()) {
      return core::fail(rows_.error("no result of fio: no line \"JOB: (groupid=0, jobs=1): err= 0\"",
                                    "fio prints them when the run is over: it was stopped before; run it again and look at "
                                    "what it says"));
    }
    return rows_.finish();
  }

 private:
  void take(std::string_view line) {
    if (const std::size_t at = line.find(": (g=");
        at != std::string_view::npos && line.find("rw=", at) != std::string_view::npos) {
      announce(line.substr(0, at), line.substr(at + 5));
    } else if (line.starts_with("fio-") && line.find(' ') == std::string_view::npos) {
      version(line);
    } else if (const std::size_t result = line.find(kResult); result != std::string_view::npos) {
      job(line.substr(0, result), line.substr(result + kResult.size()));
    } else if (terse_ && line.size() > 6 && line.substr(1, 5) == ";fio-") {
      terse(line);
    } else if (line.starts_with("Run status group ")) {
      group_ = std::string(line.substr(17, line.find(' ', 17) - 17));
      in_job_ = false;
    } else if (in_job_) {
      detail(line);
    } else if (!group_.empty()) {
      total(line);
    }
  }
  void announce(std::string_view name, std::string_view rest) {
    if (any_) {  // the next run
      check_groups();
      rows_.section();
      announced_.clear();
      reported_.clear();
      blocks_.clear();
      any_ = false;
    }
    in_job_ = false;
    group_.clear();
    const std::string group(rest.substr(0, rest.find(')')));
    announced_.try_emplace({std::string(name), group}, options_of(rest));
  }
  void version(std::string_view line) {
    rows_.writer.out.format.version = std::string(line.substr(0, 40));
    rows_.note("stack.fio", line.substr(0, 40));
  }
  // A whole group may have run without a single request.
  void check_groups() {
    if (!any_) return;
    for (const auto& [job, options] : announced_) {
      if (!reported_.contains(job.second)) rows_.incomplete("the job " + core::cited(job.first) + " has no result");
    }
  }

  // "0, jobs=4): err= 0: pid=12902: …", "err= 5 (file:io_u.c:1789, …): pid=…"
  void job(std::string_view name, std::string_view rest) {
    const std::string group(rest.substr(0, rest.find(',')));
    jobs_ = std::string(core::trim(rest.substr(0, rest.find(')'))));
    const std::size_t count = jobs_.find("jobs=");
    jobs_ = count == std::string::npos ? "" : jobs_.substr(count + 5);
    begin(name.substr(0, 200), group);
    const std::size_t err = rest.find("err=");
    const std::string_view code = core::trim(rest.substr(err == std::string_view::npos ? rest.size() : err + 4));
    const auto error = core::parse_double(code.substr(0, std::min(code.find_first_not_of("0123456789"), code.size())));
    failed_ = !error || *error != 0;
    if (error) rows_.add(kError, *error);
  }
  void begin(std::string_view name, const std::string& group) {
    name_ = std::string(name);
    job_group_ = group;
    const auto found = announced_.find({name_, group});
    options_ = found == announced_.end() ? Options() : found->second;
    rows_.note("workload.ioengine", options_.engine);
    reported_.insert(group);
    any_ = in_job_ = true;
    way_.clear();
    percentiles_ = nullptr;
    rows_.point(name_);
  }
  void at_way(std::string_view way) {
    way_ = std::string(way);
    const auto bs = options_.bs.find(way == "sync" ? std::string_view("write") : way);
    const std::string_view size = bs == options_.bs.end() ? std::string_view() : std::string_view(bs->second);
    judged_ = judged_for(block_size(size), false);
    rows_.point(name_, {{"rw", options_.rw}, {"bs", size}, {"iodepth", options_.iodepth}, {"numjobs", jobs_}, {"way", way_}});
    percentiles_ = nullptr;
  }
  void put(const ToolMetric& metric, std::optional<double> value, std::string_view printed) {
    if (!value) return;
    if (failed_) {
      rows_.add(metric, failed_value(printed));
    } else {
      rows_.add(metric, *value);
    }
  }

  void detail(std::string_view line) {
    for (const std::string_view way : {"read", "write", "trim", "mixed"}) {
      if (!line.starts_with(way)) continue;
      const std::string_view rest = core::trim(line.substr(way.size()));
      if (!rest.starts_with(':')) continue;
      rates(way, core::trim(rest.substr(1)));
      return;
    }
    if (line.starts_with("fsync/fdatasync")) {
      at_way("sync");
    } else if (line.starts_with("|")) {
      percentiles(line);
    } else if (const std::size_t at = line.find(" percentiles ("); at != std::string_view::npos) {
      percentiles_ = stage(line.substr(0, at));
      factor_ = nanoseconds(line.substr(at + 14, line.find(')', at) - at - 14));
    } else if (line.find(": min=") != std::string_view::npos && line.find("stdev=") != std::string_view::npos) {
      spread(line);
    } else {
      of_job(line);
    }
  }
  // "IOPS=85, BW=85.1MiB/s (89.2MB/s)(1024MiB/12039msec)", before fio 3 "io=19412MB, bw=661966KB/s, iops=165491, runt= 30029msec"
  void rates(std::string_view way, std::string_view text) {
    const bool old = text.starts_with("io=");
    const std::string_view iops = value_of(text, old ? "iops" : "IOPS");
    std::string_view bw = value_of(text, old ? "bw" : "BW");
    bw = bw.substr(0, bw.find_first_of(" ("));
    at_way(way);
    put(kBandwidth[judged_.bandwidth ? 0 : 1], bytes_of(bw, old), bw);
    put(kIops[judged_.iops ? 0 : 1], count_of(iops), iops);
    headline(rows_, judged_);
    ++blocks_[{job_group_, std::string(way)}];
  }
  [[nodiscard]] const LatencyRows* stage(std::string_view name) const {
    if (way_.empty()) return nullptr;
    name = core::trim(name);
    if (way_ == "sync") return name == "sync" ? &kStages[0].rows : nullptr;
    for (const Stage& one : kStages) {
      if (one.name == name) return &one.rows;  // those in ns come first
    }
    return nullptr;
  }
  // "slat (usec): min=369, max=25507, avg=11705.89, stdev=1260.00", "bw (  KiB/s): …", "iops        : …"
  void spread(std::string_view line) {
    if (way_.empty()) return;
    if (line.starts_with("iops")) {
      put(kNoise[1], count_of(value_of(line, "stdev")), value_of(line, "stdev"));
      return;
    }
    const std::size_t open = line.find('('), close = line.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
    const std::string_view unit = core::trim(line.substr(open + 1, close - open - 1));
    if (line.starts_with("bw")) {
      const auto in_bytes = bytes_of("1" + std::string(unit), unit.find("KB") != std::string_view::npos);
      const auto deviation = count_of(value_of(line, "stdev"));
      if (in_bytes && deviation) put(kNoise[0], *deviation * *in_bytes / 1024, value_of(line, "stdev"));
      return;
    }
    const LatencyRows* const rows = stage(line.substr(0, open));
    const double factor = nanoseconds(unit);
    if (rows == nullptr || factor == 0) return;
    for (const auto& [name, metric] : {std::pair{"avg", &LatencyRows::mean}, std::pair{"stdev", &LatencyRows::stddev},
                                       std::pair{"min", &LatencyRows::min}, std::pair{"max", &LatencyRows::max}}) {
      const std::string_view printed = value_of(line, name);
      if (const auto value = count_of(printed)) put(rows->*metric, in_ns(*value, factor), printed);
    }
  }
  // "|  1.00th=[72877],  5.00th=[80217],"
  void percentiles(std::string_view line) {
    if (percentiles_ == nullptr || factor_ == 0) return;
    for (std::string_view one : core::split(line.substr(1), ',')) {
      const std::size_t th = one.find("th=[");
      if (th == std::string_view::npos) continue;
      const auto percent = core::parse_double(core::trim(one.substr(0, th)));
      const std::string_view printed = core::trim(one.substr(th + 4, one.find(']') - th - 4));
      const auto value = core::parse_double(printed);
      if (!percent || !value) continue;
      for (const Percentile& known : kPercentiles) {
        if (known.percent == *percent) put(percentiles_->*known.metric, *value * factor_, printed);
      }
    }
  }
  void of_job(std::string_view line) {
    const bool cpu = line.starts_with("cpu "), errors = line.starts_with("errors "), steady = line.starts_with("steadystate ");
    if (!cpu && !errors && !steady) return;
    rows_.point(name_);
    way_.clear();
    if (cpu) {
      for (const auto& [name, metric] : {std::pair{"usr", &kCpu[0]}, std::pair{"sys", &kCpu[1]}}) {
        const std::string_view printed = value_of(line, name);
        if (printed.ends_with('%')) rows_.add(*metric, printed.substr(0, printed.size() - 1));
      }
    } else if (errors) {
      if (const auto count = count_of(value_of(line, "total"))) rows_.add(kTotalErrors, *count);
    } else {
      rows_.add(kSteady, value_of(line, "attained") == "yes" ? 1 : 0);
    }
  }
  // "READ: bw=85.1MiB/s (89.2MB/s), …", before fio 3 "READ: io=19412MB, aggrb=661965KB/s, …": of several jobs what they did
  // together.
  void total(std::string_view line) {
    const std::size_t colon = line.find(": ");
    if (colon > 8) return;  // also where there is none
    const std::string way = core::to_lower(line.substr(0, colon));
    const bool old = line.find("aggrb=") != std::string_view::npos;
    std::string_view bw = value_of(line, old ? "aggrb" : "bw");
    bw = bw.substr(0, bw.find(' '));
    const auto bytes = bytes_of(bw, old);
    if (!bytes || (way != "read" && way != "write" && way != "trim" && way != "mixed")) return;
    const auto blocks = blocks_.find({group_, way});
    rows_.point("group " + group_, {{"way", way}});
    rows_.add(kBandwidth[blocks != blocks_.end() && blocks->second > 1 ? 0 : 1], *bytes);
  }

  // "3;fio-3.28;NAME;0;0;" and 41 fields of each direction (47 from version 5 on, which adds IOPS), times in us.
  void terse(std::string_view line) {
    const std::vector<std::string_view> fields = core::split(line, ';');
    const std::size_t length = line[0] == '5' ? 47 : 41, ways = line[0] == '3' ? 2 : 3;
    if (line[0] < '3' || line[0] > '5' || fields.size() < 5 + length * ways) return;
    version(fields[1]);
    jobs_.clear();
    begin(fields[2].substr(0, 200), std::string(fields[3]));
    const auto number = [&](std::size_t at) { return core::parse_double(fields[at]); };
    failed_ = number(4).value_or(1) != 0;
    rows_.add(kError, number(4).value_or(1));
    for (std::size_t i = 0; i < ways; ++i) {
      const std::size_t at = 5 + i * length;
      if (number(at).value_or(0) == 0) continue;
      at_way(i == 0 ? "read" : i == 1 ? "write" : "trim");
      if (const auto bw = number(at + 1)) put(kBandwidth[judged_.bandwidth ? 0 : 1], *bw * 1024, fields[at + 1]);
      put(kIops[judged_.iops ? 0 : 1], number(at + 2), fields[at + 2]);
      headline(rows_, judged_);
      if (const auto deviation = number(at + 40)) put(kNoise[0], *deviation, fields[at + 40]);
      for (const auto& [index, offset] : {std::pair{0U, 32U}, std::pair{1U, 8U}, std::pair{2U, 4U}}) {
        const LatencyRows& rows = kStages[index].rows;
        if (number(at + offset + 1).value_or(0) == 0) continue;
        constexpr ToolMetric LatencyRows::*kOrder[] = {&LatencyRows::min, &LatencyRows::max, &LatencyRows::mean,
                                                       &LatencyRows::stddev};
        for (std::size_t k = 0; k < 4; ++k) {
          if (const auto us = number(at + offset + k)) put(rows.*kOrder[k], in_ns(*us, 1e3), fields[at + offset + k]);
        }
      }
      for (std::size_t k = 0; k < 20; ++k) {  // "99.000000%=91750"
        const std::string_view field = fields[at + 12 + k];
        const std::size_t sign = field.find("%=");
        if (sign == std::string_view::npos) continue;
        const auto us = core::parse_double(field.substr(sign + 2));
        for (const Percentile& known : kPercentiles) {
          if (us && known.name == field.substr(0, sign)) put(kStages[1].rows.*known.metric, *us * 1e3, field.substr(sign + 2));
        }
      }
    }
  }

  const Input& input_;
  ToolRows rows_;
  bool terse_, any_ = false, in_job_ = false, failed_ = false;
  std::string name_, job_group_, jobs_, way_, group_;
  Options options_;
  Judged judged_{};
  const LatencyRows* percentiles_ = nullptr;  // whose percentiles come
  double factor_ = 0;
  std::map<std::pair<std::string, std::string>, Options> announced_;  // by name and group
  std::set<std::string> reported_;                                    // groups
  std::map<std::pair<std::string, std::string>, int> blocks_;         // results by group and direction
};

Detection detect_fio_text(const Input& input) {
  constexpr double kLessThanJson = 0.91;  // fio's JSON may stand behind the same lines
  return detect_line(input, kLessThanJson, [](std::string_view text) {
    const std::size_t at = text.find(kResult);
    const bool result = at != std::string_view::npos && text.find("): err=", at) != std::string_view::npos;
    const bool announced = text.find(": (g=") != std::string_view::npos && text.find("): rw=") != std::string_view::npos &&
                           text.find("ioengine=") != std::string_view::npos;
    const bool terse = text.size() > 6 && text[0] >= '3' && text[0] <= '5' && text.substr(1, 5) == ";fio-";
    return result || announced || terse;
  });
}

}  // namespace

extern const Format fio_text_format = {
    .name = "fio-text",
    .title = "fio disk benchmark: text and `--minimal`",
    .replication = core::Replication::in_process,
    .detect = detect_fio_text,
    .read = read_with<Reader>,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "fio job.fio --output=result.txt\n"
                         "fio --minimal job.fio > result.txt",
              .judged =
                  "as fio's JSON: IOPS below 64 KiB, bandwidth from there on, mean latency and p99, also of fsync; of several "
                  "jobs in a group their common bandwidth; errors and a steady state that was not reached are gates",
              .key = "job, rw, block size, depth, jobs, read, write, trim, mixed or sync; of a later run in the log its section",
              .trials = "clones of a job (numjobs without group_reporting); the deviation is noise",
              .context = "engine, version",
              .limits =
                  "figures are rounded as printed; whether the rate was limited is not in the text; latencies by priority are "
                  "left out, terse lines of version 2 are not known",
              .recognised = "`JOB: (g=0): rw=`, `JOB: (groupid=0, jobs=1): err=`, `3;fio-`"},
};

}  // namespace plumbline::formats
