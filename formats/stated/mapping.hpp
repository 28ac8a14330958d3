// A team's own formats, stated in plumbline.yaml under `formats:` (docs/project-file.md says how). What is read there becomes the
// same Statement as a reader of ours. Immutable once read; shared freely.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/results/config_check.hpp"
#include "formats/format.hpp"

namespace YAML {  // NOLINT(readability-identifier-naming): yaml-cpp's
class Node;
}

namespace plumbline::formats::stated {

class OwnFormats {
 public:
  OwnFormats();
  OwnFormats(OwnFormats&&) noexcept;
  OwnFormats& operator=(OwnFormats&&) noexcept;
  ~OwnFormats();

  [[nodiscard]] bool empty() const { return formats_.empty(); }
  [[nodiscard]] std::span<const Format* const> formats() const { return formats_; }
  // The text of one of them as a list with one item, what parse_formats() reads; "" for a name that is not here.
  [[nodiscard]] std::string text_of(std::string_view name) const;

 private:
  friend class MappingReader;
  struct Own;
  std::vector<std::unique_ptr<Own>> own_;
  std::vector<const Format*> formats_;
};

// The list under `formats:`. What is wrong with it is added to `problems`, each with its place; such a format is left out.
[[nodiscard]] OwnFormats read_formats(const YAML::Node& list, std::vector<core::ConfigProblem>& problems);
// The same of a text of its own: what an entry keeps. `where` is named in the error (invalid_input).
[[nodiscard]] core::Expected<std::shared_ptr<const OwnFormats>> parse_formats(const std::string& text, std::string_view where);

}  // namespace plumbline::formats::stated
