// What systemd, or whatever starts services as it does, hands to a server and wants to be told: sockets that listen already
// (sd_listen_fds(3)), so that a restart loses no connection, and when the server is ready, reads its files again, or ends
// (sd_notify(3)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::server {

struct PassedSocket {
  int fd = -1;
  std::string name;  // FileDescriptorName= of the socket's unit
};

// What was handed to this process; the variables of the environment are gone afterwards, so that no program that is run takes
// them for its own. Nothing when they name another process.
[[nodiscard]] core::Expected<std::vector<PassedSocket>> passed_sockets();

// Tells what stands behind NOTIFY_SOCKET; nothing happens where that is not set, and nothing is waited for.
class ServiceManager {
 public:
  ServiceManager();
  void ready(std::string_view status) const;
  void reloading() const;
  void stopping() const;

 private:
  void tell(std::string_view text) const;
  std::string address_;
};

}  // namespace plumbline::server
