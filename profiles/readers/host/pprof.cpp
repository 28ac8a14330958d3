#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "base/protobuf.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/host/stacks.hpp"

namespace plumbline::profiles {
namespace {

using base::ProtobufReader;
using base::Wire;

constexpr std::size_t kHead = std::size_t{64} * 1024;
// Bounds that no honest profile comes near, and a hostile one of a few megabytes would pass.
constexpr std::uint64_t kMostFrames = std::uint64_t{1} << 32;  // over all stacks
constexpr std::size_t kDeepest = 100'000;                      // frames of one stack
constexpr std::size_t kMostEntries = std::size_t{1} << 23;     // of each table
constexpr std::size_t kMostLines = std::size_t{1} << 26;       // of all locations

// Field numbers of google/pprof proto/profile.proto.
namespace field {
enum Profile : std::uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kDuration = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kDefaultSampleType = 14,
  kLabelSet = 16
};
}  // namespace field

struct ValueType {
  std::uint64_t type = 0, unit = 0;  // strings
};
ValueType value_type(std::string_view message) {
  ValueType value;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) value.type = reader.number();
    if (reader.is(2, Wire::varint)) value.unit = reader.number();
  }
  return value;
}

// What a repeated number field holds, packed or one by one.
template <class Take>
void each_number(const ProtobufReader& reader, Take take) {
  if (reader.wire() == Wire::varint) {
    take(reader.number());
  } else if (reader.wire() == Wire::bytes) {
    std::string_view packed = reader.bytes();
    for (std::uint64_t value = 0; ProtobufReader::take(packed, value);) take(value);
  }
}

// A location's functions, innermost first: a run in one long list.
struct Location {
  std::uint32_t first = 0, count = 0;
};

struct Unit {
  std::string_view written, unit;
  std::int64_t factor;
};
constexpr std::array<Unit, 14> kUnits = {{{"nanoseconds", "ns", 1},
                                          {"nanosecond", "ns", 1},
                                          {"ns", "ns", 1},
                                          {"microseconds", "ns", 1000},
                                          {"us", "ns", 1000},
                                          {"milliseconds", "ns", 1'000'000},
                                          {"ms", "ns", 1'000'000},
                                          {"seconds", "ns", 1'000'000'000},
                                          {"s", "ns", 1'000'000'000},
                                          {"bytes", "bytes", 1},
                                          {"byte", "bytes", 1},
                                          {"kilobytes", "bytes", 1024},
                                          {"megabytes", "bytes", std::int64_t{1024} * 1024},
                                          {"", "", 1}}};

class PprofReader {
 public:
  PprofReader(std::string_view bytes, std::string name, const std::function<bool()>& stop)
      : bytes_(bytes), name_(std::move(name)), stop_(stop) {}
  core::Expected<Profile> read();

 private:
  core::Status tables();
  void add_function(std::string_view message);
  void add_location(std::string_view message);
  void add_mapping(std::string_view message);
  void name_locations();
  std::uint32_t function_frame(std::uint64_t function);
  core::Status choose_value();
  core::Status samples();
  core::Status sample(std::string_view message);
  [[nodiscard]] std::string_view string(std::uint64_t index) const {
    return index < strings_.size() ? strings_[static_cast<std::size_t>(index)] : std::string_view();
  }
  [[nodiscard]] tl::unexpected<core::Error> invalid(std::string message, std::string hint = "write the profile again") const {
    return core::fail(core::ErrorCode::invalid_input, std::move(message), std::move(hint), name_);
  }

  std::string_view bytes_;
  std::string name_;
  const std::function<bool()>& stop_;
  std::vector<std::string_view> strings_, location_messages_;
  std::vector<ValueType> types_;
  std::unordered_map<std::uint64_t, std::uint64_t> functions_, mappings_;  // id -> string
  std::unordered_map<std::uint64_t, Location> locations_;
  std::vector<std::uint32_t> location_frames_;
  std::uint64_t default_type_ = 0;
  std::int64_t duration_ = 0;
  std::size_t value_ = 0;         // which of a sample's values
  std::size_t looks_ = SIZE_MAX;  // which of them counts the samples themselves
  Unit unit_ = {};
  FrameNames names_;
  StackSums sums_;
  std::vector<std::uint32_t> frames_;
  std::uint64_t frames_seen_ = 0, missing_ = 0, cut_ = 0, sample_count_ = 0, labels_ = 0;
};

void PprofReader::add_function(std::string_view message) {
  std::uint64_t id = 0, name = 0, system_name = 0;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) id = reader.number();
    if (reader.is(2, Wire::varint)) name = reader.number();
    if (reader.is(3, Wire::varint)) system_name = reader.number();
  }
  functions_.try_emplace(id, name != 0 ? name : system_name);
}

void PprofReader::add_mapping(std::string_view message) {
  std::uint64_t id = 0, file = 0;
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) id = reader.number();
    if (reader.is(5, Wire::varint)) file = reader.number();
  }
  mappings_.try_emplace(id, file);
}

std::uint32_t PprofReader::function_frame(std::uint64_t function) {
  const auto found = functions_.find(function);
  if (found == functions_.end() || found->second >= strings_.size()) {
    ++missing_;
    return names_.id({});
  }
  return names_.id(string(found->second));
}

// Without lines a location is an address: it counts as its object, "[libc.so.6]".
void PprofReader::add_location(std::string_view message) {
  std::uint64_t id = 0, mapping = 0;
  const auto first = static_cast<std::uint32_t>(location_frames_.size());
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.is(1, Wire::varint)) id = reader.number();
    if (reader.is(2, Wire::varint)) mapping = reader.number();
    if (!reader.is(4, Wire::bytes)) continue;
    std::uint64_t function = 0;
    for (ProtobufReader line(reader.bytes()); line.next();) {
      if (line.is(1, Wire::varint)) function = line.number();
    }
    if (location_frames_.size() < kMostLines) location_frames_.push_back(function_frame(function));
  }
  if (location_frames_.size() == first) {
    const auto found = mappings_.find(mapping);
    std::string_view file = found == mappings_.end() ? std::string_view() : string(found->second);
    if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos) file.remove_prefix(slash + 1);
    std::string object;
    if (file.starts_with('[')) {
      object = file;
    } else if (!file.empty()) {
      object.append("[").append(file).append("]");
    }
    location_frames_.push_back(names_.id(object));
  }
  locations_.try_emplace(id, Location{first, static_cast<std::uint32_t>(location_frames_.size() - first)});
}

core::Status PprofReader::tables() {
  ProtobufReader reader(bytes_);
  while (reader.next()) {
    if (reader.is(field::kDuration, Wire::varint)) duration_ = reader.integer();
    if (reader.is(field::kDefaultSampleType, Wire::varint)) default_type_ = reader.number();
    if (reader.wire() != Wire::bytes) continue;
    switch (reader.field()) {
      case field::kSampleType:
        types_.push_back(value_type(reader.bytes()));
        break;
      case field::kMapping:
        add_mapping(reader.bytes());
        break;
      case field::kLocation:
        location_messages_.push_back(reader.bytes());
        break;
      case field::kFunction:
        add_function(reader.bytes());
        break;
      case field::kString:
        strings_.push_back(reader.bytes());
        break;
      default:
        break;
    }
  }
  if (reader.damaged()) return invalid("the profile is damaged or ends before its end", "copy the file again");
  if (types_.empty()) return invalid("the profile does not say what its samples count (no sample_type)");
  if (strings_.empty()) return invalid("the profile ends before its table of names", "copy the file again");
  const std::size_t most = std::max({strings_.size(), functions_.size(), mappings_.size(), location_messages_.size()});
  if (most > kMostEntries)
    return core::fail(core::ErrorCode::limit_exceeded, "a table of the profile has more than 8388608 entries", {}, name_);
  for (const std::string_view message : location_messages_) add_location(message);
  if (location_frames_.size() >= kMostLines)
    return core::fail(core::ErrorCode::limit_exceeded, "the locations of the profile hold more than 67108863 lines", {}, name_);
  return {};
}

// The value that default_sample_type names, else the last.
core::Status PprofReader::choose_value() {
  value_ = types_.size() - 1;
  const std::string_view wanted = string(default_type_);
  for (std::size_t i = 0; i < types_.size() && !wanted.empty(); ++i) {
    if (string(types_[i].type) == wanted) value_ = i;
  }
  for (std::size_t i = types_.size(); i-- > 0;) {
    const std::string_view type = string(types_[i].type);
    if (type == "samples" || type == "sample") looks_ = i;
  }
  const std::string_view written = string(types_[value_].unit), type = string(types_[value_].type);
  const auto known = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.written == written; });
  unit_ = known != kUnits.end() ? *known : Unit{written, written, 1};
  if (written == "count" || unit_.unit.empty()) unit_.unit = value_ == looks_ ? "samples" : type.empty() ? "counts" : type;
  return {};
}

core::Status PprofReader::sample(std::string_view message) {
  std::size_t values = 0;
  std::int64_t cost = 0, looks = 0;
  frames_.clear();
  for (ProtobufReader reader(message); reader.next();) {
    if (reader.field() == 1) {
      each_number(reader, [this](std::uint64_t id) {
        const auto found = locations_.find(id);
        if (found == locations_.end()) {
          ++missing_;
          if (frames_.size() < kDeepest) frames_.push_back(names_.id({}));
          return;
        }
        const Location& at = found->second;
        const std::size_t count = std::min<std::size_t>(at.count, kDeepest - std::min(kDeepest, frames_.size()));
        cut_ += at.count - count;
        const auto taken = std::span(location_frames_).subspan(at.first, count);
        frames_.insert(frames_.end(), taken.begin(), taken.end());
      });
    } else if (reader.field() == 2) {
      each_number(reader, [&](std::uint64_t value) {
        if (values == value_) cost = static_cast<std::int64_t>(value);
        if (values == looks_) looks = static_cast<std::int64_t>(value);
        ++values;
      });
    } else if (reader.is(3, Wire::bytes)) {
      ++labels_;
    }
  }
  frames_seen_ += frames_.size();
  if (frames_seen_ > kMostFrames)
    return core::fail(core::ErrorCode::limit_exceeded, "the stacks of the profile hold more than 2^32 frames", {}, name_);
  if (values != types_.size()) {
    return invalid("a sample has " + core::counted(values, "value") + " where the profile declares " +
                   std::to_string(types_.size()));
  }
  if (cost < 0) {
    return invalid("the profile holds negative values: it is a difference of two profiles",
                   "give the two profiles themselves as baseline and candidate");
  }
  if (__builtin_mul_overflow(cost, unit_.factor, &cost))
    return invalid("a sample costs more than 2^63 ns: the profile is damaged");
  if (looks > 0) sample_count_ += std::min(static_cast<std::uint64_t>(looks), UINT64_MAX - sample_count_);
  if (frames_.empty()) frames_.push_back(names_.id({}));
  sums_.add(frames_, frames_.front(), cost);
  return {};
}

core::Status PprofReader::samples() {
  std::uint64_t seen = 0;
  for (ProtobufReader reader(bytes_); reader.next();) {
    if (!reader.is(field::kSample, Wire::bytes)) continue;
    constexpr std::uint64_t kAskEvery = 4096;
    if (seen++ % kAskEvery == 0 && stop_ && stop_()) return core::fail(core::ErrorCode::cancelled, "cancelled", {}, name_);
    if (core::Status status = sample(reader.bytes()); !status) return status;
  }
  return {};
}

core::Expected<Profile> PprofReader::read() {
  if (core::Status status = tables(); !status) return core::fail(status.error());
  if (core::Status status = choose_value(); !status) return core::fail(status.error());
  if (core::Status status = samples(); !status) return core::fail(status.error());
  auto profile = stack_profile(names_, sums_, "pprof", std::string(unit_.unit), name_);
  if (!profile) return profile;
  profile->frames_kind = string(types_[value_].type);
  if (duration_ > 0) profile->frames_duration_ns = duration_;
  if (looks_ != SIZE_MAX) profile->frames_samples = sample_count_;
  if (labels_ > 0) profile->private_rows["label of a sample"] = labels_;
  if (missing_ > 0) {
    profile->warnings.push_back(
        {"missing_names", core::counted(missing_, "reference") +
                              " to locations and functions that the profile does not hold: they count as " +
                              std::string("[unknown]")});
  }
  if (cut_ > 0) {
    profile->warnings.push_back(
        {"deep_stacks", core::counted(cut_, "frame") + " beyond the innermost 100000 of a stack left out"});
  }
  return profile;
}

// What gperftools and old Go wrote before there was a protobuf.
bool is_legacy(std::string_view head) {
  for (const std::string_view start :
       {"heap profile: ", "heap_v2/", "--- heapz ", "--- contention", "--- growthz ", "--- threadz ", "--- symbol\n",
        "goroutine profile: total ", "threadcreate profile: total "}) {
    if (head.starts_with(start)) return true;
  }
  // A processor profile begins with the words 0, 3, 0, period, 0, in the machine's size.
  const auto words = [head](std::size_t size) {
    if (head.size() < 5 * size) return false;
    std::array<std::uint64_t, 5> word = {};
    for (std::size_t i = 0; i < word.size(); ++i) std::memcpy(&word[i], head.data() + i * size, size);
    constexpr std::uint64_t kLongestPeriod = 10'000'000;  // us
    return word[0] == 0 && word[1] == 3 && word[2] == 0 && word[3] > 0 && word[3] < kLongestPeriod && word[4] == 0;
  };
  return words(8) || words(4);
}

}  // namespace

core::Expected<Profile> read_pprof_bytes(std::string_view bytes, const std::string& name, const std::function<bool()>& stop) {
  if (is_legacy(bytes.substr(0, kHead))) {
    return core::fail(core::ErrorCode::invalid_input,
                      "a profile in gperftools' or Go's old format: it does not hold the names of functions",
                      "convert it where the program is: pprof -proto PROGRAM FILE > profile.pb.gz", name);
  }
  return PprofReader(bytes, name, stop).read();
}

namespace {

core::Expected<Profile> read_pprof(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const auto source = text_bytes(file);
  const auto bytes = read_all(*source, kMostProtobuf, path, options.stop);
  if (!bytes) return core::fail(bytes.error());
  return read_pprof_bytes(*bytes, path, options.stop);
}

}  // namespace

// By the wire's grammar: nothing but fields of a Profile with the types they have there, and before the first sample a
// sample_type, which is two small numbers. (Go writes the time first.)
bool is_pprof_bytes(std::string_view head, bool whole) {
  if (is_legacy(head)) return true;
  bool typed = false, sampled = false;
  ProtobufReader reader(head);
  while (reader.next()) {
    constexpr std::uint32_t kMessages = (1U << field::kSampleType) | (1U << field::kSample) | (1U << field::kMapping) |
                                        (1U << field::kLocation) | (1U << field::kFunction) | (1U << field::kString) |
                                        (1U << field::kPeriodType) | (1U << field::kLabelSet);
    const std::uint32_t number = reader.field();
    if (number > field::kLabelSet) return false;
    const bool message = (kMessages >> number & 1U) != 0;
    if (message ? reader.wire() != Wire::bytes : reader.wire() == Wire::fixed32 || reader.wire() == Wire::fixed64) return false;
    if (number == field::kSampleType) {
      ProtobufReader value(reader.bytes());
      while (value.next()) {
        if (value.field() > 2 || value.wire() != Wire::varint) return false;
      }
      if (value.damaged() || reader.bytes().empty()) return false;
      typed = true;
    } else if (number >= field::kSample && number <= field::kString) {
      sampled = true;
    }
  }
  if (!reader.damaged()) return typed && sampled;
  if (whole || !reader.cut_off()) return false;
  return typed && (sampled || (reader.field() >= field::kSample && reader.field() <= field::kString));
}

extern const Form pprof_form = {
    .name = "pprof",
    .captures = {{{"pprof", "profiles in pprof's protobuf, packed or not; own and total cost of each function",
                   "the message's fields", "protobuf",
                   "go test -bench=. -cpuprofile cpu.pprof\n"
                   "curl -o cpu.pb.gz 'http://HOST:6060/debug/pprof/profile?seconds=30'"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          const TextHead head = text_head(file, kHead);
          return is_pprof_bytes(head.text, head.whole);
        },
    .read = &read_pprof,
};

}  // namespace plumbline::profiles
