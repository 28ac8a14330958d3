// What a program that is linked with its C library must not do: open shared libraries. They bring the C library of the machine
// along, another one than that in the program, and two of them in one process end in a crash. The linker sends these calls here
// (--wrap).
#include <netdb.h>
#include <nss.h>

#include <mutex>

extern "C" {

int __real_getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result);

// Callers tell from null that a library is absent, and all of them can do without it.
void* __wrap_dlopen(const char* /*file*/, int /*mode*/) { return nullptr; }
char* __wrap_dlerror() {
  static char text[] = "this is the static build, which opens no shared libraries";
  return text;
}

// Names are looked up in /etc/hosts and by DNS, which are part of the C library. Other ways that /etc/nsswitch.conf may name are
// plugins.
int __wrap_getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  static std::once_flag once;
  std::call_once(once, [] {
    __nss_configure_lookup("hosts", "files dns");
    __nss_configure_lookup("services", "files");
  });
  return __real_getaddrinfo(node, service, hints, result);
}
}
