// SPDX-License-Identifier: Apache-2.0
// What the tests of the pages share: the command, a browser that has no network, and what it said.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const onefold = resolve(process.env.ONEFOLD ?? '../../build/release/cli/onefold');
export const folder = mkdtempSync(join(tmpdir(), 'onefold-report-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// Runs the command in the folder; its standard output.
export function run(...words) {
  return execFileSync(onefold, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, OMP_WAIT_POLICY: 'passive' }, stdio: ['ignore', 'pipe', 'pipe'] });
}

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'];

export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launchPersistentContext(join(folder, 'profile'), { executablePath, args: flags, offline: true, viewport: { width: 1280, height: 900 } });
}

// Opens a page of the folder and waits until it is drawn. What it complained of, and what it asked
// the network for, is kept in page.complaints.
export async function open(browser, name, options = {}) {
  const page = await browser.newPage();
  page.complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`asked for ${request.url()}`); });
  await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light', media: options.print ? 'print' : 'screen' });
  if (options.phone) await page.setViewportSize({ width: 400, height: 844 });
  const began = performance.now();
  await page.goto(pathToFileURL(join(folder, name)).href);
  await page.waitForSelector('main[data-ready]', { timeout: 60000 });
  page.opened = (performance.now() - began) / 1000;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page;
}

export async function accessibilityProblems(page) {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map((v) => `${v.impact} ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
}

// Every text of the page whose contrast with what is behind it is under 4.5 to 1, or 3 to 1 where it
// is large; all that can be opened is open. What is behind a letter is looked for under its middle:
// shapes of the drawing, then backgrounds, the picture's halo for what stands in the picture.
export async function faintTexts(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
  const size = page.viewportSize(), height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: size.width, height: Math.min(30000, height + 50) });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const found = await page.evaluate(() => {
    const paint = (text) => { const m = text.match(/rgba?\(([^)]+)\)/); if (!m) return null; const v = m[1].split(/[\s,/]+/).map(Number); return [v[0], v[1], v[2], v[3] ?? 1]; };
    const over = (top, under) => under.map((u, i) => top[i] * top[3] + u * (1 - top[3]));
    const light = (c) => { const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
    const scrolledAway = (e, x, y) => { for (; e; e = e.parentElement) { const r = e.getBoundingClientRect(); if (getComputedStyle(e).overflow !== 'visible' && (x < r.left || x > r.right || y < r.top || y > r.bottom)) return true; } return x > innerWidth; };
    const shapes = ['rect', 'circle', 'path', 'polygon'], out = [];
    let looked = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent.trim(), own = node.parentElement;
      if (!text || !own || own.closest('script, style, title, noscript, option, .hidden') || own.tagName === 'title') continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect(), style = getComputedStyle(own);
      if (!box.width || style.visibility === 'hidden') continue;
      const svg = own.namespaceURI.endsWith('svg'), ink = paint(svg ? style.fill : style.color);
      if (!ink) { out.push(`${text}: no ink (${style.fill})`); continue; }
      const layers = [];
      if (svg && style.paintOrder.startsWith('stroke') && style.stroke !== 'none') layers.push(paint(style.stroke)); // its halo
      else if (scrolledAway(own, box.x + box.width / 2, box.y + box.height / 2)) for (let e = own; e; e = e.parentElement) { const g = paint(getComputedStyle(e).backgroundColor); if (g && g[3]) layers.push(g); }
      else for (const element of document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2)) {
        if (element === own || own.contains(element)) { if (!svg) { const g = paint(getComputedStyle(element).backgroundColor); if (g && g[3]) layers.push(g); } continue; }
        const its = getComputedStyle(element), ground = shapes.includes(element.tagName) ? paint(its.fill) : paint(its.backgroundColor);
        if (ground && ground[3] * Number(its.opacity)) layers.push([...ground.slice(0, 3), ground[3] * Number(its.opacity)]);
      }
      let behind = [255, 255, 255];
      for (const layer of layers.reverse()) behind = over(layer, behind);
      let opacity = 1;
      for (let e = own; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
      const seen = over([...ink.slice(0, 3), ink[3] * opacity], behind), ratio = contrast(seen, behind);
      looked++;
      if (ratio < 4.5) out.push(`"${text.slice(0, 40)}" ${ratio.toFixed(2)}: ${seen.map(Math.round)} on ${behind.map(Math.round)}`);
    }
    return { looked, out };
  });
  await page.setViewportSize(size);
  return found;
}
