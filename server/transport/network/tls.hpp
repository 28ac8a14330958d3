// TLS for listeners: certificate chain and key as PEM files, TLS 1.2 or later, optionally client certificates of a given
// authority, which are then required. Contexts are immutable; reloading makes a new one for connections to come.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/error.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace plumbline::server::transport::network {

struct TlsFiles {
  std::string certificate;  // the server's first, then the chain
  std::string key;
  std::string client_ca;  // "" = client certificates are not asked for
};

class TlsContext {
 public:
  // Errors name the file and what is wrong with it.
  [[nodiscard]] static core::Expected<std::shared_ptr<const TlsContext>> load(const TlsFiles& files);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  [[nodiscard]] ssl_ctx_st* native() const { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* const context_;
};

// The verified client certificate's common name, else its first DNS name, e-mail address or URI, else its whole subject.
[[nodiscard]] std::optional<std::string> client_certificate(const ssl_st* connection);

}  // namespace plumbline::server::transport::network
