#include "server/mcp/progress.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace plumbline::server::mcp {
namespace {
constexpr double kBurst = 10;
constexpr double kPerSecond = 10;
}  // namespace

bool ProgressGate::admit(double progress, double total) {
  if (!std::isfinite(progress) || (any_ && progress <= highest_)) return false;
  const auto now = clock_();
  tokens_ = std::min(kBurst, tokens_ + kPerSecond * std::chrono::duration<double>(now - last_).count());
  last_ = now;
  if (tokens_ < 1 && !(total > 0 && progress >= total)) return false;
  tokens_ = std::max(0.0, tokens_ - 1);
  any_ = true;
  highest_ = progress;
  return true;
}

std::string progress_params(std::string_view token, double progress, double total, std::string_view message) {
  std::string out = R"({"progressToken":)";
  out.append(token).append(R"(,"progress":)");
  core::append_number(out, progress);
  if (std::isfinite(total) && total > 0) {
    out.append(R"(,"total":)");
    core::append_number(out, total);
  }
  if (!message.empty()) {
    out.append(R"(,"message":)");
    core::append_quoted(out, message);
  }
  return out + "}";
}

}  // namespace plumbline::server::mcp
