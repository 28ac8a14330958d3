// Which scripts the pages hold: the only ones that a server of pages lets run.
#include "reports/page/script.hpp"

#include <array>

#include "reports/reports.hpp"

namespace plumbline::reports {

std::span<const std::string_view> page_script_digests() {
  // The second is that of bundles of captures that version 0.2.0 wrote before there was one script for all pages.
  static constexpr std::array<std::string_view, 2> kDigests = {kPageScriptDigest, "c+1wof7I6l3sg1Z31OlA4gUykEkvASgl0F55GJ8WBYo="};
  return kDigests;
}

}  // namespace plumbline::reports
