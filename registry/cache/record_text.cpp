#include "registry/cache/record_text.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace plumbline::registry::cache {
namespace {

using core::BaselineRecord;

// The texts of a record, in the order that they are kept.
constexpr std::array<std::string BaselineRecord::*, 9> kTexts = {&BaselineRecord::registered_at_utc,
                                                                 &BaselineRecord::measured_at_utc,
                                                                 &BaselineRecord::label,
                                                                 &BaselineRecord::reason,
                                                                 &BaselineRecord::notes,
                                                                 &BaselineRecord::supersedes,
                                                                 &BaselineRecord::source_path,
                                                                 &BaselineRecord::source_sha256,
                                                                 &BaselineRecord::direction};
constexpr std::array<std::optional<std::string> BaselineRecord::*, 2> kOptional = {&BaselineRecord::unit,
                                                                                   &BaselineRecord::git_commit};

void put(std::string& out, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::array<char, sizeof size> bytes{};
  std::memcpy(bytes.data(), &size, sizeof size);
  out.append(bytes.data(), bytes.size());
  out += text;
}

void put_count(std::string& out, std::size_t count) { put(out, std::to_string(count)); }

class Taker {
 public:
  explicit Taker(std::string_view bytes) : bytes_(bytes) {}
  std::string_view text() {
    std::uint32_t size = 0;
    if (bytes_.size() < sizeof size) return fail();
    std::memcpy(&size, bytes_.data(), sizeof size);
    bytes_.remove_prefix(sizeof size);
    if (bytes_.size() < size) return fail();
    const auto out = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return out;
  }
  std::size_t count() {
    std::size_t out = 0;
    for (const char c : text()) out = out * 10 + static_cast<std::size_t>(c - '0');
    if (out > bytes_.size()) fail();
    return good_ ? out : 0;
  }
  [[nodiscard]] bool finished() const { return good_ && bytes_.empty(); }

 private:
  std::string_view fail() {
    good_ = false;
    bytes_ = {};
    return {};
  }
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace

std::string pack(const BaselineRecord& record) {
  std::string out;
  for (const auto text : kTexts) put(out, record.*text);
  for (const auto text : kOptional) {
    put_count(out, (record.*text).has_value() ? 1 : 0);
    if (record.*text) put(out, *(record.*text));
  }
  put(out, record.format.name);
  put_count(out, record.tier == core::Tier::verdict ? 1 : 0);
  put_count(out, record.value ? 1 : 0);
  if (record.value) {
    std::array<char, sizeof(double)> bytes{};
    std::memcpy(bytes.data(), &*record.value, sizeof(double));
    put(out, {bytes.data(), bytes.size()});
  }
  put_count(out, record.context.size());
  for (const auto& [key, value] : record.context) {
    put(out, key);
    put(out, value);
  }
  put_count(out, record.headline.size());
  for (const auto& key : record.headline) put(out, key);
  put_count(out, record.scalar_sol ? 1 : 0);
  if (record.scalar_sol) put(out, record.scalar_sol->row_key);
  put_count(out, record.sol.size());
  for (const auto& sol : record.sol) put(out, sol.row_key);
  return out;
}

std::optional<BaselineRecord> unpack(std::string_view bytes) {
  Taker taker(bytes);
  BaselineRecord record;
  for (const auto text : kTexts) record.*text = taker.text();
  for (const auto text : kOptional) {
    if (taker.count() == 1) record.*text = std::string(taker.text());
  }
  record.format.name = taker.text();
  record.tier = taker.count() == 1 ? core::Tier::verdict : core::Tier::draft;
  if (taker.count() == 1) {
    const auto number = taker.text();
    double value = 0;
    if (number.size() == sizeof value) std::memcpy(&value, number.data(), sizeof value);
    record.value = value;
  }
  for (std::size_t left = taker.count(); left > 0; --left) {
    std::string key(taker.text());
    record.context[std::move(key)] = taker.text();
  }
  for (std::size_t left = taker.count(); left > 0; --left) record.headline.emplace_back(taker.text());
  if (taker.count() == 1) record.scalar_sol.emplace().row_key = taker.text();
  for (std::size_t left = taker.count(); left > 0; --left) record.sol.emplace_back().row_key = taker.text();
  if (!taker.finished()) return std::nullopt;
  return record;
}

}  // namespace plumbline::registry::cache
