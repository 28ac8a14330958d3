// What all threads of a process together may hold of something whose size others decide: what compressed files unpack to. Each
// draws what it holds before it holds it. Whoever finds too little waits for those that run to give back, and is refused where
// waiting would not help. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

namespace plumbline::base {

class MemoryBudget {
 public:
  enum class Answer : std::uint8_t {
    taken,
    too_much,  // more than there is in all, with what this thread holds already
    busy,      // others hold it, who wait too or did not give back in time
    stopped    // the caller wanted to
  };

  explicit MemoryBudget(std::uint64_t bytes = 0, std::chrono::milliseconds patience = std::chrono::seconds(60))
      : bytes_(bytes), patience_(patience) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // 0: there is no bound. Counts for what is drawn from now on.
  void set_bound(std::uint64_t bytes);
  [[nodiscard]] std::uint64_t bound() const;
  [[nodiscard]] std::uint64_t held() const;

  // What one reader holds; given back at its end. Of one thread at a time, the end may be another's.
  class Lease {
   public:
    Lease() = default;
    explicit Lease(MemoryBudget& budget) : budget_(&budget) {}
    Lease(Lease&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), owner_(other.owner_), bytes_(std::exchange(other.bytes_, 0)) {}
    Lease& operator=(Lease&& other) noexcept {
      if (this == &other) return *this;
      give_back(bytes_);
      budget_ = std::exchange(other.budget_, nullptr);
      owner_ = other.owner_;
      bytes_ = std::exchange(other.bytes_, 0);
      return *this;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { give_back(bytes_); }

    // `stop` is asked while it waits; it may be empty.
    [[nodiscard]] Answer take(std::uint64_t bytes, const std::function<bool()>& stop = {});
    void give_back(std::uint64_t bytes);
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

   private:
    MemoryBudget* budget_ = nullptr;
    std::thread::id owner_;
    std::uint64_t bytes_ = 0;
  };

 private:
  struct Holder {
    std::uint64_t bytes = 0;
    bool waits = false;
  };
  [[nodiscard]] Answer take(std::thread::id who, std::uint64_t bytes, const std::function<bool()>& stop);
  [[nodiscard]] bool somebody_runs(std::thread::id but) const;  // and holds something; the lock is held
  void give_back(std::thread::id who, std::uint64_t bytes);

  std::uint64_t bytes_;
  const std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;
  std::condition_variable given_back_;
  std::uint64_t held_ = 0;
  std::unordered_map<std::thread::id, Holder> holders_;
};

// The one of this process, from which everything that unpacks draws. Without a bound until somebody sets one.
[[nodiscard]] MemoryBudget& unpacking_budget();

}  // namespace plumbline::base
