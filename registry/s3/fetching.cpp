#include "registry/s3/fetching.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "registry/io.hpp"
#include "registry/s3/client.hpp"

namespace plumbline::registry::s3 {

using core::ErrorCode;
using core::Expected;
using core::fail;

namespace {

constexpr std::size_t kObjectsAtMost = 100'000;

struct Wanted {
  std::string key, path;
};

core::Status make_folders(const std::string& above, const std::string& path) {
  for (auto slash = path.find('/', above.size() + 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
      return fail(io::write_error(std::string(io::base_of(folder)), std::string(io::parent_of(folder)), errno));
  }
  return {};
}

core::Status bring(Client& client, const Wanted& wanted, const std::string& folder, std::uint64_t at_most) {
  if (auto made = make_folders(folder, wanted.path); !made) return made;
  io::Descriptor fd(::open(wanted.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400));
  if (!fd.valid()) return fail(io::write_error(std::string(io::base_of(wanted.path)), folder, errno));
  if (const auto digest = client.get_to(wanted.key, fd.get(), at_most); !digest) return fail(digest.error());
  if (const int error = fd.close_checked(); error != 0)
    return fail(io::write_error(std::string(io::base_of(wanted.path)), folder, error));
  return {};
}

}  // namespace

Expected<Fetched> fetch(const std::string& address, const std::string& folder, const Environment& environment,
                        const PathLimits& limits) {
  auto settings = settings_of(address, environment);
  if (!settings) return fail(settings.error());
  const Address place = settings->address;
  Client client(std::move(*settings), environment, limits.stop);
  const std::string inside = place.prefix.empty() ? std::string() : place.prefix + "/";
  std::vector<Wanted> wanted;
  bool is_object = false;
  std::string token;
  do {
    auto page = client.list(place.prefix, {}, {}, token);
    if (!page) return fail(page.error());
    for (std::string& key : page->keys) {
      if (key.ends_with('/')) continue;  // what some tools make in place of a folder
      if (key == place.prefix) {
        is_object = true;
        wanted = {{key, io::join(folder, std::string(io::base_of(key)))}};
        break;
      }
      if (!key.starts_with(inside)) continue;  // a neighbour: "rank10" of "rank1"
      const std::string below = key.substr(inside.size());
      if (!check_relative_name(below)) {
        return fail(ErrorCode::usage,
                    "the object " + core::cited(key) + " in s3://" + place.bucket + " has a name that is no path",
                    "copy what is wanted to a prefix of its own", address);
      }
      if (wanted.size() == kObjectsAtMost) {
        return fail(ErrorCode::limit_exceeded, "more than 100,000 objects lie below " + core::cited(address),
                    "name a prefix that holds the digests alone", address);
      }
      wanted.push_back({std::move(key), io::join(folder, below)});
    }
    token = page->next;
  } while (!token.empty() && !is_object);
  if (wanted.empty()) {
    return fail(ErrorCode::not_found, "nothing lies at " + core::cited(address),
                "`aws s3 ls " + place.text() + "/` or `s3cmd ls` shows what is there", address);
  }
  auto brought =
      in_parallel(wanted.size(), [&](std::size_t i) -> core::Status { return bring(client, wanted[i], folder, limits.bytes); });
  if (!brought) return fail(brought.error());
  return Fetched{is_object ? wanted.front().path : folder, wanted.size()};
}

}  // namespace plumbline::registry::s3
