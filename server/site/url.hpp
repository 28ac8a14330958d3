// Addresses of the review site. Reading is strict, because a part becomes a name in the registry: a path is cut at its slashes,
// each part is decoded exactly once, and what then is "." or "..", holds a slash, a backslash, NUL or a control character is no
// address at all. Pure: no file is looked at.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::server::site {

// "/families/a%2Db/" -> {"families", "a-b"}; nothing for what is no address.
[[nodiscard]] std::optional<std::vector<std::string>> parts_of(std::string_view path);

// "?a=b&c=d+e": the first value of each name counts.
class Query {
 public:
  Query() = default;
  // Nothing when it cannot be read.
  [[nodiscard]] static std::optional<Query> parse(std::string_view text);
  [[nodiscard]] std::string get(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return values_.find(name) != values_.end(); }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// One part of a path or one value of a query, percent-encoded.
[[nodiscard]] std::string encoded(std::string_view text);
// "/families/F/M": every part encoded; a slash inside the last one stays, for files in folders.
[[nodiscard]] std::string link(std::string_view page, const std::vector<std::string_view>& parts = {});

}  // namespace plumbline::server::site
