#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/host/stacks.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kHead = std::size_t{64} * 1024;
constexpr std::size_t kMostEvents = 256;
constexpr std::size_t kDeepest = 100'000;  // frames of one stack; perf itself stops at 127 unless told

using base::is_digit;
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}
std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// "94564.109216:" -> nanoseconds.
std::optional<std::int64_t> time_of(std::string_view word) {
  if (word.size() < 4 || word.back() != ':' || !is_digit(word.front())) return std::nullopt;
  word.remove_suffix(1);
  constexpr std::size_t kMostDigits = 9;  // of seconds, and of what follows the point
  std::int64_t ns = 0;
  std::size_t at = 0;
  for (; at < word.size() && is_digit(word[at]); ++at) ns = at < kMostDigits + 2 ? ns * 10 + (word[at] - '0') : ns;
  if (at > kMostDigits || at + 1 >= word.size() || word[at] != '.') return std::nullopt;
  std::size_t digits = 0;
  for (++at; at < word.size(); ++at, ++digits) {
    if (!is_digit(word[at]) || digits == kMostDigits) return std::nullopt;
    ns = ns * 10 + (word[at] - '0');
  }
  for (; digits < kMostDigits; ++digits) ns *= 10;
  return ns;
}

// "1234" or "1234/1235"
bool is_process(std::string_view word) {
  const std::size_t slash = word.find('/');
  const auto number = [](std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);  // -1: a process that has gone
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  };
  return slash == std::string_view::npos ? number(word) : number(word.substr(0, slash)) && number(word.substr(slash + 1));
}
bool is_cpu(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' && std::all_of(word.begin() + 1, word.end() - 1, is_digit);
}

struct Header {
  std::optional<std::int64_t> time, period;
  std::string_view event;  // "cycles:u", without the colon that ends it
  std::string_view rest;
};

std::optional<std::int64_t> period_of(std::string_view word) {
  if (word.empty() || word.size() > 18 || !std::all_of(word.begin(), word.end(), is_digit)) return std::nullopt;
  std::int64_t period = 0;
  for (const char c : word) period = period * 10 + (c - '0');
  return period;
}

// Without times, as older versions of perf wrote it: `comm pid[/tid] [cpu] [period] event:` and nothing behind.
std::optional<Header> timeless_header_of(std::string_view line) {
  std::array<std::string_view, 4> last;  // words, the latest first
  while (true) {
    const std::string_view word = take_word(line);
    if (word.empty() || word == "\r") break;
    std::move_backward(last.begin(), last.end() - 1, last.end());
    last.front() = word;
  }
  Header header;
  header.event = last[0];
  if (header.event.size() < 2 || header.event.back() != ':' || last[2].empty()) return std::nullopt;
  header.event.remove_suffix(1);
  std::size_t process = is_cpu(last[1]) ? 2 : 1;
  if (process == 1 && (is_process(last[2]) || is_cpu(last[2])) && !last[3].empty()) {
    header.period = period_of(last[1]);
    if (header.period) process = is_cpu(last[2]) ? 3 : 2;
  }
  if (!is_process(last[process])) return std::nullopt;
  return header;
}

// `comm pid[/tid] [cpu] time: [period] event:`; a comm may hold blanks, so the time is looked for, and a process stands before
// it.
std::optional<Header> header_of(std::string_view line) {
  Header header;
  if (line.empty() || is_blank(line.front())) return std::nullopt;
  std::string_view rest = line, before, earlier;
  while (!header.time) {
    const std::string_view word = take_word(rest);
    if (word.empty()) return timeless_header_of(line);
    if (is_process(before) || (is_cpu(before) && is_process(earlier))) header.time = time_of(word);
    earlier = before;
    before = word;
  }
  std::string_view word = take_word(rest);
  if (header.period = period_of(word); header.period) word = take_word(rest);
  if (word.size() < 2 || word.back() != ':') return std::nullopt;
  word.remove_suffix(1);
  header.event = word;
  header.rest = without_blanks(rest);
  return header;
}

// "7f6d13cf2ad7 sym+0x12 (/lib/libc.so.6)" or "sym (inlined)": what stands between, "" when it is no frame. An unnamed symbol
// becomes its object's, in `named`.
std::string_view frame_of(std::string_view line, std::string& named) {
  std::string_view text = without_blanks(line);
  if (text.size() < 4 || text.back() != ')') return {};
  constexpr std::string_view kDeleted = " (deleted))";
  text.remove_suffix(text.ends_with(kDeleted) ? kDeleted.size() : 1);
  const std::size_t object_at = text.rfind(" (");
  if (object_at == std::string_view::npos) return {};
  std::string_view object = text.substr(object_at + 2);
  text = text.substr(0, object_at);
  std::size_t address = 0;
  while (address < text.size() && is_hex(text[address])) ++address;
  if (address > 0 && (address == text.size() || is_blank(text[address]))) {
    text.remove_prefix(address);
  } else if (object != "inlined") {
    return {};
  }
  text = without_blanks(text);
  if (const std::size_t plus = text.rfind("+0x"); plus != std::string_view::npos && plus != 0) text = text.substr(0, plus);
  if (!text.empty() && text != "[unknown]") return text;
  if (object.empty() || object == "[unknown]") return "[unknown]";
  object.remove_prefix(object.front() == '/' ? object.rfind('/') + 1 : 0);
  if (object.starts_with('[')) return named.assign(object);
  if (object.starts_with("perf-") && object.ends_with(".map")) object = "perf.map";  // the number between is the process
  return named.assign("[").append(object).append("]");
}

// What an event counts: "cpu-clock:pppH" is cpu-clock.
std::string_view event_base(std::string_view event) {
  // A tracepoint's own colon ("sched:sched_switch") stays: its modifiers would stand behind a second one.
  const std::size_t colon = event.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return event;
  const std::string_view behind = event.substr(colon + 1);
  const bool modifiers = behind.find_first_not_of("ukhvGHIpPSDWe") == std::string_view::npos;
  return modifiers ? event.substr(0, colon) : event;
}

struct Event {
  std::string name;
  StackSums sums;
  std::uint64_t with_period = 0, with_time = 0, samples = 0;
  std::int64_t first = 0, last = 0;
};

class PerfReader {
 public:
  explicit PerfReader(std::string name) : name_(std::move(name)) {}
  core::Expected<Profile> read(ByteSource& source, const std::function<bool()>& stop);

 private:
  void line(std::string_view line);
  void begin(const Header& header);
  void add_frame(std::string_view frame);
  void end_sample();
  Event* event(std::string_view name);
  core::Expected<Profile> profile(const TextLines& lines);

  std::string name_;
  FrameNames names_;
  std::vector<std::unique_ptr<Event>> events_;
  Event* event_ = nullptr;  // of the sample that is being read; null outside
  std::int64_t cost_ = 0;
  std::vector<std::uint32_t> frames_;  // innermost first
  std::string named_, example_;
  std::uint64_t unread_ = 0, cut_ = 0, events_left_out_ = 0;
};

Event* PerfReader::event(std::string_view name) {
  for (const auto& each : events_) {
    if (each->name == name) return each.get();
  }
  if (events_.size() == kMostEvents) return nullptr;
  events_.push_back(std::make_unique<Event>());
  events_.back()->name = std::string(name);
  return events_.back().get();
}

void PerfReader::begin(const Header& header) {
  end_sample();
  event_ = event(event_base(header.event));
  if (event_ == nullptr) {
    ++events_left_out_;
    return;
  }
  ++event_->samples;
  if (header.time) {
    if (event_->with_time++ == 0) event_->first = event_->last = *header.time;
    event_->first = std::min(event_->first, *header.time);
    event_->last = std::max(event_->last, *header.time);
  }
  if (header.period) ++event_->with_period;
  cost_ = header.period.value_or(1);
  if (const std::string_view frame = frame_of(header.rest, named_); !frame.empty()) add_frame(frame);
}

void PerfReader::add_frame(std::string_view frame) {
  if (frames_.size() == kDeepest) {
    ++cut_;
    return;
  }
  frames_.push_back(names_.id(frame));
}

void PerfReader::end_sample() {
  if (event_ == nullptr) return;
  if (frames_.empty()) frames_.push_back(names_.id({}));
  event_->sums.add(frames_, frames_.front(), cost_);
  frames_.clear();
  event_ = nullptr;
}

void PerfReader::line(std::string_view line) {
  if (line.empty() || line == "\r") return end_sample();
  if (line.front() == '#') return;
  if (is_blank(line.front())) {
    if (event_ == nullptr && events_left_out_ > 0) return;
    const std::string_view frame = frame_of(line, named_);
    if (event_ != nullptr && !frame.empty()) return add_frame(frame);
  } else if (const auto header = header_of(line)) {
    return begin(*header);
  }
  if (unread_++ == 0) example_ = std::string(core::trim(line).substr(0, 60));
}

core::Expected<Profile> PerfReader::read(ByteSource& source, const std::function<bool()>& stop) {
  TextLines lines(source, stop, name_);
  std::string_view text;
  while (lines.next(text)) line(text);
  end_sample();
  if (core::Status status = lines.status(); !status) return core::fail(status.error());
  return profile(lines);
}

core::Expected<Profile> PerfReader::profile(const TextLines& lines) {
  const auto most = std::max_element(events_.begin(), events_.end(), [](const auto& a, const auto& b) {
    return a->samples != b->samples ? a->samples < b->samples : a->name > b->name;
  });
  if (most == events_.end()) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the text holds no samples of perf script: a capture bug until proven otherwise",
                      "record with perf record -g and write the text with perf script", name_);
  }
  const Event& chosen = **most;
  // Costs are periods only when every sample has one: else one sample's weight would be another's.
  const bool clock = chosen.name == "cpu-clock" || chosen.name == "task-clock";
  const bool periods = chosen.with_period == chosen.samples;
  if (!periods && chosen.with_period > 0) {
    return core::fail(core::ErrorCode::invalid_input,
                      "some samples of " + chosen.name + " have a period and some have none: their costs do not add up",
                      "write the text in one go: perf script -F comm,tid,time,period,event,ip,sym,dso", name_);
  }
  auto profile = stack_profile(names_, chosen.sums, "perf-script", !periods ? "samples" : clock ? "ns" : chosen.name, name_);
  if (!profile) return profile;
  profile->frames_kind = clock ? "cpu" : chosen.name;
  profile->frames_samples = chosen.samples;
  if (chosen.last > chosen.first) profile->frames_duration_ns = chosen.last - chosen.first;
  if (events_.size() > 1) {
    std::vector<std::string> others;
    for (const auto& each : events_) {
      if (each.get() != &chosen) others.push_back(each->name + " (" + std::to_string(each->samples) + ")");
    }
    profile->warnings.push_back({"event_chosen", "of several events the one with most samples was read, " + chosen.name + " (" +
                                                     std::to_string(chosen.samples) + "); left out: " + core::listed(others)});
  }
  if (unread_ > 0) {
    profile->warnings.push_back({"unread_lines", core::counted(unread_, "line is", "lines are") +
                                                     " no part of a sample and not read, the first: " + core::cited(example_)});
  }
  if (cut_ > 0) {
    profile->warnings.push_back(
        {"deep_stacks", core::counted(cut_, "frame") + " beyond the innermost 100000 of a stack left out"});
  }
  if (events_left_out_ > 0) {
    profile->warnings.push_back({"unread_values", core::counted(events_left_out_, "sample") + " of further events left out: " +
                                                      std::to_string(kMostEvents) + " events are read"});
  }
  if (lines.overlong() > 0) {
    profile->warnings.push_back({"overlong_lines", core::counted(lines.overlong(), "line") + " longer than 4 MiB left out"});
  }
  return profile;
}

}  // namespace

core::Expected<Profile> read_perf_script_text(std::string_view text, const std::string& name) {
  const auto source = unpacked_bytes(text);
  return PerfReader(name).read(*source, {});
}

namespace {

core::Expected<Profile> read_perf_script(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const auto source = text_bytes(file);
  return PerfReader(path).read(*source, options.stop);
}

}  // namespace

// Every line that is not indented is a sample's first (comments aside), and one of them has a frame, on its line or below.
bool is_perf_script_text(std::string_view head, bool whole) {
  if (!whole) {
    const std::size_t end = head.rfind('\n');
    if (end == std::string_view::npos) return false;
    head = head.substr(0, end);
  }
  std::uint64_t headers = 0, frames = 0;
  std::string named;
  bool inside = false;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    if (line.starts_with('#')) continue;
    if (line.empty() || line == "\r") {
      inside = false;
    } else if (is_blank(line.front())) {
      if (inside && !frame_of(line, named).empty()) ++frames;
    } else if (const auto header = header_of(line)) {
      ++headers;
      inside = true;
      if (!frame_of(header->rest, named).empty()) ++frames;
    } else {
      return false;
    }
  }
  return headers > 0 && frames > 0;
}

extern const Form perf_script_form = {
    .name = "perf-script",
    .captures = {{{"perf-script", "text of `perf script`; the event with most samples", "the header lines", "text",
                   "perf record -g COMMAND && perf script > stacks.txt"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          const TextHead head = text_head(file, kHead);
          return is_perf_script_text(head.text, head.whole);
        },
    .read = &read_perf_script,
};

}  // namespace plumbline::profiles
