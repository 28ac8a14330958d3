// How often and how many at a time one principal may call. A token bucket (`per_second` refills it up to `burst`) and a count of
// calls that run; both per principal, kept in a bounded table that forgets who has been quiet longest. Whoever has a call
// running is never forgotten; when everybody has, newcomers wait. Being forgotten fills one's bucket, which is worth less than
// the memory. Thread-safe; the clock is handed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace plumbline::server::access {

struct LimitOptions {
  double per_second = 50;         // calls; 0 = no limit of rate
  double burst = 100;             // calls at once after a pause; at least 1
  std::size_t concurrent = 16;    // calls running; 0 = no limit
  std::size_t principals = 4096;  // known at a time
};

class Limits {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  explicit Limits(
      LimitOptions options, Clock clock = [] { return std::chrono::steady_clock::now(); });
  ~Limits();
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

  struct Refusal {
    enum class Why : std::uint8_t { rate, concurrency, crowd };
    Why why = Why::rate;
    std::string message;
    std::chrono::seconds retry_after{1};  // for Retry-After: whole, at least one
  };

  // A call that runs; it ends with the ticket. Must not outlive the Limits.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept : limits_(std::exchange(other.limits_, nullptr)), party_(other.party_) {}
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(limits_, other.limits_);
      std::swap(party_, other.party_);
      return *this;
    }
    ~Ticket() {
      if (limits_ != nullptr) limits_->leave(party_);
    }

   private:
    friend class Limits;
    Ticket(Limits* limits, void* party) : limits_(limits), party_(party) {}
    Limits* limits_ = nullptr;
    void* party_ = nullptr;
  };

  // `principal` is Principal::id(). A refused call costs nothing from the bucket.
  [[nodiscard]] tl::expected<Ticket, Refusal> enter(std::string_view principal);
  [[nodiscard]] std::size_t known() const;    // principals in the table
  [[nodiscard]] std::size_t running() const;  // calls of all

 private:
  struct Party;
  struct State;
  void leave(void* party);

  const LimitOptions options_;
  const Clock clock_;
  std::unique_ptr<State> state_;
};

}  // namespace plumbline::server::access
