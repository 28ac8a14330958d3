// Opens the page of the MCP App in a small host, as a client with apps does: in a frame without an origin, which is told of a theme and
// of a tool's result, and may read the server's resources. Says as JSON what the page then shows and what is wrong with it.
//   node app.mjs NODE_MODULES CHROMIUM CASES     CASES: {page, results: [{name, result, resources: {uri: result}}]}
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, chromium, cases] = process.argv.slice(2);
const require = createRequire(pathToFileURL(modules + '/x'));
const playwright = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core'), 'utf8');
const { page, results } = JSON.parse(readFileSync(cases, 'utf8'));

// In the host's page. What the app asks and tells is kept in `heard`.
function host({ page, theme, result, resources }) {
  window.heard = [];
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.title = 'app';
  frame.style = 'width: 100%; height: 850px; border: 0; color-scheme: ' + theme;
  const say = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    window.heard.push(data.method ?? 'answer');
    if (data.method === 'ui/initialize') {
      const capabilities = resources ? { serverResources: {} } : {};
      say({ id: data.id, result: { protocolVersion: data.params.protocolVersion, hostInfo: { name: 'host', version: '1' },
        hostCapabilities: capabilities, hostContext: { theme, styles: { variables: { '--font-sans': 'serif' } } } } });
    } else if (data.method === 'ui/notifications/initialized') {
      say({ method: 'ui/notifications/tool-result', params: result });
      say({ id: 'are you there', method: 'ping' });
    } else if (data.method === 'resources/read') {
      const known = resources[data.params.uri];
      say(known ? { id: data.id, result: known } : { id: data.id, error: { code: -32602, message: 'no such resource' } });
    }
  });
  document.body.append(frame);
  frame.srcdoc = page;
}

async function look(browser, theme, { name, result, resources }, reads) {
  const findings = [];
  // The browser's own scheme is the other one: what is shown must follow the host's.
  const context = await browser.newContext({ viewport: { width: 900, height: 900 }, colorScheme: theme === 'dark' ? 'light' : 'dark', bypassCSP: true });
  const tab = await context.newPage();
  tab.on('console', (message) => findings.push('console: ' + message.text()));
  tab.on('pageerror', (error) => findings.push('error: ' + error));
  await tab.setContent('<!doctype html><html lang="en"><title>host</title><body style="margin: 0"></body></html>');
  await tab.evaluate(host, { page, theme, result, resources: reads ? resources : null });
  const frame = await (await tab.waitForSelector('iframe')).contentFrame();
  await frame.waitForSelector(reads ? '#shown .hero' : '#shown h1');
  await tab.waitForFunction(() => window.heard.includes('answer'));
  await frame.evaluate(axe);
  const { violations } = await frame.evaluate(() => window.axe.run({ exclude: ['svg'] }, { resultTypes: ['violations'] }));
  for (const one of violations)
    findings.push(`axe: ${one.id}: ${one.help}; ${one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`);
  const shown = await frame.evaluate(() => {
    const texts = (nodes) => [...nodes].map((each) => each.textContent.trim());
    const ink = getComputedStyle(document.querySelector('#shown h1') ?? document.body).color.match(/\d+/g).slice(0, 3).map(Number);
    return { title: document.querySelector('#shown h1')?.textContent ?? '', state: document.getElementById('state').textContent,
      paragraphs: texts(document.querySelectorAll('#shown > main > p')), reasons: texts(document.querySelectorAll('#shown > main > ul > li')),
      head: texts(document.querySelectorAll('#shown > main > table th')),
      rows: [...document.querySelectorAll('#shown > main > table tr')].slice(1).map((row) => texts(row.cells)),
      light: ink.reduce((sum, each) => sum + each, 0) > 384, font: getComputedStyle(document.body).fontFamily,
      words: document.getElementById('shown').innerText.split(/\s+/).length, scripts: document.querySelectorAll('#shown script').length };
  });
  const heard = await tab.evaluate(() => window.heard);
  await context.close();
  return { name, theme, reads, findings, heard, ...shown };
}

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
const out = [];
for (const result of results)
  for (const theme of ['light', 'dark'])
    for (const reads of [false, true])
      if (!reads || Object.keys(result.resources).length) out.push(await look(browser, theme, result, reads));
await browser.close();
process.stdout.write(JSON.stringify(out));
