// One envelope (envelope v1) checked field by field as its tool's model checks it; errors name the field. Private to formats/.
#pragma once

#include <string_view>

#include "core/error.hpp"
#include "core/native/inferencebench.hpp"
#include "formats/json/document.hpp"

namespace plumbline::formats {

// `name` is what messages call the file. The fingerprint's digest is not checked here: digests are made elsewhere.
[[nodiscard]] core::Expected<core::inferencebench::Envelope> envelope_of(const json::Value& root, std::string_view name);

}  // namespace plumbline::formats
