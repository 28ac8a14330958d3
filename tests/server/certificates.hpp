// Keys and certificates made for a test, and client contexts that use them.
#pragma once

#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace plumbline::server::testing {

// A self-signed certificate for `name` and its key, in PEM files under `folder`.
struct Identified {
  Identified(const std::filesystem::path& folder, const std::string& name)
      : certificate((folder / (name + ".pem")).string()), key((folder / (name + ".key")).string()) {
    EVP_PKEY* pair = EVP_EC_gen("P-256");
    X509* made = X509_new();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, pair);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(made, X509_get_subject_name(made));
    X509_sign(made, pair, EVP_sha256());
    write(certificate, 0644, [&](std::FILE* file) { PEM_write_X509(file, made); });
    write(key, 0600, [&](std::FILE* file) { PEM_write_PrivateKey(file, pair, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_free(made);
    EVP_PKEY_free(pair);
  }

  std::string certificate, key;

 private:
  template <class Write>
  static void write(const std::string& path, mode_t mode, Write what) {
    std::FILE* file = fdopen(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode), "w");
    what(file);
    std::fclose(file);
  }
};

using ClientContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

// A client that trusts `server` alone and, when given, shows `own`.
inline ClientContext client_context(const Identified& server, const Identified* own = nullptr) {
  ClientContext context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_load_verify_file(context.get(), server.certificate.c_str());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (own != nullptr) {
    SSL_CTX_use_certificate_file(context.get(), own->certificate.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context.get(), own->key.c_str(), SSL_FILETYPE_PEM);
  }
  return context;
}

}  // namespace plumbline::server::testing
