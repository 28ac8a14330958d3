#include "verbs/environment.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/spawn.hpp"
#include "core/text.hpp"
#include "registry/cache/place.hpp"
#include "registry/open_store.hpp"
#include "registry/pgindex/indexed_store.hpp"
#include "verbs/resolving/index_address.hpp"
#include "verbs/resolving/project_file.hpp"

namespace plumbline::verbs {
namespace {

constexpr int kGitMilliseconds = 5000;

std::string variable(const Context& context, std::string_view name) {
  if (!context.environment) return {};
  return context.environment(name).value_or(std::string());
}

bool is_commit(std::string_view text) {
  if (text.size() < 40 || text.size() > 64) return false;
  for (const char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) return false;
  }
  return true;
}

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

enum class Reading : std::uint8_t { finished, full, late };

Reading read_all(int fd, std::string& output, std::size_t output_limit, std::int64_t deadline) {
  std::array<char, 4096> buffer;
  for (;;) {
    const std::int64_t left = deadline - milliseconds_now();
    if (left <= 0) return Reading::late;
    pollfd waiting{fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Reading::late;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Reading::finished;
    output.append(buffer.data(), static_cast<std::size_t>(got));
    if (output.size() >= output_limit) return Reading::full;
  }
}

}  // namespace

std::string user_name(const Context& context) {
  for (const std::string_view name : {"USER", "USERNAME"}) {
    if (auto user = variable(context, name); !user.empty()) return user;
  }
  return "(unknown)";
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "(unknown)";
  return name.data();
}

std::string uname_text() {
  utsname names{};
  if (::uname(&names) != 0) return "(unknown)";
  std::string text;
  for (const char* field : {names.sysname, names.nodename, names.release, names.version, names.machine}) {
    if (!text.empty()) text += ' ';
    text += field;
  }
  return text;
}

std::optional<std::string> find_program(std::string_view name, const Context& context) {
  const std::string path = variable(context, "PATH");
  for (const auto folder : core::split(path, ':')) {
    if (folder.empty() || folder.front() != '/') continue;  // a relative entry would run whatever lies in the working directory
    std::string candidate = std::string(folder) + "/" + std::string(name);
    struct stat info {};
    if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

std::optional<std::string> program_output(const std::vector<std::string>& argv, std::size_t output_limit, int milliseconds) {
  std::array<int, 2> ends{};
  if (argv.empty() || ::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  base::Descriptor reading(ends[0]), writing(ends[1]);
  pid_t child = -1;
  if (base::spawn({.argv = argv, .out = writing.get()}, child) != 0) return std::nullopt;
  writing.reset();

  std::string output;
  const Reading end = read_all(reading.get(), output, output_limit, milliseconds_now() + milliseconds);
  reading.reset();
  if (end != Reading::finished) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (end == Reading::late) return std::nullopt;
  if (end == Reading::full) return output;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return output;
}

namespace {

// Git reads where the repository's own files send it. For a confined call it is asked of a repository only that stands
// whole inside the allowed roots: no pointer to another one, none found further up.
bool repository_is_confined(std::string folder, const registry::PathLimits& limits) {
  using registry::PathKind;
  for (; registry::path_kind(folder, limits) == PathKind::folder; folder = folder.substr(0, folder.rfind('/'))) {
    const auto kind = registry::path_kind(folder + "/.git", limits);
    if (kind) return kind == PathKind::folder && !registry::path_kind(folder + "/.git/commondir", limits);
  }
  return false;
}

}  // namespace

std::optional<GitState> git_state(const std::string& root, const Context& context) {
  const auto git = find_program("git", context);
  if (!git) return std::nullopt;
  if (!context.allowed_roots.empty() && !repository_is_confined(root, path_limits(context))) return std::nullopt;
  // HEAD must name a commit that is there: a HEAD that is a link to some file of hexadecimal digits names none.
  const auto head =
      program_output({*git, "-C", root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, 4096, kGitMilliseconds);
  if (!head) return std::nullopt;
  GitState state{std::string(core::trim(*head)), std::nullopt};
  if (!is_commit(state.commit)) return std::nullopt;
  // One byte of output is the answer. Untracked files do not count: what we record lies in the tree ourselves. No optional
  // locks, so that the index is not touched; no fsmonitor, which is a program named by the tree's own configuration.
  const auto changes = program_output(
      {*git, "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", root, "status", "--porcelain", "--untracked-files=no"}, 1,
      kGitMilliseconds);
  if (changes) state.dirty = !changes->empty();
  return state;
}

registry::PathLimits path_limits(const Context& context) {
  registry::PathLimits limits;
  limits.bytes = context.limits.input_bytes;
  limits.files = context.limits.files;
  limits.allowed_roots = context.allowed_roots;
  limits.stop = [&context] { return context.stop_asked(); };
  return limits;
}

bool is_absent(const std::string& path, const registry::PathLimits& limits) {
  return registry::check_allowed(path, limits) && !registry::path_kind(path, limits);
}

namespace {

std::optional<std::string> asked_root(const Arguments& arguments, const Context& context) {
  return arguments.has("repo_root") ? arguments.text("repo_root") : context.repo_root;
}

// Where a store is named, the root is only where the project's own files are looked for.
bool names_store(const Context& context) {
  const std::string named = variable(context, "PLUMBLINE_STORE");
  return !named.empty() && named != kOwnStore;
}

// `store` at the top of plumbline.yaml. The file is read as YAML only where it may have one.
std::string store_of_project(const std::string& root, const Context& context) {
  registry::PathLimits limits = path_limits(context);
  limits.bytes = 4U << 20U;
  const std::string path = project_file_path(root);
  if (is_absent(path, limits)) return {};
  const auto bytes = registry::read_file(path, limits);
  if (!bytes || ("\n" + std::string(bytes->view())).find("\nstore:") == std::string::npos) return {};
  return read_rules(std::string(bytes->view())).file.store;
}

}  // namespace

Expected<std::string> root_of(const Arguments& arguments, const Context& context) {
  if (!names_store(context))
    return registry::resolve_root(asked_root(arguments, context), context.cwd, context.environment, path_limits(context));
  return root_if_any(arguments, context);
}

Expected<std::string> root_if_any(const Arguments& arguments, const Context& context) {
  auto root = registry::find_root(asked_root(arguments, context), context.cwd, context.environment, path_limits(context));
  if (!root) return core::fail(std::move(root.error()));
  if (!*root && names_store(context)) return registry::absolute_path(context.cwd, "", path_limits(context));
  return root->value_or(std::string());
}

std::string store_address(const std::string& root, const Context& context) {
  if (auto named = variable(context, "PLUMBLINE_STORE"); !named.empty()) return named == kOwnStore ? std::string() : named;
  return root.empty() ? std::string() : store_of_project(root, context);
}

std::unique_ptr<registry::Store> open_store(const std::string& root, const Context& context) {
  auto store = registry::open_store({root, store_address(root, context), path_limits(context),
                                     registry::cache::folder(context.environment), context.environment});
  const std::string address = index_address(root, context);
  if (address.empty()) return store;
  // An index is of a store, and not of the folder that somebody stands in while he asks it.
  const std::string origin = registry::identity_of(*store, context.environment);
  if (origin.empty()) return store;
  return registry::pgindex::with_index(std::move(store), registry::pgindex::index_at(address, origin));
}

std::unique_ptr<registry::Store> open_folder_store(const std::string& root, const registry::PathLimits& limits) {
  return registry::open_store({root, {}, limits, {}, {}});
}

namespace {

constexpr std::string_view kScratchPrefix = "plumbline-scratch-";
constexpr std::time_t kScratchAgeS = 600;

// Whoever has a scratch folder holds it locked, which ends with the process however that ends, whatever namespace it is in.
class HeldFolders {
 public:
  void hold(const std::string& path) {
    base::Descriptor folder = locked(path);
    const std::lock_guard guard(mutex_);
    if (folder.valid()) held_.insert_or_assign(path, std::move(folder));
  }
  void let_go(const std::string& path) {
    const std::lock_guard guard(mutex_);
    held_.erase(path);
  }
  // Invalid where somebody else holds it.
  static base::Descriptor locked(const std::string& path) {
    base::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.valid() && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) folder.reset();
    return folder;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, base::Descriptor> held_;
};

HeldFolders& held_folders() {
  static HeldFolders folders;
  return folders;
}

// What a process that was killed could not remove: ours by name and owner, held by nobody, and not of this moment, so that none
// is taken between its making and its lock.
void remove_stale_scratch(const std::string& base) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(base, error)) {
    if (!entry.path().filename().string().starts_with(kScratchPrefix)) continue;
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) continue;
    if (info.st_mtim.tv_sec + kScratchAgeS > std::time(nullptr)) continue;
    if (!HeldFolders::locked(entry.path().string()).valid()) continue;
    std::error_code ignored;
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Expected<ScratchFolder> ScratchFolder::make(const Context& context) {
  std::string base = variable(context, "TMPDIR");
  if (base.empty() || base.front() != '/') base = "/tmp";
  static std::once_flag swept;
  std::call_once(swept, remove_stale_scratch, base);
  std::string path = base + "/" + std::string(kScratchPrefix) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return core::fail(ErrorCode::environment, std::string("cannot make a temporary folder: ") + std::strerror(errno),
                      "set TMPDIR to a folder that can be written", base);
  }
  held_folders().hold(path);
  return ScratchFolder(std::move(path));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  held_folders().let_go(path_);
}

}  // namespace plumbline::verbs
