// What all connections share and nobody may have all of: so much in all, and so much for those who come from one place. Not
// thread-safe; one user has one Share, which gives back what it has taken.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace plumbline::server::transport::network {

class Shares {
 public:
  Shares(std::size_t all, std::size_t each) : all_(all), each_(each) {}
  // False, and nothing is changed, when that would be too much.
  [[nodiscard]] bool take(const std::string& place, std::size_t amount) {
    const std::size_t its = of(place);
    if (amount > all_ - taken_ || its > each_ || amount > each_ - its) return false;
    if (amount == 0) return true;
    places_[place] = its + amount;
    taken_ += amount;
    return true;
  }
  void give_back(const std::string& place, std::size_t amount) {
    const auto at = places_.find(place);
    if (at == places_.end()) return;
    at->second -= amount;
    taken_ -= amount;
    if (at->second == 0) places_.erase(at);
  }
  [[nodiscard]] std::size_t of(const std::string& place) const {
    const auto at = places_.find(place);
    return at == places_.end() ? 0 : at->second;
  }
  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  const std::size_t all_, each_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> places_;  // those that have taken something
};

class Share {
 public:
  Share(Shares& shares, std::string place) : shares_(shares), place_(std::move(place)) {}
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { release(); }
  [[nodiscard]] bool take(std::size_t amount) {
    if (!shares_.take(place_, amount)) return false;
    amount_ += amount;
    return true;
  }
  void release() { shares_.give_back(place_, std::exchange(amount_, 0)); }
  [[nodiscard]] std::size_t amount() const { return amount_; }

 private:
  Shares& shares_;
  const std::string place_;
  std::size_t amount_ = 0;
};

}  // namespace plumbline::server::transport::network
