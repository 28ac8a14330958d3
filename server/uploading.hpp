// The server as serve() of server.hpp, which also takes uploads from clients on other machines (blobs/).
#pragma once

#include <chrono>
#include <string>

#include "server/blobs/settings.hpp"
#include "server/server.hpp"

namespace plumbline::server {

struct UploadOptions {
  std::string folder;  // "" = .plumbline-blobs in the root
  blobs::Quota quota;
  std::chrono::seconds ttl{24 * 60 * 60};
  bool direct = true;  // large ones go straight to the registry's bucket, where it is in one
};

[[nodiscard]] core::Expected<int> serve(ServeOptions options, ServingOptions serving, UploadOptions uploads);

}  // namespace plumbline::server
