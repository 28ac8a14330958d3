#include "verbs/indexing/sender.hpp"

#include <span>
#include <utility>

#include "base/beside.hpp"

namespace plumbline::verbs {

using registry::pgindex::BundleRow;
using registry::pgindex::EntryRow;

namespace {

// So many publications are one transaction, or so many bytes of them.
constexpr std::size_t kAtOnce = 200;
constexpr std::size_t kBytesAtOnce = 16U << 20;

std::size_t size_of(const EntryRow& row) {
  std::size_t size = 1000 + row.record.label.size() + row.record.notes.size();
  for (const auto& [key, value] : row.record.context) size += key.size() + value.size();
  for (const auto& point : row.points) size += 100 + point.key.size();
  return size;
}

std::size_t size_of(const BundleRow& row) {
  std::size_t size = 1000 + row.words.size();
  for (const std::string& key : row.keys) size += key.size();
  return size;
}

}  // namespace

Status Sender::add(EntryRow row) {
  bytes_ += size_of(row);
  entries_.push_back(std::move(row));
  return is_full() ? send() : Status();
}

Status Sender::add(BundleRow row) {
  bytes_ += size_of(row);
  bundles_.push_back(std::move(row));
  return is_full() ? send() : Status();
}

Status Sender::land() {
  if (auto ok = send(); !ok) return ok;
  return arrived();
}

bool Sender::is_full() const { return entries_.size() + bundles_.size() >= kAtOnce || bytes_ >= kBytesAtOnce; }

Status Sender::send() {
  if (auto ok = arrived(); !ok) return ok;
  if (entries_.empty() && bundles_.empty()) return {};
  auto work = [this, entries = std::exchange(entries_, {}), bundles = std::exchange(bundles_, {})] {
    auto refused = put(entries);
    if (!refused) return refused;
    const auto more = put(bundles);
    return more ? Expected<std::uint64_t>(*refused + *more) : more;
  };
  sending_ = base::beside(std::move(work));
  bytes_ = 0;
  return {};
}

Status Sender::arrived() {
  if (!sending_.valid()) return {};
  const auto refused = sending_.get();
  if (!refused) return core::fail(refused.error());
  refused_ += *refused;
  return {};
}

template <class Row>
Expected<std::uint64_t> Sender::put(const std::vector<Row>& rows) {
  auto ok = index_.add(rows, stop_);
  if (ok) return 0;
  if (ok.error().code != ErrorCode::invalid_input) return core::fail(ok.error());
  std::uint64_t refused = 0;
  for (const Row& row : rows) {
    ok = index_.add(std::span(&row, 1), stop_);
    if (!ok && ok.error().code != ErrorCode::invalid_input) return core::fail(ok.error());
    refused += ok ? 0 : 1;
  }
  return refused;
}

}  // namespace plumbline::verbs
