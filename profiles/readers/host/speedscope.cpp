// Profiles in speedscope's own format (https://www.speedscope.app/file-format-schema.json), as py-spy, rbspy, inferno and
// speedscope itself write them: stacks with weights, or functions that open and close, several profiles (threads) in a file.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/json_values.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/call_walk.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/host/json_profiles.hpp"
#include "profiles/readers/host/stacks.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kMostSamples = std::size_t{1} << 28U;
constexpr std::size_t kMostFrames = std::size_t{1} << 28U;  // of the stacks that differ

struct Unit {
  std::string_view written, unit;
  int places;  // decimals of what is written down to what is counted
};
constexpr std::array<Unit, 6> kUnits = {{{"nanoseconds", "ns", 0},
                                         {"microseconds", "ns", 3},
                                         {"milliseconds", "ns", 6},
                                         {"seconds", "ns", 9},
                                         {"bytes", "bytes", 0},
                                         {"none", "counts", 0}}};

bool is_whole(std::string_view number) { return number.find_first_of(".eE") == std::string_view::npos; }

class SpeedscopeReader final : public JsonReader {
 public:
  explicit SpeedscopeReader(std::string name) : name_(std::move(name)) {}
  core::Expected<Profile> read(const OpenBytes& open, const ReadOptions& options);
  Take take(std::span<const std::string> path, JsonKind kind) override;
  Answer value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) override;

 private:
  enum Tag : int { frame_tag, unit_tag, start_tag, end_tag, sample_tag, weight_tag, event_tag, exporter_tag };
  // What one profile of the file says before its samples or events. Known from the first pass when it stands behind them.
  struct One {
    std::optional<Unit> unit;
    std::string start, end;  // as they are written: the unit may come later
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return XXH3_64bits(text.data(), text.size()); }
  };

  Take take_of_profile(const std::string& key, JsonKind kind);
  bool counted_here();
  void frame(const JsonText& text, const JsonValue& value);
  void sample(const JsonValue& value);
  void weight(const JsonValue& value);
  bool event(const JsonText& text, const JsonValue& value);
  void close(std::uint32_t function);
  void end_profile();
  void add_window(const One& one);
  std::uint32_t function_at(std::optional<std::int64_t> frame);
  bool fail(core::ErrorCode code, std::string message, std::string hint = "write the profile again");
  void start_over();
  core::Expected<Profile> finish();

  std::string name_, version_;
  FrameNames names_;
  std::vector<std::uint32_t> functions_;  // by frame of the file
  bool frames_known_ = false, again_ = false, second_pass_ = false;
  std::vector<One> profiles_;
  std::size_t at_ = 0, began_ = 0;  // the profile that is read, and how many began in this pass
  std::optional<Unit> unit_;        // of the first profile: others are left out
  std::uint64_t left_out_ = 0;
  core::Status status_;

  // Sampled profiles: each stack that differs once, and which one each sample of the current profile has.
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> stacks_;
  std::vector<std::uint32_t> frames_, ends_;  // of the stacks, outermost first
  std::vector<std::int64_t> costs_;           // by stack
  std::vector<std::uint32_t> samples_;
  std::vector<std::int64_t> weights_;
  std::uint64_t looks_ = 0;
  std::optional<std::int64_t> weight_of_all_;
  bool weights_differ_ = false, evented_ = false;

  StackSums sums_;
  CallWalk walk_{sums_};
  std::optional<std::int64_t> last_;  // time of the last event
  std::optional<std::int64_t> first_start_, last_end_;
  std::uint64_t missing_ = 0, unmatched_ = 0, reversed_ = 0, still_open_ = 0;
};

bool SpeedscopeReader::fail(core::ErrorCode code, std::string message, std::string hint) {
  if (status_) status_ = core::fail(code, std::move(message), std::move(hint), name_);
  return false;
}

JsonReader::Take SpeedscopeReader::take(std::span<const std::string> path, JsonKind kind) {
  if (path.empty()) return kind == JsonKind::object ? Take{How::enter, 0} : Take{};
  const std::string& key = path.front();
  if (path.size() == 1) {
    if (key == "exporter") return {How::whole, exporter_tag};
    if (key == "shared") return {How::enter, 0};
    if (key != "profiles" || kind != JsonKind::array) return {};
    if (frames_known_) return {How::enter, 0};
    again_ = true;  // py-spy writes the names of frames behind the profiles
    return {};
  }
  if (key == "shared") {
    if (path.size() != 2 || path[1] != "frames" || kind != JsonKind::array || second_pass_) return {};
    frames_known_ = true;
    return {How::each, frame_tag};
  }
  if (path.size() == 2) {
    end_profile();
    at_ = began_++;
    if (profiles_.size() < began_) profiles_.emplace_back();
    return {How::enter, 0};
  }
  return path.size() == 3 ? take_of_profile(path[2], kind) : Take{};
}

JsonReader::Take SpeedscopeReader::take_of_profile(const std::string& key, JsonKind kind) {
  if (key == "unit") return {How::whole, unit_tag};
  if (key == "startValue") return {How::whole, start_tag};
  if (key == "endValue") return {How::whole, end_tag};
  if (kind != JsonKind::array) return {};
  if (key == "samples" && counted_here()) return {How::each, sample_tag};
  if (key == "weights" && counted_here()) return {How::each, weight_tag};
  if (key == "events" && counted_here()) return {How::each, event_tag};
  return {};
}

// Whether the profile is of the unit that is counted. One whose unit stands behind its events waits for the second pass.
bool SpeedscopeReader::counted_here() {
  const One& one = profiles_[at_];
  if (!one.unit) {
    again_ = again_ || !second_pass_;
    return false;
  }
  if (!unit_) unit_ = one.unit;
  return one.unit->unit == unit_->unit;
}

void SpeedscopeReader::frame(const JsonText& text, const JsonValue& value) {
  std::string_view name, file;
  if (value.kind == JsonKind::object) {
    json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
      if (key == "name" && each.kind == JsonKind::string) name = each.text;
      if (key == "file" && each.kind == JsonKind::string) file = each.text;
      return true;
    });
  }
  functions_.push_back(names_.id(function_in_file(json_name(name), json_name(file))));
}

std::uint32_t SpeedscopeReader::function_at(std::optional<std::int64_t> frame) {
  if (frame && *frame >= 0 && static_cast<std::uint64_t>(*frame) < functions_.size())
    return functions_[static_cast<std::size_t>(*frame)];
  ++missing_;
  return names_.id({});
}

// "[0,3,17]": stacks come again and again, so that most are known by their text.
void SpeedscopeReader::sample(const JsonValue& value) {
  if (samples_.size() >= kMostSamples) {
    fail(core::ErrorCode::limit_exceeded, "a profile holds more than " + std::to_string(kMostSamples) + " samples", {});
    return;
  }
  const auto found = stacks_.find(value.text);
  if (found != stacks_.end()) {
    samples_.push_back(found->second);
    return;
  }
  const char* at = value.text.data();
  const char* const end = at + value.text.size();
  while (at < end) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    std::int64_t frame = 0;
    const auto [past, error] = std::from_chars(at, end, frame);
    frames_.push_back(function_at(error == std::errc() ? std::optional(frame) : std::nullopt));
    at = past;
  }
  if (frames_.size() > kMostFrames) {
    fail(core::ErrorCode::limit_exceeded, "the stacks of the profile hold more than " + std::to_string(kMostFrames) + " frames",
         {});
    return;
  }
  const auto id = static_cast<std::uint32_t>(ends_.size());
  stacks_.emplace(value.text, id);
  ends_.push_back(static_cast<std::uint32_t>(frames_.size()));
  costs_.push_back(0);
  samples_.push_back(id);
}

void SpeedscopeReader::weight(const JsonValue& value) {
  const auto weight = scaled_decimal(value.text, unit_->places);
  if (!weight || *weight < 0) {
    fail(core::ErrorCode::invalid_input, "a weight is no number from 0 on: " + core::cited(value.text.substr(0, 40)));
    return;
  }
  if (unit_->unit == "counts" && !is_whole(value.text)) {
    fail(core::ErrorCode::invalid_input, "weights without a unit are no whole numbers: " + core::cited(value.text.substr(0, 40)),
         "give the profile a unit (seconds, milliseconds, bytes), or whole weights");
    return;
  }
  if (weights_.size() < kMostSamples) weights_.push_back(*weight);
}

bool SpeedscopeReader::event(const JsonText& text, const JsonValue& value) {
  if (value.kind != JsonKind::object) return true;
  char type = 0;
  std::optional<std::int64_t> frame, at;
  const JsonWalk walk = json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "type" && each.text.size() == 1) type = each.text.front();
    if (key == "frame") frame = json_integer(each);
    if (key == "at") at = scaled_decimal(each.text, unit_->places);
    return true;
  });
  if (walk != JsonWalk::done) return false;
  evented_ = true;
  if (!at) {
    ++reversed_;
  } else {
    if (last_ && *at < *last_) ++reversed_;
    if (last_ && *at > *last_) walk_.spend(*at - *last_);
    last_ = std::max(last_.value_or(*at), *at);
  }
  const std::uint32_t function = function_at(frame);
  if (type == 'O') walk_.enter(function);
  if (type == 'C') close(function);
  return true;
}

// Of a function that is not the innermost, those inside end with it.
void SpeedscopeReader::close(std::uint32_t function) {
  if (!walk_.is_open(function)) {
    ++unmatched_;
    return;
  }
  while (walk_.top() != function) {
    ++unmatched_;
    walk_.leave();
  }
  walk_.leave();
}

void SpeedscopeReader::add_window(const One& one) {
  if (!one.unit || one.unit->unit != "ns") return;
  const auto start = scaled_decimal(one.start, one.unit->places), end = scaled_decimal(one.end, one.unit->places);
  if (!start || !end || *end <= *start) return;
  first_start_ = std::min(first_start_.value_or(*start), *start);
  last_end_ = std::max(last_end_.value_or(*end), *end);
}

// What the profile before this one said, now that it is whole.
void SpeedscopeReader::end_profile() {
  if (began_ == 0) return;
  const One& one = profiles_[at_];
  const bool counted = one.unit && unit_ && one.unit->unit == unit_->unit;
  if (!counted) ++left_out_;
  if (samples_.size() != weights_.size()) {
    fail(core::ErrorCode::invalid_input,
         "a profile has " + core::counted(samples_.size(), "sample") + " and " + core::counted(weights_.size(), "weight"));
  }
  for (std::size_t i = 0; i < std::min(samples_.size(), weights_.size()); ++i) {
    const std::uint32_t stack = samples_[i];
    if (ends_[stack] == (stack == 0 ? 0 : ends_[stack - 1])) continue;  // nothing ran
    std::int64_t& cost = costs_[stack];
    if (__builtin_add_overflow(cost, weights_[i], &cost))
      fail(core::ErrorCode::invalid_input, "the weights add up to more than 2^63: the profile is damaged");
    ++looks_;
    if (!weight_of_all_) weight_of_all_ = weights_[i];
    weights_differ_ = weights_differ_ || weights_[i] != *weight_of_all_;
  }
  samples_.clear();
  weights_.clear();
  if (!walk_.empty() && last_ && one.unit) {
    const auto end = scaled_decimal(one.end, one.unit->places);
    if (end && *end > *last_) walk_.spend(*end - *last_);
  }
  for (; !walk_.empty(); ++still_open_) walk_.leave();
  last_.reset();
  if (counted) add_window(one);
}

JsonReader::Answer SpeedscopeReader::value(int tag, std::string_view, const JsonText& text, const JsonValue& value) {
  switch (tag) {
    case frame_tag:
      frame(text, value);
      break;
    case unit_tag: {
      const auto* const known =
          std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.written == value.text; });
      if (known == kUnits.end()) {
        fail(core::ErrorCode::invalid_input,
             "a profile has a unit that speedscope does not know: " + core::cited(json_name(value.text.substr(0, 40))));
      } else {
        profiles_[at_].unit = *known;
      }
      break;
    }
    case start_tag:
      profiles_[at_].start = value.text.substr(0, 40);
      break;
    case end_tag:
      profiles_[at_].end = value.text.substr(0, 40);
      break;
    case sample_tag:
      sample(value);
      break;
    case weight_tag:
      weight(value);
      break;
    case event_tag:
      if (!event(text, value)) return Answer::malformed;
      break;
    case exporter_tag:
      if (value.kind == JsonKind::string) version_ = json_name(value.text.substr(0, 100));
      break;
    default:
      break;
  }
  return status_ ? Answer::go_on : Answer::stop;
}

void SpeedscopeReader::start_over() {
  second_pass_ = true;
  began_ = at_ = 0;
  unit_.reset();
  samples_.clear();
  weights_.clear();
  while (!walk_.empty()) walk_.leave();
  last_.reset();
  stacks_.clear();
  frames_.clear();
  ends_.clear();
  costs_.clear();
  looks_ = left_out_ = missing_ = unmatched_ = reversed_ = still_open_ = 0;
  weight_of_all_.reset();
  weights_differ_ = evented_ = false;
  first_start_.reset();
  last_end_.reset();
  sums_ = {};
}

core::Expected<Profile> SpeedscopeReader::finish() {
  end_profile();
  if (!status_) return core::fail(status_.error());
  for (std::uint32_t stack = 0; stack < ends_.size(); ++stack) {
    const std::uint32_t from = stack == 0 ? 0 : ends_[stack - 1], to = ends_[stack];
    if (costs_[stack] > 0) sums_.add(std::span(frames_).subspan(from, to - from), frames_[to - 1], costs_[stack]);
  }
  auto profile = stack_profile(names_, sums_, "speedscope", std::string(unit_ ? unit_->unit : "counts"), name_);
  if (!profile) return profile;
  profile->info.version = version_;
  if (last_end_) profile->frames_duration_ns = *last_end_ - *first_start_;
  if (!evented_ && !weights_differ_ && unit_->unit != "bytes") profile->frames_samples = looks_;
  const auto warn = [&profile](core::WarningCode code, std::string message) {
    profile->warnings.push_back({code, std::move(message)});
  };
  if (left_out_ > 0) {
    warn("event_chosen", core::counted(left_out_, "profile") + " of the file counted other things than the first (" +
                             profile->frames_unit + "): left out");
  }
  if (missing_ > 0) {
    warn("missing_names",
         core::counted(missing_, "reference") + " to frames that the profile does not hold: they count as [unknown]");
  }
  if (unmatched_ > 0) {
    warn("unreadable_times",
         core::counted(unmatched_, "function ends", "functions end") + " out of turn; each ends with the one outside it");
  }
  if (reversed_ > 0)
    warn("reversed_times",
         core::counted(reversed_, "event is", "events are") + " before its time; counted as at the same time as the one before");
  if (still_open_ > 0)
    warn("open_ranges",
         core::counted(still_open_, "function was", "functions were") + " still open; taken to end with the profile");
  return profile;
}

core::Expected<Profile> SpeedscopeReader::read(const OpenBytes& open, const ReadOptions& options) {
  if (core::Status status = pass_over_profile(open, *this, name_, options); !status) return core::fail(status.error());
  if (status_ && again_ && frames_known_) {
    start_over();
    if (core::Status status = pass_over_profile(open, *this, name_, options); !status) return core::fail(status.error());
  }
  return finish();
}

// speedscope's schema by its name, or shared frames.
class SpeedscopeHead final : public JsonReader {
 public:
  [[nodiscard]] bool found() const { return found_; }
  Take take(std::span<const std::string> path, JsonKind kind) override {
    if (path.empty()) return kind == JsonKind::object ? Take{How::enter, 0} : Take{};
    return path.size() == 1 && path[0] == "$schema" && kind == JsonKind::string ? Take{How::whole, 0} : Take{};
  }
  Answer value(int, std::string_view, const JsonText&, const JsonValue& value) override {
    found_ = value.text.find("speedscope") != std::string_view::npos;
    return Answer::stop;
  }

 private:
  bool found_ = false;
};

core::Expected<Profile> read_speedscope(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  return SpeedscopeReader(path).read([&file] { return text_bytes(file); }, options);
}

}  // namespace

core::Expected<Profile> read_speedscope_text(std::string_view text, const std::string& name) {
  return SpeedscopeReader(name).read([text] { return unpacked_bytes(text); }, {});
}

extern const Form speedscope_form = {
    .name = "speedscope",
    .captures = {{{"speedscope",
                   "speedscope's own format (py-spy, rbspy, inferno, speedscope): sampled and evented profiles, `.json` or "
                   "`.json.gz`; several profiles of one unit are added up",
                   "the `$schema` of speedscope", "JSON",
                   "py-spy record --format speedscope -o profile.speedscope.json -- python app.py"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          SpeedscopeHead head;
          look_at_json(file, head);
          return head.found();
        },
    .read = &read_speedscope,
};

}  // namespace plumbline::profiles
