#include <openssl/evp.h>

#include <cstdlib>
#include <new>

#include "registry/files.hpp"

namespace plumbline::registry {
namespace {

// Fetched once: looking the algorithm up by name costs more than hashing a small file.
const EVP_MD* sha256_method() {
  static const EVP_MD* method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() {
    // Without memory or without SHA-256 in the crypto library there is nothing sensible to go on with.
    if (context == nullptr || EVP_DigestInit_ex2(context, sha256_method(), nullptr) != 1) throw std::bad_alloc();
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) { EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()); }

Sha256 Sha256::copy() const {
  Sha256 other;
  if (EVP_MD_CTX_copy_ex(other.state_->context, state_->context) != 1) throw std::bad_alloc();
  return other;
}

std::string Sha256::hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->context, digest, &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2UL * size);
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

bool is_sha256_hex(std::string_view text) {
  if (text.size() != 64) return false;
  for (const char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

}  // namespace plumbline::registry
