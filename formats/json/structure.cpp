#include "formats/json/structure.hpp"

#include <simdjson.h>

#include "core/large_block.hpp"

namespace plumbline::formats::json {

struct Structure::Stage {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

Structure::Structure() : stage_(std::make_unique<Stage>()) {}
Structure::~Structure() = default;

bool Structure::find(std::string_view text) {
  constexpr std::size_t kDepth = 1;  // of a stage that is not run
  if (text.empty() || text.size() > simdjson::SIMDJSON_MAXSIZE_BYTES) return false;
  const auto* const best = simdjson::get_active_implementation().operator->();
  if (best->create_dom_parser_implementation(text.size(), kDepth, stage_->parser) != simdjson::SUCCESS) return false;
  // Room for an offset a byte is reserved; what is used of it is filled from the front.
  core::prefer_large_pages(stage_->parser->structural_indexes.get(), text.size() * sizeof(std::uint32_t));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  return stage_->parser->stage1(bytes, text.size(), simdjson::stage1_mode::regular) == simdjson::SUCCESS;
}

bool nearest_double(std::uint64_t digits, int exponent, bool negative, double& value) {
  constexpr int kFar = 300;  // beyond, results may be subnormal or infinite
  if (exponent < -kFar || exponent > kFar) return false;
  return simdjson::builtin::numberparsing::compute_float_64(exponent, digits, negative, value);
}

std::span<const std::uint32_t> Structure::offsets() const {
  return {stage_->parser->structural_indexes.get(), stage_->parser->n_structural_indexes + std::size_t{1}};
}

}  // namespace plumbline::formats::json
