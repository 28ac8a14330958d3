#include "verbs/calling/handed.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/descriptor.hpp"
#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "registry/handed/handed.hpp"
#include "verbs/calling/parameters.hpp"

namespace plumbline::verbs {
namespace {

constexpr std::size_t kNameBytes = 128;

// What a content stands for when the call does not say: the measurement that is new, then the older one.
constexpr std::array<std::string_view, 6> kPlaces = {"current", "candidate", "source", "path", "paths", "baseline"};

bool gives(const Arguments& arguments, const Param& param) {
  return is_list(param.kind) ? !arguments.list(param.name).empty() : arguments.has(param.name);
}

// Every text of the arguments, lists by their items.
std::vector<std::string> texts_of(const Arguments& arguments) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : arguments.all()) {
    if (const auto* text = std::get_if<std::string>(&value)) texts.push_back(*text);
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) texts.insert(texts.end(), list->begin(), list->end());
  }
  return texts;
}

Status check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!is_plain_file_name(name)) {
      return core::fail(ErrorCode::usage, "content_name " + core::cited(name) + " is not a plain file name",
                        "a base name such as \"result.json\": letters, digits, blanks and ._+=@,- without a leading dot, at most "
                        "128 bytes",
                        "content_name");
    }
    if (std::count(names.begin(), names.end(), name) > 1) {
      return core::fail(ErrorCode::usage, "two contents are called " + core::cited(name), "give each a name of its own",
                        "content_name");
    }
  }
  return {};
}

// Names for those that have none, by what they look like.
std::string name_of(std::string_view content, std::size_t at, std::size_t count) {
  const std::string_view start = core::trim(content).substr(0, 1);
  return std::string("content") + (count > 1 ? std::to_string(at + 1) : "") + (start == "{" || start == "[" ? ".json" : ".txt");
}

Error environment_error(const std::string& what, int error) {
  return {ErrorCode::environment, what + ": " + std::strerror(error), {}, {}};
}

Status write_text(const std::string& path, const std::string& name, std::string_view text) {
  base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return core::fail(environment_error("cannot keep " + name, errno));
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return core::fail(environment_error("cannot keep " + name, written == 0 ? ENOSPC : errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

bool is_plain_file_name(std::string_view name) {
  if (name.empty() || name.size() > kNameBytes || name.front() == '.' || name.front() == '-' || name.front() == ' ') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._+=@,- ").find(c) != std::string_view::npos;
  });
}

Handed::~Handed() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

// A place in the call's folder, one folder a file, so that none can be taken for another's neighbour.
Expected<std::string> Handed::place_for(const std::string& name, std::string_view base) {
  if (folder_.empty()) {
    const auto temporary = context_.environment ? context_.environment("TMPDIR").value_or("") : std::string();
    std::string path = !options_.folder.empty() ? options_.folder : temporary.starts_with("/") ? temporary : std::string("/tmp");
    path += "/plumbline-call-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return core::fail(environment_error("cannot make a folder for " + name, errno));
    folder_ = std::move(path);
  }
  if (base.empty() || base == "." || base == "..") {
    return core::fail(ErrorCode::usage, core::cited(name) + " names no file", {}, name);
  }
  if (const auto inside = find(name)) {  // a folder that was handed over
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(inside->path).parent_path(), error);
    if (error) return core::fail(environment_error("cannot keep " + name, error.value()));
    return inside->path;
  }
  const std::string own = folder_ + "/" + std::to_string(count_++);
  if (::mkdir(own.c_str(), 0700) != 0) return core::fail(environment_error("cannot keep " + name, errno));
  return own + "/" + std::string(base);
}

Status Handed::take_content(const Verb& verb, Arguments& arguments) {
  const std::vector<std::string> contents = arguments.list("content");
  std::vector<std::string> names = arguments.list("content_name");
  if (contents.empty() && names.empty()) return {};
  if (contents.empty()) return core::fail(ErrorCode::usage, "content_name is given without content", {}, "content_name");
  if (!names.empty() && names.size() != contents.size()) {
    return core::fail(ErrorCode::usage,
                      core::counted(contents.size(), "content") + " and " + core::counted(names.size(), "content_name") +
                          ": each content has one",
                      {}, "content_name");
  }
  std::size_t bytes = 0;
  for (const std::string& content : contents) bytes += content.size();
  if (bytes > kContentBytes) {
    return core::fail(
        ErrorCode::limit_exceeded,
        "content has " + std::to_string(bytes) + " bytes, and a call takes at most " + std::to_string(kContentBytes),
        "upload it: PUT /blobs/sha256/HEX on this server, then give blob:sha256:HEX as the path", "content");
  }
  for (std::size_t i = 0; names.size() < contents.size(); ++i) names.push_back(name_of(contents[i], i, contents.size()));
  if (auto ok = check_names(names); !ok) return ok;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (auto ok = take_text(std::string(registry::kContentScheme) + names[i], contents[i]); !ok) return ok;
  }
  const auto texts = texts_of(arguments);
  if (std::any_of(texts.begin(), texts.end(), [](const auto& text) { return text.starts_with(registry::kContentScheme); }))
    return {};
  for (const std::string_view place : kPlaces) {
    const Param* param = find_param(verb, place);
    if (param == nullptr || gives(arguments, *param)) continue;
    std::vector<std::string> shown;
    shown.reserve(names.size());
    for (const std::string& name : names) shown.push_back(std::string(registry::kContentScheme) + name);
    if (is_list(param->kind)) {
      arguments.set(std::string(place), std::move(shown));
    } else if (shown.size() == 1) {
      arguments.set(std::string(place), std::move(shown.front()));
    } else {
      return core::fail(ErrorCode::usage,
                        std::string(place) + " is one file, and there are " + std::to_string(shown.size()) + " contents",
                        "give one, and name the others where they belong: \"content:NAME\"", "content");
    }
    return {};
  }
  return core::fail(ErrorCode::usage, "content takes the place of a path that is left out, and none is",
                    "leave the path out, or give it as \"content:" + names.front() + "\"", "content");
}

Status Handed::take_named_blob(const std::string& word) {
  const auto blob = registry::blob_name(word);
  if (!blob || places_.contains(word)) return {};
  if (!blob->name.empty() && !is_plain_file_name(blob->name)) {
    return core::fail(ErrorCode::usage, core::cited(blob->name) + " is not a plain file name",
                      "behind the digest stands a base name: blob:sha256:HEX/result.json", word);
  }
  return take_blob(word, blob->digest);
}

Status Handed::take_blobs(const Arguments& arguments) { return take_blobs(texts_of(arguments)); }

Status Handed::take_blobs(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t at = word.find(registry::kBlobScheme);
    if (at == std::string::npos || (at > 0 && word[at - 1] != '=')) continue;  // --current=blob:…
    if (auto ok = take_named_blob(word.substr(at)); !ok) return ok;
  }
  return {};
}

Status Handed::take_text(const std::string& name, std::string_view text) {
  auto place = place_for(name, registry::handed_base_name(name));
  if (!place) return core::fail(std::move(place.error()));
  if (auto ok = write_text(*place, name, text); !ok) return ok;
  places_[name] = {std::move(*place), false};
  return {};
}

// One that is not there is no error yet: whoever opens it says so.
Status Handed::take_blob(const std::string& name, const std::string& digest) {
  if (!options_.link_blob) return {};
  auto place = place_for(name, registry::handed_base_name(name));
  if (!place) return core::fail(std::move(place.error()));
  const auto linked = options_.link_blob(digest, *place);
  if (!linked) return core::fail(linked.error());
  if (*linked) places_[name] = {std::move(*place), false};
  return {};
}

Status Handed::take_folder(const std::string& name) {
  auto place = place_for(name, registry::handed_base_name(name));
  if (!place) return core::fail(std::move(place.error()));
  if (::mkdir(place->c_str(), 0700) != 0) return core::fail(environment_error("cannot keep " + name, errno));
  places_[name] = {std::move(*place), false};
  return {};
}

Status Handed::take_target(const std::string& name) {
  auto place = place_for(name, "report");
  if (!place) return core::fail(std::move(place.error()));
  places_[name] = {std::move(*place), true};
  return {};
}

std::vector<std::pair<std::string, std::string>> Handed::written() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, place] : places_) {
    if (!place.writable) continue;
    const auto bytes = registry::read_file(place.path, {});
    if (bytes) out.emplace_back(name, std::string(bytes->view()));
  }
  return out;
}

std::optional<registry::HandedPlace> Handed::find(const std::string& name) const {
  if (const auto exact = places_.find(name); exact != places_.end()) return exact->second;
  // Inside a folder: the longest part of the name that is one.
  for (std::size_t slash = name.rfind('/'); slash != std::string::npos && slash > 0; slash = name.rfind('/', slash - 1)) {
    const auto folder = places_.find(std::string_view(name).substr(0, slash));
    if (folder == places_.end()) continue;
    const std::string rest = name.substr(slash + 1);
    for (const auto part : core::split(rest, '/')) {
      if (part.empty() || part == "." || part == "..") return std::nullopt;
    }
    return registry::HandedPlace{folder->second.path + "/" + rest, false};
  }
  return std::nullopt;
}

}  // namespace plumbline::verbs
