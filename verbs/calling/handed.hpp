// What a caller hands over instead of naming a file of this machine, for one call: texts of the call itself, uploads, files of
// its own machine (registry/handed/handed.hpp). Each stands in a private folder under the name that it was given, until the call
// ends; verbs open it by that name as long as a registry::HandedScope of this call lives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "registry/handed/handed.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

// Of one call; more is uploaded.
inline constexpr std::size_t kContentBytes = 64U << 10;

// Links the upload of this digest to a new name. False when it is not there (any more).
using LinkBlob = std::function<Expected<bool>(const std::string& digest, const std::string& path)>;

struct HandedOptions {
  std::string folder;  // an existing private one, for the folder of this call; "": where temporary files go
  LinkBlob link_blob;  // empty: nothing is ever uploaded here
};

class Handed {
 public:
  Handed(const Context& context, HandedOptions options) : context_(context), options_(std::move(options)) {}
  Handed(const Handed&) = delete;
  Handed& operator=(const Handed&) = delete;
  ~Handed();

  // `content` and `content_name` of a call: they take the place of the path that the call leaves out, or of those that it gives
  // as content:NAME.
  [[nodiscard]] Status take_content(const Verb& verb, Arguments& arguments);
  // Uploads that arguments or words name.
  [[nodiscard]] Status take_blobs(const Arguments& arguments);
  [[nodiscard]] Status take_blobs(const std::vector<std::string>& words);
  // A file of the caller's machine: `name` is "client:/…", perhaps inside a folder that was taken before.
  [[nodiscard]] Status take_text(const std::string& name, std::string_view text);
  [[nodiscard]] Status take_blob(const std::string& name, const std::string& digest);
  [[nodiscard]] Status take_folder(const std::string& name);
  // A report that the verb writes there is read by written().
  [[nodiscard]] Status take_target(const std::string& name);
  // Those that were, with their texts.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> written() const;

  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] std::optional<registry::HandedPlace> find(const std::string& name) const;
  // For a registry::HandedScope, after the last take.
  [[nodiscard]] const registry::FindHanded& finder() const { return finder_; }

 private:
  [[nodiscard]] Expected<std::string> place_for(const std::string& name, std::string_view base);
  [[nodiscard]] Status take_named_blob(const std::string& word);

  const Context& context_;
  const HandedOptions options_;
  const registry::FindHanded finder_ = [this](const std::string& name) { return find(name); };
  std::string folder_;  // of this call; "" as long as nothing was handed over
  std::size_t count_ = 0;
  std::map<std::string, registry::HandedPlace, std::less<>> places_;
};

// A name that a file may be given by whoever hands it over: one that no shell, path or terminal takes for something else.
[[nodiscard]] bool is_plain_file_name(std::string_view name);

// The two parameters, for every verb that reads measurements.
[[nodiscard]] inline Param content_param() {
  return {.name = "content", .kind = ParamKind::string_list, .doc = "a file's text", .mcp_only = true, .mostly_one = true};
}
[[nodiscard]] inline Param content_name_param() {
  return {.name = "content_name", .kind = ParamKind::string_list, .doc = "its name", .mcp_only = true, .mostly_one = true};
}

}  // namespace plumbline::verbs
