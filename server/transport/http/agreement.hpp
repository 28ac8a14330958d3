// Revision 2026-07-28 repeats parts of a message in HTTP headers, so that proxies can route and count without reading bodies
// (Streamable HTTP, "Request Metadata"). Whoever reads the body must refuse a request whose headers say something else: this
// is that check. Header names are compared without case (they arrive in lower case), values with it. Everything here is pure
// but for ToolHeaders, which remembers what it found and may be used from any thread.
#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/jsonrpc/message.hpp"
#include "server/mcp/catalogue.hpp"
#include "server/transport/http/exchange.hpp"

namespace plumbline::server::transport::http {

// A property of a tool's arguments that clients mirror into a header.
struct HeaderParam {
  std::string header;             // "mcp-param-region"
  std::vector<std::string> path;  // of property names, from the arguments down
};

// The x-mcp-header annotations of an input schema: strings, integers and booleans that are reached through `properties` alone.
// Annotations that break the specification's rules are left out, as clients leave out the tool.
[[nodiscard]] std::vector<HeaderParam> header_params(const nlohmann::json& input_schema);

// What a header value means: itself, or what "=?base64?…?=" holds. Nothing when it holds no base64 or bytes that no header may.
[[nodiscard]] std::optional<std::string> decoded_value(std::string_view value);

// The version that a message claims in params._meta; nothing when there is none.
[[nodiscard]] std::optional<std::string> claimed_version(const nlohmann::json* params);

// What is wrong with MCP-Protocol-Version of a message that claims `body` (nothing: no claim).
[[nodiscard]] std::optional<jsonrpc::RpcError> version_disagreement(const Request& request,
                                                                    const std::optional<std::string>& body);

// What is wrong with Mcp-Method, Mcp-Name and Mcp-Param-*. Of a notification they are checked where they are there.
[[nodiscard]] std::optional<jsonrpc::RpcError> disagreement(const Request& request, const jsonrpc::Message& message,
                                                            const std::vector<HeaderParam>& params);

// header_params() of the tools of one catalogue, read when a tool is first called.
class ToolHeaders {
 public:
  explicit ToolHeaders(const mcp::Catalogue& catalogue) : catalogue_(catalogue) {}
  // Those of the tool that `message` calls; none when it calls none. Valid as long as this is.
  [[nodiscard]] const std::vector<HeaderParam>& of(const jsonrpc::Message& message) const;

 private:
  const mcp::Catalogue& catalogue_;
  mutable std::mutex mutex_;
  mutable std::map<const mcp::Tool*, std::vector<HeaderParam>> known_;
};

}  // namespace plumbline::server::transport::http
