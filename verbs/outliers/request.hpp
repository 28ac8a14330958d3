// What outliers was asked, checked before any file is opened.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/reports.hpp"
#include "verbs/diff/request.hpp"
#include "verbs/verb.hpp"

namespace plumbline::verbs {

struct OutliersRequest {
  DiffRequest rules;  // root, format, flags, tolerance, varying, alpha, fail_on, out, no_bundle, reports: as in diff
  std::vector<std::string> paths;
  std::map<std::string, std::string> names;  // of siblings, by path: instead of what files and their names say
  std::string by;                            // the dimension that tells siblings apart; "" = by files, or what one file tells
  std::string family, measurement;           // of the bundle; "" = adhoc/outliers
  std::string ceiling = "none";
  std::optional<reports::Drain> drain;
};

[[nodiscard]] Expected<OutliersRequest> parse_outliers(const Arguments& arguments, const Context& context);

// As run_outliers, where the caller knows whose file each path is. Files of one name are its trials.
[[nodiscard]] Expected<Outcome> run_outliers_named(const Arguments& arguments, std::map<std::string, std::string> names,
                                                   const Context& context);

// diff --as nodes: the files of both sides are siblings. What siblings have no use for is an error.
[[nodiscard]] Expected<Arguments> outliers_arguments(const Arguments& of_diff);

}  // namespace plumbline::verbs
