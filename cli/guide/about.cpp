// What this program is: version --json and licenses.
#include <gnu/libc-version.h>

#include "cli/guide/guide.hpp"
#include "cli/guide/parts.hpp"
#include "core/citing.hpp"
#include "core/json_writer.hpp"
#include "core/text.hpp"

namespace plumbline::notices {
std::string_view embedded_file(std::string_view name);
}

namespace plumbline::cli {
namespace {

bool is_static() { return linking() == "static"; }

// Whether the part's code is in this file.
bool is_inside(const Part& part) { return is_static() || part.how == "headers" || part.how == "static"; }
std::string_view how_linked(const Part& part) {
  if (part.how == "headers") return "headers";
  return is_inside(part) ? "static" : "shared";
}

std::string version_json() {
  std::string text;
  core::JsonWriter json(text);
  json.begin_object().field("name", "plumbline").field("version", verbs::version());
  json.key("commit");
  if (commit().empty()) {
    json.null();
  } else {
    json.value(commit());
  }
  json.field("compiler", compiler()).field("target", target()).field("build", build_type()).field("linking", linking());
  json.field("c_library", "glibc " + std::string(gnu_get_libc_version())).field("license", "Apache-2.0");
  json.key("features").begin_object();
  json.field("commands", static_cast<std::uint64_t>(all_commands().size()));
  json.field("tls", true).field("shared_libraries", !is_static());
  json.field("name_lookup", is_static() ? "hosts file, DNS" : "as the system is set up").end_object();
  json.key("parts").begin_array();
  for (const Part& part : parts()) {
    core::compact(json, [&](core::JsonWriter& one) {
      one.begin_object().field("name", part.name).key("version");
      if (part.version.empty()) {
        one.null();
      } else {
        one.value(part.version);
      }
      one.field("license", part.licence).field("linked", how_linked(part)).field("home", part.home).end_object();
    });
  }
  json.end_array().end_object();
  return text + "\n";
}

std::string heading(std::string_view text) { return std::string(text) + "\n" + std::string(text.size(), '=') + "\n\n"; }

std::string notice_of(const Part& part) {
  const std::string_view text = notices::embedded_file(part.name);
  std::string out = heading(std::string(part.name) + (part.version.empty() ? "" : " " + std::string(part.version)));
  out += "License: " + std::string(part.licence) + "\nHome: " + std::string(part.home) + "\n\n";
  if (text.empty()) return out + "Its notice was not at hand where this program was built.\n\n";
  return out + std::string(text) + "\n";
}

std::string all_notices() {
  std::string out =
      heading("plumbline " + std::string(verbs::version())) + std::string(notices::embedded_file("plumbline")) + "\n";
  for (const Part& part : parts()) {
    if (is_inside(part)) out += notice_of(part);
  }
  if (!is_static()) return out;
  for (const std::string_view text : {"GPL-3", "LGPL-2.1", "LGPL-3"}) {
    if (const std::string_view whole = notices::embedded_file(text); !whole.empty())
      out += heading(text) + std::string(whole) + "\n";
  }
  return out;
}

std::string list_of_parts() {
  std::string out = "plumbline " + std::string(verbs::version()) + " is under Apache-2.0. Its parts:\n\n";
  const auto cell = [](std::string_view text, std::size_t width) {
    return std::string(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
  };
  for (const Part& part : parts())
    out += "  " + cell(part.name, 16) + cell(part.version, 22) + cell(how_linked(part), 9) + std::string(part.licence) + "\n";
  return out +
         "\nplumbline licenses --all prints the notices of what is inside this file, plumbline licenses NAME that of one part.\n";
}

}  // namespace

const verbs::Verb& licenses_command() {
  static const verbs::Verb kLicenses{
      .name = "licenses",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Print the licences of the parts",
      .summary = "List the parts that the program is made of, with versions and licences, and print their notices.",
      .safety = "read_only",
      .params = {{.name = "part", .value_name = "NAME", .doc = "the notice of this part alone", .positional = 1},
                 {.name = "all", .kind = verbs::ParamKind::boolean, .doc = "the notices of all parts that are inside this file"}},
      .output_schema = {},
      .examples = {"plumbline licenses"},
      .run = nullptr,
  };
  return kLicenses;
}

verbs::CommandOutcome run_licenses(std::span<const std::string> words, const verbs::Context& /*context*/) {
  Asked asked = ask(licenses_command(), words);
  if (asked.answered) return asked.outcome;
  const std::string name = asked.line.arguments.text("part");
  if (asked.line.json) {
    asked.outcome.out = version_json();
    return asked.outcome;
  }
  if (name.empty()) {
    asked.outcome.out = asked.line.arguments.flag("all") ? all_notices() : list_of_parts();
    return asked.outcome;
  }
  std::vector<std::string_view> names;
  for (const Part& part : parts()) {
    if (core::to_lower(part.name) == core::to_lower(name)) {
      asked.outcome.out = notice_of(part);
      return asked.outcome;
    }
    names.push_back(part.name);
  }
  const auto near = core::nearest(name, names);
  return failed({verbs::ErrorCode::usage, "there is no part " + core::cited(name),
                 near.empty() ? "plumbline licenses lists them" : "did you mean " + core::cited(near) + "?", "part"});
}

const verbs::Verb& version_command() {
  static const verbs::Verb kVersion{
      .name = "version",
      .tool = "",
      .tool_aliases = {},
      .library = "",
      .title = "Print the version",
      .summary =
          "Print the version; with --json also the commit, the compiler, how it is linked, and its parts with their licences.",
      .safety = "read_only",
      .params = {},
      .output_schema = {},
      .examples = {"plumbline version --json"},
      .run = nullptr,
  };
  return kVersion;
}

verbs::CommandOutcome run_version(std::span<const std::string> words, const verbs::Context& /*context*/) {
  Asked asked = ask(version_command(), words);
  if (asked.answered) return asked.outcome;
  asked.outcome.out = asked.line.json ? version_json() : "plumbline " + std::string(verbs::version()) + "\n";
  return asked.outcome;
}

}  // namespace plumbline::cli
