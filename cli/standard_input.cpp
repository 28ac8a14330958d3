#include "cli/standard_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "cli/terminal.hpp"

namespace plumbline::cli {
namespace {

using verbs::ErrorCode;

verbs::Error failed(const std::string& what, int error) {
  return {ErrorCode::environment, what + ": " + std::strerror(error), {}, {}};
}

verbs::Status copy_input(const std::string& path, const verbs::Context& context) {
  const base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return core::fail(failed("cannot keep standard input in " + path, errno));
  std::array<char, 1U << 16U> buffer{};
  std::uint64_t total = 0;
  for (;;) {
    if (context.stop_asked()) return core::fail(ErrorCode::cancelled, "cancelled; nothing was published");
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::fail(failed("cannot read standard input", errno));
    total += static_cast<std::uint64_t>(got);
    if (total > context.limits.input_bytes)
      return core::fail(ErrorCode::limit_exceeded, "standard input is longer than a file may be", "give it as a file");
    const Written written = write_all(file.get(), {buffer.data(), static_cast<std::size_t>(got)});
    if (!written.ok) return core::fail(failed("cannot keep standard input in " + path, written.error));
  }
}

// Behind the flag of a text "-" is that text: `--unit -`.
bool takes_no_path(const verbs::Verb& verb, std::string flag) {
  if (!flag.starts_with("--")) return false;
  flag.erase(0, 2);
  std::replace(flag.begin(), flag.end(), '-', '_');
  const auto param = std::find_if(verb.params.begin(), verb.params.end(), [&](const verbs::Param& p) { return p.name == flag; });
  return param != verb.params.end() && param->kind != verbs::ParamKind::path && param->kind != verbs::ParamKind::path_list &&
         param->kind != verbs::ParamKind::boolean;
}

}  // namespace

verbs::Status StandardInput::take(const verbs::Verb& verb, std::vector<std::string>& words, const verbs::Context& context) {
  auto first = words.end();
  std::size_t count = 0;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word != "-" || (word != words.begin() && takes_no_path(verb, *(word - 1)))) continue;
    if (count++ == 0) first = word;
  }
  if (count == 0) return {};
  if (count > 1)
    return core::fail(ErrorCode::usage, "standard input can be read once, and \"-\" is there twice", "give the other as a file");
  if (::isatty(STDIN_FILENO) != 0)
    return core::fail(ErrorCode::usage, "\"-\" is standard input, and that is a terminal", "`… | plumbline inspect -`");
  auto folder = verbs::ScratchFolder::make(context);
  if (!folder) return core::fail(folder.error());
  folder_ = std::move(*folder);
  const std::string path = folder_->path() + "/stdin";
  if (auto ok = copy_input(path, context); !ok) return ok;
  *first = path;
  return {};
}

}  // namespace plumbline::cli
