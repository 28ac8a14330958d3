// The one script of a page, which works without it: it adds search, a filter and sorting to the table of rows, says what of a
// figure was tapped, and keeps the middle of a timeline in place when it is zoomed. The page's policy lets this script run by its
// digest and no other. Internal to reports/.
#pragma once

namespace plumbline::reports {

inline constexpr const char* kPageScript = R"js((function(){'use strict';
var doc=document;
function make(name,parent,text){var e=doc.createElement(name);if(text)e.textContent=text;parent.appendChild(e);return e;}
var scale={ns:1e-9,us:1e-6,ms:1e-3,s:1,min:60};
function value(cell){var m=/^[^\d+-]*([+-]?[\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)/i.exec(cell.textContent.replace(/,/g,''));return m?parseFloat(m[1])*(scale[m[2]]||1):NaN;}
doc.querySelectorAll('table.rows').forEach(function(table){
var body=table.tBodies[0],rows=Array.prototype.slice.call(body.rows),head=table.tHead.rows[0].cells,last=head.length-1;
if(rows.length<2)return;
var box=table.parentNode,tools=doc.createElement('div');tools.className='tools';box.parentNode.insertBefore(tools,box);
var search=make('input',make('label',tools,'Search '));search.type='search';
var pick=make('select',make('label',tools,'State ')),states={};
rows.forEach(function(row){states[row.cells[last].textContent.trim()]=true;});
make('option',pick,'all').value='';Object.keys(states).sort().forEach(function(name){make('option',pick,name).value=name;});
var told=make('span',tools);told.setAttribute('role','status');
function show(){var words=search.value.toLowerCase().split(/\s+/),shown=0;rows.forEach(function(row){var text=row.cells[0].textContent.toLowerCase();
var fits=(!pick.value||row.cells[last].textContent.trim()===pick.value)&&words.every(function(word){return text.indexOf(word)>=0;});row.hidden=!fits;if(fits)shown++;});told.textContent=shown+' of '+rows.length+' rows';}
search.addEventListener('input',show);pick.addEventListener('change',show);show();
Array.prototype.forEach.call(head,function(cell,at){var button=doc.createElement('button');button.type='button';button.textContent=cell.textContent;cell.textContent='';cell.appendChild(button);
button.addEventListener('click',function(){var down=cell.getAttribute('aria-sort')==='ascending',number=cell.className.indexOf('num')>=0;
Array.prototype.forEach.call(head,function(other){other.removeAttribute('aria-sort');});cell.setAttribute('aria-sort',down?'descending':'ascending');
rows.sort(function(a,b){var x=a.cells[at],y=b.cells[at],order;if(number){var p=value(x),q=value(y);if(isNaN(p)||isNaN(q))return isNaN(p)-isNaN(q);order=p-q;}else order=x.textContent.localeCompare(y.textContent);return down?-order:order;});
rows.forEach(function(row){body.appendChild(row);});});});});
doc.addEventListener('click',function(e){var b=e.target.closest&&e.target.closest('.b');if(!b)return;var s=b.closest('section'),o=s&&s.querySelector('.told'),t=b.querySelector('title');if(o&&t)o.textContent=t.textContent;});
var box=doc.querySelector('.tl .scroll');if(!box)return;var part=0,keep=function(){part=(box.scrollLeft+box.clientWidth/2)/box.scrollWidth;};box.addEventListener('scroll',keep);keep();
doc.querySelectorAll('.tl input').forEach(function(r){r.addEventListener('change',function(){var at=part;box.scrollLeft=at*box.scrollWidth-box.clientWidth/2;});});
box.addEventListener('keydown',function(e){var z=['z1','z4','z16'],i=z.findIndex(function(n){return doc.getElementById(n).checked;}),n=e.key==='+'?i+1:e.key==='-'?i-1:-1;if(n<0||n>2)return;var r=doc.getElementById(z[n]),at=part;r.checked=true;box.scrollLeft=at*box.scrollWidth-box.clientWidth/2;});
})();)js";
// SHA-256 of the script, as the page's policy names it; tests/browser holds it against the page.
inline constexpr const char* kPageScriptDigest = "0OdrsbINpYOm+Kk2mRUNQmNzPBXxA2By3HwOm6bWpD8=";

}  // namespace plumbline::reports
