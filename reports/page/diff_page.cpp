// diff.html: the page that a reviewer opens.
#include "reports/page/diff_page.hpp"

#include "reports/reports.hpp"

namespace plumbline::reports {

std::string diff_html(const core::DiffResult& result) {
  Page page = result.profile() != nullptr ? captures_page(result) : measurement_page(result);
  page.verdict = result.verdict;
  page.tier = result.tier;
  page.footer = result.tool.name + " " + result.tool.version;
  if (!result.compared_at_utc.empty()) page.footer += ", compared at " + result.compared_at_utc;
  return page_text(page);
}

}  // namespace plumbline::reports
