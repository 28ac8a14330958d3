// --report KIND[=FILE], as often as one wants: one answer in several forms, each into its own file, one of them at most on
// standard output.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "verbs/verb.hpp"

namespace plumbline::verbs {

enum class ReportKind : std::uint8_t { table, json, md, csv, junit, github, native, png };

struct ReportTarget {
  ReportKind kind = ReportKind::table;
  std::string file;  // absolute; "" is standard output
};

// The parameter; its kinds are said in its help.
[[nodiscard]] Param report_param(std::string_view kinds, std::string_view page = {});

// Checked: kinds that the verb has, no two reports in one place, no file in a folder that does not exist.
[[nodiscard]] Expected<std::vector<ReportTarget>> report_targets(const Arguments& arguments,
                                                                 std::initializer_list<ReportKind> kinds, const Context& context);
[[nodiscard]] bool asks_for(const std::vector<ReportTarget>& targets, ReportKind kind);

// The answer in one of its forms. `colour`: marks of colour may be in it.
struct Rendered {
  std::string text;
  std::string json;  // set where the form has a JSON of its own, see Outcome::report_json
};
// Writes the files, each by one rename, and puts into the outcome what goes to standard output: the table, unless another form
// was asked for there. A report for GitHub also adds `summary` to the summary of the step, where the job has one.
struct ReportForms {
  std::function<Rendered(ReportKind kind)> render;
  std::function<std::string()> summary = {};
};
[[nodiscard]] Status write_reports(const std::vector<ReportTarget>& targets, const ReportForms& forms, const Context& context,
                                   Outcome& outcome);

}  // namespace plumbline::verbs
