// One envelope (envelope v1) checked field by field as its tool's model checks it; errors name the field.
#pragma once

#include <string_view>

#include "core/error.hpp"
#include "formats/json/document.hpp"
#include "systems/inferencebench/model.hpp"

namespace plumbline::systems::inferencebench {

// `name` is what messages call the file. The fingerprint's digest is not checked here: digests are made elsewhere.
[[nodiscard]] core::Expected<Envelope> envelope_of(const formats::json::Value& root, std::string_view name);

}  // namespace plumbline::systems::inferencebench
