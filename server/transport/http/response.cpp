#include "server/transport/http/response.hpp"

#include <fmt/core.h>

#include <array>
#include <ctime>

namespace plumbline::server::transport::http {
namespace {

std::string http_date() {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

bool is_one_line(std::string_view text) {
  constexpr std::string_view kBreaks("\r\n\0", 3);
  return text.find_first_of(kBreaks) == std::string_view::npos;
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 416:
      return "Range Not Satisfiable";
    case 422:
      return "Unprocessable Content";
    case 421:
      return "Misdirected Request";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 507:
      return "Insufficient Storage";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

std::string response_head(int status, const Headers& headers, const Framing& framing) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", status, reason_phrase(status), http_date());
  for (const auto& [name, value] : headers) {
    if (is_one_line(name) && is_one_line(value)) head.append(name).append(": ").append(value).append("\r\n");
  }
  if (has_body(status)) {
    head += framing.length ? fmt::format("Content-Length: {}\r\n", *framing.length) : "Transfer-Encoding: chunked\r\n";
  }
  if (!framing.keep_alive) head += "Connection: close\r\n";
  return head + "\r\n";
}

std::string closing_response(int status, std::string_view text, Headers headers) {
  headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  return response_head(status, headers, {text.size() + 1, false}).append(text).append("\n");
}

}  // namespace plumbline::server::transport::http
