#include "verbs/redact.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/privacy.hpp"
#include "core/text.hpp"
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
    value = core::kRedacted;
  }
}

// Texts lose the secrets in them; under a name that sounds like one, or below it, they go altogether.
class Walk {
 public:
  void all(Json& value, core::NameSays above = core::NameSays::nothing) {
    if (value.is_object()) {
      members(value, above);
    } else if (value.is_array()) {
      bool awaited = false;  // ["run", "--token", "X"]
      for (auto& item : value) {
        const bool option = item.is_string() && core::awaits_secret(item.get_ref<const std::string&>());
        if (awaited && item.is_string() && !option) {
          item = core::kRedacted;
        } else {
          all(item, above);
        }
        awaited = option;
      }
    } else if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      if (above >= core::NameSays::token || (above == core::NameSays::random && core::looks_random(text))) {
        value = core::kRedacted;
      } else if (auto clean = finder_.scrubbed(text)) {
        value = *clean;
      }
    }
  }

 private:
  void members(Json& object, core::NameSays above) {
    bool renamed = false;
    for (auto it = object.begin(); it != object.end(); ++it) {
      core::NameSays says = core::name_says(it.key());
      // {"token": {"text": "the"}} may be a word; what looks drawn by chance is none.
      if (says == core::NameSays::token && it.value().is_structured()) says = core::NameSays::random;
      if (core::names_environment(it.key())) {
        blank(it.value());
      } else {
        all(it.value(), std::max(above, says));
      }
      renamed = renamed || finder_.next(it.key()).has_value();
    }
    if (!renamed) return;
    Json named = Json::object();
    for (auto it = object.begin(); it != object.end(); ++it) {
      const std::string clean = finder_.scrubbed(it.key()).value_or(it.key());
      std::string name = clean;  // two of one name would be one member less
      for (int i = 2; named.contains(name); ++i) name = clean + " #" + std::to_string(i);
      named[name] = std::move(it.value());
    }
    object = std::move(named);
  }

  core::SecretFinder finder_;
};

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
      Walk().all(document);
      return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    } catch (const std::exception& e) {
      return refused(e.what());
    }
  }
  return core::fail(ErrorCode::invalid_input, "a folder cannot be redacted",
                    "remove environments from its files and record the cleaned folder", source.source.path);
}

registry::Source redacted_name(const LoadedSource& source) {
  registry::Source named = source.source;
  if (!source.capture || core::to_lower(registry::suffix_of(named.name)) != ".gz") return named;
  named.name.resize(named.name.size() - 3);
  if (registry::suffix_of(named.name).empty()) named.name += ".json";
  return named;
}

std::string nsys_path(const Context& context) {
  if (const auto given = context.environment("PLUMBLINE_NSYS"); given && !given->empty()) return absolute(context, *given);
  return find_program("nsys", context).value_or("");
}

}  // namespace plumbline::verbs
