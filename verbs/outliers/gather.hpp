// Files become siblings: each is called as the caller says, else after the host that it names, else after what tells its name
// apart from the others; files of one name are its trials. Files of different tests are an error that names the odd one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/results/common.hpp"
#include "verbs/outliers/request.hpp"
#include "verbs/resolving/session.hpp"
#include "verdict/siblings/siblings.hpp"

namespace plumbline::verbs {

struct GatheredSiblings {
  std::vector<verdict::SiblingInput> siblings;
  std::string kind = "node";
  bool pairs = false;
  std::vector<core::FileRef> sources;  // every file that was read, with its digest
  std::vector<core::Warning> warnings;
};

[[nodiscard]] Expected<GatheredSiblings> gather_siblings(const OutliersRequest& request, const ReadingRules& reading,
                                                         const std::shared_ptr<core::StringPool>& pool, const Context& context);

// What is left of each name when what all of them begin and end with is taken away, up to '_', '/', '.' or a blank.
[[nodiscard]] std::vector<std::string> distinct_parts(const std::vector<std::string>& names);

}  // namespace plumbline::verbs
