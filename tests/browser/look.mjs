// Opens pages as reviewers do and says what is wrong with them, as JSON: at three widths, in light and dark, with scripts and without.
//   node look.mjs NODE_MODULES CHROMIUM PAGE…
// A finding is {what, detail}; the measures of every page come with them. Nothing is decided here (test_pages.py does that).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, chromium, ...pages] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + '/x'));
const playwright = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core'), 'utf8');

// axe takes most of the time, and its rule of contrast most of that: it is asked once a scheme, the other rules where layouts differ.
const VIEWS = [
  { width: 400, ask: [['light', 'layout']] },
  { width: 1280, ask: [['light', 'contrast'], ['dark', 'contrast']] },
  { width: 1920, ask: [['dark', 'layout']] },
];

// In the page: sizes of texts as they are drawn, and what stands out of the screen.
function measure() {
  const shown = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== 'hidden';
  const texts = [...document.querySelectorAll('svg text')].filter((e) => e.textContent.trim() && shown(e));
  let smallest = Infinity;
  for (const text of texts) {
    const matrix = text.getScreenCTM();
    smallest = Math.min(smallest, parseFloat(getComputedStyle(text).fontSize) * Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c)));
  }
  const width = document.documentElement.clientWidth;
  const scrolls = (e) => e.closest('.scroll, .tl .grid');
  const wide = [...document.querySelectorAll('main *')].filter((e) => !scrolls(e) && !e.ownerSVGElement && !e.closest('.said') && e.getBoundingClientRect().right > width + 1);
  // Two texts of one figure that cover each other by more than a few pixels cannot be read.
  let covered = [];
  for (const svg of document.querySelectorAll('svg.plot, svg.axis, svg.heat')) {
    const boxes = [...svg.querySelectorAll('text')].filter(shown).map((e) => [e.textContent, e.getBoundingClientRect()]);
    for (let i = 0; i < boxes.length; ++i)
      for (let j = i + 1; j < boxes.length; ++j) {
        const [a, b] = [boxes[i][1], boxes[j][1]];
        const over = Math.min(a.right, b.right) - Math.max(a.left, b.left), down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (over > 3 && down > 4) covered.push(boxes[i][0] + ' / ' + boxes[j][0]);
      }
  }
  return {
    texts: texts.length, smallest: texts.length ? smallest : null, sideways: document.documentElement.scrollWidth - width,
    wide: wide.slice(0, 3).map((e) => e.tagName + '.' + e.className + ' ' + Math.round(e.getBoundingClientRect().right)),
    covered: covered.slice(0, 4), title: document.title, h1: document.querySelector('h1')?.textContent ?? '',
    hero: Math.round(document.querySelector('.hero')?.getBoundingClientRect().bottom ?? 0), height: document.documentElement.scrollHeight,
    used: Math.round(Math.max(...[...document.querySelectorAll('.hero, section')].map((e) => e.getBoundingClientRect().right)) -
                     Math.min(...[...document.querySelectorAll('.hero, section')].map((e) => e.getBoundingClientRect().left))),
    figures: [...document.querySelectorAll('svg')].filter((e) => !e.ownerSVGElement && !e.closest('[aria-hidden=true]') && e.getAttribute('aria-hidden') !== 'true' &&
                                                               !(e.getAttribute('role') === 'img' && e.getAttribute('aria-label'))).length,
    rows: document.querySelectorAll('table.rows tbody tr').length,
  };
}

// In the page, with scripts: the tools of the table of rows do what they say.
async function tools() {
  const table = document.querySelector('table.rows');
  if (!table || table.tBodies[0].rows.length < 2) return null;
  table.closest('details')?.setAttribute('open', '');
  const box = table.closest('section').querySelector('.tools');
  if (!box) return { missing: true };
  const shown = () => [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const all = shown().length, last = table.tHead.rows[0].cells.length - 1, said = {};
  const select = box.querySelector('select'), search = box.querySelector('input');
  select.value = select.options[select.options.length - 1].value;
  select.dispatchEvent(new Event('change'));
  said.filtered = shown().length >= 1 && shown().every((row) => row.cells[last].textContent.trim() === select.value);
  select.value = '';
  select.dispatchEvent(new Event('change'));
  search.value = shown()[0].cells[0].textContent.slice(0, 12);
  search.dispatchEvent(new Event('input'));
  said.searched = shown().length >= 1 && shown().length <= all;
  search.value = 'no row is called so';
  search.dispatchEvent(new Event('input'));
  said.nothing = shown().length === 0 && box.textContent.includes('0 of ' + all);
  search.value = '';
  search.dispatchEvent(new Event('input'));
  const button = table.tHead.rows[0].cells[3].querySelector('button');
  const change = () => shown().map((row) => parseFloat(row.cells[3].textContent)).filter((x) => !Number.isNaN(x));
  const units = new Set(shown().map((row) => row.cells[3].textContent.replace(/[^a-z%]/gi, '')));
  button.click();
  const up = change();
  button.click();
  const down = change();
  said.sorted = units.size > 1 || (up.every((x, i) => i === 0 || up[i - 1] <= x) && down.every((x, i) => i === 0 || down[i - 1] >= x));
  said.again = shown().length === all;
  return said;
}

// What is written in figures stands on shapes, which axe does not see: their colours are left out.
async function ask(tab, what) {
  const options = what === 'contrast' ? { runOnly: ['color-contrast'] } : { rules: { 'color-contrast': { enabled: false } } };
  const context = what === 'contrast' ? { exclude: ['svg'] } : null;
  const { violations } = await tab.evaluate(([where, how]) => window.axe.run(where ?? document, { resultTypes: ['violations'], ...how }), [context, options]);
  const nodes = (all) => all.slice(0, 3).map((one) => one.target.join(' ') + ' ' + (one.any[0]?.message ?? '')).join(' | ').slice(0, 600);
  return violations.map((one) => ({ what: 'axe', detail: `${one.id} (${one.impact}): ${one.help}; ${one.nodes.length}: ${nodes(one.nodes)}` }));
}

function listen(tab, page, findings) {
  tab.on('console', (message) => findings.push({ what: 'console', detail: message.text() }));
  tab.on('pageerror', (error) => findings.push({ what: 'error', detail: String(error) }));
  tab.on('request', (request) => {
    if (request.url() !== page) findings.push({ what: 'request', detail: request.url().slice(0, 200) });
  });
}

// As its reader has it: the page's own policy in force, its script running; then on paper, where it is light whatever the screen is.
async function lookAsReader(browser, page) {
  const findings = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const tab = await context.newPage();
  listen(tab, page, findings);
  await tab.goto(page);
  const works = await tab.evaluate(() => document.querySelector('table.rows tbody tr:nth-child(2)') === null || document.querySelector('.tools') !== null);
  if (!works) findings.push({ what: 'script', detail: 'the script did not run under the policy of the page' });
  const said = await tab.evaluate(tools);
  await tab.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const paper = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor + ' ' + getComputedStyle(document.querySelector('section')).backgroundColor);
  if (paper !== 'rgb(255, 255, 255) rgb(255, 255, 255)') findings.push({ what: 'print', detail: paper });
  await context.close();
  return { findings, said };
}

const unfold = (tab, all) => tab.evaluate((every) => document.querySelectorAll('details').forEach((e) => { e.dataset.was ??= e.open; e.open = every || e.dataset.was === 'true'; }), all);

// With axe let in, at every width.
async function lookAround(browser, page) {
  const context = await browser.newContext({ bypassCSP: true });
  const tab = await context.newPage();
  const findings = [];
  listen(tab, page, findings);
  await tab.goto(page);
  const views = [];
  for (const { width } of VIEWS) {
    await tab.setViewportSize({ width, height: 900 });
    await unfold(tab, false);
    const measures = await tab.evaluate(measure);
    await unfold(tab, true);
    views.push({ width, measures, opened: await tab.evaluate(measure) });
  }
  // Of a thousand rows the first dozen say what the others would.
  await tab.evaluate(() => document.querySelectorAll('table tbody').forEach((e) => [...e.rows].slice(12).forEach((row) => row.remove())));
  await tab.evaluate(axe);
  for (const { width, ask: questions } of VIEWS) {
    await tab.setViewportSize({ width, height: 900 });
    for (const [colorScheme, what] of questions) {
      await tab.emulateMedia({ colorScheme });
      for (const one of await ask(tab, what)) findings.push({ ...one, where: `${width} ${colorScheme}` });
    }
  }
  await context.close();
  return { views, findings };
}

// Without scripts the words and the pictures are there.
async function lookWithoutScripts(browser, page) {
  const context = await browser.newContext({ viewport: { width: 400, height: 900 }, javaScriptEnabled: false });
  const tab = await context.newPage();
  const findings = [];
  listen(tab, page, findings);
  await tab.goto(page);
  const text = await tab.locator('main').innerText();
  const pictures = await tab.locator('.picture svg, .picture table').count();
  await context.close();
  return { findings, words: text.split(/\s+/).length, verdict: /RED|YELLOW|GREEN/.exec(text)?.[0] ?? null, pictures };
}

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
const out = [];
for (const path of pages) {
  const page = pathToFileURL(path).href;
  out.push({ page: path, reader: await lookAsReader(browser, page), around: await lookAround(browser, page), plain: await lookWithoutScripts(browser, page) });
}
await browser.close();
process.stdout.write(JSON.stringify(out));
