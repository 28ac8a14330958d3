// Static bearer tokens (--token-file FILE) and the Authorization header that carries them. One token a line:
//
//   NAME TOKEN [read|write]…      # a word that starts with '#' begins a comment
//
// Without a permission a token may do both; write implies read. NAME is what audit and limits show ([A-Za-z0-9._@-], at most
// 64), TOKEN has 16 to 512 visible ASCII characters. Only digests of the tokens are kept, and no message ever holds a word of
// the file. Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "server/access/current.hpp"
#include "server/access/principal.hpp"

namespace plumbline::server::access {

inline constexpr std::size_t kBearerBytes = 8192;  // of a presented token, whatever its kind

struct TokenEntry {
  Principal principal;
  std::string digest;  // SHA-256 of the token, hexadecimal
};

// `where` names the text in errors: "FILE:3: …".
[[nodiscard]] core::Expected<std::vector<TokenEntry>> parse_tokens(std::string_view text, const std::string& where);

class Tokens {
 public:
  // The file must be a regular one that only its owner can read.
  [[nodiscard]] static core::Expected<std::unique_ptr<Tokens>> load(std::string path);

  // Every entry is compared, in time that does not depend on which one matches or how far.
  [[nodiscard]] std::optional<Principal> find(std::string_view bearer) const;
  // Reads the file again; a file that is not acceptable changes nothing.
  [[nodiscard]] core::Status reload();
  [[nodiscard]] std::size_t size() const { return entries_.get()->size(); }

 private:
  Tokens(std::string path, std::vector<TokenEntry> entries) : path_(std::move(path)), entries_(std::move(entries)) {}

  const std::string path_;
  Current<std::vector<TokenEntry>> entries_;
};

struct Authorization {
  enum class Kind {
    absent,     // no header, or a scheme that is not ours: 401 without an error code (RFC 6750 section 3.1)
    malformed,  // 400 invalid_request
    bearer      // `token` is to be looked up; unknown is 401 invalid_token
  };
  Kind kind = Kind::absent;
  std::string_view token;
};

// The value of the Authorization header, white space around it removed.
[[nodiscard]] Authorization parse_authorization(std::optional<std::string_view> header);

}  // namespace plumbline::server::access
