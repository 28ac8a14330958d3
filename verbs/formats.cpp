// formats: what can be read, and how a file of it is made. No MCP tool: an agent has a file and asks measurement_inspect what it
// is, and the list of tools costs every session.
#include <algorithm>
#include <iterator>
#include <set>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "formats/examples.hpp"
#include "formats/format.hpp"
#include "formats/generic/known_tools.hpp"
#include "profiles/readers/form.hpp"
#include "reports/reports.hpp"
#include "schemas/schemas.hpp"
#include "systems/table.hpp"
#include "verbs/all.hpp"
#include "verbs/calling/wording.hpp"
#include "verbs/environment.hpp"
#include "verbs/own_formats.hpp"

namespace plumbline::verbs {
namespace {

using enum ParamKind;

constexpr std::string_view kCaptures = "captures";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : core::split(text, '\n')) lines.emplace_back(line);
  return lines;
}

core::KnownFormat told(const formats::Format& format) {
  const formats::About& about = format.about;
  core::KnownFormat out;
  out.name = format.name;
  out.group = formats::about(about.group).name;
  out.what = format.title;
  out.file = about.file;
  out.produce = lines_of(about.produce);
  out.judged = about.judged;
  out.key = about.key;
  out.trials = about.trials;
  out.context = about.context;
  out.limits = about.limits;
  out.recognised = about.recognised;
  return out;
}

core::KnownFormat told(const profiles::About& about) {
  core::KnownFormat out;
  out.name = about.format;
  out.group = kCaptures;
  out.what = about.what;
  out.file = about.file;
  out.capture = true;
  out.produce = lines_of(about.produce);
  out.recognised = about.recognised;
  return out;
}

std::vector<const formats::Format*> readers() { return formats::joined(formats::table(), systems::readers()); }

// Everything that is read wherever one is, group by group.
std::vector<core::KnownFormat> known_everywhere() {
  std::vector<core::KnownFormat> out;
  for (const formats::GroupAbout& group : formats::groups()) {
    for (const formats::Format* format : readers()) {
      if (format->about.group == group.group) out.push_back(told(*format));
    }
  }
  for (const profiles::Form* form : profiles::forms()) {
    for (const profiles::About& about : form->captures) {
      if (!about.format.empty()) out.push_back(told(about));
    }
  }
  return out;
}

bool holds(std::string_view text, std::string_view lower_word) {
  return core::to_lower(text).find(lower_word) != std::string::npos;
}

// Where a word is looked for first: what a format is called and what it is.
bool names(const core::KnownFormat& format, std::string_view word) {
  return holds(format.name, word) || holds(format.what, word) || holds(format.file, word) || format.group == word;
}

bool mentions(const core::KnownFormat& format, std::string_view word) {
  if (names(format, word)) return true;
  if (std::any_of(format.produce.begin(), format.produce.end(), [&](const std::string& line) { return holds(line, word); })) {
    return true;
  }
  const std::string* const texts[] = {&format.judged,  &format.key,    &format.trials,
                                      &format.context, &format.limits, &format.recognised};
  return std::any_of(std::begin(texts), std::end(texts), [&](const std::string* text) { return holds(*text, word); });
}

template <class Match>
std::vector<core::KnownFormat> those_with(const std::vector<core::KnownFormat>& all, const std::vector<std::string>& words,
                                          Match match) {
  std::vector<core::KnownFormat> out;
  for (const core::KnownFormat& format : all) {
    if (std::all_of(words.begin(), words.end(), [&](const std::string& word) { return match(format, word); })) {
      out.push_back(format);
    }
  }
  return out;
}

// One name is that format, one group's name its formats; else every word must be in what names a format, or, where that finds
// none, anywhere in what is said of it.
std::vector<core::KnownFormat> found(const std::vector<core::KnownFormat>& all, const std::vector<std::string>& words) {
  if (words.size() == 1) {
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const auto& format) { return core::to_lower(format.name) == words[0]; });
    if (named != all.end()) return {*named};
    std::vector<core::KnownFormat> group =
        those_with(all, words, [](const core::KnownFormat& format, const std::string& word) { return format.group == word; });
    if (!group.empty()) return group;
  }
  std::vector<core::KnownFormat> out = those_with(all, words, names);
  return out.empty() ? those_with(all, words, mentions) : out;
}

// Names, and the words of names and titles: what a mistyped word may have meant.
std::set<std::string, std::less<>> known_words(const std::vector<core::KnownFormat>& all) {
  std::set<std::string, std::less<>> out;
  for (const core::KnownFormat& format : all) {
    out.insert(core::to_lower(format.name));
    std::string word;
    for (const char c : core::to_lower(format.name + " " + format.what) + " ") {
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        word += c;
        continue;
      }
      if (word.size() > 2) out.insert(word);
      word.clear();
    }
  }
  return out;
}

// Of words equally near one that begins alike: most slips come later.
std::string_view nearest_word(const std::string& word, const std::set<std::string, std::less<>>& known) {
  std::vector<std::string_view> alike, others;
  for (const std::string& one : known) (one.front() == word.front() ? alike : others).push_back(one);
  const std::string_view near = core::nearest(word, alike);
  return near.empty() ? core::nearest(word, others) : near;
}

// A tool that is known to have no reader, by its name: nothing else is near it.
const formats::KnownTool* unread_tool(const std::vector<std::string>& words) {
  const std::span<const formats::KnownTool> tools = formats::known_tools();
  const auto named = std::find_if(tools.begin(), tools.end(), [&](const formats::KnownTool& tool) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) { return holds(tool.name, word); });
  });
  return named == tools.end() ? nullptr : &*named;
}

Error not_found(const std::vector<core::KnownFormat>& all, const std::vector<std::string>& words, const std::string& query) {
  if (const formats::KnownTool* tool = unread_tool(words)) {
    return {ErrorCode::not_found,
            std::string(tool->name) + " is not read: " + std::string(tool->why),
            std::string(tool->instead),
            {}};
  }
  Error error{ErrorCode::not_found, "no format matches " + cited(query), "`plumbline formats` lists them all", {}};
  const auto known = known_words(all);
  std::string nearest;
  for (const std::string& word : words) {
    const std::string_view near = nearest_word(word, known);
    if (near.empty()) return error;
    nearest += (nearest.empty() ? "" : " ") + std::string(near);
  }
  if (nearest != query) error.hint = "did you mean `plumbline formats " + nearest + "`?";
  return error;
}

core::ExampleRow told(const core::Measurement& measurement, const core::Row& row) {
  core::ExampleRow out;
  out.key = measurement.key(row);
  for (const double value : measurement.values(row)) out.values += (out.values.empty() ? "" : " ") + core::short_number(value);
  if (out.values.empty() && row.text != 0) out.values = measurement.pool().view(row.text);
  out.unit = measurement.unit(row);
  out.direction = to_string(measurement.metric_class(row).direction);
  out.role = to_string(measurement.metric_class(row).role);
  return out;
}

// What decides a verdict: a reader wants it before what is only shown.
bool is_weighed(const core::Measurement& measurement, const core::Row& row) {
  const core::Role role = measurement.metric_class(row).role;
  return role == core::Role::judged || role == core::Role::gate;
}

// The embedded example, read as any file is.
Expected<core::FormatExample> example_of(const core::KnownFormat& format) {
  const formats::Example found = formats::example(format.name);
  core::FormatExample out;
  if (found.text.empty()) return out;
  out.file_name = found.file_name;
  out.text = found.text;
  const std::vector<const formats::Format*> known = readers();
  formats::Input input;
  input.name = out.file_name;
  input.bytes = found.text;
  formats::ReadOptions options;
  options.formats = known;
  options.retell = &systems::retell;
  const auto read = formats::read(input, options);
  if (!read) return core::fail(read.error());
  std::vector<const core::Row*> rows;
  for (const core::Row& row : read->rows()) rows.push_back(&row);
  std::stable_partition(rows.begin(), rows.end(), [&](const core::Row* row) { return is_weighed(*read, *row); });
  for (const core::Row* row : rows) out.rows.push_back(told(*read, *row));
  return out;
}

std::vector<core::FormatGroup> groups_of(const std::vector<core::KnownFormat>& shown, const std::vector<std::string>& own_files) {
  std::vector<core::FormatGroup> out;
  const auto add = [&](std::string_view name, std::string_view title) {
    if (std::any_of(shown.begin(), shown.end(), [&](const auto& format) { return format.group == name; })) {
      out.push_back({std::string(name), std::string(title)});
    }
  };
  for (const formats::GroupAbout& group : formats::groups()) add(group.name, group.title);
  add(kCaptures, "profiles of one run: what profile-diff compares");
  std::string files;
  for (const std::string& file : own_files) files += (files.empty() ? "" : " and ") + core::cited_path(file);
  add(kOwnGroup, "this project's own, stated in " + files);
  return out;
}

// Words as they were given, each by itself: "load test" is two.
std::vector<std::string> words_of(const std::vector<std::string>& given) {
  std::vector<std::string> words;
  for (const std::string& text : given) {
    for (const std::string_view word : core::split(text, ' ')) {
      if (!word.empty()) words.push_back(core::to_lower(word));
    }
  }
  return words;
}

Expected<Outcome> run_formats(const Arguments& arguments, const Context& context) {
  const std::vector<std::string> words = words_of(arguments.list("words"));
  const auto root = root_if_any(arguments, context);
  if (!root) return core::fail(root.error());
  auto own = own_formats_known(*root, context);
  if (!own) return core::fail(std::move(own.error()));
  std::vector<core::KnownFormat> all = known_everywhere();
  std::move(own->formats.begin(), own->formats.end(), std::back_inserter(all));
  core::FormatsResult result;
  for (const std::string& word : words) result.query += (result.query.empty() ? "" : " ") + word;
  result.formats = found(all, words);
  if (result.formats.empty()) return core::fail(not_found(all, words, result.query));
  result.groups = groups_of(result.formats, own->files);
  result.in_full = !words.empty() && result.formats.size() == 1;
  if (result.in_full && result.formats.front().stated.empty()) {
    auto example = example_of(result.formats.front());
    if (!example) return core::fail(std::move(example.error()));
    result.formats.front().example = std::move(*example);
  }
  Outcome outcome;
  outcome.json = reports::formats_json(result);
  outcome.text = reports::formats_table(result, true, context.width);
  return outcome;
}

}  // namespace

const Verb kFormats{
    .name = "formats",
    .tool = "",
    .tool_aliases = {},
    .library = "mcp_aux",
    .title = "List formats that are read, and how to make such a file",
    .summary =
        "List the formats and captures that are read, or show one: the command that makes such a file, which of its values are "
        "judged, and an example. Use it to find out which output of a tool to keep.",
    .safety = "read_only",
    .destructive = false,
    .idempotent = true,
    .params =
        {
            {.name = "words",
             .kind = string_list,
             .value_name = "NAME|WORDS",
             .doc = "a format's name, a group, or words to look for; default everything",
             .positional = 1},
            {.name = "repo_root",
             .kind = path,
             .value_name = "DIR",
             .doc = "the project whose own formats are listed too: where plumbline.yaml is"},
        },
    .output_schema = schemas::text("plumbline.result.formats.v1"),
    .examples = {"plumbline formats", "plumbline formats nccl", "plumbline formats load test", "plumbline formats vllm-serve"},
    .run = &run_formats,
};

}  // namespace plumbline::verbs
