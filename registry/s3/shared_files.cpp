#include "registry/handed/shared_files.hpp"

#include "registry/s3/client.hpp"

namespace plumbline::registry {

namespace s3 {
namespace {

using core::ErrorCode;
using core::Expected;
using core::fail;

constexpr std::string_view kFolder = ".plumbline-blobs/";

class Files final : public SharedFiles {
 public:
  Files(Settings settings, Environment environment, std::function<bool()> stop)
      : settings_(settings),
        environment_(environment),
        stop_(stop),
        client_(std::move(settings), std::move(environment), std::move(stop)) {}

  Expected<UploadPermit> permit(const std::string& sha256, std::uint64_t bytes, std::chrono::seconds valid) override {
    auto permit = client_.permit_put(key_of(sha256), sha256, bytes, valid);
    if (!permit) return fail(permit.error());
    return UploadPermit{std::move(permit->url), std::move(permit->headers), valid};
  }

  Expected<std::optional<std::uint64_t>> size_of(const std::string& sha256) override { return client_.size_of(key_of(sha256)); }

  core::Status bring(const std::string& sha256, int fd, std::uint64_t at_most, const std::function<bool()>& stop) override {
    Client client(settings_, environment_, [this, &stop] { return (stop && stop()) || (stop_ && stop_()); });
    const auto digest = client.get_to(key_of(sha256), fd, at_most);
    if (!digest) return fail(digest.error());
    if (*digest == sha256) return {};
    return fail(ErrorCode::invalid_input,
                "what the store " + settings_.address.text() + " has as blob:sha256:" + sha256 +
                    " is something else: its SHA-256 is " + *digest,
                "upload it again: PUT /blobs/sha256/HEX");
  }

  void remove(const std::string& sha256) override { client_.remove(key_of(sha256)); }

 private:
  [[nodiscard]] std::string key_of(const std::string& sha256) const {
    return (settings_.address.prefix.empty() ? std::string() : settings_.address.prefix + "/") + std::string(kFolder) + sha256;
  }

  const Settings settings_;
  const Environment environment_;
  const std::function<bool()> stop_;
  Client client_;
};

}  // namespace
}  // namespace s3

core::Expected<std::unique_ptr<SharedFiles>> shared_files(
    const std::string& address, const std::function<std::optional<std::string>(std::string_view)>& environment,
    std::function<bool()> stop) {
  auto settings = s3::settings_of(address, environment);
  if (!settings) return core::fail(settings.error());
  return std::make_unique<s3::Files>(std::move(*settings), environment, std::move(stop));
}

}  // namespace plumbline::registry
