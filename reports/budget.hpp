// Fitting a result into its bound: it is rendered with smaller and smaller shares until it fits. The smallest share is chosen so
// that what it leaves fits by arithmetic (a byte becomes six when JSON must escape it). Internal to reports/.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json_parts.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {

// Of the document as it is printed; on one line it is shorter still.
inline constexpr std::size_t kConciseBytes = 8000;
inline constexpr std::size_t kDetailedBytes = 40'000;

// `detailed` shares are tried first when they are asked for, then the concise ones; render(share) gives the document, which may
// hold `beyond` more bytes than the bound.
template <class Share, class Render>
std::string fitted(ResponseFormat format, std::span<const Share> detailed, std::span<const Share> concise, Render&& render,
                   std::size_t beyond = 0) {
  const bool all = format == ResponseFormat::detailed;
  const std::size_t bound = (all ? kDetailedBytes : kConciseBytes) + beyond;
  std::string text;
  for (const std::span<const Share> shares : {all ? detailed : std::span<const Share>(), concise}) {
    for (const Share& share : shares) {
      text = render(share);
      if (text.size() <= bound) return text;
    }
  }
  return text;
}

// What the documents without a verdict have in common: lists of at most `items`, texts of at most `text` bytes, contexts of at
// most `keys` keys.
struct Share {
  std::size_t items, text, keys;
};
inline constexpr std::array<Share, 4> kDetailedShares = {{{1000, 4000, 256}, {400, 1000, 64}, {200, 400, 32}, {100, 300, 24}}};
inline constexpr std::array<Share, 12> kConciseShares = {{{50, 600, 64},
                                                          {40, 240, 32},
                                                          {30, 240, 24},
                                                          {20, 200, 16},
                                                          {15, 160, 12},
                                                          {12, 120, 12},
                                                          {8, 100, 8},
                                                          {5, 80, 6},
                                                          {3, 60, 4},
                                                          {2, 40, 3},
                                                          {1, 30, 2},
                                                          {0, 24, 0}}};

template <class Render>
std::string fitted(ResponseFormat format, Render&& render) {
  return fitted(format, std::span<const Share>(kDetailedShares), std::span<const Share>(kConciseShares), render);
}

template <class T>
std::span<const T> first(const std::vector<T>& all, std::size_t count) {
  return std::span<const T>(all).first(count < all.size() ? count : all.size());
}

// The first `count` texts, each of at most `bytes` bytes.
[[nodiscard]] std::vector<std::string> shortened(const std::vector<std::string>& all, std::size_t count, std::size_t bytes);
// With at most `count` pieces of evidence.
[[nodiscard]] core::FormatInfo shortened(core::FormatInfo format, std::size_t count, std::size_t bytes);
// The first `count` warnings, and one that counts the others; `elsewhere` says where those stand (" in diff.json", or "").
void write_some_warnings(JsonWriter& json, const std::vector<core::Warning>& warnings, std::size_t count, std::size_t bytes,
                         std::string_view elsewhere);
// "files": at most `count`, with their paths or, where the folder is named elsewhere, without; "files_omitted".
void write_some_files(JsonWriter& json, const std::vector<core::FileRef>& files, std::size_t count, bool paths);
// "context", and "context_omitted" when keys were left out.
void write_some_context(JsonWriter& json, const core::Context& context, const Share& share);

}  // namespace plumbline::reports
