#include "server/mcp/verbs/app_page.hpp"

namespace plumbline::server::mcp {

// Everything of a result is put in as text, never as markup; the report is the server's own page, and scripts in it do not run:
// it is put in by its parsed body, in which browsers start none.
std::string_view app_page() {
  static constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Plumbline</title>
<style>
:root { color-scheme: light dark; --color-text-primary: light-dark(#171717, #fafafa); --color-text-secondary: light-dark(#555, #aaa);
  --color-border-primary: light-dark(#ddd, #444); --color-background-primary: light-dark(#fff, #171717); --font-sans: system-ui, sans-serif; }
body { margin: 0; padding: 12px; font: 14px/1.45 var(--font-sans); color: var(--color-text-primary);
  background: var(--color-background-primary); }
h1 { font-size: 18px; margin: 0 0 8px; }
.verdict { padding: 1px 8px; border-radius: 4px; color: #fff; background: #666; }
.GREEN { background: #1a7f37; } .YELLOW { background: #9a6700; } .RED { background: #cf222e; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: 3px 8px 3px 0; border-bottom: 1px solid var(--color-border-primary); overflow-wrap: anywhere; }
.quiet { color: var(--color-text-secondary); }
</style>
</head>
<body><p class="quiet" id="state" role="status">Waiting for the comparison…</p><div id="shown"></div>
<script>
"use strict";
const waiting = new Map();
let last = 0, host = {};
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  post({ id: last, method, params });
});
const tell = (method, params) => post({ method, params });
const state = (text) => { document.getElementById("state").textContent = text; };
const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

// A report asks the browser for the scheme, which may be another than the host's: the question is answered in its styles.
let scheme = "";
const styles = [];
const dress = ([style, text]) => {
  const answer = { light: "(max-width:0)", dark: "(min-width:0)" }[scheme];
  style.textContent = answer ? text.replaceAll("(prefers-color-scheme:dark)", answer) : text;
};
function theme(context) {
  if (context.theme) document.documentElement.style.colorScheme = scheme = context.theme;
  styles.forEach(dress);
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (name.startsWith("--") && value) document.documentElement.style.setProperty(name, value);
  }
}

const signed = (number, digits) => (number > 0 ? "+" : "") + number.toFixed(digits);
const percent = (number) => typeof number === "number" ? signed(number, 1) + " %" : "";
const figure = (number, unit) => typeof number === "number" ? Number(number.toPrecision(6)) + (unit ? " " + unit : "") : "";
function duration(ns) {
  if (typeof ns !== "number") return "";
  const [name, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]].find(([, least]) => Math.abs(ns) >= least) ?? ["ns", 1];
  return signed(ns / size, size === 1 ? 0 : 2) + " " + name;
}

// What was compared, and where no reason says what came of it, that.
const subject = (value) => value.family && value.measurement ? value.family + " / " + value.measurement
                         : [value.baseline, value.candidate].filter((side) => typeof side === "string").join(" → ");
function outcome(value) {
  if (value.counts) return value.counts.compared + " rows compared, " + value.counts.regressed + " regressed, " + value.counts.improved + " improved.";
  if (typeof value.wall?.delta_pct === "number") return "The wall time changed by " + percent(value.wall.delta_pct) + ".";
  if (value.siblings) return value.siblings_count + " siblings compared, " + (value.drain ?? []).length + " to take out of use.";
  return "";
}

// The rows that matter most, of each kind of result: columns and lines.
function table_of(value) {
  if (value.siblings)
    return [["Sibling", "State", "Why"], value.siblings.map((each) => [each.name, each.state, each.why])];
  const top = value.top ?? [];
  if (top.some((row) => "delta_ns" in row))
    return [["Part", "Change", "Share"], top.map((row) => [row.name, duration(row.delta_ns), figure(row.share_pct, "%")])];
  return [["Row", "Baseline", "Now", "Change", "State"],
          top.map((row) => [row.key, figure(row.baseline, row.unit), figure(row.current, row.unit), percent(row.delta_pct), row.state])];
}

function summary(value) {
  const main = element("main");
  const title = element("h1");
  title.append(element("span", value.verdict ?? "?", "verdict " + (["GREEN", "YELLOW", "RED"].includes(value.verdict) ? value.verdict : "")));
  title.append(" " + (value.tier ?? ""));
  main.append(title);
  if (subject(value)) main.append(element("p", subject(value), "quiet"));
  const reasons = value.reasons ?? [];
  if (!reasons.length && outcome(value)) main.append(element("p", outcome(value)));
  const list = element("ul");
  for (const reason of reasons) list.append(element("li", reason.message ?? reason.code));
  if (reasons.length) main.append(list);
  const [columns, lines] = table_of(value);
  if (lines.length) {
    const table = element("table");
    const head = element("tr");
    for (const column of columns) {
      const cell = element("th", column);
      cell.scope = "col";
      head.append(cell);
    }
    table.append(head);
    for (const line of lines) {
      const row = element("tr");
      for (const text of line) row.append(element("td", text ?? ""));
      table.append(row);
    }
    main.append(table);
  }
  if (value.top_omitted) main.append(element("p", "and " + value.top_omitted + " more", "quiet"));
  if (value.recommendation?.message) main.append(element("p", "Next: " + value.recommendation.message));
  return main;
}

// The bundle's report in place of the summary. Its styles come along; a page of another shape is left out.
async function report(result) {
  const link = (result.content ?? []).find((block) => block.type === "resource_link" && block.name?.endsWith(".html"));
  if (!link || !host.serverResources) return false;
  let text = "", next = link.uri;
  for (let parts = 0; next && parts < 16; ++parts) {
    const read = await ask("resources/read", { uri: next });
    const part = read.contents?.[0];
    if (typeof part?.text !== "string") return false;
    text += part.text;
    next = part._meta?.["plumbline/range"]?.next;
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  if (next || !page.body || !page.body.childElementCount) return false;
  for (const each of page.querySelectorAll("script")) each.remove();
  for (const style of page.querySelectorAll("style")) {
    const own = element("style");
    document.head.append(own);
    styles.push([own, style.textContent]);
  }
  styles.forEach(dress);
  document.getElementById("shown").replaceChildren(...[...page.body.childNodes].map((node) => document.importNode(node, true)));
  return true;
}

async function show(result) {
  const value = result.structuredContent;
  if (result.isError || !value) {
    state((result.content ?? []).filter((block) => block.type === "text").map((block) => block.text).join("\n") || "There is no result.");
    return;
  }
  document.getElementById("shown").replaceChildren(summary(value));
  state("");
  try { await report(result); } catch { /* the summary stays */ }
}

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (asked) data.error ? asked.reject(new Error(data.error.message)) : asked.resolve(data.result);
  } else if (data.method === "ui/notifications/tool-result") {
    show(data.params);
  } else if (data.method === "ui/notifications/tool-cancelled") {
    state("The comparison was cancelled.");
  } else if (data.method === "ui/notifications/host-context-changed") {
    theme(data.params ?? {});
  } else if (data.id !== undefined) {
    const known = data.method === "ping" || data.method === "ui/resource-teardown";
    post(known ? { id: data.id, result: {} } : { id: data.id, error: { code: -32601, message: "unknown method" } });
  }
});
new ResizeObserver(() => {
  tell("ui/notifications/size-changed", { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight });
}).observe(document.body);
ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: { name: "plumbline", version: "1" },
  appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } }).then((result) => {
  host = result.hostCapabilities ?? {};
  theme(result.hostContext ?? {});
  tell("ui/notifications/initialized", {});
}).catch((error) => state("This host shows no comparisons: " + error.message));
</script>
</body>
</html>
)html";
  return kPage;
}

}  // namespace plumbline::server::mcp
