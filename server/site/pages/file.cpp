// One file of a publication, as it was published. It is somebody's bytes: only a report of ours (diff.html and its like) is shown
// as a page, without an address of its own and with no script but the reports' own; everything else is text or a download.
#include <array>

#include "core/text.hpp"
#include "core/unicode.hpp"
#include "server/site/pages/all.hpp"

namespace plumbline::server::site {
namespace {

using registry::Kind;

constexpr std::uint64_t kFileAtMost = 64ULL << 20;
constexpr std::array<std::string_view, 2> kReports = {"diff.html", "outliers.html"};
constexpr std::size_t kLookedAt = 64U << 10;

bool is_report(const mcp::Place& place, std::string_view name) {
  return place.kind == Kind::bundle && std::find(kReports.begin(), kReports.end(), name) != kReports.end();
}

// Valid UTF-8 without NUL, as far as that can be said of its beginning.
bool is_text(std::string_view bytes) {
  std::string_view head = bytes.substr(0, kLookedAt);
  if (head.size() < bytes.size()) {  // not in the middle of a character
    for (int i = 0; i < 3 && !head.empty() && (static_cast<unsigned char>(head.back()) & 0xC0U) == 0x80U; ++i)
      head.remove_suffix(1);
    if (!head.empty() && static_cast<unsigned char>(head.back()) >= 0xC0U) head.remove_suffix(1);
  }
  return head.find('\0') == std::string_view::npos && core::is_valid_utf8(head);
}

// RFC 6266: an ASCII name, and the real one percent-encoded.
std::string disposition(std::string_view kind, std::string_view name) {
  const std::string_view base = name.substr(name.rfind('/') + 1);
  std::string ascii;
  for (const char c : base) ascii += (c > 0x20 && c < 0x7F && c != '"' && c != '\\' && c != ';') ? c : '_';
  return std::string(kind) + "; filename=\"" + ascii + "\"; filename*=UTF-8''" + encoded(base);
}

Answer file_page(const Visit& visit, Kind kind) {
  const auto place = place_of(visit, kind);
  if (!place) return place.error();
  const std::string& name = visit.parts[3];
  registry::PathLimits limits = visit.limits;
  limits.bytes = kFileAtMost;
  auto member = mcp::read_member(visit.store, *place, name, visit.library.digests(), limits, false);
  if (!member) {
    if (member.error().code == core::ErrorCode::not_found) member.error().hint.clear();  // it speaks of resources
    return problem(member.error());
  }
  Answer answer;
  answer.body = std::string(member->bytes.view());
  const bool report = is_report(*place, name);
  const bool text = is_text(answer.body);
  answer.policy = report ? Answer::Policy::report : Answer::Policy::file;
  answer.type = report ? "text/html; charset=utf-8" : text ? "text/plain; charset=utf-8" : "application/octet-stream";
  answer.headers.emplace_back("Content-Disposition", disposition(report || text ? "inline" : "attachment", name));
  // What a digest is kept for can never be another one; of the newest, another file will be.
  const bool fixed = !member->sha256.empty() && place->slug == visit.parts[2];
  answer.keep = fixed ? Answer::Keep::forever : Answer::Keep::revalidate;
  if (!member->sha256.empty()) answer.headers.emplace_back("ETag", "\"" + member->sha256 + "\"");
  return answer;
}

}  // namespace

Answer entry_file_page(const Visit& visit) { return file_page(visit, Kind::entry); }
Answer diff_file_page(const Visit& visit) { return file_page(visit, Kind::bundle); }

}  // namespace plumbline::server::site
