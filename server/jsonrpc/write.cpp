#include <algorithm>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "server/jsonrpc/message.hpp"

namespace plumbline::server::jsonrpc {

std::string result_line(std::string_view id, std::string_view result_json) {
  std::string line;
  line.reserve(id.size() + result_json.size() + 40);
  line.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result_json).append("}");
  return line;
}

std::string error_object(const RpcError& error) {
  std::string text = R"({"code":)" + std::to_string(error.code) + R"(,"message":)";
  core::append_quoted(text, error.message);
  if (!error.data.empty()) text.append(R"(,"data":)").append(error.data);
  return text + "}";
}

std::string error_line(std::string_view id, const RpcError& error) {
  std::string line = R"({"jsonrpc":"2.0",)";
  if (id != "null") line.append(R"("id":)").append(id).append(",");
  line.append(R"("error":)").append(error_object(error)).append("}");
  return line;
}

std::string request_line(std::string_view id, std::string_view method, std::string_view params_json) {
  std::string line = R"({"jsonrpc":"2.0","id":)";
  line.append(id).append(R"(,"method":)");
  core::append_quoted(line, method);
  line.append(R"(,"params":)").append(params_json).append("}");
  return line;
}

std::string notification_line(std::string_view method, std::string_view params_json) {
  std::string line = R"({"jsonrpc":"2.0","method":)";
  core::append_quoted(line, method);
  line.append(R"(,"params":)").append(params_json).append("}");
  return line;
}

std::string on_one_line(std::string text) {
  std::size_t read = text.find_first_of("\r\n");
  if (read == std::string::npos) return text;
  std::size_t write = read;
  while (read < text.size()) {
    if (text[read] == '\n' || text[read] == '\r') {
      read = std::min(text.find_first_not_of(" \t\r\n", read), text.size());
    } else {
      text[write++] = text[read++];
    }
  }
  text.resize(write);
  return text;
}

std::string shortened(std::string_view whole, std::size_t bytes) {
  constexpr std::size_t kLookedAt = 16;  // times what is shown
  std::string text = core::without_secrets(whole.substr(0, bytes * kLookedAt));
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

}  // namespace plumbline::server::jsonrpc
