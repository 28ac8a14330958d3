// The scan over many leaves: blocks of pages are read and decoded by two threads, block by block in turns, and handed over in
// the table's order. The thread that decoded a block also hands it over, while the other one decodes the next.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "profiles/readers/sqlite/sqlite_pages.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint32_t kGap = 8;         // pages of others between two leaves that are read along rather than skipped
constexpr std::size_t kWorthAThread = 8;  // blocks

class Scan {
 public:
  Scan(const PageDecoder& decoder, const std::vector<std::uint32_t>& leaves, const PageReader& read, std::size_t columns,
       const PageScan& scan)
      : decoder_(decoder),
        leaves_(leaves),
        read_(read),
        columns_(columns),
        scan_(scan),
        per_block_(static_cast<std::size_t>(std::max<std::uint64_t>(1, kPageBlock / decoder.format().page_size))),
        blocks_((leaves.size() + per_block_ - 1) / per_block_) {}

  PageScanResult run() {
    std::thread beside;
    if (scan_.threads > 1 && blocks_ >= kWorthAThread) {
      try {
        beside = std::thread([this] { work(false); });
      } catch (const std::system_error&) {
        // No second thread to be had: this one does it all.
      }
    }
    work(true);
    if (beside.joinable()) beside.join();
    if (thrown_) std::rethrow_exception(thrown_);
    result_.rows = rows_;
    // The other thread may have had all turns since it was asked for.
    if (result_.end == PageScanEnd::complete && scan_.stop && scan_.stop()) result_.end = PageScanEnd::stopped;
    return result_;
  }

 private:
  void work(bool is_caller) {
    try {
      PageDecoder decoder = decoder_;
      RowBatch batch(columns_);
      std::vector<char> bytes(per_block_ * decoder_.format().page_size + kPagePadding);
      for (;;) {
        const std::size_t block = next_.fetch_add(1);
        if (block >= blocks_ || over_.load()) return;
        const bool good = decode(decoder, block, bytes, batch);
        std::unique_lock lock(mutex_);
        turns_.wait(lock, [&] { return over_.load() || turn_ == block; });
        if (over_.load()) return;
        lock.unlock();
        hand_over(block, good, batch, is_caller);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
      over_.store(true);
      turns_.notify_all();
    }
  }

  // Neighbouring leaves come in with one read; a page's bytes stay in place until the block is handed over.
  bool decode(PageDecoder& decoder, std::size_t block, std::vector<char>& bytes, RowBatch& batch) const {
    batch.clear();
    const std::uint32_t size = decoder.format().page_size;
    const std::size_t first = block * per_block_;
    const std::size_t end = std::min(leaves_.size(), first + per_block_);
    // At most as many pages as the buffer has: room for gaps is what the leaves read so far leave of it.
    std::size_t used = 0;
    for (std::size_t i = first; i < end;) {
      std::size_t last = i;
      while (last + 1 < end && leaves_[last + 1] > leaves_[last] && leaves_[last + 1] - leaves_[last] <= kGap &&
             used + (leaves_[last + 1] - leaves_[i] + 1) + (end - last - 2) <= per_block_) {
        ++last;
      }
      const std::size_t pages = leaves_[last] - leaves_[i] + std::size_t{1};
      char* const to = bytes.data() + used * size;
      if (!read_((std::uint64_t{leaves_[i]} - 1) * size, to, pages * size)) return false;
      for (std::size_t leaf = i; leaf <= last; ++leaf) {
        if (!decoder.leaf(to + (leaves_[leaf] - leaves_[i]) * std::size_t{size}, batch)) return false;
      }
      used += pages;
      i = last + 1;
    }
    return true;
  }

  void hand_over(std::size_t block, bool good, const RowBatch& batch, bool is_caller) {
    PageScanEnd end = PageScanEnd::complete;
    core::Error error;
    if (is_caller && scan_.stop && scan_.stop()) {
      end = PageScanEnd::stopped;
    } else if (!good || !ascending(batch)) {
      end = PageScanEnd::unusual;
    } else {
      if (is_caller && scan_.progress) scan_.progress(static_cast<double>(block) / static_cast<double>(blocks_));
      if (core::Status status = scan_.rows(batch); !status) {
        end = PageScanEnd::refused;
        error = std::move(status.error());
      }
      rows_ += batch.size();
    }
    const std::lock_guard lock(mutex_);
    if (end != PageScanEnd::complete) {
      result_.end = end;
      result_.error = std::move(error);
      over_.store(true);
    }
    turn_ = block + 1;
    turns_.notify_all();
  }

  // Row ids rise over the whole table. That they do proves that no leaf was read twice.
  bool ascending(const RowBatch& batch) {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (any_ && batch.rowid(row) <= last_) return false;
      any_ = true;
      last_ = batch.rowid(row);
    }
    return true;
  }

  const PageDecoder& decoder_;
  const std::vector<std::uint32_t>& leaves_;
  const PageReader& read_;
  const std::size_t columns_;
  const PageScan& scan_;
  const std::size_t per_block_, blocks_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::condition_variable turns_;
  std::size_t turn_ = 0;  // the block whose turn it is; behind mutex_
  std::exception_ptr thrown_;
  PageScanResult result_;
  // Of whoever has the turn.
  std::uint64_t rows_ = 0;
  std::int64_t last_ = 0;
  bool any_ = false;
};

}  // namespace

PageScanResult scan_pages(const PageDecoder& decoder, const std::vector<std::uint32_t>& leaves, const PageReader& read,
                          std::size_t columns, const PageScan& scan) {
  return Scan(decoder, leaves, read, columns, scan).run();
}

}  // namespace plumbline::profiles
