// Large files on their way to servers whose registry is in a bucket: clients put them there themselves, by their digest, in
// ".plumbline-blobs" beside the registry, with a permit that one of the servers gave. What lies there is believed only as far as
// its digest goes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace plumbline::registry {

inline constexpr std::uint64_t kSharedFileAtMost = 5ULL << 30;  // what S3 takes in one PUT

// For one PUT of one file.
struct UploadPermit {
  std::string url;                                           // with a signature in its query: no log has it
  std::vector<std::pair<std::string, std::string>> headers;  // to be sent as they are, names in lower case
  std::chrono::seconds valid{0};
};

// Any thread. Functions block for as long as the store takes; without credentials or an answer they fail with `environment`.
class SharedFiles {
 public:
  virtual ~SharedFiles() = default;
  [[nodiscard]] virtual core::Expected<UploadPermit> permit(const std::string& sha256, std::uint64_t bytes,
                                                            std::chrono::seconds valid) = 0;
  // Nothing where there is none.
  [[nodiscard]] virtual core::Expected<std::optional<std::uint64_t>> size_of(const std::string& sha256) = 0;
  // Into a new file. invalid_input for what is something else than its name says; limit_exceeded; not_found.
  [[nodiscard]] virtual core::Status bring(const std::string& sha256, int fd, std::uint64_t at_most,
                                           const std::function<bool()>& stop) = 0;
  virtual void remove(const std::string& sha256) = 0;  // as far as it is allowed
};

// `stop` ends every wait: the server is about to end. Errors as of the address.
[[nodiscard]] core::Expected<std::unique_ptr<SharedFiles>> shared_files(
    const std::string& address, const std::function<std::optional<std::string>(std::string_view)>& environment,
    std::function<bool()> stop);

}  // namespace plumbline::registry
