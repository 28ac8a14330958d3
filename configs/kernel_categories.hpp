// What a GPU kernel's name says: its category (attention, GEMM of a precision, communication, …), what that category is held
// against, and the reference tool's bucket by the reference tool's own rules (kernel-categories.yaml).
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace plumbline::configs {

struct KernelCategory {
  std::string name;            // "Attention", "GEMM bf16"
  std::string reference;       // the nearest bucket of the reference tool; "" = it has none
  bool communication = false;  // GPU-to-GPU traffic
  std::string bound;           // "compute" "bandwidth", "" = held against nothing
  std::string metric, unit;    // what Ceilings::choose() is asked for; "{precision}" in it is the kernels' own
};

// Which three letters in a row a name has, by hash: most patterns are ruled out by that without a look at the name.
class NameClues {
 public:
  explicit NameClues(std::string_view lower_name);
  [[nodiscard]] bool may_hold(std::uint32_t clue) const { return bits_[clue]; }
  static constexpr std::uint32_t kBits = 8192;
  static std::uint32_t clue(std::string_view three);

 private:
  std::bitset<kBits> bits_;
};

// Patterns over names, without regard to case: '*' any run, '?' any one character, '#' one digit. Immutable.
class NamePattern {
 public:
  explicit NamePattern(std::string_view pattern);
  [[nodiscard]] bool matches(std::string_view lower_name) const;
  // False only when the name cannot match.
  [[nodiscard]] bool possible(const NameClues& clues) const { return clue_ == NameClues::kBits || clues.may_hold(clue_); }

 private:
  std::vector<std::string> parts_;         // between the stars, lower case
  std::uint32_t clue_ = NameClues::kBits;  // three letters that a name must have; kBits: the pattern has none
};

// Immutable after parse; shared between threads freely. A look-up goes through all rules in order and costs a microsecond or
// some: ask once a name, not once an event. Names are judged by their first 16 KiB.
class KernelCategories {
 public:
  static core::Expected<std::shared_ptr<const KernelCategories>> parse(std::string_view yaml, std::string_view where);
  static std::shared_ptr<const KernelCategories> builtin();  // parsed once

  [[nodiscard]] const KernelCategory& of(std::string_view kernel_name) const;
  // Of the operands: "fp4" "fp8" "int8" "bf16" "fp16" "tf32" "fp64" "fp32", "" = the name does not say.
  [[nodiscard]] std::string_view precision(std::string_view kernel_name) const;
  // "NCCL" "BMM-NVFP4" "MoE" "FMHA" "Triton-fused" "cuBLAS" "Elementwise" "Other": what the reference tool puts the name into.
  [[nodiscard]] std::string_view reference(std::string_view kernel_name) const;
  // By name; nullptr when there is none.
  [[nodiscard]] const KernelCategory* find(std::string_view category) const;
  // Every category a name can get, those split by precision once per precision, and Other.
  [[nodiscard]] const std::vector<KernelCategory>& all() const { return all_; }

 private:
  struct Rule {
    std::size_t category = 0;  // index into all_
    bool split = false;        // then the precisions' categories follow it in the order of precisions_
    std::string text;          // of a precision or of a bucket
    std::vector<NamePattern> any;
  };
  struct Reader;
  static const Rule* first(const std::vector<Rule>& rules, std::string_view lower_name);
  std::vector<KernelCategory> all_;
  std::size_t other_ = 0;  // index into all_
  std::vector<Rule> rules_, precisions_, reference_;
};

}  // namespace plumbline::configs
