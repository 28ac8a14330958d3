#include "cli/config_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/descriptor.hpp"
#include "cli/terminal.hpp"
#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;

constexpr std::size_t kLargest = 16U << 20;

tl::unexpected<core::Error> failed(std::string_view doing, const std::string& path, int error) {
  return core::fail(ErrorCode::environment,
                    "cannot " + std::string(doing) + " " + path + ": " + std::generic_category().message(error), {}, path);
}

std::int64_t changed_ns(const struct stat& info) { return info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec; }

std::string stamp(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc)};
}

// Whole and on the disk, or an error and gone again.
Status write_new(const std::string& path, std::string_view text, const ConfigFile& like, mode_t new_mode) {
  const base::Descriptor fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, like.exists ? 0600 : new_mode));
  if (fd.get() < 0) return failed("write", path, errno);
  int error = 0;
  if (like.exists && ::fchown(fd.get(), like.owner, like.group) != 0 && ::geteuid() == 0) error = errno;
  if (error == 0 && like.exists && ::fchmod(fd.get(), like.mode & 07777) != 0) error = errno;
  if (error == 0) error = write_all(fd.get(), text).error;
  if (error == 0 && ::fsync(fd.get()) != 0 && errno != EINVAL) error = errno;
  if (error == 0) return {};
  ::unlink(path.c_str());
  return failed("write", path, error);
}

Expected<std::string> back_up(const ConfigFile& file, std::chrono::system_clock::time_point now) {
  const std::string plain = file.target + ".bak-" + stamp(now);
  for (int number = 1; number <= 100; ++number) {
    std::string path = number == 1 ? plain : plain + "-" + std::to_string(number);
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0) continue;
    if (auto written = write_new(path, file.text, file, 0600); !written) return core::fail(written.error());
    return path;
  }
  return core::fail(ErrorCode::environment, "100 backups of this second exist: " + plain, "remove what is not needed", plain);
}

Status check_as_read(const ConfigFile& file) {
  struct stat info {};
  const bool exists = ::stat(file.target.c_str(), &info) == 0;
  if (exists == file.exists && (!exists || (info.st_ino == file.inode && changed_ns(info) == file.changed_ns &&
                                            static_cast<std::size_t>(info.st_size) == file.text.size()))) {
    return {};
  }
  return core::fail(ErrorCode::environment, file.path + " changed while it was being edited", "run the command again", file.path);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  auto lines = core::split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  for (auto& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

// Of a removed and an added line, what differs: the rest may be somebody's secret.
std::pair<std::string, std::string> differing(std::string_view before, std::string_view after) {
  const auto most = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < most && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < most - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  const std::size_t indent = std::min(before.find_first_not_of(" \t"), before.size());
  const auto shown = [&](std::string_view line) {
    std::string text(line.substr(0, std::min(indent, head)));
    if (head > indent) text += head - indent > 2 ? "…" : line.substr(indent, head - indent);
    text += line.substr(head, line.size() - head - tail);
    text += tail > 2 ? "…" : line.substr(line.size() - tail);
    return text;
  };
  return {shown(before), shown(after)};
}

}  // namespace

Expected<ConfigFile> read_config(const std::string& path) {
  ConfigFile file;
  file.path = file.target = path;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return file;
    return failed("read", path, errno);
  }
  std::error_code error;
  file.target = std::filesystem::canonical(path, error).string();
  if (error)
    return core::fail(ErrorCode::not_found, path + " is a symbolic link that leads nowhere", "fix or remove the link", path);
  const base::Descriptor fd(::open(file.target.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return failed("read", path, errno);
  if (::fstat(fd.get(), &info) != 0) return failed("read", path, errno);
  if (!S_ISREG(info.st_mode)) return core::fail(ErrorCode::invalid_input, path + " is not a regular file", {}, path);
  if (static_cast<std::uint64_t>(info.st_size) > kLargest) {
    return core::fail(ErrorCode::limit_exceeded, path + " has more than " + std::to_string(kLargest >> 20) + " MiB", {}, path);
  }
  file.exists = true;
  file.mode = info.st_mode;
  file.owner = info.st_uid;
  file.group = info.st_gid;
  file.inode = info.st_ino;
  file.changed_ns = changed_ns(info);
  std::array<char, 65536> block{};
  for (;;) {
    const auto got = ::read(fd.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path, errno);
    if (got == 0) break;
    file.text.append(block.data(), static_cast<std::size_t>(got));
    if (file.text.size() > kLargest)
      return core::fail(ErrorCode::limit_exceeded, path + " grows while it is being read", {}, path);
  }
  if (!core::is_valid_utf8(file.text)) return core::fail(ErrorCode::invalid_input, path + " is not UTF-8", {}, path);
  return file;
}

Expected<std::string> replace_config(const ConfigFile& file, std::string_view text, bool private_file,
                                     std::chrono::system_clock::time_point now) {
  const std::filesystem::path target(file.target);
  const std::string folder = target.parent_path().string();
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  if (made) return failed("make the folder", folder, made.value());
  std::string backup;
  if (file.exists) {
    auto written = back_up(file, now);
    if (!written) return core::fail(written.error());
    backup = std::move(*written);
  }
  const std::string temporary = folder + "/." + target.filename().string() + ".plumbline-" + std::to_string(::getpid());
  ::unlink(temporary.c_str());  // left by a process of this number that died
  Status done = write_new(temporary, text, file, private_file ? 0600 : 0666);
  if (done) done = check_as_read(file);
  if (done && ::rename(temporary.c_str(), file.target.c_str()) != 0) done = failed("replace", file.target, errno);
  if (!done) {
    ::unlink(temporary.c_str());
    if (!backup.empty()) ::unlink(backup.c_str());
    return core::fail(done.error());
  }
  const base::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) static_cast<void>(::fsync(opened.get()));  // not every file system can; the file itself is on the disk
  return backup;
}

std::string change_text(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  const std::size_t most = std::min(old_lines.size(), new_lines.size());
  std::size_t head = 0;
  while (head < most && old_lines[head] == new_lines[head]) ++head;
  std::size_t tail = 0;
  while (tail < most - head && old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) ++tail;
  std::vector<std::string> removed(old_lines.begin() + static_cast<std::ptrdiff_t>(head),
                                   old_lines.end() - static_cast<std::ptrdiff_t>(tail));
  std::vector<std::string> added(new_lines.begin() + static_cast<std::ptrdiff_t>(head),
                                 new_lines.end() - static_cast<std::ptrdiff_t>(tail));
  if (!removed.empty() && !added.empty()) std::tie(removed.front(), added.front()) = differing(removed.front(), added.front());
  const auto range = [head](std::size_t lines) {
    return std::to_string(lines == 0 ? head : head + 1) + "," + std::to_string(lines);
  };
  std::string out = "--- " + std::string(before.empty() ? "/dev/null" : path) + "\n+++ " + std::string(path) + "\n@@ -" +
                    range(removed.size()) + " +" + range(added.size()) + " @@\n";
  for (const auto& line : removed) out += "-" + line + "\n";
  for (const auto& line : added) out += "+" + line + "\n";
  return out;
}

}  // namespace plumbline::cli
