// What happened on the host: calls of the CUDA runtime and driver, and NVTX ranges.
#include <algorithm>
#include <unordered_set>

#include "profiles/names/names.hpp"
#include "profiles/names/os_calls.hpp"
#include "profiles/names/ranges.hpp"
#include "profiles/readers/nsys/nsys_reader.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint32_t kMostThreads = 0xFFFF;  // more of them share the last
constexpr std::uint64_t kFewNames = 20'000;     // up to which registered names are looked up one by one
constexpr std::size_t kMostNames = 200'000;     // beyond, ranges are named without their running numbers
constexpr std::uint32_t kUnread = kNone - 1;    // a registered text that is used and was not looked up yet
constexpr std::int64_t kDomain = 75;            // NVTX event types: a domain was made
constexpr std::string_view kTable = "NVTX_EVENTS";

bool is_range(std::int64_t type) { return type == 59 || type == 60 || type == 70 || type == 71; }

// Domain ids are small numbers of a process; the process stands in the id's upper half.
std::uint64_t domain_key(std::int64_t thread, std::int64_t domain) {
  return (static_cast<std::uint64_t>(thread & kProcessBits) << 8U) ^ static_cast<std::uint64_t>(domain);
}

enum RangeColumn : std::size_t { kType, kStart, kEnd, kDomainId, kThread, kTextId, kText, kJsonTextId, kJson, kBinary };
const std::vector<std::string_view> kRangeColumns = {"eventType", "start", "end",        "domainId", "globalTid",
                                                     "textId",    "text",  "jsonTextId", "jsonText", "binaryData"};

}  // namespace

std::uint16_t NsysReader::thread(std::int64_t global) {
  const Thread thread = {global & kProcessBits, global};
  return static_cast<std::uint16_t>(
      std::min(threads_.id(capture_.threads, thread, static_cast<std::uint64_t>(global)), kMostThreads));
}

core::Status NsysReader::api() {
  constexpr std::string_view kApi = "CUPTI_ACTIVITY_KIND_RUNTIME";
  if (!has(kApi)) return {};
  if (core::Status status = need(kApi, {"start", "end", "nameId"}); !status) return status;
  IdMap names;
  return each(kApi, {"start", "end", "nameId", "globalTid", "correlationId"}, [&](const Row& row) -> core::Status {
    const std::int64_t length = duration(row.integer(0), row.integer(1), api_faults_);
    if (length < 0) return {};
    const std::int64_t id = row.integer_or(2, -1);
    std::uint32_t& name = names.at(id);
    if (name == kNone) {
      const auto text = string(id);
      if (!text) return core::fail(text.error());
      name = capture_.names.id(api_name(*text));
    }
    Calls& calls = capture_.calls;
    calls.times.add(row.integer_or(0, 0), length);
    calls.name.push_back(name);
    calls.thread.push_back(thread(row.integer_or(3, 0)));
    const std::int64_t correlation = row.integer_or(4, -1);
    calls.correlation.push_back(correlation >= 0 && correlation < kNone ? static_cast<std::uint32_t>(correlation) : kNone);
    return {};
  });
}

// What threads that call the GPU's API waited for outside it. Of other threads nobody asks.
core::Status NsysReader::os_calls() {
  constexpr std::string_view kOsCalls = "OSRT_API";
  if (!has(kOsCalls) || capture_.calls.size() == 0) return {};
  if (core::Status status = need(kOsCalls, {"start", "end", "nameId", "globalTid"}); !status) return status;
  std::unordered_set<std::int64_t> callers;
  for (std::uint32_t i = 0; i < capture_.threads.size(); ++i) callers.insert(capture_.threads[i].thread);
  IdMap names;
  constexpr std::uint32_t kNoWait = kNone - 1;
  return each(kOsCalls, {"start", "end", "nameId", "globalTid"}, [&](const Row& row) -> core::Status {
    const std::int64_t global = row.integer_or(3, 0);
    const std::int64_t start = row.integer_or(0, kLatest), end = row.integer_or(1, 0);
    if (start < 0 || end > kLatest || end - start < kShortOsCall || !callers.contains(global)) return {};
    const std::int64_t id = row.integer_or(2, -1);
    std::uint32_t& name = names.at(id);
    if (name == kNone) {
      const auto text = string(id);
      if (!text) return core::fail(text.error());
      name = os_wait(*text) == OsWait::none ? kNoWait : capture_.names.id(*text);
    }
    if (name == kNoWait) return {};
    Calls& calls = capture_.os_calls;
    calls.times.add(start, end - start);
    calls.name.push_back(name);
    calls.thread.push_back(thread(global));
    calls.correlation.push_back(kNone);
    return {};
  });
}

// Ranges are named "domain:text" as nsys prints them; the default domain is empty. A domain's name stands in an event of
// type 75 of the same process. Ranges still open at the end of the capture end at its last timestamp. Two passes: what the rows
// refer to, then the rows.
core::Status NsysReader::ranges() {
  if (!has(kTable)) return {};
  if (core::Status status = need(kTable, {"start", "end", "eventType"}); !status) return status;
  if (core::Status status = range_domains(); !status) return status;
  if (core::Status status = payload_schemas(); !status) return status;
  shorten_ = registered_count_ > kMostNames;
  if (registered_count_ > kFewNames) {
    if (core::Status status = registered_texts(); !status) return status;
  }
  if (core::Status status = range_rows(); !status) return status;
  if (too_many_names_) {
    shorten_ = true;
    capture_.ranges = {};
    open_ranges_ = 0;
    range_faults_ = {};
    range_names_.clear();
    nccl_.forget_calls();
    if (core::Status status = range_rows(); !status) return status;
  }
  if (shorten_) {
    warn("shortened_names", "the capture has more than " + std::to_string(kMostNames) +
                                " names of NVTX ranges: their running numbers and arguments were left out");
  }
  return {};
}

core::Status NsysReader::range_domains() {
  return each(kTable, {"eventType", "start", "end", "domainId", "globalTid", "textId", "text"},
              [&](const Row& row) -> core::Status {
                for (const std::size_t column : {kStart, kEnd}) {
                  const std::int64_t time = row.integer_or(column, -kLatest);
                  if (time <= kLatest) last_range_ = std::max(last_range_, time);
                }
                const std::int64_t type = row.integer_or(kType, 0);
                const auto id = row.integer(kTextId);
                if (id && is_range(type)) {
                  std::uint32_t& used = registered_.at(*id);
                  if (used == kNone) {
                    used = kUnread;
                    ++registered_count_;
                  }
                }
                if (type != kDomain) return {};
                std::string name(row.text(kText));
                if (id) {
                  auto found = string(*id);
                  if (!found) return core::fail(found.error());
                  name = std::move(*found);
                }
                domain_of_.try_emplace(domain_key(row.integer_or(kThread, 0), row.integer_or(kDomainId, 0)),
                                       static_cast<std::uint32_t>(domains_.size()));
                domains_.push_back(std::move(name));
                return {};
              });
}

// All texts that ranges refer to, in one go over the table: asking for each by itself takes a hundred times as long.
core::Status NsysReader::registered_texts() {
  if (!has("StringIds")) return {};
  return each("StringIds", {"id", "value"}, [this](const Row& row) -> core::Status {
    const auto id = row.integer(0);
    if (!id || registered_.find(*id) != kUnread) return {};
    registered_.at(*id) = texts_.id(shorten_ ? range_name(row.text(1)) : row.text(1));
    return {};
  });
}

core::Status NsysReader::payload_schemas() {
  if (!has("NVTX_PAYLOAD_SCHEMA_ENTRIES")) return {};
  return each(
      "NVTX_PAYLOAD_SCHEMA_ENTRIES", {"domainId", "schemaId", "name", "type", "offset"}, [this](const Row& row) -> core::Status {
        nccl_.add_entry(row.integer_or(0, 0), row.integer_or(1, 0), row.text(2), {row.integer_or(3, 0), row.integer_or(4, 0)});
        return {};
      });
}

core::Status NsysReader::range_rows() {
  too_many_names_ = false;
  return each(kTable, kRangeColumns, [this](const Row& row) { return range_row(row); });
}

std::uint32_t NsysReader::domain_of(const Row& row) const {
  if (domain_of_.empty()) return 0;
  const auto found = domain_of_.find(domain_key(row.integer_or(kThread, 0), row.integer_or(kDomainId, 0)));
  return found == domain_of_.end() ? 0 : found->second;
}

core::Expected<std::uint32_t> NsysReader::range_name_of(const Row& row) {
  const std::uint32_t domain = domain_of(row);
  const auto id = row.integer(kTextId);
  if (!id) {
    const std::string_view text = row.text(kText);
    name_.assign(domains_[domain]).append(":").append(shorten_ ? range_name(text) : text);
    return capture_.names.id(name_);
  }
  std::uint32_t& text = registered_.at(*id);
  if (text == kUnread) {
    const auto found = string(*id);
    if (!found) return core::fail(found.error());
    text = texts_.id(shorten_ ? range_name(*found) : *found);
  }
  std::uint32_t& name = range_names_.try_emplace(std::uint64_t{domain} << 32U | text, kNone).first->second;
  if (name == kNone) {
    const std::string& words = texts_.text(text);
    name = capture_.names.id(domains_[domain] + ":" + (shorten_ ? range_name(words) : words));
  }
  return name;
}

core::Status NsysReader::range_row(const Row& row) {
  if (too_many_names_ || !is_range(row.integer_or(kType, 0))) return {};
  auto end = row.integer(kEnd);
  if (!end) {
    ++open_ranges_;
    end = last_range_;
  }
  const std::int64_t length = duration(row.integer(kStart), end, range_faults_);
  if (length < 0) return {};
  const auto name = range_name_of(row);
  if (!name) return core::fail(name.error());
  const std::int64_t start = row.integer_or(kStart, 0);
  Ranges& ranges = capture_.ranges;
  ranges.times.add(start, length);
  ranges.name.push_back(*name);
  ranges.thread.push_back(thread(row.integer_or(kThread, 0)));
  ranges.kind.push_back(RangeKind::nvtx);
  if (NcclCalls::is_call(capture_.names.text(*name))) {
    std::string json(row.text(kJson));
    if (const auto id = row.integer(kJsonTextId); id && json.empty()) {
      auto text = string(*id);
      if (!text) return core::fail(text.error());
      json = std::move(*text);
    }
    nccl_.add(capture_.names.text(*name), ranges.thread.back(), start, length, row.text(kBinary), json);
  }
  too_many_names_ = !shorten_ && capture_.names.size() > kMostNames;
  return {};
}

}  // namespace plumbline::profiles
