// Matrix products and convolutions: what the names of cuBLAS, XMMA, CUTLASS, Tensile, cuDNN and MIOpen kernels say.
#include <algorithm>
#include <array>

#include "profiles/names/family_parts.hpp"

namespace plumbline::profiles {
namespace {

bool has(const NameWords& words, std::string_view part) { return words.lower.find(part) != std::string::npos; }
bool has_token(const NameWords& words, std::string_view token) {
  return std::find(words.tokens.begin(), words.tokens.end(), token) != words.tokens.end();
}

// "128x64" "128x128x32": two or three numbers.
bool is_dimensions(std::string_view token) {
  std::size_t numbers = 0;
  std::size_t digits = 0;
  for (std::size_t i = 0; i <= token.size(); ++i) {
    if (i < token.size() && is_digit(token[i])) {
      ++digits;
    } else if ((i == token.size() || token[i] == 'x') && digits > 0) {
      ++numbers;
      digits = 0;
    } else {
      return false;
    }
  }
  return numbers == 2 || numbers == 3;
}

std::string_view after_prefix(const NameWords& words, std::string_view prefix) {
  for (const std::string_view token : words.tokens) {
    if (token.size() > prefix.size() && token.starts_with(prefix) && is_dimensions(token.substr(prefix.size())))
      return token.substr(prefix.size());
  }
  return {};
}

// CUTLASS 3 writes shapes as tuples of constants: tuple<C<128>,C<64>,C<64>>; the first is the cluster, the second the tile.
std::vector<std::string> constant_tuples(const NameWords& words) {
  std::vector<std::string> tuples;
  const std::string_view text = words.lower;
  for (std::size_t at = text.find("tuple<"); at != std::string_view::npos && tuples.size() < 2;
       at = text.find("tuple<", at + 1)) {
    std::string dimensions;
    std::size_t i = at + 6;
    std::size_t count = 0;
    for (;;) {
      for (const std::string_view scope : {"cute::", "c<"}) {
        if (text.substr(i).starts_with(scope)) i += scope.size();
      }
      const std::size_t begin = i;
      while (i < text.size() && is_digit(text[i])) ++i;
      if (i == begin || i >= text.size() || text[i] != '>') break;
      dimensions.append(count++ == 0 ? "" : "x").append(text.substr(begin, i - begin));
      ++i;
      if (i < text.size() && text[i] == ',') ++i;
    }
    if (count == 3) tuples.push_back(std::move(dimensions));
  }
  return tuples;
}

std::string layout_of(const NameWords& words) {
  if (words.lower.starts_with("cijk_")) {
    // Cijk = A B: Ailk is A as stored by columns (n), Alik transposed; Bljk n, Bjlk transposed.
    const bool a = has(words, "_alik_");
    const bool b = has(words, "_bjlk_");
    return std::string(a ? "t" : "n") + (b ? "t" : "n");
  }
  for (const std::string_view token : words.tokens) {
    if (token.size() != 2 && token.size() != 3) continue;
    if (std::all_of(token.begin(), token.end(), [](char c) { return c == 'n' || c == 't'; }))
      return std::string(token.substr(0, 2));
  }
  return {};
}

std::string architecture_of(const NameWords& words) {
  constexpr std::array<std::string_view, 8> kNames = {"maxwell", "pascal", "volta",  "turing",
                                                      "ampere",  "ada",    "hopper", "blackwell"};
  for (const std::string_view token : words.tokens) {
    if (std::find(kNames.begin(), kNames.end(), token) != kNames.end()) return std::string(token);
    if (token.starts_with("sm") && token.size() <= 6 && token.size() > 3 && is_digit(token[2])) return std::string(token);
    if (token.starts_with("isa") && token.size() > 4 && is_digit(token[3])) return "gfx" + std::string(token.substr(3));
  }
  return {};
}

std::string library_of(const NameWords& words) {
  if (words.lower.starts_with("cijk_")) return has(words, "userargs") || has(words, "hipblaslt") ? "hipBLASLt" : "Tensile";
  if (words.lower.starts_with("nvjet")) return "cuBLAS nvjet";
  if (has(words, "cudnn")) return "cuDNN";
  if (has(words, "miopen") || has(words, "igemm_fwd_gtc") || has(words, "igemm_bwd_gtc") || has(words, "igemm_wrw_gtc"))
    return "MIOpen";
  if (has(words, "xmma")) return "cuBLAS XMMA";
  if (has(words, "cutlass")) return "CUTLASS";
  if (words.lower.starts_with("ck::") || has(words, "ck_tile::")) return "Composable Kernel";
  if (has(words, "cublas") || has(words, "magma_")) return "cuBLAS";
  for (const std::string_view arch :
       {"maxwell_", "pascal_", "volta_", "turing_", "ampere_", "hopper_", "blackwell_", "sm80_", "sm90_"}) {
    if (words.lower.starts_with(arch)) return "cuBLAS";
  }
  if (words.lower.starts_with("triton_")) return "Triton";
  return {};
}

void add_shape(const NameWords& words, KernelFamily& family) {
  std::string tile(after_prefix(words, "tilesize"));
  std::string stages, cluster;
  if (tile.empty()) tile = after_prefix(words, "mt");
  if (tile.empty()) tile = after_prefix(words, "bt");  // MIOpen's block tile
  if (const auto tuples = constant_tuples(words); tile.empty() && tuples.size() == 2) {
    cluster = tuples[0];
    tile = tuples[1];
  }
  std::vector<std::string_view> dimensions;
  for (std::size_t i = 0; i < words.tokens.size(); ++i) {
    const std::string_view token = words.tokens[i];
    if (is_dimensions(token)) {
      if (i > 0 && words.tokens[i - 1] == "stages") {
        stages = token.substr(token.rfind('x') + 1);
      } else {
        dimensions.push_back(token);
      }
    } else if (token.starts_with("stage") && token.size() > 5 && is_number(token.substr(5))) {
      stages = token.substr(5);
    }
  }
  if (tile.empty() && !dimensions.empty()) {
    tile = dimensions.front();
    if (dimensions.size() > 1) {
      const bool three = std::count(dimensions[1].begin(), dimensions[1].end(), 'x') == 2;
      if (three) {
        cluster = dimensions[1];
      } else {
        stages = dimensions[1].substr(dimensions[1].rfind('x') + 1);
      }
    }
    if (dimensions.size() > 2 && cluster.empty()) cluster = dimensions[2];
  }
  if (!tile.empty()) family.variant.emplace_back("tile", tile);
  if (!stages.empty()) family.variant.emplace_back("stages", stages);
  if (!cluster.empty()) family.variant.emplace_back("cluster", cluster);
}

// cuDNN's and cuBLAS' names also say where it is off.
bool splits_k(const NameWords& words) {
  return has(words, "splitk") || (has(words, "_segment_k_") && !has(words, "_segment_k_off"));
}

}  // namespace

KernelFamily gemm_family(const NameWords& words) {
  KernelFamily family;
  family.operation = "gemm";
  family.precision = words.precision;
  family.library = library_of(words);
  const std::string layout = layout_of(words);
  family.keys.push_back("gemm|" + family.precision + "|" + layout);
  if (!layout.empty()) family.keys.push_back("gemm||" + layout);
  family.keys.push_back("gemm|" + family.precision);
  family.keys.emplace_back("gemm");
  family.variant.emplace_back("layout", layout);
  add_shape(words, family);
  if (!family.library.empty()) family.variant.emplace_back("split-K", splits_k(words) ? "yes" : "no");
  family.variant.emplace_back("architecture", architecture_of(words));
  return family;
}

KernelFamily gemv_family(const NameWords& words) {
  KernelFamily family;
  family.operation = "gemv";
  family.precision = words.precision;
  family.library = library_of(words);
  const std::string_view text = words.canonical;
  const std::string name(text.substr(0, std::min(text.find('<'), text.size())));
  family.keys = {"gemv|" + family.precision + "|" + name, "gemv|" + family.precision, "gemv"};
  family.variant = {{"kernel", name}};
  return family;
}

KernelFamily convolution_family(const NameWords& words) {
  KernelFamily family;
  const bool weights = has(words, "wgrad") || has(words, "_wrw_") || has(words, "bwd_weight");
  const bool data = has(words, "dgrad") || has(words, "_bwd_") || has(words, "bwd_data");
  family.operation = weights ? "convolution weight gradient" : data ? "convolution data gradient" : "convolution";
  family.precision = words.precision;
  family.library = library_of(words);
  family.keys = {family.operation + "|" + family.precision, family.operation};
  const char* const algorithm = has(words, "winograd")                          ? "winograd"
                                : has(words, "implicit") || has(words, "igemm") ? "implicit gemm"
                                : has_token(words, "fft")                       ? "fft"
                                : has(words, "naive")                           ? "naive"
                                                                                : "direct";
  family.variant.emplace_back("algorithm", algorithm);
  const bool nhwc = has(words, "nhwc");
  const bool nchw = has(words, "nchw");
  if (nhwc != nchw) family.variant.emplace_back("layout", nhwc ? "nhwc" : "nchw");
  add_shape(words, family);
  family.variant.emplace_back("architecture", architecture_of(words));
  return family;
}

}  // namespace plumbline::profiles
