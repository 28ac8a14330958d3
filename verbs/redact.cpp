#include "verbs/redact.hpp"

#include <nlohmann/json.hpp>

#include "core/privacy.hpp"
#include "profiles/redact.hpp"
#include "verbs/bounded_json.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {

namespace {

using Json = nlohmann::ordered_json;

void blank(Json& value) {
  if (value.is_object() || value.is_array()) {
    for (auto& item : value) blank(item);
  } else if (value.is_string()) {
    value = "[redacted]";
  }
}

void walk(Json& value) {
  if (value.is_object()) {
    for (auto it = value.begin(); it != value.end(); ++it) {
      if (core::names_environment(it.key()) || (core::sounds_secret(it.key()) && it.value().is_string())) {
        blank(it.value());
      } else {
        walk(it.value());
      }
    }
  } else if (value.is_array()) {
    for (auto& item : value) walk(item);
  }
}

}  // namespace

Expected<std::string> redacted(const LoadedSource& source, const Context& context) {
  if (context.stop_asked()) return core::fail(cancelled_error());
  if (source.capture) return profiles::redacted_capture(source.source.path, capture_opener(context));
  if (!source.source.is_directory) {
    const std::string_view text = source.input.bytes;
    const auto refused = [&](const std::string& reason) {
      return core::fail(ErrorCode::invalid_input, source.source.name + " cannot be redacted: " + reason,
                        "remove the environment yourself and record the cleaned file", source.source.path);
    };
    if (const auto depth = json_depth(text); !depth) return refused(depth.error().message);
    try {
      Json document = Json::parse(text.begin(), text.end());
      walk(document);
      return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    } catch (const std::exception& e) {
      return refused(e.what());
    }
  }
  return core::fail(ErrorCode::invalid_input, "a folder cannot be redacted",
                    "remove environments from its files and record the cleaned folder", source.source.path);
}

std::string nsys_path(const Context& context) {
  if (const auto given = context.environment("PLUMBLINE_NSYS"); given && !given->empty()) return absolute(context, *given);
  return find_program("nsys", context).value_or("");
}

}  // namespace plumbline::verbs
