// Every page of the review site, in no order that matters.
#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "server/site/page.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

constexpr std::array<Page, 13> kPages = {{
    {"", families_page},
    {"families/{}", family_page},
    {"families/{}/{}", measurement_page},
    {"entries/{}/{}/{}", entry_page},
    {"entries/{}/{}/{}/files/{+}", entry_file_page},
    {"diffs", diffs_page},
    {"diffs/{}/{}/{}", diff_page},
    {"diffs/{}/{}/{}/files/{+}", diff_file_page},
    {"compare", compare_page},
    {"compare/report", compare_report},
    {"search", search_page},
    {"verify/entries/{}/{}/{}", verify_entry_page},
    {"verify/diffs/{}/{}/{}", verify_diff_page},
}};

}  // namespace

std::span<const Page> pages() { return kPages; }

const Page* find_page(const std::vector<std::string>& address, std::vector<std::string>& parts) {
  for (const Page& page : kPages) {
    const auto pattern = page.pattern.empty() ? std::vector<std::string_view>() : core::split(page.pattern, '/');
    const bool rest = !pattern.empty() && pattern.back() == "{+}";
    if (rest ? address.size() < pattern.size() : address.size() != pattern.size()) continue;
    std::vector<std::string> found;
    bool fits = true;
    for (std::size_t i = 0; i < address.size() && fits; ++i) {
      if (rest && i >= pattern.size()) {
        found.back() += "/" + address[i];
      } else if (pattern[i] == "{}" || pattern[i] == "{+}") {
        found.push_back(address[i]);
      } else {
        fits = pattern[i] == address[i];
      }
    }
    if (!fits) continue;
    parts = std::move(found);
    return &page;
  }
  return nullptr;
}

}  // namespace plumbline::server::site
