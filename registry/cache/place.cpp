#include "registry/cache/place.hpp"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "registry/io.hpp"

namespace plumbline::registry::cache {
namespace {

// statfs(2) and the kernels' or clients' own sources.
constexpr std::array<std::uint32_t, 15> kNetworks = {
    0x6969,      // NFS
    0x517B,      // SMB
    0xFE534D42,  // SMB2
    0xFF534D42,  // CIFS
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x00C36400,  // Ceph
    0x65735546,  // FUSE: sshfs, glusterfs, s3fs; a local one loses a cache, no more
    0x19830326,  // BeeGFS
    0x5346414F,  // AFS
    0x73757245,  // Coda
    0x01161970,  // GFS2
    0x7461636F,  // OCFS2
    0x01021997,  // 9p
    0x013111A8,  // IBRIX
};

}  // namespace

std::string folder(const std::function<std::optional<std::string>(std::string_view)>& environment) {
  const auto variable = [&](std::string_view name) {
    return environment ? environment(name).value_or(std::string()) : std::string();
  };
  const auto absolute = [](const std::string& path) { return path.starts_with('/'); };
  if (const std::string chosen = variable("PLUMBLINE_CACHE_DIR"); !chosen.empty())
    return absolute(chosen) ? chosen : std::string();
  std::string path;
  if (const std::string caches = variable("XDG_CACHE_HOME"); absolute(caches)) {
    path = io::join(caches, "plumbline");
  } else if (const std::string home = variable("HOME"); absolute(home)) {
    path = io::join(home, ".cache/plumbline");
  }
  return path.empty() || on_network(path) ? std::string() : path;
}

bool on_network(const std::string& path) {
  for (std::string here = path;; here = std::string(io::parent_of(here))) {
    struct statfs info {};
    if (::statfs(here.c_str(), &info) == 0) {
      const auto magic = static_cast<std::uint32_t>(info.f_type);
      return std::find(kNetworks.begin(), kNetworks.end(), magic) != kNetworks.end();
    }
    if (here == "/" || here.empty()) return false;
  }
}

std::string file(const std::string& folder, const std::string& root) {
  return io::join(folder, "index-3-" + sha256_hex(root).substr(0, 32) + ".sqlite");
}

}  // namespace plumbline::registry::cache
