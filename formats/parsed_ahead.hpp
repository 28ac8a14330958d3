// A flat object of JSON that was parsed before its reader asks for it: whoever knows which file comes next has it done on another
// thread. The reader finds it by the text itself (Input::ahead, parse_json), and takes it: it is good for one reading.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/json/document.hpp"

namespace plumbline::formats {

class ParsedAhead {
 public:
  // Of any text but a flat object that is strictly right nothing is kept. The text must outlive this; `stop` ends the work.
  ParsedAhead(std::string_view text, std::function<bool()> stop) : document_(json::parse_flat(text, {.stop = std::move(stop)})) {}

  // The document of this very text (its place, not only its bytes), once.
  [[nodiscard]] std::optional<json::Document> take(std::string_view text) {
    if (!document_ || document_->text().data() != text.data() || document_->text().size() != text.size()) return std::nullopt;
    return std::exchange(document_, std::nullopt);
  }

 private:
  std::optional<json::Document> document_;
};

}  // namespace plumbline::formats
