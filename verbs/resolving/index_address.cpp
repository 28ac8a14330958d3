#include "verbs/resolving/index_address.hpp"

#include <yaml-cpp/yaml.h>

#include "registry/pgindex/address.hpp"
#include "verbs/environment.hpp"
#include "verbs/resolving/project_file.hpp"

namespace plumbline::verbs {
namespace {

// `index` of the project file. A file with mistakes in it is an error of the verbs that read its rules, not of this question.
std::string project_index(const std::string& root, const Context& context) {
  if (root.empty()) return {};
  registry::PathLimits limits = path_limits(context);
  limits.bytes = 4U << 20U;
  const std::string path = project_file_path(root);
  if (is_absent(path, limits)) return {};
  const auto bytes = registry::read_file(path, limits);
  if (!bytes || bytes->view().find("index") == std::string_view::npos) return {};
  try {
    const YAML::Node file = YAML::Load(std::string(bytes->view()));
    if (!file.IsMap() || !file["index"] || !file["index"].IsScalar()) return {};
    std::string address = file["index"].Scalar();
    namespace pg = registry::pgindex;
    if (!pg::check_address(address, "index") || pg::has_password(address)) return {};
    if (!pg::leaves_machine(address)) return address;
    // Any branch may name a server here: no password goes to it but what the user's own file has for that one.
    return pg::verifies_server(address) ? pg::without_surrounding_password(address) : std::string();
  } catch (const YAML::Exception&) {
    return {};
  }
}

}  // namespace

std::string index_address(const std::string& root, const Context& context) {
  std::string address;
  if (auto given = context.environment ? context.environment("PLUMBLINE_INDEX") : std::nullopt; given) {
    address = *given;
  } else if (context.runs_hooks) {
    address = project_index(root, context);
  }
  return address == "off" ? std::string() : address;
}

Environment with_index(Environment outer, std::string address) {
  return [outer = std::move(outer), address = std::move(address)](std::string_view name) -> std::optional<std::string> {
    if (name == "PLUMBLINE_INDEX") return address;
    return outer ? outer(name) : std::nullopt;
  };
}

Param index_param() {
  return {.name = "index",
          .value_name = "URL",
          .help = "derived index of the registry: postgresql://…, or off; default PLUMBLINE_INDEX, else plumbline.yaml",
          .page =
              "the [derived index](../stores-index.md) of the registry: `postgresql://…`, or `off` for none; default "
              "`PLUMBLINE_INDEX`, else `index` of `plumbline.yaml`",
          .cli_only = true};
}

}  // namespace plumbline::verbs
