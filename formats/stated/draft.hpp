// A first draft of a statement for a text that no reader knows: what `inspect --explain` writes for a person to correct. Lines
// are grouped by what they have in common, numbers become holes called after the word before them, and units and directions are
// what the names suggest, so all of it is a guess that says so by being a draft.
#pragma once

#include <string>

#include "configs/configs.hpp"
#include "formats/format.hpp"

namespace plumbline::formats::stated {

// YAML: a list with one format called `name`, as plumbline.yaml holds it under `formats:`; "" where no number was found, and of
// binary data.
[[nodiscard]] std::string draft_of(const Input& input, const configs::MetricNames& names, const std::string& name);

}  // namespace plumbline::formats::stated
