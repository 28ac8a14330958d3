#include <algorithm>
#include <cstring>

#include "base/characters.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/form.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/readers/host/stacks.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::size_t kHead = std::size_t{64} * 1024;

using base::is_digit;

struct FoldedLine {
  std::string_view stack;
  std::int64_t count = 0;
};

// False: no stack and count. A count has at most 18 digits.
bool split(std::string_view line, FoldedLine& folded) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t at = line.size();
  std::int64_t count = 0, power = 1;
  while (at > 0 && is_digit(line[at - 1]) && line.size() - at < 18) {
    count += power * (line[--at] - '0');
    power *= 10;
  }
  if (at == line.size() || at < 2 || line[at - 1] != ' ') return false;
  folded = {line.substr(0, at - 1), count};
  return true;
}

bool is_ignored(std::string_view line) { return line.empty() || line == "\r" || line.starts_with('#'); }

// Lines next to each other share most of their frames, for the scripts that write them sort: the ids of what a line has in common
// with the one before are taken over without a look at the names.
class FoldedReader {
 public:
  explicit FoldedReader(std::string name) : name_(std::move(name)) {}
  core::Expected<Profile> read(ByteSource& source, const std::function<bool()>& stop);

 private:
  void stack(std::string_view text, std::int64_t count);
  [[nodiscard]] std::size_t shared_frames(std::string_view text) const;

  std::string name_;
  FrameNames names_;
  StackSums sums_;
  std::string_view before_;            // the stack before, while its block is there
  std::vector<std::uint32_t> frames_;  // its ids …
  std::vector<std::uint32_t> ends_;    // … and where each one's text ended
  std::uint64_t two_counts_ = 0, unread_ = 0;
  std::string example_;
};

std::size_t FoldedReader::shared_frames(std::string_view text) const {
  const std::size_t length = std::min(text.size(), before_.size());
  std::size_t same = 0;
  for (; same + 8 <= length; same += 8) {
    std::uint64_t a = 0, b = 0;
    std::memcpy(&a, text.data() + same, 8);
    std::memcpy(&b, before_.data() + same, 8);
    if (a != b) {
      same += static_cast<std::size_t>(__builtin_ctzll(a ^ b)) / 8;
      break;
    }
  }
  while (same < length && text[same] == before_[same]) ++same;
  // Frames that end, with their semicolon, inside what is the same. The last frame of a stack has none.
  return static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), same) - ends_.begin());
}

void FoldedReader::stack(std::string_view text, std::int64_t count) {
  const std::size_t shared = shared_frames(text);
  frames_.resize(shared);
  ends_.resize(shared);
  std::size_t at = shared == 0 ? 0 : ends_.back() + std::size_t{1};
  for (;;) {
    const void* found = std::memchr(text.data() + at, ';', text.size() - at);
    const std::size_t end =
        found == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    frames_.push_back(names_.id(text.substr(at, end - at)));
    ends_.push_back(static_cast<std::uint32_t>(end));
    if (found == nullptr) break;
    at = end + 1;
  }
  before_ = text;
  sums_.add(frames_, frames_.back(), count);
}

core::Expected<Profile> FoldedReader::read(ByteSource& source, const std::function<bool()>& stop) {
  TextLines lines(source, stop, name_);
  std::string_view line;
  FoldedLine folded;
  std::uint64_t block = 0;
  while (lines.next(line)) {
    if (lines.block() != block) {
      block = lines.block();
      before_ = {};
      frames_.clear();
      ends_.clear();
    }
    if (is_ignored(line)) continue;
    if (!split(line, folded)) {
      if (unread_++ == 0) example_ = std::string(line.substr(0, 60));
      continue;
    }
    FoldedLine first;
    if (is_digit(folded.stack.back()) && split(folded.stack, first)) ++two_counts_;
    stack(folded.stack, folded.count);
  }
  if (core::Status status = lines.status(); !status) return core::fail(status.error());
  if (sums_.stacks() > 0 && two_counts_ == sums_.stacks()) {
    return core::fail(core::ErrorCode::invalid_input,
                      "every line has two counts: the file holds both sides of a comparison, as difffolded.pl writes it",
                      "give the two folded files it was made from, or part it: sed -E 's/ [0-9]+$//' FILE > baseline.folded and "
                      "sed -E 's/ [0-9]+( [0-9]+)$/\\1/' FILE > candidate.folded",
                      name_);
  }
  auto profile = stack_profile(names_, sums_, "folded", "counts", name_);
  if (!profile) return profile;
  if (unread_ > 0) {
    profile->warnings.push_back({"unread_lines", core::counted(unread_, "line is", "lines are") +
                                                     " no stack with a count and not read, the first: " + core::cited(example_)});
  }
  if (lines.overlong() > 0) {
    profile->warnings.push_back({"overlong_lines", core::counted(lines.overlong(), "line") + " longer than 4 MiB left out"});
  }
  return profile;
}

}  // namespace

core::Expected<Profile> read_folded_text(std::string_view text, const std::string& name) {
  const auto source = unpacked_bytes(text);
  return FoldedReader(name).read(*source, {});
}

core::Expected<Profile> read_folded(const std::string& path, const ReadOptions& options) {
  const OpenFile file(path, options.open);
  if (!file.is_file()) return core::fail(core::ErrorCode::environment, "the capture cannot be opened for reading", {}, path);
  const auto source = text_bytes(file);
  return FoldedReader(path).read(*source, options.stop);
}

// Strict, for much text ends its lines in a number: nine lines of ten are a stack and a count, with no sign before the count that
// a value would have ("loss: 3", "n = 4"), no blanks side by side as between the columns of a table (pytest-benchmark's has
// "12;40" in one of them), and every second one has more than one frame.
bool is_folded_text(std::string_view head, bool whole) {
  if (!whole) {
    const std::size_t end = head.rfind('\n');
    if (end == std::string_view::npos) return false;
    head = head.substr(0, end);
  }
  if (head.find('\0') != std::string_view::npos) return false;
  std::uint64_t lines = 0, stacks = 0, deep = 0;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    if (is_ignored(line)) continue;
    ++lines;
    FoldedLine folded;
    if (!split(line, folded) || line.front() == ' ' || line.front() == '\t' || line.front() == '{') continue;
    const char before = folded.stack.back();
    if (before == ':' || before == '=' || before == ',' || before == ';' || before == '\t') continue;
    if (folded.stack.find("  ") != std::string_view::npos) continue;
    ++stacks;
    if (folded.stack.find(';') != std::string_view::npos) ++deep;
  }
  return deep > 0 && stacks * 10 >= lines * 9 && deep * 2 >= stacks;
}

extern const Form folded_form = {
    .name = "folded",
    .captures = {{{"folded", "folded stacks, `a;b;c 12`", "nearly every line ends in a count", "text",
                   "perf script | stackcollapse-perf.pl > stacks.folded\n"
                   "py-spy record --format raw -o stacks.folded -- python app.py"}}},
    .recognises =
        [](const OpenFile& file, std::string_view) {
          const TextHead head = text_head(file, kHead);
          return is_folded_text(head.text, head.whole);
        },
    .read = &read_folded,
};

}  // namespace plumbline::profiles
