#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verdict/findings/findings.hpp"

namespace plumbline::verdict {

namespace {

constexpr std::size_t kLookedAt = 50;
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kShown = 3;
constexpr double kOneSize = 1.5;  // values further apart are not taken for one row's

using core::Delta;
using core::State;

class Renames {
 public:
  explicit Renames(const core::Comparison& c) : c_(c) {
    for (const Delta& d : c.deltas) {
      if (d.state == State::missing && gone_.size() < kLookedAt) gone_.push_back(&d);
      if (d.state == State::added && fresh_.size() < kLookedAt) fresh_.push_back(&d);
    }
  }

  std::optional<core::Warning> run() {
    for (const bool by_value : {true, false}) {
      for (const Delta*& gone : gone_) {
        if (gone != nullptr) pair(gone, by_value);
      }
    }
    if (pairs_ == 0) return std::nullopt;
    return core::Warning{"renamed_rows",
                         core::counted(pairs_, "row") + " that " + (pairs_ == 1 ? "is" : "are") +
                             " missing may have another name now: " + text_ + (pairs_ > kShown ? " and more" : "") +
                             "; keep the names, or record the baseline anew, for a row that is missing is not compared"};
  }

 private:
  void pair(const Delta*& gone, bool by_value) {
    const auto found = std::find_if(fresh_.begin(), fresh_.end(), [&](const Delta* fresh) {
      return fresh != nullptr && alike(*gone, *fresh) && (by_value ? equal_values(*gone, *fresh) : near_names(*gone, *fresh));
    });
    if (found == fresh_.end()) return;
    if (pairs_++ < kShown) {
      text_ += (text_.empty() ? "" : ", ") + core::cited(name(*gone)) + " as " + core::cited(name(**found)) +
               (by_value ? " (equal values)" : " (nearly the same name)");
    }
    gone = nullptr;
    *found = nullptr;
  }

  [[nodiscard]] std::string_view name(const Delta& d) const { return c_.baseline->pool().view(d.key); }
  [[nodiscard]] std::span<const double> values(const Delta& d) const { return c_.side(d).values(*c_.row(d)); }

  [[nodiscard]] bool alike(const Delta& gone, const Delta& fresh) const {
    if (values(gone).empty() || values(fresh).empty()) return false;
    return c_.baseline->unit(*c_.row(gone)) == c_.current->unit(*c_.row(fresh)) && gone.direction == fresh.direction;
  }
  // 0 and 1 are everybody's.
  [[nodiscard]] bool equal_values(const Delta& gone, const Delta& fresh) const {
    const auto a = values(gone);
    const auto b = values(fresh);
    return std::equal(a.begin(), a.end(), b.begin(), b.end()) &&
           std::any_of(a.begin(), a.end(), [](double x) { return x != 0 && std::fabs(x) != 1; });
  }
  [[nodiscard]] bool near_names(const Delta& gone, const Delta& fresh) const {
    const std::string_view a = name(gone);
    const std::string_view b = name(fresh);
    const std::size_t length = std::min(a.size(), b.size());
    if (length < 4 || std::max(a.size(), b.size()) > kLongestName) return false;
    const double x = std::fabs(values(gone).front());
    const double y = std::fabs(values(fresh).front());
    if (std::max(x, y) > kOneSize * std::min(x, y)) return false;
    return 4 * static_cast<std::size_t>(core::edit_distance(a, b)) <= length;
  }

  const core::Comparison& c_;
  std::vector<const Delta*> gone_, fresh_;
  std::size_t pairs_ = 0;
  std::string text_;
};

}  // namespace

std::optional<core::Warning> renamed_rows(const core::Comparison& comparison) { return Renames(comparison).run(); }

}  // namespace plumbline::verdict
