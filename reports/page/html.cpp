#include "reports/page/html.hpp"

#include "reports/text.hpp"

namespace plumbline::reports::html {
namespace {

std::string_view sign_of(std::string_view tone) {
  if (tone == "bad") return "✕ ";
  if (tone == "doubt") return "? ";
  return tone == "good" ? "✓ " : "";
}

std::string classes(std::string_view names) { return names.empty() ? std::string() : " class=\"" + std::string(names) + "\""; }

}  // namespace

std::string plain(std::string_view text, int width) { return reports::markup(shorten_middle(one_line(text), width)); }

std::string sentence(std::string_view text, int width) {
  std::string out(text);
  for (std::size_t at = 0; (at = out.find(" -> ", at)) != std::string::npos;) out.replace(at, 4, " → ");
  return plain(out, width);
}

std::string code(std::string_view text, int width) { return "<code>" + plain(text, width) + "</code>"; }

std::string chip(std::string_view words, std::string_view tone) {
  return "<span class=\"chip" + (tone.empty() ? std::string() : " " + std::string(tone)) + "\">" + std::string(sign_of(tone)) +
         plain(words, 80) + "</span>";
}

Table::Table(const std::vector<Column>& columns, std::string_view kind) : head_("<table" + classes(kind) + ">\n<thead><tr>") {
  for (const Column& column : columns) {
    head_ += std::string("<th scope=col") + (column.number ? " class=num>" : ">") + plain(column.name, 60);
    numbers_.push_back(column.number && kind != "rows");
  }
  head_ += "</thead>\n<tbody>";
}

Table& Table::row(std::string_view tone) {
  body_ += "\n<tr" + classes(tone) + ">";
  ++rows_;
  column_ = 0;
  return *this;
}

Table& Table::markup(std::string_view made, std::string_view tone) {
  const bool number = column_ < numbers_.size() && numbers_[column_];
  std::string kind(number ? "num" : "");
  if (!tone.empty()) kind += (kind.empty() ? "" : " ") + std::string(tone);
  body_ += (column_ == 0 ? "<th scope=row" : "<td") +
           (kind.find(' ') == std::string::npos && !kind.empty() ? " class=" + kind : classes(kind)) + ">" + std::string(made);
  ++column_;
  return *this;
}

std::string Table::text(std::string_view name) const {
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + plain(name, 120) + "\">" + head_ + body_ +
         "</tbody></table></div>\n";
}

std::string section(std::string_view title, std::string_view body, SectionStyle style) {
  if (body.empty()) return {};
  std::string kinds(style.wide ? "wide" : "");
  if (style.accent) kinds += kinds.empty() ? "act" : " act";
  return "<section" + classes(kinds) + ">\n<h2>" + std::string(title) + "</h2>\n" + std::string(body) + "</section>\n";
}

std::string folded(std::string_view title, std::string_view body, bool open) {
  if (body.empty()) return {};
  return std::string(open ? "<details open>" : "<details>") + "<summary>" + std::string(title) + "</summary>\n" +
         std::string(body) + "</details>\n";
}

std::string note(std::string_view text) {
  return text.empty() ? std::string() : "<p class=\"note\">" + std::string(text) + "</p>\n";
}

std::string legend(const std::vector<Mark>& marks) {
  std::string out = "<p class=\"legend\">";
  for (const Mark& mark : marks) out += "<span><i class=\"" + std::string(mark.tone) + "\"></i>" + mark.words + "</span> ";
  return out + "</p>\n";
}

}  // namespace plumbline::reports::html
