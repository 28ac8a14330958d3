#include "net/trust_store.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace plumbline::net {
namespace {

constexpr std::array<const char*, 5> kFiles = {"/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch
                                               "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, Red Hat
                                               "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // the same, newer
                                               "/etc/ssl/ca-bundle.pem",                             // SUSE
                                               "/etc/ssl/cert.pem"};                                 // Alpine

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != 0;
}

bool is_readable(const char* path) { return ::access(path, R_OK) == 0; }

}  // namespace

bool trust_this_machine(SSL_CTX* context) {
  if (SSL_CTX_set_default_verify_paths(context) != 1) return false;
  if (is_set(X509_get_default_cert_file_env()) || is_set(X509_get_default_cert_dir_env())) return true;
  if (is_readable(X509_get_default_cert_file()) || is_readable(X509_get_default_cert_dir())) return true;
  for (const char* file : kFiles) {
    if (!is_readable(file)) continue;
    if (SSL_CTX_load_verify_locations(context, file, nullptr) == 1) return true;
    ERR_clear_error();
  }
  return true;
}

}  // namespace plumbline::net
