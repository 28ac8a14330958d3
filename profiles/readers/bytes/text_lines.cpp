#include "profiles/readers/bytes/text_lines.hpp"

#include <algorithm>

namespace plumbline::profiles {
namespace {

core::Error at(core::Error error, const std::string& name) {
  if (error.where.empty()) error.where = name;
  return error;
}

core::Error cut_short(const std::string& name) {
  return {core::ErrorCode::invalid_input, "the gzip data ends before its end", "copy the file again", name};
}

}  // namespace

std::unique_ptr<ByteSource> unpacked_bytes(std::string_view bytes) {
  auto plain = memory_bytes(bytes);
  return is_gzip(bytes) ? gzip_bytes(std::move(plain)) : std::move(plain);
}

core::Expected<std::string> read_all(ByteSource& source, std::uint64_t at_most, const std::string& name,
                                     const std::function<bool()>& stop) {
  std::string all;
  for (;;) {
    if (stop && stop()) return core::fail(core::ErrorCode::cancelled, "cancelled", {}, name);
    const std::size_t before = all.size();
    all.resize(before + TextLines::kBlock);
    const auto got = source.read(all.data() + before, TextLines::kBlock);
    if (!got) return core::fail(at(got.error(), name));
    all.resize(before + *got);
    if (*got == 0) break;
    if (all.size() > at_most) {
      return core::fail(core::ErrorCode::limit_exceeded,
                        "the profile is larger than " + std::to_string(at_most >> 20U) + " MiB (inflated)", {}, name);
    }
  }
  if (source.ending().cut) return core::fail(cut_short(name));
  return all;
}

TextHead text_head(const OpenFile& file, std::size_t at_most) {
  TextHead head;
  if (!file.is_file()) return head;
  auto source = file_bytes(file);
  if (is_gzip(file.head(4).value_or(std::string()))) source = gzip_bytes(std::move(source));
  head.text.resize(at_most);
  std::size_t have = 0;
  while (have < at_most) {
    const auto got = source->read(head.text.data() + have, at_most - have);
    if (!got || *got == 0) {
      head.whole = got.has_value() && !source->ending().cut;
      break;
    }
    have += *got;
  }
  head.text.resize(have);
  return head;
}

TextLines::TextLines(ByteSource& source, const std::function<bool()>& stop, const std::string& name)
    : source_(source), stop_(stop), name_(name), buffer_(std::make_unique_for_overwrite<char[]>(kBlock)) {
  at_ = end_ = buffer_.get();
}

// Bytes behind the `kept` ones at the buffer's front; false at the end and on an error.
bool TextLines::read_more(std::size_t kept) {
  at_ = buffer_.get();
  end_ = at_ + kept;
  if (stop_ && stop_()) {
    status_ = core::fail(core::ErrorCode::cancelled, "cancelled", {}, name_);
    return false;
  }
  const auto got = source_.read(buffer_.get() + kept, room_ - kept);
  if (!got) {
    status_ = core::fail(at(got.error(), name_));
    return false;
  }
  end_ += *got;
  ended_ = *got == 0;
  if (ended_ && source_.ending().cut) status_ = core::fail(cut_short(name_));
  return !ended_;
}

bool TextLines::refill(std::string_view& line) {
  ++block_;
  bool skipping = false;  // inside a line that is too long
  while (!ended_) {
    auto kept = static_cast<std::size_t>(end_ - at_);
    if (kept == kLongest) {
      skipping = true;
      kept = 0;
    }
    if (kept == room_) {
      room_ = std::min(room_ * 4, kLongest);
      auto larger = std::make_unique_for_overwrite<char[]>(room_);
      std::memcpy(larger.get(), at_, kept);
      buffer_ = std::move(larger);
    } else if (kept != 0) {
      std::memmove(buffer_.get(), at_, kept);
    }
    if (!read_more(kept)) break;
    const char* searched = buffer_.get() + kept;
    const auto* found = static_cast<const char*>(std::memchr(searched, '\n', static_cast<std::size_t>(end_ - searched)));
    if (found == nullptr) {
      if (skipping) at_ = end_;
      continue;
    }
    line = {at_, static_cast<std::size_t>(found - at_)};
    at_ = found + 1;
    if (!skipping) return true;
    ++overlong_;
    skipping = false;
    found = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
    if (found != nullptr) {
      line = {at_, static_cast<std::size_t>(found - at_)};
      at_ = found + 1;
      return true;
    }
  }
  if (!status_) {
    at_ = end_;
    return false;
  }
  if (skipping) {
    ++overlong_;
    at_ = end_;
  }
  if (at_ == end_) return false;
  line = {at_, static_cast<std::size_t>(end_ - at_)};  // the last line, without a line feed
  at_ = end_;
  return true;
}

}  // namespace plumbline::profiles
