// What a registry holds, by measurement: how many entries and bundles, and the newest of each. Kept in memory and read anew by
// names alone: a folder is listed again only when the file system says that it changed, of a shared store also every ten seconds.
// There is no inotify, since registries lie on network file systems. A first look at a large registry takes longer than a page
// may: until it is done, what is known so far is given, and `complete` is false.
//
// Thread-safe. One reading at a time, on the executor; nobody waits for it longer than he says.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "registry/store.hpp"
#include "server/transport/transport.hpp"

namespace plumbline::server::site {

struct Line {
  std::string family, measurement;
  std::uint64_t entries = 0, diffs = 0;
  std::string newest_entry, newest_diff;  // slugs, "" = none
  // The newest slugs, oldest first: what lists show without listing a folder of thousands. Null = none.
  std::shared_ptr<const std::vector<std::string>> recent_entries, recent_diffs;
};

struct Summary {
  std::vector<Line> lines;  // by family, then by measurement
  bool complete = false;
  std::string problem;  // why the registry cannot be read; "" = it can

  [[nodiscard]] std::span<const Line> of(std::string_view family) const;
  // Null where there is none.
  [[nodiscard]] const Line* find(std::string_view family, std::string_view measurement) const;
  // A text that is another one as soon as something in the scope is: "" (everything), a family, or "FAMILY/MEASUREMENT".
  [[nodiscard]] std::string stamp(std::string_view scope) const;
};

class Overview : public std::enable_shared_from_this<Overview> {
 public:
  // A store that waits for nothing any more once the reading is to end.
  using Open = std::function<core::Expected<std::unique_ptr<registry::Store>>(const std::atomic<bool>& stopping)>;

  Overview(Open open, transport::Executor& executor) : open_(std::move(open)), executor_(executor) {}

  // Not older than `age` when it comes in time; never null.
  [[nodiscard]] std::shared_ptr<const Summary> get(std::chrono::milliseconds at_most,
                                                   std::chrono::milliseconds age = std::chrono::milliseconds(900));
  // The same for a caller that has a worker's thread of its own: it reads here unless somebody does already. Waiting for another
  // worker would hold one thread for the sake of another, and with one thread there is none.
  [[nodiscard]] std::shared_ptr<const Summary> read_here(std::chrono::milliseconds at_most, std::chrono::milliseconds age);
  // A reading under way ends soon, and no other begins.
  void stop() { stopping_ = true; }

 private:
  struct Folder {
    std::string stamp;  // "" = look again
    std::uint64_t count = 0;
    std::shared_ptr<const std::vector<std::string>> recent;
  };
  using Folders = std::unordered_map<std::string, Folder>;

  enum class Reading : std::uint8_t { none, queued, running };
  [[nodiscard]] bool is_fresh(std::chrono::milliseconds age) const;  // the lock is held
  [[nodiscard]] bool begin();
  [[nodiscard]] bool claim();  // a queued reading; false when somebody else has taken it over
  void read();
  void read_lines(const registry::Store& store);
  [[nodiscard]] Folder look(const registry::Store& store, registry::Kind kind, const Line& line, Folders& seen);
  static void set_entries(Line& line, const Folder& folder);
  static void set_diffs(Line& line, const Folder& folder);
  void show(const std::vector<Line>& lines, bool complete, std::string problem = {});

  const Open open_;
  transport::Executor& executor_;
  std::atomic<bool> stopping_ = false;
  Folders folders_;  // of whoever reads

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const Summary> summary_ = std::make_shared<const Summary>();
  Reading reading_ = Reading::none;
  std::uint64_t readings_ = 0;  // that have ended
  std::chrono::steady_clock::time_point ended_;
  std::chrono::steady_clock::duration cost_{};
};

}  // namespace plumbline::server::site
