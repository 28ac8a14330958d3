#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "registry/confine.hpp"
#include "registry/files.hpp"
#include "registry/handed/handed.hpp"
#include "registry/io.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

// Python's order of paths: by components, so that "a/x" comes before "a-b" and "a.txt". With '/' as the lowest byte the
// joined text compares the same way.
bool before(const SourceFile& a, const SourceFile& b) {
  return std::lexicographical_compare(a.relative.begin(), a.relative.end(), b.relative.begin(), b.relative.end(),
                                      [](char x, char y) {
                                        const int left = x == '/' ? -1 : static_cast<unsigned char>(x);
                                        const int right = y == '/' ? -1 : static_cast<unsigned char>(y);
                                        return left < right;
                                      });
}

class Walk {
 public:
  Walk(Source& source, const PathLimits& limits) : source_(source), limits_(limits) {}

  core::Status folder(int fd, const std::string& relative, std::uint32_t depth) {
    const std::string path = relative.empty() ? source_.path : io::join(source_.path, relative);
    if (depth > limits_.depth) {
      return fail(ErrorCode::limit_exceeded, path + " lies more than " + std::to_string(limits_.depth) + " folders deep", {},
                  path);
    }
    const auto names = io::list_folder(fd, path, static_cast<std::size_t>(limits_.files) * 2);
    if (!names) return fail(names.error());
    if (names->empty() && !relative.empty()) source_.skipped.push_back(relative + " (an empty folder)");
    for (const auto& name : *names) {
      if (limits_.stop && limits_.stop()) return fail(ErrorCode::cancelled, "stopped while reading " + path, {}, path);
      const std::string inner = relative.empty() ? name.name : relative + "/" + name.name;
      if (S_ISDIR(name.type) && is_closed_folder(io::join(source_.path, inner))) continue;
      if (S_ISDIR(name.type)) {
        const io::Descriptor next(::openat(fd, name.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next.valid()) return fail(io::read_error(io::join(source_.path, inner), errno));
        if (auto done = folder(next.get(), inner, depth + 1); !done) return done;
      } else if (auto done = file(fd, name, inner); !done) {
        return done;
      }
    }
    return {};
  }

 private:
  core::Status file(int fd, const io::Name& name, const std::string& relative) {
    struct stat info {};
    const std::string path = io::join(source_.path, relative);
    const bool link = S_ISLNK(name.type);
    if (link && !limits_.allowed_roots.empty()) {
      const auto target = io::look_at(path, limits_);
      const auto code = target ? ErrorCode::internal : target.error().code;
      if (code == ErrorCode::path_not_allowed || code == ErrorCode::environment) return fail(target.error());
      if (!target) {
        const bool loop = target.error().code == ErrorCode::invalid_input;
        source_.skipped.push_back(relative + (loop ? " (a loop of links)" : " (a link to nothing)"));
        return {};
      }
      info = *target;
    } else if (::fstatat(fd, name.name.c_str(), &info, link ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
      if (!link || io::is_shortage(errno)) return fail(io::read_error(path, errno));
      source_.skipped.push_back(relative + (errno == ELOOP ? " (a loop of links)" : " (a link to nothing)"));
      return {};
    }
    if (!S_ISREG(info.st_mode)) {
      source_.skipped.push_back(relative + " (" + (link ? "a link to " : "") + std::string(io::kind_name(info.st_mode)) + ")");
      return {};
    }
    source_.bytes += static_cast<std::uint64_t>(info.st_size);
    if (source_.files.size() == limits_.files) {
      return fail(ErrorCode::limit_exceeded,
                  source_.path + " has more than the " + std::to_string(limits_.files) + " files that are read at most", {},
                  source_.path);
    }
    if (source_.bytes > limits_.bytes) {
      return fail(ErrorCode::limit_exceeded,
                  source_.path + " has more than the " + std::to_string(limits_.bytes) + " bytes that are read at most", {},
                  source_.path);
    }
    source_.files.push_back({relative, path, static_cast<std::uint64_t>(info.st_size), info.st_mode, io::mtime_ns(info)});
    return {};
  }

  Source& source_;
  const PathLimits& limits_;
};

core::Status check_as_taken(const io::OpenedFile& file, const SourceFile& taken) {
  if (static_cast<std::uint64_t>(file.info.st_size) == taken.bytes && io::mtime_ns(file.info) == taken.mtime_ns) return {};
  return fail(ErrorCode::invalid_input, taken.path + " changed while it was being read",
              "wait until its writer has finished, then repeat", taken.path);
}

}  // namespace

core::Expected<Source> open_source(const std::string& path, const PathLimits& limits) {
  const auto info = io::look_at(path, limits);
  if (!info) return fail(info.error());
  Source source;
  source.path = absolute_path(path, "", limits);
  source.name = names_handed(source.path) ? handed_base_name(source.path) : std::string(io::base_of(source.path));
  if (!S_ISDIR(info->st_mode)) {
    const auto file = io::open_file(path, limits);
    if (!file) return fail(file.error());
    source.bytes = static_cast<std::uint64_t>(file->info.st_size);
    source.files.push_back({source.name, source.path, source.bytes, file->info.st_mode, io::mtime_ns(file->info)});
    return source;
  }
  source.is_directory = true;
  const auto fd = io::open_folder(source.path, limits);
  if (!fd) return fail(fd.error());
  if (auto walked = Walk(source, limits).folder(fd->get(), "", 0); !walked) return fail(walked.error());
  std::sort(source.files.begin(), source.files.end(), before);
  return source;
}

core::Expected<std::string> source_digest(const Source& source, const PathLimits& limits) {
  Sha256 sha;
  for (const auto& taken : source.files) {
    const auto file = io::open_file(taken.path, limits);
    if (!file) return fail(file.error());
    if (auto same = check_as_taken(*file, taken); !same) return fail(same.error());
    if (source.is_directory) {
      sha.update(taken.relative);
      sha.update(std::string_view("\0", 1));
    }
    auto done = io::read_blocks(*file, limits, [&](std::string_view bytes) -> core::Status {
      sha.update(bytes);
      return {};
    });
    if (!done) return fail(done.error());
  }
  return sha.hex();
}

core::Expected<std::string> source_digest(const Source& source, const PathLimits& limits, std::string_view bytes) {
  return source.is_directory ? source_digest(source, limits) : core::Expected<std::string>(sha256_hex(bytes));
}

std::string_view suffix_of(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return {};
  return name.substr(dot);
}

core::Status check_not_inside(const Source& source, const std::string& place) {
  const std::string real = absolute_path(place, "");
  if (!source.is_directory || !path_within(real, source.path)) return {};
  return fail(ErrorCode::invalid_input, "the registry lies inside the source: " + real + " is in " + source.path,
              "record the folder that holds the results only, or keep the registry elsewhere with --repo-root", source.path);
}

}  // namespace plumbline::registry
