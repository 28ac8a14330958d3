#include "verbs/record/redact.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/privacy.hpp"
#include "core/text.hpp"
#include "profiles/redact.hpp"
#include "verbs/environment.hpp"
#include "verbs/record/bounded_json.hpp"

namespace plumbline::verbs {

namespace {

using Json = nlohmann::ordered_json;

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
          take(item, "texts behind options");
        } else {
          all(item, above);
        }
        awaited = option;
      }
    } else if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      if (above >= core::NameSays::token || (above == core::NameSays::random && core::looks_random(text))) {
        take(value, "texts under names of secrets");
      } else if (auto clean = finder_.scrubbed(text)) {
        taken_.add("secrets in texts");
        value = *clean;
      }
    }
  }
  [[nodiscard]] std::vector<profiles::TakenOut::Place> taken() const { return taken_.places(); }

 private:
  void take(Json& text, std::string_view what) {
    taken_.add(what, text == core::kRedacted ? 0 : 1);
    text = core::kRedacted;
  }
  void blank(Json& value) {
    if (value.is_object() || value.is_array()) {
      for (auto& item : value) blank(item);
    } else if (value.is_string()) {
      take(value, "environments");
    }
  }
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
  profiles::TakenOut taken_;
};

}  // namespace

Expected<profiles::Redaction> redacted(const intake::Opened& source, const Context& context) {
  if (context.stop_asked()) return core::fail(cancelled_error());
  if (source.is_capture()) return profiles::redacted_capture(source.source.path, capture_opener(context));
  if (!source.source.is_directory) {
    const std::string_view text = source.input().bytes;
    const auto refused = [&](const std::string& reason) {
      return core::fail(ErrorCode::invalid_input, source.source.name + " cannot be redacted: " + reason,
                        "remove the environment yourself and record the cleaned file", source.source.path);
    };
    if (const auto depth = json_depth(text); !depth) return refused(depth.error().message);
    try {
      Json document = Json::parse(text.begin(), text.end());
      Walk walk;
      walk.all(document);
      return profiles::Redaction{document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", walk.taken()};
    } catch (const std::exception& e) {
      return refused(e.what());
    }
  }
  return core::fail(ErrorCode::invalid_input, "a folder cannot be redacted",
                    "remove environments from its files and record the cleaned folder", source.source.path);
}

core::Warning redacted_warning(const std::vector<profiles::TakenOut::Place>& places) {
  constexpr std::size_t kNamed = 8;
  if (places.empty()) return core::Warning{"redacted_copy", "nothing had to be left out of the copy"};
  std::vector<std::string> parts;
  std::uint64_t others = 0;
  for (const auto& place : places) {
    if (parts.size() < kNamed) {
      parts.push_back(place.what + " (" + std::to_string(place.count) + ")");
    } else {
      others += place.count;
    }
  }
  if (others > 0) parts.push_back("other places (" + std::to_string(others) + ")");
  return core::Warning{"redacted_copy",
                       "the copy was made without " + core::listed(parts) +
                           "; names of kernels, calls and ranges stay, with what looks like a secret taken out of them"};
}

registry::Source redacted_name(const intake::Opened& source, std::string_view bytes) {
  registry::Source named = source.source;
  if (!source.is_capture() || core::to_lower(registry::suffix_of(named.name)) != ".gz") return named;
  named.name.resize(named.name.size() - 3);
  const bool json = bytes.starts_with('{') || bytes.starts_with('[');
  if (registry::suffix_of(named.name).empty()) named.name += json ? ".json" : ".pb";
  return named;
}

Status write_scratch(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return {};
  return core::fail(ErrorCode::environment, "the redacted copy cannot be written to the scratch folder",
                    "free some space, or name a folder with more in TMPDIR", path);
}

std::string nsys_path(const Context& context) {
  if (const auto given = context.environment("PLUMBLINE_NSYS"); given && !given->empty()) return absolute(context, *given);
  return find_program("nsys", context).value_or("");
}

}  // namespace plumbline::verbs
