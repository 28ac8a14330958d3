// What NCCL says of its calls in NVTX ranges of its domain: which collective, how many bytes, over how many ranks. The bytes are
// a payload that exports hold only when made with --include-blobs=true (NVTX_EVENTS.binaryData, laid out by NVTX_PAYLOAD_SCHEMAS)
// or --include-json=true (jsonText). Layout of the payload as seen in exports of 2026.1, little-endian: domain id at 0 and schema
// id at 8 (32 bits), payload size at 16 and whole size at 24 (64 bits), then the payload. A call that launched a kernel says what
// the kernel did. Grouped calls launch when the group ends: sends and receives add up, calls as many as kernels belong one to
// one, anything else stays unsaid rather than guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/capture.hpp"

namespace plumbline::profiles {

class NcclCalls {
 public:
  struct Field {
    std::int64_t type = 0, offset = 0;  // of NVTX_PAYLOAD_SCHEMA_ENTRIES
  };
  // One entry of a schema.
  void add_entry(std::int64_t domain, std::int64_t schema, std::string_view name, Field field);
  // Whether an entry's name is one that add_entry() keeps.
  [[nodiscard]] static bool is_entry(std::string_view name);
  // A payload with nothing but what is read of it; "" when nothing is. The schemas must be known.
  [[nodiscard]] std::string bare_payload(std::string_view binary) const;
  [[nodiscard]] static std::string bare_json(std::string_view json);
  // Whether a range's name ("NCCL:ncclSend") is a call of NCCL.
  [[nodiscard]] static bool is_call(std::string_view range);
  void add(std::string_view range, std::uint16_t thread, std::int64_t start, std::int64_t length, std::string_view binary,
           std::string_view json);
  void forget_calls();
  // Fills capture.collectives; ops and calls must still carry their correlation ids.
  void attach(Capture& capture) const;

 private:
  enum class Kind : std::uint8_t { group_start, group_end, send, receive, collective };
  struct Call {
    std::int64_t start = 0, end = 0;
    Kind kind = Kind::collective;
    std::string type;
    std::uint64_t bytes = 0;  // as the payload has it
    std::uint64_t communicator = 0;
    std::size_t first = 0;  // of the end of a group: where the group begins
  };
  struct Payload {
    std::optional<std::uint64_t> bytes, communicator, ranks;
  };
  [[nodiscard]] Payload decode(std::string_view binary, std::string_view json) const;
  [[nodiscard]] std::uint32_t ranks_of(std::uint64_t communicator) const;
  [[nodiscard]] Collective collective(const Call& call) const;
  static void find_groups(std::vector<Call>& calls);
  // The calls with a size in the group that ends with calls[end].
  [[nodiscard]] static std::vector<const Call*> group(const std::vector<Call>& calls, std::size_t end);
  void attach_group(const std::vector<const Call*>& members, const std::vector<std::uint32_t>& ops, Capture& capture) const;

  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::string, Field, std::less<>>> schemas_;
  std::map<std::uint16_t, std::vector<Call>> calls_;  // by thread
  std::map<std::uint64_t, std::uint32_t> ranks_;      // by communicator
  bool payloads_ = false;
};

}  // namespace plumbline::profiles
