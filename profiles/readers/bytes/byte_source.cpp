#include "profiles/readers/bytes/byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace plumbline::profiles {
namespace {

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const OpenFile& file) : file_(file) { ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL); }
  core::Expected<std::size_t> read(char* to, std::size_t most) override {
    for (;;) {
      const std::uint64_t at = at_.load(std::memory_order_relaxed);
      const auto got = ::pread(file_.get(), to, most, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return core::fail(core::ErrorCode::environment, "the capture cannot be read to its end");
      at_.store(at + static_cast<std::uint64_t>(got), std::memory_order_relaxed);
      return static_cast<std::size_t>(got);
    }
  }
  [[nodiscard]] std::uint64_t taken() const override { return at_.load(std::memory_order_relaxed); }

 private:
  const OpenFile& file_;
  std::atomic<std::uint64_t> at_ = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}
  core::Expected<std::size_t> read(char* to, std::size_t most) override {
    const std::uint64_t at = at_.load(std::memory_order_relaxed);
    const std::size_t size = std::min({most, piece_, text_.size() - static_cast<std::size_t>(at)});
    if (size > 0) std::memcpy(to, text_.data() + at, size);
    at_.store(at + size, std::memory_order_relaxed);
    return size;
  }
  [[nodiscard]] std::uint64_t taken() const override { return at_.load(std::memory_order_relaxed); }

 private:
  const std::string_view text_;
  const std::size_t piece_;
  std::atomic<std::uint64_t> at_ = 0;
};

// A ring of blocks between the thread that fills them and the one that empties them.
class ReadAhead final : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    try {
      for (Block& block : ring_) block.bytes = std::make_unique_for_overwrite<char[]>(kBlock);
      filler_ = std::thread([this] { fill(); });
    } catch (const std::system_error&) {
      alone_ = true;  // no thread to be had: everything happens in read()
    }
  }
  ~ReadAhead() override {
    {
      const std::lock_guard lock(mutex_);
      given_up_ = true;
    }
    emptied_.notify_one();
    if (filler_.joinable()) filler_.join();
  }

  core::Expected<std::size_t> read(char* to, std::size_t most) override {
    if (alone_) return source_->read(to, most);
    Block& block = ring_[reading_ % kBlocks];
    if (!held_) {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [&] { return filled_count_ > reading_; });
      held_ = true;
      at_ = 0;
    }
    if (at_ == block.size) {  // the last block: the end, or what went wrong
      if (block.error) return core::fail(*block.error);
      return std::size_t{0};
    }
    const std::size_t size = std::min(most, block.size - at_);
    std::memcpy(to, block.bytes.get() + at_, size);
    at_ += size;
    if (at_ == block.size && !block.last) {
      {
        const std::lock_guard lock(mutex_);
        ++reading_;
      }
      held_ = false;
      emptied_.notify_one();
    }
    return size;
  }
  // The filling thread has finished with the source when the last block was seen.
  [[nodiscard]] Ending ending() const override { return source_->ending(); }
  [[nodiscard]] std::uint64_t taken() const override { return source_->taken(); }

 private:
  static constexpr std::size_t kBlock = std::size_t{512} << 10U;
  static constexpr std::size_t kBlocks = 4;
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    bool last = false;
    std::optional<core::Error> error;
  };

  void fill() {
    for (std::size_t filling = 0;; ++filling) {
      {
        std::unique_lock lock(mutex_);
        emptied_.wait(lock, [&] { return given_up_ || filling < reading_ + kBlocks; });
        if (given_up_) return;
      }
      Block& block = ring_[filling % kBlocks];
      block.size = 0;
      while (block.size < kBlock && !block.last) {
        const auto got = source_->read(block.bytes.get() + block.size, kBlock - block.size);
        if (!got) block.error = got.error();
        block.last = !got || *got == 0;
        if (got) block.size += *got;
      }
      const bool last = block.last;
      {
        const std::lock_guard lock(mutex_);
        filled_count_ = filling + 1;
      }
      filled_.notify_one();
      if (last) return;
    }
  }

  std::unique_ptr<ByteSource> source_;
  std::array<Block, kBlocks> ring_;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::size_t filled_count_ = 0, reading_ = 0;  // under mutex_
  bool given_up_ = false;                       // under mutex_
  bool held_ = false, alone_ = false;
  std::size_t at_ = 0;
  std::thread filler_;
};

}  // namespace

std::unique_ptr<ByteSource> file_bytes(const OpenFile& file) { return std::make_unique<FileBytes>(file); }

std::unique_ptr<ByteSource> memory_bytes(std::string_view text, std::size_t piece) {
  return std::make_unique<MemoryBytes>(text, piece);
}

std::unique_ptr<ByteSource> read_ahead(std::unique_ptr<ByteSource> source) {
  return std::make_unique<ReadAhead>(std::move(source));
}

std::unique_ptr<ByteSource> text_bytes(const OpenFile& file) {
  const std::string head = file.head(3).value_or(std::string());
  return is_gzip(head) ? read_ahead(gzip_bytes(file_bytes(file))) : file_bytes(file);
}

}  // namespace plumbline::profiles
