// The page of a diff as a mustache template: one file, no script, no external resource, light and dark by the reader's setting,
// printable. Everything in {{…}} is escaped; {{{…}}} takes SVG that chart.cpp made from escaped texts. Internal to reports/.
#pragma once

namespace plumbline::reports {

inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b1f24;--soft:#57606a;--faint:#8a939d;--line:#dde2e8;--chip:#eef1f4;
--red:#c62f36;--red-bg:#fdecec;--yellow:#9a6700;--yellow-bg:#fff5d6;--green:#1a7f45;--green-bg:#e3f6ea;--blue:#2563c9;
--bar-bad:#d9484f;--bar-doubt:#d9a21b;--bar-good:#2f9e5f;--bar-flat:#a9b3bd;--band:#e2e8ee;
--compute:#3b7dd8;--comm:#d9844a;--copy:#8b6fc7;--idle:#c9d0d8}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--card:#171c23;--ink:#e4e9ee;--soft:#a0abb6;--faint:#76818d;--line:#2a323c;--chip:#222a33;
--red:#ff7b80;--red-bg:#3a1a1d;--yellow:#f0c04a;--yellow-bg:#362a0d;--green:#5fd08f;--green-bg:#12301f;--blue:#7fb0ff;
--bar-bad:#e5595f;--bar-doubt:#dcae3a;--bar-good:#3fb573;--bar-flat:#5d6874;--band:#333e4b;
--compute:#4f8fe6;--comm:#e0935a;--copy:#9d84d6;--idle:#3b4550}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:28px 20px 48px}
h1{font-size:23px;line-height:1.25;margin:0;font-weight:650;overflow-wrap:anywhere}
h2{font-size:15px;margin:0 0 12px;font-weight:650}
p{margin:0 0 8px}
code,.num,svg .key{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:12.5px;overflow-wrap:anywhere}
.head{display:flex;gap:20px;align-items:center;margin-bottom:18px}
.badge{flex:none;font-weight:750;font-size:21px;letter-spacing:.04em;padding:12px 22px;border-radius:12px;border:1px solid}
.badge.RED{color:var(--red);background:var(--red-bg)}.badge.YELLOW{color:var(--yellow);background:var(--yellow-bg)}.badge.GREEN{color:var(--green);background:var(--green-bg)}
.sub{color:var(--soft);margin:3px 0 0}
.chip{display:inline-block;font-size:12px;font-weight:600;padding:1px 8px;border-radius:99px;background:var(--chip);color:var(--soft);white-space:nowrap}
.chip.bad{color:var(--red);background:var(--red-bg)}.chip.doubt{color:var(--yellow);background:var(--yellow-bg)}.chip.good{color:var(--green);background:var(--green-bg)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(104px,1fr));gap:10px;margin-bottom:14px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 14px}
.tile b{display:block;font-size:22px;line-height:1.2;font-weight:650;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:12.5px}
.tile.bad b{color:var(--red)}.tile.doubt b{color:var(--yellow)}.tile.good b{color:var(--green)}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin-bottom:14px}
.act{border-left:4px solid var(--blue)}
ul{margin:0;padding:0;list-style:none}li+li{margin-top:9px}
.note li+li{margin-top:2px}.note li::before{content:"– "}li .keys{display:block;margin-top:2px;color:var(--soft)}
.keys code+code::before{content:"  ";white-space:pre}
table{border-collapse:collapse;width:100%;font-size:13.5px}
.scroll{overflow-x:auto}
th{text-align:left;color:var(--soft);font-weight:600;font-size:12.5px;padding:0 12px 7px 0;border-bottom:1px solid var(--line);white-space:nowrap}
td{padding:7px 12px 7px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td.num,th.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.num{font-size:12.5px}td.key{min-width:180px}td small,.note{color:var(--faint);font-size:12px}
td.bad{color:var(--red)}td.doubt{color:var(--yellow)}td.good{color:var(--green)}
svg[viewBox]{display:block;width:100%;height:auto}
svg text{font-size:12px;fill:var(--ink)}svg .soft{fill:var(--soft)}svg .faint{fill:var(--faint);font-size:11px}svg .end{text-anchor:end}svg .mid{text-anchor:middle}
svg .band{fill:var(--band)}svg .grid{stroke:var(--line)}svg .zero{stroke:var(--faint)}svg .whisker{stroke:var(--ink);stroke-width:1.2;opacity:.65}
svg .bad{fill:var(--bar-bad)}svg .doubt{fill:var(--bar-doubt)}svg .good{fill:var(--bar-good)}svg .flat{fill:var(--bar-flat)}
svg .part{stroke:var(--ink);stroke-width:1.6}svg .compute{fill:var(--compute)}svg .comm{fill:var(--comm)}svg .copy{fill:var(--copy)}svg .idle{fill:var(--idle)}svg .track{fill:var(--band)}svg .was{fill:none;stroke:var(--ink);stroke-width:1.5}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;color:var(--soft);font-size:12.5px;margin-top:10px}
.legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px;vertical-align:-1px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:5px 18px;margin:0;font-size:13.5px}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.sol+.sol{margin-top:18px}
details summary{cursor:pointer;color:var(--soft);font-size:13.5px;margin-top:12px}details[open] summary{margin-bottom:10px}
footer{color:var(--faint);font-size:12.5px;margin-top:20px;overflow-wrap:anywhere}
@media (max-width:640px){.head{flex-direction:column;align-items:flex-start;gap:12px}dl{grid-template-columns:1fr}dt{margin-top:4px}}
@media print{body{background:#fff}section,.tile{break-inside:avoid}main{padding:0}}
)css";

inline constexpr const char* kPage = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{verdict}} · {{title}}</title>
<style>{{{style}}}</style>
</head>
<body>
<main>
<header class="head">
<div class="badge {{verdict}}">{{verdict}}</div>
<div>
<h1>{{title}}</h1>
<p class="sub"><span class="chip">{{tier}}</span> {{summary}}</p>
</div>
</header>
<div class="tiles">{{#tiles}}<div class="tile {{tone}}"><b>{{count}}</b><span>{{name}}</span></div>{{/tiles}}</div>
{{#has_reasons}}<section>
<h2>Why</h2>
<ul>{{#reasons}}<li>{{message}} <span class="chip">{{code}}</span>{{#has_keys}}<span class="keys">{{#keys}}<code>{{.}}</code>{{/keys}}{{more}}</span>{{/has_keys}}</li>
{{/reasons}}</ul>
</section>
{{/has_reasons}}
{{#has_parts}}<section>
<h2>Which part</h2>
<ul>{{#parts}}<li><code>{{predicate}}</code>: {{coverage}} <span class="chip">p {{p}}</span>{{#has_rest}}<span class="keys">not affected: {{rest}}</span>{{/has_rest}}{{#has_runner_up}}<span class="keys">next best: {{runner_up}}</span>{{/has_runner_up}}</li>
{{/parts}}</ul>
</section>
{{/has_parts}}
{{#has_action}}<section class="act">
<h2>What to do</h2>
{{#action}}<p>{{message}} <span class="chip">{{name}}</span></p>{{/action}}
{{#has_suspects}}<p class="keys note">{{#suspects}}<code>{{.}}</code>{{/suspects}}</p>{{/has_suspects}}
{{#lever}}<p><b>Next lever:</b> {{name}}. <b>Expected:</b> {{unlock}}. <b>Gate:</b> {{gate}}.</p>{{/lever}}
{{#has_promote}}<p class="note">What would make this a VERDICT:</p><ul class="note">{{#promote}}<li>{{.}}</li>{{/promote}}</ul>{{/has_promote}}
</section>
{{/has_action}}
{{#has_sol}}<section>
<h2>Speed of light</h2>
{{#sol}}<div class="sol"><p><code>{{key}}</code> <span class="note">of {{ceiling}}</span></p>
{{{svg}}}
<p class="note">{{text}}</p></div>
{{/sol}}</section>
{{/has_sol}}
{{#chart}}<section>
<h2>{{heading}}</h2>
{{{svg}}}
<div class="legend"><span><i style="background:var(--bar-bad)"></i>{{bad}}</span>{{#judged}}<span><i style="background:var(--bar-doubt)"></i>suspect or not decided</span>{{/judged}}<span><i style="background:var(--bar-good)"></i>{{good}}</span>{{#judged}}<span><i style="background:var(--bar-flat)"></i>within tolerance</span>{{/judged}}{{#bands}}<span><i style="background:var(--band)"></i>tolerance</span>{{/bands}}{{#whiskers}}<span>├─┤ interval of the change</span>{{/whiskers}}</div>
</section>
{{/chart}}
{{#has_matrices}}<section>
<h2>Change by cell, in percent of baseline</h2>
{{#matrices}}<p><code>{{title}}</code></p>
{{{svg}}}
{{/matrices}}</section>
{{/has_matrices}}
{{#has_cases}}<section>
<h2>Cases</h2>
<p>{{totals}}</p>
<div class="scroll"><table>
<thead><tr><th>Case</th><th>State</th><th>Headline</th><th>Remark</th></tr></thead>
<tbody>{{#cases}}<tr><td class="key"><code>{{id}}</code></td><td><span class="chip {{tone}}">{{state}}</span></td><td>{{headline}}</td><td>{{remark}}</td></tr>
{{/cases}}</tbody></table></div>
{{#more_cases}}<p class="note" style="margin-top:10px">{{more_cases}}</p>{{/more_cases}}
</section>
{{/has_cases}}
{{#has_rows}}<section>
<h2>Rows</h2>
<div class="scroll"><table>
<thead><tr><th>Key</th><th class="num">Baseline</th><th class="num">Current</th><th class="num">Change</th><th class="num">Tolerance</th><th class="num">{{counted}}</th><th class="num">p</th><th>State</th></tr></thead>
<tbody>{{#rows}}<tr><td class="key"><code>{{key}}</code>{{#headline}} <span class="chip">headline</span>{{/headline}}{{#gate}} <span class="chip">gate</span>{{/gate}}{{#has_note}}<br><small>{{note}}</small>{{/has_note}}</td><td class="num">{{baseline}}</td><td class="num">{{current}}</td><td class="num {{tone}}">{{change}}</td><td class="num">{{tolerance}}</td><td class="num">{{trials}}</td><td class="num">{{p}}</td><td><span class="chip {{tone}}">{{state}}</span><br><small>{{direction}}</small></td></tr>
{{/rows}}</tbody></table></div>
{{#has_more}}<p class="note" style="margin-top:10px">{{more}}</p>{{/has_more}}
</section>
{{/has_rows}}
)html";

// What every page ends with.
inline constexpr const char* kPageTail = R"html(<section>
<h2>Context</h2>
{{#has_differences}}<div class="scroll"><table><thead><tr><th>Key</th><th>Baseline</th><th>Current</th><th>Severity</th></tr></thead>
<tbody>{{#differences}}<tr><td><code>{{key}}</code></td><td>{{baseline}}</td><td>{{current}}</td><td><span class="chip {{tone}}">{{severity}}</span></td></tr>
{{/differences}}</tbody></table></div>{{/has_differences}}
{{^has_differences}}<p class="note">The two sides name no difference.</p>{{/has_differences}}
{{#has_context}}<details><summary>Everything that both sides say of themselves</summary><div class="scroll"><table><thead><tr><th>Key</th><th>Baseline</th><th>Current</th></tr></thead><tbody>{{#context}}<tr><td><code>{{key}}</code></td><td>{{baseline}}</td><td>{{current}}</td></tr>
{{/context}}</tbody></table></div></details>{{/has_context}}
</section>
{{#has_warnings}}<section>
<h2>Warnings</h2>
<ul>{{#warnings}}<li>{{message}} <span class="chip">{{code}}</span></li>
{{/warnings}}</ul>
</section>
{{/has_warnings}}
<section>
<h2>Evidence</h2>
<dl>{{#facts}}<dt>{{name}}</dt><dd>{{#code}}<code>{{text}}</code>{{/code}}{{^code}}{{text}}{{/code}}</dd>
{{/facts}}</dl>
</section>
<footer>{{footer}}</footer>
</main>
)html";

}  // namespace plumbline::reports
