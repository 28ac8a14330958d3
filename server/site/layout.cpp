#include <array>
#include <cmath>

#include "core/citing.hpp"
#include "core/text.hpp"
#include "registry/files.hpp"
#include "server/site/page.hpp"

namespace plumbline::site {
std::string_view embedded_file(std::string_view name);  // assets/, see cmake/EmbedFiles.cmake
}

namespace plumbline::server::site {
namespace {

constexpr std::string_view kLayout = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<link rel="icon" href="{{icon}}" type="image/svg+xml">
<link rel="stylesheet" href="{{style}}">
<script src="{{script}}" defer></script>
</head>
<body{{#is_live}} data-scope="{{scope}}" data-stamp="{{stamp}}"{{/is_live}}>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="home" href="/">Plumbline</a>
<nav aria-label="Site"><a href="/">Measurements</a> <a href="/diffs">Diffs</a></nav>
<form role="search" action="/search"><input type="search" name="q" aria-label="Search entries and diffs" placeholder="Search" value="{{q}}"><button>Search</button></form>
</header>
<main id="main" tabindex="-1">
{{#has_crumbs}}<nav class="crumbs" aria-label="You are here">{{#crumbs}}{{#has_link}}<a href="{{link}}">{{text}}</a><span aria-hidden="true"> / </span>{{/has_link}}{{^has_link}}<span aria-current="page">{{text}}</span>{{/has_link}}{{/crumbs}}</nav>{{/has_crumbs}}
{{{main}}}
</main>
<p class="status" role="status" id="news"></p>
</body>
</html>
)html";

constexpr std::string_view kProblem = R"html(<h1>{{heading}}</h1>
<section>
<p>{{message}}</p>
{{#has_hint}}<p class="note">{{hint}}</p>{{/has_hint}}
{{#has_near}}<p>Did you mean {{#near}}<a href="{{link}}">{{text}}</a> {{/near}}?</p>{{/has_near}}
<p><a href="/">All measurements</a></p>
</section>
)html";

std::string_view heading_of(int status) {
  switch (status) {
    case 400:
      return "That cannot be asked";
    case 401:
      return "Who are you?";
    case 403:
      return "Not allowed";
    case 404:
      return "Nothing is here";
    case 409:
      return "Not what was published";
    case 413:
      return "Too large for a page";
    case 429:
      return "Too many pages at once";
    case 503:
      return "Not now";
    default:
      return "That did not work";
  }
}

int status_of(core::ErrorCode code) {
  using enum core::ErrorCode;
  switch (code) {
    case not_found:
      return 404;
    case path_not_allowed:
      return 403;
    case provenance_mismatch:
      return 409;
    case limit_exceeded:
      return 413;
    case cancelled:
    case environment:
      return 503;
    case internal:
      return 500;
    default:
      return 400;
  }
}

}  // namespace

std::string_view asset(std::string_view name) { return plumbline::site::embedded_file(name); }

std::string asset_link(std::string_view name) {
  return "/" + std::string(name) + "?v=" + registry::sha256_hex(asset(name)).substr(0, 12);
}

Answer shown(const Frame& frame, std::string_view sheet, const Data& data, int status) {
  static const std::string kStyle = asset_link("site.css"), kScript = asset_link("site.js"), kIcon = asset_link("site.svg");
  Data page;
  page.set("title", frame.title.empty() ? "Plumbline" : frame.title + " · Plumbline");
  page.set("style", kStyle).set("script", kScript).set("icon", kIcon).set("q", frame.search);
  page.flag("is_live", frame.live.has_value()).set("scope", frame.live.value_or("")).set("stamp", frame.stamp);
  page.flag("has_crumbs", !frame.crumbs.empty());
  for (const auto& [to, text] : frame.crumbs) page.item("crumbs").set("link", to).set("text", text);
  page.part("main", render(sheet, data));
  Answer answer;
  answer.status = status;
  answer.body = render(kLayout, page);
  return answer;
}

Answer problem(int status, std::string_view message, std::string_view hint,
               const std::vector<std::pair<std::string, std::string>>& near) {
  Data data;
  data.set("heading", heading_of(status)).set("message", message).set("hint", hint).flag("has_near", !near.empty());
  for (const auto& [to, text] : near) data.item("near").set("link", to).set("text", text);
  Frame frame;
  frame.title = std::string(heading_of(status));
  return shown(frame, kProblem, data, status);
}

Answer problem(const core::Error& error) { return problem(status_of(error.code), error.message, error.hint); }

Answer no_such_page(const std::vector<std::string>& address) {
  static constexpr std::array<std::string_view, 6> kNames = {"families", "entries", "diffs", "compare", "search", "verify"};
  const std::string_view near = address.empty() ? std::string_view() : core::nearest(address.front(), kNames);
  const std::string message = address.empty() ? "There is no such page."
                                              : "The review site has no page " + core::cited(address.front()) +
                                                    (near == address.front() ? " with so many parts." : ".");
  if (near.empty() || near == address.front()) return problem(404, message);
  std::vector<std::string_view> meant = {address.begin() + 1, address.end()};
  return problem(404, message, "", {{link(near, meant), link(near, meant)}});
}

Answer redirect(const std::string& to) {
  Answer answer;
  answer.status = 302;
  answer.headers = {{"Location", to}};
  answer.body = "See " + to + "\n";
  answer.type = "text/plain; charset=utf-8";
  answer.policy = Answer::Policy::file;
  return answer;
}

}  // namespace plumbline::server::site
