#include "profiles/analysis/op_work.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profiles/analysis/operator_work.hpp"
#include "profiles/bounded.hpp"

namespace plumbline::profiles {
namespace {

struct Call {  // of an operator
  std::int64_t start, end;
  std::uint32_t outer;  // the call around it on its thread; kNone
  std::uint32_t row;    // of the result
  bool launched = false;
};

void sort_by_time(std::vector<OpWork>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const OpWork& a, const OpWork& b) { return a.total > b.total; });
}

// Calls of operators by thread, in the order of their starts, and which of them was innermost at a time.
class OperatorCalls {
 public:
  explicit OperatorCalls(std::size_t threads) : threads_(threads) {}
  void add(std::uint16_t thread, std::int64_t start, std::int64_t end, std::uint32_t row) {
    Thread& one = threads_[thread];
    while (!one.open.empty() && one.calls[one.open.back()].end < end) one.open.pop_back();
    one.calls.push_back({start, end, one.open.empty() ? kNone : one.open.back(), row});
    one.open.push_back(static_cast<std::uint32_t>(one.calls.size() - 1));
  }
  [[nodiscard]] Call* at(std::uint16_t thread, std::int64_t time) {
    std::vector<Call>& calls = threads_[thread].calls;
    const auto behind =
        std::upper_bound(calls.begin(), calls.end(), time, [](std::int64_t t, const Call& call) { return t < call.start; });
    if (behind == calls.begin()) return nullptr;
    auto found = static_cast<std::uint32_t>(behind - calls.begin() - 1);
    while (found != kNone && calls[found].end < time) found = calls[found].outer;
    return found == kNone ? nullptr : &calls[found];
  }

 private:
  struct Thread {
    std::vector<Call> calls;
    std::vector<std::uint32_t> open;
  };
  std::vector<Thread> threads_;
};

class Summing {
 public:
  explicit Summing(const Capture& capture) : capture_(capture), calls_(capture.threads.size()) {}
  std::vector<OpWork> sum();

 private:
  // The row of an operator's call, kNone where its work is not known. Asked once per operator and text.
  std::uint32_t row(std::uint32_t op, std::uint32_t text);
  void name_kernels();

  const Capture& capture_;
  OperatorCalls calls_;
  std::vector<OpWork> rows_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by operator and text
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> by_what_;
  std::unordered_map<std::uint64_t, std::int64_t> by_kernel_;  // time by row and kernel
};

std::uint32_t Summing::row(std::uint32_t op, std::uint32_t text) {
  const auto [known, is_new] = known_.try_emplace((std::uint64_t{op} << 32U) | text, kNone);
  if (!is_new) return known->second;
  const std::string& name = capture_.names.text(op);
  auto work = operator_work(name, capture_.operand_texts.text(text));
  if (!work) return kNone;
  const auto [place, first] = by_what_.try_emplace({name, work->shape, work->dtype}, static_cast<std::uint32_t>(rows_.size()));
  if (first) rows_.push_back({name, work->shape, work->dtype, work->flops, work->bytes, 0, 0, {}});
  return known->second = place->second;
}

// Of each row the kernel that took most of its time, the first by name of several.
void Summing::name_kernels() {
  std::vector<std::int64_t> most(rows_.size(), -1);
  for (const auto& [key, time] : by_kernel_) {
    const auto row = static_cast<std::uint32_t>(key >> 32U);
    const std::string& name = capture_.names.text(static_cast<std::uint32_t>(key));
    if (time < most[row] || (time == most[row] && name > rows_[row].kernel)) continue;
    most[row] = time;
    rows_[row].kernel = name;
  }
}

std::vector<OpWork> Summing::sum() {
  const Operands& operands = capture_.operands;
  const Ranges& ranges = capture_.ranges;
  for (std::size_t i = 0; i < operands.range.size(); ++i) {
    const std::uint32_t range = operands.range[i];
    const std::uint32_t found = row(ranges.name[range], operands.text[i]);
    if (found != kNone) calls_.add(ranges.thread[range], ranges.times.start(range), ranges.times.end(range), found);
  }
  if (rows_.empty()) return {};
  const GpuOps& ops = capture_.ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::uint32_t launch = ops.launch[i];
    if (launch == kNone || ops.kind[i] != OpKind::kernel) continue;
    Call* const call = calls_.at(capture_.calls.thread[launch], capture_.calls.times.start(launch));
    if (call == nullptr) continue;
    OpWork& row = rows_[call->row];
    if (!call->launched) ++row.calls;
    call->launched = true;
    row.total += ops.times.length(i);
    by_kernel_[(std::uint64_t{call->row} << 32U) | ops.name[i]] += ops.times.length(i);
  }
  name_kernels();
  std::erase_if(rows_, [](const OpWork& each) { return each.total <= 0; });
  sort_by_time(rows_);
  return std::move(rows_);
}

}  // namespace

std::vector<OpWork> sum_op_work(const Capture& capture) {
  return capture.operands.range.size() == 0 ? std::vector<OpWork>() : Summing(capture).sum();
}

void add_op_work(std::vector<OpWork>& into, std::vector<OpWork>&& from) {
  std::map<std::tuple<std::string, std::string, std::string>, OpWork> sums;
  for (std::vector<OpWork>* list : {&into, &from}) {
    for (OpWork& each : *list) {
      const auto [place, added] = sums.try_emplace({each.op, each.shape, each.dtype}, each);
      if (added) continue;
      OpWork& sum = place->second;
      sum.calls += each.calls;
      add_bounded(sum.total, each.total);
      sum.kernel = std::min(sum.kernel, each.kernel);  // of several ranks' the same whatever their order
    }
  }
  into.clear();
  for (auto& [key, sum] : sums) into.push_back(std::move(sum));
  sort_by_time(into);
}

}  // namespace plumbline::profiles
