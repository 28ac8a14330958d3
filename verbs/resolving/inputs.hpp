// What a verdict is made from beside the current side: noted where it is read, kept in the bundle (verbs/recompute/), and
// given back there when the verdict is made again. One per call; may be used from several threads.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/store.hpp"

namespace plumbline::verbs {

struct UsedEntry {
  std::string path, family, measurement, slug;
  bool accepted = false;
};

// What the entries before this one say of noise (NoiseFloors, with keys as texts).
struct UsedHistory {
  struct Key {
    std::string key;
    double floor_pct = 0;
    std::pair<double, double> range;
  };
  std::optional<double> median_pct;
  std::vector<Key> keys;  // sorted
};

class Inputs {
 public:
  void note_entry(const registry::Entry& entry, bool accepted);
  // A file of rules that was read: plumbline.yaml, configs/….yaml.
  void note_rules(const std::string& path, std::string_view text);
  void note_history(const registry::Entry& entry, UsedHistory history);
  // What is known already of the history of this entry: then the registry is not asked.
  void give_history(const std::string& name, UsedHistory history);
  [[nodiscard]] const UsedHistory* given_history(const registry::Entry& entry) const;

  // The day on which the answer is given, "2026-11-23" in UTC: that of the first who asks, or the one that was given.
  [[nodiscard]] std::string day(std::chrono::system_clock::time_point now);
  void give_day(std::string day);

  // Sorted by path, by path, and by name ("family/measurement@slug").
  [[nodiscard]] const std::map<std::string, UsedEntry>& entries() const { return entries_; }
  [[nodiscard]] const std::map<std::string, std::string>& rules() const { return rules_; }
  [[nodiscard]] const std::map<std::string, UsedHistory>& history() const { return history_; }
  [[nodiscard]] const std::string& noted_day() const { return day_; }  // "" where nobody asked

 private:
  std::mutex mutex_;
  std::map<std::string, UsedEntry> entries_;
  std::map<std::string, std::string> rules_;
  std::map<std::string, UsedHistory> history_, given_;
  std::string day_;
};

}  // namespace plumbline::verbs
