// SPDX-License-Identifier: Apache-2.0
// The site in a real browser, without a network: every page opens, every link leads somewhere, every text can be read, and the search
// finds what the sources have. It is looked at as it lies in build/site.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { accessibilityProblems, startBrowser } from '../../report/test/browser.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../../..'), site = resolve(process.env.SITE ?? join(root, 'build/site'));
const onefold = resolve(process.env.ONEFOLD ?? join(root, 'build/release/cli/onefold'));
const source = (path) => readFileSync(join(root, path), 'utf8');
const walk = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? walk(join(folder, e.name)) : [join(folder, e.name)]));
const files = walk(site).map((path) => relative(site, path)), html = files.filter((path) => path.endsWith('.html'));
const isReport = (path) => readFileSync(join(site, path), 'utf8').includes('id="summary"');
const reports = html.filter(isReport), pages = html.filter((path) => !isReport(path));

let browser;
before(async () => { browser = await startBrowser(); });
after(async () => browser?.close());

async function open(path, { dark = false, width = 1280, hash = '' } = {}) {
  const page = await browser.newPage();
  page.complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('requestfailed', (request) => page.complaints.push(`could not get ${request.url()}`));
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`asked for ${request.url()}`); });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(pathToFileURL(join(site, path)).href + hash);
  await page.evaluate(() => { document.querySelectorAll('details').forEach((d) => { d.open = true; }); document.querySelectorAll('img').forEach((i) => { i.loading = 'eager'; }); });
  await page.evaluate(() => Promise.all([...document.images].map((i) => (i.complete ? 0 : new Promise((done) => { i.onload = i.onerror = done; })))));
  return page;
}

// Texts whose contrast with the ground behind them is under 4.5 to 1. Nothing on the site lies over anything but its own ancestors.
const faint = (page) => page.evaluate(() => {
  const paint = (text) => { const v = text.match(/[\d.]+/g).map(Number); return [v[0], v[1], v[2], v[3] ?? 1]; };
  const light = (c) => { const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const out = [], known = new Map();
  let looked = 0;
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    if (known.has(element)) return known.get(element);
    const own = paint(getComputedStyle(element).backgroundColor), under = own[3] === 1 ? own : ground(element.parentElement);
    const seen = own.slice(0, 3).map((v, i) => v * own[3] + under[i] * (1 - own[3]));
    known.set(element, seen);
    return seen;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const own = node.parentElement, text = node.textContent.trim();
    if (!text || own.closest('script, style, .anchor, .copy')) continue; // these two show when they are asked for
    if (!own.getClientRects().length) continue;
    const style = getComputedStyle(own), behind = ground(own), [x, y] = [light(paint(style.color)), light(behind)].sort((a, b) => b - a);
    looked++;
    if ((x + 0.05) / (y + 0.05) < 4.5) out.push(`"${text.slice(0, 40)}" ${((x + 0.05) / (y + 0.05)).toFixed(2)}: ${style.color} on ${behind.map(Math.round)}`);
  }
  return { looked, out };
});

test('there are pages, tutorials and live report pages', () => {
  for (const path of ['index.html', 'install.html', 'tutorials.html', 'gallery.html', 'figures.html', ...['command', 'c', 'python', 'r', 'octave'].map((n) => `reference/${n}.html`), ...['papers', 'cells', 'clinical', 'images', 'million'].map((n) => `tutorials/${n}.html`)])
    assert.ok(pages.includes(path), path);
  assert.ok(reports.length >= 10, `${reports.length} report pages`);
  assert.ok(files.every((path) => !/\.(woff2?|ttf|otf)$/.test(path)), 'a font');
});

test('every document is there, with all its headings', async () => {
  for (const name of walk(join(root, 'docs')).map((n) => relative(join(root, 'docs'), n)).filter((n) => n.endsWith('.md'))) {
    const path = name === 'README.md' ? 'docs/index.html' : name === 'install.md' ? 'install.html' : `docs/${name.replace('.md', '.html')}`;
    assert.ok(pages.includes(path), `${name} has no page`);
    const said = readFileSync(join(site, path), 'utf8'), heads = source(`docs/${name}`).replace(/^```[^]*?^```/gm, '').match(/^##+ /gm)?.length ?? 0;
    assert.equal(said.split('class="prose"')[1].split('</main>')[0].match(/<h[2-6][ >]/g)?.length ?? 0, heads, name);
  }
  const readme = ['index.html', 'install.html', 'figures.html'].map((path) => readFileSync(join(site, path), 'utf8')).join('').replace(/<[^>]*>/g, '');
  for (const [, head] of source('README.md').matchAll(/^## (.*)$/gm))
    if (!/install|how good|quality|speed|figures/i.test(head)) assert.ok(readme.includes(head), `README: ${head}`);
});

test('no page complains, asks the network, or has a picture that does not show', async () => {
  for (const path of pages) {
    const page = await open(path);
    assert.deepEqual(page.complaints, [], path);
    assert.deepEqual(await page.evaluate(() => [...document.images].filter((i) => !i.naturalWidth).map((i) => i.src)), [], path);
    assert.equal(await page.locator('h1').count(), 1, `${path}: headings of the first level`);
    await page.close();
  }
});

test('the report pages of the gallery are live', async () => {
  for (const path of reports) {
    const page = await open(path);
    await page.waitForSelector('main[data-ready]', { timeout: 60000 });
    assert.deepEqual(page.complaints, [], path);
    await page.close();
  }
});

test('no link is dead, and none leaves the site without saying so', async () => {
  const ids = new Map(), linked = new Set();
  const idsOf = (path) => { if (!ids.has(path)) ids.set(path, new Set([...readFileSync(join(site, path), 'utf8').matchAll(/\sid="([^"]*)"/g)].map((m) => m[1].replaceAll('&amp;', '&')))); return ids.get(path); };
  const dead = [];
  let looked = 0;
  for (const path of pages) {
    const page = await open(path);
    const found = await page.evaluate(() => [...document.querySelectorAll('[href], [src]')].map((e) => e.href ?? e.src));
    await page.close();
    for (const url of found) {
      looked++;
      if (!url.startsWith('file:')) { if (!/^(https:|mailto:|data:image)/.test(url)) dead.push(`${path}: ${url}`); continue; }
      const target = new URL(url), to = relative(site, fileURLToPath(new URL(target.pathname, 'file:'))), anchor = decodeURIComponent(target.hash.slice(1));
      if (!files.includes(to)) dead.push(`${path}: ${to} is not there`);
      else if (anchor && !idsOf(to).has(anchor)) dead.push(`${path}: ${to} has no ${anchor}`);
      if (to !== path) linked.add(to);
    }
  }
  assert.ok(looked > 2000, `${looked} links`);
  assert.deepEqual([...new Set(dead)], []);
  assert.deepEqual(html.filter((path) => !linked.has(path)), [], 'pages that nothing leads to');
});

for (const dark of [false, true])
  test(`every text has a contrast of 4.5 to 1, ${dark ? 'dark' : 'light'}`, async () => {
    let all = 0;
    for (const path of pages) {
      const page = await open(path, { dark }), { looked, out } = await faint(page);
      all += looked;
      assert.deepEqual([...new Set(out)].slice(0, 8), [], path);
      await page.close();
    }
    assert.ok(all > 10000, `${all} texts`);
  });

test('nothing is wider than a screen of 400 pixels, and text is large enough there', async () => {
  for (const path of pages) {
    const page = await open(path, { width: 400 });
    const { wide, who, small } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      who: [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll, pre, math, svg')).map((e) => e.outerHTML.slice(0, 90)).slice(0, 3),
      small: [...document.querySelectorAll('.prose p, .prose li, .prose dd')].filter((e) => parseFloat(getComputedStyle(e).fontSize) < 15 && !e.closest('.card, .scroll, .note')).map((e) => e.textContent.slice(0, 40)).slice(0, 3),
    }));
    assert.ok(wide <= 0, `${path} is ${wide} too wide: ${who}`);
    assert.deepEqual(who, [], path);
    assert.deepEqual(small, [], path);
    await page.close();
  }
});

test('a small screen has a menu of all pages', async () => {
  const page = await open('docs/method.html', { width: 400 });
  await page.locator('#menu').click();
  const box = await page.locator('.side a[href$="reference/c.html"]').boundingBox();
  assert.ok(box && box.width > 10, 'the menu does not show');
  await page.locator('.side a[href$="reference/c.html"]').click();
  await page.waitForURL(/reference\/c\.html/);
  await page.close();
});

test('pages of each kind are accessible', async () => {
  for (const path of ['index.html', 'install.html', 'gallery.html', 'tutorials/images.html', 'tutorials/clinical.html', 'docs/method.html', 'docs/quality.html', 'reference/command.html', 'reference/c.html', 'reference/python.html', 'reference/r.html'])
    for (const dark of [false, true]) {
      const page = await open(path, { dark });
      assert.deepEqual(await accessibilityProblems(page), [], `${path} ${dark ? 'dark' : 'light'}`);
      await page.close();
    }
});

test('the switch makes it dark, and it stays so on the next page', async () => {
  const page = await open('index.html'), ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.locator('#theme').click();
  const dark = await ground();
  assert.notEqual(dark, light);
  await page.locator('.top a[href="gallery.html"]').click();
  await page.waitForURL(/gallery\.html/);
  assert.equal(await ground(), dark);
  await page.locator('#theme').click();
  assert.equal(await ground(), light);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

// The first place that the search finds, as [name, address].
async function first(page, words) {
  await page.locator('#query').fill(words);
  const row = page.locator('.found li').first();
  return (await row.count()) ? [await row.locator('strong').innerText(), relative(site, fileURLToPath((await row.locator('a').evaluate((a) => a.href)).replace(/#.*/, ''))) + (await row.locator('a').evaluate((a) => a.hash))] : null;
}

test('the search finds every option of the command, every function, and words', async () => {
  const page = await open('docs/formats.html');
  await page.keyboard.press('/');
  await page.waitForSelector('#search[open] #query');
  await page.waitForFunction(() => globalThis.onefoldIndex);
  const verbs = ['fit', 'predict', 'score', 'choose', 'bench', 'info', 'convert', 'report', 'synth'], options = new Set();
  for (const verb of verbs) for (const [, name] of execFileSync(onefold, [verb, '--help'], { encoding: 'utf8' }).matchAll(/^ {2}(?:-\w, )?(--[a-z][\w-]*)/gm)) options.add(name);
  assert.ok(options.size > 30 && options.has('--landmarks'), `${options.size} options`);
  for (const option of options) {
    const found = await first(page, option);
    assert.ok(found?.[0].split(/[\s,]+/).includes(option), `${option}: ${found}`);
    assert.match(found[1], /^reference\/command\.html#option-/, option);
  }
  const functions = [...source('include/onefold.h').matchAll(/^(?:const |void |int |size_t |onefold_status )[^;(]*?\b(onefold_\w+)\(/gm)].map((m) => m[1]);
  assert.ok(functions.length > 80, `${functions.length} functions`);
  const anchors = readFileSync(join(site, 'reference/c.html'), 'utf8');
  for (const name of functions) assert.ok(anchors.includes(` id="${name}"`), `${name} is not in the reference`);
  for (const name of ['onefold_fit', 'onefold_predictor_create', 'onefold_last_error']) if (functions.includes(name)) assert.match((await first(page, name))[1], /^reference\/c\.html#/);
  assert.match((await first(page, 'OneFold.predict'))[1], /^reference\/python\.html#/);
  assert.match((await first(page, 'choose_k'))[1], /^reference\/r\.html#/);
  assert.equal(await first(page, 'zzzzqq'), null);
  assert.match(await page.locator('.state').innerText(), /zzzzqq/);
  const { looked, out } = await faint(page);
  assert.ok(looked > 20);
  assert.deepEqual(out, []);
  await page.locator('#query').fill('--landmarks');
  await page.keyboard.press('Enter');
  await page.waitForURL(/command\.html#option-landmarks/);
  const box = await page.locator('#option-landmarks').boundingBox();
  assert.ok(box.y > 40 && box.y < 900, `the option is at ${box.y}`);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('the reference has what the packages have', () => {
  const python = readFileSync(join(site, 'reference/python.html'), 'utf8'), r = readFileSync(join(site, 'reference/r.html'), 'utf8'), octave = readFileSync(join(site, 'reference/octave.html'), 'utf8');
  const names = source('bindings/python/onefold/__init__.py').match(/__all__ = \[([^\]]*)\]/)[1].match(/"\w+"/g).map((n) => n.slice(1, -1)).filter((n) => !n.startsWith('__'));
  assert.ok(names.length > 10);
  for (const name of names) assert.ok(python.includes(` id="onefold.${name}"`), `Python: ${name}`);
  for (const file of readdirSync(join(root, 'bindings/r/man')).filter((n) => n.endsWith('.Rd'))) assert.ok(r.includes(` id="${file.slice(0, -3)}"`), `R: ${file}`);
  for (const file of readdirSync(join(root, 'bindings/octave/inst')).filter((n) => n.endsWith('.m'))) assert.ok(octave.includes(` id="${file.slice(0, -2)}"`), `Octave: ${file}`);
});

test('what tutorials show was said when they ran, and nothing failed', () => {
  for (const name of ['papers', 'cells', 'clinical', 'images', 'million']) {
    const text = source(`web/site/tutorials/${name}.md`), page = readFileSync(join(site, `tutorials/${name}.html`), 'utf8');
    assert.ok(!/^```(output|text)?$/m.test(text.replace(/^```(sh|python|r)[^]*?^```$/gm, '')), `${name} has an output that was typed`);
    const shown = text.match(/^```(sh|python|r)$/gm).length, said = page.match(/<pre class="output"/g)?.length ?? 0;
    assert.ok(said >= 4 && said <= shown, `${name}: ${said} outputs of ${shown} blocks`);
    for (const wrong of ['Traceback', 'command not found', '{{sh']) assert.ok(!page.includes(wrong), `${name}: ${wrong}`);
    assert.ok(!page.includes(root), `${name} names a folder of this machine`);
    assert.ok(reports.some((path) => path.startsWith(`tutorials/${name}/`)), `${name} has no report page`);
  }
});

test('formulas are drawn by the browser itself', () => {
  const made = execFileSync('/usr/bin/python3', ['-c', 'import make; print(make.pandoc(r"$\\frac{a}{b}$ and `$x`", ""))'], { cwd: join(root, 'web/site'), encoding: 'utf8' });
  assert.match(made, /<math[^]*<mfrac>/);
  assert.match(made, /<code>\$x<\/code>/);
  for (const path of pages) {
    const text = readFileSync(join(site, path), 'utf8').replace(/<annotation[^]*?<\/annotation>/g, '').replace(/<(pre|code)[^]*?<\/\1>/g, '').replace(/<[^>]*>/g, '');
    assert.ok(!/\\(frac|sum|text|mathbf|left|beta)\b|\$\$/.test(text), `${path}: a formula was left as it was written`);
  }
});

test('pages name no folder of the machine that made them', () => {
  for (const path of files.filter((f) => /\.(html|js)$/.test(f))) assert.ok(!readFileSync(join(site, path), 'utf8').includes(root), path);
});

test('every page that is listed in the index of the search is there', () => {
  const index = JSON.parse(readFileSync(join(site, 'search-index.js'), 'utf8').replace(/^window\.onefoldIndex=/, '').replace(/;\s*$/, ''));
  assert.deepEqual(index.pages.map(([url]) => url).filter((url) => !existsSync(join(site, url))), []);
  assert.deepEqual(index.pages.map(([url]) => url).sort(), [...pages].sort());
});
