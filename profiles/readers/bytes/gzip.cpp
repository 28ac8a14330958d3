#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>

#include "profiles/readers/bytes/byte_source.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::uint64_t kRatio = 250, kRatioFrom = std::uint64_t{64} << 20U;

class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)),
        state_(std::make_unique_for_overwrite<inflate_state>()),
        in_(std::make_unique_for_overwrite<char[]>(kIn)) {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
    state_->next_in = reinterpret_cast<std::uint8_t*>(in_.get());
    state_->avail_in = 0;
  }

  core::Expected<std::size_t> read(char* to, std::size_t most) override {
    most = std::min<std::size_t>(most, std::size_t{1} << 30U);
    state_->next_out = reinterpret_cast<std::uint8_t*>(to);
    state_->avail_out = static_cast<std::uint32_t>(most);
    while (state_->avail_out == most && !over_) {
      if (core::Status status = refill(); !status) return core::fail(status.error());
      if (member_over_ && !next_member()) break;
      const int result = isal_inflate(state_.get());
      if (result < 0 || result == ISAL_NEED_DICT) return core::fail(damaged(result));
      member_over_ = state_->block_state == ISAL_BLOCK_FINISH;
      if (!member_over_ && state_->avail_out == most && state_->avail_in == 0 && no_more_) {
        ending_.cut = true;
        over_ = true;
      }
    }
    const std::size_t got = most - state_->avail_out;
    produced_ += got;
    if (produced_ > kRatioFrom && produced_ / kRatio > packed_->taken()) {
      return core::fail(core::ErrorCode::invalid_input, "the gzip data inflate to more than 250 times their size",
                        "inflate the file with gzip -dk if it is one you trust");
    }
    return got;
  }
  [[nodiscard]] Ending ending() const override { return ending_; }
  [[nodiscard]] std::uint64_t taken() const override { return packed_->taken(); }

 private:
  static constexpr std::size_t kIn = std::size_t{256} << 10U;

  // At least the first bytes of a member are there afterwards, or the input has ended.
  core::Status refill() {
    constexpr std::uint32_t kEnough = 16;
    if (no_more_ || state_->avail_in >= (member_over_ ? kEnough : 1)) return {};
    std::memmove(in_.get(), state_->next_in, state_->avail_in);
    state_->next_in = reinterpret_cast<std::uint8_t*>(in_.get());
    while (!no_more_ && state_->avail_in < kEnough) {
      const auto got = packed_->read(in_.get() + state_->avail_in, kIn - state_->avail_in);
      if (!got) return core::fail(got.error());
      no_more_ = *got == 0;
      state_->avail_in += static_cast<std::uint32_t>(*got);
    }
    return {};
  }

  // Behind a member: another one, the end, or bytes that are neither, which gzip leaves out too.
  bool next_member() {
    const std::string_view rest(reinterpret_cast<const char*>(state_->next_in), state_->avail_in);
    if (!is_gzip(rest)) {
      ending_.trailing = !rest.empty();
      over_ = true;
      return false;
    }
    std::uint8_t* const out = state_->next_out;
    const std::uint32_t room = state_->avail_out;
    isal_inflate_reset(state_.get());
    state_->crc_flag = ISAL_GZIP;
    state_->next_out = out;
    state_->avail_out = room;
    member_over_ = false;
    return true;
  }

  static core::Error damaged(int result) {
    const bool sum = result == ISAL_INCORRECT_CHECKSUM;
    return {core::ErrorCode::invalid_input,
            sum ? "the gzip data are damaged: their check sum differs from what was inflated"
                : "the gzip data are damaged: they cannot be inflated",
            "copy the file again; gzip -t FILE tells whether a copy is good",
            {}};
  }

  std::unique_ptr<ByteSource> packed_;
  std::unique_ptr<inflate_state> state_;
  std::unique_ptr<char[]> in_;
  bool no_more_ = false, member_over_ = false, over_ = false;
  std::uint64_t produced_ = 0;
  Ending ending_;
};

}  // namespace

std::unique_ptr<ByteSource> gzip_bytes(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<GzipBytes>(std::move(packed));
}

}  // namespace plumbline::profiles
