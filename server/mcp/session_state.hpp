// The inside of a Session, in three parts: session.cpp (messages to methods), session_calls.cpp (requests that need a worker,
// from start to answer) and session_listens.cpp (subscriptions). Shared with the calls under way, so that a session may end
// before they do. Included by those three alone.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "server/jsonrpc/reply.hpp"
#include "server/mcp/call.hpp"
#include "server/mcp/errors.hpp"
#include "server/mcp/requests.hpp"
#include "server/mcp/session.hpp"

namespace plumbline::server::mcp {

// One request on its way to its method.
struct Asked {
  const jsonrpc::Message& message;
  Params params;
  Era era;
  ClientCan client;
  std::shared_ptr<Outlet> outlet;
  jsonrpc::ReplyOnce& reply;
  bool in_batch;
};

// A listen of the modern era: a request that is answered when it ends.
struct Listen {
  Listen(jsonrpc::ReplyOnce the_reply, std::shared_ptr<Outlet> the_outlet)
      : reply(std::move(the_reply)), outlet(std::move(the_outlet)) {}
  jsonrpc::ReplyOnce reply;
  std::shared_ptr<Outlet> outlet;
  Hub::Id id = 0;
};

struct Session::State : std::enable_shared_from_this<Session::State> {
  // A client with credentials takes turns as one, however many connections it has. Whoever is on this machine is told apart
  // by connection: all agents of one account would else wait together behind a thousand of another kind.
  [[nodiscard]] std::string turn_of() const;
  State(Host& the_host, SessionOptions the_options) : host(the_host), options(std::move(the_options)) {}

  Host& host;
  const SessionOptions options;
  const std::string turn = turn_of();  // whom the workers know its calls by

  // Of the thread that calls handle().
  std::string legacy_version;  // "" until initialize
  ClientCan legacy_client;
  std::optional<LogLevel> legacy_log = host.server.log_from();

  std::mutex mutex;  // guards everything below, and what a Call says is guarded by the session
  std::condition_variable done;
  std::map<std::string, std::shared_ptr<Call>, std::less<>> calls;    // by id text; a cancelled call's id is free again
  std::map<std::string, std::shared_ptr<Call>, std::less<>> waiting;  // by the id of our question
  std::map<std::string, std::unique_ptr<Listen>, std::less<>> listens;
  std::size_t active = 0;  // calls, cancelled ones that still run included; tasks are not
  std::uint64_t questions = 0;
  std::shared_ptr<Outlet> listener;
  Interest legacy_interest;
  Hub::Id legacy_listen = 0;

  // session.cpp
  void handle(jsonrpc::Message message, jsonrpc::ReplyOnce::Send reply_to, const std::shared_ptr<Outlet>& outlet, bool in_batch);
  void request(const jsonrpc::Message& message, jsonrpc::ReplyOnce& reply, const std::shared_ptr<Outlet>& outlet, bool in_batch);
  void notification(const jsonrpc::Message& message);
  void discover(Asked& asked);
  void initialize(Asked& asked);
  void ping(Asked& asked);
  void set_level(Asked& asked);
  void list_tools(Asked& asked);
  void list_prompts(Asked& asked);
  void list_templates(Asked& asked);
  void list_skills(Asked& asked);
  void get_skill(Asked& asked);

  // session_calls.cpp
  void call_tool(Asked& asked);
  void get_prompt(Asked& asked);
  void list_resources(Asked& asked);
  void read_resource(Asked& asked);
  void complete(Asked& asked);
  void get_task(Asked& asked);
  void update_task(Asked& asked);
  void cancel_task(Asked& asked);
  void start(Asked& asked, MaybeCall request);
  bool prepare(Asked& asked, CallRequest& request);
  void time_limit(const std::shared_ptr<Call>& call, std::chrono::milliseconds limit, std::string_view why);
  void submit(const std::shared_ptr<Call>& call);
  void run(const std::shared_ptr<Call>& call);
  void answer(const std::shared_ptr<Call>& call, const WorkResult& result);
  void ask_again(const std::shared_ptr<Call>& call, const InputRequired& input);
  void ask_client(const std::shared_ptr<Call>& call, const InputRequired& input);
  void answered(const jsonrpc::Message& response);
  void go_on(const std::shared_ptr<Call>& call, const nlohmann::json& answers);
  void become_task(const std::shared_ptr<Call>& call);
  void give_up(const std::shared_ptr<Call>& call, const std::string& why);
  void leave(const std::shared_ptr<Call>& call);
  void forget(const std::shared_ptr<Call>& call);  // mutex held
  void withdraw_questions(const std::shared_ptr<Call>& call);
  void cancel(const std::shared_ptr<Call>& call);
  void audit(Call& call, access::Outcome outcome, std::string_view code, std::size_t bytes) const;

  // session_listens.cpp
  void listen(Asked& asked);
  void subscribe(Asked& asked);
  void unsubscribe(Asked& asked);
  [[nodiscard]] bool end_listen(std::string_view id);
  void end_listens(bool answer);
};

}  // namespace plumbline::server::mcp
