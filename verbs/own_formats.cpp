#include "verbs/own_formats.hpp"

#include <algorithm>
#include <string_view>

#include "core/citing.hpp"
#include "formats/stated/statement.hpp"
#include "verbs/resolving/project_file.hpp"

namespace plumbline::verbs {
namespace {

using formats::stated::Field;
using formats::stated::Holds;
using formats::stated::Statement;

// What a team wrote may hold anything.
std::string called(const Field& field) { return core::one_line(field.as.empty() ? field.name : field.as); }
std::string quoted(std::string_view text) { return "`" + core::one_line(text) + "`"; }

void add(std::string& list, const std::string& text, std::string_view between = ", ") {
  if (!list.empty()) list += between;
  list += text;
}

bool is_metric(const Field& field, core::Role role) { return field.holds == Holds::metric && field.declared.role == role; }

std::string names_of(const Statement& statement, core::Role role) {
  std::string names;
  for (const Field& field : statement.fields) {
    if (is_metric(field, role)) add(names, called(field));
  }
  return names;
}

std::string names_of(const Statement& statement, Holds holds) {
  std::string names;
  for (const Field& field : statement.fields) {
    if (field.holds == holds) add(names, called(field));
  }
  return names;
}

std::string judged_of(const Statement& statement) {
  std::string out;
  for (const Field& field : statement.fields) {
    if (!is_metric(field, core::Role::judged)) continue;
    const std::string unit = field.declared.unit.empty() ? std::string() : " in " + core::one_line(field.declared.unit);
    add(out, called(field) + unit + (field.declared.direction == core::Direction::higher ? " (higher)" : " (lower)"));
  }
  if (const std::string gates = names_of(statement, core::Role::gate); !gates.empty()) add(out, "gates: " + gates, "; ");
  return out.empty() ? "nothing: every value is context or noise" : out;
}

// What lines, tables and records say that their metrics are of, then the dimensions.
std::string key_of(const Statement& statement) {
  std::vector<std::string_view> points;
  const auto take = [&](const auto& parts) {
    for (const auto& part : parts) {
      if (!part.point.empty() && std::find(points.begin(), points.end(), part.point) == points.end())
        points.push_back(part.point);
    }
  };
  take(statement.lines);
  take(statement.tables);
  take(statement.records);
  std::string out;
  for (const std::string_view point : points) add(out, quoted(point));
  if (const std::string dimensions = names_of(statement, Holds::dimension); !dimensions.empty()) {
    add(out, "dimensions: " + dimensions, "; ");
  }
  return out.empty() ? "the metric" : out;
}

std::string file_of(const Statement& statement) {
  if (!statement.records.empty()) return "JSON";
  if (!statement.lines.empty() || statement.tables.empty()) return "text";
  switch (statement.tables.front().separator) {
    case ',':
    case ';':
      return "CSV";
    case '\t':
      return "TSV";
    default:
      return "text";
  }
}

std::string recognised_of(const Statement& statement) {
  std::string out;
  for (const std::string_view text : statement.recognised.front().all) add(out, quoted(text), " and ");
  return out;
}

core::KnownFormat told(const formats::Format& format, std::string stated, const std::string& file) {
  const Statement& statement = *format.statement;
  core::KnownFormat out;
  out.name = format.name;
  out.group = kOwnGroup;
  out.what = names_of(statement, core::Role::judged);
  if (out.what.empty()) out.what = names_of(statement, Holds::metric);
  out.file = file_of(statement);
  out.judged = judged_of(statement);
  out.key = key_of(statement);
  out.trials = format.replication == core::Replication::in_process ? "values that come again, as iterations of one run"
                                                                   : "values that come again, as independent runs";
  out.context = names_of(statement, Holds::context);
  if (out.context.empty()) out.context = "none";
  out.recognised = recognised_of(statement);
  out.stated_in = file;
  out.stated = std::move(stated);
  return out;
}

void take(const ProjectFile& project, OwnFormatsKnown& known) {
  if (project.formats == nullptr) return;
  const std::size_t before = known.formats.size();
  for (const formats::Format* format : project.formats->formats()) {
    const bool taken =
        std::any_of(known.formats.begin(), known.formats.end(), [&](const auto& one) { return one.name == format->name; });
    if (!taken) known.formats.push_back(told(*format, project.formats->text_of(format->name), project.path));
  }
  if (known.formats.size() > before) known.files.push_back(project.path);
}

}  // namespace

Expected<OwnFormatsKnown> own_formats_known(const std::string& root, const Context& context) {
  OwnFormatsKnown known;
  for (const std::string& folder : {root, context.cwd}) {
    if (folder.empty()) continue;
    const auto project = read_project_file(folder, context);
    if (!project) return core::fail(project.error());
    take(*project, known);
  }
  return known;
}

}  // namespace plumbline::verbs
