#include "reports/page/shell.hpp"

#include "reports/page/html.hpp"
#include "reports/page/script.hpp"
#include "reports/page/style.hpp"

namespace plumbline::reports {
namespace {

std::string_view sign_of(core::Verdict verdict) {
  switch (verdict) {
    case core::Verdict::red:
      return "✕";
    case core::Verdict::yellow:
      return "!";
    case core::Verdict::green:
      return "✓";
  }
  return "";
}

}  // namespace

std::string page_text(const Page& page) {
  const std::string verdict(to_string(page.verdict));
  const std::string title = page.title.empty() ? verdict + " · " + page.name : page.title;
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
      "'sha256-";
  out += kPageScriptDigest;
  out += "'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>" + html::plain(title, 200) + "</title>\n<style>";
  out += kPageStyle;
  out += kChartStyle;
  out += page.style;
  out +=
      "</style>\n</head>\n<body>\n<main>\n<header class=\"hero\">\n<div class=\"answer\">\n<p class=\"what\"><span "
      "class=\"badge " +
      verdict + "\">" + std::string(sign_of(page.verdict)) + " " + verdict + "</span> " +
      html::chip(std::string(to_string(page.tier))) + " <span class=\"name\">" + html::plain(page.name, 200) +
      "</span></p>\n<h1>" + html::sentence(page.sentence, 400) + "</h1>\n" + page.under + "</div>\n";
  if (!page.picture.empty()) out += "<div class=\"picture\">\n" + page.picture + "</div>\n";
  out += "</header>\n<div class=\"sections\">\n" + page.sections + "</div>\n<footer>" + html::plain(page.footer) +
         "</footer>\n</main>\n<script>";
  out += kPageScript;
  return out + "</script>\n</body>\n</html>\n";
}

}  // namespace plumbline::reports
