// Reads the events of one Nsight Systems export into a Capture. One object per attempt: where the pages of the file turn out not
// to be what they should (see sqlite_rows.hpp) the attempt is thrown away and made again through SQLite. What happens on the GPU
// is read in nsys_gpu.cpp, what on the host in nsys_host.cpp, what NCCL says of its calls in nsys_nccl.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/capture.hpp"
#include "profiles/readers/nsys/nsys_nccl.hpp"
#include "profiles/readers/nsys/nsys_sqlite.hpp"
#include "profiles/readers/sqlite/sqlite_rows.hpp"

namespace plumbline::profiles {

// Times beyond this (either sign) are damage, not time: differences of two then always fit int64.
inline constexpr std::int64_t kLatest = std::int64_t{4'000'000'000'000'000'000};
// Rows of one kind; their numbers take 32 bits.
inline constexpr std::size_t kMostEvents = std::size_t{1} << 30U;
// Of globalPid and globalTid: the process without its threads.
inline constexpr std::int64_t kProcessBits = 0x0000FFFFFF000000;

// Numbers by id. Ids of StringIds are small and dense in practice, but nothing promises it: ids far beyond the ones met so far
// stand aside.
class IdMap {
 public:
  std::uint32_t& at(std::int64_t id) {
    if (id < 0 || id >= static_cast<std::int64_t>(std::min(kFlat, flat_.size() * 2 + kNear)))
      return odd_.try_emplace(id, kNone).first->second;
    const auto index = static_cast<std::size_t>(id);
    if (index >= flat_.size()) grow(index);
    return flat_[index];
  }
  [[nodiscard]] std::uint32_t find(std::int64_t id) const {
    if (id >= 0 && static_cast<std::uint64_t>(id) < flat_.size()) return flat_[static_cast<std::size_t>(id)];
    const auto found = odd_.find(id);
    return found == odd_.end() ? kNone : found->second;
  }

 private:
  static constexpr std::size_t kFlat = 1U << 25U, kNear = 1U << 16U;
  void grow(std::size_t index) {
    flat_.resize(std::max(index + 1, flat_.size() * 2), kNone);
    for (auto at = odd_.begin(); at != odd_.end();) {  // what the array reaches now lives in it
      if (at->first < 0 || static_cast<std::uint64_t>(at->first) >= flat_.size()) {
        ++at;
        continue;
      }
      flat_[static_cast<std::size_t>(at->first)] = at->second;
      at = odd_.erase(at);
    }
  }
  std::vector<std::uint32_t> flat_;
  std::unordered_map<std::int64_t, std::uint32_t> odd_;
};

// A Distinct table with the values met lately in front of it: neighbouring events repeat a few queues and shapes.
template <class T, std::size_t kPlaces>
class Recent {
 public:
  std::uint32_t id(Distinct<T>& table, const T& value, std::uint64_t mixed) {
    mixed *= 0x9E3779B97F4A7C15U;
    Place& place = places_[(mixed >> 32U) % kPlaces];
    if (place.id != kNone && place.value == value) return place.id;
    place.value = value;
    return place.id = table.id(value);
  }

 private:
  struct Place {
    T value = {};
    std::uint32_t id = kNone;
  };
  std::array<Place, kPlaces> places_ = {};
};

struct RowFaults {
  std::uint64_t reversed = 0, unreadable = 0;
};

class NsysReader {
 public:
  NsysReader(Database& database, const ReadOptions& options, RowSource source)
      : database_(database), options_(options), source_(source) {}
  // nullopt: the pages were unusual, read again with RowSource::sqlite.
  core::Expected<std::optional<Capture>> read();

 private:
  using Row = RowBatch::Row;
  using Columns = std::vector<std::string_view>;

  // nsys_sqlite.cpp
  [[nodiscard]] bool has(std::string_view table) const { return schema_.tables.contains(table); }
  // Every row of a table, its columns by name; one that the table lacks is empty.
  template <class Each>
  core::Status each(std::string_view table, const Columns& wanted, Each&& row);
  core::Status scan(std::string_view table, const RowScan& scan);
  core::Expected<std::string> string(std::int64_t id);
  core::Status prepare_strings();
  core::Expected<std::uint64_t> count(std::string_view table);
  core::Status need(std::string_view table, const Columns& wanted);
  core::Error no_kernels();
  [[nodiscard]] core::Status within_bounds() const;
  core::Status events();
  void describe();
  void warn_of_rows();
  // A part of the whole work, from one fraction to another.
  void progress(double from, double to, std::string_view what);

  // nsys_gpu.cpp
  core::Status kernels();
  core::Status graph_replays();
  core::Status copies();
  core::Status copy_table(std::string_view table, OpKind kind);
  core::Expected<std::uint32_t> kernel_name(const Row& row, std::size_t first);
  bool wanted(std::int64_t device);
  // Whether a row is of a device that was asked for and has times that can be.
  bool usable(const Row& row);
  std::uint16_t queue(const Row& row);
  void op(const Row& row, OpKind kind, std::uint32_t name, std::uint32_t detail);

  // nsys_host.cpp
  core::Status api();
  core::Status os_calls();
  core::Status ranges();
  core::Status range_domains();
  core::Status registered_texts();
  core::Status payload_schemas();
  core::Status range_rows();
  core::Status range_row(const Row& row);
  core::Expected<std::uint32_t> range_name_of(const Row& row);
  std::uint32_t domain_of(const Row& row) const;
  std::uint16_t thread(std::int64_t global);

  // start, end -> duration; faults are counted and give -1.
  static std::int64_t duration(const std::optional<std::int64_t>& start, const std::optional<std::int64_t>& end,
                               RowFaults& faults);
  void warn(core::WarningCode code, std::string message) { capture_.warnings.push_back({code, std::move(message)}); }

  Database& database_;
  const ReadOptions& options_;
  const RowSource source_;
  bool unusual_ = false;  // the pages of a table were
  NsysSchema schema_;
  std::optional<Statement> lookup_;
  std::unordered_map<std::int64_t, std::string> strings_;  // StringIds, where it has no key to look up by
  bool lookup_tried_ = false;
  Capture capture_;
  double from_ = 0, to_ = 0;  // of the progress that is being made
  std::string doing_;

  Recent<Queue, 64> queues_;
  Recent<LaunchShape, 4096> shapes_;
  Recent<CopyShape, 256> copy_shapes_;
  Recent<Thread, 64> threads_;
  IdMap kernel_names_;
  std::set<std::int64_t> other_devices_;
  RowFaults gpu_faults_, api_faults_, range_faults_;
  std::uint64_t missing_names_ = 0;

  // Ranges. A domain's name stands in a row of its own, a registered text in StringIds.
  std::vector<std::string> domains_ = {""};
  std::unordered_map<std::uint64_t, std::uint32_t> domain_of_;  // by process and domain id
  IdMap registered_;                                            // StringIds ids that ranges use -> texts_
  NameTable texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> range_names_;  // domain and text -> name
  std::uint64_t registered_count_ = 0, open_ranges_ = 0;
  std::int64_t last_range_ = -kLatest;
  bool shorten_ = false, too_many_names_ = false;
  NcclCalls nccl_;
  std::string name_;  // that is being put together
};

template <class Each>
core::Status NsysReader::each(std::string_view table, const Columns& wanted, Each&& row) {
  RowScan scanned;
  scanned.columns = wanted;
  scanned.rows = [&](const RowBatch& batch) -> core::Status {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (core::Status status = row(batch[i]); !status) return status;
    }
    return within_bounds();
  };
  return scan(table, scanned);
}

}  // namespace plumbline::profiles
