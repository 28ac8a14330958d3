// Pictures of pages as a reviewer first sees them.
//   node shoot.mjs NODE_MODULES CHROMIUM OUT PAGE…      writes OUT/<name>-<width>-<scheme>.png of <name>.html
//   SHOOT=400:light,1280:dark,…                         which pictures, default all; SHOOT_HEIGHT=N: this many pixels, 0 for all of the page
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, chromium, out, ...pages] = process.argv.slice(2);
const playwright = createRequire(pathToFileURL(modules + '/x'))('playwright-core');
const views = (process.env.SHOOT ?? '400:light,400:dark,1280:light,1280:dark,1920:light,1920:dark').split(',').map((view) => view.split(':'));
const asked = parseInt(process.env.SHOOT_HEIGHT ?? '-1', 10);

const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
const tab = await browser.newPage();
for (const path of pages) {
  await tab.goto(pathToFileURL(path).href);
  for (const [width, colorScheme] of views) {
    const height = asked > 0 ? asked : width === '400' ? 1400 : width === '1280' ? 900 : 1080;
    await tab.setViewportSize({ width: parseInt(width, 10), height });
    await tab.emulateMedia({ colorScheme });
    await tab.screenshot({ path: `${out}/${basename(path, '.html')}-${width}-${colorScheme}.png`, fullPage: asked === 0 });
  }
}
await browser.close();
