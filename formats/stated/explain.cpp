#include "formats/stated/explain.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/citing.hpp"
#include "core/privacy.hpp"
#include "core/text.hpp"
#include "formats/stated/draft.hpp"
#include "formats/stated/mapping.hpp"
#include "formats/stated/stated.hpp"
#include "formats/tool_rows.hpp"

namespace plumbline::formats::stated {
namespace {

constexpr std::size_t kMostLines = 200, kLongest = 160;
constexpr std::string_view kDraftName = "my-format";

core::Explained told(const Input& input, const Account& account) {
  core::Explained out;
  std::map<std::size_t, std::string> taken;
  for (const Account::Taken& one : account.lines) taken.emplace(one.line, one.by);
  const std::set<std::string> paths(account.paths.begin(), account.paths.end());
  out.paths.assign(paths.begin(), paths.end());
  if (!out.paths.empty()) return out;
  LogLines lines(input.bytes);
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = core::trim(line);
    if (text.empty()) continue;
    const auto by = taken.find(lines.number());
    ++(by == taken.end() ? out.left : out.taken);
    if (out.lines.size() == kMostLines) continue;
    out.lines.push_back(
        {lines.number(), core::without_secrets(text.substr(0, kLongest)), by == taken.end() ? std::string() : by->second});
  }
  return out;
}

}  // namespace

core::Expected<core::Explained> explain(const Input& input, const Format* format, const configs::MetricNames& names) {
  Account account;
  if (format != nullptr && format->statement != nullptr) {
    if (auto read = stated::read(*format->statement, input, {}, &account); !read) return core::fail(read.error());
    core::Explained out = told(input, account);
    out.statement = std::string(format->name);
    return out;
  }
  const std::string draft = draft_of(input, names, std::string(kDraftName));
  if (draft.empty()) {
    return core::fail(core::ErrorCode::invalid_input,
                      "no draft can be made of this: no number was found in a line, a table or JSON",
                      "a draft is made of one plain text file", input.name);
  }
  const auto own = parse_formats(draft, "draft");
  core::Explained out;
  // A draft that cannot be read is still a beginning.
  if (own && !(*own)->empty() && stated::read(*(*own)->formats().front()->statement, input, {}, &account))
    out = told(input, account);
  out.statement = "draft";
  out.draft = core::without_secrets(draft);
  return out;
}

}  // namespace plumbline::formats::stated
