// The outside world as verbs ask for it: who runs this, on which machine, at which commit, with which helper programs.
// Everything is asked through the call's Context or is a plain system call; absence is an answer, never an error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/files.hpp"
#include "verbs/verb.hpp"

namespace plumbline::registry {
class Store;
}

namespace plumbline::verbs {

// $USER, else $USERNAME, else "(unknown)".
[[nodiscard]] std::string user_name(const Context& context);
[[nodiscard]] std::string host_name();
// The five fields of uname(2), joined by blanks.
[[nodiscard]] std::string uname_text();

struct GitState {
  std::string commit;         // 40 to 64 hexadecimal digits
  std::optional<bool> dirty;  // tracked files differ from the commit; nullopt when git did not say in time
};
// Of the work tree that encloses `root`; nullopt without git, outside a work tree, or when git takes more than a few seconds.
[[nodiscard]] std::optional<GitState> git_state(const std::string& root, const Context& context);

// Absolute path of a program on $PATH (absolute entries only), or nullopt.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name, const Context& context);

// Runs a program without a shell, standard input and error on /dev/null, and gives its output when it exits with 0 in time.
// Past `output_limit` bytes the program is ended and what came so far is given. nullopt when it cannot run, fails or is late.
[[nodiscard]] std::optional<std::string> program_output(const std::vector<std::string>& argv, std::size_t output_limit,
                                                        int milliseconds);

// The call's limits and confinement for the registry's file functions.
[[nodiscard]] registry::PathLimits path_limits(const Context& context);
// Nothing is at an optional file's path. What is there and may not be read is not absent.
[[nodiscard]] bool is_absent(const std::string& path, const registry::PathLimits& limits);
// The registry's root: the verb's repo_root, else the context's, else the environment's (registry::resolve_root); checked
// against the allowed roots.
[[nodiscard]] Expected<std::string> root_of(const Arguments& arguments, const Context& context);
// The same, "" where nothing names one.
[[nodiscard]] Expected<std::string> root_if_any(const Arguments& arguments, const Context& context);

// PLUMBLINE_STORE, or --store, where the root's own file system is meant whatever plumbline.yaml says.
inline constexpr std::string_view kOwnStore = ".";
// What names the store of a root: PLUMBLINE_STORE, which --store sets, else `store` of the root's plumbline.yaml; "": the root's
// own file system.
[[nodiscard]] std::string store_address(const std::string& root, const Context& context);
// That store, within the call's limits, with the user's index of it.
[[nodiscard]] std::unique_ptr<registry::Store> open_store(const std::string& root, const Context& context);
// The file system's own, whatever names another one: for copies of publications and for folders that a call makes for itself.
[[nodiscard]] std::unique_ptr<registry::Store> open_folder_store(const std::string& root, const registry::PathLimits& limits);

// A private folder that is removed with everything in it when this goes.
class ScratchFolder {
 public:
  [[nodiscard]] static Expected<ScratchFolder> make(const Context& context);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace plumbline::verbs
