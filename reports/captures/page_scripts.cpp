// Which scripts the pages hold: the only ones that a server of pages lets run.
#include <array>

#include "reports/captures/page_template.hpp"
#include "reports/reports.hpp"

namespace plumbline::reports {

std::span<const std::string_view> page_script_digests() {
  static constexpr std::array<std::string_view, 1> kDigests = {kCaptureScriptDigest};
  return kDigests;
}

}  // namespace plumbline::reports
