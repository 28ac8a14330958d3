#include "server/access/limits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <unordered_map>

#include "core/text.hpp"
#include "registry/files.hpp"

namespace plumbline::server::access {
namespace {

using std::chrono::duration;
using std::chrono::seconds;

constexpr std::size_t kKeyBytes = 128;        // a longer id is known by its digest
constexpr double kLongestWaitSeconds = 3600;  // whatever the rate

}  // namespace

struct Limits::Party {
  double calls = 0;  // in the bucket
  std::chrono::steady_clock::time_point filled;
  std::size_t running = 0;
  const std::string* key = nullptr;     // its key in the table
  std::list<Party*>::iterator quiet{};  // its place in `quiet` while nothing runs
};

struct Limits::State {
  mutable std::mutex mutex;
  std::unordered_map<std::string, Party> parties;  // nodes stay where they are
  std::list<Party*> quiet;                         // without running calls, the most recent first
  std::size_t running = 0;
};

Limits::Limits(LimitOptions options, Clock clock)
    : options_{std::max(options.per_second, 0.0), std::max(options.burst, 1.0), options.concurrent,
               std::max<std::size_t>(options.principals, 1)},
      clock_(std::move(clock)),
      state_(std::make_unique<State>()) {}
Limits::~Limits() = default;

tl::expected<Limits::Ticket, Limits::Refusal> Limits::enter(std::string_view principal) {
  using Why = Refusal::Why;
  const auto now = clock_();
  std::string key = principal.size() > kKeyBytes ? registry::sha256_hex(principal) : std::string(principal);
  const std::lock_guard lock(state_->mutex);
  auto found = state_->parties.find(key);
  if (found == state_->parties.end()) {
    if (state_->parties.size() >= options_.principals) {
      if (state_->quiet.empty()) {
        return tl::unexpected(Refusal{
            Why::crowd, fmt::format("{} clients have calls running, more are not served at a time", options_.principals)});
      }
      const std::string* oldest = state_->quiet.back()->key;
      state_->quiet.pop_back();
      state_->parties.erase(state_->parties.find(*oldest));
    }
    found = state_->parties.emplace(std::move(key), Party{options_.burst, now}).first;
    Party& party = found->second;
    party.key = &found->first;
    party.quiet = state_->quiet.insert(state_->quiet.begin(), &party);
  }
  Party& party = found->second;
  if (party.running == 0) state_->quiet.splice(state_->quiet.begin(), state_->quiet, party.quiet);
  if (options_.concurrent > 0 && party.running >= options_.concurrent) {
    return tl::unexpected(Refusal{Why::concurrency, fmt::format("{} running for this client, more are not served at a time",
                                                                core::counted(options_.concurrent, "call is", "calls are"))});
  }
  if (options_.per_second > 0) {
    const double passed = std::max(duration<double>(now - party.filled).count(), 0.0);
    party.calls = std::min(party.calls + passed * options_.per_second, options_.burst);
    party.filled = now;
    if (party.calls < 1) {
      const double wait = std::clamp(std::ceil((1 - party.calls) / options_.per_second), 1.0, kLongestWaitSeconds);
      return tl::unexpected(Refusal{Why::rate,
                                    fmt::format("a client may make {} calls a second", core::short_number(options_.per_second)),
                                    seconds(static_cast<seconds::rep>(wait))});
    }
    party.calls -= 1;
  }
  if (party.running++ == 0) state_->quiet.erase(party.quiet);
  ++state_->running;
  return Ticket(this, &party);
}

void Limits::leave(void* which) {
  const std::lock_guard lock(state_->mutex);
  Party& party = *static_cast<Party*>(which);
  --state_->running;
  if (--party.running == 0) party.quiet = state_->quiet.insert(state_->quiet.begin(), &party);
}

std::size_t Limits::known() const {
  const std::lock_guard lock(state_->mutex);
  return state_->parties.size();
}

std::size_t Limits::running() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running;
}

}  // namespace plumbline::server::access
