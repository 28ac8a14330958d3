#include "server/site/overview.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <tuple>

#include "server/mcp/publications.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;
using std::chrono::steady_clock;

// Of the time at most so much is spent on looking: a registry that takes long to look at is looked at less often.
constexpr int kRestPerWork = 10;
constexpr std::chrono::milliseconds kShowEvery{100};  // while the first look is under way
constexpr std::size_t kRecent = 24;
constexpr std::time_t kUnsettled = 2;  // seconds: two changes within one tick of the file system look like one

std::string stamp_of(const std::string& folder) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return {};
  if (std::time(nullptr) - info.st_ctim.tv_sec <= kUnsettled) return {};
  return fmt::format("{}.{}.{}", info.st_ino, info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

// FNV-1a, 64 bits: tells one state from the next, nothing more.
class Mark {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0xFF);
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  void step(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001B3ULL; }
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

}  // namespace

std::span<const Line> Summary::of(std::string_view family) const {
  const auto first = std::partition_point(lines.begin(), lines.end(), [&](const Line& line) { return line.family < family; });
  const auto last = std::partition_point(first, lines.end(), [&](const Line& line) { return line.family == family; });
  return {first, last};
}

const Line* Summary::find(std::string_view family, std::string_view measurement) const {
  for (const Line& line : of(family)) {
    if (line.measurement == measurement) return &line;
  }
  return nullptr;
}

std::string Summary::stamp(std::string_view scope) const {
  const std::string_view family = scope.substr(0, scope.find('/'));
  const std::string_view measurement = family.size() < scope.size() ? scope.substr(family.size() + 1) : std::string_view();
  Mark mark;
  for (const Line& line : scope.empty() ? std::span<const Line>(lines) : of(family)) {
    if (!measurement.empty() && line.measurement != measurement) continue;
    mark.add(line.family);
    mark.add(line.measurement);
    mark.add(line.newest_entry);
    mark.add(line.newest_diff);
    mark.add(fmt::format("{} {}", line.entries, line.diffs));
  }
  mark.add(complete ? "complete" : "so far");
  return mark.text();
}

std::shared_ptr<const Summary> Overview::get(std::chrono::milliseconds at_most, std::chrono::milliseconds age) {
  std::unique_lock lock(mutex_);
  if (is_fresh(age)) return summary_;
  const std::uint64_t before = readings_;
  if (reading_ == Reading::none && !stopping_) {
    reading_ = Reading::queued;
    lock.unlock();  // an executor may run it at once
    const bool begun = begin();
    lock.lock();
    if (!begun) {  // no thread to be had: what is known is given
      if (reading_ == Reading::queued) reading_ = Reading::none;
      return summary_;
    }
  }
  changed_.wait_for(lock, at_most, [&] { return readings_ != before || stopping_; });
  return summary_;
}

std::shared_ptr<const Summary> Overview::read_here(std::chrono::milliseconds at_most, std::chrono::milliseconds age) {
  std::unique_lock lock(mutex_);
  if (is_fresh(age)) return summary_;
  if (reading_ == Reading::running || stopping_) {
    const std::uint64_t before = readings_;
    changed_.wait_for(lock, at_most, [&] { return readings_ != before || stopping_; });
    return summary_;
  }
  reading_ = Reading::running;
  lock.unlock();
  read();
  lock.lock();
  return summary_;
}

bool Overview::is_fresh(std::chrono::milliseconds age) const {
  const auto rest = std::max<steady_clock::duration>(age, cost_ * kRestPerWork);
  return readings_ > 0 && steady_clock::now() - ended_ < rest;
}

bool Overview::claim() {
  const std::lock_guard lock(mutex_);
  if (reading_ != Reading::queued) return false;
  reading_ = Reading::running;
  return true;
}

bool Overview::begin() {
  try {
    executor_.submit(
        [self = shared_from_this()] {
          if (self->claim()) self->read();
        },
        "site");
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void Overview::read() {
  const auto began = steady_clock::now();
  try {
    if (const auto store = open_(stopping_); store) {
      read_lines(**store);
    } else {
      show({}, true, store.error().message);
    }
  } catch (const std::exception& error) {
    show({}, true, error.what());
  }
  const std::lock_guard lock(mutex_);
  reading_ = Reading::none;
  ++readings_;
  ended_ = steady_clock::now();
  if (readings_ > 1) cost_ = ended_ - began;  // the first one lists everything
  changed_.notify_all();
}

void Overview::read_lines(const registry::Store& store) {
  struct Named {
    Line line;
    bool entries = false, diffs = false;  // there is a folder of them
  };
  std::map<std::pair<std::string, std::string>, Named> named;
  std::string problem;
  for (const Kind kind : {Kind::entry, Kind::bundle}) {
    const auto measurements = store.measurements(kind);
    if (!measurements) {
      problem = measurements.error().message;
      continue;
    }
    for (const auto& name : *measurements) {
      Named& one = named[name];
      std::tie(one.line.family, one.line.measurement) = name;
      (kind == Kind::entry ? one.entries : one.diffs) = true;
    }
  }
  std::vector<Line> lines;
  lines.reserve(named.size());
  for (const auto& [name, one] : named) lines.push_back(one.line);
  const bool first = [&] {
    const std::lock_guard lock(mutex_);
    return !summary_->complete;
  }();
  if (first) show(lines, false, problem);
  auto shown = steady_clock::now();
  Folders seen;
  auto line = lines.begin();
  for (const auto& [name, one] : named) {
    if (stopping_) return;
    if (one.entries) set_entries(*line, look(store, Kind::entry, *line, seen));
    if (one.diffs) set_diffs(*line, look(store, Kind::bundle, *line, seen));
    ++line;
    if (first && steady_clock::now() - shown > kShowEvery) {
      show(lines, false, problem);
      shown = steady_clock::now();
    }
  }
  folders_.swap(seen);  // what has gone is forgotten
  show(lines, true, problem);
}

void Overview::set_entries(Line& line, const Folder& folder) {
  line.entries = folder.count;
  line.recent_entries = folder.recent;
  if (folder.recent) line.newest_entry = folder.recent->back();
}

void Overview::set_diffs(Line& line, const Folder& folder) {
  line.diffs = folder.count;
  line.recent_diffs = folder.recent;
  if (folder.recent) line.newest_diff = folder.recent->back();
}

Overview::Folder Overview::look(const registry::Store& store, Kind kind, const Line& line, Folders& seen) {
  const std::string path = store.directory(kind, line.family, line.measurement);
  Folder folder;
  const std::string tick = mcp::tick_of(store, path);
  folder.stamp = stamp_of(path);
  if (!folder.stamp.empty()) folder.stamp += tick;
  const auto known = folders_.find(path);
  if (known != folders_.end() && !folder.stamp.empty() && known->second.stamp == folder.stamp) {
    folder = known->second;
  } else if (const auto slugs = store.slugs(kind, line.family, line.measurement); !slugs) {
    if (!tick.empty() && known != folders_.end()) folder = known->second;  // what a bucket does not say just now is not gone
    folder.stamp.clear();
  } else if (!slugs->empty()) {
    folder.count = slugs->size();
    const auto some = static_cast<std::ptrdiff_t>(std::min(slugs->size(), kRecent));
    folder.recent = std::make_shared<const std::vector<std::string>>(slugs->end() - some, slugs->end());
  }
  return seen[path] = std::move(folder);
}

void Overview::show(const std::vector<Line>& lines, bool complete, std::string problem) {
  auto next = std::make_shared<Summary>();
  for (const Line& line : lines) {
    // A measurement whose folders are empty is none; while they are not all looked at, it may be one.
    if (!complete || line.entries + line.diffs > 0) next->lines.push_back(line);
  }
  next->complete = complete;
  next->problem = std::move(problem);
  const std::lock_guard lock(mutex_);
  summary_ = std::move(next);
}

}  // namespace plumbline::server::site
