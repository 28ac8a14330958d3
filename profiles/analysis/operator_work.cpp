#include "profiles/analysis/operator_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/text.hpp"
#include "profiles/readers/bytes/json_values.hpp"

namespace plumbline::profiles {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40U;      // of one dimension
constexpr std::int64_t kLargestStep = std::int64_t{1} << 20U;  // of strides, paddings, dilations and groups: products fit int64
using Dims = std::vector<std::int64_t>;

struct Type {
  std::string_view written, name;
  double bytes;
};
constexpr std::array<Type, 11> kTypes = {{{"c10::BFloat16", "bf16", 2},
                                          {"c10::Half", "fp16", 2},
                                          {"float", "float", 4},
                                          {"double", "fp64", 8},
                                          {"c10::Float8_e4m3fn", "fp8", 1},
                                          {"c10::Float8_e5m2", "fp8", 1},
                                          {"c10::Float8_e4m3fnuz", "fp8", 1},
                                          {"c10::Float8_e5m2fnuz", "fp8", 1},
                                          {"signed char", "int8", 1},
                                          {"unsigned char", "int8", 1},
                                          {"c10::qint8", "int8", 1}}};

// The arguments of a call. What is not there or not readable is empty.
struct Operands {
  std::vector<Dims> dims;
  std::vector<std::string> types, values;

  [[nodiscard]] Dims shape(std::size_t i) const { return i < dims.size() ? dims[i] : Dims(); }
  [[nodiscard]] std::string_view value(std::size_t i) const { return i < values.size() ? values[i] : std::string_view(); }
  [[nodiscard]] const Type* type(std::size_t i) const {
    if (i >= types.size()) return nullptr;
    const auto* const found =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& each) { return each.written == types[i]; });
    return found == kTypes.end() ? nullptr : found;
  }
  // "[1, 1]"
  [[nodiscard]] Dims list(std::size_t i) const;
  [[nodiscard]] std::optional<bool> truth(std::size_t i) const {
    const std::string_view text = value(i);
    if (text == "True" || text == "true" || text == "1") return true;
    return text == "False" || text == "false" || text == "0" ? std::optional(false) : std::nullopt;
  }
};

Dims numbers(const JsonText& text, const JsonValue& array) {
  Dims result;
  if (array.kind != JsonKind::array) return result;
  bool good = true;
  json_elements(text, array.at, [&](const JsonValue& each) {
    const auto number = json_integer(each);
    good = number && *number >= 0 && *number < kLargest;
    if (good) result.push_back(*number);
    return good;
  });
  return good ? result : Dims();
}

// Calls visit(text, element) for the elements of a JSON array.
template <class Visit>
void each_element(std::string_view json, Visit visit) {
  std::string padded(json);
  padded.resize(json.size() + JsonText::kPadding, '\0');
  JsonText text;
  text.mark({padded.data(), json.size()});
  if (json.starts_with('[')) {
    json_elements(text, 0, [&](const JsonValue& each) {
      visit(text, each);
      return true;
    });
  }
}

Dims Operands::list(std::size_t i) const {
  Dims result;
  bool good = true;
  each_element(value(i), [&](const JsonText&, const JsonValue& each) {
    const auto number = json_integer(each);
    good = good && number && *number >= 0 && *number < kLargestStep;
    if (good) result.push_back(*number);
  });
  return good ? result : Dims();
}

Operands read_operands(std::string_view lines) {
  Operands operands;
  const std::vector<std::string_view> parts = core::split(lines, '\n');
  const auto part = [&parts](std::size_t i) { return i < parts.size() ? parts[i] : std::string_view(); };
  each_element(part(0), [&](const JsonText& text, const JsonValue& each) { operands.dims.push_back(numbers(text, each)); });
  for (const auto& [line, to] : {std::pair(part(1), &operands.types), std::pair(part(2), &operands.values)}) {
    each_element(line, [to = to](const JsonText&, const JsonValue& each) {
      to->push_back(each.kind == JsonKind::string ? json_name(each.text) : std::string(each.text));
    });
  }
  return operands;
}

double product(const Dims& dims, std::size_t from = 0, std::size_t to = SIZE_MAX) {
  double result = 1;
  const std::size_t end = std::min(to, dims.size());
  const std::size_t begin = std::min(from, end);
  for (const std::int64_t dim : std::span(dims).subspan(begin, end - begin)) result *= static_cast<double>(dim);
  return result;
}

std::string bracketed(const Dims& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

using Work = std::optional<OperatorWork>;

// The type of both operands; types of one width and name count as one (e4m3 by e5m2).
const Type* common_type(const Operands& operands, std::size_t a, std::size_t b) {
  const Type* const left = operands.type(a);
  const Type* const right = operands.type(b);
  return left != nullptr && right != nullptr && left->name == right->name ? left : nullptr;
}

// a by b, each with as many leading dimensions of batches; what is added has its place in `added`.
Work gemm(const Operands& operands, std::size_t a, std::size_t b, std::size_t batches, std::optional<std::size_t> added,
          std::optional<double> output_bytes = {}) {
  const Dims left = operands.shape(a), right = operands.shape(b);
  const Type* const type = common_type(operands, a, b);
  if (type == nullptr || left.size() != batches + 2 || right.size() != batches + 2) return {};
  const auto m = static_cast<double>(left[batches]), k = static_cast<double>(left[batches + 1]),
             n = static_cast<double>(right[batches + 1]);
  if (left[batches + 1] != right[batches] || (batches > 0 && left[0] != right[0])) return {};
  const double count = product(left, 0, batches);
  OperatorWork work;
  work.shape = bracketed(left) + "x" + bracketed(right);
  work.dtype = type->name;
  work.flops = 2 * count * m * n * k;
  work.bytes = count * ((m * k + k * n) * type->bytes + m * n * output_bytes.value_or(type->bytes));
  if (added && !operands.shape(*added).empty()) work.bytes += product(operands.shape(*added)) * type->bytes;
  return work;
}

// x[…, K] by w[N, K] transposed.
Work linear(const Operands& operands) {
  const Dims x = operands.shape(0), w = operands.shape(1);
  const Type* const type = common_type(operands, 0, 1);
  if (type == nullptr || x.empty() || w.size() != 2 || x.back() != w[1]) return {};
  const double rows = product(x, 0, x.size() - 1), n = static_cast<double>(w[0]), k = static_cast<double>(w[1]);
  OperatorWork work;
  work.shape = bracketed(x) + "x" + bracketed({w[1], w[0]});
  work.dtype = type->name;
  work.flops = 2 * rows * n * k;
  work.bytes = (rows * k + n * k + rows * n + (operands.shape(2).empty() ? 0 : n)) * type->bytes;
  return work;
}

Work matrix_by_vector(const Operands& operands) {
  const Dims left = operands.shape(0), right = operands.shape(1);
  const Type* const type = common_type(operands, 0, 1);
  if (type == nullptr || left.size() != 2 || right.size() != 1 || left[1] != right[0]) return {};
  OperatorWork work;
  work.shape = bracketed(left) + "x" + bracketed(right);
  work.dtype = type->name;
  work.flops = 2 * product(left);
  work.bytes = (product(left) + product(right) + static_cast<double>(left[0])) * type->bytes;
  return work;
}

// Multiply-adds of a convolution: each output (forward) or input (transposed) point meets the whole filter of its group.
double convolution_macs(const Dims& x, const Dims& w, const Dims& y, bool transposed) {
  const Dims& points = transposed ? x : y;
  return product(points, 0, 1) * product(points, 2) * product(w);
}

std::string convolution_shape(const Dims& x, const Dims& w, std::string_view stride, std::string_view padding, bool transposed) {
  std::string text = bracketed(x) + "*" + bracketed(w) + " stride " + std::string(stride) + " padding " + std::string(padding);
  std::erase(text, '"');
  return transposed ? text + " transposed" : text;
}

// input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
Work convolution(const Operands& operands) {
  const Dims x = operands.shape(0), w = operands.shape(1), stride = operands.list(3), padding = operands.list(4),
             dilation = operands.list(5), more = operands.list(7);
  const auto transposed = operands.truth(6);
  const auto groups = core::parse_int(operands.value(8));
  const Type* const type = common_type(operands, 0, 1);
  const std::size_t rank = x.size() < 3 ? 0 : x.size() - 2;
  if (type == nullptr || rank == 0 || w.size() != x.size() || stride.size() != rank || padding.size() != rank ||
      dilation.size() != rank || !transposed || !groups || *groups < 1 || *groups >= kLargestStep ||
      (*transposed && more.size() != rank))
    return {};
  Dims y = {x[0], *transposed ? w[1] * *groups : w[0]};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t filter = dilation[i] * (w[i + 2] - 1);
    if (stride[i] < 1) return {};
    y.push_back(*transposed ? (x[i + 2] - 1) * stride[i] - 2 * padding[i] + filter + more[i] + 1
                            : (x[i + 2] + 2 * padding[i] - filter - 1) / stride[i] + 1);
    if (y.back() < 1) return {};
  }
  OperatorWork work;
  work.shape = convolution_shape(x, w, operands.value(3), operands.value(4), *transposed);
  work.dtype = type->name;
  // A filter has the channels of its group alone, and every output channel has one: w is what meets each point of one image.
  work.flops = 2 * convolution_macs(x, w, y, *transposed);
  work.bytes = (product(x) + product(w) + product(y)) * type->bytes;
  return work;
}

// grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask
Work convolution_backward(const Operands& operands) {
  const Dims dy = operands.shape(0), x = operands.shape(1), w = operands.shape(2);
  const auto transposed = operands.truth(7);
  const Type* const type = common_type(operands, 1, 2);
  std::string mask(operands.value(10));
  std::erase(mask, ' ');
  if (type == nullptr || x.size() < 3 || w.size() != x.size() || dy.size() != x.size() || !transposed || mask.empty()) return {};
  const bool input = core::starts_with_no_case(mask, "[true"), weight = core::to_lower(mask).find(",true,") != std::string::npos;
  if (!input && !weight) return {};
  const double macs = convolution_macs(x, w, dy, *transposed);
  OperatorWork work;
  work.shape = convolution_shape(x, w, operands.value(4), operands.value(5), *transposed);
  if (input != weight) work.shape += input ? " of the input" : " of the weight";
  work.dtype = type->name;
  work.flops = 2 * macs * (input && weight ? 2 : 1);
  work.bytes = (product(dy) + (weight ? product(x) : 0) + (input ? product(w) : 0) + (input ? product(x) : 0) +
                (weight ? product(w) : 0)) *
               type->bytes;
  return work;
}

// Where the parts of an attention operator stand among its arguments.
struct Attention {
  std::string_view op;
  std::size_t query;  // key and value behind it
  bool heads_first;   // [B,H,S,D], else [B,S,H,D]
  bool backward;
  std::size_t causal;              // a truth value, or a kind of mask where `mask`
  bool mask = false;               // 0: none, 1 and 2: causal
  std::size_t lengths = SIZE_MAX;  // tensors of lengths, here and behind: with them sequences differ
};
constexpr std::array<Attention, 9> kAttention = {
    {{"aten::_flash_attention_forward", 0, false, false, 8, false, 3},
     {"aten::_flash_attention_backward", 1, false, true, 11, false, 6},
     {"aten::_efficient_attention_forward", 0, false, false, 9, true, 4},
     {"aten::_efficient_attention_backward", 1, false, true, 14, true, 6},
     {"aten::_scaled_dot_product_flash_attention", 0, true, false, 4},
     {"aten::_scaled_dot_product_flash_attention_backward", 1, true, true, 11, false, 6},
     {"aten::_scaled_dot_product_efficient_attention", 0, true, false, 6},
     {"aten::_scaled_dot_product_efficient_attention_backward", 1, true, true, 11},
     {"aten::_scaled_dot_product_cudnn_attention", 0, true, false, 6}}};

std::optional<bool> is_causal(const Operands& operands, const Attention& where) {
  if (!where.mask) return operands.truth(where.causal);
  const std::string_view kind = operands.value(where.causal);
  if (kind == "0") return false;
  return kind == "1" || kind == "2" ? std::optional(true) : std::nullopt;
}

Work attention(const Operands& operands, const Attention& where) {
  const Dims q = operands.shape(where.query), k = operands.shape(where.query + 1), v = operands.shape(where.query + 2);
  const Type* const type = common_type(operands, where.query, where.query + 1);
  const auto causal = is_causal(operands, where);
  if (type == nullptr || !causal || q.size() != 4 || k.size() != 4 || v.size() != 4) return {};
  if (where.lengths != SIZE_MAX && !operands.shape(where.lengths).empty()) return {};
  const std::size_t heads = where.heads_first ? 1 : 2, sequence = where.heads_first ? 2 : 1;
  if (k[0] != q[0] || v[0] != q[0] || k[3] != q[3] || v[sequence] != k[sequence] || v[heads] != k[heads]) return {};
  // One query sees all keys whatever the mask; how a mask lies over unequal lengths is not said.
  const bool halved = *causal && q[sequence] > 1;
  if (halved && q[sequence] != k[sequence]) return {};
  const double batch = static_cast<double>(q[0]), count = static_cast<double>(q[heads]),
               queries = static_cast<double>(q[sequence]), keys = static_cast<double>(k[sequence]),
               depth = static_cast<double>(q[3]), width = static_cast<double>(v[3]);
  OperatorWork work;
  work.shape = "B" + std::to_string(q[0]) + " H" + std::to_string(q[heads]);
  if (k[heads] != q[heads]) work.shape += "/" + std::to_string(k[heads]);
  work.shape += " S" + std::to_string(q[sequence]);
  if (k[sequence] != q[sequence]) work.shape += "/" + std::to_string(k[sequence]);
  work.shape += " D" + std::to_string(q[3]);
  if (v[3] != q[3]) work.shape += "/" + std::to_string(v[3]);
  if (halved) work.shape += " causal";
  work.dtype = type->name;
  work.flops = 2 * batch * count * queries * keys * (depth + width) * (halved ? 0.5 : 1) * (where.backward ? 2.5 : 1);
  const double output = batch * count * queries * width;
  work.bytes = (product(q) + product(k) + product(v) + output) * (where.backward ? 2 : 1) * type->bytes;
  return work;
}

struct Gemm {
  std::string_view op;
  std::size_t a, b, batches;
  std::optional<std::size_t> added = {};
  std::optional<double> output_bytes = {};
};
constexpr std::array<Gemm, 7> kGemms = {{{"aten::mm", 0, 1, 0},
                                         {"aten::addmm", 1, 2, 0, 0},
                                         {"aten::_addmm_activation", 1, 2, 0, 0},
                                         {"aten::bmm", 0, 1, 1},
                                         {"aten::baddbmm", 1, 2, 1, 0},
                                         {"aten::_scaled_mm", 0, 1, 0, {}, 2},  // into bf16 or fp16
                                         {"aten::_int_mm", 0, 1, 0, {}, 4}}};

}  // namespace

bool has_known_work(std::string_view op) {
  if (!op.starts_with("aten::")) return false;
  return std::any_of(kGemms.begin(), kGemms.end(), [op](const Gemm& each) { return each.op == op; }) ||
         std::any_of(kAttention.begin(), kAttention.end(), [op](const Attention& each) { return each.op == op; }) ||
         op == "aten::linear" || op == "aten::mv" || op == "aten::convolution" || op == "aten::convolution_backward";
}

std::optional<OperatorWork> operator_work(std::string_view op, std::string_view text) {
  const Operands operands = read_operands(text);
  Work work;
  for (const Gemm& each : kGemms) {
    if (each.op == op) work = gemm(operands, each.a, each.b, each.batches, each.added, each.output_bytes);
  }
  for (const Attention& each : kAttention) {
    if (each.op == op) work = attention(operands, each);
  }
  if (op == "aten::linear") work = linear(operands);
  if (op == "aten::mv") work = matrix_by_vector(operands);
  if (op == "aten::convolution") work = convolution(operands);
  if (op == "aten::convolution_backward") work = convolution_backward(operands);
  const auto known = [](double amount) { return amount > 0 && std::isfinite(amount); };
  return work && known(work->flops) && known(work->bytes) ? work : Work();
}

}  // namespace plumbline::profiles
