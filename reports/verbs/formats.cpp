// What `formats` answers.
#include "core/results/formats.hpp"

#include <algorithm>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "reports/json_parts.hpp"
#include "reports/reports.hpp"
#include "reports/terminal/terminal.hpp"
#include "reports/text.hpp"

namespace plumbline::reports {
namespace {

constexpr std::size_t kRowsShown = 12;

void text_or_null(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void write_example(JsonWriter& json, const core::FormatExample& example) {
  json.key("example");
  if (example.text.empty()) {
    json.null();
    return;
  }
  json.begin_object().field("file_name", example.file_name).field("text", example.text);
  json.field("row_count", std::uint64_t{example.rows.size()}).key("rows").begin_array();
  const std::size_t shown = std::min(example.rows.size(), kRowsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const core::ExampleRow& row = example.rows[i];
    compact(json, [&](JsonWriter& one) {
      one.begin_object().field("key", row.key).field("values", row.values);
      text_or_null(one, "unit", row.unit);
      one.field("direction", row.direction).field("role", row.role).end_object();
    });
  }
  json.end_array().end_object();
}

void write_in_full(JsonWriter& json, const core::KnownFormat& format) {
  write_strings(json, "produce", format.produce);
  text_or_null(json, "judged", format.judged);
  text_or_null(json, "key", format.key);
  text_or_null(json, "trials", format.trials);
  text_or_null(json, "context", format.context);
  text_or_null(json, "limits", format.limits);
  json.field("recognised", format.recognised).key("stated");
  if (format.stated.empty()) {
    json.null();
  } else {
    json.begin_object().field("file", format.stated_in).field("text", format.stated).end_object();
  }
  write_example(json, format.example);
}

void write_format(JsonWriter& json, const core::KnownFormat& format, bool in_full) {
  json.begin_object().field("name", format.name).field("kind", format.capture ? "capture" : "format");
  json.field("group", format.group).field("what", format.what).field("file", format.file);
  if (in_full) write_in_full(json, format);
  json.end_object();
}

// What a format is is wrapped beside its name, so that nothing is lost in 80 columns.
std::string listed(const core::FormatsResult& result, const Terminal& terminal, int width) {
  std::size_t longest = 0;
  for (const core::KnownFormat& format : result.formats) longest = std::max(longest, format.name.size());
  std::string out;
  for (const core::FormatGroup& group : result.groups) {
    if (!out.empty()) out += "\n";
    out += terminal.paint(Paint::bold, group.name) + terminal.paint(Paint::dim, ": " + group.title) + "\n";
    for (const core::KnownFormat& format : result.formats) {
      if (format.group != group.name) continue;
      const std::string lead = "  " + format.name + std::string(longest - format.name.size() + 2, ' ');
      out += Terminal::wrap(lead, format.what + " (" + format.file + ")", width);
    }
  }
  return out;
}

std::string example_text(const core::FormatExample& example, const Terminal& terminal, int width) {
  std::string out = "\n" + terminal.paint(Paint::bold, "An example, " + example.file_name) + "\n";
  for (const std::string_view line : core::split(core::trim(example.text), '\n')) {
    out += line.empty() ? "\n" : "  " + std::string(line) + "\n";
  }
  out += "\n" + terminal.paint(Paint::bold, "What is read of it") + "\n";
  Table table({"key", "values", "unit", "direction", "role"}, {true, false, true, true, true});
  const std::size_t shown = std::min(example.rows.size(), kRowsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const core::ExampleRow& row = example.rows[i];
    table.add({{row.key}, {row.values}, {row.unit}, {row.direction}, {row.role}});
  }
  out += table.text(terminal, width);
  if (example.rows.size() > shown) out += "  and " + core::counted(example.rows.size() - shown, "row") + " more\n";
  return out;
}

template <class Lines>
std::string section(const std::string& title, const Lines& lines, const Terminal& terminal) {
  std::string out = terminal.paint(Paint::bold, title) + "\n";
  for (const auto& line : lines) out += "  " + std::string(line) + "\n";
  return out;
}

std::string in_full(const core::KnownFormat& format, const Terminal& terminal, int width) {
  std::string out = terminal.paint(Paint::bold, format.name) + ": " + format.what + "\n";
  out += terminal.paint(Paint::dim, format.file + "; " + format.group) + "\n\n";
  if (!format.produce.empty()) out += section("How such a file is made", format.produce, terminal) + "\n";
  if (!format.stated.empty()) {
    const std::vector<std::string_view> lines = core::split(core::trim(format.stated), '\n');
    out += section("How it is stated, in " + core::cited_path(format.stated_in), lines, terminal) + "\n";
  }
  out += terminal.paint(Paint::bold, "What is read") + "\n";
  const std::pair<std::string_view, const std::string&> texts[] = {
      {"  judged      ", format.judged},  {"  key         ", format.key},    {"  trials      ", format.trials},
      {"  context     ", format.context}, {"  limits      ", format.limits}, {"  recognised  ", format.recognised}};
  for (const auto& [lead, text] : texts) {
    if (!text.empty()) out += Terminal::wrap(lead, text, width);
  }
  if (!format.example.text.empty()) out += example_text(format.example, terminal, width);
  return out;
}

}  // namespace

std::string formats_json(const core::FormatsResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", "plumbline.result.formats.v1").field("verb", "formats").field("safety", "read_only");
  text_or_null(json, "query", result.query);
  json.field("count", std::uint64_t{result.formats.size()}).key("groups").begin_array();
  for (const core::FormatGroup& group : result.groups) {
    compact(json,
            [&](JsonWriter& one) { one.begin_object().field("name", group.name).field("title", group.title).end_object(); });
  }
  json.end_array().key("formats").begin_array();
  for (const core::KnownFormat& format : result.formats) {
    if (result.in_full) {
      write_format(json, format, true);
    } else {
      compact(json, [&](JsonWriter& one) { write_format(one, format, false); });
    }
  }
  json.end_array().end_object();
  text += '\n';
  return text;
}

std::string formats_table(const core::FormatsResult& result, bool colour, int width) {
  const Terminal terminal(colour);
  if (result.in_full) return in_full(result.formats.front(), terminal, width);
  const std::size_t captures = static_cast<std::size_t>(
      std::count_if(result.formats.begin(), result.formats.end(), [](const auto& format) { return format.capture; }));
  const std::size_t formats = result.formats.size() - captures;
  std::string count = formats > 0 ? core::counted(formats, "format") : std::string();
  if (captures > 0) count += (count.empty() ? "" : " and ") + core::counted(captures, "capture");
  return listed(result, terminal, width) + "\n" +
         Terminal::wrap("", count + "; `plumbline formats NAME` shows how such a file is made and what is read of it.", width);
}

}  // namespace plumbline::reports
