// links: server
// Whatever text a message has, an event-stream reader gets it back, line breaks as "\n", with its id, and nothing else: neither
// a text nor an id can begin another field or event. The reader below follows the standard's grammar, not the writer.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/transport/http/event_stream.hpp"

namespace {

struct Event {
  std::string data, id;
};

// WHATWG HTML section 9.2.6, for a stream that has ended. Nothing when there is a field that no event of ours has.
std::optional<std::vector<Event>> read(std::string_view stream) {
  std::vector<Event> events;
  std::string data, id;
  bool any = false;
  while (!stream.empty()) {
    const std::size_t end = stream.find_first_of("\r\n");
    if (end == std::string_view::npos) return std::nullopt;  // a line without an end
    const std::string_view line = stream.substr(0, end);
    stream.remove_prefix(end + (stream.substr(end).starts_with("\r\n") ? 2 : 1));
    if (line.empty()) {
      if (any) {
        data.pop_back();  // the last line's break
        events.push_back({data, id});
      }
      data.clear();
      any = false;
      continue;
    }
    if (line.front() == ':') continue;
    const std::size_t colon = line.find(':');
    const std::string_view field = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "data") {
      data.append(value).append("\n");
      any = true;
    } else if (field == "id") {
      id = value;
    } else if (field != "retry") {
      return std::nullopt;
    }
  }
  return events;
}

std::string with_line_feeds(std::string_view text) {
  std::string changed;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      changed += text[i];
    } else {
      changed += '\n';
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
    }
  }
  return changed;
}

void check(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace http = plumbline::server::transport::http;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string stream = http::sse_priming("7-0", std::chrono::seconds(1)) + http::sse_event(text, "7-1") +
                             std::string(http::kKeepAlive) + http::sse_event(text) + http::sse_event("{}", "7-2");
  const auto events = read(stream);
  check(events.has_value() && events->size() == 4);
  check((*events)[0].data.empty() && (*events)[0].id == "7-0");
  check((*events)[1].data == with_line_feeds(text) && (*events)[1].id == "7-1");
  check((*events)[2].data == with_line_feeds(text) && (*events)[2].id == "7-1");
  check((*events)[3].data == "{}" && (*events)[3].id == "7-2");

  // Ids that clients send back are read strictly or not at all.
  if (const auto id = http::parse_event_id(text)) {
    const std::size_t dash = text.find('-');
    check(dash != std::string_view::npos && text.find_first_not_of("0123456789-") == std::string_view::npos);
  }
  return 0;
}
