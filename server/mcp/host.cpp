#include "server/mcp/host.hpp"

namespace plumbline::server::mcp {

Host::Host(const Server& the_server, transport::Executor& the_executor, HostOptions the_options)
    : server(the_server),
      executor(the_executor),
      options(std::move(the_options)),
      sealer(options.state_key),
      hub(the_server.catalogue(), the_executor, timers) {
  tasks.on_change([this](const std::string& id, const std::string& members) { hub.publish({Event::Kind::task, id, members}); });
}

// What still runs may use anything of ours.
Host::~Host() {
  tasks.stop_all();
  timers.stop();
  executor.stop();
}

}  // namespace plumbline::server::mcp
