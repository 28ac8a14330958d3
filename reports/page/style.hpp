// The style of every page. Colours: orange is worse, blue is better, grey is neither, which all eyes tell apart; dark by the
// reader's setting, but never on paper. Letters and lines are dark enough for WCAG AA on what they stand on (tests/browser asks
// axe). Internal to reports/.
#pragma once

namespace plumbline::reports {

inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#f4f5f7;--card:#fff;--ink:#15191e;--soft:#474f59;--faint:#5a636e;--line:#d9dee5;--chip:#edf0f4;
--worse:#a63603;--worse-fill:#d9580d;--worse-bg:#fdebdf;--better:#0b5394;--better-fill:#2a78c8;--better-bg:#e2eefa;--flat:#8d98a5;--band:#e3e8ef;--accent:#0b5394;--part-1:26%;--part-2:50%;--part-3:76%;
--red:#a83200;--red-ink:#fff;--yellow:#ffd866;--yellow-ink:#332600;--green:#00634a;--green-ink:#fff}
@media screen and (prefers-color-scheme:dark){:root{--bg:#0e1217;--card:#161b22;--ink:#e8ecf1;--soft:#b3bdc8;--faint:#9aa5b1;--line:#2b343f;--chip:#232b35;
--worse:#ff9f6b;--worse-fill:#ee7a35;--worse-bg:#3a2114;--better:#86bdf5;--better-fill:#4b93de;--better-bg:#15293d;--flat:#74808d;--band:#2b3541;--accent:#86bdf5;--part-1:18%;--part-2:34%;--part-3:54%;
--red:#ff8a4f;--red-ink:#2b0e00;--yellow:#f2cd55;--yellow-ink:#2b2000;--green:#4cc79c;--green-ink:#00281c}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
main{max-width:1840px;margin:0 auto;padding:20px clamp(12px,2.2vw,40px) 40px}
h1{font-size:clamp(18px,.7vw + 13px,25px);line-height:1.28;margin:0 0 10px;font-weight:650;overflow-wrap:anywhere;text-wrap:pretty}
h2{font-size:16px;line-height:1.3;margin:0 0 10px;font-weight:650}
p{margin:0 0 8px}p,li,dd,summary,figcaption{overflow-wrap:anywhere}td,th{overflow-wrap:break-word}tbody th{min-width:150px;overflow-wrap:anywhere}
code,svg .key{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:12.5px}small{display:block;color:var(--faint);font-size:12px;font-weight:400}
.hero{display:grid;gap:18px 36px;margin-bottom:16px;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:20px clamp(14px,1.6vw,28px)}
.hero>*{min-width:0}
.what{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;margin:0 0 12px}
.name{font-weight:600;color:var(--soft);overflow-wrap:anywhere}
.badge{font-weight:750;font-size:18px;line-height:1.2;letter-spacing:.04em;padding:6px 14px;border-radius:8px;white-space:nowrap}
.badge.RED{color:var(--red-ink);background:var(--red)}.badge.YELLOW{color:var(--yellow-ink);background:var(--yellow)}.badge.GREEN{color:var(--green-ink);background:var(--green)}
.sides{color:var(--soft)}.next{margin:10px 0 0}
.chip{display:inline-block;font-size:12px;font-weight:600;line-height:1.5;padding:0 8px;border-radius:99px;background:var(--chip);color:var(--soft);white-space:nowrap}
.chip.bad{color:var(--worse);background:var(--worse-bg)}.chip.doubt{color:var(--worse);background:var(--card);box-shadow:inset 0 0 0 1px var(--worse)}.chip.good{color:var(--better);background:var(--better-bg)}
.counts{display:flex;flex-wrap:wrap;gap:2px 18px;color:var(--soft);margin:0 0 8px}.counts li{margin:0}.counts b{color:var(--ink);font-size:17px;font-variant-numeric:tabular-nums}
.counts .bad b,.counts .doubt b{color:var(--worse)}.counts .good b{color:var(--better)}
.sections{display:grid;gap:14px;grid-template-columns:minmax(0,1fr)}
.stack{display:flex;flex-direction:column;gap:14px;min-width:0}.stack>:last-child{flex:1}.sections>.stack:first-child{grid-column:1/-1}
section,.picture{container-type:inline-size}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px clamp(12px,1.4vw,22px);min-width:0}
.act{border-left:4px solid var(--accent)}
.hero .act,.hero section{border:0;padding:0;border-radius:0;background:none}
@media (min-width:1100px){.hero:has(.picture){grid-template-columns:minmax(340px,2fr) minmax(0,3fr)}.sections{grid-template-columns:repeat(2,minmax(0,1fr))}.sections>.wide{grid-column:1/-1}}
ul{margin:0;padding:0;list-style:none}li+li{margin-top:8px}.keys{display:block;margin-top:2px;color:var(--soft)}.note{color:var(--faint);font-size:13px;margin:8px 0 0}
table{border-collapse:collapse;width:100%;font-size:13.5px}
.scroll{overflow-x:auto;max-width:100%}.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
th{text-align:left;font-weight:400;vertical-align:top;padding:6px 12px 6px 0}thead th{color:var(--soft);font-weight:600;font-size:12.5px;padding:0 12px 6px 0;border-bottom:1px solid var(--line);vertical-align:bottom}
td{padding:6px 12px 6px 0;vertical-align:top}tbody tr+tr>*{border-top:1px solid var(--line)}
tr>:last-child{padding-right:0}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
table.rows tbody th{font:12.5px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;min-width:200px}table.rows td{font-size:13px;text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}table.rows td:last-child,table.rows td:nth-child(8){text-align:left}
tr.bad>:nth-child(4),tr.bad>:last-child,tr.doubt>:nth-child(4),tr.doubt>:last-child,.change.bad,.change.doubt{color:var(--worse);font-weight:600}tr.good>:nth-child(4),tr.good>:last-child,.change.good{color:var(--better);font-weight:600}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:4px 18px;margin:0;font-size:13.5px}dt{color:var(--soft)}dd{margin:0}
details{margin-top:8px}section>details:first-of-type{margin-top:0}summary{cursor:pointer;color:var(--accent);font-size:13.5px;padding:2px 0}details[open]>summary{margin-bottom:8px}
summary:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
footer{color:var(--faint);font-size:12.5px;margin-top:18px;overflow-wrap:anywhere}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.tools{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;margin:0 0 10px;font-size:13px;color:var(--soft)}
.tools label{display:flex;align-items:center;gap:6px;max-width:100%}.tools input{min-width:0}.tools input,.tools select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--faint);border-radius:6px;padding:4px 8px;min-height:30px}.tools input{width:min(260px,100%)}
th button{font:inherit;color:inherit;background:none;border:0;padding:0;margin:0;cursor:pointer;text-align:inherit;min-height:24px}th button::after{content:" ↕";color:var(--faint)}th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
@media (max-width:640px){dl{grid-template-columns:minmax(0,1fr)}dt{margin-top:4px}.hero{padding:14px 12px}}
@media print{body{background:#fff;font-size:11px}main{max-width:none;padding:0}section,.hero{break-inside:avoid;border-color:#bbb}section.wide{break-inside:auto}.tools,.tl>label{display:none}thead{display:table-header-group}tr,figure{break-inside:avoid}.scroll{overflow:visible}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

// Figures and the tables that are drawn in.
inline constexpr const char* kChartStyle = R"css(
figure{margin:0 0 14px;min-width:0}figcaption{font-size:13px;margin-bottom:4px}figcaption small{display:inline}
.panels{display:grid;gap:6px 26px;grid-template-columns:repeat(auto-fit,minmax(min(100%,300px),1fr))}.three>:first-child{grid-column:1/-1}@media (min-width:1600px){.three>:first-child{grid-column:auto}}
svg text{font-size:11.5px;fill:var(--ink)}svg .soft{fill:var(--soft)}svg .faint{fill:var(--faint);font-size:11px}svg .end{text-anchor:end}svg .mid{text-anchor:middle}
svg.plot{width:calc(100% - 62px);margin:18px 8px 0 54px;overflow:visible;display:block}svg.heat{width:calc(100% - 44px);margin:0 2px 0 40px;overflow:visible;display:block}
svg .grid{stroke:var(--line)}svg .zero{stroke:var(--faint)}svg .band,.band{fill:var(--band);background:var(--band)}svg .track{fill:var(--band)}svg .was{stroke:var(--ink);stroke-width:2}
svg rect.bad{fill:var(--worse-fill)}svg rect.good{fill:var(--better-fill)}svg rect.flat{fill:var(--flat)}
svg .dot{stroke-width:2}svg .dot.bad{fill:var(--worse-fill);stroke:var(--worse-fill)}svg .dot.good{fill:var(--better-fill);stroke:var(--better-fill)}svg .dot.doubt{fill:var(--card);stroke:var(--worse-fill)}svg .dot.flat{fill:var(--flat);stroke:var(--flat)}
svg .dot.part{stroke:var(--ink)}svg .stem{stroke-width:2}svg .stem.bad{stroke:var(--worse-fill)}svg .stem.doubt{stroke:var(--worse-fill);stroke-dasharray:3 3}svg .stem.good{stroke:var(--better-fill)}svg .stem.flat{stroke:var(--flat)}
svg .trial{fill:none;stroke:var(--faint)}svg .trial-now{fill:var(--flat);stroke:none}svg .trial-now.bad,svg .trial-now.doubt{fill:var(--worse-fill)}svg .trial-now.good{fill:var(--better-fill)}svg .whisker{stroke:var(--ink);stroke-width:1.3}
svg polyline{fill:none;vector-effect:non-scaling-stroke}svg .line-was{stroke:var(--flat);stroke-width:1.6}svg .line-now{stroke:var(--ink);stroke-width:1.8}svg .now{fill:var(--ink)}svg .ring{fill:var(--card);stroke:var(--ink);stroke-width:2}svg .this{fill:var(--ink);stroke:var(--card);stroke-width:1.5}svg .this.bad,svg .this.doubt{fill:var(--worse-fill)}svg .this.good{fill:var(--better-fill)}
svg .ceiling{stroke:var(--better);stroke-width:1.5;stroke-dasharray:7 4}svg .change{stroke:var(--soft);stroke-dasharray:2 3}
table.drawn th,table.drawn td{vertical-align:middle}table.drawn thead th{vertical-align:bottom}table.drawn .draw{width:36%;min-width:150px}table.drawn tbody th{min-width:190px}table.drawn svg{display:block}table.drawn small{font-size:11.5px}
.v0,.v1,.v2,.v3,.v4,.v5{fill:color-mix(in srgb,var(--accent) var(--part,5%),var(--card))}.v1{--part:12%}.v2{--part:20%}.v3{--part:29%}.v4{--part:38%}.v5{--part:48%}
.same{fill:var(--band);background:var(--band)}.none{fill:none}.d-bad1,.d-bad2,.d-bad3{fill:color-mix(in srgb,var(--worse-fill) var(--part,var(--part-1)),var(--card));background:color-mix(in srgb,var(--worse-fill) var(--part,var(--part-1)),var(--card))}.d-bad2{--part:var(--part-2)}.d-bad3{--part:var(--part-3)}
.d-good1,.d-good2,.d-good3{fill:color-mix(in srgb,var(--better-fill) var(--part,var(--part-1)),var(--card));background:color-mix(in srgb,var(--better-fill) var(--part,var(--part-1)),var(--card))}.d-good2{--part:var(--part-2)}.d-good3{--part:var(--part-3)}.d-doubt{fill:var(--card);stroke:var(--worse-fill);stroke-dasharray:3 2}
svg .part{stroke:var(--ink);stroke-width:2;stroke-dasharray:none}
svg.no-words text.mid:not(.faint){display:none}@media (max-width:900px){svg.words-if-wide text.mid:not(.faint){display:none}}
.legend{display:flex;flex-wrap:wrap;gap:3px 16px;color:var(--soft);font-size:12.5px;margin:8px 0 0}.legend span{display:inline-flex;align-items:center}
.legend+h2{margin-top:18px}.legend i{flex:none;display:inline-block;width:12px;height:12px;border-radius:3px;margin-right:6px}.legend i.dot{border-radius:50%}.legend i.bad{background:var(--worse-fill)}.legend i.good{background:var(--better-fill)}.legend i.flat{background:var(--flat)}.legend i.doubt{border:2px solid var(--worse-fill);background:none}.legend i.d-doubt{border:1px dashed var(--worse-fill)}
.legend i.trial{width:8px;height:8px;border:1.4px solid var(--faint);border-radius:50%}.legend i.whisker{height:0;border-top:2px solid var(--ink);border-radius:0}.legend i.was{width:0;border-left:3px solid var(--ink);border-radius:0}.legend i.frame{border:2px solid var(--ink);background:none}.legend i.ring{border:2px solid var(--ink);border-radius:50%}.legend i.this{background:var(--ink);border-radius:50%}.legend i.this.bad,.legend i.this.doubt{background:var(--worse-fill)}.legend i.this.good{background:var(--better-fill)}
.legend i.l-was{height:0;border-top:2px solid var(--flat);border-radius:0}.legend i.l-now{height:0;border-top:2px solid var(--ink);border-radius:0}.legend i.l-ceiling{height:0;border-top:2px dashed var(--better);border-radius:0}.legend i.l-change{width:0;border-left:2px dotted var(--soft);border-radius:0}
td.h-bad{background:var(--worse-bg);color:var(--worse);font-weight:600}td.h-doubt{color:var(--worse);box-shadow:inset 0 0 0 1px var(--worse)}td.h-good{background:var(--better-bg);color:var(--better);font-weight:600}td.none{color:var(--faint)}
table.cases td,table.cases th{padding:6px 10px}table.cases tr>:first-child{padding-left:0}table.cases .chip{margin:0}table.cases th.num{white-space:normal;min-width:96px}table.cases td:last-child:not(.num){min-width:160px}@container (max-width:520px){table.cases td,table.cases th{padding:6px 5px}table.cases tbody th{min-width:104px}table.cases th.num{min-width:78px}}
@container (max-width:740px){table.drawn,table.drawn tbody,table.drawn thead{display:block}table.drawn tr{display:grid;grid-template-columns:auto auto minmax(0,1fr);gap:0 6px;padding:8px 0}table.drawn tbody tr+tr{border-top:1px solid var(--line)}
table.drawn tr>*,table.drawn tbody th{border:0!important;padding:0;min-width:0}table.drawn tbody th{grid-column:1/-1;grid-row:1;padding-right:104px}table.drawn td.change{grid-column:3;grid-row:1}table.drawn .draw{grid-column:1/-1;grid-row:2;width:auto}
table.drawn td.from,table.drawn td.to{grid-row:3;text-align:left;font-size:12px;color:var(--soft)}table.drawn td.from{grid-column:1}table.drawn td.from::after{content:" →"}table.drawn td.to{grid-column:2}table.drawn td.state{grid-column:3;grid-row:3;text-align:right}
table.drawn td.interval{grid-column:1/-1;grid-row:4;text-align:left;font-size:12px;color:var(--soft)}table.drawn td.interval::before{content:"interval "}
table.drawn thead th:not(.draw){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
)css";

// The figures of two captures: waterfall, timeline, tree, wall.
inline constexpr const char* kCaptureStyle = R"css(
:root{--t-compute:#86b4f2;--t-comm:#f2b284;--t-copy:#c6b2ee;--t-host:#bfe0cd;--hatch:#a83200;--hatch-bg:#fdebdf;--idle:#c9d0d8}
@media screen and (prefers-color-scheme:dark){:root{--t-compute:#2f63b0;--t-comm:#98582a;--t-copy:#654fa3;--t-host:#2c5240;--hatch:#ff8a4f;--hatch-bg:#3a2114;--idle:#3b4550}}
svg.fall,svg.steps,svg.icicle,svg.wall{display:block;overflow:hidden}
svg.fall .label text,svg.fall .key,svg.wall .key{font-size:12.5px}
.b .w text{font-size:11px;fill:var(--ink)}.b .w,svg.fall .label{pointer-events:none}
.b:hover rect{stroke:var(--ink);stroke-width:1}
.tl{position:relative}.tl>input{position:absolute;opacity:0}
.tl>label{display:inline-block;font-size:12.5px;line-height:24px;padding:0 12px;margin:0 6px 10px 0;border:1px solid var(--line);border-radius:99px;color:var(--soft);cursor:pointer}
.tl>input:checked+label{background:var(--chip);color:var(--ink);font-weight:650}.tl>input:focus-visible+label{outline:2px solid var(--accent)}
.grid{display:grid;grid-template-columns:max-content minmax(0,1fr);column-gap:8px}
.names span{display:flex;align-items:center;font-size:11px;color:var(--soft);white-space:nowrap;max-width:86px;overflow:hidden}
#z4:checked~.grid svg.steps{width:400%}#z16:checked~.grid svg.steps{width:1600%}
.w4,.w16{display:none}#z4:checked~.grid .w4,#z16:checked~.grid .w4,#z16:checked~.grid .w16{display:inline}
svg.steps .head{font-size:12.5px;font-weight:650}svg.steps .track{fill:var(--band);opacity:.45}svg.steps .end-mark{stroke:var(--ink);stroke-width:1.5}
svg.steps .compute,svg.wall .compute,i.compute{fill:var(--t-compute);background:var(--t-compute)}svg.steps .comm,svg.wall .comm,i.comm{fill:var(--t-comm);background:var(--t-comm)}
svg.steps .copy,svg.wall .copy,i.copy{fill:var(--t-copy);background:var(--t-copy)}svg.steps .host,i.host{fill:var(--t-host);background:var(--t-host)}svg.wall .idle,i.idle{fill:var(--idle);background:var(--idle)}
svg.steps .host{stroke:var(--card);stroke-width:.6}svg.steps .inside{opacity:.7}svg.steps .several{opacity:.62}svg.steps .host.several{opacity:.85}
svg.steps .gap{fill:url(#hatch)}.hatch-ground{fill:var(--hatch-bg)}.hatch-line{fill:var(--hatch);opacity:.35}
i.hatched{background:repeating-linear-gradient(45deg,var(--hatch-bg) 0 3px,var(--hatch) 3px 4px)}
.more1,.more2,.more3,.more4{fill:color-mix(in srgb,var(--worse-fill) var(--part,20%),var(--card));background:color-mix(in srgb,var(--worse-fill) var(--part,20%),var(--card))}.more2{--part:36%}.more3{--part:54%}.more4{--part:78%}
.less1,.less2,.less3,.less4{fill:color-mix(in srgb,var(--better-fill) var(--part,20%),var(--card));background:color-mix(in srgb,var(--better-fill) var(--part,20%),var(--card))}.less2{--part:36%}.less3{--part:50%}.less4{--part:70%}
.legend i+i{margin-left:-3px}.told{min-height:1.5em;font-size:12.5px;color:var(--soft);margin:8px 0 4px}
@media (max-width:640px){.names span{max-width:58px}}
)css";

}  // namespace plumbline::reports
