// A page of the review site: one file in pages/ with its template and its function, and one line in table.cpp. A page gets a
// visit, whose address was decoded and whose visitor was let in, and gives an answer. It runs on a worker, may read the registry
// through its visit's store alone, and changes nothing.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/site/library.hpp"
#include "server/site/template.hpp"
#include "server/site/url.hpp"
#include "server/transport/http/exchange.hpp"

namespace plumbline::server::site {

struct Answer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  transport::http::Headers headers;  // besides those that every answer has
  enum class Policy : std::uint8_t {
    page,    // ours: its style and script, and a frame of our own
    framed,  // the same inside a frame of our own
    report,  // a page that a bundle holds: no address of its own, no script but the reports' own
    file     // bytes of somebody: never shown as a page
  };
  Policy policy = Policy::page;
  enum class Keep : std::uint8_t { no, revalidate, forever } keep = Keep::no;
  std::function<void()> afterwards;  // once the answer is out: what there was no time for
};

struct Visit {
  std::vector<std::string> parts;  // what stands for the pattern's {}
  Query query;
  Library& library;
  const registry::Store& store;
  registry::PathLimits limits;
  verbs::Context context;
  std::shared_ptr<const Summary> summary;  // not older than a second, if that was to be had in time
};

struct Page {
  std::string_view pattern;  // "families/{}/{}"; "{+}" at the end takes the rest
  Answer (*answer)(const Visit& visit) = nullptr;
};
[[nodiscard]] std::span<const Page> pages();
// The page of an address and what stands for its {}; null where there is none.
[[nodiscard]] const Page* find_page(const std::vector<std::string>& address, std::vector<std::string>& parts);

// What stands around every page.
struct Frame {
  std::string title;  // "decode · llama"
  // The way here, as link and text; the last is this page and has no link.
  std::vector<std::pair<std::string, std::string>> crumbs;
  // What is looked at: "" = everything, "FAMILY" or "FAMILY/MEASUREMENT"; nothing = a page that never changes.
  std::optional<std::string> live;
  std::string stamp;   // of it, when it was read
  std::string search;  // what was searched for
};
[[nodiscard]] Answer shown(const Frame& frame, std::string_view sheet, const Data& data, int status = 200);
// A page that says what is wrong. `near`: link and text of what may have been meant.
[[nodiscard]] Answer problem(int status, std::string_view message, std::string_view hint = {},
                             const std::vector<std::pair<std::string, std::string>>& near = {});
[[nodiscard]] Answer problem(const core::Error& error);
[[nodiscard]] Answer no_such_page(const std::vector<std::string>& address);
[[nodiscard]] Answer redirect(const std::string& to);

// The publication that a page is about: its slug may be `newest` or `accepted`. Else the answer that says what there is instead.
[[nodiscard]] tl::expected<mcp::Place, Answer> place_of(const Visit& visit, registry::Kind kind);
// Of a visit whose family or measurement the registry does not have.
[[nodiscard]] Answer no_such_name(const Visit& visit);

[[nodiscard]] std::string_view asset(std::string_view name);  // "site.css", "site.js", "site.svg"
// "/site.css?v=1f2e3d4c": another address as soon as the content is another.
[[nodiscard]] std::string asset_link(std::string_view name);

// Words that several pages share.
[[nodiscard]] std::string time_text(std::string_view slug);                                       // "2026-11-23 14:33:16"
[[nodiscard]] std::string value_text(const std::optional<double>& value, std::string_view unit);  // "311 GB/s", "rows"
void set_verdict(Data& data, const registry::BundleHead& head);  // {{verdict}}, {{tone}}, {{tier}}
[[nodiscard]] std::string sparkline(const std::vector<double>& values, std::string_view unit);

}  // namespace plumbline::server::site
