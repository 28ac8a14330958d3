#include "server/readiness.hpp"

#include <fmt/core.h>

#include <exception>
#include <utility>

namespace plumbline::server {
namespace {

constexpr std::chrono::seconds kPatience{2};  // for a look that is under way

}  // namespace

Readiness::~Readiness() { thread_.stop(); }

void Readiness::ask(Answer answer) {
  bool begin = false;
  {
    std::unique_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    std::chrono::seconds waited{0};
    if (looking_) waited = std::chrono::duration_cast<std::chrono::seconds>(now - since_);
    if (waited >= kPatience) {
      lock.unlock();
      return answer(fmt::format("the root has not answered for {} s", waited.count()));
    }
    asking_.push_back(std::move(answer));
    begin = !std::exchange(looking_, true);
    if (begin) since_ = now;
  }
  if (!begin) return;
  try {
    thread_.submit([this] { look(); });
  } catch (const std::exception&) {  // no thread to be had
    std::vector<Answer> asking;
    {
      const std::lock_guard lock(mutex_);
      looking_ = false;
      asking.swap(asking_);
    }
    for (const Answer& each : asking) each("no thread could be started");
  }
}

void Readiness::look() {
  const std::string problem = look_();
  std::vector<Answer> asking;
  {
    const std::lock_guard lock(mutex_);
    looking_ = false;
    asking.swap(asking_);
  }
  for (const Answer& each : asking) each(problem);
}

}  // namespace plumbline::server
