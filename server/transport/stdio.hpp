// MCP on a pair of file descriptors, one message per line: stdin and stdout, or a pipe pair in tests. The calling thread is the
// reader: it waits in poll() for bytes or for a reason to end, and answers what needs no worker; calls run on the host's
// executor. Nothing but protocol is ever written to `out`.
#pragma once

#include <chrono>

#include "server/mcp/session.hpp"
#include "server/transport/process_end.hpp"

namespace plumbline::server::transport {

struct StdioOptions {
  int in = 0;
  int out = 1;
  bool own_process = true;                // take over signals and watch the parent; false for a pipe pair
  std::chrono::milliseconds drain{5000};  // after the end of input: how long calls under way may still be answered
  std::chrono::milliseconds stop{2000};   // then: how long told-to-stop calls may take to stop
  mcp::SessionOptions session;
};

// Until the input ends, the output is gone, or `end` says so. With own_process a call that does not stop in time does not hold
// the process: it leaves by _exit(0), which is safe because nothing is published but in one atomic step.
void serve_lines(mcp::Host& host, ProcessEnd& end, const StdioOptions& options = {});

}  // namespace plumbline::server::transport
