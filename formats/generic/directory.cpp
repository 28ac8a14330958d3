// A folder: every file's rows, their keys behind "<relative path>:" and with the dimension file. A file that cannot be read
// is warned of and counted; when none can be read the folder is an error.
#include <string>
#include <unordered_map>
#include <vector>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/readers.hpp"

namespace plumbline::formats {

Detection detect_directory(const Input& input) {
  Detection detection;
  if (input.is_directory || !input.files.empty()) {
    detection.score = 1;
    detection.evidence.push_back("a folder of " + core::counted(input.files.size(), "file"));
  }
  return detection;
}

core::Expected<core::Measurement> read_directory(const Input& input, const ReadOptions& options) {
  if (input.files.empty()) {
    return core::fail(core::ErrorCode::invalid_input, "the folder is empty", "name a folder that holds measurement files",
                      input.name);
  }
  ReadOptions inner = options;
  if (inner.format == "directory") inner.format.clear();
  if (!inner.pool) inner.pool = std::make_shared<core::StringPool>();
  core::Measurement out(inner.pool);
  core::StringPool& pool = *inner.pool;
  const core::Id file_dim = pool.intern("file");
  std::vector<std::string> unread;
  core::Error first_error;
  std::string key;
  std::size_t read_files = 0;
  std::vector<std::pair<core::Id, core::Id>> dims;
  std::unordered_map<std::string, std::size_t> formats;
  for (const Input::File& file : input.files) {
    if (options.stop && options.stop()) return core::fail(core::ErrorCode::cancelled, "stopped while reading", {}, input.name);
    Input one;
    one.name = file.name;
    one.bytes = file.bytes;
    auto measurement = read(one, inner);
    if (!measurement) {
      const core::ErrorCode code = measurement.error().code;
      if (code == core::ErrorCode::cancelled || code == core::ErrorCode::limit_exceeded) return core::fail(measurement.error());
      if (unread.empty()) first_error = measurement.error();
      unread.push_back(file.name);
      continue;
    }
    ++read_files;
    ++formats[measurement->format.name];
    const core::Id name = pool.intern(file.name);
    out.reserve(out.rows().size() + measurement->rows().size(), out.rows().size() + measurement->rows().size());
    for (const core::Row& row : measurement->rows()) {
      key.assign(file.name);
      key.push_back(':');
      key.append(measurement->key(row));
      core::Row copy = row;
      copy.key = pool.intern(key);
      copy.metric_class = out.intern_class(measurement->metric_class(row));
      dims.assign(1, {file_dim, name});
      const auto own = measurement->dims(row);
      dims.insert(dims.end(), own.begin(), own.end());
      copy.dims = out.add_dims(dims);
      out.add_row(copy, measurement->values(row));
      if (out.rows().size() > options.max_rows) {
        return core::fail(core::ErrorCode::limit_exceeded, "more than " + std::to_string(options.max_rows) + " rows",
                          "the bound is max_rows; compare the folder in parts", input.name);
      }
    }
    // What all files agree on describes the folder; where they differ, the files' own rows tell them apart.
    if (read_files == 1) {
      out.context = measurement->context;
    } else {
      std::erase_if(out.context, [&](const auto& entry) {
        const auto it = measurement->context.find(entry.first);
        return it == measurement->context.end() || it->second != entry.second;
      });
    }
    for (core::Warning& warning : measurement->warnings) out.warn(warning.code, file.name + ": " + warning.message);
  }
  if (read_files == 0) {
    std::string place = first_error.where.empty() ? "" : first_error.where + ": ";
    return core::fail(core::ErrorCode::invalid_input,
                      "none of the " + core::counted(input.files.size(), "file") +
                          " in the folder could be read; the first: " + place + first_error.message,
                      first_error.hint, input.name);
  }
  if (!unread.empty()) {
    out.warn("unread_file", core::counted(unread.size(), "file") + " of " + std::to_string(input.files.size()) +
                                " could not be read: " + core::cited_list(unread) + " (" + first_error.message + ")");
  }
  out.shape = core::Shape::suite;
  return out;
}

extern const Format directory_format = {
    .name = "directory",
    .title = "a folder of measurement files",
    .replication = core::Replication::run,
    .detect = detect_directory,
    .read = read_directory,
    .about = {.group = Group::generic,
              .file = "folder",
              .produce = "# one folder with a file a case, each as one of the formats below\n"
                         "mkdir results && cp */result.json results/  # with names of their own",
              .judged = "a folder of the above: a suite, or with `--as trials` the trials of one measurement",
              .key = "the file's path, then the key within it",
              .trials = "those of each file",
              .context = "what all files agree on",
              .limits = "files that cannot be read are counted; at least one must be",
              .recognised = "it is a folder"},
};

}  // namespace plumbline::formats
