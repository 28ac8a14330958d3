#include "verbs/verb.hpp"

namespace plumbline::verbs {
namespace {

template <class T>
const T* value_of(const std::map<std::string, Value, std::less<>>& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

std::string Arguments::text(std::string_view name, std::string_view otherwise) const {
  const auto* text = value_of<std::string>(values_, name);
  return text != nullptr ? *text : std::string(otherwise);
}

std::optional<double> Arguments::number(std::string_view name) const {
  if (const auto* number = value_of<double>(values_, name)) return *number;
  if (const auto* whole = value_of<std::int64_t>(values_, name)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name) const {
  const auto* whole = value_of<std::int64_t>(values_, name);
  return whole != nullptr ? std::optional(*whole) : std::nullopt;
}

bool Arguments::flag(std::string_view name) const {
  const bool* set = value_of<bool>(values_, name);
  return set != nullptr && *set;
}

const std::vector<std::string>& Arguments::list(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto* items = value_of<std::vector<std::string>>(values_, name);
  return items != nullptr ? *items : kNone;
}

}  // namespace plumbline::verbs
