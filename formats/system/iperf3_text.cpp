// iperf3's text for people, of the client or of the server, and iperf 2's, whose lines are the same but for the marks at their
// end. A line is of one stream or, with several, of their [SUM]; lines of an interval come first, then those of the whole test
// ("sender", "receiver"). Rates are powers of 1000 in bits and of 1024 in bytes (-f M).
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "formats/declared_rows.hpp"
#include "formats/line_reader.hpp"
#include "formats/readers.hpp"
#include "formats/system/iperf3.hpp"

namespace plumbline::formats {
namespace {

using namespace iperf3;

// "45.2" "Mbits/sec" in bits a second.
std::optional<double> bits_of(std::string_view number, std::string_view unit) {
  const auto value = core::parse_double(number);
  if (!value || !unit.ends_with("/sec")) return std::nullopt;
  unit.remove_suffix(4);
  const bool bytes = unit.ends_with("Bytes") || unit == "bytes";
  if (!bytes && !unit.ends_with("bits")) return std::nullopt;
  const std::string_view prefix =
      bytes ? (unit.starts_with("b") ? std::string_view() : unit.substr(0, unit.size() - 5)) : unit.substr(0, unit.size() - 4);
  const double base = bytes ? 1024 : 1000;
  const int power = prefix.empty() ? 0 : prefix == "K" ? 1 : prefix == "M" ? 2 : prefix == "G" ? 3 : prefix == "T" ? 4 : -1;
  if (power < 0) return std::nullopt;
  const double bits = *value * std::pow(base, power) * (bytes ? 8 : 1);
  return bits < 1e15 ? std::round(bits * 1e3) / 1e3 : bits;
}

// "[  5][TX-C]   0.00-10.00  sec  53.9 MBytes  45.2 Mbits/sec    0             sender"
struct Line {
  std::string id, role;
  double from = 0, to = 0, rate = 0;
  std::optional<double> retransmits, jitter, lost, total;
  bool omitted = false, sender = false, receiver = false;
};
std::optional<Line> line_of(std::string_view text) {
  Line line;
  if (!text.starts_with('[')) return std::nullopt;
  const std::size_t end = text.find(']');
  if (end > 8) return std::nullopt;  // also where there is none
  line.id = std::string(core::trim(text.substr(1, end - 1)));
  text = text.substr(end + 1);
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close > 8) return std::nullopt;
    line.role = std::string(text.substr(1, close - 1));
    text = text.substr(close + 1);
  }
  // "9.00-10.00", or "9.0- 10.0" in iperf 2
  const std::size_t sec = text.find(" sec");
  if (sec == std::string_view::npos) return std::nullopt;
  const std::string_view span = core::trim(text.substr(0, sec));
  const std::size_t dash = span.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto from = core::parse_double(core::trim(span.substr(0, dash))),
             to = core::parse_double(core::trim(span.substr(dash + 1)));
  if (!from || !to) return std::nullopt;
  line.from = *from;
  line.to = *to;
  std::vector<std::string_view> words;
  split_blanks(text.substr(sec + 4), words);
  if (words.size() < 4) return std::nullopt;
  const auto rate = bits_of(words[2], words[3]);
  if (!rate) return std::nullopt;
  line.rate = *rate;
  if (words.back() == "(omitted)") line.omitted = true;
  if (words.back() == "sender") line.sender = true;
  if (words.back() == "receiver") line.receiver = true;
  if (words.size() < 5) return line;
  if (words.size() >= 7 && words[5] == "ms") {  // jitter, lost/total
    line.jitter = core::parse_double(words[4]);
    std::string_view both = words[6];
    std::string joined;
    if (both.ends_with('/') && words.size() > 7) {  // "0/  893"
      joined = std::string(both) + std::string(words[7]);
      both = joined;
    }
    const std::size_t slash = both.find('/');
    if (slash != std::string_view::npos) {
      line.lost = core::parse_double(both.substr(0, slash));
      line.total = core::parse_double(both.substr(slash + 1));
    }
  } else {
    line.retransmits = core::parse_double(words[4]);
  }
  return line;
}

class Reader {
 public:
  Reader(const Input& input, const ReadOptions& options) : input_(input), rows_(input, options, "iperf3") {}

  core::Expected<core::Measurement> read() {
    LogLines lines(input_.bytes);
    std::string_view line;
    while (lines.next(line) && !rows_.halted()) take(core::trim(line), lines.number());
    end();
    if (rows_.empty()) {
      if (!failure_.empty()) {
        return core::fail(rows_.error("iperf3 failed: " + failure_, "fix what it names and run it again", failed_at_));
      }
      return core::fail(
          rows_.error("no line of a whole test: none that ends in \"sender\" or \"receiver\", or spans all intervals",
                      "iperf3 sums up when the test is over; run it again and look at what it says"));
    }
    if (!failure_.empty()) rows_.incomplete("iperf3 failed: " + failure_);
    if (udp_seen_) rows_.writer.out.warn("offered_load", std::string(offered_warning(Offered::udp)));
    return rows_.finish();
  }

 private:
  void take(std::string_view text, std::size_t number) {
    if (text.starts_with("iperf3: error - ") || text.starts_with("iperf3: interrupt")) {
      failure_ = std::string(text.substr(8, 200));
      if (failure_.starts_with("error - ")) failure_.erase(0, 8);
      failed_at_ = number;
    } else if (text.starts_with("Connecting to host ") || text.starts_with("Accepted connection from ") ||
               text.starts_with("Client connecting to ") || text.starts_with("Server listening on ") ||
               text.starts_with("Starting Test: ")) {
      begin();
      udp_ = udp_ || text.find("UDP") != std::string_view::npos;
      if (text.starts_with("Starting Test: ")) starting(text.substr(15));
    } else if (text.starts_with("iperf 3") && text.find(' ', 6) == std::string_view::npos) {
      rows_.note("stack.iperf3", text);
    } else if (text.starts_with("[ ID]")) {
      udp_ = udp_ || text.find("Jitter") != std::string_view::npos || text.find("Total Datagrams") != std::string_view::npos;
      retransmits_ = text.find("Retr") != std::string_view::npos;
    } else if (text.starts_with("Reverse mode")) {
      rows_.note("workload.reverse", "1");
    } else if (text.starts_with("CPU Utilization: ")) {
      cpu(text.substr(17));
    } else if (auto line = line_of(text)) {
      if (!retransmits_) line->retransmits.reset();
      udp_ = udp_ || line->jitter.has_value();
      if (!line->omitted) lines_.push_back(std::move(*line));
    }
  }
  // A test is told from the one before it by what opens it; a client says so more than once.
  void begin() {
    if (lines_.empty()) return;
    end();
    udp_ = retransmits_ = false;
  }
  // "protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, 10 second test, tos 0"
  void starting(std::string_view text) {
    for (const std::string_view part : core::split(text, ',')) {
      const std::string_view one = core::trim(part);
      const std::string_view number = one.substr(0, one.find(' '));
      if (one.ends_with(" streams")) rows_.note("workload.streams", number);
      if (one.ends_with(" byte blocks")) rows_.note("workload.block_size", number);
      if (one.ends_with(" second test")) rows_.note("workload.duration", number);
    }
  }
  // "local/sender 5.2% (0.4%u/4.8%s), remote/receiver 3.1% (0.2%u/2.9%s)"
  void cpu(std::string_view text) {
    for (const auto& [name, metric] : {std::pair{"local/", &kCpu[0]}, std::pair{"remote/", &kCpu[1]}}) {
      const std::size_t at = text.find(name);
      if (at == std::string_view::npos) continue;
      const std::size_t blank = text.find(' ', at), percent = text.find('%', at);
      if (blank == std::string_view::npos || percent == std::string_view::npos || percent < blank) continue;
      if (const auto load = core::parse_double(text.substr(blank + 1, percent - blank - 1))) cpu_.emplace_back(metric, *load);
    }
  }

  void end() {
    if (!lines_.empty()) {
      rows_.section();
      // With -R nothing is told apart; with --bidir "TX-C" is what this client sent.
      std::map<std::string, std::vector<const Line*>> by_role;
      for (const Line& line : lines_) by_role[line.role].push_back(&line);
      for (const auto& [role, of_role] : by_role) {
        way(role.empty() ? "" : role == "TX-C" || role == "RX-S" ? "forward" : "reverse", of_role);
      }
      if (!cpu_.empty()) rows_.point("cpu");
      for (const auto& [metric, load] : cpu_) rows_.add(*metric, load);
    }
    lines_.clear();
    cpu_.clear();
  }
  void way(std::string_view direction, const std::vector<const Line*>& lines) {
    std::map<std::string, std::vector<const Line*>> by_id;
    for (const Line* const line : lines) by_id[line->id].push_back(line);
    const auto sum = by_id.find("SUM");
    // Of several streams without a sum (a test that was stopped) none speaks for all.
    if (sum == by_id.end() && by_id.size() > 1) {
      rows_.incomplete("several streams and no [SUM]: the test was stopped before its end");
      return;
    }
    if (by_id.size() > 2) rows_.note("workload.streams", std::to_string(by_id.size() - 1));
    const std::vector<const Line*>& of = sum != by_id.end() ? sum->second : by_id.begin()->second;
    const Line *sender = nullptr, *receiver = nullptr;
    std::vector<double> intervals;
    for (const Line* const line : of) {
      if (line->sender) sender = line;
      if (line->receiver) receiver = line;
    }
    // Older ones mark neither: the last line that begins where the first did is the whole.
    const Line* whole = nullptr;
    if (sender == nullptr && receiver == nullptr) {
      const Line* const last = of.back();
      if (last->from == of.front()->from && (of.size() == 1 || last->to > of.front()->to)) whole = last;
    }
    for (const Line* const line : of) {
      if (!line->sender && !line->receiver && line != whole) intervals.push_back(line->rate);
    }
    const Line* const result = receiver != nullptr ? receiver : whole != nullptr ? whole : sender;
    if (result == nullptr) {
      rows_.incomplete("the test has intervals and no end");
      return;
    }
    rows(direction, *result, sender, intervals);
  }
  void rows(std::string_view direction, const Line& result, const Line* sender, const std::vector<double>& intervals) {
    rows_.point(udp_ ? "udp" : "tcp", {{"way", direction}});
    rows_.note("workload.protocol", udp_ ? "UDP" : "TCP");
    rows_.add(kRate[udp_ ? 1 : 0], result.rate);
    if (!udp_ && direction != "reverse") rows_.headline(rows_.key(kRate[0].name));
    if (sender != nullptr) rows_.add(kSent, sender->rate);
    const Line& retried = sender != nullptr ? *sender : result;
    if (!udp_ && retried.retransmits) rows_.add(kRetransmits, *retried.retransmits);
    if (udp_) {
      udp_seen_ = true;
      if (result.jitter) rows_.add(kJitter, *result.jitter);
      if (result.lost && result.total && *result.total > 0) rows_.add(kLost, *result.lost / *result.total * 100);
    }
    if (!intervals.empty()) rows_.add_trials(kIntervals, intervals);
  }

  const Input& input_;
  ToolRows rows_;
  std::vector<Line> lines_;  // of one test
  std::vector<std::pair<const ToolMetric*, double>> cpu_;
  bool udp_ = false, retransmits_ = false, udp_seen_ = false;
  std::string failure_;
  std::size_t failed_at_ = 0;
};

Detection detect_iperf3_text(const Input& input) {
  constexpr double kLessThanJson = 0.91;  // iperf3's JSON may stand in the same log
  return detect_line(input, kLessThanJson, [](std::string_view text) {
    const bool header = text.starts_with("[ ID]") && text.find("Interval") != std::string_view::npos;
    return header || line_of(text) || text.starts_with("iperf3: error - ");
  });
}

}  // namespace

extern const Format iperf3_text_format = {
    .name = "iperf3-text",
    .title = "iperf3 and iperf 2 network throughput",
    .replication = core::Replication::in_process,
    .detect = detect_iperf3_text,
    .read = read_with<Reader>,
    .about = {.group = Group::system,
              .file = "text",
              .produce = "iperf3 -c SERVER -t 30 | tee result.txt",
              .judged =
                  "as iperf3's JSON: the receiver's rate (the sender's where there is no other), retransmits; for UDP losses and "
                  "jitter",
              .key = "protocol, way with --bidir; of a later test in the log its section",
              .trials = "the intervals, kept beside the sum",
              .context = "version, streams, block size, duration, protocol, reverse",
              .limits =
                  "figures are rounded as printed; of several streams only the sum; whether TCP had a target rate is not in the "
                  "text; omitted intervals are left out",
              .recognised = "`[ ID] Interval`, `[  5]   0.00-1.00   sec … Mbits/sec`"},
};

}  // namespace plumbline::formats
