#include "reports/page/dimensions.hpp"

#include <algorithm>

#include "core/results/dimension_words.hpp"

namespace plumbline::reports {

std::string title_without(const core::Measurement& side, const core::Row& row, std::span<const core::Id> axes) {
  const std::string_view key = side.key(row);
  const std::size_t bracket = key.find('[');
  std::string title(bracket == std::string_view::npos ? std::string_view() : key.substr(0, bracket));
  for (const auto& [name, value] : side.dims(row)) {
    if (std::ranges::find(axes, name) != axes.end()) continue;
    const std::string_view dimension = side.pool().view(name);
    title.append(title.empty() ? "" : " ").append(dimension).append("=");
    title.append(core::dimension_value_text(dimension, side.pool().view(value)));
  }
  title.append(title.empty() ? "" : " ").append(side.metric(row));
  if (const std::string_view unit = side.unit(row); !unit.empty()) title.append(", ").append(unit);
  return title;
}

}  // namespace plumbline::reports
