#include "reports/short_keys.hpp"

#include <algorithm>

#include "core/results/dimension_words.hpp"
#include "core/text.hpp"

namespace plumbline::reports {
namespace {

using Dims = std::vector<std::pair<std::string, std::string>>;

// "a.b[x=1,y=2].c": the path before the brackets, the dimensions in them, the rest. Without dimensions the metric is the rest.
struct Parts {
  std::vector<std::string> path;
  Dims dims;
  std::string rest;
};

Parts parts_of(std::string_view key) {
  Parts out;
  const std::size_t open = key.find('['), close = key.rfind(']');
  std::string_view path = key;
  if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
    for (const std::string_view pair : core::split(key.substr(open + 1, close - open - 1), ',')) {
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos) {
        out.dims.clear();
        break;
      }
      out.dims.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    }
  }
  if (!out.dims.empty()) {
    path = key.substr(0, open);
    out.rest = key.substr(close + 1);
  } else {
    const std::size_t dot = key.rfind('.');
    out.rest = dot == std::string_view::npos ? key : key.substr(dot);
    path = dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
  }
  if (!path.empty()) {
    for (const std::string_view part : core::split(path, '.')) out.path.emplace_back(part);
  }
  return out;
}

}  // namespace

ShortKeys::ShortKeys(const std::vector<std::string_view>& keys) {
  if (keys.size() < 2) return;
  const Parts first = parts_of(keys.front());
  path_parts_ = first.path.size();
  dims_ = first.dims;
  for (const std::string_view key : keys) {
    const Parts parts = parts_of(key);
    const auto [end, unused] = std::mismatch(first.path.begin(), first.path.end(), parts.path.begin(), parts.path.end());
    path_parts_ = std::min(path_parts_, static_cast<std::size_t>(end - first.path.begin()));
    std::erase_if(dims_,
                  [&](const auto& dim) { return std::find(parts.dims.begin(), parts.dims.end(), dim) == parts.dims.end(); });
  }
  for (std::size_t i = 0; i < path_parts_; ++i) path_ += (i == 0 ? "" : ".") + first.path[i];
}

std::string ShortKeys::of(std::string_view key) const {
  const Parts parts = parts_of(key);
  std::string out, dims;
  for (std::size_t i = std::min(path_parts_, parts.path.size()); i < parts.path.size(); ++i)
    out += (out.empty() ? "" : ".") + parts.path[i];
  for (const auto& dim : parts.dims) {
    if (std::find(dims_.begin(), dims_.end(), dim) != dims_.end()) continue;
    dims += (dims.empty() ? "" : ",") + dim.first + "=" + core::dimension_value_text(dim.first, dim.second);
  }
  if (!dims.empty()) out += "[" + dims + "]";
  std::string_view rest = parts.rest;
  if (out.empty() && rest.starts_with('.')) rest.remove_prefix(1);
  return out + std::string(rest);
}

std::string ShortKeys::shared() const {
  std::string out = path_;
  for (const auto& [name, value] : dims_) out += (out.empty() ? "" : ", ") + name + "=" + core::dimension_value_text(name, value);
  return out;
}

}  // namespace plumbline::reports
