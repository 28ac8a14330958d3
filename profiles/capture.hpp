// The events of one capture, as every reader of single events fills them, before analyse() (analysis/analyse.hpp) turns them
// into a Profile and lets them go. Columns, not objects: five million kernels cost about 27 bytes each. Times are int64
// nanoseconds on one clock of the capture; names are interned; what an event refers to is an index into a small table.
// Filled by one thread; a reader that scans with several merges before it hands over.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/results/profile_diff.hpp"

namespace plumbline::profiles {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// A growing array of plain values that grows in place where the system can move pages instead of bytes: no moment at which
// two copies of a hundred megabytes exist.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    if (this != &other) {
      std::free(data_);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      room_ = std::exchange(other.room_, 0);
    }
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() { std::free(data_); }

  void push_back(T value) {
    if (size_ == room_) grow(room_ < 512 ? 1024 : room_ + room_ / 2);
    data_[size_++] = value;
  }
  void reserve(std::size_t count) {
    if (count > room_) grow(count);
  }
  void resize(std::size_t count) {  // new elements are zero
    reserve(count);
    if (count > size_) std::memset(static_cast<void*>(data_ + size_), 0, (count - size_) * sizeof(T));
    size_ = count;
  }
  void clear() { *this = Column(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

 private:
  void grow(std::size_t room) {
    void* moved = std::realloc(static_cast<void*>(data_), room * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();  // as every container of the house
    data_ = static_cast<T*>(moved);
    room_ = room;
  }
  T* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

// Start and length of events. Lengths below 4.29 s take 32 bits; the rare longer ones stand aside.
class Times {
 public:
  // `length` must not be negative.
  void add(std::int64_t start, std::int64_t length) {
    if (!starts_.empty() && start < starts_.back()) sorted_ = false;
    if (length >= kLong) {
      long_.emplace(static_cast<std::uint32_t>(starts_.size()), length);
      length = kLong;
    }
    starts_.push_back(start);
    lengths_.push_back(static_cast<std::uint32_t>(length));
  }
  void reserve(std::size_t count) {
    starts_.reserve(count);
    lengths_.reserve(count);
  }
  [[nodiscard]] std::size_t size() const { return starts_.size(); }
  [[nodiscard]] std::int64_t start(std::size_t i) const { return starts_[i]; }
  [[nodiscard]] std::int64_t length(std::size_t i) const {
    const std::uint32_t length = lengths_[i];
    return length != kLong ? static_cast<std::int64_t>(length) : long_.at(static_cast<std::uint32_t>(i));
  }
  [[nodiscard]] std::int64_t end(std::size_t i) const { return start(i) + length(i); }
  [[nodiscard]] bool sorted() const { return sorted_; }  // by start
  // New order: element i becomes what element order[i] was.
  void permute(const Column<std::uint32_t>& order);

 private:
  static constexpr std::uint32_t kLong = 0xFFFFFFFF;
  Column<std::int64_t> starts_;
  Column<std::uint32_t> lengths_;
  std::unordered_map<std::uint32_t, std::int64_t> long_;
  bool sorted_ = true;
};

// Names, each stored once and named by a dense id.
class NameTable {
 public:
  std::uint32_t id(std::string_view text);
  [[nodiscard]] const std::string& text(std::uint32_t id) const { return *texts_[id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;  // into ids_, whose nodes do not move
};

// A queue of GPU work. Readers make one per (process, device, context, stream).
struct Queue {
  std::int64_t process = 0, device = 0, context = 0, stream = 0;
  bool operator==(const Queue&) const = default;
};
struct Thread {  // of the host
  std::int64_t process = 0, thread = 0;
  bool operator==(const Thread&) const = default;
};

struct LaunchShape {  // blocks and threads per block, {0,0,0} where the capture does not say
  std::uint32_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0};
  bool operator==(const LaunchShape&) const = default;
};
enum class MemoryKind : std::uint8_t { unknown, pageable, pinned, device, managed, other };
struct CopyShape {
  std::uint64_t bytes = 0;
  MemoryKind from = MemoryKind::unknown, to = MemoryKind::unknown;
  bool operator==(const CopyShape&) const = default;
};

// A small table of distinct values, referred to by index.
template <class T>
class Distinct {
 public:
  std::uint32_t id(const T& value) {
    if (last_ < values_.size() && values_[last_] == value) return last_;
    const std::uint64_t key = hash(value);
    for (auto [at, end] = index_.equal_range(key); at != end; ++at) {
      if (values_[at->second] == value) return last_ = at->second;
    }
    last_ = static_cast<std::uint32_t>(values_.size());
    values_.push_back(value);
    index_.emplace(key, last_);
    return last_;
  }
  [[nodiscard]] const T& operator[](std::uint32_t id) const { return values_[id]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  static std::uint64_t mix(std::uint64_t sum, std::uint64_t value) {
    sum = (sum ^ value) * 0x9E3779B97F4A7C15U;
    return sum ^ (sum >> 29U);
  }
  static std::uint64_t hash(const Queue& q) {
    return mix(mix(mix(mix(1, static_cast<std::uint64_t>(q.process)), static_cast<std::uint64_t>(q.device)),
                   static_cast<std::uint64_t>(q.context)),
               static_cast<std::uint64_t>(q.stream));
  }
  static std::uint64_t hash(const Thread& t) {
    return mix(mix(2, static_cast<std::uint64_t>(t.process)), static_cast<std::uint64_t>(t.thread));
  }
  static std::uint64_t hash(const LaunchShape& s) {
    std::uint64_t sum = 3;
    for (const auto* part : {s.grid, s.block}) {
      for (int i = 0; i < 3; ++i) sum = mix(sum, part[i]);
    }
    return sum;
  }
  static std::uint64_t hash(const CopyShape& c) {
    return mix(mix(4, c.bytes), (static_cast<std::uint64_t>(c.from) << 8U) | static_cast<std::uint64_t>(c.to));
  }
  std::vector<T> values_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> index_;
  std::uint32_t last_ = 0;
};

enum class OpKind : std::uint8_t { kernel, copy, set, graph };  // set: memset; graph: a replay whose kernels are not seen

struct GpuOps {  // all columns of one length
  Times times;
  Column<std::uint32_t> name;   // NameTable
  Column<std::uint16_t> queue;  // Capture::queues
  Column<OpKind> kind;
  Column<std::uint32_t> detail;  // kernel: Capture::launch_shapes; copy, set: Capture::copy_shapes; kNone: not known
  Column<std::uint32_t> launch;  // correlation id as the capture has it; after join_launches() an index into calls; kNone
  Column<std::uint32_t> scope;   // "jit(step)/Dense_0/dot", as the compiler names it: NameTable or kNone; shorter than the others
  [[nodiscard]] std::size_t size() const { return times.size(); }
  // Of the operation added last.
  void set_scope(std::uint32_t name_id) {
    while (scope.size() < size()) scope.push_back(kNone);
    scope.back() = name_id;
  }
  [[nodiscard]] std::uint32_t scope_of(std::size_t op) const { return op < scope.size() ? scope[op] : kNone; }
};

struct Calls {  // CUDA, HIP and driver API calls on the host; or calls of the operating system, which launch nothing
  Times times;
  Column<std::uint32_t> name;
  Column<std::uint16_t> thread;       // Capture::threads
  Column<std::uint32_t> correlation;  // as GpuOps::launch before joining; ids are unique per process only
  [[nodiscard]] std::size_t size() const { return times.size(); }
};

// op: a framework's operator (aten::mm), with children; module: a part of a model (nn.Module: Linear_3); frame: a function of
// Python; gpu: an annotation by the time its work took on the device, whose Thread is {device, stream}.
enum class RangeKind : std::uint8_t { nvtx, annotation, op, gpu, module, frame };
// What a framework or an interpreter writes of itself, beside what people mark.
[[nodiscard]] constexpr bool is_automatic(RangeKind kind) {
  return kind == RangeKind::op || kind == RangeKind::module || kind == RangeKind::frame;
}
struct Ranges {  // nested per thread by time
  Times times;
  Column<std::uint32_t> name;
  Column<std::uint16_t> thread;  // where it began
  Column<RangeKind> kind;
  [[nodiscard]] std::size_t size() const { return times.size(); }
};

// Operators whose shapes are known: places in Ranges with what their arguments were, as the capture writes them.
struct Operands {
  Column<std::uint32_t> range;  // index into ranges
  Column<std::uint32_t> text;   // Capture::operand_texts
};

struct Collective {          // what a communication kernel did, where the capture says
  std::uint32_t op = kNone;  // index into ops
  std::string type;          // "all_reduce" "all_gather" "reduce_scatter" "all_to_all" "broadcast" "send_recv" …
  std::string dtype, group;
  std::uint64_t bytes = 0;  // of the larger of input and output on this rank; 0 = not known
  std::uint32_t group_size = 0;
  std::int64_t sequence = -1;
};

inline constexpr std::int64_t kShortOsCall = 5'000;  // ns: what is shorter explains no gap

struct GpuInfo {
  std::string name;  // "" where not known
};

struct Capture {
  core::ProfileSideInfo info;  // path, format, version, context; the rest is filled by analyse()
  NameTable names;
  Distinct<Queue> queues;
  Distinct<Thread> threads;
  Distinct<LaunchShape> launch_shapes;
  Distinct<CopyShape> copy_shapes;
  GpuOps ops;
  Calls calls;
  Calls os_calls;  // that wait, of threads which make calls; those of less than kShortOsCall are left out
  Ranges ranges;
  Operands operands;
  NameTable operand_texts;  // "dims\ntypes\nvalues", JSON each
  std::vector<Collective> collectives;
  std::map<std::int64_t, GpuInfo> gpus;  // by device
  std::optional<std::int64_t> rank, world_size;
  std::string graph_mode;           // "node" "graph" "none", "" = the capture does not say
  std::uint64_t graph_replays = 0;  // replays seen as a whole (OpKind::graph)
  std::uint64_t environment_rows = 0;
  std::map<std::string, std::uint64_t> private_rows;
  std::vector<core::Warning> warnings;
};

}  // namespace plumbline::profiles
