// A library opened at run time, closed when its owner goes.
#pragma once

#include <dlfcn.h>

namespace plumbline::machine {

class SharedLibrary {
 public:
  explicit SharedLibrary(const char* file) : handle_(::dlopen(file, RTLD_NOW | RTLD_LOCAL)) {}
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  ~SharedLibrary() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
  // Null where the library has no such function: older ones have fewer.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

 private:
  void* handle_;
};

}  // namespace plumbline::machine
