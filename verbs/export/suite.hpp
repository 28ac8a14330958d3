// export of a suite: a folder of results or of baseline files, or a family of the registry, becomes the other system's baselines:
// a file a case, each under the name of the file that it replaces, or one file where that system keeps all cases in one. As a
// whole or not at all: a case that fails what it is to replace stops the export until there is a reason, and a run that broke is
// never an expectation. Nothing is written here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registry/store.hpp"
#include "systems/exporter.hpp"
#include "verbs/resolving/session.hpp"

namespace plumbline::verbs {

struct ExportTools {
  const Context& context;
  const registry::Store& store;
  std::shared_ptr<core::StringPool> pool;
  ReadingRules reading;
  std::string format;  // --format
};

struct SuiteExport {
  std::string path;  // of the source
  struct File {
    std::string id;
    systems::Exported exported;  // its file_name is a path below the folder that is written to
  };
  std::vector<File> files;                                    // by case
  std::vector<std::pair<std::string, std::string>> left_out;  // case and why
  std::vector<core::Warning> warnings;
  bool one_file = false;  // all cases in the one file
};

// nullopt when the source is no suite: a file, an entry, or a folder that is one measurement. `refresh` is empty or names what is
// replaced: a folder or family with a file a case, or the one file.
[[nodiscard]] Expected<std::optional<SuiteExport>> export_suite(const systems::Exporter& exporter, const std::string& source,
                                                                const std::string& refresh, const systems::ExportOptions& options,
                                                                const ExportTools& tools);

}  // namespace plumbline::verbs
