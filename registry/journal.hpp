// The journal of a store that is far away: a line for each publication and each acceptance, noted after it was complete, in the
// order of time. Who follows a store reads what is new since the last line that he knows, and need not list everything. It is a
// hint: a publisher that died before it noted its line, or may not write there, leaves none, and nothing that a line says is
// believed before it was looked up. A store on a file system has none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/store.hpp"

namespace plumbline::registry {

enum class NotedAs : std::uint8_t { entry, bundle, acceptance };

struct Noted {
  std::string at;  // as a slug: when it was noted, by the publisher's clock
  NotedAs what = NotedAs::entry;
  std::string family, measurement, slug;
  std::uint64_t seq = 0;  // of an acceptance
};

// A line may come so long after the time in its name, seen by another machine's clock: a server of S3 takes no request whose time
// is a quarter of an hour off, and a request that is tried again keeps its name.
inline constexpr std::chrono::minutes kNotedLate{45};

class Journal {
 public:
  virtual ~Journal() = default;
  // Lines of that time and later, oldest first, some at a time; those that are none of ours are left out.
  [[nodiscard]] virtual core::Status noted_since(const std::string& since,
                                                 const std::function<core::Status(const std::vector<Noted>&)>& take) const = 0;
};

// "TIME/entry/FAMILY/MEASUREMENT/SLUG", for an acceptance "TIME/acceptance/FAMILY/MEASUREMENT/000003-SLUG"; and back, nullopt for
// what is no such name.
[[nodiscard]] std::string journal_name(const Noted& noted);
[[nodiscard]] std::optional<Noted> parse_journal_name(std::string_view name);

}  // namespace plumbline::registry
