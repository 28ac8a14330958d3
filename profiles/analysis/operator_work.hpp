// What one call of an operator of PyTorch needs at least, from the shapes of its arguments as a trace has them: floating-point
// operations (a multiply and an add are two), and bytes of its inputs and outputs, each moved once. GEMMs, convolutions and
// attention, forward and backward. Attention counts as FlashAttention's paper does: 4 B H S S D forward, half of it where causal,
// 2.5 times as much backward. What the arguments leave open (sequences of various lengths, a stride that is not written down) has
// no answer: nothing is guessed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline::profiles {

// Whether the operator is one of those, by its name: "aten::addmm".
[[nodiscard]] bool has_known_work(std::string_view op);

struct OperatorWork {
  std::string shape;  // "[8944,1024]x[1024,1024]", "B16 H16 S559 D64 causal"
  std::string dtype;  // of the operands: "bf16" "fp16" "fp8" "int8" "fp64", "float" for fp32, which may run as tf32
  double flops = 0, bytes = 0;
};
// `operands`: dimensions, types and values of the arguments as Kineto writes them, a JSON array each, a line each.
[[nodiscard]] std::optional<OperatorWork> operator_work(std::string_view op, std::string_view operands);

}  // namespace plumbline::profiles
