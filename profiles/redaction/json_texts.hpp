// What becomes of one text of a JSON capture under each rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/redaction/json_keys.hpp"
#include "profiles/redaction/names_apart.hpp"

namespace plumbline::profiles {

class JsonTexts {
 public:
  // Not for names, which are numbered at the end. nullopt: it stays.
  [[nodiscard]] std::optional<std::string> clean(JsonRule rule, const std::string& text);

 private:
  Aliases ids_, groups_;
};

}  // namespace plumbline::profiles
