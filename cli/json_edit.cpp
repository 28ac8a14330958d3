#include "cli/json_edit.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/text.hpp"

namespace plumbline::cli {
namespace {

using core::ErrorCode;
using core::Expected;
using core::Status;
using Json = nlohmann::ordered_json;

constexpr int kDeepest = 200;
constexpr std::string_view kBom = "\xEF\xBB\xBF";
constexpr auto kNone = std::string_view::npos;

struct Span {
  std::size_t begin = 0, end = 0;
};
struct Member {
  std::string key;
  std::size_t key_begin = 0;
  Span value;
  std::size_t comma = kNone;
};
struct Object {
  Span span;                    // with its braces
  std::size_t content_end = 0;  // behind the last member, comma or comment; behind the brace when there is none
  std::vector<Member> members;
};

tl::unexpected<core::Error> error_at(std::string_view text, std::size_t at, std::string_view message, std::string hint = {}) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), '\n');
  return core::fail(ErrorCode::invalid_input, "line " + std::to_string(line) + ": " + std::string(message), std::move(hint));
}

// Reads one value and everything in it, remembering where comments and trailing commas stand.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t at) : text_(text), at_(at), content_end_(at) {}

  Status blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
        continue;
      }
      if (c != '/') break;
      const std::size_t begin = at_;
      const auto opening = text_.substr(at_, 2);
      if (opening == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
        if (text_[at_ - 1] == '\r') --at_;
      } else if (const auto end = text_.find("*/", at_ + 2); opening == "/*" && end != kNone) {
        at_ = end + 2;
      } else {
        return error_at(text_, at_, opening == "/*" ? "a comment that does not end" : "unexpected \"/\"");
      }
      comments.push_back({begin, at_});
      content_end_ = at_;
    }
    return {};
  }

  Status value(int depth) {
    if (depth > kDeepest) return error_at(text_, at_, "nested more than " + std::to_string(kDeepest) + " deep");
    if (at_ >= text_.size()) return error_at(text_, at_, "the text ends where a value is expected");
    switch (text_[at_]) {
      case '{': {
        const auto read = object(depth);
        if (!read) return core::fail(read.error());
        return {};
      }
      case '[':
        return array(depth);
      case '"':
        return skip_string();
      default:
        return scalar();
    }
  }

  Expected<Object> object(int depth) {
    Object read;
    read.span.begin = at_;
    token(1);
    read.content_end = content_end_;
    for (;;) {
      if (auto skipped = blank(); !skipped) return core::fail(skipped.error());
      read.content_end = content_end_;
      if (peek() == '}') break;
      if (!read.members.empty() && read.members.back().comma == kNone) return error_at(text_, at_, "\",\" or \"}\" expected");
      auto one = member(depth);
      if (!one) return core::fail(one.error());
      read.members.push_back(std::move(*one));
    }
    if (!read.members.empty() && read.members.back().comma != kNone) commas.push_back(read.members.back().comma);
    token(1);
    read.span.end = at_;
    return read;
  }

  [[nodiscard]] std::size_t at() const { return at_; }

  std::vector<Span> comments;
  std::vector<std::size_t> commas;  // trailing ones

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void token(std::size_t size) { content_end_ = at_ += size; }

  Expected<Member> member(int depth) {
    Member one;
    one.key_begin = at_;
    if (peek() != '"') return error_at(text_, at_, "a key in double quotes expected");
    if (auto key = skip_string(); !key) return core::fail(key.error());
    one.key = Json::parse(text_.substr(one.key_begin, at_ - one.key_begin)).get<std::string>();
    if (auto skipped = blank(); !skipped) return core::fail(skipped.error());
    if (peek() != ':') return error_at(text_, at_, "\":\" expected");
    token(1);
    if (auto skipped = blank(); !skipped) return core::fail(skipped.error());
    one.value.begin = at_;
    if (auto read = value(depth + 1); !read) return core::fail(read.error());
    one.value.end = at_;
    if (auto skipped = blank(); !skipped) return core::fail(skipped.error());
    if (peek() == ',') {
      one.comma = at_;
      token(1);
    }
    return one;
  }

  Status array(int depth) {
    token(1);
    bool first = true;
    std::size_t comma = kNone;
    for (;;) {
      if (auto skipped = blank(); !skipped) return skipped;
      if (peek() == ']') break;
      if (!first && comma == kNone) return error_at(text_, at_, "\",\" or \"]\" expected");
      if (auto read = value(depth + 1); !read) return read;
      first = false;
      comma = kNone;
      if (auto skipped = blank(); !skipped) return skipped;
      if (peek() == ',') {
        comma = at_;
        token(1);
      }
    }
    if (comma != kNone) commas.push_back(comma);
    token(1);
    return {};
  }

  Status skip_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size() || text_[end] != '"') return error_at(text_, at_, "a string that does not end");
    return checked(end + 1, "a string with an escape or character that JSON does not have");
  }

  Status scalar() {
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '-' ||
                                  text_[end] == '+' || text_[end] == '.')) {
      ++end;
    }
    return checked(end, "a value expected");
  }

  Status checked(std::size_t end, std::string_view message) {
    if (!Json::accept(text_.substr(at_, end - at_))) return error_at(text_, at_, message);
    token(end - at_);
    return {};
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t content_end_;
};

// A whole text, read once and found good.
struct Document {
  std::string_view text;
  std::vector<Span> comments;
  std::vector<std::size_t> commas;
  std::optional<Object> root;  // nullopt: a blank text
};

Expected<Document> read_document(std::string_view text) {
  Scanner scanner(text, text.starts_with(kBom) ? kBom.size() : 0);
  Document document{text, {}, {}, {}};
  if (auto skipped = scanner.blank(); !skipped) return core::fail(skipped.error());
  if (scanner.at() < text.size()) {
    if (text[scanner.at()] != '{') return error_at(text, scanner.at(), "an object ({ … }) expected");
    auto root = scanner.object(0);
    if (!root) return core::fail(root.error());
    document.root = std::move(*root);
    if (auto skipped = scanner.blank(); !skipped) return core::fail(skipped.error());
    if (scanner.at() < text.size()) return error_at(text, scanner.at(), "something follows the end of the object");
  }
  document.comments = std::move(scanner.comments);
  document.commas = std::move(scanner.commas);
  return document;
}

// How far `path` leads: the innermost object on it, and the member of it if that is the last key's.
struct Found {
  Object object;
  std::size_t depth = 0;         // of the key in `path` that `object` has or lacks
  std::optional<Member> member;  // of path.back()
  [[nodiscard]] bool has_last(JsonPath path) const { return member.has_value() && depth + 1 == path.size(); }
};

Expected<Found> follow(const Document& document, JsonPath path) {
  Found found{*document.root, 0, {}};
  for (;; ++found.depth) {
    const std::string& key = path[found.depth];
    found.member.reset();
    for (const Member& member : found.object.members) {
      if (member.key != key) continue;
      if (found.member) return error_at(document.text, member.key_begin, core::quoted(key) + " is there twice");
      found.member = member;
    }
    if (!found.member || found.depth + 1 == path.size()) return found;
    const std::size_t begin = found.member->value.begin;
    if (document.text[begin] != '{') return error_at(document.text, begin, core::quoted(key) + " is not an object");
    auto inner = Scanner(document.text, begin).object(static_cast<int>(found.depth) + 1);
    if (!inner) return core::fail(inner.error());
    found.object = std::move(*inner);
  }
}

bool multi_line(std::string_view text, Span span) { return text.substr(span.begin, span.end - span.begin).find('\n') != kNone; }

std::string_view line_indent(std::string_view text, std::size_t at) {
  const auto newline = at == 0 ? kNone : text.rfind('\n', at - 1);
  const std::size_t begin = newline == kNone ? 0 : newline + 1;
  const auto end = text.find_first_not_of(" \t", begin);
  return text.substr(begin, std::min(end, at) - begin);
}

bool first_on_line(std::string_view text, std::size_t at) {
  const auto newline = at == 0 ? kNone : text.rfind('\n', at - 1);
  return newline != kNone && newline + 1 + line_indent(text, at).size() == at;
}

std::string_view line_end(std::string_view text) {
  const auto newline = text.find('\n');
  return newline != kNone && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

// One step of indentation, as the root's first member shows it.
std::string_view indent_step(const Document& document) {
  if (document.root && !document.root->members.empty()) {
    const std::size_t key = document.root->members.front().key_begin;
    if (first_on_line(document.text, key) && !line_indent(document.text, key).empty()) return line_indent(document.text, key);
  }
  return "  ";
}

std::string pretty(const Document& document, const Json& value, std::string_view indent) {
  const auto step = indent_step(document);
  const std::string text = value.dump(static_cast<int>(step.size()), step.front());
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += line_end(document.text);
      out += indent;
    } else {
      out += c;
    }
  }
  return out;
}

// On one line, with a blank between what pretty() breaks.
std::string inline_text(const Json& value) {
  std::string out;
  bool leading = false;
  for (const char c : value.dump(1)) {
    leading = c == '\n' || (leading && c == ' ');
    if (c == '\n') {
      out += ' ';
    } else if (!leading) {
      out += c;
    }
  }
  return out;
}

Status check_no_comment(const Document& document, Span span, const std::string& what) {
  for (const Span& comment : document.comments) {
    if (comment.begin >= span.begin && comment.end <= span.end) {
      return error_at(document.text, comment.begin, "a comment in " + what + " would be lost");
    }
  }
  return {};
}

std::string replaced(std::string_view text, Span span, std::string_view with) {
  std::string out(text.substr(0, span.begin));
  out += with;
  out += text.substr(span.end);
  return out;
}

std::string inserted(const Document& document, const Object& object, const std::string& key, const Json& value) {
  const std::string_view text = document.text;
  const std::string quoted = Json(key).dump() + ": ";
  const bool empty = object.members.empty();
  const bool needs_comma = !empty && object.members.back().comma == kNone;
  const std::string comma = empty || needs_comma ? "" : ",";  // where the last one had one, ours has
  std::string out(text);
  if (!empty && !multi_line(text, object.span)) {
    out.insert(object.content_end, (needs_comma ? ", " : " ") + quoted + inline_text(value) + comma);
    return out;
  }
  const bool own_lines = !empty && first_on_line(text, object.members.front().key_begin);
  const std::string outer(line_indent(text, object.span.begin));
  const std::string indent =
      own_lines ? std::string(line_indent(text, object.members.front().key_begin)) : outer + std::string(indent_step(document));
  std::string member = std::string(line_end(text)) + indent + quoted + pretty(document, value, indent) + comma;
  const Span rest{object.content_end, object.span.end};
  if (!multi_line(text, rest)) member += std::string(line_end(text)) + outer;
  // An empty object's blanks go: "{ }" becomes "{", the member, "}".
  const std::size_t end = multi_line(text, rest) ? object.content_end : object.span.end - 1;
  out = replaced(text, {object.content_end, end}, member);
  if (needs_comma) out.insert(object.members.back().value.end, ",");
  return out;
}

// A line that holds nothing any more goes with its end.
std::string without_blank_line(std::string text, std::size_t at) {
  const auto newline = at == 0 ? kNone : text.rfind('\n', at - 1);
  const std::size_t begin = newline == kNone ? 0 : newline + 1;
  const auto end = text.find('\n', at);
  if (newline == kNone || end == kNone) return text;
  if (text.find_first_not_of(" \t\r", begin) != end) return text;
  return text.erase(begin, end + 1 - begin);
}

}  // namespace

Expected<std::optional<std::string>> json_member(std::string_view text, JsonPath path) {
  const auto document = read_document(text);
  if (!document) return core::fail(document.error());
  if (!document->root) return std::optional<std::string>();
  const auto found = follow(*document, path);
  if (!found) return core::fail(found.error());
  if (!found->has_last(path)) return std::optional<std::string>();
  const Span value = found->member->value;
  std::vector<Span> left_out = document->comments;
  for (const std::size_t comma : document->commas) left_out.push_back({comma, comma + 1});
  std::sort(left_out.begin(), left_out.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::string plain;
  std::size_t at = value.begin;
  for (const Span& span : left_out) {
    if (span.begin < value.begin || span.end > value.end) continue;
    plain += text.substr(at, span.begin - at);
    at = span.end;
  }
  plain += text.substr(at, value.end - at);
  return std::optional<std::string>(std::move(plain));
}

Expected<std::string> with_json_member(std::string_view text, JsonPath path, std::string_view value) {
  auto document = read_document(text);
  if (!document) return core::fail(document.error());
  Json json = Json::parse(value);
  const auto wrapped = [&json, path](std::size_t depth) {
    for (std::size_t i = path.size(); i-- > depth + 1;) json = Json{{path[i], std::move(json)}};
    return std::move(json);
  };
  if (!document->root) {
    if (!document->comments.empty()) return error_at(text, 0, "nothing but comments; where the object would go is a guess");
    const std::string made = Json{{path[0], wrapped(0)}}.dump(2);
    return (text.starts_with(kBom) ? std::string(kBom) : std::string()) + made + "\n";
  }
  const auto found = follow(*document, path);
  if (!found) return core::fail(found.error());
  if (!found->has_last(path)) return inserted(*document, found->object, path[found->depth], wrapped(found->depth));
  const Span old = found->member->value;
  if (auto kept = check_no_comment(*document, old, core::quoted(path.back())); !kept) return core::fail(kept.error());
  return replaced(
      text, old,
      multi_line(text, old) ? pretty(*document, json, line_indent(text, found->member->key_begin)) : inline_text(json));
}

Expected<std::string> without_json_member(std::string_view text, JsonPath path) {
  auto document = read_document(text);
  if (!document) return core::fail(document.error());
  if (!document->root) return std::string(text);
  const auto found = follow(*document, path);
  if (!found) return core::fail(found.error());
  if (!found->has_last(path)) return std::string(text);
  const Member& member = *found->member;
  const Object& object = found->object;
  const bool last = member.key_begin == object.members.back().key_begin;
  const bool only = object.members.size() == 1;
  const Span gone{member.key_begin, member.comma == kNone ? member.value.end : member.comma + 1};
  if (auto kept = check_no_comment(*document, gone, core::quoted(path.back())); !kept) return core::fail(kept.error());
  if (only && object.content_end == gone.end && check_no_comment(*document, object.span, "")) {
    return replaced(text, object.span, "{}");
  }
  const bool one_line = !multi_line(text, object.span);
  std::string out = replaced(text, gone, "");
  if (one_line) {  // the blank in front goes too
    if (gone.begin > object.span.begin + 1 && out[gone.begin - 1] == ' ') out.erase(gone.begin - 1, 1);
  } else {
    out = without_blank_line(std::move(out), gone.begin);
  }
  // The comma before the last member is not asked for any more; one that stood behind the last may stay.
  if (last && !only && member.comma == kNone) out.erase(object.members[object.members.size() - 2].comma, 1);
  return out;
}

Status check_strict_json(std::string_view text, bool comments_allowed) {
  const auto document = read_document(text);
  if (!document) return core::fail(document.error());
  if (!comments_allowed && !document->comments.empty())
    return error_at(text, document->comments.front().begin, "a comment, which JSON does not have");
  if (!document->commas.empty()) return error_at(text, document->commas.front(), "a trailing comma, which JSON does not have");
  return {};
}

}  // namespace plumbline::cli
