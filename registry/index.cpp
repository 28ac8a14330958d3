#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/manifest/tree.hpp"
#include "registry/posix/settling.hpp"

namespace plumbline::registry {

using core::fail;

namespace {

constexpr std::size_t kNotesAtMost = 60;

// A cell stays one cell and text stays text: no line breaks, no column marks, no markup, nothing that turns a line around and no
// secret; `code` cells no backticks either.
std::string cell(std::string_view text, bool code) {
  std::string out;
  for (const char c : core::one_line(text)) {
    if (c == '|') {
      out += "\\|";
    } else if (code) {
      out += c == '`' ? '\'' : c;
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*[]~_").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string code(std::string_view text) { return "`" + cell(text, true) + "`"; }

// Cut by characters, not inside one.
std::string short_notes(std::string_view notes) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(notes[i]) & 0xC0) != 0x80;
    if (starts && characters++ == kNotesAtMost) return std::string(notes.substr(0, i)) + "...";
  }
  return std::string(notes);
}

std::string time_of_slug(const std::string& slug) {
  if (!is_slug(slug)) return {};
  return slug.substr(0, 4) + "-" + slug.substr(4, 2) + "-" + slug.substr(6, 2) + "T" + slug.substr(9, 2) + ":" +
         slug.substr(11, 2) + ":" + slug.substr(13, 2) + "Z";
}

core::BaselineRecord record_of(int folder, const std::string& path, const std::string& slug) {
  core::BaselineRecord unreadable;
  unreadable.registered_at_utc = time_of_slug(slug);
  const std::string where = io::join(io::join(path, slug), "baseline.json");
  const io::Descriptor entry(::openat(folder, slug.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!entry.valid()) {
    unreadable.notes = "(unreadable)";
    return unreadable;
  }
  const auto text = io::read_text_at(entry.get(), "baseline.json", where, kDocumentAtMost);
  auto record = text ? parse_baseline(*text, where) : core::Expected<core::BaselineRecord>(fail(text.error()));
  if (record) return std::move(*record);
  unreadable.notes = "(unreadable)";
  return unreadable;
}

std::string row_of(const core::BaselineRecord& record, const std::string& slug) {
  const std::string time = record.registered_at_utc.empty() ? time_of_slug(slug) : record.registered_at_utc;
  std::string text = "| " + code(time) + " | [" + code(slug) + "](" + cell(slug, true) + "/) | ";
  text += !record.value_text.empty() ? code(record.value_text)
          : record.value             ? code(core::number_text(*record.value))
                                     : "_(structured)_";
  text += " | " + (record.unit && !record.unit->empty() ? code(*record.unit) : std::string("_(none)_")) + " | ";
  return text + cell(short_notes(record.notes), false) + " |\n";
}

std::string head_of(std::size_t entries) {
  std::string text =
      "# Perf-baseline registry index\n\n"
      "Chronological history. One row per registration. Newer entries at the bottom.\n\n";
  if (entries > kIndexRows) {
    text += "The newest " + std::to_string(kIndexRows) + " of " + core::counted(entries, "entry", "entries") +
            "; `plumbline history` knows the others.\n\n";
  }
  return text +
         "| UTC timestamp | Slug | Value | Unit | Notes |\n"
         "| --- | --- | --- | --- | --- |\n";
}

// The rows that an INDEX.md has, by slug. Entries do not change, so neither do their rows: a publication reads one entry, its
// own, however many there are.
std::unordered_map<std::string_view, std::string_view> rows_in(std::string_view text) {
  static constexpr std::string_view kBeforeSlug = " | [`", kAfterSlug = "`](";
  std::unordered_map<std::string_view, std::string_view> rows;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    const std::size_t before = line.find(kBeforeSlug);
    const std::size_t after = line.find(kAfterSlug, before);
    if (!line.starts_with("| `") || before == std::string_view::npos || after == std::string_view::npos) continue;
    if (line.find("(unreadable)") != std::string_view::npos) continue;  // it may be readable by now
    rows.emplace(line.substr(before + kBeforeSlug.size(), after - before - kBeforeSlug.size()), line);
  }
  return rows;
}

}  // namespace

std::string index_markdown(const std::vector<core::BaselineRecord>& records, const std::vector<std::string>& slugs) {
  std::string text = head_of(slugs.size());
  for (std::size_t i = 0; i < slugs.size() && i < records.size(); ++i) text += row_of(records[i], slugs[i]);
  return text;
}

core::Expected<bool> write_index(int folder, const std::string& path, std::size_t entries, const cache::SlugList& newest,
                                 cache::Watch& watch) {
  static constexpr const char* kIndex = "INDEX.md";
  const auto there = io::read_text_at(folder, kIndex, io::join(path, kIndex), kDocumentAtMost);
  const auto known = rows_in(there ? std::string_view(*there) : std::string_view());
  std::string text = head_of(entries);
  for (std::size_t i = newest.size() - std::min(newest.size(), kIndexRows); i < newest.size(); ++i) {
    const std::string slug(newest[i]);
    const auto row = known.find(slug);
    text += row != known.end() ? std::string(row->second) : row_of(record_of(folder, path, slug), slug);
  }
  if (there && *there == text) return false;
  const std::string temporary = ".tmp-index-" + io::hex_random(16);
  watch.before(folder);
  io::Descriptor fd(::openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(io::write_error(kIndex, path, errno));
  watch.after(folder, 0);
  int error = io::write_all(fd.get(), text);
  if (error == 0) error = fd.close_checked();
  watch.before(folder);
  // Not synced: it is derived, and the next publication repairs it.
  if (error == 0 && ::renameat(folder, temporary.c_str(), folder, kIndex) != 0) error = errno;
  watch.after(folder, 0);
  if (error == 0) return true;
  ::unlinkat(folder, temporary.c_str(), 0);
  return fail(io::write_error(kIndex, path, error));
}

}  // namespace plumbline::registry
