#include "formats/serving/run_name.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace plumbline::formats {
namespace {

bool is_count(std::string_view text) {
  constexpr std::size_t kLongest = 7;
  return !text.empty() && text.size() <= kLongest && text.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_truth(std::string_view text) { return text == "true" || text == "false"; }

// "tp8" -> "8" behind "tp".
std::optional<std::string_view> count_behind(std::string_view piece, std::string_view name) {
  if (!piece.starts_with(name) || !is_count(piece.substr(name.size()))) return std::nullopt;
  return piece.substr(name.size());
}

std::vector<std::string> pieces_of(std::string_view file) {
  std::string_view stem = file.substr(file.find_last_of('/') + 1);
  for (const std::string_view extension : {".jsonl", ".json"}) {
    if (stem.ends_with(extension)) stem.remove_suffix(extension.size());
  }
  std::vector<std::string> pieces;
  while (!stem.empty()) {
    const std::size_t end = std::min(stem.find_first_of("_-"), stem.size());
    if (end > 0) pieces.push_back(core::to_lower(stem.substr(0, end)));
    stem.remove_prefix(std::min(end + 1, stem.size()));
  }
  return pieces;
}

class Name {
 public:
  explicit Name(std::string_view file) : pieces_(pieces_of(file)) {}

  core::Context read() {
    for (at_ = 0; at_ < pieces_.size(); ++at_) {
      const std::string_view piece = pieces_[at_];
      if (piece == "prefill" || piece == "decode") {
        phase_ = std::string(piece) + "_";
      } else if (!parallel(piece) && !pair(piece) && !load(piece)) {
        hardware(piece);
      }
    }
    const bool serves = context_.contains("hardware.gpu_count") && context_.contains("workload.concurrency");
    return tensor_parallel_ || serves ? std::move(context_) : core::Context();
  }

 private:
  void put(std::string key, std::string_view value) { context_.emplace(std::move(key), std::string(value)); }

  // "tp8", "ep1", "dpafalse"; behind "prefill" or "decode" those of that phase, where "dp" is that of its attention.
  bool parallel(std::string_view piece) {
    constexpr std::array<std::string_view, 7> kSizes = {"tp", "pp", "ep", "dp", "cp", "dcp", "pcp"};
    for (const std::string_view size : kSizes) {
      const auto count = count_behind(piece, size);
      if (!count) continue;
      tensor_parallel_ = tensor_parallel_ || size == "tp";
      put("parallelism." + phase_ + std::string(size), *count);
      return true;
    }
    if (const auto workers = count_behind(piece, "nw"); workers && !phase_.empty()) {
      put("parallelism." + phase_ + "workers", *workers);
      return true;
    }
    for (const std::string_view attention : {"dpa", "dp"}) {
      if (!piece.starts_with(attention) || !is_truth(piece.substr(attention.size()))) continue;
      put("parallelism." + phase_ + "dp_attention", piece.substr(attention.size()));
      return true;
    }
    return false;
  }

  // "disagg-false", "spec-mtp", "dpa_true", "concurrency_64", "gpus_16", "ctx_8".
  bool pair(std::string_view piece) {
    if (at_ + 1 >= pieces_.size()) return false;
    const std::string_view next = pieces_[at_ + 1];
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCounts = {{{"concurrency", "workload.concurrency"},
                                                                                       {"gpus", "hardware.gpu_count"},
                                                                                       {"ctx", "parallelism.prefill_gpus"},
                                                                                       {"gen", "parallelism.decode_gpus"}}};
    std::string key;
    for (const auto& [name, field] : kCounts) {
      if (piece == name && is_count(next)) key = field;
    }
    if (piece == "disagg" && is_truth(next)) key = "parallelism.disagg";
    if (piece == "dpa" && is_truth(next)) key = "parallelism.dp_attention";
    if (piece == "spec") key = "serving.spec_decoding";
    if (key.empty()) return false;
    phase_.clear();
    put(std::move(key), next);
    ++at_;
    return true;
  }

  // "conc16", "isl1024", "osl128", "8k1k".
  bool load(std::string_view piece) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kCounts = {
        {{"conc", "workload.concurrency"}, {"isl", "workload.isl"}, {"osl", "workload.osl"}}};
    for (const auto& [name, field] : kCounts) {
      const auto count = count_behind(piece, name);
      if (!count) continue;
      put(std::string(field), *count);
      return true;
    }
    const std::size_t middle = piece.find('k');
    if (middle == std::string_view::npos || !piece.ends_with('k') || middle + 1 >= piece.size()) return false;
    const std::string_view input = piece.substr(0, middle), output = piece.substr(middle + 1, piece.size() - middle - 2);
    constexpr std::size_t kLongest = 4;
    if (!is_count(input) || !is_count(output) || input.size() > kLongest || output.size() > kLongest) return false;
    constexpr std::int64_t kThousand = 1024;
    put("workload.isl", std::to_string(core::parse_int(input).value_or(0) * kThousand));
    put("workload.osl", std::to_string(core::parse_int(output).value_or(0) * kThousand));
    return true;
  }

  void hardware(std::string_view piece) {
    constexpr std::array<std::string_view, 14> kGpus = {"a100",  "h100",   "h200",   "h20",    "b200",   "b300", "gb200",
                                                        "gb300", "mi300x", "mi308x", "mi325x", "mi355x", "l40s", "h100nvl"};
    constexpr std::array<std::string_view, 8> kPrecisions = {"fp4", "fp8", "fp16", "bf16", "int4", "int8", "nvfp4", "mxfp4"};
    const auto is = [&](const auto& known) { return std::find(known.begin(), known.end(), piece) != known.end(); };
    if (is(kGpus)) put("hardware.gpu", piece);
    if (is(kPrecisions)) put("workload.dtype", piece);
  }

  std::vector<std::string> pieces_;
  std::size_t at_ = 0;
  std::string phase_;
  bool tensor_parallel_ = false;
  core::Context context_;
};

}  // namespace

core::Context context_of_run_name(std::string_view file) { return Name(file).read(); }

}  // namespace plumbline::formats
