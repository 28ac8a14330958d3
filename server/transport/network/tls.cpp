#include "server/transport/network/tls.hpp"

#include <fmt/core.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <vector>

#include "server/access/small_file.hpp"

namespace plumbline::server::transport::network {
namespace {

using core::ErrorCode;

template <auto Free>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
void free_names(STACK_OF(X509_NAME) * names) { sk_X509_NAME_pop_free(names, X509_NAME_free); }
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Names = std::unique_ptr<STACK_OF(X509_NAME), Freer<free_names>>;
using GeneralNames = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>>;

std::string last_reason() {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "unknown problem" : reason;
}

tl::unexpected<core::Error> bad_file(const std::string& path, const std::string& what, std::string hint = {}) {
  return core::fail(ErrorCode::usage, fmt::format("{}: {}", path, what), std::move(hint), path);
}

// Without this OpenSSL would ask for a passphrase on the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

core::Expected<std::vector<Certificate>> read_certificates(const std::string& path) {
  const auto text = access::read_small_file(path, access::Privacy::trusted);
  if (!text) return core::fail(text.error());
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  std::vector<Certificate> found;
  while (Certificate next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) found.push_back(std::move(next));
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = last_reason();
  if (!ended) return bad_file(path, "a certificate in it cannot be read: " + reason);
  if (found.empty()) return bad_file(path, "there is no certificate in it", "certificates are PEM: -----BEGIN CERTIFICATE-----");
  return found;
}

core::Expected<Key> read_key(const std::string& path) {
  const auto text = access::read_small_file(path, access::Privacy::secret);
  if (!text) return core::fail(text.error());
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())));
  bool asked = false;
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &asked));
  ERR_clear_error();
  if (asked) return bad_file(path, "the key is protected by a passphrase", "openssl pkey -in KEY -out PLAIN removes it");
  if (!key) return bad_file(path, "there is no private key in it", "keys are PEM: -----BEGIN PRIVATE KEY-----");
  return key;
}

core::Status use_certificates(SSL_CTX* context, const TlsFiles& files) {
  auto chain = read_certificates(files.certificate);
  if (!chain) return core::fail(chain.error());
  const auto key = read_key(files.key);
  if (!key) return core::fail(key.error());
  if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) {
    return bad_file(files.certificate, "the certificate is not acceptable: " + last_reason());
  }
  for (std::size_t i = 1; i < chain->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) != 1) {
      return bad_file(files.certificate, "the chain is not acceptable: " + last_reason());
    }
  }
  if (X509_check_private_key(chain->front().get(), key->get()) != 1) {
    ERR_clear_error();
    return bad_file(files.key, "the key does not belong to the certificate in " + files.certificate);
  }
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1) return bad_file(files.key, "the key is not acceptable: " + last_reason());
  return {};
}

core::Status require_clients(SSL_CTX* context, const std::string& path) {
  auto authorities = read_certificates(path);
  if (!authorities) return core::fail(authorities.error());
  Names names(sk_X509_NAME_new_null());
  for (const Certificate& authority : *authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) {
      return bad_file(path, "an authority in it is not acceptable: " + last_reason());
    }
    sk_X509_NAME_push(names.get(), X509_NAME_dup(X509_get_subject_name(authority.get())));
  }
  SSL_CTX_set_client_CA_list(context, names.release());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

std::string text_of(const ASN1_STRING* string) {
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, string);
  if (size < 0) return {};
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return text;
}

std::string alternative_name(const X509* certificate) {
  const GeneralNames names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS || name->type == GEN_EMAIL || name->type == GEN_URI) return text_of(name->d.ia5);
  }
  return {};
}

}  // namespace

core::Expected<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsFiles& files) {
  const std::shared_ptr<const TlsContext> context(new TlsContext(SSL_CTX_new(TLS_server_method())));
  SSL_CTX* native = context->native();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native,
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
  // Of TLS 1.2 what has forward secrecy and authenticates what it encrypts; TLS 1.3 has nothing else.
  SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20");
  // Every connection shows its certificate: nothing is resumed.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  if (auto used = use_certificates(native, files); !used) return core::fail(used.error());
  if (!files.client_ca.empty()) {
    if (auto used = require_clients(native, files.client_ca); !used) return core::fail(used.error());
  }
  return context;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

std::optional<std::string> client_certificate(const ssl_st* connection) {
  const X509* certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return std::nullopt;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  if (const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0) {
    if (std::string name = text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))); !name.empty()) return name;
  }
  if (std::string name = alternative_name(certificate); !name.empty()) return name;
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), subject, 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

}  // namespace plumbline::server::transport::network
