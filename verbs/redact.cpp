#include "verbs/redact.hpp"

#include <nlohmann/json.hpp>

#include "core/privacy.hpp"
#include "profiles/redact.hpp"
#include "verbs/environment.hpp"

namespace plumbline::verbs {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kMaxDepth = 256;

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
    try {
      int deepest = 0;
      Json document =
          Json::parse(source.input.bytes.begin(), source.input.bytes.end(), [&](int depth, Json::parse_event_t, Json&) {
            deepest = std::max(deepest, depth);
            if (depth > kMaxDepth) throw std::length_error("nested deeper than 256");
            return true;
          });
      walk(document);
      return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    } catch (const std::exception& e) {
      return core::fail(ErrorCode::invalid_input, source.source.name + " cannot be redacted: " + e.what(),
                        "remove the environment yourself and record the cleaned file", source.source.path);
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
