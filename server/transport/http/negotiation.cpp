#include "server/transport/http/negotiation.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.hpp"

namespace plumbline::server::transport::http {
namespace {

struct Range {
  std::string type;  // lower case: "application/json", "application/*", "*/*"
  bool refused = false;
};

// "q=0", "q=0.000": the only weights that mean no.
bool is_zero_weight(std::string_view parameter) {
  const auto parts = core::split(parameter, '=');
  if (parts.size() != 2 || core::to_lower(core::trim(parts[0])) != "q") return false;
  const std::string_view weight = core::trim(parts[1]);
  return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
}

bool takes(const std::vector<Range>& ranges, std::string_view type) {
  const std::string group = std::string(type.substr(0, type.find('/'))) + "/*";
  for (const std::string_view candidate : {type, std::string_view(group), std::string_view("*/*")}) {
    const auto at = std::find_if(ranges.begin(), ranges.end(), [&](const Range& range) { return range.type == candidate; });
    if (at != ranges.end()) return !at->refused;
  }
  return false;
}

}  // namespace

Accepted accepted(const Request& request) {
  std::vector<Range> ranges;
  for (const auto& [name, value] : request.headers) {
    if (name != "accept") continue;
    for (const std::string_view element : core::split(value, ',')) {
      const auto parts = core::split(element, ';');
      if (core::trim(parts.front()).empty()) continue;
      ranges.push_back({core::to_lower(core::trim(parts.front())), std::any_of(parts.begin() + 1, parts.end(), is_zero_weight)});
    }
  }
  if (ranges.empty()) return {true, true};
  return {takes(ranges, "application/json"), takes(ranges, "text/event-stream")};
}

bool is_json(const Request& request) {
  bool conflict = false;
  const auto coding = request.one("content-encoding", conflict);
  const auto type = request.one("content-type", conflict);
  if (conflict || !type || (coding && core::to_lower(*coding) != "identity")) return false;
  const auto parts = core::split(*type, ';');
  if (core::to_lower(core::trim(parts.front())) != "application/json") return false;
  return std::all_of(parts.begin() + 1, parts.end(), [](std::string_view parameter) {
    const std::string text = core::to_lower(core::trim(parameter));
    return !text.starts_with("charset=") || text == "charset=utf-8" || text == "charset=\"utf-8\"";
  });
}

}  // namespace plumbline::server::transport::http
