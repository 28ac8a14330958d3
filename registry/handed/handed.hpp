// What a caller hands over for one call. The functions of files.hpp find it there, whatever the call is confined to.
//
// Names of what a caller hands over instead of naming a file of this machine: "content:NAME", a text of the call itself;
// "blob:sha256:HEX" or "blob:sha256:HEX/NAME", what was uploaded; "client:/PATH", a file or folder of the caller's own machine,
// handed over with the call. They stand wherever a path may stand, and no path of this machine is one of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace plumbline::registry {

inline constexpr std::string_view kContentScheme = "content:";
inline constexpr std::string_view kBlobScheme = "blob:sha256:";
inline constexpr std::string_view kClientScheme = "client:/";

[[nodiscard]] bool names_handed(std::string_view path);
// The digest and the name of "blob:sha256:HEX[/NAME]"; nothing for what is none.
struct BlobName {
  std::string digest, name;  // name: "" = none
};
[[nodiscard]] std::optional<BlobName> blob_name(std::string_view path);
// Without scheme and folders: "x.json" of "content:x.json"; a blob without a name is called by its digest.
[[nodiscard]] std::string handed_base_name(std::string_view path);
// What is said of one that is not there.
[[nodiscard]] core::Error not_handed(const std::string& path);

// Where something lies that was handed over.
struct HandedPlace {
  std::string path;       // ours: a private folder
  bool writable = false;  // a report for the caller may be written there
};

// Finds what was handed over by its name; nothing: it was not. Thread-safe.
using FindHanded = std::function<std::optional<HandedPlace>(const std::string& name)>;

// As long as it lives, names are looked up there by the functions of files.hpp on this thread; outside of any a name is no name
// of what was handed over. What opens files on another thread takes current() along.
class HandedScope {
 public:
  explicit HandedScope(const FindHanded* find);
  HandedScope(const HandedScope&) = delete;
  HandedScope& operator=(const HandedScope&) = delete;
  ~HandedScope();
  [[nodiscard]] static const FindHanded* current();  // null: none

 private:
  const FindHanded* const before_;
};

// A folder inside the allowed roots that is nobody's to name: confined calls of this process do not get into it. Told once,
// before the first of them.
void close_folder(std::string real_path);
[[nodiscard]] bool is_closed_folder(const std::string& real_path);

}  // namespace plumbline::registry
