#include "reports/budget.hpp"

#include "core/text.hpp"

namespace plumbline::reports {

std::vector<std::string> shortened(const std::vector<std::string>& all, std::size_t count, std::size_t bytes) {
  std::vector<std::string> out;
  for (const std::string& text : first(all, count)) out.push_back(shorten_bytes(text, bytes));
  return out;
}

core::FormatInfo shortened(core::FormatInfo format, std::size_t count, std::size_t bytes) {
  format.evidence = shortened(format.evidence, count, bytes);
  for (std::string* word : {&format.name, &format.version, &format.runner_up}) *word = shorten_bytes(*word, 60);
  return format;
}

void write_some_warnings(JsonWriter& json, const std::vector<core::Warning>& warnings, std::size_t count, std::size_t bytes,
                         std::string_view elsewhere) {
  std::vector<core::Warning> some;
  for (const core::Warning& warning : first(warnings, count)) {
    some.push_back({warning.code, core::shorten_sentence(warning.message, bytes)});
  }
  if (const std::size_t more = warnings.size() - some.size(); more > 0) {
    some.push_back({"warnings_omitted", core::counted(more, "more warning") + std::string(elsewhere)});
  }
  write_warnings(json, some);
}

void write_some_files(JsonWriter& json, const std::vector<core::FileRef>& files, std::size_t count, bool paths) {
  const std::span<const core::FileRef> some = first(files, count);
  if (paths) {
    write_files(json, some);
  } else {
    json.key("files").begin_array();
    for (const core::FileRef& file : some) {
      compact(json, [&](JsonWriter& out) {
        out.begin_object().field("name", shorten_bytes(file.name, 100)).field("bytes", file.bytes).field("sha256", file.sha256);
        out.end_object();
      });
    }
    json.end_array();
  }
  write_omitted(json, "files", files.size(), some.size());
}

void write_some_context(JsonWriter& json, const core::Context& context, const Share& share) {
  core::Context some;
  for (const auto& [key, text] : context) {
    if (some.size() == share.keys) break;
    // A key is never cut: two could become one.
    if (key.size() <= share.text) some.emplace(key, shorten_bytes(text, share.text));
  }
  json.key("context");
  write_context(json, some);
  write_omitted(json, "context", context.size(), some.size());
}

}  // namespace plumbline::reports
