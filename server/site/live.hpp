// Who looks at a page that changes while CI records: a stream of server-sent events each. Every 700 ms, and only while somebody
// looks, the overview is read anew on a worker; a stream is told the new stamp of what it looks at when that is another one, and
// the page's script reads the page again. Nothing of the registry goes over the stream. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/mcp/host.hpp"
#include "server/site/overview.hpp"
#include "server/transport/http/exchange.hpp"

namespace plumbline::server::site {

class Live : public std::enable_shared_from_this<Live> {
 public:
  Live(mcp::Host& host, Overview& overview) : host_(host), overview_(overview.shared_from_this()) {}

  struct Interest {
    std::string scope;  // as Summary::stamp takes it
    std::string stamp;  // that the page has
    std::string who;
  };
  // False when there are too many streams, of all or of that visitor.
  [[nodiscard]] bool add(Interest interest, const std::shared_ptr<transport::http::Exchange>& exchange,
                         const transport::http::Headers& headers);
  // Every stream ends, and no other begins.
  void drain();

 private:
  struct Stream {
    Interest interest;
    std::shared_ptr<transport::http::Exchange> exchange;
    int quiet = 0;  // looks since something was sent
  };
  [[nodiscard]] bool may_add(const std::string& who);
  void tick_later();
  void tick();
  void look();
  void remove(std::uint64_t id);

  mcp::Host& host_;
  const std::shared_ptr<Overview> overview_;
  std::mutex mutex_;
  std::map<std::uint64_t, Stream> streams_;
  std::uint64_t last_ = 0;
  bool ticking_ = false, looking_ = false, draining_ = false;
};

}  // namespace plumbline::server::site
