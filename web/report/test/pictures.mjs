// SPDX-License-Identifier: Apache-2.0
// Pictures of the pages for docs/: node test/pictures.mjs [FOLDER], of pages that examples/pages.py makes.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder, onefold, open, startBrowser } from './browser.mjs';

const out = resolve(process.argv[2] ?? '../../docs/report');
mkdirSync(out, { recursive: true });
execFileSync('python3', [resolve('../../examples/pages.py'), onefold, folder], { stdio: 'inherit' });
const browser = await startBrowser();
const top = 'header', middle = 'Which view did what';
const pictures = [['fit-light', 'cells', {}, top], ['fit-dark', 'cells', { dark: true }, middle], ['fit-phone', 'cells', { phone: true }, middle],
  ['digits', 'digits', {}, top], ['patients', 'patients', {}, top], ['two-fits', 'two-fits', {}, top]];
for (const [name, kind, options, at] of pictures) {
  const page = await open(browser, `${kind}.html`, options);
  if (at !== top) await page.evaluate((title) => { const part = [...document.querySelectorAll('section')].find((s) => s.querySelector('h2').textContent === title); scrollTo(0, part.getBoundingClientRect().top + scrollY - 14); }, at);
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  await page.screenshot({ path: join(out, `${name}.png`) });
  await page.close();
}
await browser.close();
