#include "cli/toml_edit.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;
using Json = nlohmann::ordered_json;
using Path = std::vector<std::string>;

constexpr auto kNone = std::string_view::npos;
constexpr int kDeepest = 200;

struct Entry {
  Path key;
  std::size_t begin = 0;                                     // of its line
  std::size_t value_begin = 0, value_end = 0, line_end = 0;  // line_end: behind the newline
  bool comment_inside = false, comment_behind = false;
};
struct Section {
  Path path;
  bool array = false;
  std::size_t begin = 0, body = 0;    // of the header's line, behind it
  std::size_t end = 0;                // behind the last line of its own: header or key
  bool comment_behind = false;        // the header
  std::vector<std::size_t> comments;  // lines of their own between header and last key
  std::vector<Entry> entries;
};

bool bare(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Expected<std::vector<Section>> run() {
    std::vector<Section> sections(1);
    std::vector<std::size_t> comments;
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      skip_blanks();
      if (peek() == '#') {
        comments.push_back(begin);
        skip_line();
        continue;
      }
      if (at_ >= text_.size() || peek() == '\n' || peek() == '\r') {
        skip_line();
        continue;
      }
      if (peek() == '[') {
        auto section = header(begin);
        if (!section) return core::fail(section.error());
        sections.push_back(std::move(*section));
        comments.clear();
        continue;
      }
      auto entry = key_value(begin);
      if (!entry) return core::fail(entry.error());
      Section& section = sections.back();
      section.comments.insert(section.comments.end(), comments.begin(), comments.end());
      comments.clear();
      section.end = entry->line_end;
      section.entries.push_back(std::move(*entry));
    }
    return sections;
  }

  [[nodiscard]] tl::unexpected<core::Error> error(std::string_view message) const { return error_at(at_, message); }
  [[nodiscard]] tl::unexpected<core::Error> error_at(std::size_t at, std::string_view message) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size())), '\n');
    return core::fail(ErrorCode::invalid_input, "line " + std::to_string(line) + ": " + std::string(message));
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_line() {
    const auto newline = text_.find('\n', at_);
    at_ = newline == kNone ? text_.size() : newline + 1;
  }
  // Nothing but a comment may follow; true when one does.
  Expected<bool> finish_line() {
    skip_blanks();
    const bool comment = peek() == '#';
    if (!comment && at_ < text_.size() && peek() != '\n' && peek() != '\r') return error("end of the line expected");
    skip_line();
    return comment;
  }

  Expected<Path> key() {
    Path path;
    for (;;) {
      skip_blanks();
      const std::size_t begin = at_;
      if (peek() == '"' || peek() == '\'') {
        if (auto skipped = string(); !skipped) return core::fail(skipped.error());
        const auto part = text_.substr(begin + 1, at_ - begin - 2);
        const Json decoded = text_[begin] == '"' ? Json::parse("\"" + std::string(part) + "\"", nullptr, false) : Json(part);
        if (!decoded.is_string()) return error_at(begin, "a key that cannot be read");
        path.push_back(decoded.get<std::string>());
      } else {
        while (bare(peek())) ++at_;
        if (at_ == begin) return error("a key expected");
        path.emplace_back(text_.substr(begin, at_ - begin));
      }
      skip_blanks();
      if (peek() != '.') return path;
      ++at_;
    }
  }

  Expected<Section> header(std::size_t begin) {
    Section section;
    section.begin = begin;
    ++at_;
    section.array = peek() == '[';
    if (section.array) ++at_;
    auto path = key();
    if (!path) return core::fail(path.error());
    section.path = std::move(*path);
    for (int i = 0; i < (section.array ? 2 : 1); ++i, ++at_) {
      if (peek() != ']') return error("\"]\" expected");
    }
    const auto comment = finish_line();
    if (!comment) return core::fail(comment.error());
    section.comment_behind = *comment;
    section.body = section.end = at_;
    return section;
  }

  Expected<Entry> key_value(std::size_t begin) {
    Entry entry;
    entry.begin = begin;
    auto path = key();
    if (!path) return core::fail(path.error());
    entry.key = std::move(*path);
    if (peek() != '=') return error("\"=\" expected");
    ++at_;
    skip_blanks();
    entry.value_begin = at_;
    if (auto read = value(entry.comment_inside); !read) return core::fail(read.error());
    entry.value_end = at_;
    const auto comment = finish_line();
    if (!comment) return core::fail(comment.error());
    entry.comment_behind = *comment;
    entry.line_end = at_;
    return entry;
  }

  Status value(bool& comment_inside) {
    std::string open;
    const std::size_t begin = at_;
    for (;;) {
      const char c = peek();
      if (at_ >= text_.size() || ((c == '\n' || c == '\r' || c == '#') && open.empty())) break;
      if (c == '"' || c == '\'') {
        if (auto skipped = string(); !skipped) return skipped;
        continue;
      }
      if (c == '#') {
        comment_inside = true;
        skip_line();
        continue;
      }
      if (c == '[' || c == '{') open += c == '[' ? ']' : '}';
      if (c == ']' || c == '}') {
        if (open.empty() || open.back() != c) return error("a bracket too many");
        open.pop_back();
      }
      if (open.size() > kDeepest) return error("nested more than " + std::to_string(kDeepest) + " deep");
      ++at_;
    }
    if (!open.empty()) return error_at(begin, "a value that does not end");
    while (at_ > begin && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t')) --at_;
    if (at_ == begin) return error("a value expected");
    return {};
  }

  Status string() {
    const std::size_t begin = at_;
    const char quote = peek();
    const std::string three(3, quote);
    const bool long_form = text_.substr(at_, 3) == three;
    at_ += long_form ? 3 : 1;
    while (at_ < text_.size()) {
      if (long_form ? text_.substr(at_, 3) == three : peek() == quote) {
        at_ += long_form ? 3 : 1;
        while (long_form && peek() == quote) ++at_;  // up to two quotes may stand before the three
        return {};
      }
      if (!long_form && peek() == '\n') break;
      at_ += quote == '"' && peek() == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, text_.size());
    return error_at(begin, "a string that does not end");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// A string or an array of strings as JSON; nullopt for every other value.
std::optional<Json> json_of(std::string_view value) {
  if (value.starts_with("\"\"\"") || value.starts_with("'''")) return std::nullopt;
  if (value.starts_with('\'') && value.size() >= 2) {
    const auto inner = value.substr(1, value.size() - 2);
    return inner.find('\'') == kNone ? std::optional<Json>(std::string(inner)) : std::nullopt;
  }
  if (value.starts_with('"')) {
    Json text = Json::parse(value, nullptr, false);
    return text.is_string() ? std::optional(std::move(text)) : std::nullopt;
  }
  if (!value.starts_with('[')) return std::nullopt;
  Json items = Json::array();
  value = core::trim(value.substr(1, value.size() - 2));
  while (!value.empty()) {
    const char quote = value.front();
    if (quote != '"' && quote != '\'') return std::nullopt;
    std::size_t end = 1;
    while (end < value.size() && value[end] != quote) end += quote == '"' && value[end] == '\\' ? 2 : 1;
    if (end >= value.size()) return std::nullopt;
    auto item = json_of(value.substr(0, end + 1));
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
    value = core::trim(value.substr(end + 1));
    if (value.empty()) break;
    if (value.front() != ',') return std::nullopt;
    value = core::trim(value.substr(1));
  }
  return items;
}

bool starts_with(const Path& path, std::span<const std::string> prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}
bool same(const Path& path, std::span<const std::string> other) {
  return path.size() == other.size() && starts_with(path, other);
}

std::string dotted(std::span<const std::string> path) {
  std::string text;
  for (const std::string& part : path) {
    if (!text.empty()) text += '.';
    text += !part.empty() && std::all_of(part.begin(), part.end(), bare) ? part : core::quoted(part);
  }
  return text;
}

// The text's sections, of which those in `mine` are the table and its subtables.
struct Document {
  std::vector<Section> sections;
  std::vector<std::size_t> mine;
  std::optional<std::size_t> table;  // the one with the very path
};

Expected<Document> read_document(std::string_view text, std::span<const std::string> path) {
  Scanner scanner(text);
  auto sections = scanner.run();
  if (!sections) return core::fail(sections.error());
  Document document;
  document.sections = std::move(*sections);
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    const Section& section = document.sections[i];
    if (starts_with(section.path, path)) {
      if (same(section.path, path)) {
        if (section.array) return scanner.error_at(section.begin, "[[" + dotted(path) + "]] is an array of tables");
        if (document.table) return scanner.error_at(section.begin, "[" + dotted(path) + "] is there twice");
        document.table = i;
      }
      std::set<Path> keys;
      for (const Entry& entry : section.entries) {
        if (!keys.insert(entry.key).second) return scanner.error_at(entry.begin, dotted(entry.key) + " is there twice");
      }
      document.mine.push_back(i);
      continue;
    }
    for (const Entry& entry : section.entries) {
      Path full = section.path;
      full.insert(full.end(), entry.key.begin(), entry.key.end());
      if (starts_with(full, path) || (full.size() < path.size() && starts_with(Path(path.begin(), path.end()), full))) {
        return scanner.error_at(entry.begin, dotted(full) + " is not written as a table [" + dotted(path) + "]");
      }
    }
  }
  return document;
}

}  // namespace

Expected<std::optional<Members>> toml_table(std::string_view text, std::span<const std::string> path) {
  const auto document = read_document(text, path);
  if (!document) return core::fail(document.error());
  if (document->mine.empty()) return std::optional<Members>();
  Members members;
  for (const std::size_t at : document->mine) {
    const Section& section = document->sections[at];
    Json strings = Json::object();
    for (const Entry& entry : section.entries) {
      const auto value = json_of(text.substr(entry.value_begin, entry.value_end - entry.value_begin));
      if (!value || entry.key.size() != 1) continue;
      if (at == document->table) members.emplace_back(entry.key.front(), value->dump());
      strings[entry.key.front()] = *value;
    }
    if (section.path.size() == path.size() + 1) members.emplace_back(section.path.back(), strings.dump());
  }
  return std::optional(std::move(members));
}

Expected<std::string> with_toml_keys(std::string_view text, std::span<const std::string> path, const Members& members) {
  const auto document = read_document(text, path);
  if (!document) return core::fail(document.error());
  const std::string end = text.find("\r\n") != kNone ? "\r\n" : "\n";
  std::string out(text);
  if (!document->table) {
    if (!document->mine.empty()) {
      return Scanner(text).error_at(document->sections[document->mine.front()].begin,
                                    "there is a subtable without [" + dotted(path) + "]");
    }
    if (!out.empty() && out.back() != '\n') out += end;
    if (!out.empty()) out += end;
    out += "[" + dotted(path) + "]" + end;
    for (const auto& [key, value] : members) out += key + " = " + value + end;
    return out;
  }
  const Section& table = document->sections[*document->table];
  std::string added;
  for (const auto& member : members) {
    const auto is_key = [&member](const Entry& entry) { return entry.key.front() == member.first; };
    if (std::none_of(table.entries.begin(), table.entries.end(), is_key)) added += member.first + " = " + member.second + end;
  }
  // From the back, so that the places further up stay right.
  if (!added.empty() && table.end == out.size() && out.back() != '\n') added = end + added;
  out.insert(table.end, added);
  for (auto entry = table.entries.rbegin(); entry != table.entries.rend(); ++entry) {
    const auto wanted =
        std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == entry->key.front(); });
    if (wanted == members.end()) continue;
    const Scanner at(text);
    if (entry->key.size() != 1) return at.error_at(entry->begin, dotted(entry->key) + " is a dotted key");
    if (entry->comment_inside) return at.error_at(entry->begin, "a comment in " + core::quoted(wanted->first) + " would be lost");
    out.replace(entry->value_begin, entry->value_end - entry->value_begin, wanted->second);
  }
  return out;
}

Expected<std::string> without_toml_table(std::string_view text, std::span<const std::string> path) {
  const auto document = read_document(text, path);
  if (!document) return core::fail(document.error());
  std::string out(text);
  for (auto at = document->mine.rbegin(); at != document->mine.rend(); ++at) {
    const Section& section = document->sections[*at];
    bool comment = section.comment_behind || !section.comments.empty();
    for (const Entry& entry : section.entries) comment = comment || entry.comment_inside || entry.comment_behind;
    if (comment) return Scanner(text).error_at(section.begin, "a comment in [" + dotted(section.path) + "] would be lost");
    out.erase(section.begin, section.end - section.begin);
    // The blank line that set it apart goes with it, when what follows is the end or another blank line.
    const bool blank_behind = section.begin == out.size() || out[section.begin] == '\n' || out[section.begin] == '\r';
    for (const std::string_view blank : {"\r\n", "\n"}) {
      const std::string both = (blank == "\n" ? "\n" : "\r\n") + std::string(blank);
      if (!blank_behind || section.begin < both.size() || out.compare(section.begin - both.size(), both.size(), both) != 0)
        continue;
      out.erase(section.begin - blank.size(), blank.size());
      break;
    }
  }
  return out;
}

}  // namespace plumbline::cli
