#include "intake/opened_ahead.hpp"

#include <atomic>
#include <utility>

#include "base/beside.hpp"
#include "formats/parsed_ahead.hpp"
#include "registry/handed/handed.hpp"

namespace plumbline::intake {

struct OpenedAhead::Work {
  Work(std::string of, registry::PathLimits within) : path(std::move(of)), limits(std::move(within)) {
    opened = base::beside([this, handed = registry::HandedScope::current()] {
      const registry::HandedScope scope(handed);
      return open_and_parse();
    });
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() { unwanted = true; }  // its thread is waited for before the rest goes

  core::Expected<Opened> open_and_parse() {
    auto file = intake::open(path, limits);
    auto* measured = file ? std::get_if<Measured>(&file->content) : nullptr;
    if (measured == nullptr || file->source.is_directory || file->source.bytes < base::kWorthAThread) return file;
    measured->ahead = std::make_shared<formats::ParsedAhead>(
        measured->input.bytes, [this] { return unwanted.load(std::memory_order_relaxed) || (limits.stop && limits.stop()); });
    measured->input.ahead = measured->ahead.get();
    return file;
  }

  std::string path;
  registry::PathLimits limits;
  std::atomic<bool> unwanted{false};
  std::future<core::Expected<Opened>> opened;
};

OpenedAhead::OpenedAhead() = default;
OpenedAhead::OpenedAhead(std::string path, registry::PathLimits limits)
    : work_(std::make_unique<Work>(std::move(path), std::move(limits))) {}
OpenedAhead::OpenedAhead(OpenedAhead&&) noexcept = default;
OpenedAhead& OpenedAhead::operator=(OpenedAhead&&) noexcept = default;
OpenedAhead::~OpenedAhead() = default;

core::Expected<Opened> OpenedAhead::open(const std::string& path, const registry::PathLimits& limits) {
  const std::unique_ptr<Work> work = work_ && work_->path == path ? std::move(work_) : nullptr;
  if (work != nullptr) {
    if (auto opened = work->opened.get()) return opened;
  }
  return intake::open(path, limits);
}

}  // namespace plumbline::intake
