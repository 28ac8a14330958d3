#include "load.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

extern "C" std::atomic<void*> plumbline_late_places[];

namespace {

[[noreturn]] void stop(const std::string& why) {
  const std::string text = "plumbline: " + why + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  _exit(127);  // as the loader does
}

int nothing() { return 0; }

}  // namespace

// Of a library that is already there dlopen only gives the handle, and it is never closed.
extern "C" __attribute__((visibility("hidden"))) void* plumbline_late_find(unsigned long number) {
  const auto& [name, library] = plumbline::late::kCalls[number];
  const char* const file = plumbline::late::kLibraries[library];
  // asio's last act in every program: nobody has to undo what was not done.
  if (std::string_view(name) == "CONF_modules_unload" && dlopen(file, RTLD_LAZY | RTLD_NOLOAD) == nullptr)
    return reinterpret_cast<void*>(&nothing);
  void* const loaded = dlopen(file, RTLD_LAZY);
  if (loaded == nullptr) stop(std::string(dlerror()) + " (on Debian: apt-get install libssl3 libisal2)");
  void* const found = dlsym(loaded, name);
  if (found == nullptr)
    stop(std::string(file) + " has no " + name + ": it is another version than the one that this program was made with");
  plumbline_late_places[number].store(found, std::memory_order_release);
  return found;
}
