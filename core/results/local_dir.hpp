// Where the files of a publication are read. In a shared store its folder is an address ("s3://…"), and the files lie in a copy
// on this machine, which the paths of the files tell.
#pragma once

#include <string>
#include <vector>

#include "core/results/common.hpp"

namespace plumbline::core {

// The folder of the copy; "" where the files lie in `dir` itself, or there are none.
[[nodiscard]] inline std::string local_dir(const std::string& dir, const std::vector<FileRef>& files) {
  if (files.empty()) return {};
  const std::string &path = files.front().path, &name = files.front().name;
  if (path.size() <= name.size() + 1 || !path.ends_with("/" + name)) return {};
  std::string folder = path.substr(0, path.size() - name.size() - 1);
  return folder == dir ? std::string() : folder;
}

}  // namespace plumbline::core
