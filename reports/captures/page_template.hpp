// The page of two captures: the answer, the waterfall of one step, the timeline, the tree, then reasons, and tables last. It
// works without its script, which only says what was tapped and keeps the middle in place when the timeline is zoomed; the page's
// policy lets this script run by its digest and no other. Internal to reports/.
#pragma once

namespace plumbline::reports {

inline constexpr const char* kCaptureStyle = R"css(
:root{--t-compute:#86b4f2;--t-comm:#f2b284;--t-copy:#c6b2ee;--t-host:#bfe0cd;--hatch:#d3483f;--hatch-bg:#fbe9e7;--more:#e0731d;--less:#3b7dd8}
@media (prefers-color-scheme:dark){:root{--t-compute:#2f63b0;--t-comm:#98582a;--t-copy:#654fa3;--t-host:#2c5240;--hatch:#e5675c;--hatch-bg:#38191b;--more:#d9772a;--less:#4f8fe6}}
h1{font-size:21px}li,p,dd,summary{overflow-wrap:anywhere}
.next{margin:10px 0 0}.sides{margin:4px 0 0;color:var(--soft);overflow-wrap:anywhere}
svg.fall,svg.steps,svg.icicle{display:block;overflow:hidden}
svg.fall .label text{font-size:12.5px}svg.fall .key{font-size:12.5px}
.b .w text{font-size:11px;fill:var(--ink)}.b .w,svg.fall .label{pointer-events:none}
.b:hover rect{stroke:var(--ink);stroke-width:1}
.tl{position:relative}.tl>input{position:absolute;opacity:0}
.tl>label{display:inline-block;font-size:12.5px;padding:2px 12px;margin:0 6px 10px 0;border:1px solid var(--line);border-radius:99px;color:var(--soft);cursor:pointer}
.tl>input:checked+label{background:var(--chip);color:var(--ink);font-weight:650}.tl>input:focus-visible+label{outline:2px solid var(--blue)}
.grid{display:grid;grid-template-columns:max-content minmax(0,1fr);column-gap:8px}
.names span{display:flex;align-items:center;font-size:11px;color:var(--soft);white-space:nowrap;max-width:86px;overflow:hidden}
#z4:checked~.grid svg.steps{width:400%}#z16:checked~.grid svg.steps{width:1600%}
.w4,.w16{display:none}#z4:checked~.grid .w4,#z16:checked~.grid .w4,#z16:checked~.grid .w16{display:inline}
svg.steps .head{font-size:12.5px;font-weight:650}svg.steps .track{fill:var(--band);opacity:.45}svg.steps .end-mark{stroke:var(--ink);stroke-width:1.5}
svg.steps .compute,i.compute{fill:var(--t-compute);background:var(--t-compute)}svg.steps .comm,i.comm{fill:var(--t-comm);background:var(--t-comm)}
svg.steps .copy,i.copy{fill:var(--t-copy);background:var(--t-copy)}svg.steps .host,i.host{fill:var(--t-host);background:var(--t-host)}
svg.steps .host{stroke:var(--card);stroke-width:.6}svg.steps .inside{opacity:.7}svg.steps .several{opacity:.62}svg.steps .host.several{opacity:.85}
svg.steps .gap{fill:url(#hatch)}.hatch-ground{fill:var(--hatch-bg)}.hatch-line{fill:var(--hatch);opacity:.35}
i.hatched{background:repeating-linear-gradient(45deg,var(--hatch-bg) 0 3px,var(--hatch) 3px 4px)}
.same{fill:var(--band);background:var(--band)}
.more1{fill:color-mix(in srgb,var(--more) 20%,var(--card))}.more2,i.more2{fill:color-mix(in srgb,var(--more) 40%,var(--card));background:color-mix(in srgb,var(--more) 40%,var(--card))}
.more3{fill:color-mix(in srgb,var(--more) 62%,var(--card))}.more4,i.more4{fill:color-mix(in srgb,var(--more) 88%,var(--card));background:color-mix(in srgb,var(--more) 88%,var(--card))}
.less1{fill:color-mix(in srgb,var(--less) 20%,var(--card))}.less2,i.less2{fill:color-mix(in srgb,var(--less) 40%,var(--card));background:color-mix(in srgb,var(--less) 40%,var(--card))}
.less3{fill:color-mix(in srgb,var(--less) 62%,var(--card))}.less4,i.less4{fill:color-mix(in srgb,var(--less) 88%,var(--card));background:color-mix(in srgb,var(--less) 88%,var(--card))}
.legend i+i{margin-left:-3px}
.told{min-height:1.5em;font-size:12.5px;color:var(--soft);margin:8px 0 4px;overflow-wrap:anywhere}
section>details:first-child summary{margin-top:0}details summary b{color:var(--ink);font-size:15px}
.wide svg{min-width:640px}
@media (max-width:640px){main{padding:16px 10px 32px}section{padding:14px 12px}.names span{max-width:58px}h1{font-size:18px}}
@media print{.tl>label{display:none}details{display:block}}
)css";

inline constexpr const char* kCaptureScript =
    R"js((function(){document.addEventListener('click',function(e){var b=e.target.closest&&e.target.closest('.b');if(!b)return;var s=b.closest('section'),o=s&&s.querySelector('.told'),t=b.querySelector('title');if(o&&t)o.textContent=t.textContent;});
var box=document.querySelector('.tl .scroll');if(!box)return;var part=0,keep=function(){part=(box.scrollLeft+box.clientWidth/2)/box.scrollWidth;};box.addEventListener('scroll',keep);keep();
document.querySelectorAll('.tl input').forEach(function(r){r.addEventListener('change',function(){var at=part;box.scrollLeft=at*box.scrollWidth-box.clientWidth/2;});});
box.addEventListener('keydown',function(e){var z=['z1','z4','z16'],i=z.findIndex(function(n){return document.getElementById(n).checked;}),n=e.key==='+'?i+1:e.key==='-'?i-1:-1;if(n<0||n>2)return;var r=document.getElementById(z[n]),at=part;r.checked=true;box.scrollLeft=at*box.scrollWidth-box.clientWidth/2;});})();)js";
// SHA-256 of the script, as the page's policy names it; tests/program/test_capture_page.py holds it against the page.
inline constexpr const char* kCaptureScriptDigest = "c+1wof7I6l3sg1Z31OlA4gUykEkvASgl0F55GJ8WBYo=";

inline constexpr const char* kCapturePage = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{{{script_digest}}}'">
<title>{{verdict}} · {{headline}}</title>
<style>{{{style}}}{{{capture_style}}}</style>
</head>
<body>
<main>
<header class="head">
<div class="badge {{verdict}}">{{verdict}}</div>
<div>
<h1>{{headline}}</h1>
<p class="sides"><span class="chip">{{tier}}</span> {{#has_title}}{{title}}: {{/has_title}}<b>{{baseline_name}}</b>{{#has_baseline_gpu}} ({{baseline_gpu}}){{/has_baseline_gpu}} → <b>{{candidate_name}}</b>{{#has_candidate_gpu}} ({{candidate_gpu}}){{/has_candidate_gpu}}{{#has_interval}} · {{interval}}{{/has_interval}}</p>
{{#has_why}}<p class="next"><b>Why {{verdict}}:</b> {{why}}</p>{{/has_why}}
{{#has_next}}<p class="next"><b>Next:</b> {{next}}</p>{{/has_next}}
</div>
</header>
{{#fall}}<section>
<h2>What moved it: {{of}}</h2>
{{{svg}}}
</section>
{{/fall}}
{{{timeline}}}{{{icicle}}}{{#has_reasons}}<section>
<h2>Why {{verdict}}</h2>
<ul>{{#reasons}}<li>{{message}} <span class="chip">{{code}}</span>{{#has_keys}}<span class="keys">{{#keys}}<code>{{.}}</code>{{/keys}}{{more}}</span>{{/has_keys}}</li>
{{/reasons}}</ul>
</section>
{{/has_reasons}}
{{#has_findings}}<section>
<h2>What else was found</h2>
<ul>{{#findings}}<li>{{message}} <span class="chip">{{code}}</span></li>
{{/findings}}</ul>{{#more_findings}}<p class="note">{{more_findings}}</p>{{/more_findings}}
</section>
{{/has_findings}}
{{#has_action}}<section class="act">
<h2>What to do</h2>
{{#action}}<p>{{message}} <span class="chip">{{name}}</span></p>{{/action}}
{{#has_suspects}}<p class="keys note">{{#suspects}}<code>{{.}}</code>{{/suspects}}</p>{{/has_suspects}}
{{#lever}}<p><b>Next lever:</b> {{name}}. <b>Expected:</b> {{unlock}}. <b>Gate:</b> {{gate}}.</p>{{/lever}}
{{#has_promote}}<p class="note">What would make this a VERDICT:</p><ul class="note">{{#promote}}<li>{{.}}</li>{{/promote}}</ul>{{/has_promote}}
</section>
{{/has_action}}
{{#wall}}<section>
<h2>Where the wall time of the captures went</h2>
<div class="scroll wide">{{{svg}}}</div>
<div class="legend"><span><i style="background:var(--compute)"></i>compute</span><span><i style="background:var(--comm)"></i>exposed communication</span><span><i style="background:var(--copy)"></i>exposed copies</span><span><i style="background:var(--idle)"></i>idle</span></div>
</section>
{{/wall}}
{{#has_tables}}{{#tables}}<section>
<details{{#short}} open{{/short}}><summary><b>{{title}}</b></summary>
{{#lead}}<p>{{text}}</p>{{/lead}}
<div class="scroll"><table>
<thead><tr>{{#header}}<th{{#number}} class="num"{{/number}}>{{text}}</th>{{/header}}</tr></thead>
<tbody>{{#rows}}<tr>{{#cells}}<td class="{{#number}}num{{/number}}{{^number}}key{{/number}}">{{text}}</td>{{/cells}}</tr>
{{/rows}}</tbody></table></div></details>
</section>
{{/tables}}{{/has_tables}}
{{#has_rows}}<section>
<details><summary><b>Kernels, collectives, copies, calls and ranges</b></summary><div class="scroll"><table>
<thead><tr><th>Key</th><th class="num">Baseline</th><th class="num">Candidate</th><th class="num">Change</th><th class="num">{{counted}}</th><th>State</th></tr></thead>
<tbody>{{#rows}}<tr><td class="key"><code>{{key}}</code></td><td class="num">{{baseline}}</td><td class="num">{{current}}</td><td class="num {{tone}}">{{change}}</td><td class="num">{{trials}}</td><td>{{state}}</td></tr>
{{/rows}}</tbody></table></div>
{{#has_more}}<p class="note" style="margin-top:10px">{{more}}</p>{{/has_more}}</details>
</section>
{{/has_rows}}
)html";

}  // namespace plumbline::reports
