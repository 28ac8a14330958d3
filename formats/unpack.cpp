#include "formats/unpack.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"

namespace plumbline::formats {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kBlock = std::size_t{256} * 1024;

enum class Kind : std::uint8_t { none, gzip, zstd, xz, bzip2, zip, tar };
struct Packing {
  Kind kind;
  std::string_view name;     // "gzip"
  std::string_view command;  // before the file's name
  std::array<std::string_view, 2> suffixes;
};
constexpr std::array kPackings = {
    Packing{Kind::gzip, "gzip", "gzip -dk", {".gz", ".gzip"}}, Packing{Kind::zstd, "zstd", "zstd -d", {".zst", ".zstd"}},
    Packing{Kind::xz, "xz", "xz -dk", {".xz", ".xz"}},         Packing{Kind::bzip2, "bzip2", "bzip2 -dk", {".bz2", ".bzip2"}},
    Packing{Kind::zip, "ZIP", "unzip", {".zip", ".zip"}},      Packing{Kind::tar, "tar", "tar -xf", {".tar", ".tar"}},
};
const Packing& packing(Kind kind) {
  return *std::find_if(kPackings.begin(), kPackings.end(), [&](const Packing& one) { return one.kind == kind; });
}

// A tar header has no magic in its oldest form: then its own checksum is one.
bool is_tar(std::string_view bytes) {
  constexpr std::size_t kHeader = 512, kSum = 148, kSumEnd = 156, kMagic = 257;
  if (bytes.size() < kHeader || bytes.front() == '\0') return false;
  if (bytes.substr(kMagic, 5) == "ustar") return true;
  std::uint64_t sum = 0, said = 0;
  for (std::size_t i = 0; i < kHeader; ++i) sum += i >= kSum && i < kSumEnd ? ' ' : static_cast<unsigned char>(bytes[i]);
  std::string_view digits = bytes.substr(kSum, kSumEnd - kSum);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  std::size_t count = 0;
  for (; count < digits.size() && digits[count] >= '0' && digits[count] <= '7'; ++count)
    said = said * 8 + static_cast<std::uint64_t>(digits[count] - '0');
  return count > 0 && said == sum && bytes.substr(0, kHeader).find('\0') != std::string_view::npos;
}

Kind kind_of(std::string_view bytes) {
  if (bytes.starts_with("\x1F\x8B\x08"sv)) return Kind::gzip;
  if (bytes.starts_with("\x28\xB5\x2F\xFD"sv)) return Kind::zstd;
  if (bytes.size() > 8 && static_cast<unsigned char>(bytes[0]) >= 0x50 && static_cast<unsigned char>(bytes[0]) < 0x60 &&
      bytes.substr(1, 3) == "\x2A\x4D\x18"sv) {
    return Kind::zstd;  // pzstd begins with a frame to be skipped
  }
  if (bytes.starts_with("\xFD"
                        "7zXZ\0"sv)) {
    return Kind::xz;
  }
  if (bytes.starts_with("BZh") && bytes.size() > 4 && bytes[3] >= '1' && bytes[3] <= '9' &&
      (bytes[4] == '1' || bytes[4] == '\x17')) {
    return Kind::bzip2;
  }
  if (bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv)) return Kind::zip;
  return is_tar(bytes) ? Kind::tar : Kind::none;
}

std::string without_suffix(const std::string& name, Kind kind) {
  const std::string lower = core::to_lower(name);
  for (const std::string_view suffix : packing(kind).suffixes) {
    if (lower.size() > suffix.size() && lower.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  if (lower.ends_with(".tgz")) return name.substr(0, name.size() - 3) + "tar";
  return name;
}

struct Close {
  void operator()(archive* one) const { archive_read_free(one); }
};
using Reader = std::unique_ptr<archive, Close>;

class Unpacker {
 public:
  Unpacker(const Input& input, const UnpackBounds& bounds, Unpacked& out)
      : bounds_(bounds), out_(out), packed_(input.bytes.size()) {}

  core::Status add(std::string name, std::string_view bytes, std::uint32_t level, std::string* own);
  core::Status finish(const Input& input);

 private:
  // `level`: how many layers have been taken off; of the outermost it is known how much of the file has been read.
  core::Status decompress(Kind kind, const std::string& name, std::string_view bytes, std::uint32_t level, std::string& to);
  core::Status gunzip(const std::string& name, std::string_view bytes, std::uint32_t level, std::string& to);
  core::Status members(Kind kind, const std::string& name, std::string_view bytes, std::uint32_t level);
  core::Expected<std::string> member_name(archive_entry* entry, const std::string& archive_name);
  core::Status content(archive* from, std::string_view what, std::uint32_t level, const std::string& name, std::string& to);
  // Adds what came out of the first `consumed` packed bytes, or the error that names the bound.
  core::Status append(std::string& to, std::string_view made, std::uint64_t consumed, const std::string& name);
  core::Status within_bounds(std::uint64_t made, std::uint64_t consumed, const std::string& name);
  core::Status draw(std::uint64_t bytes, const std::string& name);
  void drop(std::string& own);
  void warn(core::WarningCode code, std::string message) { out_.warnings.push_back({code, std::move(message)}); }

  const UnpackBounds& bounds_;
  Unpacked& out_;
  std::uint64_t packed_ = 0, unpacked_ = 0, seen_ = 0, archives_ = 0;
  std::vector<Input::File> files_;
  std::vector<std::string> left_out_;
  std::set<std::string, std::less<>> names_;
};

std::string size_text(std::uint64_t bytes) {
  if (bytes % (std::uint64_t{1} << 30) == 0) return std::to_string(bytes >> 30) + " GiB";
  if (bytes % (std::uint64_t{1} << 20) == 0) return std::to_string(bytes >> 20) + " MiB";
  return core::counted(bytes, "byte");
}

// What the text holds on the heap.
std::uint64_t heap_of(const std::string& text) { return text.capacity() <= std::string().capacity() ? 0 : text.capacity(); }

core::Status Unpacker::draw(std::uint64_t bytes, const std::string& name) {
  using Answer = base::MemoryBudget::Answer;
  const Answer answer = out_.memory.take(bytes, bounds_.stop);
  if (answer == Answer::taken) return {};
  if (answer == Answer::stopped) return core::fail(core::ErrorCode::cancelled, "stopped while unpacking", {}, name);
  const std::string all = size_text(bounds_.budget->bound());
  if (answer == Answer::too_much) {
    return core::fail(core::ErrorCode::limit_exceeded,
                      "takes more than " + all + " of memory to unpack, the most that there is for it",
                      "unpack it first: " + out_.command + "; a server's bound is raised with --unpack-memory", name);
  }
  return core::fail(core::ErrorCode::limit_exceeded,
                    "cannot be unpacked now: other calls hold what there is of the " + all + " of memory for it",
                    "try again, or unpack it first: " + out_.command + "; a server's bound is raised with --unpack-memory", name);
}

// The text grows by half, and is there twice while it is copied.
core::Status Unpacker::append(std::string& to, std::string_view made, std::uint64_t consumed, const std::string& name) {
  if (bounds_.stop && bounds_.stop()) return core::fail(core::ErrorCode::cancelled, "stopped while unpacking", {}, name);
  if (auto ok = within_bounds(made.size(), consumed, name); !ok) return ok;
  const std::size_t needed = to.size() + made.size();
  if (needed > to.capacity()) {
    const std::uint64_t before = heap_of(to);
    std::string larger;
    const std::size_t room = std::max(needed, to.capacity() + to.capacity() / 2);
    if (auto drawn = draw(room, name); !drawn) return drawn;
    larger.reserve(room);
    larger.append(to);
    to.swap(larger);
    std::string().swap(larger);
    out_.memory.give_back(before);
  }
  to.append(made);
  return {};
}

void Unpacker::drop(std::string& own) {
  const std::uint64_t bytes = heap_of(own);
  std::string().swap(own);
  out_.memory.give_back(bytes);
}

core::Status Unpacker::within_bounds(std::uint64_t made, std::uint64_t consumed, const std::string& name) {
  unpacked_ += made;
  // Of what has been taken in so far: a bomb is known before it has gone off.
  const std::uint64_t ratio = unpacked_ / std::clamp<std::uint64_t>(consumed, 1, std::max<std::uint64_t>(packed_, 1));
  const auto refuse = [&](std::uint64_t bound) {
    return core::fail(core::ErrorCode::limit_exceeded,
                      "unpacks to more than " + size_text(bound) + ", " + std::to_string(ratio) + " times its packed size",
                      "the bounds are " + size_text(bounds_.bytes) + " in all, and " + std::to_string(bounds_.ratio) +
                          " times beyond " + size_text(bounds_.ratio_from) +
                          "; if that is what it should hold, unpack it first: " + out_.command,
                      name);
  };
  if (unpacked_ > bounds_.bytes) return refuse(bounds_.bytes);
  if (unpacked_ > bounds_.ratio_from && ratio > bounds_.ratio) return refuse(bounds_.ratio_from);
  return {};
}

// Members one after another (bgzip, cat of two files) are one text. Every member's sum and length are checked.
core::Status Unpacker::gunzip(const std::string& name, std::string_view bytes, std::uint32_t level, std::string& to) {
  z_stream stream{};
  constexpr int kGzip = 16;
  if (inflateInit2(&stream, MAX_WBITS + kGzip) != Z_OK)
    return core::fail(core::ErrorCode::environment, "not enough memory to unpack gzip", {}, name);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  std::vector<char> block(kBlock);
  std::size_t at = 0;
  for (;;) {
    const std::size_t given = std::min<std::size_t>(bytes.size() - at, std::size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));  // zlib does not write there
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    at += given - stream.avail_in;
    const std::size_t made = block.size() - stream.avail_out;
    if (auto added = append(to, {block.data(), made}, level == 0 ? at : packed_, name); !added) return added;
    const std::string place = "byte " + std::to_string(at) + " (after " + core::counted(to.size(), "unpacked byte") + ")";
    if (status == Z_STREAM_END) {
      const std::string_view rest = bytes.substr(at);
      if (rest.find_first_not_of('\0') == std::string_view::npos) return {};  // tapes and blocks are padded
      if (!rest.starts_with("\x1F\x8B"sv)) {
        warn("trailing_bytes", core::counted(rest.size(), "byte") + " after the gzip data of " + name + " left out");
        return {};
      }
      inflateReset(&stream);
      continue;
    }
    if (status != Z_OK && status != Z_BUF_ERROR) {
      return core::fail(core::ErrorCode::invalid_input, "the gzip data is damaged at " + place,
                        "the copy is not what was written: copy it again and test it with gzip -t", name);
    }
    if (at == bytes.size() && made < block.size()) {
      return core::fail(core::ErrorCode::invalid_input, "the gzip data ends in the middle, at " + place,
                        "the file is truncated: its writer stopped before the end, or the copy is incomplete", name);
    }
  }
}

core::Status Unpacker::content(archive* from, std::string_view what, std::uint32_t level, const std::string& name,
                               std::string& to) {
  std::vector<char> block(kBlock);
  for (;;) {
    const auto got = archive_read_data(from, block.data(), block.size());
    if (got == 0) return {};
    if (got < 0) {
      const char* why = archive_error_string(from);
      return core::fail(core::ErrorCode::invalid_input,
                        "the " + std::string(what) + " data is damaged or ends in the middle, after " +
                            core::counted(to.size(), "unpacked byte") + (why == nullptr ? "" : " (" + std::string(why) + ")"),
                        "the file is truncated, or the copy is not what was written; one with a password must be unpacked first",
                        name);
    }
    const auto consumed = level == 0 ? static_cast<std::uint64_t>(archive_filter_bytes(from, -1)) : packed_;
    const std::string_view made(block.data(), static_cast<std::size_t>(got));
    if (auto added = append(to, made, consumed, name); !added) return added;
  }
}

core::Status Unpacker::decompress(Kind kind, const std::string& name, std::string_view bytes, std::uint32_t level,
                                  std::string& to) {
  if (kind == Kind::gzip) return gunzip(name, bytes, level, to);
  const Reader reader(archive_read_new());
  if (!reader) return core::fail(core::ErrorCode::environment, "not enough memory to unpack", {}, name);
  if (kind == Kind::zstd) archive_read_support_filter_zstd(reader.get());
  if (kind == Kind::xz) archive_read_support_filter_xz(reader.get());
  if (kind == Kind::bzip2) archive_read_support_filter_bzip2(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) < ARCHIVE_WARN) {
    const char* why = archive_error_string(reader.get());
    return core::fail(core::ErrorCode::invalid_input,
                      "the " + std::string(packing(kind).name) + " data is damaged or ends in the middle, at its beginning" +
                          (why == nullptr ? "" : " (" + std::string(why) + ")"),
                      "the file is truncated, or the copy is not what was written", name);
  }
  return content(reader.get(), packing(kind).name, level, name, to);
}

// The member's place in the folder. Nothing is written to it, but what wants out of its folder is no measurement.
core::Expected<std::string> Unpacker::member_name(archive_entry* entry, const std::string& archive_name) {
  const char* text = archive_entry_pathname_utf8(entry);
  if (text == nullptr) text = archive_entry_pathname(entry);
  if (text == nullptr || *text == '\0') {
    return core::fail(core::ErrorCode::invalid_input, "a member of the archive has no readable name",
                      "pack it again with names in UTF-8", archive_name);
  }
  const std::string said = text;
  std::string name;
  for (const std::string_view part : core::split(said, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." || said.front() == '/' || said.find('\\') != std::string::npos || said.size() > 1024) {
      return core::fail(core::ErrorCode::invalid_input,
                        "the archive's member " + core::cited(said.substr(0, 200)) + " leads out of it",
                        "members have relative names without \"..\": pack it again from inside the folder", archive_name);
    }
    if (!name.empty()) name.push_back('/');
    name.append(part);
  }
  return name;
}

core::Status Unpacker::members(Kind kind, const std::string& name, std::string_view bytes, std::uint32_t level) {
  const Reader reader(archive_read_new());
  if (!reader) return core::fail(core::ErrorCode::environment, "not enough memory to unpack", {}, name);
  if (kind == Kind::zip) archive_read_support_format_zip(reader.get());
  if (kind == Kind::tar) archive_read_support_format_tar(reader.get());
  archive_read_open_memory(reader.get(), bytes.data(), bytes.size());
  const std::string prefix = archives_++ == 0 ? std::string() : name + "/";
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) {
      // Two blocks of zeros end a tar. Cut between two members it looks whole to its reader.
      constexpr std::size_t kTarBlock = 512;
      if (kind == Kind::tar && (bytes.size() < kTarBlock ||
                                bytes.substr(bytes.size() - kTarBlock).find_first_not_of('\0') != std::string_view::npos)) {
        warn("run_incomplete",
             "the tar archive " + name + " has no end mark after " + core::counted(seen_, "member") + ": members may be missing");
      }
      return {};
    }
    if (status < ARCHIVE_WARN) {
      const char* why = archive_error_string(reader.get());
      return core::fail(core::ErrorCode::invalid_input,
                        "the " + std::string(packing(kind).name) + " archive is damaged or ends in the middle, after " +
                            core::counted(seen_, "member") + (why == nullptr ? "" : " (" + std::string(why) + ")"),
                        "the file is truncated, or the copy is not what was written", name);
    }
    if (++seen_ > bounds_.files) {
      return core::fail(core::ErrorCode::limit_exceeded, "an archive of more than " + core::counted(bounds_.files, "member"),
                        "compare it in parts, or unpack it first: " + out_.command, name);
    }
    auto member = member_name(entry, name);
    if (!member) return core::fail(member.error());
    if (member->empty() || archive_entry_filetype(entry) == AE_IFDIR) continue;
    const std::size_t base = member->rfind('/') + 1;
    const bool foreign = member->compare(base, 2, "._") == 0 || member->starts_with("__MACOSX/");
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) != AE_IFREG || foreign) {
      left_out_.push_back(*member);
      continue;
    }
    std::string& own = out_.own.emplace_back();
    if (auto taken = content(reader.get(), packing(kind).name, level - 1, name + ":" + *member, own); !taken) return taken;
    if (auto added = add(prefix + *member, own, level, &own); !added) return added;
  }
}

// `own`: where the bytes are kept, given back once another layer has been taken out of them.
core::Status Unpacker::add(std::string name, std::string_view bytes, std::uint32_t level, std::string* own) {
  const Kind kind = kind_of(bytes);
  if (kind == Kind::none) {
    if (!names_.insert(name).second) {
      return core::fail(core::ErrorCode::invalid_input, "two members of the archive are called " + core::cited(name),
                        "which of them is meant cannot be told: pack it again", {});
    }
    files_.push_back({std::move(name), bytes});
    return {};
  }
  if (level >= bounds_.levels) {
    return core::fail(core::ErrorCode::limit_exceeded, "packed more than " + core::counted(bounds_.levels, "level") + " deep",
                      "unpack it first: " + out_.command, name);
  }
  if (kind == Kind::zip || kind == Kind::tar) {
    const std::size_t before = files_.size();
    if (auto taken = members(kind, name, bytes, level + 1); !taken) return taken;
    if (level == out_.evidence.size()) {
      out_.evidence.push_back("a " + std::string(packing(kind).name) + " archive of " +
                              core::counted(files_.size() - before, "file"));
    }
    if (own != nullptr) drop(*own);
    return {};
  }
  std::string& inner = out_.own.emplace_back();
  if (auto taken = decompress(kind, name, bytes, level, inner); !taken) return taken;
  if (own != nullptr) drop(*own);
  if (level == out_.evidence.size()) out_.evidence.push_back(std::string(packing(kind).name) + "-compressed");
  return add(without_suffix(name, kind), inner, level + 1, &inner);
}

core::Status Unpacker::finish(const Input& input) {
  if (!left_out_.empty()) {
    warn("unread_file", core::counted(left_out_.size(), "member") + " of the archive " + (left_out_.size() == 1 ? "is" : "are") +
                            " no plain file and left out: " + core::cited_list(left_out_));
  }
  if (files_.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "an archive without files", "its writer packed nothing", input.name);
  }
  if (files_.size() == 1) {
    const std::size_t slash = input.name.rfind('/');
    out_.input.name = archives_ > 0 ? input.name.substr(slash == std::string::npos ? 0 : slash + 1) + "/" + files_.front().name
                                    : files_.front().name;
    out_.input.bytes = files_.front().bytes;
    return {};
  }
  // What `tar -cf runs.tar runs/` put around everything is not part of the files' names, as it is not when the folder is given.
  const std::string top = files_.front().name.substr(0, files_.front().name.find('/') + 1);
  const bool shared = !top.empty() && std::all_of(files_.begin(), files_.end(),
                                                  [&](const Input::File& file) { return file.name.starts_with(top); });
  for (Input::File& file : files_) {
    if (shared) file.name.erase(0, top.size());
  }
  std::sort(files_.begin(), files_.end(), [](const Input::File& a, const Input::File& b) { return a.name < b.name; });
  out_.input.name = input.name;
  out_.input.is_directory = true;
  out_.input.files = std::move(files_);
  return {};
}

}  // namespace

bool is_packed(std::string_view bytes) { return kind_of(bytes) != Kind::none; }

core::Expected<Unpacked> unpack(const Input& input, const UnpackBounds& bounds) {
  Unpacked out;
  out.memory = base::MemoryBudget::Lease(*bounds.budget);
  const Kind kind = kind_of(input.bytes);
  if (kind == Kind::none) return core::fail(core::ErrorCode::internal, "not packed", {}, input.name);
  const bool tarball =
      core::to_lower(input.name).find(".tar.") != std::string::npos || core::to_lower(input.name).ends_with(".tgz");
  out.command = std::string(tarball ? "tar -xf" : packing(kind).command) + " " + input.name;
  Unpacker unpacker(input, bounds, out);
  if (auto taken = unpacker.add(input.name, input.bytes, 0, nullptr); !taken) return core::fail(taken.error());
  if (auto finished = unpacker.finish(input); !finished) return core::fail(finished.error());
  return out;
}

}  // namespace plumbline::formats
