// The file that comes next, opened on another thread while the caller reads the one before it. Of a large flat object of JSON,
// which is what takes longest, the text is parsed there, too. Nothing is concluded from it before it is asked for: an error comes
// up when the file is opened in its turn.
#pragma once

#include <memory>
#include <string>

#include "intake/source.hpp"

namespace plumbline::intake {

class OpenedAhead {
 public:
  OpenedAhead();  // of nothing
  OpenedAhead(std::string path, registry::PathLimits limits);
  OpenedAhead(OpenedAhead&&) noexcept;
  OpenedAhead& operator=(OpenedAhead&&) noexcept;
  OpenedAhead(const OpenedAhead&) = delete;
  OpenedAhead& operator=(const OpenedAhead&) = delete;
  ~OpenedAhead();  // stops the parsing, and waits for its thread

  // As intake::open: what was opened ahead where it is this path, once.
  [[nodiscard]] core::Expected<Opened> open(const std::string& path, const registry::PathLimits& limits);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace plumbline::intake
