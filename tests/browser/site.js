// The review site in Chromium: every kind of page at three widths, light and dark, with and without JavaScript. A page must load
// without an error, must not scroll sideways, must pass axe, and one that is looked at must follow what is recorded.
//
//   node tests/browser/site.js URL [FOLDER FOR PICTURES]
//   PLUMBLINE_RECORD="plumbline record …"   a command that adds an entry, for the last check
//
// playwright-core, axe-core and Chromium are those of tests/browser/package.json; CHROMIUM names another browser.
'use strict';
const { execSync } = require('child_process');
const fs = require('fs');
const { chromium } = require('playwright-core');

const WIDTHS = [400, 1280, 1920];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'];
const [base, pictures] = [process.argv[2].replace(/\/$/, ''), process.argv[3]];
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
let failures = 0, checks = 0;

function check(holds, what) {
  checks += 1;
  if (holds) return;
  failures += 1;
  console.log('FAIL:', what);
}

// One address of each kind, found as a reader would: from the first page on.
async function addresses(context) {
  const page = await context.newPage();
  const first = async (path, pattern) => {
    await page.goto(base + path);
    const links = await page.$$eval('a[href]', (all) => all.map((one) => one.getAttribute('href')));
    return links.find((link) => pattern.test(link));
  };
  const found = { home: '/', diffs: '/diffs', compare_form: '/compare', not_found: '/families/nothing' };
  found.family = await first('/', /^\/families\/[^/]+$/);
  found.entry = await first('/', /^\/entries\//);
  found.measurement = await first(found.family, /^\/families\/[^/]+\/[^/]+$/);
  found.verify = await first(found.entry, /^\/verify\//);
  found.diff = await first('/diffs', /^\/diffs\/[^/]+\/[^/]+\/[^/]+$/);
  found.search = '/search?q=' + encodeURIComponent(found.measurement.split('/').pop());
  const [, , family, name] = found.measurement.split('/');
  found.compare = `/compare?baseline=${family}/${name}/newest&current=${family}/${name}/newest`;
  await page.close();
  return Object.fromEntries(Object.entries(found).filter(([, path]) => path));
}

async function look(context, name, path, width, scheme) {
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => check(request.url().startsWith(base), `${name} asks somebody else: ${request.url()}`));
  const answer = await page.goto(base + path, { waitUntil: 'load' });
  const what = `${name} at ${width}, ${scheme}`;
  if (answer.ok()) check(errors.length === 0, `${what}: ${errors.join('; ')}`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(overflow <= 0, `${what} is ${overflow} px too wide`);
  check((await page.title()).endsWith('Plumbline'), `${what} has a title: ${await page.title()}`);
  if (pictures) await page.screenshot({ path: `${pictures}/site-${name}-${width}-${scheme}.png` });
  await page.evaluate(axe);
  const result = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
  for (const violation of result.violations) check(false, `${what}: ${violation.id}: ${violation.nodes[0].html.slice(0, 200)}`);
  check(result.passes.length > 5, `${what}: axe looked at it`);
  await page.close();
}

async function firstPage(browser) {
  const context = await browser.newContext();
  const times = [];
  for (let i = 0; i < 9; i += 1) {
    const page = await context.newPage();
    await page.goto(base + '/', { waitUntil: 'load' });
    times.push(await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd));
    await page.close();
  }
  times.sort((a, b) => a - b);
  console.log(`first page, from the click to loaded: median ${Math.round(times[4])} ms, ${Math.round(times[0])} to ${Math.round(times[8])} ms`);
  await context.close();
}

// axe and the check of the frame need the page's own policy out of the way; what the policy lets through is checked with it.
async function main() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
  const plain = await browser.newContext();
  const paths = await addresses(plain);
  await plain.close();
  for (const scheme of ['light', 'dark']) {
    for (const width of WIDTHS) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, bypassCSP: true });
      for (const [name, path] of Object.entries(paths)) await look(context, name, path, width, scheme);
      await context.close();
    }
  }
  const guarded = await browser.newContext();
  const page = await guarded.newPage();
  const blocked = [];
  page.on('console', (message) => /Content Security Policy|Refused/.test(message.text()) && blocked.push(message.text()));
  for (const path of Object.values(paths)) await page.goto(base + path, { waitUntil: 'load' });
  check(blocked.length === 0, `under its own policy a page misses something: ${blocked[0]}`);
  await guarded.close();

  const bare = await browser.newContext({ javaScriptEnabled: false });
  const still = await bare.newPage();
  for (const path of Object.values(paths)) {
    await still.goto(base + path, { waitUntil: 'load' });
    check((await still.textContent('main')).trim().length > 20, `${path} without JavaScript`);
  }
  await bare.close();
  await firstPage(browser);

  if (process.env.PLUMBLINE_RECORD) {
    const watching = await (await browser.newContext()).newPage();
    await watching.goto(base + paths.measurement, { waitUntil: 'load' });
    const before = await watching.textContent('.sub');
    await watching.waitForTimeout(1500);
    execSync(process.env.PLUMBLINE_RECORD, { stdio: 'ignore' });
    const began = Date.now();
    await watching.waitForFunction((text) => document.querySelector('.sub').textContent !== text, before, { timeout: 30000 });
    const took = Date.now() - began;
    console.log(`a new entry is seen after ${took} ms`);
    check(took < 2000, `a new entry is seen after ${took} ms`);
  }
  await browser.close();
  console.log(`${checks - failures} passed, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

main();
