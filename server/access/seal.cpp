#include "server/access/seal.hpp"

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <string.h>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

#include "core/citing.hpp"
#include "server/access/base64url.hpp"
#include "server/access/small_file.hpp"

namespace plumbline::server::access {
namespace {

using core::ErrorCode;

// version (1) | nonce (12) | encrypted: expiry in ms (8), payload | tag (16)
constexpr char kVersion = 1;
constexpr std::size_t kNonce = 12;
constexpr std::size_t kExpiry = 8;
constexpr std::size_t kTag = 16;
constexpr std::size_t kHead = 1 + kNonce;
constexpr std::size_t kMostBytes = kHead + kExpiry + Sealer::kPayloadBytes + kTag;

void draw(unsigned char* bytes, std::size_t count) {
  if (RAND_bytes(bytes, static_cast<int>(count)) != 1) throw std::runtime_error("the system gives no random numbers");
}

unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

void append_number(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 255);
}

std::uint64_t number_at(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::int64_t milliseconds_of(Sealer::Time time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const EVP_CIPHER* method() {
  static const EVP_CIPHER* gcm = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
  return gcm;
}

// Started with key, nonce and what is authenticated without being encrypted: version and binding.
Context start(bool encrypt, const unsigned char* key, const unsigned char* nonce, std::string_view binding) {
  Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  int size = 0;
  const auto* version = reinterpret_cast<const unsigned char*>(&kVersion);
  if (!context || EVP_CipherInit_ex2(context.get(), method(), key, nonce, encrypt ? 1 : 0, nullptr) != 1 ||
      EVP_CipherUpdate(context.get(), nullptr, &size, version, 1) != 1 ||
      EVP_CipherUpdate(context.get(), nullptr, &size, raw(binding), static_cast<int>(binding.size())) != 1) {
    throw std::bad_alloc();  // no memory, or a crypto library without AES: nothing sensible to go on with
  }
  return context;
}

tl::unexpected<core::Error> refuse(std::string message) {
  return core::fail(ErrorCode::invalid_input, std::move(message), "make the call again without requestState", "requestState");
}

}  // namespace

std::string random_token(std::size_t bytes) {
  std::string noise(bytes, '\0');
  draw(raw(noise), bytes);
  return base64url(noise);
}

std::string binding_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    append_number(text, part.size());
    text += part;
  }
  return text;
}

Sealer::Sealer(const std::optional<Key>& key) {
  if (key) std::call_once(drawn_, [&] { key_ = *key; });
}
// OpenSSL may never have been loaded, and is not for this.
Sealer::~Sealer() { ::explicit_bzero(key_.data(), key_.size()); }

const Sealer::Key& Sealer::key() const {
  std::call_once(drawn_, [this] { draw(key_.data(), key_.size()); });
  return key_;
}

core::Expected<Sealer::Key> Sealer::read_key(const std::string& path) {
  auto text = read_small_file(path, Privacy::secret);
  if (!text) return core::fail(std::move(text.error()));
  if (text->size() < kKeyFileBytes) {
    return core::fail(ErrorCode::invalid_input,
                      fmt::format("{} has {} bytes, a key needs {}", core::cited(path), text->size(), kKeyFileBytes),
                      "`openssl rand -hex 32 > FILE` makes one");
  }
  Key key{};
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.InnerPointer): nothing has changed the text since it was read
  const bool digested = EVP_Digest(text->data(), text->size(), key.data(), nullptr, EVP_sha256(), nullptr) == 1;
  OPENSSL_cleanse(text->data(), text->size());
  if (!digested) throw std::bad_alloc();
  return key;
}

core::Expected<std::string> Sealer::seal(std::string_view payload, std::string_view binding, Time now,
                                         std::chrono::milliseconds ttl) const {
  if (payload.size() > kPayloadBytes) {
    return core::fail(ErrorCode::limit_exceeded, fmt::format("the state between two rounds has {} bytes, at most {} are kept",
                                                             payload.size(), kPayloadBytes));
  }
  std::string plain;
  plain.reserve(kExpiry + payload.size());
  append_number(plain, static_cast<std::uint64_t>(milliseconds_of(now + ttl)));
  plain += payload;

  std::string sealed(kHead + plain.size() + kTag, kVersion);
  draw(raw(sealed) + 1, kNonce);
  const Context context = start(true, key().data(), raw(sealed) + 1, binding);
  int size = 0;
  unsigned char* at = raw(sealed) + kHead;
  if (EVP_CipherUpdate(context.get(), at, &size, raw(std::string_view(plain)), static_cast<int>(plain.size())) != 1 ||
      EVP_CipherFinal_ex(context.get(), at + size, &size) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTag, at + plain.size()) != 1) {
    throw std::bad_alloc();
  }
  return base64url(sealed);
}

core::Expected<std::string> Sealer::open(std::string_view text, std::string_view binding, Time now) const {
  const auto malformed = [] { return refuse("requestState is not one that this server gave out"); };
  if (text.size() > (kMostBytes * 4 + 2) / 3) return malformed();
  auto sealed = from_base64url(text);
  if (!sealed || sealed->size() < kHead + kExpiry + kTag || sealed->front() != kVersion) return malformed();

  std::string plain(sealed->size() - kHead - kTag, '\0');
  unsigned char* bytes = raw(*sealed);
  const Context context = start(false, key().data(), bytes + 1, binding);
  int size = 0;
  int rest = 0;
  const bool authentic = EVP_CipherUpdate(context.get(), raw(plain), &size, bytes + kHead, static_cast<int>(plain.size())) == 1 &&
                         EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTag, bytes + kHead + plain.size()) == 1 &&
                         EVP_CipherFinal_ex(context.get(), raw(plain) + size, &rest) == 1;
  if (!authentic) ERR_clear_error();  // TLS on this thread would take it for its own
  if (!authentic) return refuse("requestState was changed, or belongs to another call or caller");
  if (milliseconds_of(now) >= static_cast<std::int64_t>(number_at(plain))) return refuse("requestState has expired");
  return plain.substr(kExpiry);
}

}  // namespace plumbline::server::access
