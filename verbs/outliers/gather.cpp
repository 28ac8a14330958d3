#include "verbs/outliers/gather.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/context.hpp"
#include "core/text.hpp"
#include "verbs/suite/files.hpp"
#include "verbs/suite/runs.hpp"
#include "verdict/siblings/splitting.hpp"

namespace plumbline::verbs {

namespace {

using core::Measurement;

constexpr std::string_view kHost = "environment.hostname";

struct File {
  std::string name;    // relative to the folder, or as it was asked
  bool asked = false;  // named by itself
  std::shared_ptr<intake::Opened> source;
  std::shared_ptr<const Measurement> measurement;  // null: it could not be read
  Error error;
};

bool is_separator(char c) { return c == '_' || c == '/' || c == '.' || c == ' '; }

bool has_numbers(const Measurement& m) {
  return std::any_of(m.rows().begin(), m.rows().end(), [](const core::Row& row) { return row.value_count > 0; });
}

std::string host_of(const Measurement& m) {
  const auto at = m.context.find(std::string(kHost));
  return at == m.context.end() ? std::string() : at->second;
}

// "logs/run_node-017.log" -> "logs/run_node-#.log": files that are only numbered differently look alike.
std::string without_digits(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out += c;
    if (digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

class Gathering {
 public:
  Gathering(const OutliersRequest& request, const ReadingRules& reading, const std::shared_ptr<core::StringPool>& pool,
            const Context& context)
      : request_(request), reading_(reading), pool_(pool), context_(context) {}

  Expected<GatheredSiblings> run() {
    for (const std::string& path : request_.paths) {
      if (auto ok = open(path); !ok) return core::fail(ok.error());
    }
    leave_out_strangers();
    if (auto ok = check_one_test(); !ok) return core::fail(ok.error());
    if (auto ok = name_and_merge(); !ok) return core::fail(ok.error());
    if (auto ok = split(); !ok) return core::fail(ok.error());
    if (out_.siblings.size() < 2) return core::fail(too_few());
    return std::move(out_);
  }

 private:
  Status open(const std::string& path) {
    auto opened = load_source(path, context_, "paths");
    if (!opened) return core::fail(opened.error());
    if (opened->is_capture()) {
      return core::fail(ErrorCode::shape_mismatch, "a capture is no measurement: " + core::cited_path(path),
                        "`plumbline profile-diff A B` compares two captures");
    }
    auto source = std::make_shared<intake::Opened>(std::move(*opened));
    if (source->source.is_directory) return open_folder(source, request_.paths.size() == 1 ? std::string() : path + "/");
    File file;
    file.name = path;
    file.asked = true;
    file.source = source;
    std::vector<intake::Opened> one;
    one.push_back(again(*source));
    auto read = read_measurement(one, request_.rules.format, pool_, context_, reading_, true);
    if (auto ok = take(file, std::move(read)); !ok) return ok;
    note_source(*source);
    files_.push_back(std::move(file));
    return {};
  }

  Status take(File& file, Expected<Measurement> read) const {
    if (read) {
      file.measurement = std::make_shared<const Measurement>(std::move(*read));
      return {};
    }
    if (read.error().code == ErrorCode::cancelled || read.error().code == ErrorCode::limit_exceeded) {
      return core::fail(read.error());
    }
    file.error = read.error();
    return {};
  }

  Status open_folder(const std::shared_ptr<intake::Opened>& folder, const std::string& before) {
    const auto store = registry::absent_store({});
    const SuiteTools tools{context_, *store, pool_, reading_, request_.rules.format, {}};
    auto read = read_suite_files(*folder, tools);
    if (!read) return core::fail(read.error());
    if (read->empty()) {
      return core::fail(ErrorCode::invalid_input, "the folder is empty: " + core::cited_path(folder->source.path),
                        "name a folder that holds one result a node");
    }
    for (SuiteFile& one : *read) {
      File file;
      file.name = before + one.relative;
      file.measurement = std::move(one.measurement);
      file.error = std::move(one.error);
      file.source = std::shared_ptr<intake::Opened>(folder, new_slice(one.source));
      if (file.error.code != ErrorCode::shape_mismatch || file.measurement != nullptr) note_source(*file.source);
      files_.push_back(std::move(file));
    }
    return {};
  }

  // Slices borrow the folder's bytes, which live as long as the question.
  intake::Opened* new_slice(intake::Opened& slice) {
    slices_.push_back(std::make_unique<intake::Opened>(std::move(slice)));
    return slices_.back().get();
  }

  void note_source(const intake::Opened& opened) {
    const registry::SourceFile& file = opened.source.files.front();
    out_.sources.push_back({opened.source.name, opened.source.path, file.bytes, registry::sha256_hex(opened.input().bytes)});
  }

  // Of a folder: a text that nothing reads is a sibling without a result where its name looks like theirs, else none.
  void leave_out_strangers() {
    std::set<std::string> alike;
    for (const File& file : files_) {
      if (file.measurement != nullptr) alike.insert(without_digits(file.name));
    }
    if (alike.empty()) return;  // nothing gave a result: check_one_test says so
    std::vector<std::string> left_out;
    std::string first_error;
    std::erase_if(files_, [&](const File& file) {
      if (file.asked || file.measurement != nullptr || alike.contains(without_digits(file.name))) return false;
      if (left_out.empty()) first_error = file.error.message;
      left_out.push_back(file.name);
      return true;
    });
    if (left_out.empty()) return;
    out_.warnings.push_back({"unread_file", core::counted(left_out.size(), "file") + " of the folder could not be read: " +
                                                core::cited_list(left_out) + " (" + first_error + ")"});
  }

  [[nodiscard]] std::vector<const File*> with_numbers() const {
    std::vector<const File*> out;
    for (const File& file : files_) {
      if (file.measurement != nullptr && has_numbers(*file.measurement)) out.push_back(&file);
    }
    return out;
  }

  // One format, and rows that most of them have.
  [[nodiscard]] Status check_one_test() const {
    const std::vector<const File*> files = with_numbers();
    if (files.empty()) {
      const Error& first = files_.front().error;
      return core::fail(ErrorCode::invalid_input,
                        files_.size() == 1 ? core::cited_path(files_.front().name) + " gave no result" +
                                                 (first.message.empty() ? std::string() : ": " + first.message)
                                           : "none of the " + core::counted(files_.size(), "file") +
                                                 " gave a result; the first: " + core::cited_path(files_.front().name) +
                                                 (first.message.empty() ? std::string() : ": " + first.message),
                        first.hint.empty() ? "`plumbline inspect PATH` says how a file is read" : first.hint);
    }
    std::map<std::string, std::size_t> formats;
    for (const File* file : files) ++formats[file->measurement->format.name];
    const auto most =
        std::max_element(formats.begin(), formats.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const File* file : files) {
      if (file->measurement->format.name == most->first) continue;
      return core::fail(
          ErrorCode::shape_mismatch,
          "siblings are results of one test: " + core::cited_path(file->name) + " is " + file->measurement->format.name + ", " +
              (most->second == 1 ? std::string("another file is ") : std::to_string(most->second) + " others are ") + most->first,
          "leave it out, or compare the files of each test by themselves");
    }
    if (auto ok = check_workload(files); !ok) return ok;
    return check_shared_keys(files);
  }

  // What was run must be the same; on what it ran may differ, which is said beside the siblings.
  [[nodiscard]] Status check_workload(const std::vector<const File*>& files) const {
    std::map<std::string, std::map<std::string, std::size_t>> said;
    for (const File* file : files) {
      for (const auto& [key, value] : file->measurement->context) ++said[key][value];
    }
    for (const auto& [key, values] : said) {
      const bool declared = std::any_of(request_.rules.varying.begin(), request_.rules.varying.end(),
                                        [&key = key](const std::string& glob) { return core::glob_match(glob, key); });
      if (values.size() < 2 || declared || key.starts_with("hardware.") || core::context_severity(key) != core::Severity::fatal)
        continue;
      const auto most =
          std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      for (const File* file : files) {
        const auto at = file->measurement->context.find(key);
        if (at == file->measurement->context.end() || at->second == most->first) continue;
        return core::fail(ErrorCode::shape_mismatch,
                          "siblings are results of one test: " + core::cited_path(file->name) + " has " + core::cited_word(key) +
                              " " + core::cited(at->second) + " where others have " + core::cited(most->first),
                          "leave it out, or say that it differs on purpose: `--varying " + key + "`");
      }
    }
    return {};
  }

  [[nodiscard]] static Status check_shared_keys(const std::vector<const File*>& files) {
    if (files.size() < 2 || files.front()->measurement->shape == core::Shape::scalar) return {};
    std::unordered_map<core::Id, std::size_t> seen;
    for (const File* file : files) {
      for (const core::Row& row : file->measurement->rows()) ++seen[row.key];
    }
    for (const File* file : files) {
      const auto& rows = file->measurement->rows();
      const bool shares = std::any_of(rows.begin(), rows.end(), [&](const core::Row& row) { return seen[row.key] > 1; });
      if (shares) continue;
      return core::fail(ErrorCode::shape_mismatch,
                        "siblings are results of one test: " + core::cited_path(file->name) +
                            " has no row in common with the others, its first is " +
                            core::cited(file->measurement->key(rows.front())),
                        "leave it out, or compare the files of each test by themselves");
    }
    return {};
  }

  // Names, and the files of each name as its trials.
  Status name_and_merge() {
    std::vector<std::string> stems;
    for (const File& file : files_) {
      std::vector<std::int64_t> runs;
      stems.push_back(without_ending(without_runs(file.name, runs).value_or(file.name)));
    }
    const std::vector<std::string> parts = distinct_parts(stems);
    std::vector<std::string> order, guessed;
    std::map<std::string, std::vector<std::size_t>> of_name;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      std::string name = said_name(files_[i]);
      if (name.empty()) {
        name = parts[i];
        if (files_[i].measurement != nullptr) guessed.push_back(name);
      }
      if (!of_name.contains(name)) order.push_back(name);
      of_name[name].push_back(i);
    }
    for (const std::string& name : order) {
      if (auto ok = merge(name, of_name[name]); !ok) return ok;
    }
    if (!guessed.empty() && files_.size() > 1) {
      out_.warnings.push_back({"sibling_names_guessed", core::counted(guessed.size(), "file") +
                                                            " without a host's name: called " + core::cited_list(guessed, 3) +
                                                            " after what tells their names apart"});
    }
    return {};
  }

  // By the caller, else by the file itself: containers on many nodes may all have one host name.
  [[nodiscard]] std::string said_name(const File& file) const {
    if (const auto at = request_.names.find(file.name); at != request_.names.end()) return at->second;
    return file.measurement != nullptr ? host_of(*file.measurement) : std::string();
  }

  Status merge(const std::string& name, const std::vector<std::size_t>& files) {
    verdict::SiblingInput sibling;
    sibling.name = name;
    std::vector<intake::Opened> trials;
    std::shared_ptr<const Measurement> only;
    for (const std::size_t i : files) {
      const File& file = files_[i];
      sibling.files.push_back(file.name);
      if (file.measurement != nullptr && has_numbers(*file.measurement)) {
        trials.push_back(again(*file.source));
        only = file.measurement;
      } else if (sibling.problem.empty()) {
        sibling.problem = file.error.message;
      }
    }
    if (!trials.empty() && trials.size() < files.size()) {
      out_.warnings.push_back({"unread_file", std::to_string(files.size() - trials.size()) + " of " +
                                                  core::counted(files.size(), "trial") + " of " + core::cited(name) +
                                                  " gave no result"});
    }
    if (trials.size() > 1) {
      auto read = read_measurement(trials, request_.rules.format, pool_, context_, reading_, true);
      if (!read) {
        Error error = read.error();
        error.message = "the files of " + core::cited(name) + " are no trials of one test: " + error.message;
        return core::fail(std::move(error));
      }
      only = std::make_shared<const Measurement>(std::move(*read));
    }
    if (only != nullptr) {
      for (const core::Warning& warning : only->warnings) {
        if (std::find(out_.warnings.begin(), out_.warnings.end(), warning) == out_.warnings.end() && out_.warnings.size() < 50)
          out_.warnings.push_back(warning);
      }
      if (only->shape == core::Shape::scalar) only = std::make_shared<const Measurement>(named_scalar(*only, "value"));
    }
    sibling.measurement = std::move(only);
    out_.siblings.push_back(std::move(sibling));
    return {};
  }

  // By a dimension of the rows, where it was asked for or where there is one file; by their ends, where the files are pairs.
  Status split() {
    namespace fleet = verdict::siblings;
    if (!request_.names.empty()) return {};  // they are siblings by themselves, whatever they are called
    if (!request_.by.empty()) return split_each();
    if (out_.siblings.size() == 1 && out_.siblings.front().measurement != nullptr) {
      take(fleet::split_by_itself(*out_.siblings.front().measurement));
      return {};
    }
    std::vector<std::pair<std::string, std::shared_ptr<const Measurement>>> pairs;
    for (const verdict::SiblingInput& one : out_.siblings) {
      if (one.measurement == nullptr) return {};
      pairs.emplace_back(one.name, one.measurement);
    }
    take(fleet::split_pairs(pairs));
    return {};
  }

  void take(const verdict::siblings::Split& split) {
    if (split.parts.size() < 2) return;
    std::vector<std::string> files;
    for (const verdict::SiblingInput& one : out_.siblings) files.insert(files.end(), one.files.begin(), one.files.end());
    out_.siblings.clear();
    out_.kind = split.kind;
    out_.pairs = split.pairs;
    for (const auto& [name, measurement] : split.parts) {
      out_.siblings.push_back({name, files.size() == 1 ? files : std::vector<std::string>{}, measurement, {}});
    }
    warn_left_out(split.rows_left_out, split.kind);
  }

  void warn_left_out(std::uint64_t rows, const std::string& kind) {
    if (rows == 0) return;
    out_.warnings.push_back({"rows_not_shared", core::counted(rows, "row") + " without " + core::cited_word(kind) + " left out"});
  }

  Status split_each() {
    std::vector<verdict::SiblingInput> found;
    std::uint64_t left_out = 0;
    const bool several = out_.siblings.size() > 1;
    for (verdict::SiblingInput& one : out_.siblings) {
      if (one.measurement == nullptr) {
        found.push_back(std::move(one));
        continue;
      }
      verdict::siblings::Split split = verdict::siblings::split_by(*one.measurement, request_.by);
      if (split.parts.empty()) return core::fail(no_dimension(one));
      left_out += split.rows_left_out;
      for (auto& [name, measurement] : split.parts) {
        found.push_back({several ? one.name + "/" + name : name, one.files, std::move(measurement), {}});
      }
    }
    out_.siblings = std::move(found);
    out_.kind = request_.by;
    warn_left_out(left_out, request_.by);
    return {};
  }

  [[nodiscard]] Error no_dimension(const verdict::SiblingInput& one) const {
    const std::vector<std::string> known = verdict::siblings::dimensions_of(*one.measurement);
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view near = core::nearest(request_.by, views);
    std::string hint =
        known.empty() ? "its rows have no dimensions; give one file a sibling" : "it has " + core::cited_list(known, 8);
    if (!near.empty()) hint = "did you mean " + core::cited(near) + "?";
    return {ErrorCode::usage,
            "--by " + core::cited(request_.by) + ": no row of " + core::cited_path(one.files.front()) + " has it",
            std::move(hint),
            {}};
  }

  [[nodiscard]] Error too_few() const {
    const std::string name = out_.siblings.empty() ? std::string("nothing") : core::cited(out_.siblings.front().name);
    if (request_.by.empty() && files_.size() == 1) {
      return {ErrorCode::usage,
              "one file, and nothing in its rows tells siblings apart: " + core::cited_path(files_.front().name),
              "give the files of the other nodes too, or the dimension that tells them apart: `--by DIM`",
              {}};
    }
    return {ErrorCode::usage,
            "one sibling has nobody to be held against: all of the " + core::counted(files_.size(), "file") + " are of " + name,
            "give the files of other nodes too, or compare with a baseline: `plumbline diff`",
            {}};
  }

  const OutliersRequest& request_;
  const ReadingRules& reading_;
  const std::shared_ptr<core::StringPool>& pool_;
  const Context& context_;
  std::vector<File> files_;
  std::vector<std::unique_ptr<intake::Opened>> slices_;
  GatheredSiblings out_;
};

}  // namespace

std::vector<std::string> distinct_parts(const std::vector<std::string>& names) {
  if (names.size() < 2) return names;
  std::size_t front = names.front().size();
  std::size_t back = names.front().size();
  for (const std::string& name : names) {
    const auto ends = std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    front = std::min(front, static_cast<std::size_t>(ends.first - name.begin()));
    const auto starts = std::mismatch(name.rbegin(), name.rend(), names.front().rbegin(), names.front().rend());
    back = std::min(back, static_cast<std::size_t>(starts.first - name.rbegin()));
  }
  const std::string& first = names.front();
  while (front > 0 && !is_separator(first[front - 1])) --front;
  while (back > 0 && !is_separator(first[first.size() - back])) --back;
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::size_t end = name.size() > front + back ? name.size() - back : name.size();
    const std::string part = name.size() > front ? name.substr(front, end - front) : std::string();
    out.push_back(part.empty() ? name : part);
  }
  return out;
}

Expected<GatheredSiblings> gather_siblings(const OutliersRequest& request, const ReadingRules& reading,
                                           const std::shared_ptr<core::StringPool>& pool, const Context& context) {
  return Gathering(request, reading, pool, context).run();
}

}  // namespace plumbline::verbs
