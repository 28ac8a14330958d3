#include "profiles/readers/nsys/nsys_nccl.hpp"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstring>
#include <memory>
#include <unordered_map>

#include "core/privacy.hpp"
#include "profiles/names/collectives.hpp"
#include "profiles/names/names.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::string_view kPrefix = "NCCL:nccl";
constexpr std::string_view kBytes = "Message size [bytes]", kCommunicator = "NCCL communicator ID", kRanks = "No. of ranks";
constexpr std::size_t kHeader = 32;
constexpr NcclCalls::Field kDomainAt = {5, 0}, kSchemaAt = {5, 8};
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // of one call; beyond is damage
constexpr std::uint64_t kMostRanks = 1 << 20;

// The sizes of the unsigned integers that NCCL's payloads use: NVTX_PAYLOAD_ENTRY_TYPE 5 (int), 6, 18 (uint64), 22 (size).
std::size_t size_of(const NcclCalls::Field& field) {
  return field.type == 5 || field.type == 6 ? 4 : field.type == 18 || field.type == 22 ? 8 : 0;
}

std::optional<std::uint64_t> number_at(std::string_view payload, const NcclCalls::Field& field) {
  const std::size_t size = size_of(field);
  if (size == 0 || field.offset < 0 || static_cast<std::uint64_t>(field.offset) > payload.size()) return std::nullopt;
  const auto at = static_cast<std::size_t>(field.offset);
  if (payload.size() - at < size) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(payload[at + i]);
  return value;
}

// The number behind `"key":` anywhere in the text: the payload as JSON is flat.
std::optional<std::uint64_t> number_of(std::string_view json, std::string_view key) {
  const std::string quoted = "\"" + std::string(key) + "\"";
  std::size_t at = json.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  at = json.find_first_not_of(" \t\n:\"", at + quoted.size());
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(json.data() + at, json.data() + json.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

}  // namespace

void NcclCalls::add_entry(std::int64_t domain, std::int64_t schema, std::string_view name, Field field) {
  if (is_entry(name)) schemas_[{domain, schema}].try_emplace(std::string(name), field);
}

bool NcclCalls::is_entry(std::string_view name) { return name == kBytes || name == kCommunicator || name == kRanks; }

std::string NcclCalls::bare_payload(std::string_view binary) const {
  if (binary.size() <= kHeader) return {};
  const auto schema = schemas_.find(
      {static_cast<std::int64_t>(*number_at(binary, kDomainAt)), static_cast<std::int64_t>(*number_at(binary, kSchemaAt))});
  if (schema == schemas_.end()) return {};
  std::string bare;
  const auto copy = [&](std::size_t at, std::size_t size) {
    bare.resize(std::max(bare.size(), at + size));
    bare.replace(at, size, binary.substr(at, size));
  };
  for (const auto& [name, field] : schema->second) {
    if (number_at(binary.substr(kHeader), field)) copy(kHeader + static_cast<std::size_t>(field.offset), size_of(field));
  }
  if (bare.empty()) return {};
  for (const Field& field : {kDomainAt, kSchemaAt}) copy(static_cast<std::size_t>(field.offset), size_of(field));
  return bare;
}

std::string NcclCalls::bare_json(std::string_view json) {
  std::string bare;
  for (const std::string_view key : {kBytes, kCommunicator, kRanks}) {
    const auto number = number_of(json, key);
    if (number) bare.append(bare.empty() ? "{\"" : ", \"").append(key).append("\": ").append(std::to_string(*number));
  }
  return bare.empty() ? std::string(core::kRedacted) : bare + "}";
}

bool NcclCalls::is_call(std::string_view range) { return range.starts_with(kPrefix); }

NcclCalls::Payload NcclCalls::decode(std::string_view binary, std::string_view json) const {
  Payload found;
  if (binary.size() > kHeader) {
    const auto domain = number_at(binary, kDomainAt);
    const auto schema = number_at(binary, kSchemaAt);
    const auto entries = schemas_.find({static_cast<std::int64_t>(*domain), static_cast<std::int64_t>(*schema)});
    if (entries != schemas_.end()) {
      const auto value = [&](std::string_view name) -> std::optional<std::uint64_t> {
        const auto entry = entries->second.find(name);
        if (entry == entries->second.end()) return std::nullopt;
        return number_at(binary.substr(kHeader), entry->second);
      };
      found = {value(kBytes), value(kCommunicator), value(kRanks)};
    }
  }
  if (!found.bytes && !json.empty()) found = {number_of(json, kBytes), number_of(json, kCommunicator), number_of(json, kRanks)};
  if (found.bytes > kMostBytes) found.bytes.reset();
  if (found.ranks > kMostRanks) found.ranks.reset();
  return found;
}

void NcclCalls::add(std::string_view range, std::uint16_t thread, std::int64_t start, std::int64_t length,
                    std::string_view binary, std::string_view json) {
  const std::string_view name = range.substr(kPrefix.size());
  const Payload payload = decode(binary, json);
  if (payload.communicator && payload.ranks) ranks_[*payload.communicator] = static_cast<std::uint32_t>(*payload.ranks);
  Call call;
  call.start = start;
  call.end = start + length;
  call.bytes = payload.bytes.value_or(0);
  call.communicator = payload.communicator.value_or(0);
  if (name == "GroupStart") {
    call.kind = Kind::group_start;
  } else if (name == "GroupEnd") {
    call.kind = Kind::group_end;
  } else if (name == "Send" || name == "Recv") {
    call.kind = name == "Send" ? Kind::send : Kind::receive;
    call.type = "send_recv";
  } else {
    call.type = collective_type(name);
    if (call.type.empty()) return;  // of its administration
    call.kind = Kind::collective;
  }
  payloads_ = payloads_ || call.bytes > 0;
  calls_[thread].push_back(std::move(call));
}

void NcclCalls::forget_calls() {
  calls_.clear();
  ranks_.clear();
  payloads_ = false;
}

std::uint32_t NcclCalls::ranks_of(std::uint64_t communicator) const {
  const auto found = ranks_.find(communicator);
  return found == ranks_.end() ? 0 : found->second;
}

// NCCL's "message size" is that of one rank's part where the parts of all ranks make up one of the two buffers.
Collective NcclCalls::collective(const Call& call) const {
  Collective result;
  result.type = call.type;
  result.group_size = ranks_of(call.communicator);
  const bool part = call.type == "all_gather" || call.type == "reduce_scatter" || call.type == "all_to_all" ||
                    call.type == "gather" || call.type == "scatter";
  result.bytes = part ? call.bytes * result.group_size : call.bytes;  // 0, not known, without the number of ranks
  return result;
}

void NcclCalls::find_groups(std::vector<Call>& calls) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].kind == Kind::group_start) open.push_back(i);
    if (calls[i].kind != Kind::group_end) continue;
    calls[i].first = open.empty() ? i : open.back();  // the start of some is not in the capture: these are empty
    if (!open.empty()) open.pop_back();
  }
}

std::vector<const NcclCalls::Call*> NcclCalls::group(const std::vector<Call>& calls, std::size_t end) {
  std::vector<const Call*> members;
  for (std::size_t i = calls[end].first; i < end; ++i) {
    if (calls[i].bytes > 0) members.push_back(&calls[i]);
  }
  return members;
}

void NcclCalls::attach_group(const std::vector<const Call*>& members, const std::vector<std::uint32_t>& ops,
                             Capture& capture) const {
  const bool pairs = std::all_of(members.begin(), members.end(),
                                 [](const Call* call) { return call->kind == Kind::send || call->kind == Kind::receive; });
  const bool alike = std::all_of(members.begin(), members.end(), [&](const Call* call) {
    return call->type == members.front()->type && call->communicator == members.front()->communicator;
  });
  const auto add = [&](Collective&& collective, std::uint32_t op) {
    collective.op = op;
    collective.dtype = kernel_dtype(capture.names.text(capture.ops.name[op]));
    capture.collectives.push_back(std::move(collective));
  };
  if (members.empty()) return;
  if (ops.size() == 1 && pairs) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (const Call* call : members) (call->kind == Kind::send ? sent : received) += call->bytes;
    Collective sum = collective(*members.front());
    sum.bytes = std::max(sent, received);
    add(std::move(sum), ops.front());
  } else if (ops.size() == 1 && alike) {
    Collective sum = collective(*members.front());
    for (std::size_t i = 1; i < members.size(); ++i) sum.bytes += collective(*members[i]).bytes;
    add(std::move(sum), ops.front());
  } else if (ops.size() == members.size() && !pairs) {
    for (std::size_t i = 0; i < ops.size(); ++i) add(collective(*members[i]), ops[i]);
  }
}

void NcclCalls::attach(Capture& capture) const {
  if (!payloads_) return;
  // Communication kernels by (process, correlation id); ids that several kernels share are replays of a graph and say nothing.
  std::vector<bool> asked(capture.names.size());
  std::vector<bool> communication(capture.names.size());
  std::unordered_map<std::uint64_t, std::uint32_t> launched;
  const auto bits = std::make_unique<std::bitset<1U << 20U>>();  // most calls launched no such kernel: a look here says so
  const auto key = [](std::int64_t process, std::uint32_t id) {  // a process's number stands above its lowest 24 bits
    return (static_cast<std::uint64_t>(process) << 8U) | id;
  };
  const auto bit = [&bits](std::uint64_t value) { return ((value * 0x9E3779B97F4A7C15U) >> 40U) % bits->size(); };
  for (std::uint32_t i = 0; i < capture.ops.size(); ++i) {
    const std::uint32_t name = capture.ops.name[i];
    if (capture.ops.kind[i] != OpKind::kernel || capture.ops.launch[i] == kNone) continue;
    if (!asked[name]) {
      asked[name] = true;
      communication[name] = is_collective(capture.names.text(name));
    }
    if (!communication[name]) continue;
    const std::uint64_t at = key(capture.queues[capture.ops.queue[i]].process, capture.ops.launch[i]);
    const auto [place, added] = launched.try_emplace(at, i);
    if (!added) place->second = kNone;
    bits->set(bit(at));
  }

  // The kernels of each call of NCCL, in the order of their launches.
  std::map<std::uint16_t, std::vector<Call>> threads = calls_;
  for (auto& [thread, calls] : threads) {
    std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.start < b.start; });
    find_groups(calls);
  }
  std::map<std::pair<std::uint16_t, std::size_t>, std::vector<std::pair<std::int64_t, std::uint32_t>>> kernels;
  for (std::size_t i = 0; i < capture.calls.size(); ++i) {
    const std::uint16_t thread = capture.calls.thread[i];
    const std::uint64_t at = key(capture.threads[thread].process, capture.calls.correlation[i]);
    if (!bits->test(bit(at))) continue;
    const auto op = launched.find(at);
    const auto calls = threads.find(thread);
    if (op == launched.end() || op->second == kNone || calls == threads.end()) continue;
    const std::int64_t start = capture.calls.times.start(i);
    const auto after = std::upper_bound(calls->second.begin(), calls->second.end(), start,
                                        [](std::int64_t time, const Call& call) { return time < call.start; });
    if (after == calls->second.begin() || std::prev(after)->end < start) continue;
    kernels[{thread, static_cast<std::size_t>(after - calls->second.begin()) - 1}].emplace_back(start, op->second);
    op->second = kNone;  // runtime and driver calls of one launch share its id
  }
  for (auto& [place, started] : kernels) {
    std::sort(started.begin(), started.end());
    std::vector<std::uint32_t> ops;
    for (const auto& [start, op] : started) ops.push_back(op);
    const std::vector<Call>& calls = threads[place.first];
    const Call& call = calls[place.second];
    if (call.kind == Kind::group_end) {
      attach_group(group(calls, place.second), ops, capture);
    } else if (ops.size() == 1 && call.bytes > 0) {
      attach_group({&call}, ops, capture);
    }
  }
}

}  // namespace plumbline::profiles
