// What `formats` answers: what can be read, and of one format how such a file is made and what is read of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::core {

struct ExampleRow {
  std::string key, values, unit, direction, role;
};

// A file of the format, as short as one can be, and what its reader makes of it.
struct FormatExample {
  std::string file_name, text;  // "" = none
  std::vector<ExampleRow> rows;
};

struct KnownFormat {
  std::string name, group, what, file;
  bool capture = false;
  std::vector<std::string> produce;  // shell lines
  std::string judged, key, trials, context, limits, recognised;
  std::string stated, stated_in;  // a project's own: how, and in which file; "" = one of ours
  FormatExample example;
};

struct FormatGroup {
  std::string name, title;
};

struct FormatsResult {
  std::string query;                // "" = all
  std::vector<FormatGroup> groups;  // in their order, those that have a format below
  std::vector<KnownFormat> formats;
  bool in_full = false;  // one format was asked for: all that is known of it
};

}  // namespace plumbline::core
