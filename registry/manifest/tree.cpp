#include "registry/manifest/tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/citing.hpp"
#include "registry/manifest/parts.hpp"

namespace plumbline::registry {

using core::ErrorCode;
using core::fail;

namespace {

constexpr std::size_t kProblemsAtMost = 1000;
constexpr std::uint64_t kManifestAtMost = 64ULL << 20;

bool ends_the_call(ErrorCode code) { return code == ErrorCode::cancelled || code == ErrorCode::limit_exceeded; }

class Checker {
 public:
  Checker(TreeCheck& check, const std::string& path, const PathLimits& limits) : check_(check), path_(path), limits_(limits) {
    for (const auto& line : check.lines) expected_.emplace(line.name, Expected{&line.sha256, false});
    in_parts_ = files_in_parts(check.lines);
  }

  core::Status folder(int fd, const std::string& relative, std::uint32_t depth) {
    const std::string shown = relative.empty() ? path_ : io::join(path_, relative);
    if (depth > limits_.depth) {
      return fail(ErrorCode::limit_exceeded, shown + " lies more than " + std::to_string(limits_.depth) + " folders deep", {},
                  shown);
    }
    const auto names = io::list_folder(fd, shown, static_cast<std::size_t>(limits_.files) + 1000);
    if (!names) {
      if (ends_the_call(names.error().code)) return fail(names.error());
      problem("unreadable", relative.empty() ? "." : relative, names.error().message);
      return {};
    }
    for (const auto& name : *names) {
      const std::string inner = relative.empty() ? name.name : relative + "/" + name.name;
      if (relative.empty()) {
        check_.names.push_back(name.name);
        if (name.name == "SHA256SUMS") continue;
        if (name.name == "attest" && S_ISDIR(name.type)) {
          check_.has_attest = true;
          continue;
        }
      }
      if (auto done = one(fd, name, inner, depth); !done) return done;
    }
    return {};
  }

  void missing() {
    for (const auto& [name, parts] : in_parts_) {
      if (!joined_.contains(name)) check_.unjoined.push_back(name);
    }
    for (const auto& line : check_.lines) {
      if (!expected_.at(line.name).seen)
        problem("missing_file", line.name, line.name + " is listed in SHA256SUMS and is not there");
    }
    std::stable_sort(check_.problems.begin(), check_.problems.end(),
                     [](const core::VerifyProblem& a, const core::VerifyProblem& b) { return a.path < b.path; });
  }

 private:
  struct Expected {
    const std::string* sha256;
    bool seen;
  };

  core::Status one(int fd, const io::Name& name, const std::string& relative, std::uint32_t depth) {
    if (S_ISDIR(name.type)) {
      const io::Descriptor next(::openat(fd, name.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (next.valid()) return folder(next.get(), relative, depth + 1);
      problem("unreadable", relative, relative + " cannot be opened: " + io::errno_text(errno));
      return {};
    }
    const auto found = expected_.find(relative);
    if (found != expected_.end()) found->second.seen = true;
    if (!S_ISREG(name.type)) {
      problem("not_a_regular_file", relative, relative + " is " + std::string(io::kind_name(name.type)) + ", not a regular file");
      return {};
    }
    if (++check_.files > limits_.files) {
      return fail(ErrorCode::limit_exceeded,
                  path_ + " has more than the " + std::to_string(limits_.files) + " files that are read at most", {}, path_);
    }
    if (found == expected_.end()) {
      if (const auto parts = in_parts_.find(relative); parts != in_parts_.end()) return joined(fd, name, *parts);
      problem("extra_file", relative, "extra file: " + relative + " is not listed in SHA256SUMS");
      return {};
    }
    const auto file = io::open_file_at(fd, name.name, io::join(path_, relative), limits_);
    const auto digest = file ? io::hash_file(*file, limits_) : core::Expected<std::string>(fail(file.error()));
    if (!digest) {
      if (ends_the_call(digest.error().code)) return fail(digest.error());
      problem("unreadable", relative, digest.error().message);
    } else if (*digest != *found->second.sha256) {
      problem("digest_mismatch", relative,
              relative + " has the sha256 " + *digest + ", SHA256SUMS says " + *found->second.sha256);
    }
    return {};
  }

  // A file in the place of the parts that SHA256SUMS lists.
  core::Status joined(int fd, const io::Name& name, const std::pair<const std::string, FileParts>& listed) {
    const auto& [relative, parts] = listed;
    joined_.insert(relative);
    for (const FilePart& part : parts) expected_.at(part_name(relative, part.offset)).seen = true;
    const auto file = io::open_file_at(fd, name.name, io::join(path_, relative), limits_);
    PartChecker checker(relative, parts);
    auto read = file ? io::read_blocks(*file, limits_,
                                       [&checker](std::string_view bytes) -> core::Status {
                                         checker.update(bytes);
                                         return {};
                                       })
                     : core::Status(fail(file.error()));
    if (!read) {
      if (ends_the_call(read.error().code)) return read;
      problem("unreadable", relative, read.error().message);
      return {};
    }
    for (const auto& [part, digest] : checker.wrong()) {
      problem("digest_mismatch", relative,
              relative + " has the sha256 " + digest + " in " + part + ", SHA256SUMS says " + *expected_.at(part).sha256);
    }
    return {};
  }

  void problem(core::ProblemCode code, std::string path, std::string message) {
    if (check_.problems.size() == kProblemsAtMost) {
      ++check_.problems_omitted;
      return;
    }
    check_.problems.push_back({code, std::move(path), std::move(message)});
  }

  TreeCheck& check_;
  const std::string& path_;
  const PathLimits& limits_;
  std::unordered_map<std::string, Expected> expected_;
  std::map<std::string, FileParts, std::less<>> in_parts_;
  std::set<std::string, std::less<>> joined_;
};

}  // namespace

namespace {

// Where nothing is to be hashed the names still tell an entry from a bundle.
core::Status list_names(TreeCheck& check, int folder, const std::string& path, const PathLimits& limits) {
  const auto names = io::list_folder(folder, path, static_cast<std::size_t>(limits.files) + 1000);
  if (!names) return fail(names.error());
  for (const auto& name : *names) {
    check.names.push_back(name.name);
    check.has_attest = check.has_attest || (name.name == "attest" && S_ISDIR(name.type));
  }
  return {};
}

}  // namespace

core::Expected<TreeCheck> check_tree(int folder, const std::string& path, const PathLimits& limits) {
  TreeCheck check;
  struct stat info {};
  if (::fstatat(folder, "SHA256SUMS", &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return fail(io::read_error(io::join(path, "SHA256SUMS"), errno));
    if (auto listed = list_names(check, folder, path, limits); !listed) return fail(listed.error());
    return check;
  }
  check.has_manifest = true;
  const std::string where = io::join(path, "SHA256SUMS");
  const auto text = io::read_text_at(folder, "SHA256SUMS", where, kManifestAtMost);
  if (!text) {
    if (text.error().code == ErrorCode::limit_exceeded) return fail(text.error());
    check.problems.push_back(
        {S_ISREG(info.st_mode) ? core::ProblemCode("unreadable") : "not_a_regular_file", "SHA256SUMS", text.error().message});
    if (auto listed = list_names(check, folder, path, limits); !listed) return fail(listed.error());
    return check;
  }
  check.sha256 = sha256_hex(*text);
  if (auto lines = parse_manifest(*text, where)) {
    check.lines = std::move(*lines);
  } else {
    check.problems.push_back({"bad_manifest", "SHA256SUMS", lines.error().message});
    if (auto listed = list_names(check, folder, path, limits); !listed) return fail(listed.error());
    return check;
  }
  Checker checker(check, path, limits);
  if (auto walked = checker.folder(folder, "", 0); !walked) return fail(walked.error());
  checker.missing();
  return check;
}

core::Expected<SnapshotCheck> check_snapshot(int folder, const std::string& path, const std::vector<std::string>& names,
                                             std::string_view prefix, const std::string& recorded, const PathLimits& limits) {
  SnapshotCheck check;
  for (const auto& name : names) {
    const bool snapshot =
        name.compare(0, prefix.size(), prefix) == 0 && (name.size() == prefix.size() || name[prefix.size()] == '.');
    if (!snapshot) continue;
    if (!check.name.empty()) {
      check.mismatch = path + " has two snapshots, " + check.name + " and " + name + ", and nothing says which was recorded";
      return check;
    }
    check.name = name;
  }
  if (check.name.empty()) {
    check.unverified = "there is no " + std::string(prefix) + " to check it against";
    return check;
  }
  struct stat info {};
  if (::fstatat(folder, check.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) {
    check.mismatch = io::join(path, check.name) + " is " + std::string(io::kind_name(info.st_mode)) + ", not a snapshot";
    return check;
  }
  if (!is_sha256_hex(recorded)) {
    check.unverified = recorded.empty() ? "no source_sha256 is recorded"
                                        : "the recorded source_sha256 is no digest: " + core::cited(recorded, 80);
    return check;
  }
  const auto source = open_source(io::join(path, check.name), limits);
  if (!source) return fail(source.error());
  const auto digest = source_digest(*source, limits);
  if (!digest) return fail(digest.error());
  check.verified = *digest == recorded;
  if (!check.verified)
    check.mismatch = io::join(path, check.name) + " has the sha256 " + *digest + ", the recorded one is " + recorded;
  return check;
}

}  // namespace plumbline::registry
