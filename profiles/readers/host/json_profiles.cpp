#include "profiles/readers/host/json_profiles.hpp"

#include "core/text.hpp"
#include "profiles/names/frames.hpp"
#include "profiles/readers/bytes/byte_source.hpp"

namespace plumbline::profiles {

void look_at_json(const OpenFile& file, JsonReader& reader) {
  constexpr std::uint64_t kHead = std::uint64_t{1} << 20U;
  if (!file.is_file()) return;
  const std::string head = file.head(256).value_or(std::string());
  JsonBounds bounds;
  bounds.window = std::size_t{64} << 10U;
  bounds.text = kHead;
  if (is_gzip(head)) {
    (void)stream_json(*gzip_bytes(file_bytes(file)), reader, bounds);
    return;
  }
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (core::trim(text).starts_with('{')) (void)stream_json(*file_bytes(file), reader, bounds);
}

std::string function_in_file(std::string_view function, std::string_view file) {
  std::string name = canonical_frame(function);
  if (file.find("://") != std::string_view::npos) file = file.substr(0, file.find_first_of("?#"));
  if (const std::size_t slash = file.find_last_of("/\\"); slash != std::string_view::npos) file.remove_prefix(slash + 1);
  if (!file.empty()) name.append(" (").append(file).append(")");
  return name;
}

core::Status pass_over_profile(const OpenBytes& open, JsonReader& reader, const std::string& name, const ReadOptions& options) {
  JsonBounds bounds;
  bounds.value = std::size_t{64} << 20U;  // of a tree that stands in one value
  bounds.stop = options.stop;
  const auto end = stream_json(*open(), reader, bounds);
  if (!end) {
    core::Error error = end.error();
    if (error.where.empty()) error.where = name;
    return core::fail(std::move(error));
  }
  if (end->cut) return core::fail(core::ErrorCode::invalid_input, "the profile ends before its end", "copy the file again", name);
  if (end->malformed + end->oversized > 0) {
    return core::fail(
        core::ErrorCode::invalid_input,
        "the profile is damaged: " + core::counted(end->malformed + end->oversized, "part") + " of it cannot be read",
        "write the profile again", name);
  }
  return {};
}

}  // namespace plumbline::profiles
