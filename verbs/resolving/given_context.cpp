#include "verbs/resolving/given_context.hpp"

#include "core/citing.hpp"
#include "core/text.hpp"
#include "verbs/calling/wording.hpp"

namespace plumbline::verbs {

Expected<core::Context> given_context(const std::vector<std::string>& texts) {
  core::Context out;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    const std::string key = text.substr(0, at);
    if (at == std::string::npos || at == 0) {
      return core::fail(ErrorCode::usage, "--context " + cited(text) + " is not K=V", "write `--context hardware.gpu=H200`");
    }
    if (!core::is_context_key(key)) {
      const std::string_view group = std::string_view(key).substr(0, key.find('.'));
      const std::string_view near = core::nearest(group, core::context_groups());
      std::string groups;
      for (const std::string_view g : core::context_groups()) groups += (groups.empty() ? "" : ", ") + std::string(g);
      return core::fail(ErrorCode::usage, "--context key " + cited(key) + " is not GROUP.KEY",
                        near.empty() ? "groups are " + groups : "did you mean group " + cited(near) + "? groups are " + groups);
    }
    const auto [before, fresh] = out.emplace(key, text.substr(at + 1));
    if (!fresh && before->second != text.substr(at + 1)) {
      return core::fail(ErrorCode::usage, "--context " + key + " is given twice, with different values", "give it once");
    }
  }
  return out;
}

Status state_context(core::Context& context, const core::Context& given, std::string_view file) {
  for (const auto& [key, value] : given) {
    const auto [said, fresh] = context.emplace(key, value);
    if (fresh || said->second == value) continue;
    return core::fail(
        ErrorCode::usage,
        "--context " + key + " is " + cited(value) + ", but " + core::cited_path(file) + " says " + cited(said->second),
        "leave it out: what a file says of itself holds");
  }
  return {};
}

}  // namespace plumbline::verbs
