// V8's processor profiles (.cpuprofile: Chrome's DevTools, node --cpu-prof): a tree of functions, and which of its nodes was at
// work at each look. Older ones hold the tree as nested objects under "head" and count hits only. As DevTools does: a node costs
// the time until the next look; (idle) is no work; (garbage collector) runs inside the function that it interrupted.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

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

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kMostNodes = std::size_t{1} << 26U;
constexpr std::size_t kMostSamples = std::size_t{1} << 28U;
constexpr std::int64_t kNsPerUs = 1000;

// Places of nodes by their ids, which V8 counts up from 1; others are looked up.
class NodeIds {
 public:
  void add(std::int64_t id, std::uint32_t place) {
    if (id < 0 || id > kMostFlat) {
      odd_.try_emplace(id, place);
      return;
    }
    const auto at = static_cast<std::size_t>(id);
    if (at >= flat_.size()) flat_.resize(std::max(at + 1, flat_.size() + flat_.size() / 2), kNone);
    if (flat_[at] == kNone) flat_[at] = place;
  }
  [[nodiscard]] std::uint32_t find(std::int64_t id) const {
    if (id >= 0 && static_cast<std::uint64_t>(id) < flat_.size()) return flat_[static_cast<std::size_t>(id)];
    const auto found = odd_.find(id);
    return found == odd_.end() ? kNone : found->second;
  }

 private:
  static constexpr std::int64_t kMostFlat = std::int64_t{1} << 24U;
  std::vector<std::uint32_t> flat_;
  std::unordered_map<std::int64_t, std::uint32_t> odd_;
};

struct Node {
  std::uint32_t function = 0, parent = kNone;
  std::int64_t self = 0, collecting = 0;  // own cost, and of collecting garbage inside
  std::int64_t hits = 0;
};

class CpuProfileReader final : public JsonReader {
 public:
  explicit CpuProfileReader(std::string name) : name_(std::move(name)) {}
  core::Expected<Profile> read(const OpenBytes& open, const ReadOptions& options);
  Take take(std::span<const std::string> path, JsonKind kind) override;
  Answer value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) override;

 private:
  enum Tag : int { node_tag, head_tag, sample_tag, delta_tag, time_tag, start_tag, end_tag };
  struct Function {
    std::string_view name, url;
    std::optional<std::int64_t> line;
  };

  std::uint32_t add_node(std::optional<std::int64_t> id, const Function& function, std::int64_t hits);
  bool node(const JsonText& text, const JsonValue& value);
  bool nested(const JsonText& text, const JsonValue& head);
  void link();
  void look(std::optional<std::int64_t> time);
  void spend(std::size_t sample, std::int64_t cost);
  void spend_without_times();
  void walk_tree();
  core::Expected<Profile> finish();

  std::string name_;
  FrameNames names_;
  std::vector<Node> nodes_;
  NodeIds by_id_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> children_;   // parent's place, child's id
  std::uint32_t root_ = kNone, idle_ = kNone, collector_ = kNone;  // functions
  std::vector<std::uint32_t> samples_;                             // places of nodes; kNone: not in the tree
  std::vector<std::int64_t> early_samples_;                        // ids, of samples that stand before the nodes
  std::size_t looks_ = 0;                                          // times that were read
  std::uint32_t before_collecting_ = kNone;
  std::optional<std::int64_t> now_, latest_;  // us
  std::optional<std::int64_t> start_, end_;   // us
  bool times_wait_ = false, second_pass_ = false, nested_ = false, times_differ_ = false;
  std::uint64_t idle_looks_ = 0, missing_ = 0;
  StackSums sums_;
};

JsonReader::Take CpuProfileReader::take(std::span<const std::string> path, JsonKind kind) {
  if (path.empty()) return kind == JsonKind::object ? Take{How::enter, 0} : Take{};
  if (path.size() > 1) return {};
  const std::string& key = path.front();
  const bool array = kind == JsonKind::array;
  if (array && (key == "timeDeltas" || key == "timestamps")) {
    if (!samples_.empty()) return {How::each, key == "timeDeltas" ? delta_tag : time_tag};
    times_wait_ = true;  // for the samples, and for a second pass
    return {};
  }
  if (second_pass_) return {};
  if (key == "nodes" && array) return {How::each, node_tag};
  if (key == "head" && kind == JsonKind::object) return {How::whole, head_tag};
  if (key == "samples" && array) return {How::each, sample_tag};
  if (key == "startTime") return {How::whole, start_tag};
  if (key == "endTime") return {How::whole, end_tag};
  return {};
}

// Functions without a name are known by their line.
std::uint32_t CpuProfileReader::add_node(std::optional<std::int64_t> id, const Function& function, std::int64_t hits) {
  std::string name = json_name(function.name), url = json_name(function.url);
  if (name.empty()) {
    name = "(anonymous)";
    if (!url.empty() && function.line && *function.line >= 0) url += ":" + std::to_string(*function.line + 1);
  }
  Node node;
  node.function = names_.id(function_in_file(name, url));
  node.hits = std::max<std::int64_t>(0, hits);
  if (function.url.empty()) {
    if (name == "(root)") root_ = node.function;
    if (name == "(idle)") idle_ = node.function;
    if (name == "(garbage collector)") collector_ = node.function;
  }
  const auto place = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  if (id) by_id_.add(*id, place);
  return place;
}

bool CpuProfileReader::node(const JsonText& text, const JsonValue& value) {
  if (value.kind != JsonKind::object || nodes_.size() >= kMostNodes) return false;
  std::optional<std::int64_t> id;
  Function function;
  std::int64_t hits = 0;
  JsonValue children;
  const JsonWalk walk = json_members(text, value.at, [&](std::string_view key, const JsonValue& each) {
    if (key == "id") id = json_integer(each);
    if (key == "hitCount") hits = json_integer(each).value_or(0);
    if (key == "children" && each.kind == JsonKind::array) children = each;
    if (key == "callFrame" && each.kind == JsonKind::object) {
      json_members(text, each.at, [&](std::string_view part, const JsonValue& said) {
        if (part == "functionName" && said.kind == JsonKind::string) function.name = said.text;
        if (part == "url" && said.kind == JsonKind::string) function.url = said.text;
        if (part == "lineNumber") function.line = json_integer(said);
        return true;
      });
    }
    return true;
  });
  if (walk != JsonWalk::done) return false;
  const std::uint32_t place = add_node(id, function, hits);
  if (children.kind == JsonKind::array) {
    json_elements(text, children.at, [&](const JsonValue& child) {
      if (const auto child_id = json_integer(child)) children_.emplace_back(place, *child_id);
      return true;
    });
  }
  return true;
}

// {"functionName": "(root)", "url": "", "lineNumber": 0, "hitCount": 0, "id": 1, "children": [{…}, …]}, as deep as it goes.
bool CpuProfileReader::nested(const JsonText& text, const JsonValue& head) {
  nested_ = true;
  std::vector<std::pair<std::size_t, std::uint32_t>> waiting = {{head.at, kNone}};  // where a node begins, and its parent
  while (!waiting.empty()) {
    const auto [at, parent] = waiting.back();
    waiting.pop_back();
    std::optional<std::int64_t> id;
    Function function;
    std::int64_t hits = 0;
    JsonValue children;
    const JsonWalk walk = json_members(text, at, [&](std::string_view key, const JsonValue& each) {
      if (key == "functionName" && each.kind == JsonKind::string) function.name = each.text;
      if (key == "url" && each.kind == JsonKind::string) function.url = each.text;
      if (key == "lineNumber") function.line = json_integer(each).value_or(0) - 1;  // from 1 on in this form
      if (key == "hitCount") hits = json_integer(each).value_or(0);
      if (key == "id") id = json_integer(each);
      if (key == "children" && each.kind == JsonKind::array) children = each;
      return true;
    });
    if (walk != JsonWalk::done || nodes_.size() >= kMostNodes) return false;
    const std::uint32_t place = add_node(id, function, hits);
    nodes_[place].parent = parent;
    if (children.kind != JsonKind::array) continue;
    json_elements(text, children.at, [&waiting, place](const JsonValue& child) {
      if (child.kind == JsonKind::object) waiting.emplace_back(child.at, place);
      return true;
    });
  }
  return true;
}

// A node has one parent: the first that names it, and none that stands under it.
void CpuProfileReader::link() {
  for (const auto& [parent, id] : children_) {
    const std::uint32_t child = by_id_.find(id);
    if (child != kNone && nodes_[child].parent == kNone && child != parent) nodes_[child].parent = parent;
  }
}

void CpuProfileReader::spend(std::size_t sample, std::int64_t cost) {
  const std::uint32_t place = samples_[sample];
  if (place == kNone) {
    ++missing_;
    return;
  }
  Node& node = nodes_[place];
  const bool collects = node.function == collector_ && before_collecting_ != kNone;
  std::int64_t& sum = collects ? nodes_[before_collecting_].collecting : node.self;
  if (__builtin_add_overflow(sum, cost, &sum)) sum = INT64_MAX;  // which the sum over all refuses
  if (node.function == idle_) {
    ++idle_looks_;
    before_collecting_ = kNone;
  } else if (node.function != collector_) {
    before_collecting_ = place;
  }
}

// The time of the next sample: the one before it lasted until then. Looks that were written late count as no later than they are.
void CpuProfileReader::look(std::optional<std::int64_t> time) {
  constexpr std::int64_t kLongest = INT64_MAX / kNsPerUs / 4;
  const std::size_t sample = looks_++;
  if (times_differ_ || !time || *time > kLongest || *time < -kLongest || sample >= samples_.size()) {
    times_differ_ = true;
    return;
  }
  now_ = *time;
  if (latest_) spend(sample - 1, std::max<std::int64_t>(0, *now_ - *latest_) * kNsPerUs);
  latest_ = std::max(latest_.value_or(*now_), *now_);
}

JsonReader::Answer CpuProfileReader::value(int tag, std::string_view, const JsonText& text, const JsonValue& value) {
  switch (tag) {
    case node_tag:
      return node(text, value) ? Answer::go_on : Answer::malformed;
    case head_tag:
      return nested(text, value) ? Answer::go_on : Answer::malformed;
    case sample_tag:
      if (samples_.size() + early_samples_.size() >= kMostSamples) return Answer::malformed;
      if (nodes_.empty()) {
        early_samples_.push_back(json_integer(value).value_or(-1));
      } else {
        samples_.push_back(by_id_.find(json_integer(value).value_or(-1)));
      }
      break;
    case delta_tag: {
      const auto delta = scaled_decimal(value.text, 0);
      std::int64_t time = 0;
      const bool fits = delta && !__builtin_add_overflow(now_ ? *now_ : start_.value_or(0), *delta, &time);
      look(fits ? std::optional(time) : std::nullopt);
      break;
    }
    case time_tag:
      look(scaled_decimal(value.text, 0));
      break;
    case start_tag:
    case end_tag:  // the older form has seconds, and stands for them until all is read
      (tag == start_tag ? start_ : end_) = scaled_decimal(value.text, 0);
      break;
    default:
      break;
  }
  return Answer::go_on;
}

// Each look costs one, or where there are none, each hit.
void CpuProfileReader::spend_without_times() {
  if (samples_.empty()) {
    for (Node& node : nodes_) node.self = node.hits;
    return;
  }
  for (std::size_t i = 0; i < samples_.size(); ++i) spend(i, 1);
}

void CpuProfileReader::walk_tree() {
  // Children by parent: those of node i stand from first[i] to first[i + 1].
  std::vector<std::uint32_t> first(nodes_.size() + 1, 0), children(nodes_.size());
  for (const Node& node : nodes_) {
    if (node.parent != kNone) ++first[node.parent + std::size_t{1}];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<std::uint32_t> next = first;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].parent != kNone) children[next[nodes_[i].parent]++] = i;
  }
  next = first;
  CallWalk walk(sums_);
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<std::uint32_t> path;
  const auto enter = [&](std::uint32_t place) {
    const Node& node = nodes_[place];
    seen[place] = true;
    path.push_back(place);
    walk.enter(node.function);
    if (node.function != idle_) walk.spend(node.self);
    if (node.collecting == 0) return;
    walk.enter(collector_);
    walk.spend(node.collecting);
    walk.leave();
  };
  const auto from = [&](std::uint32_t root) {
    enter(root);
    while (!path.empty()) {
      const std::uint32_t place = path.back();
      if (next[place] < first[place + std::size_t{1}]) {
        const std::uint32_t child = children[next[place]++];
        if (!seen[child]) enter(child);
        continue;
      }
      path.pop_back();
      walk.leave();
    }
  };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].parent == kNone) from(i);
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {  // a ring of nodes has no beginning
    if (!seen[i]) from(i);
  }
}

core::Expected<Profile> CpuProfileReader::finish() {
  const bool timed = looks_ > 0;
  if (timed && (looks_ != samples_.size() || times_differ_)) {
    return core::fail(core::ErrorCode::invalid_input,
                      "the profile has " + core::counted(samples_.size(), "sample") + " and " + core::counted(looks_, "time") +
                          (times_differ_ ? ", not all of which are numbers" : ""),
                      "write the profile again", name_);
  }
  const bool in_us = !nested_;
  if (!timed) {
    spend_without_times();
  } else if (in_us && start_ && end_) {
    spend(samples_.size() - 1, std::max<std::int64_t>(0, std::min(*end_, INT64_MAX / kNsPerUs / 4) - *latest_) * kNsPerUs);
  }
  walk_tree();
  auto profile = stack_profile(names_, sums_, "cpuprofile", timed ? "ns" : "samples", name_);
  if (!profile) return profile;
  std::erase_if(profile->frames,
                [this](const Frame& frame) { return root_ != kNone && frame.name == names_.text(root_) && frame.self == 0; });
  std::int64_t duration = 0;
  if (start_ && end_ && *end_ > *start_ && !__builtin_mul_overflow(*end_ - *start_, in_us ? kNsPerUs : 1'000'000'000, &duration))
    profile->frames_duration_ns = duration;
  if (!samples_.empty()) profile->frames_samples = samples_.size() - missing_ - idle_looks_;
  if (missing_ > 0) {
    profile->warnings.push_back({"missing_names", core::counted(missing_, "sample is", "samples are") +
                                                      " of nodes that the profile does not hold; left out"});
  }
  return profile;
}

core::Expected<Profile> CpuProfileReader::read(const OpenBytes& open, const ReadOptions& options) {
  if (core::Status status = pass_over_profile(open, *this, name_, options); !status) return core::fail(status.error());
  for (const std::int64_t id : early_samples_) samples_.push_back(by_id_.find(id));
  link();
  if (times_wait_ && looks_ == 0 && !samples_.empty()) {
    second_pass_ = true;
    if (core::Status status = pass_over_profile(open, *this, name_, options); !status) return core::fail(status.error());
  }
  return finish();
}

// A tree of V8's: the first node says what is called, or a head is a node.
class CpuProfileHead final : public JsonReader {
 public:
  [[nodiscard]] bool found() const { return found_; }
  Take take(std::span<const std::string> path, JsonKind kind) override {
    if (path.empty()) return kind == JsonKind::object ? Take{How::enter, 0} : Take{};
    if (path.size() == 1 && path[0] == "nodes" && kind == JsonKind::array) return {How::each, 0};
    if (path.size() == 1 && path[0] == "head" && kind == JsonKind::object) return {How::enter, 0};
    return path.size() == 2 && path[0] == "head" && path[1] == "functionName" ? Take{How::whole, 1} : Take{};
  }
  Answer value(int tag, std::string_view, const JsonText& text, const JsonValue& value) override {
    found_ = tag == 1 && value.kind == JsonKind::string;
    if (value.kind == JsonKind::object) {
      json_members(text, value.at, [this](std::string_view key, const JsonValue& each) {
        found_ = key == "callFrame" && each.kind == JsonKind::object;
        return !found_;
      });
    }
    return Answer::stop;
  }

 private:
  bool found_ = false;
};

core::Expected<Profile> read_cpuprofile(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  return CpuProfileReader(path).read([&file] { return text_bytes(file); }, options);
}

}  // namespace

core::Expected<Profile> read_cpuprofile_text(std::string_view text, const std::string& name) {
  return CpuProfileReader(name).read([text] { return unpacked_bytes(text); }, {});
}

extern const Form cpuprofile_form = {
    .name = "cpuprofile",
    .captures =
        {{{"cpuprofile",
           "V8's processor profiles (`.cpuprofile`: Chrome's DevTools, `node --cpu-prof`), new and old form; time of each "
           "function without `(idle)`, or hits where there are no times",
           "an array `nodes` with `callFrame`, or a `head` with `functionName`", "JSON", "node --cpu-prof app.js"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          CpuProfileHead head;
          look_at_json(file, head);
          return head.found();
        },
    .read = &read_cpuprofile,
};

}  // namespace plumbline::profiles
