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

// Of a range: 1 unless it says less. What is no number is 0.
double weight(const std::vector<std::string_view>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string parameter = core::to_lower(core::trim(parts[i]));
    if (!parameter.starts_with("q=")) continue;
    const auto value = core::parse_double(core::trim(std::string_view(parameter).substr(2)));
    return value ? std::clamp(*value, 0.0, 1.0) : 0;
  }
  return 1;
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

bool wants_openmetrics(const Request& request) {
  double open = 0, plain = 0;
  int rank = 0;  // of the range that decides on plain text: */*, text/*, text/plain
  for (const auto& [name, value] : request.headers) {
    if (name != "accept") continue;
    for (const std::string_view element : core::split(value, ',')) {
      const auto parts = core::split(element, ';');
      const std::string type = core::to_lower(core::trim(parts.front()));
      const auto has_version = [&](std::string_view wanted) {
        return std::all_of(parts.begin() + 1, parts.end(), [&](std::string_view part) {
          const std::string parameter = core::to_lower(core::trim(part));
          return !parameter.starts_with("version=") || parameter.substr(8) == wanted;
        });
      };
      const int specific = type == "text/plain" ? 3 : type == "text/*" ? 2 : type == "*/*" ? 1 : 0;
      if (type == "application/openmetrics-text" && has_version("1.0.0")) open = std::max(open, weight(parts));
      if (specific > 0 && specific >= rank) plain = specific == rank ? std::max(plain, weight(parts)) : weight(parts);
      rank = std::max(rank, specific);
    }
  }
  return open > 0 && open >= plain;
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
