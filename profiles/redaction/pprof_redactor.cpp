#include "profiles/redaction/pprof_redactor.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "base/protobuf.hpp"
#include "profiles/readers/bytes/text_lines.hpp"
#include "profiles/readers/host/host_profiles.hpp"
#include "profiles/redaction/names_apart.hpp"

namespace plumbline::profiles {
namespace {

using base::ProtobufReader;
using base::Wire;

constexpr std::size_t kMostStrings = std::size_t{1} << 23U;

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}
void put_number(std::string& out, std::uint32_t field, std::uint64_t value) {
  put_varint(out, std::uint64_t{field} << 3U);
  put_varint(out, value);
}
void put_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  put_varint(out, std::uint64_t{field} << 3U | 2U);
  put_varint(out, bytes.size());
  out += bytes;
}

// The numbers of a field that may be packed, as numbers: bytes that are none do not pass.
void put_numbers(std::string& out, std::uint32_t field, const ProtobufReader& reader) {
  if (reader.wire() == Wire::varint) {
    put_number(out, field, reader.number());
  } else if (reader.wire() == Wire::bytes) {
    std::string packed;
    std::string_view rest = reader.bytes();
    for (std::uint64_t value = 0; ProtobufReader::take(rest, value);) put_varint(packed, value);
    put_bytes(out, field, packed);
  }
}

bool is_known_kind(std::string_view text) {
  constexpr auto kKinds = std::to_array<std::string_view>({"samples",      "sample",        "count",       "counts",
                                                           "cpu",          "wall",          "nanoseconds", "nanosecond",
                                                           "ns",           "microseconds",  "us",          "milliseconds",
                                                           "ms",           "seconds",       "s",           "bytes",
                                                           "byte",         "kilobytes",     "megabytes",   "alloc_objects",
                                                           "alloc_space",  "inuse_objects", "inuse_space", "objects",
                                                           "space",        "allocations",   "contentions", "delay",
                                                           "goroutine",    "threadcreate",  "cycles",      "instructions",
                                                           "cache-misses", "branch-misses", "page-faults", "events",
                                                           "heap",         "time",          "total",       "locks",
                                                           "exceptions",   "memory",        "live",        "lock",
                                                           "block",        "mutex",         "on-cpu",      "off-cpu",
                                                           "gpu",          "task-clock",    "cpu-clock"});
  return std::find(kKinds.begin(), kKinds.end(), text) != kKinds.end();
}

// "libc-2.31.so", "ld-linux-x86-64.so.2", "[vdso]": what a frame without a symbol is called by.
std::string_view system_file(std::string_view path) {
  if (path == "[vdso]" || path == "[vsyscall]" || path == "[kernel.kallsyms]" || path == "[kernel]") return path;
  constexpr auto kLibraries = std::to_array<std::string_view>({"libc",
                                                               "libm",
                                                               "libdl",
                                                               "libpthread",
                                                               "librt",
                                                               "libgcc_s",
                                                               "libstdc++",
                                                               "libc++",
                                                               "libgomp",
                                                               "ld-linux-x86-64",
                                                               "ld",
                                                               "libcuda",
                                                               "libcudart",
                                                               "libcublas",
                                                               "libcublasLt",
                                                               "libcudnn",
                                                               "libnccl",
                                                               "libtorch",
                                                               "libtorch_cpu",
                                                               "libtorch_cuda",
                                                               "libtorch_python",
                                                               "libc10",
                                                               "libc10_cuda",
                                                               "libamdhip64",
                                                               "libhsa-runtime64",
                                                               "librccl",
                                                               "libz",
                                                               "libssl",
                                                               "libcrypto",
                                                               "libtcmalloc",
                                                               "libjemalloc",
                                                               "libpython3"});
  const std::string_view file = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  const std::size_t so = file.find(".so");
  if (so == std::string_view::npos) return {};
  std::string_view base = file.substr(0, so);
  const auto is_version = [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  const std::string_view version = file.substr(so + 3);
  if (!std::all_of(version.begin(), version.end(), is_version)) return {};
  const auto known = [&] { return std::find(kLibraries.begin(), kLibraries.end(), base) != kLibraries.end(); };
  while (!base.empty() && !known() && is_version(base.back())) base.remove_suffix(1);
  return known() ? file : std::string_view();
}

class PprofRedactor {
 public:
  PprofRedactor(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  core::Expected<Redaction> redact() {
    if (core::Status status = look(); !status) return core::fail(status.error());
    apart_.settle();
    for (ProtobufReader reader(bytes_); reader.next();) field(reader);
    Redaction done;
    for (std::size_t i = 0; i < strings_.size(); ++i) put_bytes(out_, kString, string(i));
    done.bytes = std::move(out_);
    done.taken_out = taken_.places();
    return done;
  }

 private:
  enum Field : std::uint32_t {
    kSampleType = 1,
    kSample = 2,
    kMapping = 3,
    kLocation = 4,
    kFunction = 5,
    kString = 6,
    kTime = 9,
    kDuration = 10,
    kPeriodType = 11,
    kPeriod = 12,
    kComment = 13,
    kDefaultSampleType = 14
  };

  // What each string is for.
  core::Status look() {
    ProtobufReader reader(bytes_);
    while (reader.next()) {
      if (reader.is(kDefaultSampleType, Wire::varint)) kinds_.insert(reader.number());
      if (reader.wire() != Wire::bytes) continue;
      if (reader.field() == kString) strings_.push_back(reader.bytes());
      if (strings_.size() > kMostStrings) {
        return core::fail(core::ErrorCode::limit_exceeded,
                          name_ + " cannot be redacted: its table of strings has more than 8388608 entries", {}, name_);
      }
      for (ProtobufReader inside(reader.bytes()); reader.field() != kString && inside.next();) {
        if (inside.wire() != Wire::varint) continue;
        if ((reader.field() == kSampleType || reader.field() == kPeriodType) && inside.field() <= 2)
          kinds_.insert(inside.number());
        if (reader.field() == kFunction && (inside.field() == 2 || inside.field() == 3)) names_.insert(inside.number());
        if (reader.field() == kMapping && inside.field() == 5) files_.insert(inside.number());
      }
    }
    if (reader.damaged()) {
      return core::fail(core::ErrorCode::invalid_input,
                        name_ + " cannot be redacted: the profile is damaged or ends before its end", "copy the file again",
                        name_);
    }
    for (const std::uint64_t index : names_) {
      if (index < strings_.size()) apart_.add(strings_[static_cast<std::size_t>(index)]);
    }
    return {};
  }

  std::string string(std::size_t index) {
    const std::string_view text = strings_[index];
    if (text.empty()) return {};
    if (names_.contains(index)) {
      const std::string* shown = apart_.find(text);
      if (shown != nullptr && *shown != text) taken_.add("function names");
      return shown == nullptr ? std::string(text) : *shown;
    }
    if (kinds_.contains(index) && is_known_kind(text)) return std::string(text);
    if (files_.contains(index)) {
      if (const std::string_view file = system_file(text); !file.empty()) return std::string(file);
      taken_.add("mapping files");
      return other_files_.of(std::string(text));
    }
    taken_.add(kinds_.contains(index) ? "sample types" : "strings");
    return kinds_.contains(index) ? std::string(core::kRedacted) : std::string();
  }

  void field(const ProtobufReader& reader) {
    switch (reader.field()) {
      case kSampleType:
      case kPeriodType:
        numbers(reader, {1, 2});
        break;
      case kSample:
        sample(reader);
        break;
      case kMapping:  // ids, addresses, the file, what it has
        numbers(reader, {1, 2, 3, 4, 5, 7, 8, 9, 10});
        break;
      case kLocation:
        location(reader);
        break;
      case kFunction:
        numbers(reader, {1, 2, 3, 5});
        break;
      case kTime:
      case kDuration:
      case kPeriod:
      case kDefaultSampleType:
        if (reader.wire() == Wire::varint) put_number(out_, reader.field(), reader.number());
        break;
      case kString:
        break;
      case kComment:
        taken_.add("comments");
        break;
      default:
        taken_.add("fields that are not kept");
    }
  }
  static std::string kept(std::string_view message, std::initializer_list<std::uint32_t> fields) {
    std::string out;
    for (ProtobufReader reader(message); reader.next();) {
      if (reader.wire() == Wire::varint && std::find(fields.begin(), fields.end(), reader.field()) != fields.end())
        put_number(out, reader.field(), reader.number());
    }
    return out;
  }
  void numbers(const ProtobufReader& reader, std::initializer_list<std::uint32_t> fields) {
    if (reader.wire() == Wire::bytes) put_bytes(out_, reader.field(), kept(reader.bytes(), fields));
  }
  void sample(const ProtobufReader& reader) {
    if (reader.wire() != Wire::bytes) return;
    std::string out;
    for (ProtobufReader inside(reader.bytes()); inside.next();) {
      if (inside.field() == 1 || inside.field() == 2) {
        put_numbers(out, inside.field(), inside);
      } else {
        taken_.add("labels");
      }
    }
    put_bytes(out_, kSample, out);
  }
  void location(const ProtobufReader& reader) {
    if (reader.wire() != Wire::bytes) return;
    std::string out;
    for (ProtobufReader inside(reader.bytes()); inside.next();) {
      if (inside.is(4, Wire::bytes)) {
        put_bytes(out, 4, kept(inside.bytes(), {1, 2, 3}));
      } else if (inside.wire() == Wire::varint && (inside.field() <= 3 || inside.field() == 5)) {
        put_number(out, inside.field(), inside.number());
      }
    }
    put_bytes(out_, kLocation, out);
  }

  std::string_view bytes_;
  std::string name_, out_;
  std::vector<std::string_view> strings_;
  std::unordered_set<std::uint64_t> kinds_, names_, files_;  // indices of strings
  NamesApart apart_;
  Aliases other_files_;
  TakenOut taken_;
};

}  // namespace

core::Expected<Redaction> redacted_pprof_bytes(std::string_view bytes, const std::string& name) {
  // The reader says what is wrong with a profile: one in an old format holds no names, and its texts nobody knows.
  if (auto profile = read_pprof_bytes(bytes, name); !profile) return core::fail(profile.error());
  return PprofRedactor(bytes, name).redact();
}

core::Expected<Redaction> redacted_pprof(ByteSource& source, const std::string& name) {
  const auto bytes = read_all(source, kMostProtobuf, name, {});
  if (!bytes) return core::fail(bytes.error());
  return redacted_pprof_bytes(*bytes, name);
}

}  // namespace plumbline::profiles
