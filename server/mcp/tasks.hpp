// The tasks extension (io.modelcontextprotocol/tasks, SEP-2663): calls that outlast the request that began them. The store
// knows a task's public face and whom it belongs to; what runs behind it is reached through TaskControl. Bounded in number and
// in time; ids are unguessable, and a task of another principal does not exist. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "server/jsonrpc/message.hpp"

namespace plumbline::server::mcp {

// The call behind a task. Called without a lock of the store's.
struct TaskControl {
  std::function<void()> cancel;
  // inputResponses of tasks/update; an error when one of them does not answer what was asked.
  std::function<tl::expected<void, jsonrpc::RpcError>(const nlohmann::json& responses)> answer;
};

class TaskStore {
 public:
  using Now = std::function<std::chrono::system_clock::time_point()>;
  // Tells of every change: the task's id and the JSON members that tasks/get would give.
  using Changed = std::function<void(const std::string& id, const std::string& members)>;

  explicit TaskStore(
      Now now = [] { return std::chrono::system_clock::now(); }, std::size_t most = 256)
      : now_(std::move(now)), most_(most) {}
  void on_change(Changed changed) { changed_ = std::move(changed); }

  // The new task's id; nothing when there are too many that still work.
  [[nodiscard]] std::optional<std::string> create(const std::string& owner, TaskControl control);
  // JSON members of CreateTaskResult, which never carries a result, even when there is one by now, and of tasks/get.
  [[nodiscard]] std::string created(const std::string& id) const;
  [[nodiscard]] tl::expected<std::string, jsonrpc::RpcError> get(const std::string& owner, std::string_view id);
  [[nodiscard]] tl::expected<void, jsonrpc::RpcError> update(const std::string& owner, std::string_view id,
                                                             const nlohmann::json& responses);
  [[nodiscard]] tl::expected<void, jsonrpc::RpcError> cancel(const std::string& owner, std::string_view id);
  [[nodiscard]] bool known(const std::string& owner, std::string_view id);

  // It never was; nobody has been told of it.
  void discard(const std::string& id);

  // Tells everything that still works to stop.
  void stop_all();

  // What the call behind it has to say. Nothing happens to a task that has ended.
  void message(const std::string& id, std::string_view text);
  void ask(const std::string& id, std::string input_requests);
  void go_on(const std::string& id);
  void complete(const std::string& id, std::string result);
  void fail(const std::string& id, const jsonrpc::RpcError& error);

 private:
  enum class State { working, input_required, completed, cancelled, failed };
  struct Task {
    std::string owner;
    TaskControl control;
    State state = State::working;
    std::string status_message;
    std::string payload;  // JSON member with its comma: result, error or inputRequests
    std::chrono::system_clock::time_point created, updated;
  };
  using Tasks = std::map<std::string, Task, std::less<>>;

  [[nodiscard]] Tasks::iterator find(const std::string& owner, std::string_view id);
  [[nodiscard]] static std::string face(const std::string& id, const Task& task);
  [[nodiscard]] static std::string members(const std::string& id, const Task& task);
  void drop_old();
  void change(const std::string& id, const std::function<void(Task&)>& apply);

  Now now_;
  std::size_t most_;
  Changed changed_;
  mutable std::mutex mutex_;
  Tasks tasks_;
};

}  // namespace plumbline::server::mcp
