// rocprofv3's JSON results (`--output-format json`) -> Capture: kernel dispatches, copies, HIP calls and ROCTX ranges of every
// process in the file. Records name kernels, devices and operations by ids; the tables of these stand in front of the records,
// and where they do not the text is read twice (again()). Times are nanoseconds; grids count work-items and become blocks here.
// The file carries the process's whole environment: it is counted and not looked at.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/readers/traces/trace_fill.hpp"

namespace plumbline::profiles {

class RocprofReader final : public JsonReader {
 public:
  RocprofReader(Capture& capture, const ReadOptions& options) : capture_(capture), fill_(capture, options) {}
  Take take(std::span<const std::string> path, JsonKind kind) override;
  Answer value(int tag, std::string_view key, const JsonText& text, const JsonValue& value) override;
  // Records stood before what they refer to and were passed over: stream the text once more. True once at most.
  [[nodiscard]] bool again();
  [[nodiscard]] core::Status finish(const JsonEnd& end);

 private:
  enum Tag : int {
    pid_tag,
    environment_tag,
    agent_tag,
    symbol_tag,
    operations_tag,
    message_tag,
    dispatch_tag,
    copy_tag,
    call_tag,
    marker_tag,
  };
  struct Operations {  // of one kind of record
    std::vector<std::string> names;
  };
  struct Process {  // one element of the file
    std::int64_t pid = 0;
    std::unordered_map<std::int64_t, std::int64_t> devices;   // by agent handle: number among the GPUs
    std::unordered_map<std::int64_t, std::uint32_t> kernels;  // by kernel id: name
    std::unordered_map<std::int64_t, std::string> messages;   // by correlation id: what a ROCTX range says
    std::vector<Operations> operations;                       // by kind
    bool symbols_seen = false, passed_over = false;
  };
  struct Record;

  Record read_record(const JsonText& text, const JsonValue& value, bool& whole) const;
  std::string_view operation(const Record& record) const;
  std::int64_t device(std::int64_t handle);
  void agent(const JsonText& text, const JsonValue& value);
  void symbol(const JsonText& text, const JsonValue& value);
  void operations(const JsonText& text, const JsonValue& value);
  void message(const JsonText& text, const JsonValue& value);
  void dispatch(const Record& record);
  void copy(const Record& record);
  void host(const Record& record, bool marker);

  Capture& capture_;
  TraceFill fill_;
  std::deque<Process> processes_;
  Process* now_ = nullptr;
  std::size_t element_ = 0;
  bool second_pass_ = false;
  std::uint64_t events_ = 0, nameless_ = 0;
};

}  // namespace plumbline::profiles
