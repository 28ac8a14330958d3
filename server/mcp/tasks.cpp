#include "server/mcp/tasks.hpp"

#include <fmt/core.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/text.hpp"
#include "server/access/seal.hpp"

namespace plumbline::server::mcp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLives{3'600'000};  // from its creation, and never less than kKeeps after its end
constexpr milliseconds kKeeps{600'000};
constexpr milliseconds kPoll{1000};

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto since = time.time_since_epoch();
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since);
  const auto millis = std::chrono::duration_cast<milliseconds>(since - whole).count();
  const std::time_t seconds = whole.count();
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
                     utc.tm_min, utc.tm_sec, millis);
}

jsonrpc::RpcError unknown_task(std::string_view id) {
  return {jsonrpc::kInvalidParams,
          fmt::format("unknown task {}: it never was, belongs to another client, or its time is over",
                      core::quoted(jsonrpc::shortened(id))),
          ""};
}

}  // namespace

std::optional<std::string> TaskStore::create(const std::string& owner, TaskControl control) {
  const std::lock_guard lock(mutex_);
  drop_old();
  if (tasks_.size() >= most_) {
    // The one that ended first makes room; work never does.
    auto oldest = tasks_.end();
    for (auto at = tasks_.begin(); at != tasks_.end(); ++at) {
      const bool ended = at->second.state != State::working && at->second.state != State::input_required;
      if (ended && (oldest == tasks_.end() || at->second.updated < oldest->second.updated)) oldest = at;
    }
    if (oldest == tasks_.end()) return std::nullopt;
    tasks_.erase(oldest);
  }
  std::string id = access::random_token(24);
  Task task;
  task.owner = owner;
  task.control = std::move(control);
  task.created = task.updated = now_();
  tasks_.emplace(id, std::move(task));
  return id;
}

std::string TaskStore::created(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto at = tasks_.find(id);
  return at == tasks_.end() ? std::string() : face(id, at->second);
}

tl::expected<std::string, jsonrpc::RpcError> TaskStore::get(const std::string& owner, std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto at = find(owner, id);
  if (at == tasks_.end()) return tl::unexpected(unknown_task(id));
  return members(at->first, at->second);
}

bool TaskStore::known(const std::string& owner, std::string_view id) {
  const std::lock_guard lock(mutex_);
  return find(owner, id) != tasks_.end();
}

tl::expected<void, jsonrpc::RpcError> TaskStore::update(const std::string& owner, std::string_view id,
                                                        const nlohmann::json& responses) {
  std::function<tl::expected<void, jsonrpc::RpcError>(const nlohmann::json&)> answer;
  {
    const std::lock_guard lock(mutex_);
    const auto at = find(owner, id);
    if (at == tasks_.end()) return tl::unexpected(unknown_task(id));
    if (at->second.state == State::input_required) answer = at->second.control.answer;
  }
  return answer ? answer(responses) : tl::expected<void, jsonrpc::RpcError>();
}

tl::expected<void, jsonrpc::RpcError> TaskStore::cancel(const std::string& owner, std::string_view id) {
  std::function<void()> stop;
  std::string key;
  {
    const std::lock_guard lock(mutex_);
    const auto at = find(owner, id);
    if (at == tasks_.end()) return tl::unexpected(unknown_task(id));
    stop = at->second.control.cancel;
    key = at->first;
  }
  change(key, [](Task& task) {
    task.state = State::cancelled;
    task.status_message = "cancelled by the client";
    task.payload.clear();
    task.control = {};
  });
  if (stop) stop();
  return {};
}

void TaskStore::stop_all() {
  std::vector<std::function<void()>> stops;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, task] : tasks_) {
      if (task.control.cancel) stops.push_back(task.control.cancel);
    }
  }
  for (const auto& stop : stops) stop();
}

void TaskStore::discard(const std::string& id) {
  TaskControl former;  // what it owns is let go outside the lock
  const std::lock_guard lock(mutex_);
  if (auto task = tasks_.extract(id); !task.empty()) former = std::move(task.mapped().control);
}

void TaskStore::message(const std::string& id, std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto at = tasks_.find(id);
  if (at != tasks_.end() && at->second.state == State::working) at->second.status_message = jsonrpc::shortened(text, 256);
}

void TaskStore::ask(const std::string& id, std::string input_requests) {
  change(id, [&](Task& task) {
    task.state = State::input_required;
    task.payload = ",\"inputRequests\":" + input_requests;
  });
}

void TaskStore::go_on(const std::string& id) {
  change(id, [](Task& task) {
    task.state = State::working;
    task.payload.clear();
  });
}

void TaskStore::complete(const std::string& id, std::string result) {
  change(id, [&](Task& task) {
    task.state = State::completed;
    task.payload = ",\"result\":" + result;
    task.control = {};
  });
}

void TaskStore::fail(const std::string& id, const jsonrpc::RpcError& error) {
  change(id, [&](Task& task) {
    task.state = State::failed;
    task.status_message = jsonrpc::shortened(error.message, 256);
    task.payload = ",\"error\":" + jsonrpc::error_object(error);
    task.control = {};
  });
}

TaskStore::Tasks::iterator TaskStore::find(const std::string& owner, std::string_view id) {
  drop_old();
  const auto at = tasks_.find(id);
  return at != tasks_.end() && at->second.owner == owner ? at : tasks_.end();
}

std::string TaskStore::face(const std::string& id, const Task& task) {
  static constexpr std::string_view kNames[] = {"working", "input_required", "completed", "cancelled", "failed"};
  std::string out = fmt::format(R"("taskId":"{}","status":"{}")", id, kNames[static_cast<std::size_t>(task.state)]);
  if (!task.status_message.empty()) out.append(R"(,"statusMessage":)").append(core::quoted(task.status_message));
  out += fmt::format(R"(,"createdAt":"{}","lastUpdatedAt":"{}","ttlMs":{},"pollIntervalMs":{})", time_text(task.created),
                     time_text(task.updated), kLives.count(), kPoll.count());
  return out;
}

std::string TaskStore::members(const std::string& id, const Task& task) { return face(id, task) + task.payload; }

void TaskStore::drop_old() {
  const auto now = now_();
  std::erase_if(tasks_, [&](const auto& item) {
    const Task& task = item.second;
    const bool ended = task.state != State::working && task.state != State::input_required;
    return ended && now - task.created > kLives && now - task.updated > kKeeps;
  });
}

void TaskStore::change(const std::string& id, const std::function<void(Task&)>& apply) {
  std::string now_said;
  TaskControl former;  // what it owns is let go outside the lock
  {
    const std::lock_guard lock(mutex_);
    const auto at = tasks_.find(id);
    if (at == tasks_.end()) return;
    Task& task = at->second;
    if (task.state != State::working && task.state != State::input_required) return;
    former = task.control;
    apply(task);
    task.updated = now_();
    now_said = members(id, task);
  }
  if (changed_) changed_(id, now_said);
}

}  // namespace plumbline::server::mcp
